"""The folder's own name as a last resort: only whole tokens of closed shape, marked as inherited."""

from __future__ import annotations

import re
from typing import Final

from pipeline.domain.vocabulary import DocumentKind, Provenance
from pipeline.stages.identify.facts import Fact, FactScheme
from pipeline.stages.identify.shapes import protocol_number

_NCT: Final = re.compile(r"(?<![A-Za-z0-9])NCT\d{8}(?!\d)")
_NUMBER: Final = re.compile(r"(?<![A-Za-z0-9])(?=[A-Z0-9-]*\d{3})[A-Z0-9]{2,14}(?:-[A-Z0-9]{1,10}){0,3}(?![A-Za-z0-9-])")
_MOST_CHARACTERS: Final = 255


def folder_facts(folder: str, kind: DocumentKind, found: tuple[Fact, ...]) -> tuple[Fact, ...]:
    """Return what the last name of the folder's path says and the document does not. Of a protocol or analysis plan only."""
    if kind not in (DocumentKind.PROTOCOL, DocumentKind.STATISTICAL_ANALYSIS_PLAN):
        return ()
    name = folder.replace("\\", "/").rstrip("/").rpartition("/")[2][:_MOST_CHARACTERS]
    known = {fact.scheme for fact in found if fact.own}
    facts: list[Fact] = []
    registered = _NCT.findall(name)
    if FactScheme.NCT_ID not in known and len(set(registered)) == 1:
        facts.append(Fact(FactScheme.NCT_ID, registered[0], Provenance.INHERITED))
    numbers = [value for raw in _NUMBER.findall(_NCT.sub(" ", name).replace("_", " ")) if (value := protocol_number(raw))]
    if FactScheme.PROTOCOL_NUMBER not in known and len(set(numbers)) == 1:
        facts.append(Fact(FactScheme.PROTOCOL_NUMBER, numbers[0], Provenance.INHERITED))
    return tuple(facts)
