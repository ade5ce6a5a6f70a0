"""What Airflow does when a DAG run has ended: figures go to the monitor, one message to people. Plain JSON out; ids and counts only."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from pipeline.domain.errors import ClindexError, IncompleteRunError
from pipeline.jobs.metrics.otlp import push_if_ended
from pipeline.jobs.notify import AirflowRun, Message, message_of, runs_of, send
from pipeline.jobs.notify.facts import compose
from pipeline.jobs.notify.sending import Mailer, channels
from pipeline.jobs.steps.task import Json, task_home
from pipeline.settings import Settings
from pipeline.storage import runs
from pipeline.wiring import utc_now


def dag_ended(*, dag: str, dag_run: str, kinds: Sequence[str], failed: bool, since: datetime | None, mailer: Mailer | None = None) -> Json:
    """Tell how a DAG run ended. A home that cannot be opened is told as well.

    Args:
        dag: The DAG's id.
        dag_run: The DAG run's id.
        kinds: Kinds of the runs that the DAG makes.
        failed: Whether it ended red.
        since: When it began; ``None``: Airflow does not say.
        mailer: Sends mail by an Airflow connection, where ``notify_mail_connection`` names one.

    Raises:
        IncompleteRunError: A channel did not take the message; the others did.
    """
    settings = Settings()
    ended = AirflowRun(dag=dag, dag_run=dag_run, kinds=tuple(kinds), failed=failed, since=since)
    mailer = mailer if settings.notify_mail_connection else None
    if not channels(settings, mailer) and settings.otlp_endpoint is None:
        return {"told": False, "channels": []}  # the usual home: nothing is opened
    message = _message(settings, ended)
    deliveries = [] if message is None else send(message, settings, mailer=mailer)
    if lost := [f"{one.channel.value} ({one.error})" for one in deliveries if not one.sent]:
        raise IncompleteRunError(f"the message about {dag} did not go out by {', '.join(lost)}", remedy="`clindex notify` sends it again.")
    return {"told": message is not None, "channels": [one.channel.value for one in deliveries]}


def _message(settings: Settings, ended: AirflowRun) -> Message | None:
    try:
        with task_home() as services:
            push_if_ended(services.db, settings, since=ended.since or datetime.now(UTC))
            with services.db.begin() as tx:
                runs.close_dead(tx, utc_now())
            with services.db.read() as tx:
                return message_of(tx, settings, runs_of(tx, ended), now=utc_now(), airflow=ended)
    except ClindexError:
        return compose(settings, (), {}, (), ended)
