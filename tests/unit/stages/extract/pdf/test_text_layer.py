"""PDFs that we write ourselves, with the text that a reader sees in them."""

import io
import random
from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path

import matplotlib
import pypdfium2 as pdfium
import pytest
from reportlab.lib.pagesizes import A4
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

from pipeline.stages.extract.content import BlockKind, PageContent
from pipeline.stages.extract.paragraphs import join_lines
from pipeline.stages.extract.pdf.text_layer import read_text_layer

FONTS = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
LEFT = (
    "The drug is given once a day in the morning with a full glass of water. When a dose is missed by more than six hours it is left out, "
    "and the next one is taken at the usual time. No dose is ever doubled. Blood for pharmacokinetics is drawn before the dose."
)
RIGHT = (
    "Follow-up starts on the day after the last dose and goes on for ninety days. Visits may be held by telephone where the site agrees. "
    "Events that began under treatment are followed until they have resolved or are stable, whatever their grade."
)
THIRD = (
    "Samples are kept at the site at minus eighty degrees until they are shipped on dry ice. A broken cold chain is reported to the monitor "
    "within one working day, and the sample is not analysed. Labels carry no names."
)


@pytest.fixture(scope="module", autouse=True)
def _fonts() -> None:
    pdfmetrics.registerFont(TTFont("DejaVu", str(FONTS / "DejaVuSans.ttf")))


def page_of(draw: Callable[[Canvas], None], *, turn: int = 0) -> PageContent:
    target = io.BytesIO()
    canvas = Canvas(target, pagesize=A4)
    draw(canvas)
    if turn:
        canvas.setPageRotation(turn)
    canvas.save()
    pdf = pdfium.PdfDocument(target.getvalue())
    return read_text_layer(pdf[0], 1)


def paragraphs(content: PageContent) -> list[str]:
    return [join_lines(block.lines).text for block in content.blocks]


def wrapped(text: str, width: float, font: str = "Helvetica", size: float = 10) -> list[str]:
    lines: list[str] = []
    line = ""
    for word in text.split():
        longer = f"{line} {word}".strip()
        if pdfmetrics.stringWidth(longer, font, size) > width:
            lines.append(line)
            line = word
        else:
            line = longer
    return [*lines, line]


def column(canvas: Canvas, text: str, x: float, y: float, width: float, size: float = 10) -> float:
    canvas.setFont("Helvetica", size)
    for line in wrapped(text, width, size=size):
        canvas.drawString(x, y, line)
        y -= size * 1.2
    return y


def test_one_column_with_heading_and_paragraphs() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica-Bold", 14)
        canvas.drawString(60, 780, "5.1 Dosing rules")
        y = column(canvas, LEFT, 60, 755, 470)
        column(canvas, RIGHT, 60, y - 10, 470)

    content = page_of(draw)
    assert paragraphs(content) == ["5.1 Dosing rules", LEFT, RIGHT]
    assert [(block.kind, block.level) for block in content.blocks] == [
        (BlockKind.HEADING, 2),
        (BlockKind.PARAGRAPH, 0),
        (BlockKind.PARAGRAPH, 0),
    ]


def test_two_short_columns_are_read_one_after_the_other() -> None:
    first = ["Entry is open to", "persons over 21 with", "stage II disease."]
    second = ["Entry is closed to", "women who nurse and to", "prior taxane users."]

    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 11)
        for index, (one, other) in enumerate(zip(first, second, strict=True)):
            canvas.drawString(60, 700 - 14 * index, one)
            canvas.drawString(330, 700 - 14 * index, other)

    assert paragraphs(page_of(draw)) == [" ".join(first), " ".join(second)]


@pytest.mark.parametrize("order", ["columns", "rows", "shuffled"])
def test_order_of_drawing_does_not_matter(order: str) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 10)
        pieces = [(60, 700 - 12 * index, line) for index, line in enumerate(wrapped(LEFT, 220))]
        pieces += [(315, 700 - 12 * index, line) for index, line in enumerate(wrapped(RIGHT, 220))]
        if order == "rows":
            pieces.sort(key=lambda piece: (-piece[1], piece[0]))
        if order == "shuffled":
            random.Random(4).shuffle(pieces)
        for x, y, line in pieces:
            canvas.drawString(x, y, line)

    assert paragraphs(page_of(draw)) == [LEFT, RIGHT]


