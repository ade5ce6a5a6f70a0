"""Title pages that we wrote (``tests/golden/identity/*.toml``) as readings, with what identification must say of each."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from pipeline.domain.marks import Mark, MarkKind
from pipeline.domain.reading import ReadFile
from pipeline.domain.vocabulary import DocumentKind


@dataclass(frozen=True, slots=True)
class GoldIdentity:
    """One title page.

    ``facts``: own values by scheme; a scheme that is not named must have none. ``others``: NCT ids of other trials that the text mentions.
    """

    name: str
    read: ReadFile = field(repr=False)
    kind: DocumentKind
    folder: str
    title: str
    facts: dict[str, tuple[str, ...]]
    others: tuple[str, ...]


def reading(pages: list[str], furniture: list[str] | None = None, *, headings: list[str] | None = None) -> ReadFile:
    """Return pages (and their running headers) as a reading with page marks, and heading marks where a line is one of ``headings``."""
    text, marks = _paged([page.strip("\n") + "\n\n" for page in pages])
    for heading in headings or []:
        start = text.index(heading)
        marks.append(Mark(start, start + len(heading), MarkKind.HEADING, level=1))
    running, running_marks = _paged([page.strip("\n") + "\n" for page in furniture or []])
    return ReadFile(text=text, marks=tuple(sorted(marks)), furniture=running, furniture_marks=tuple(running_marks))


def _paged(pages: list[str]) -> tuple[str, list[Mark]]:
    marks: list[Mark] = []
    offset = 0
    for number, page in enumerate(pages, 1):
        marks.append(Mark(offset, offset + len(page), MarkKind.PAGE, number=number))
        offset += len(page)
    return "".join(pages), marks


def load_gold(folder: Path) -> list[GoldIdentity]:
    """Return the title pages of a folder, by name."""
    gold = []
    for path in sorted(folder.glob("*.toml")):
        raw = tomllib.loads(path.read_text("utf-8"))
        expected = raw["expected"]
        gold.append(
            GoldIdentity(
                name=path.stem,
                read=reading(raw["pages"], raw.get("furniture"), headings=raw.get("headings")),
                kind=DocumentKind(raw["kind"]),
                folder=raw.get("folder", ""),
                title=expected["title"],
                facts={
                    scheme: (values,) if isinstance(values, str) else tuple(values) for scheme, values in expected.get("facts", {}).items()
                },
                others=tuple(expected.get("others", ())),
            )
        )
    return gold
