"""A home that holds documents of every kind, with every label, and keys of every role."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select, update

from pipeline.api.app import create_app
from pipeline.domain.documents import Facets
from pipeline.domain.points import PointFilter
from pipeline.domain.vocabulary import FILE_KINDS, DocumentKind
from pipeline.index.edge_store import shared_store
from pipeline.jobs.api_keys import create_key
from pipeline.jobs.index import run_index
from pipeline.jobs.ingest import ingest
from pipeline.search.access import Role
from pipeline.settings import Settings
from pipeline.stages.sources.documents import DocumentFiles
from pipeline.storage.documents import load_documents
from pipeline.storage.tables import documents
from pipeline.testing.homes import copy_home
from pipeline.wiring import open_services, reader_id

#: Label, department and patient of one document a row, for every kind.
VARIANTS: tuple[dict[str, str], ...] = (
    {},
    {"access": "public", "department": "cardiology", "patient": "one"},
    {"access": "internal", "department": "cardiology", "patient": "one"},
    {"access": "internal", "department": "oncology", "patient": "two"},
    {"access": "restricted", "department": "cardiology", "patient": "two"},
)
TEXT = "Chest pain with raised troponin. Aspirin 325 mg was given by mouth, then oxygen was started at 4 liters. Case {number}."


@dataclass(frozen=True)
class World:
    """The home's settings, what it holds, and keys by role."""

    settings: Settings
    documents: dict[str, tuple[str, Facets]]
    keys: dict[str, str]

    def ids(self, *kinds: str) -> set[str]:
        return {document for document, (kind, _) in self.documents.items() if not kinds or kind in kinds}

    def header(self, role: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.keys[role]}"}


@pytest.fixture(scope="session")
def world(sample_home: Path, models: Path, tmp_path_factory: pytest.TempPathFactory) -> World:
    """Read only, but for the log of searches and feedback."""
    folder = tmp_path_factory.mktemp("world")
    copy_home(sample_home, folder / "home")
    settings = Settings(home=folder / "home", models_path=models)
    _write_files(folder / "files")
    with open_services(settings) as services:
        ingest(services, DocumentFiles([folder / "files"], settings, secret=services.secret, reader_version=reader_id(settings)))
        run_index(services)
        _turn_into_fhir_resources(services)
        with services.db.read() as tx:
            found = load_documents(tx, list(tx.execute(select(documents.c.document_id)).scalars()))
        clinical = {"labels": ["internal"], "departments": ["cardiology"]}
        keys = {role.value: create_key(services, name="t", role=role, **(clinical if role is Role.CLINICAL else {})).key for role in Role}
    return World(settings, {str(key): (row.kind, row.facets) for key, row in found.items()}, keys)


def _write_files(folder: Path) -> None:
    folder.mkdir()
    number = 0
    for kind in FILE_KINDS:
        for said in VARIANTS:
            number += 1
            path = folder / f"{number}.txt"
            path.write_text(TEXT.format(number=number), encoding="utf-8")
            path.with_name(f"{number}.txt.meta.json").write_text(json.dumps({"kind": kind.value, **said}), encoding="utf-8")


def _turn_into_fhir_resources(services: Any) -> None:
    """Call the documents of unknown kind so: no source brings the kind yet."""
    kind = DocumentKind.FHIR_RESOURCE.value
    with services.db.begin() as tx:
        tx.execute(update(documents).where(documents.c.kind == DocumentKind.UNKNOWN.value).values(kind=kind))
    with services.index.session() as index:
        points = list(index.scan(PointFilter(kinds=(DocumentKind.UNKNOWN.value,))))
        index.set_payload([(point.id, {**point.payload, "kind": kind}) for point in points if isinstance(point.id, UUID)])


@pytest.fixture(scope="session")
def served(world: World) -> Iterator[TestClient]:
    """The world, served."""
    with TestClient(create_app(world.settings), base_url="http://localhost", raise_server_exceptions=False) as client:
        yield client
    shared_store(world.settings.index_folder, world.settings.collection).stop_lingering()
