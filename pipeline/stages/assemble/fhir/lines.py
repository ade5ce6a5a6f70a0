"""Lines of a rendered resource: "Label: value", none without a value."""

from __future__ import annotations

from collections.abc import Iterable

from pipeline.stages.assemble.fhir.values import items, prose


class Lines:
    """Collects lines in order; the same line twice in a row is one."""

    def __init__(self, *first: str) -> None:
        self._lines: list[str] = []
        self.extend(first)

    def add(self, label: str, value: str) -> None:
        """Add ``Label: value`` where there is a value."""
        self.extend([f"{label}: {value}"] if value else [])

    def each(self, label: str, values: Iterable[str]) -> None:
        """Add a line for each value."""
        for value in values:
            self.add(label, value)

    def notes(self, value: object) -> None:
        """Add the text of Annotations."""
        self.each("Note", (prose(one.get("text")) for one in items(value)))

    def extend(self, lines: Iterable[str]) -> None:
        """Add lines."""
        for line in lines:
            if line and (not self._lines or self._lines[-1] != line):
                self._lines.append(line)

    def __len__(self) -> int:
        return len(self._lines)

    @property
    def text(self) -> str:
        """All lines."""
        return "\n".join(self._lines)
