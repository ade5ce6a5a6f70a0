"""What every DAG file must keep to."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime

import pytest

HEAVY = (
    "torch",
    "sentence_transformers",
    "transformers",
    "onnxruntime",
    "spacy",
    "great_expectations",
    "pandas",
    "matplotlib",
    "qdrant_edge",
    "pipeline.wiring",
    "pipeline.jobs",
)


def dag_ids() -> list[str]:
    return [
        "data_quality",
        "evaluate",
        "index_documents",
        "ingest_documents",
        "ingest_fhir",
        "ingest_trials",
        "reconcile",
        "reindex",
        "retention",
    ]


def test_every_file_imports_and_gives_its_dag(dag_bag):
    assert dag_bag.import_errors == {}
    assert sorted(dag_bag.dag_ids) == dag_ids()


@pytest.mark.parametrize("dag_id", dag_ids())
def test_dag_keeps_to_policy(dag_bag, dag_id):
    from clindex_airflow.wiring import RETRY_BY_ERROR, Tag

    dag = dag_bag.dags[dag_id]
    assert dag.doc_md, "doc_md says what it does, what red means, and when to use another"
    assert "red" in dag.doc_md.lower() or "dry run" in dag.doc_md.lower()
    assert Tag.CLINDEX in dag.tags
    assert set(dag.tags) <= set(Tag)
    assert dag.max_active_runs == 1
    assert dag.catchup is False
    for task in dag.tasks:
        assert task.retry_policy == RETRY_BY_ERROR, task.task_id
        assert task.execution_timeout is not None, task.task_id
    if Tag.DESTRUCTIVE in dag.tags:
        assert dag.params["dry_run"] is True


@pytest.mark.parametrize("dag_id", dag_ids())
def test_first_task_compares_index_and_database_cheaply(dag_bag, dag_id):
    first = [task.task_id for task in dag_bag.dags[dag_id].tasks if not task.upstream_list]
    assert first == ["start_check"]


@pytest.mark.parametrize("dag_id", dag_ids())
def test_last_task_can_make_the_run_red(dag_bag, dag_id):
    leaves = [task.task_id for task in dag_bag.dags[dag_id].tasks if not task.downstream_list]
    assert leaves == ["judge"]


@pytest.mark.parametrize(
    ("dag_id", "task_ids"),
    [
        ("data_quality", ("check",)),
        ("evaluate", ("ask",)),
        ("index_documents", ("plan", "index", "complete")),
        ("reconcile", ("compare", "carry_out")),
        ("reindex", ("plan", "index", "complete", "promote", "gate")),
        ("retention", ("find", "delete", "verify")),
    ],
)
def test_tasks_that_hold_the_embedded_index_share_one_pool(dag_bag, dag_id, task_ids):
    from clindex_airflow.wiring import INDEX_POOL

    assert [task.task_id for task in dag_bag.dags[dag_id].tasks if task.pool == INDEX_POOL] == list(task_ids)


def test_ingesting_and_indexing_are_linked_by_assets(dag_bag):
    from clindex_airflow.wiring import INDEX, TRUTH

    assert TRUTH in dag_bag.dags["ingest_trials"].get_task("complete").outlets
    assert TRUTH in dag_bag.dags["ingest_documents"].get_task("complete").outlets
    assert INDEX in dag_bag.dags["index_documents"].get_task("complete").outlets
    assert dag_bag.dags["index_documents"].timetable.asset_condition is not None
    assert dag_bag.dags["reconcile"].timetable.asset_condition is not None


@pytest.mark.parametrize("dag_id", ["ingest_documents", "ingest_fhir", "ingest_trials"])
@pytest.mark.parametrize(("hour", "day"), [(2, 15), (9, 16), (23, 16)])
def test_switching_the_night_on_starts_no_run_before_the_next_night(dag_bag, monkeypatch, hour, day, dag_id):
    """The trigger form switches a DAG on by default; whoever tries it with samples must not mirror the whole registry."""
    from airflow.timetables.base import TimeRestriction
    from airflow.timetables.trigger import CronTriggerTimetable

    dag = dag_bag.dags[dag_id]
    assert dag.start_date is None
    assert dag.is_paused_upon_creation is not False
    switched_on = datetime(2026, 5, 15, hour, 10, tzinfo=UTC)
    monkeypatch.setattr("airflow.timetables.trigger.utcnow", lambda: switched_on)
    mine = dag.timetable
    timetable = CronTriggerTimetable(mine.expression, timezone=mine.timezone, run_immediately=mine.run_immediately)
    restriction = TimeRestriction(earliest=dag.start_date, latest=None, catchup=dag.catchup)
    following = timetable.next_dagrun_info(last_automated_data_interval=None, restriction=restriction)
    assert following.run_after == datetime(2026, 5, day, 2, 15, tzinfo=UTC)


@pytest.mark.parametrize("dag_id", ["index_documents", "reconcile", "reindex"])
def test_what_follows_the_night_is_switched_on(dag_bag, dag_id):
    assert dag_bag.dags[dag_id].is_paused_upon_creation is False


@pytest.mark.parametrize(
    ("dag_id", "params"),
    [
        ("reindex", {"reason": ""}),
        ("reindex", {"dry_run": "yes"}),
        ("ingest_trials", {"limit": 0}),
        ("ingest_trials", {"full": "no"}),
        ("ingest_documents", {"paths": "/one/folder"}),
        ("ingest_documents", {"paths": [""]}),
        ("ingest_documents", {"kind": 1}),
    ],
)
def test_wrong_params_are_refused(dag_bag, dag_id, params):
    from airflow.exceptions import ParamValidationError

    (name, value), *_ = params.items()
    with pytest.raises(ParamValidationError):
        dag_bag.dags[dag_id].params.get_param(name).resolve(value)


@pytest.mark.parametrize("dag_id", dag_ids())
def test_parsing_a_dag_file_imports_nothing_heavy(root, dag_id, airflow_home):
    code = (
        "import sys; sys.path.insert(0, sys.argv[2]); "
        "import runpy; runpy.run_path(sys.argv[1]); "
        f"print([m for m in {HEAVY!r} if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(root / "dags" / f"{dag_id}.py"), str(root / "plugins")], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip().splitlines()[-1] == "[]"
