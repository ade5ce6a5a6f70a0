"""Pages with tables that we wrote, and what each of their cells says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import matplotlib
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4, landscape
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Paragraph, Table

Rows = tuple[tuple[str, ...], ...]
Style = list[tuple[Any, ...]]

GRID: Final[Style] = [("GRID", (0, 0), (-1, -1), 0.5, colors.black)]
BOLD_HEAD: Final[Style] = [("FONTNAME", (0, 0), (-1, 0), "Helvetica-Bold")]
BOOK_RULES: Final[Style] = [
    ("LINEABOVE", (0, 0), (-1, 0), 1, colors.black),
    ("LINEBELOW", (0, 0), (-1, 0), 0.5, colors.black),
    ("LINEBELOW", (0, -1), (-1, -1), 1, colors.black),
]
PROSE: Final = (
    "Participants are seen in the morning after a fast of eight hours and bring the diary that was handed out at the last visit. ",
    "The coordinator reads the diary with them and enters what was missed; nothing is entered from memory after the visit. ",
)


@dataclass(frozen=True, slots=True)
class Expected:
    """A table as it has to be found."""

    rows: Rows = field(repr=False)
    header_rows: int = 1


@dataclass(frozen=True, slots=True)
class TablePage:
    """A page that we wrote; several where a table goes on."""

    name: str
    pdf: bytes = field(repr=False)
    tables: tuple[Expected, ...]


def table_pages() -> list[TablePage]:
    """Return all of them."""
    return [make() for make in _MAKERS]


def prose_style() -> ParagraphStyle:
    """Return how our paragraphs are set."""
    return ParagraphStyle("prose", fontSize=10, leading=12)


class _Page:
    def __init__(self, name: str, size: tuple[float, float] = A4, *, rotation: int = 0) -> None:
        self.name, self.size, self._bytes = name, size, BytesIO()
        self.canvas = Canvas(self._bytes, pagesize=size, invariant=1)
        if rotation:  # the page is stored upright, shown turned to the right, and written so that it reads upright when shown
            self.canvas = Canvas(self._bytes, pagesize=(size[1], size[0]), invariant=1)
            self.canvas.setPageRotation(rotation)
            self.canvas.translate(size[1], 0)
            self.canvas.rotate(90)
        self.tables: list[Expected] = []

    def table(
        self,
        rows: Sequence[Sequence[Any]],
        style: Style,
        *,
        top: float = 120,
        left: float = 72,
        widths: Sequence[float] | None = None,
        expected: Rows | None = None,
        header_rows: int = 1,
    ) -> _Page:
        made = Table([list(row) for row in rows], colWidths=widths, style=[("FONTSIZE", (0, 0), (-1, -1), 9), *style])
        _, height = made.wrap(self.size[0], self.size[1])
        made.drawOn(self.canvas, left, self.size[1] - top - height)
        self.tables.append(Expected(expected or tuple(tuple(map(str, row)) for row in rows), header_rows))
        return self

    def prose(self, top: float, *, left: float = 72, width: float = 450, times: int = 2) -> _Page:
        made = Paragraph("".join(PROSE) * times, prose_style())
        _, height = made.wrap(width, 700)
        made.drawOn(self.canvas, left, self.size[1] - top - height)
        return self

    def text(self, x: float, top: float, text: str, *, size: float = 10, font: str = "Helvetica") -> _Page:
        self.canvas.setFont(font, size)
        self.canvas.drawString(x, self.size[1] - top, text)
        return self

    def next_page(self) -> _Page:
        self.canvas.showPage()
        return self

    def done(self) -> TablePage:
        self.canvas.showPage()
        self.canvas.save()
        return TablePage(self.name, self._bytes.getvalue(), tuple(self.tables))


def _cell(text: str) -> Paragraph:
    return Paragraph(text, ParagraphStyle("cell", fontSize=9, leading=11))


DOSES: Final[Rows] = (("Dose level", "Drug P (mg)", "N"), ("1", "10", "3"), ("2", "20", "6"), ("-1", "5.0", "3"))
LABS: Final[Rows] = (
    ("Analyte", "Result", "Flag", "Unit", "Reference range"),
    ("Sodium", "139", "", "mmol/L", "135-145"),
    ("Potassium", "5.90", "H", "mmol/L", "3.50-5.10"),
    ("Creatinine", "1.00", "", "mg/dL", "0.60-1.20"),
    ("Haemoglobin", "8.1", "L", "g/dL", "12.0-16.0"),
    ("C-reactive protein", "<5", "", "mg/L", "<10"),
    ("Troponin T", "0.014", "*", "ng/mL", "<0.010"),
)
ARMS: Final[Rows] = (
    ("Characteristic", "Arm A (N=31)", "Arm B (N=29)"),
    ("Age, median (range)", "61 (34-80)", "59 (41-78)"),
    ("Women", "14 (45.2%)", "12 (41.4%)"),
    ("Change in weight, kg", "-2.30", "+0.40"),
)


def _ruled() -> TablePage:
    return _Page("ruled").prose(60).table(DOSES, GRID + BOLD_HEAD, top=160).prose(300).done()


def _ruled_plain_head() -> TablePage:
    return _Page("ruled, head by text over numbers").table(DOSES, GRID).done()


def _unruled() -> TablePage:
    return _Page("unruled").prose(60).table(DOSES, [], top=160).prose(300).done()


def _booktabs() -> TablePage:
    return _Page("rules above, under the head and below").prose(60).table(ARMS, BOOK_RULES, top=160).prose(300).done()


def _zebra() -> TablePage:
    shades: Style = [("BACKGROUND", (0, row), (-1, row), colors.lightgrey) for row in range(2, len(LABS), 2)]
    return _Page("zebra shaded").table(LABS, [*shades, ("BACKGROUND", (0, 0), (-1, 0), colors.lightblue), *BOLD_HEAD]).done()


def _lab_panel() -> TablePage:
    return _Page("lab panel, unruled, flags and ranges").text(72, 100, "Chemistry", font="Helvetica-Bold").table(LABS, []).done()


def _lab_panel_ruled() -> TablePage:
    return _Page("lab panel, ruled").table(LABS, GRID + BOLD_HEAD).done()


def _spanning_heads() -> TablePage:
    rows = (
        ("Visit", "Arm A", "", "Arm B", ""),
        ("", "Dose (mg)", "N", "Dose (mg)", "N"),
        ("Week 1", "10", "3", "5", "4"),
        ("Week 2", "20", "3", "5", "4"),
    )
    spans: Style = [
        ("SPAN", (1, 0), (2, 0)),
        ("SPAN", (3, 0), (4, 0)),
        ("SPAN", (0, 0), (0, 1)),
        ("FONTNAME", (0, 0), (-1, 1), "Helvetica-Bold"),
    ]
    expected = (("Visit", "Arm A", "Arm A", "Arm B", "Arm B"), *rows[1:])
    return _Page("heads over two columns").table(rows, GRID + spans, expected=expected, header_rows=2).done()


def _merged_first_column() -> TablePage:
    rows = (("Cohort", "Day", "Dose (mg)"), ("Adult", "1", "100"), ("", "8", "150"), ("Child", "1", "40"), ("", "8", "60"))
    spans: Style = [("SPAN", (0, 1), (0, 2)), ("SPAN", (0, 3), (0, 4))]
    expected = (rows[0], ("Adult", "1", "100"), ("Adult", "8", "150"), ("Child", "1", "40"), ("Child", "8", "60"))
    return _Page("first column over two rows").table(rows, GRID + BOLD_HEAD + spans, expected=expected).done()


def _merged_value() -> TablePage:
    rows = (
        ("Weight (kg)", "Colour", "Dose"),
        ("4", "Grey", "1 syringe"),
        ("8", "Pink", ""),
        ("12", "Red", "2 syringes"),
        ("16", "Blue", ""),
    )
    spans: Style = [("SPAN", (2, 1), (2, 2)), ("SPAN", (2, 3), (2, 4))]
    expected = (rows[0], rows[1], ("8", "Pink", "1 syringe"), rows[3], ("16", "Blue", "2 syringes"))
    return _Page("a value over two rows").table(rows, GRID + BOLD_HEAD + spans, expected=expected).done()


def _particulars() -> TablePage:
    rows = (
        ("PATIENT Lorna Example", "ADMITTED 03/04/2021"),
        ("BORN 07/08/1951", "LEFT 09/04/2021"),
        ("RECORD 0012345", "WARD 7"),
    )
    return _Page("a patient's particulars").table(rows, GRID + BOLD_HEAD, header_rows=0).done()


def _empty_cells() -> TablePage:
    rows = (("Grade", "First event", "Second event"), ("2", "75%", ""), ("3", "", "50%"), ("4", "Stop", ""))
    return _Page("empty cells").table(rows, GRID + BOLD_HEAD).done()


def _wrapped() -> TablePage:
    rows = (
        ("Event", "What to do", "Dose"),
        ("Rash", "Give an oral antihistamine and see the participant again within two days", "100%"),
        ("Platelets below 50", "Hold until the count has recovered, then go on at the next lower level", "75%"),
    )
    made = [[_cell(text) for text in row] for row in rows]
    return (
        _Page("wrapped cells")
        .table(made, [*GRID, ("BACKGROUND", (0, 0), (-1, 0), colors.lightgrey)], widths=(90, 140, 50), expected=rows)
        .done()
    )


def _wrapped_unruled() -> TablePage:
    rows = (
        ("Event", "What to do", "Dose (%)"),
        ("Rash", "Give an oral antihistamine and see the participant again", "100"),
        ("Nausea", "Give ondansetron before the next infusion and note it", "90"),
        ("Fever", "Hold until the temperature is below 38.0 again", "75"),
    )
    made = [[_cell(text) if column == 1 and number else text for column, text in enumerate(row)] for number, row in enumerate(rows)]
    top: Style = [("VALIGN", (0, 0), (-1, -1), "TOP"), ("BOTTOMPADDING", (0, 0), (-1, -1), 8)]
    return _Page("wrapped cells, unruled").table(made, BOOK_RULES + top, widths=(70, 150, 60), expected=rows).done()


def _rotated() -> TablePage:
    return _Page("rotated page", landscape(A4), rotation=90).table(LABS, GRID + BOLD_HEAD).done()


def _landscape_wide() -> TablePage:
    heads = ("Site", *(f"M{month}" for month in range(1, 12)))
    rows = (heads, *((f"S{site:02d}", *(f"{site * month / 4:.2f}" for month in range(1, 12))) for site in range(1, 7)))
    return _Page("twelve columns, landscape", landscape(A4)).table(rows, GRID + BOLD_HEAD, left=40).done()


def _wide_unruled() -> TablePage:
    heads = ("Site", *(f"M{month}" for month in range(1, 12)))
    rows = (heads, *((f"S{site:02d}", *(f"{site * month / 4:.2f}" for month in range(1, 12))) for site in range(1, 7)))
    return _Page("twelve columns, unruled").table(rows, [], left=40).done()


def _schedule() -> TablePage:
    rows = (
        ("Procedure", "Screening", "Day 1", "Week 4", "Week 8", "Follow-up"),
        ("Informed consent", "X", "", "", "", ""),
        ("Vital signs", "X", "X", "X", "X", "X"),
        ("ECG", "X", "", "X", "", "X"),
        ("Study drug", "", "X", "X", "X", ""),
    )
    return _Page("schedule of activities").table(rows, GRID + BOLD_HEAD + [("ALIGN", (1, 0), (-1, -1), "CENTER")]).done()


def _footnote_marks() -> TablePage:
    rows = (("Outcome", "Drug P*", "Placebo"), ("Response, n (%)", "18 (58)*", "9 (31)"), ("Median, months", "7.4†", "5.1"))
    pdfmetrics.registerFont(TTFont("DejaVu", str(Path(matplotlib.get_data_path()) / "fonts/ttf/DejaVuSans.ttf")))
    style: Style = [("FONTNAME", (0, 0), (-1, -1), "DejaVu"), *BOOK_RULES]
    return _Page("footnote marks").table(rows, style).text(72, 230, "* Two participants were not treated.", size=7).done()


def _signs() -> TablePage:
    rows = (
        ("Analyte", "Limit (µg/L)", "Action"),
        ("Drug Q", "≥ 1.50", "Halve"),
        ("Drug R", "≤ 0.20", "Stop"),
        ("Drug S", "3.0 ± 0.5", "None"),
    )
    pdfmetrics.registerFont(TTFont("DejaVu", str(Path(matplotlib.get_data_path()) / "fonts/ttf/DejaVuSans.ttf")))
    return _Page("signs beside numbers").table(rows, [*GRID, ("FONTNAME", (0, 0), (-1, -1), "DejaVu")]).done()


def _two_tables() -> TablePage:
    return _Page("two tables").table(DOSES, GRID + BOLD_HEAD, top=80).prose(190).table(ARMS, BOOK_RULES, top=300).done()


def _side_by_side() -> TablePage:
    other = (("Weight (kg)", "mL"), ("10", "1.5"), ("20", "3.0"), ("30", "4.5"))
    return _Page("two tables side by side").table(DOSES, GRID + BOLD_HEAD, left=60).table(other, GRID + BOLD_HEAD, left=330).done()


def _beside_text() -> TablePage:
    return _Page("beside text").prose(100, left=60, width=220).table(DOSES, GRID + BOLD_HEAD, left=330, top=110).done()


def _small() -> TablePage:
    return _Page("two by two").prose(60).table((("Sensitivity", "0.91"), ("Specificity", "0.87")), GRID, top=160, header_rows=0).done()


def _rules_between_rows() -> TablePage:
    rows = (
        ("Drug", "Adult", "Child"),
        ("Drug P", "1 mg IV", "0.01 mg/kg IV"),
        ("Drug Q", "10 mg IM", "0.15 mg/kg IM"),
        ("Drug R", "25 g IV", "0.5 g/kg IV"),
    )
    return _Page("rules between rows only").table(rows, [("LINEBELOW", (0, 0), (-1, -1), 0.5, colors.black), *BOLD_HEAD]).done()


def _open_sides() -> TablePage:
    style: Style = [("INNERGRID", (0, 0), (-1, -1), 0.5, colors.black), ("LINEABOVE", (0, 0), (-1, 0), 1, colors.black), *BOLD_HEAD]
    return _Page("open sides").table(LABS, [*style, ("LINEBELOW", (0, -1), (-1, -1), 1, colors.black)]).done()


def _only_uprights() -> TablePage:
    style: Style = [("BOX", (0, 0), (-1, -1), 0.5, colors.black), ("LINEAFTER", (0, 0), (-1, -1), 0.5, colors.black)]
    return _Page("rulings between columns only").table(DOSES, [*style, ("LINEBELOW", (0, 0), (-1, 0), 0.5, colors.black)]).done()


def _vertical_head() -> TablePage:
    made = Table([["", ""], ["1", "3"], ["2", "6"]], colWidths=(40, 40), rowHeights=(70, 18, 18), style=GRID)
    page = _Page("vertical heads")
    _, height = made.wrap(500, 500)
    made.drawOn(page.canvas, 72, page.size[1] - 120 - height)
    for x, text in ((95, "Cohort"), (135, "Group size")):
        page.canvas.saveState()
        page.canvas.translate(x, page.size[1] - 185)
        page.canvas.rotate(90)
        page.canvas.setFont("Helvetica-Bold", 9)
        page.canvas.drawString(0, 0, text)
        page.canvas.restoreState()
    page.tables.append(Expected((("Cohort", "Group size"), ("1", "3"), ("2", "6"))))
    return page.done()


_MAKERS: Final[tuple[Callable[[], TablePage], ...]] = (
    _ruled,
    _ruled_plain_head,
    _unruled,
    _booktabs,
    _zebra,
    _lab_panel,
    _lab_panel_ruled,
    _spanning_heads,
    _merged_first_column,
    _merged_value,
    _particulars,
    _empty_cells,
    _wrapped,
    _wrapped_unruled,
    _rotated,
    _landscape_wide,
    _wide_unruled,
    _schedule,
    _footnote_marks,
    _signs,
    _two_tables,
    _side_by_side,
    _beside_text,
    _small,
    _rules_between_rows,
    _open_sides,
    _only_uprights,
    _vertical_head,
)
