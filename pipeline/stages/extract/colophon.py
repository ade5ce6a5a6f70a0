"""Rows of a page's foot or head that say by themselves that they are furniture: "Effective: 03-01-19 Revised: 02-15-26 Page 1 of 5".

A file of one page has nothing to repeat, and the first page's foot differs from that of the pages after it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

#: Rows between a row that counts pages and the page's lower edge: revised, supersedes, approved, signatures, an address.
_MOST_ROWS: Final = 6
#: Words of a row that counts pages beside what is recognised: a form's number, an agency's name, a file's name.
_MOST_WORDS: Final = 8
_MOST_WORDS_DATED: Final = 3  # "Last Revised: 03-02-21 by the council": a sentence has more
_DATE: Final = r"(?:\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}|\d{1,2}/\d{4}|\d{4}-\d\d-\d\d|(?:\d{1,2} )?[A-Za-z]{3,9}\.? (?:\d{1,2}, ?)?(?:19|20)\d\d|(?:19|20)\d\d|new\b)"
_DATED: Final = re.compile(
    r"(?:(?:last|date) )?\b(?:effective|revised|revision|rev|reviewed|review|supersedes?|supercedes?|issued|approved|implementation)\b\.?(?: date)? ?:? ?"
    + _DATE,
    re.IGNORECASE,
)
_PAGE_OF: Final = re.compile(r"\b(?:page|pg\.?|seite) ?(\d+) ?(?:of|/|von) ?\d+\b", re.IGNORECASE)
_PAGE: Final = re.compile(r"(?:^page (\d+)\b|\bpage (\d+)$)", re.IGNORECASE)
_ASIDE: Final = re.compile(r"\([^()]*\)|[_.·•|–—-]{2,}")


def colophon_rows(rows: Sequence[str], number: int, *, is_top: bool) -> int:
    """Return how many rows, from the edge inwards, are furniture.

    Args:
        rows: Texts of the rows near one edge, the outermost first.
        number: Of the page, 1-based.
        is_top: Whether the edge is the upper one. There nothing but matching rows goes.
    """
    found = 0
    if not is_top:  # signatures stand below the row that counts pages
        found = max((index + 1 for index, row in enumerate(rows[: _MOST_ROWS + 1]) if _counts_pages(row, number)), default=0)
    while found < len(rows) and (
        _counts_pages(rows[found], number) or _names_its_page(rows[found], number, is_top=is_top) or _is_dated(rows[found])
    ):
        found += 1
    return found


def _counts_pages(row: str, number: int) -> bool:
    match = _PAGE_OF.search(row)
    return match is not None and int(match[1][:9]) == number and _rest(row) <= _MOST_WORDS


def _names_its_page(row: str, number: int, *, is_top: bool) -> bool:
    match = None if is_top else _PAGE.search(row.strip())
    return match is not None and int((match[1] or match[2])[:9]) == number and _rest(row) <= _MOST_WORDS


def _is_dated(row: str) -> bool:
    return _DATED.match(row.strip()) is not None and _rest(row) <= _MOST_WORDS_DATED


def _rest(row: str) -> int:
    """Return how many words stand beside dates, page numbers and remarks in brackets."""
    for pattern in (_ASIDE, _DATED, _PAGE_OF, _PAGE):
        row = pattern.sub(" ", row.strip())
    return len(row.split())
