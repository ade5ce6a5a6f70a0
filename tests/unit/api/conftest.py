"""A home that holds documents of every kind, with every label, and keys of every role."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select, update

from pipeline.api.app import create_app
from pipeline.domain.documents import Facets
from pipeline.domain.points import PointFilter
from pipeline.domain.reading import FigureKind, ReadFigure
from pipeline.domain.vocabulary import FILE_KINDS, DocumentKind
from pipeline.index.edge_store import shared_store
from pipeline.jobs.api_keys import create_key
from pipeline.jobs.fhir.ingest import ingest_fhir
from pipeline.jobs.index import run_index
from pipeline.jobs.ingest import ingest
from pipeline.search.access import Role
from pipeline.settings import Settings
from pipeline.stages.sources.documents import DocumentFiles
from pipeline.stages.sources.fhir.folder import FolderFeed
from pipeline.storage.documents import DocumentRow, load_documents
from pipeline.storage.file_rows import FigureRow, replace_figures
from pipeline.storage.tables import documents, index_state
from pipeline.testing.homes import copy_home
from pipeline.wiring import Services, open_services, reader_id

#: Label, department and patient of one document a row, for every kind.
VARIANTS: tuple[dict[str, str], ...] = (
    {},
    {"access": "public", "department": "cardiology", "patient": "one"},
    {"access": "internal", "department": "cardiology", "patient": "one"},
    {"access": "internal", "department": "oncology", "patient": "two"},
    {"access": "restricted", "department": "cardiology", "patient": "two"},
)
PNG = b"\x89PNG of a tracing"
TEXT = "Chest pain with raised troponin. Aspirin 325 mg was given by mouth, then oxygen was started at 4 liters. Case {number}."


@dataclass(frozen=True)
class World:
    """The home's settings, what it holds, and keys by role."""

    settings: Settings
    documents: dict[str, tuple[str, Facets]]
    keys: dict[str, str]

    def ids(self, *kinds: str) -> set[str]:
        return {document for document, (kind, _) in self.documents.items() if not kinds or kind in kinds}

    @property
    def patient(self) -> str | None:
        """Whose documents the key ``patient`` may see."""
        return next(facets.patient for kind, facets in self.documents.values() if kind == "note" and facets.access == "restricted")

    def tokens(self, client: TestClient) -> dict[str, str]:
        """A citation of every document, as the operator was given it."""
        wanted = {"query": "chest pain", "limit": 1000, "mode": "fused"}
        found = client.post("/search", json=wanted, headers=self.header("operator")).json()["hits"]
        return {hit["document_id"]: hit["token"] for hit in found}

    def header(self, role: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.keys[role]}"}


@pytest.fixture(scope="session")
def world(sample_home: Path, models: Path, root: Path, tmp_path_factory: pytest.TempPathFactory) -> World:
    """Read only, but for the log of searches and feedback."""
    folder = tmp_path_factory.mktemp("world")
    copy_home(sample_home, folder / "home")
    settings = Settings(home=folder / "home", models_path=models, requests_per_minute=1_000_000, failed_keys_per_minute=1_000_000)
    with open_services(settings) as services:
        _ingest_files(services, folder / "resources", [DocumentKind.UNKNOWN])
        run_index(services)
        _turn_into_fhir_resources(services)
        _ingest_files(services, folder / "files", FILE_KINDS)
        ingest_fhir(services, FolderFeed([root / "samples" / "fhir"], secret=services.secret), access="internal")
        run_index(services)
        with services.db.read() as tx:
            live = select(index_state.c.document_id).where(index_state.c.live_generation.is_not(None))
            found = load_documents(tx, list(tx.execute(live).scalars()))
        _give_pictures(services, found)
        keys = {name: create_key(services, name="t", role=role, **limits).key for name, (role, limits) in _keys(found).items()}
    return World(settings, {str(key): (row.kind, row.facets) for key, row in found.items()}, keys)


def _give_pictures(services: Services, found: Iterable[UUID]) -> None:
    sha256 = services.landing.put(PNG)
    read = ReadFigure(1, 1, FigureKind.FIGURE, 90, 60, b"", captioned_by="printed")
    with services.db.begin() as tx:
        for document in found:
            replace_figures(tx, document, [FigureRow(read, sha256)])


def _keys(found: Mapping[UUID, DocumentRow]) -> dict[str, tuple[Role, dict[str, list[str]]]]:
    """Role and limits of a key of each role, and of one for each kind of limit."""
    patient = next(row.facets.patient for row in found.values() if row.kind == DocumentKind.NOTE and row.facets.access == "restricted")
    return {
        "public": (Role.PUBLIC, {}),
        "clinical": (Role.CLINICAL, {"labels": ["internal"], "departments": ["cardiology"]}),
        "operator": (Role.OPERATOR, {}),
        "label": (Role.CLINICAL, {"labels": ["internal"]}),
        "department": (Role.CLINICAL, {"departments": ["cardiology"]}),
        "patient": (Role.CLINICAL, {"patients": [str(patient)]}),
    }


def _ingest_files(services: Services, folder: Path, kinds: Iterable[DocumentKind]) -> None:
    folder.mkdir()
    for number, (kind, said) in enumerate(product(kinds, VARIANTS), start=1):
        path = folder / f"{number}.txt"
        path.write_text(TEXT.format(number=number), encoding="utf-8")
        path.with_name(f"{number}.txt.meta.json").write_text(json.dumps({"kind": kind.value, **said}), encoding="utf-8")
    ingest(services, DocumentFiles([folder], services.settings, secret=services.secret, reader_version=reader_id(services.settings)))


def _turn_into_fhir_resources(services: Services) -> None:
    """Call the documents of unknown kind so: one load of resources has one label and no departments."""
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
