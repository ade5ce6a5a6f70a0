"""What tells people how a DAG run ended: one notifier, by Airflow's callbacks, which run in the DAG processor."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from airflow.sdk import BaseNotifier

if TYPE_CHECKING:
    from airflow.sdk import Context

    from pipeline.jobs.notify import Message
    from pipeline.settings import Settings


_TRIGGERED: Final = re.compile(r"__(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{6})?\+00:00)")  # manual__2030-01-02T03:04:05.678901+00:00


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

        steps.dag_ended(
            dag=context["dag"].dag_id,
            dag_run=str(context["run_id"]),
            kinds=self.kinds,
            failed=self.failed,
            since=_began(context),
            mailer=mail_by_connection,
        )

    def render_template_fields(self, context: Context, jinja_env: Any = None) -> None:
        """Do nothing: there are no templates, and Airflow cannot make their environment for a run that none of its tasks stands for."""


def _began(context: Context) -> datetime | None:
    """Return when the DAG run began. Where no task stands for the run, a callback sees its id alone, which has the moment of its trigger."""
    run: Any = context.get("dag_run")
    if run is not None and run.start_date is not None:
        began: datetime = run.start_date
        return began
    found = _TRIGGERED.search(str(context["run_id"]))
    return datetime.fromisoformat(found[1]) if found else None


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
