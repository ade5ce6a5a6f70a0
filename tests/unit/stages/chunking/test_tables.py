"""Tables by whole rows, figures alone; what stands over them is said again."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.domain.chunks import Chunk
from pipeline.domain.marks import Mark, MarkKind
from pipeline.domain.vocabulary import DocumentKind, DropReason, Element
from tests.unit.stages.chunking.conftest import document_chunker, site_document

LABELS = ("Dose step", "Drug C (mg)", "Persons")


def table(rows: Sequence[Sequence[str]], *, start: int, labels: Sequence[str] = LABELS, number: int = 1) -> tuple[str, list[Mark]]:
    """Write a table as readers do, with its marks."""
    lines = [
        "; ".join(labels),
        *("; ".join(f"{label}: {value}" for label, value in zip(labels, row, strict=True) if value) for row in rows),
    ]
    text = "\n".join(lines)
    marks = [Mark(start, start + len(text), MarkKind.TABLE, number)]
    position = start
    for index, line in enumerate(lines):
        level = int(index == 0)
        marks.append(Mark(position, position + len(line), MarkKind.TABLE_ROW, index + 1, level))
        offset = position
        for column, label in enumerate(labels, start=1):
            value = label if level else rows[index - 1][column - 1]
            if value:
                offset += 0 if level else len(label) + 2
                marks.append(Mark(offset, offset + len(value), MarkKind.TABLE_CELL, column, level))
                offset += len(value) + 2
        position += len(line) + 1
    return text, marks


def chunks(text: str, marks: Sequence[Mark], *, window: int = 96, target: int = 60) -> tuple[Chunk, ...]:
    done = document_chunker(window=window, target=target).chunk(site_document(text, title="", marks=marks))
    assert done.loss.unexplained == 0
    assert all(one.token_count <= window for one in done.chunks)
    return done.chunks


ROWS = [(str(number), str(number * 10), str(number + 2)) for number in range(1, 13)]


def test_rows_are_whole_and_the_header_stands_in_them():
    text, marks = table(ROWS, start=0)
    done = chunks(text, marks)
    assert len(done) > 2
    assert [line for one in done for line in one.text.splitlines()] == [
        f"Dose step: {a}; Drug C (mg): {b}; Persons: {c}" for a, b, c in ROWS
    ]
    assert {(one.element, one.element_number) for one in done} == {(Element.TABLE, 1)}


def test_the_header_line_is_accounted_for():
    text, marks = table(ROWS, start=0)
    done = document_chunker().chunk(site_document(text, marks=marks))
    assert (done.loss.unexplained, done.loss.by_reason[DropReason.MARKUP]) == (0, 2)  # the two signs between its labels


def test_a_header_that_no_row_repeats_is_kept():
    text, marks = table([("1", "10", ""), ("2", "20", "")], start=0)
    (only,) = chunks(text, marks)
    assert only.text == text


def test_a_caption_stays_with_its_table_and_is_said_again():
    caption = "Table 4. Doses of the escalation."
    text, marks = table(ROWS, start=len(caption) + 2)
    done = chunks(f"{caption}\n\n{text}\n\nThe doses are given by mouth.", marks)
    assert done[0].text.startswith(f"{caption}\n")
    assert all(one.context == (caption.rstrip("."),) for one in done[1:-1])
    assert (done[-1].text, done[-1].element) == ("The doses are given by mouth.", Element.TEXT)


def test_a_row_over_the_window_is_cut_between_cells_and_keeps_its_name():
    labels = ("Visit", *(f"Assessment {number}" for number in range(20)))
    text, marks = table([("Week 4", *(f"done on day {number}" for number in range(20)))], start=0, labels=labels)
    done = [one for one in chunks(text, marks, window=64) if "done on day" in one.text]
    assert len(done) > 2
    assert all(one.text.split(": ", 1)[1].startswith("Week 4: Assessment") for one in done[1:])
    assert all(one.context == ("Visit: Week 4",) for one in done[1:])
    assert all(one.text.endswith(";") for one in done[:-1])


def test_two_tables_never_share_a_chunk():
    first, marks = table(ROWS[:1], start=0)
    second, more = table(ROWS[1:2], start=len(first) + 2, number=2)
    assert [one.element_number for one in chunks(f"{first}\n\n{second}", [*marks, *more])] == [1, 2]


def test_a_figure_is_one_chunk():
    text = "Before it.\n\nFigure 2. Trial profile. Screened 40. Randomised 30.\n\nAfter it."
    start = text.index("Figure")
    end = text.index("\n\nAfter")
    done = chunks(text, [Mark(start, end, MarkKind.FIGURE, 2)])
    assert [(one.element, one.element_number) for one in done] == [(Element.TEXT, None), (Element.FIGURE, 2), (Element.TEXT, None)]
    assert done[1].text == text[start:end]


def test_a_figure_over_the_window_is_cut_at_sentences():
    text = "Figure 2. Trial profile. " + "Forty patients were screened. " * 20
    done = chunks(text, [Mark(0, len(text), MarkKind.FIGURE, 2)])
    assert len(done) > 1
    assert all(one.element is Element.FIGURE and one.text.endswith(".") for one in done)


def test_rows_written_with_bars_say_their_header_again():
    rows = [f"| {number} | {number * 10} | {number + 2} |" for number in range(1, 20)]
    text = "\n".join(["| Dose step | Drug C (mg) | Persons |", "|---|---|---|", *rows])
    done = chunks(text, [])
    assert len(done) > 1
    assert all(one.context == ("Dose step | Drug C (mg) | Persons",) for one in done[1:])
    assert [line for one in done for line in one.text.splitlines()[-3:]][-1] == rows[-1]
    assert all(row in "\n".join(one.text for one in done) for row in rows)


def test_marked_items_are_not_cut_where_their_text_has_no_mark():
    items = [f"Give {number} mg of the drug. Wait for an hour. Look at the skin." for number in range(1, 9)]
    text = "\n".join(items)
    position = 0
    marks = []
    for item in items:
        marks.append(Mark(position, position + len(item), MarkKind.LIST_ITEM, level=1))
        position += len(item) + 1
    done = document_chunker(window=64).chunk(site_document(text, kind=DocumentKind.NOTE, title="", marks=marks)).chunks
    assert len(done) > 1
    assert [line for one in done for line in one.text.splitlines()] == items
