"""Looks for deleted points in the undo files of repairs, which hold vectors and payloads, and in what was kept for the verifier itself."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pipeline.jobs.certificates.probes.model import Findings, Probe, Subject
from pipeline.wiring import Services

_GZIP: Final = b"\x1f\x8b"
_UUID: Final = re.compile(rb"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
# Lines of an undo file that hold a point; others say that an id was touched, and hold nothing of it.
_POINT: Final = b'"point"'


def probe_undo_files(services: Services, subjects: list[tuple[Subject, Findings]]) -> None:
    """Read every undo file once, those of a repair that was killed included, and look for the subjects' ids in its points."""
    for _, findings in subjects:
        findings.add(Probe.FILES, 0)
    folder = services.settings.reports_folder
    for path in sorted(folder.rglob("undo*")) if folder.is_dir() else []:
        ids: set[bytes] = set()
        for line in _lines(path):
            if _POINT in line:
                ids.update(_UUID.findall(line))
        for subject, findings in subjects:
            gone = {str(one).encode() for one in (*subject.documents, *subject.evidence.point_ids)}
            findings.add(Probe.FILES, 1, (f"{path.name}/{one.decode()}" for one in sorted(ids & gone)))


def probe_kept_vectors(services: Services, subject: Subject, findings: Findings) -> None:
    """Look for the vectors that were kept for the verifier: they must have gone with the certificate."""
    left = sorted(path.name for path in services.settings.home.glob(f"*/{subject.deletion_id}.*"))
    findings.add(Probe.FILES, 1, (f"home/{name}" for name in left))


def _lines(path: Path) -> Iterator[bytes]:
    """Yield lines as far as a file can be read: a repair that was killed leaves one that is cut short."""
    with path.open("rb") as raw:
        packed = raw.read(len(_GZIP)) == _GZIP
    try:
        with gzip.open(path, "rb") if packed else path.open("rb") as file:
            yield from file
    except (EOFError, zlib.error, gzip.BadGzipFile):
        return