def test_three_columns_between_a_title_and_a_wide_note() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica-Bold", 18)
        canvas.drawCentredString(297, 790, "What a site has to know before its first patient comes")
        ends = [column(canvas, text, x, 755, 150, 9) for text, x in ((LEFT, 50), (RIGHT, 220), (THIRD, 390))]
        canvas.setFont("Helvetica-Bold", 12)
        canvas.drawString(50, min(ends) - 20, "Notes on the whole of the page that go over all three of its columns")
        column(canvas, RIGHT, 50, min(ends) - 40, 490, 9)

    title, note = (
        "What a site has to know before its first patient comes",
        "Notes on the whole of the page that go over all three of its columns",
    )
    assert paragraphs(page_of(draw)) == [title, LEFT, RIGHT, THIRD, note, RIGHT]


def test_two_columns_above_and_below_a_heading_across_both() -> None:
    def draw(canvas: Canvas) -> None:
        end = min(column(canvas, LEFT, 60, 780, 220), column(canvas, RIGHT, 315, 780, 220))
        canvas.setFont("Helvetica-Bold", 14)
        canvas.drawString(60, end - 20, "A heading that is wider than one column of this page")
        column(canvas, THIRD, 60, end - 45, 220)
        column(canvas, LEFT, 315, end - 45, 220)

    assert paragraphs(page_of(draw)) == [LEFT, RIGHT, "A heading that is wider than one column of this page", THIRD, LEFT]


def test_rows_of_a_table_stay_lines() -> None:
    rows = [
        ("Visit", "Day", "Dose (mg)", "Samples"),
        ("Screening", "-14", "0", "haematology"),
        ("Baseline", "1", "25", "haematology"),
        ("Week 2", "15", "50", "none"),
    ]

    def draw(canvas: Canvas) -> None:
        y = column(canvas, LEFT, 60, 780, 470) - 12
        for row in rows:
            for x, cell in zip((60, 200, 300, 420), row, strict=True):
                canvas.drawString(x, y, cell)
            y -= 14
        column(canvas, RIGHT, 60, y - 12, 470)

    assert paragraphs(page_of(draw)) == [LEFT, *(" ".join(row) for row in rows), RIGHT]


def test_rows_of_sentences_in_two_columns_stay_rows() -> None:
    rows = [
        ("To compare survival of both arms", "Time from randomisation to death of any cause"),
        ("To describe safety of the mix", "Adverse events by grade and by their relation"),
        ("To compare quality of life", "Change of the total score from the first visit"),
        ("To look at costs of the care", "Days in hospital over the first whole year"),
    ]

    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 10)
        y = 700.0
        for one, other in rows:
            for x, text, width in ((60, one, 90), (300, other, 120)):
                for index, line in enumerate(wrapped(text, width)):
                    canvas.drawString(x, y - 12 * index, line)
            y -= 48

    text = " ".join(paragraphs(page_of(draw)))
    found = [sorted(text.index(word) for word in f"{one} {other}".split() if text.count(word) == 1) for one, other in rows]
    assert found == sorted(found)
    assert all(above[-1] < below[0] for above, below in pairwise(found))


def test_words_broken_over_lines_are_whole_and_counted() -> None:
    lines = [
        "Progression was confir-",
        "med in all of the Gd-",
        "enhancing lesions at 10-",
        "20 weeks of treat\u00ad",
        "ment in both arms.",
    ]

    def draw(canvas: Canvas) -> None:
        canvas.setFont("DejaVu", 10)
        for index, line in enumerate(lines):
            canvas.drawString(60, 700 - 12 * index, line)

    content = page_of(draw)
    assert paragraphs(content) == ["Progression was confirmed in all of the Gd-enhancing lesions at 10-20 weeks of treatment in both arms."]
    assert content.characters == len("".join(lines).replace(" ", ""))


