"""Whether a failed task is tried again is decided by the class of its error."""

from __future__ import annotations

from datetime import timedelta

import pytest

from pipeline.domain import errors

PERMANENT = [errors.IncompleteRunError("x"), errors.GuardRefusedError("x"), errors.CollectionMissingError("x"), errors.InternalError("x")]
TRANSIENT = [errors.SourceUnavailableError("x"), errors.StoreBusyError("x"), errors.WriteVerificationError("x")]


def name_of(error: Exception) -> str:
    return type(error).__name__


@pytest.mark.parametrize("error", PERMANENT, ids=name_of)
def test_what_trying_again_cannot_mend_fails_at_once(error):
    from airflow.sdk import RetryAction
    from clindex_airflow.wiring import RETRY_BY_ERROR

    assert RETRY_BY_ERROR.evaluate(exception=error, try_number=1, max_tries=3).action == RetryAction.FAIL


@pytest.mark.parametrize("error", TRANSIENT, ids=name_of)
def test_a_passing_fault_is_tried_again_after_a_pause(error):
    from airflow.sdk import RetryAction
    from clindex_airflow.wiring import RETRY_BY_ERROR

    decision = RETRY_BY_ERROR.evaluate(exception=error, try_number=1, max_tries=3)
    assert (decision.action, decision.retry_delay) == (RetryAction.RETRY, timedelta(minutes=2))


def test_an_error_that_is_not_ours_has_airflows_own_retries():
    from airflow.sdk import RetryAction
    from clindex_airflow.wiring import DEFAULTS, RETRY_BY_ERROR

    assert RETRY_BY_ERROR.evaluate(exception=OSError("x"), try_number=1, max_tries=3).action == RetryAction.DEFAULT
    assert DEFAULTS["retries"] == 3


def run_once(error: Exception):
    """The state and tries of a task with our defaults, but no pause, that raises ``error`` the first time and then works."""
    from airflow.dag_processing.bundles.manager import DagBundlesManager
    from airflow.models.serialized_dag import SerializedDagModel
    from airflow.sdk import ExceptionRetryPolicy, dag, task
    from airflow.serialization.definitions.dag import SerializedDAG
    from airflow.serialization.serialized_objects import LazyDeserializedDAG
    from clindex_airflow.wiring import DEFAULTS, RETRY_BY_ERROR

    rules = [type(rule)(exception=rule.exception, action=rule.action, retry_delay=timedelta(0)) for rule in RETRY_BY_ERROR.rules]
    tries = []

    @dag(dag_id=f"raises_{name_of(error)}", schedule=None, default_args={**DEFAULTS, "retry_policy": ExceptionRetryPolicy(rules=rules)})
    def raises() -> None:
        @task
        def work() -> None:
            tries.append(1)
            if len(tries) == 1:
                raise error

        work()

    written = raises()
    lazy = LazyDeserializedDAG.from_dag(written)
    DagBundlesManager().sync_bundles_to_db()
    SerializedDAG.bulk_write_to_db("dags-folder", None, [lazy])
    SerializedDagModel.write_dag(lazy, bundle_name="dags-folder")
    return str(written.test().state), len(tries)


def test_airflow_carries_the_decision_out(airflow_home):
    assert run_once(errors.StoreBusyError("x")) == ("success", 2)
    assert run_once(errors.GuardRefusedError("x")) == ("failed", 1)
