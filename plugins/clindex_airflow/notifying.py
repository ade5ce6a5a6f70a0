"""What tells people how a DAG run ended: one notifier, by Airflow's callbacks, which run in the DAG processor."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from airflow.sdk import BaseNotifier

if TYPE_CHECKING:
    from airflow.sdk import Context

    from pipeline.jobs.notify import Message
    from pipeline.settings import Settings


class RunEndedNotifier(BaseNotifier):
    """Sends one message about a DAG run by the channels of ``CLINDEX_NOTIFY_*``, if there is something to tell.

    Args:
        kinds: Kinds of Clindex' runs that the DAG makes.
        failed: Whether it is called for a run that ended red.
    """

    def __init__(self, kinds: Sequence[str], *, failed: bool) -> None:
        super().__init__()
        self.kinds = tuple(kinds)
        self.failed = failed

    def notify(self, context: Context) -> None:
        """Tell it. Where the run's facts are comes from its own database: a callback sees no XCom."""
        from pipeline.jobs.steps import notify as steps

        run: Any = context.get("dag_run")  # absent where no task of the run ever began
        steps.dag_ended(
            dag=context["dag"].dag_id,
            dag_run=str(context["run_id"]),
            kinds=self.kinds,
            failed=self.failed,
            since=getattr(run, "start_date", None),
            mailer=mail_by_connection,
        )


def mail_by_connection(message: Message, settings: Settings) -> None:
    """Send a message by the Airflow connection that ``CLINDEX_NOTIFY_MAIL_CONNECTION`` names."""
    from airflow.providers.smtp.hooks.smtp import SmtpHook

    with SmtpHook(smtp_conn_id=str(settings.notify_mail_connection)) as hook:
        hook.send_email_smtp(
            to=list(settings.notify_mail_to),
            from_email=settings.notify_mail_from,
            subject=message.subject,
            html_content=f"<pre>{html.escape(message.text)}</pre>",
        )
