from __future__ import annotations

import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import inspect, select, text

import pipeline.storage.citation_tables
import pipeline.storage.fhir_tables
import pipeline.storage.proof_tables
import pipeline.storage.retrieval_tables
import pipeline.storage.review_tables
import pipeline.storage.study_tables  # noqa: F401
from pipeline.domain.errors import HomeNotInitialisedError
from pipeline.storage.engine import Database
from pipeline.storage.migrations import _config, current_revision, head_revision, require_current, upgrade
from pipeline.storage.tables import METADATA, documents, meta


def _pretend_revision(db: Database, revision: str) -> None:
    with db.begin() as tx:
        tx.execute(text("UPDATE alembic_version SET version_num = :revision"), {"revision": revision})


def test_the_migrations_make_exactly_the_tables_of_the_code(db: Database) -> None:
    with db.read() as tx:
        context = MigrationContext.configure(tx, opts={"compare_type": True, "compare_server_default": True})
        assert compare_metadata(context, METADATA) == []


def test_the_comparison_would_find_a_missing_column(db: Database) -> None:
    with db.begin() as tx:
        tx.execute(text("ALTER TABLE studies DROP COLUMN acronym"))
        assert [change[0] for change in compare_metadata(MigrationContext.configure(tx), METADATA)] == ["add_column"]


def test_a_database_without_a_schema_is_refused_with_what_to_do_and_left_empty(empty_db: Database) -> None:
    with pytest.raises(HomeNotInitialisedError) as refusal:
        require_current(empty_db)
    assert refusal.value.remedy == "run clindex init"
    if empty_db.path is not None:
        assert not empty_db.path.exists()


def test_upgrading_brings_an_empty_database_to_the_codes_schema_and_again_changes_nothing(empty_db: Database) -> None:
    upgrade(empty_db)
    require_current(empty_db)
    with empty_db.begin() as tx:
        tx.execute(meta.insert().values(key="kept", value="1"))
    upgrade(empty_db)
    assert current_revision(empty_db) == head_revision()
    with empty_db.read() as tx:
        assert tx.execute(meta.select()).one().value == "1"


def test_a_schema_behind_the_code_is_refused(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipeline.storage.migrations.head_revision", lambda: "0999")
    with pytest.raises(HomeNotInitialisedError, match="behind") as refusal:
        require_current(db)
    assert "clindex init" in str(refusal.value.remedy)


def test_a_schema_ahead_of_the_code_is_refused_by_check_and_by_upgrade(db: Database) -> None:
    _pretend_revision(db, "9000")
    for attempt in (require_current, upgrade):
        with pytest.raises(HomeNotInitialisedError, match="9000 is unknown to this code") as refusal:
            attempt(db)
        assert "clindex init" not in str(refusal.value.remedy)
    assert current_revision(db) == "9000"


def test_a_migration_that_fails_leaves_nothing_behind(empty_db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("stopped")

    monkeypatch.setattr("alembic.operations.Operations.create_index", fail)
    with pytest.raises(RuntimeError, match="stopped"):
        upgrade(empty_db)
    with empty_db.read() as tx:
        assert inspect(tx).get_table_names() == []
    assert current_revision(empty_db) is None


def test_migrating_needs_no_particular_working_directory(tmp_path: Path) -> None:
    code = (
        "import sys; from pipeline.storage.engine import Database; from pipeline.storage.migrations import upgrade, require_current\n"
        "db = Database.open(sys.argv[1]); upgrade(db); require_current(db)"
    )
    subprocess.run([sys.executable, "-c", code, f"sqlite:///{tmp_path / 'a b' / 'truth.sqlite'}"], cwd=tmp_path, check=True)
    assert (tmp_path / "a b" / "truth.sqlite").exists()


def test_documents_of_the_first_schema_stay_and_have_no_folder(empty_db: Database) -> None:
    empty_db.prepare()
    config = _config()
    with empty_db.begin() as tx:
        config.attributes["connection"] = tx
        command.upgrade(config, "0001")
        tx.execute(
            text(
                "INSERT INTO documents (document_id, source, source_key, kind, title, payload_sha256, content_hash, facets_hash, facets,"
                " updated_at, seen_at) VALUES (:id, 'clinicaltrials.gov', 'NCT90000001', 'trial', 'T', 'p', 'c', 'f', '{}', :now, :now)"
            ),
            {"id": "0" * 32, "now": datetime(2031, 5, 17)},
        )
    upgrade(empty_db)
    with empty_db.read() as tx:
        assert tx.execute(select(documents.c.source_key, documents.c.root)).all() == [("NCT90000001", None)]