def test_signs_of_the_symbol_font() -> None:
    def draw(canvas: Canvas) -> None:
        x = 60.0
        for font, text in (
            ("Helvetica", "ANC "),
            ("Symbol", "\u2265"),
            ("Helvetica", " 1.5, 5 "),
            ("Symbol", "\u00b5"),
            ("Helvetica", "g, 3 "),
        ):
            canvas.setFont(font, 12)
            canvas.drawString(x, 700, text)
            x += pdfmetrics.stringWidth(text, font, 12)
        for sign in ("\u00b1", "\u2264", "\u00d7"):
            canvas.setFont("Symbol", 12)
            canvas.drawString(x, 700, sign)
            x += 18
        canvas.setFont("DejaVu", 12)
        canvas.drawString(60, 660, "see note \u2021, 38.5 \u00b0C, 10\u2079/L")

    assert paragraphs(page_of(draw)) == ["ANC ≥ 1.5, 5 µg, 3 ± ≤ ×", "see note ‡, 38.5 °C, 10⁹/L"]


def raised(canvas: Canvas, x: float, y: float, parts: Iterable[tuple[str, float]]) -> None:
    """Draw parts one after the other; a rise other than 0 is set small."""
    for text, rise in parts:
        size = 7 if rise else 11
        canvas.setFont("Helvetica", size)
        canvas.drawString(x, y + rise, text)
        x += pdfmetrics.stringWidth(text, "Helvetica", size)


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ([("Platelets >= 75 x 10", 0), ("9", 4), ("/L", 0)], "Platelets >= 75 x 10^9/L"),
        ([("a total of 5", 0), ("a", 4), (" patients", 0)], "a total of 5^a patients"),
        ([("H", 0), ("2", -2), ("O and CO", 0), ("2", -2)], "H2O and CO2"),
        ([("on the 20", 0), ("th", 4), (" day", 0)], "on the 20th day"),
        ([("at 37 ", 0), ("o", 4), ("C overnight", 0)], "at 37 °C overnight"),
        ([("rate 10", 0), ("-3", 4), (" per day", 0)], "rate 10^-3 per day"),
        ([("by 12*", 0), (" of 20", 0)], "by 12* of 20"),
    ],
)
def test_superscripts_and_subscripts(parts: list[tuple[str, float]], expected: str) -> None:
    assert paragraphs(page_of(lambda canvas: raised(canvas, 60, 700, parts))) == [expected]


def test_ligatures_are_spelled_out_and_no_other_sign_is_folded() -> None:
    text = "\ufb01brosis, re\ufb02ux, e\ufb00ective, su\ufb03cient, Af\ufb01nitor, 10\u2079, \u00bd, \u00b2"

    def draw(canvas: Canvas) -> None:
        canvas.setFont("DejaVu", 12)
        canvas.drawString(60, 700, text)

    content = page_of(draw)
    assert paragraphs(content) == ["fibrosis, reflux, effective, sufficient, Affinitor, 10⁹, ½, ²"]
    assert content.characters == len("fibrosis,reflux,effective,sufficient,Affinitor,10⁹,½,²")


@pytest.mark.parametrize("shift", [0.0, 0.3, 0.6])
def test_letters_drawn_twice_are_read_once(shift: float) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 12)
        canvas.drawString(60, 700, "Billing follows all weekly calls")
        for index, word in enumerate(("Billing ", "follows ", "all ", "weekly ", "calls")):
            x = 60 + pdfmetrics.stringWidth("".join(("Billing ", "follows ", "all ", "weekly ", "calls")[:index]), "Helvetica", 12)
            canvas.drawString(x + shift, 700, word)

    content = page_of(draw)
    assert paragraphs(content) == ["Billing follows all weekly calls"]
    assert content.characters - content.dropped == len("Billingfollowsallweeklycalls")


