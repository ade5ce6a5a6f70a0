"""Lines of a rendered resource: "Label: value", each once and none without a value."""

from __future__ import annotations

from collections.abc import Iterable


class Lines:
    """Collects lines in order."""

    def __init__(self, *first: str) -> None:
        self._lines = [line for line in first if line]

    def add(self, label: str, value: str) -> None:
        """Add ``Label: value`` where there is a value."""
        if value:
            self._lines.append(f"{label}: {value}")

    def say(self, line: str) -> None:
        """Add a line without a label."""
        if line:
            self._lines.append(line)

    def extend(self, lines: Iterable[str]) -> None:
        """Add lines."""
        self._lines += [line for line in lines if line]

    @property
    def text(self) -> str:
        """All lines, a line that repeats the one before it once."""
        return "\n".join(line for index, line in enumerate(self._lines) if index == 0 or line != self._lines[index - 1])
