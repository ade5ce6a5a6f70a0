"""Which documents of a home the names in judgements mean: NCT ids, document ids, keys of a source, and names or paths of a site's files.

A file's key is a keyed hash of its path, so a path is hashed as the listing hashes it; a bare file name is looked for in the manifests that
landing holds. What a name is not found to mean is said with its reason, never left out in silence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Final
from unicodedata import normalize
from uuid import UUID

from pipeline.domain.errors import RecordError, StoreCorruptError
from pipeline.domain.identifiers import document_id, is_nct_id, keyed_hash
from pipeline.domain.site_files import LandedFile
from pipeline.domain.vocabulary import Source
from pipeline.json_bytes import read_json
from pipeline.storage import document_names
from pipeline.wiring import Services

_KEY: Final = re.compile(r"[0-9a-f]{32}\Z")

ABSENT: Final = "not in this home"
AMBIGUOUS: Final = "several files of this name"
NEEDS_HOME: Final = "only a home can tell what it means"


@dataclass(frozen=True, slots=True)
class Names:
    """What names mean, and which mean nothing here."""

    ids: dict[str, str] = field(default_factory=dict, repr=False)  # name -> document id
    missing: dict[str, str] = field(default_factory=dict, repr=False)  # name -> why


def names_in(services: Services, names: Iterable[str]) -> Names:
    """Return what each name means in a home; a deleted document is not there."""
    wanted = sorted(set(names))
    found, missing = Names(), []
    with services.db.read() as tx:
        by_key = document_names.ids_by_key(tx, [key for name in wanted for key in (name, _file_key(services.secret, name))])
        alive = document_names.living(tx, [UUID(name) for name in wanted if _is_uuid(name)])
    for name in wanted:
        keyed = by_key.get(name) or by_key.get(_file_key(services.secret, name)) or []
        if _is_uuid(name) and UUID(name) in alive:
            found.ids[name] = str(UUID(name))
        elif len(keyed) == 1:
            found.ids[name] = str(keyed[0])
        else:
            missing.append(name)
    _by_file_name(services, missing, found)
    return found


def names_without_home(names: Iterable[str]) -> Names:
    """Return what names mean where only a server is at hand: ids are computed, and whether they exist is the server's to know."""
    found = Names()
    for name in sorted(set(names)):
        if is_nct_id(name):
            found.ids[name] = str(document_id(Source.CLINICALTRIALS_GOV, name))
        elif _is_uuid(name):
            found.ids[name] = str(UUID(name))
        else:
            found.missing[name] = NEEDS_HOME
    return found


def is_harmless(name: str) -> bool:
    """Whether a name can be kept in a file of results: ids and hashes can, a file's name may name a person."""
    return is_nct_id(name) or _is_uuid(name) or _KEY.match(name) is not None


def _by_file_name(services: Services, names: Sequence[str], found: Names) -> None:
    """Look for the rest in the manifests; they are read once, and only where a name may be a file's."""
    files = {name for name in names if not is_harmless(name)}
    paths = _paths(services) if files else {}
    for name in names:
        documents = sorted(document for document, path in paths.items() if name in files and _is_of(path, name))
        if len(documents) == 1:
            found.ids[name] = str(documents[0])
        else:
            found.missing[name] = AMBIGUOUS if documents else ABSENT


def _paths(services: Services) -> dict[UUID, str]:
    with services.db.read() as tx:
        payloads = document_names.payloads_of(tx, Source.DOCUMENTS)
    paths = {}
    for document, payload in payloads.items():
        try:
            paths[document] = LandedFile.of(read_json(services.landing.get(payload))).path
        except (KeyError, ValueError, RecordError, StoreCorruptError):
            continue  # landing has lost it: the audit of landing says so, and the name stays missing here
    return paths


def _is_of(path: str, name: str) -> bool:
    """Whether a file's path ends in these names: ``1410.pdf`` or ``ems/1410.pdf`` of ``public/ems/1410.pdf``."""
    ours, asked = PurePosixPath(path).parts, PurePosixPath(normalize("NFC", name)).parts
    return ours[-len(asked) :] == asked


def _file_key(secret: bytes, name: str) -> str:
    return keyed_hash(secret, "document", normalize("NFC", name))


def _is_uuid(name: str) -> bool:
    try:
        UUID(name)
    except ValueError:
        return False
    return _KEY.match(name) is None  # 32 hex digits without dashes are a key of ours