def test_letters_set_apart_are_one_word() -> None:
    def draw(canvas: Canvas) -> None:
        text = canvas.beginText(60, 700)
        text.setFont("Helvetica", 12)
        text.setCharSpace(4)
        text.textLine("STUDY SYNOPSIS")
        canvas.drawText(text)

    assert paragraphs(page_of(draw)) == ["STUDY SYNOPSIS"]


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_turned_pages_read_upright_with_places_as_displayed(turn: int) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.translate(297, 421)
        canvas.rotate(turn)
        canvas.setFont("Helvetica", 12)
        canvas.drawString(-150, 60, "The first line of the page")
        canvas.drawString(-150, -60, "The last line of the page")

    content = page_of(draw, turn=turn)
    assert paragraphs(content) == ["The first line of the page", "The last line of the page"]
    assert content.rotation == 0
    first, last = content.blocks[0].box, content.blocks[1].box
    assert first.bottom < last.top
    assert first.x0 == pytest.approx(last.x0, abs=1)
    assert 0 < first.x0 < first.x1 < content.width
    assert 0 < first.top < last.bottom < content.height


@pytest.mark.parametrize(("angle", "rotation"), [(90, 90), (180, 180), (270, 270)])
def test_text_drawn_sideways_is_read(angle: int, rotation: int) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.translate(297, 421)
        canvas.rotate(angle)
        column(canvas, LEFT, -200, 100, 400)

    content = page_of(draw)
    assert paragraphs(content) == [LEFT]
    assert content.rotation == rotation
    assert content.blocks[0].lines[0].box.width < content.blocks[0].lines[0].box.height or angle == 180


def test_vertical_heads_of_a_table_are_not_reversed() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 10)
        for x, head in ((120, "Cohort number"), (160, "Cohort width")):
            canvas.saveState()
            canvas.translate(x, 600)
            canvas.rotate(90)
            canvas.drawString(0, 0, head)
            canvas.restoreState()
        for index, row in enumerate((("1", "4"), ("2", "8"))):
            canvas.drawString(114, 580 - 16 * index, row[0])
            canvas.drawString(154, 580 - 16 * index, row[1])
        column(canvas, LEFT, 60, 500, 470)

    text = paragraphs(page_of(draw))
    assert text[0] == "Cohort number Cohort width"
    assert text[-1] == LEFT


def test_a_stamp_in_the_margin_comes_last() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.saveState()
        canvas.translate(25, 500)
        canvas.rotate(90)
        canvas.setFont("Helvetica", 16)
        canvas.drawString(0, 0, "Stamped copy 7")
        canvas.restoreState()
        column(canvas, LEFT, 60, 700, 470)

    assert paragraphs(page_of(draw)) == [LEFT, "Stamped copy 7"]


def test_list_items_with_their_nesting() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setFont("DejaVu", 10)
        lines = [(60, "\u2022", 75, "Fever above 38.5 degrees on two days in a row, measured"), (75, "", 75, "under the arm")]
        lines += [(80, "\u25aa", 95, "by day"), (80, "\u25aa", 95, "by night"), (60, "\u2022", 75, "Rash")]
        for index, (x, bullet, text_x, text) in enumerate(lines):
            canvas.drawString(x, 700 - 13 * index, bullet)
            canvas.drawString(text_x, 700 - 13 * index, text)

    content = page_of(draw)
    assert [(block.kind, block.level) for block in content.blocks] == [
        (BlockKind.LIST_ITEM, 1),
        (BlockKind.LIST_ITEM, 2),
        (BlockKind.LIST_ITEM, 2),
        (BlockKind.LIST_ITEM, 1),
    ]
    assert paragraphs(content)[0] == "• Fever above 38.5 degrees on two days in a row, measured under the arm"


def test_entries_of_a_table_of_contents_are_lines_and_no_headings() -> None:
    entries = [
        "1 Background ........................ 7",
        "1.1 Earlier work .................... 9",
        "2 Aims .............................. 12",
    ]

    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 10)
        for index, entry in enumerate(entries):
            canvas.drawString(60, 700 - 12 * index, entry)

    content = page_of(draw)
    assert paragraphs(content) == entries
    assert all(block.kind is not BlockKind.HEADING for block in content.blocks)


def test_a_numbered_sentence_is_no_heading() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 10)
        canvas.drawString(60, 700, "1. Give oxygen by mask and keep the airway open until help has come.")
        canvas.drawString(60, 686, "2. Call for help.")

    assert [block.kind for block in page_of(draw).blocks] == [BlockKind.LIST_ITEM, BlockKind.LIST_ITEM]


