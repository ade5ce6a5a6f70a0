"""A row's cells in, whether it states facts out: "Patient: ... MRN: ..." above a table says whose it is. Facts never name columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_DATED: Final = re.compile(r"[A-Za-z]{2}.*(?:\d{1,2}[/.]\d{1,2}[/.]\d{2,4}|\d{4}-\d\d-\d\d)")
_LABELLED: Final = re.compile(r"([A-Za-z][A-Za-z /.()#&'\-]{0,39}\d?)\s*:\s*(?=\S)(.+)")
_COUNT: Final = re.compile(r"[(\[]?[Nn]\s*=")  # "Placebo: N = 41" names a column
_DIGITS_OF_IDENTIFIER: Final = 4  # fewer are a visit, a dose, a week
_IDENTIFIER: Final = re.compile(r"[A-Za-z]{0,4}[-.]?\d[\dA-Za-z./-]*")
#: Labels that state something of a person, a stay or a specimen, whatever value follows their colon.
_PARTICULARS: Final = (
    r"(?:patient|pt|name|client|subject|resident|mrn|dob|born|birth|sex|gender|age|address|phone|ssn|account|acct|encounter|accession|"
    r"specimen|sample|order|ordered|ordering|collected|received|reported|printed|admitted|discharged|physician|provider|attending|"
    r"ward|room|bed|unit no|record|chart|case|policy|insurance|facility|clinic|location)"
)
_PARTICULAR: Final = re.compile(rf"{_PARTICULARS}\b.*", re.IGNORECASE)
#: Labels of numbers, which forms print without a colon and OCR without it.
_NUMBERED: Final = re.compile(
    r"(?:patient|medical record|mrn|account|acct|encounter|accession|specimen|sample|order|chart|case|record|policy)\b"
    r"(?:\s+(?:id|no|nr|num|number|record|mrn))*[.:#]*\s+(.+)",
    re.IGNORECASE,
)


def states_facts(cells: Sequence[str]) -> bool:
    """Return whether a row's cells (left to right, empty ones left out) state facts: a dated one, an identifier with its label, a person's particulars.

    A label that stands in several cells names columns ("Sex: male", "Sex: female"; "Arm A: ...", "Arm B: ..."). Of labels that are not known,
    every cell must state one, two at least.
    """
    facts = _with_values([" ".join(cell.split()) for cell in cells])
    if any(_DATED.search(fact) or _is_identified(fact) for fact in facts):
        return True
    said = [match for fact in facts if (match := _LABELLED.fullmatch(fact)) and not _COUNT.match(match[2])]
    kinds = {match[1].split()[0].casefold() for match in said}
    if len(kinds) < len(said):
        return False
    return any(_PARTICULAR.fullmatch(match[1]) for match in said) or len(facts) == len(said) > 1


def _with_values(cells: Sequence[str]) -> list[str]:
    """Return cells; a label that ends with a colon is joined to the value that stands in the next cell."""
    joined: list[str] = []
    for cell in cells:
        if joined and joined[-1].endswith(":") and not cell.endswith(":"):
            joined[-1] += f" {cell}"
        else:
            joined.append(cell)
    return joined


def _is_identified(cell: str) -> bool:
    labelled = _LABELLED.fullmatch(cell)
    numbered = _NUMBERED.fullmatch(cell)
    return (labelled is not None and _is_identifier(labelled[2])) or (numbered is not None and _is_identifier(numbered[1]))


def _is_identifier(value: str) -> bool:
    first = value.split()[0]
    return _IDENTIFIER.fullmatch(first) is not None and sum(map(str.isdigit, first)) >= _DIGITS_OF_IDENTIFIER
