"""Airflow in one process: its environment is set before anything imports it."""

from __future__ import annotations

import copy
import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
AIRFLOW_HOME = tempfile.mkdtemp(prefix="clindex-airflow-")

os.environ.update(
    {
        "AIRFLOW_HOME": AIRFLOW_HOME,
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__CORE__DAGS_FOLDER": str(ROOT / "dags"),
        "AIRFLOW__CORE__PLUGINS_FOLDER": str(ROOT / "plugins"),
        "AIRFLOW__CORE__UNIT_TEST_MODE": "False",
        "AIRFLOW__DAG_PROCESSOR__DAG_BUNDLE_STORAGE_PATH": f"{AIRFLOW_HOME}/bundles",
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{AIRFLOW_HOME}/airflow.db",
        "AIRFLOW__LOGGING__BASE_LOG_FOLDER": f"{AIRFLOW_HOME}/logs",
    }
)
sys.path.insert(0, str(ROOT / "plugins"))


def pytest_unconfigure() -> None:
    """Leave nothing in the temporary folder."""
    shutil.rmtree(AIRFLOW_HOME, ignore_errors=True)


@pytest.fixture(scope="session")
def airflow_home() -> Path:
    """Airflow's own home for the session, with its database made."""
    from airflow.utils.db import initdb

    initdb()
    return Path(AIRFLOW_HOME)


@pytest.fixture(scope="session")
def parsed_dags(airflow_home):
    """All DAGs of the repository, parsed once."""
    from airflow.dag_processing.dagbag import DagBag

    return DagBag()


@pytest.fixture(scope="session")
def declared_params(parsed_dags):
    """The parameters of each DAG as they are declared: ``dag.test(run_conf=...)`` writes into the DAG itself."""
    return {dag_id: copy.deepcopy(dag.params) for dag_id, dag in parsed_dags.dags.items()}


@pytest.fixture
def dag_bag(parsed_dags, declared_params):
    """All DAGs of the repository, whatever tests before gave them as parameters."""
    for dag_id, params in declared_params.items():
        parsed_dags.dags[dag_id].params = copy.deepcopy(params)
    return parsed_dags