def test_running_head_and_foot_stay_apart_from_the_text() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 8)
        canvas.drawString(60, 810, "Protocol QX-17, version 3")
        canvas.drawRightString(535, 30, "Page 4 of 90")
        column(canvas, LEFT, 60, 760, 470)

    assert paragraphs(page_of(draw)) == ["Protocol QX-17, version 3", LEFT, "Page 4 of 90"]


def test_a_page_without_text_has_no_blocks() -> None:
    content = page_of(lambda canvas: canvas.rect(100, 100, 50, 50))
    assert content.blocks == ()
    assert content.characters == 0


def test_words_lie_where_they_are_drawn() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 10)
        canvas.drawString(60, 700, "dose level")

    word = page_of(draw).blocks[0].lines[0].words[1]
    start = 60 + pdfmetrics.stringWidth("dose ", "Helvetica", 10)
    assert word.text == "level"
    assert word.box.x0 == pytest.approx(start, abs=0.5)
    assert word.box.x1 == pytest.approx(start + pdfmetrics.stringWidth("level", "Helvetica", 10), abs=0.5)
    assert word.box.top < A4[1] - 700 - 6 < A4[1] - 700 <= word.box.bottom


def read_raw(content: bytes, fonts: list[bytes]) -> PageContent:
    """Read a page whose content stream and font objects (from number 5 on; 5 is /F1) are written by hand."""
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        stream(content),
        *fonts,
    ]
    data = (
        b"%PDF-1.4\n"
        + b"".join(b"%d 0 obj%s endobj\n" % (number, one) for number, one in enumerate(objects, 1))
        + b"trailer<</Root 1 0 R>>"
    )
    return read_text_layer(pdfium.PdfDocument(data)[0], 1)


def stream(content: bytes) -> bytes:
    return b"<</Length %d>>stream\n%s\nendstream" % (len(content), content)


def mapping(size: int, pairs: dict[int, str]) -> bytes:
    """Return a ToUnicode map from codes of ``size`` bytes."""
    rows = " ".join(f"<{code:0{2 * size}X}><{text.encode('utf-16-be').hex()}>" for code, text in pairs.items())
    head = "/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange"
    return stream(f"{head} <{'00' * size}><{'FF' * size}> endcodespacerange {len(pairs)} beginbfchar {rows} endbfchar endcmap".encode())


def test_vertical_writing_is_read_downwards_from_the_right() -> None:
    first, second = "毎日一回服用", "副作用報告例"
    signs = dict(enumerate(first + second, 41))
    codes = ["".join(f"{start + index:04X}" for index in range(6)).encode() for start in (41, 47)]
    font = (FONTS / "DejaVuSans.ttf").read_bytes()  # its shapes do not matter: the map says what they mean
    fonts = [
        b"<</Type/Font/Subtype/Type0/BaseFont/Mincho/Encoding/Identity-V/DescendantFonts[7 0 R]/ToUnicode 6 0 R>>",
        mapping(2, signs),
        b"<</Type/Font/Subtype/CIDFontType2/BaseFont/Mincho/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>/DW 1000"
        b"/FontDescriptor 8 0 R/CIDToGIDMap/Identity>>",
        b"<</Type/FontDescriptor/FontName/Mincho/Flags 4/FontBBox[0 -200 1000 900]/ItalicAngle 0/Ascent 880/Descent -120/StemV 80/FontFile2 9 0 R>>",
        stream(font),
    ]
    content = read_raw(b"BT /F1 12 Tf 480 700 Td <%s> Tj 20 0 Td <%s> Tj ET" % (codes[1], codes[0]), fonts)
    lines = [line for block in content.blocks for line in block.lines]
    assert [line.text for line in lines] == [first, second]
    assert all(line.box.height > line.box.width for line in lines)


def test_signs_beyond_sixteen_bits_are_whole() -> None:
    fonts = [b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 6 0 R>>", mapping(1, {65: "\U0001d44c"})]
    content = read_raw(b"BT /F1 12 Tf 60 700 Td (A = 3) Tj ET", fonts)
    assert paragraphs(content)[0].startswith("\U0001d44c")
