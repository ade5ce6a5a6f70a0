import pytest

from pipeline.domain.marks import Mark, MarkKind
from pipeline.domain.reading import ReadFile
from pipeline.domain.vocabulary import PUBLIC_KINDS, DocumentKind, Provenance
from pipeline.stages.identify import identify
from pipeline.stages.identify.title import MOST_CHARACTERS
from pipeline.testing.identity import reading

PAGE = "Study Protocol\n\nProtocol Title: Wet Socks in Winter\n\nProtocol Number: NVB-301-07\n\nNCT Number: NCT99000011"


@pytest.mark.parametrize("kind", [kind for kind in DocumentKind if kind not in PUBLIC_KINDS])
def test_nothing_leaves_a_clinical_document(kind):
    identity = identify(reading([PAGE]), kind, "/trials/NCT99000189")
    assert identity.kind is kind
    assert identity.title == ""
    assert identity.facts == ()


def test_a_kind_that_is_given_is_a_record():
    identity = identify(ReadFile(text="anything"), DocumentKind.GUIDELINE)
    assert (identity.kind, identity.kind_score, identity.kind_by) == (DocumentKind.GUIDELINE, 1.0, Provenance.RECORD)


def test_a_repr_holds_no_title():
    identity = identify(reading([PAGE]), DocumentKind.PROTOCOL)
    assert identity.title == "Wet Socks in Winter"
    assert "Wet Socks" not in repr(identity)


def test_a_title_by_typography_where_no_label_gives_one():
    text = "Journal of Socks\n\nOn Wet Socks\n\nWe studied socks."
    start = text.index("On Wet")
    read = ReadFile(text=text, marks=(Mark(start, start + 12, MarkKind.TITLE),))
    assert identify(read, DocumentKind.PAPER).title == "On Wet Socks"


def test_lines_of_one_heading_are_one_title_and_authors_are_not():
    lines = ["On Wet Socks in", "Cold Rooms", "A. Example, B. Example", "Abstract"]
    read = reading(["\n\n".join(lines)], headings=lines)
    assert identify(read, DocumentKind.PAPER).title == "On Wet Socks in Cold Rooms"


def test_an_archives_stamp_is_no_title():
    stamp = "arXiv:9901.00001v2 [q-bio.QM] 21 Jun 2021"
    read = reading([f"{stamp}\n\nOn Wet Socks\n\nText."], headings=[stamp])
    assert identify(read, DocumentKind.PAPER).title == "On Wet Socks"


def test_a_title_is_cut_at_a_word():
    title = identify(reading(["Protocol Title: " + "sock " * 200]), DocumentKind.PROTOCOL).title
    assert len(title) <= MOST_CHARACTERS
    assert set(title.split()) == {"sock"}


def test_a_file_without_pages_names_no_page():
    identity = identify(ReadFile(text=PAGE), DocumentKind.PROTOCOL)
    assert len(identity.facts) == 2
    assert all(fact.page is None for fact in identity.facts)


@pytest.mark.parametrize(
    "text",
    [
        "Protocol Number: " * 200_000,
        "A-" * 500_000,
        "A1-" * 300_000,
        "NCT9" * 300_000,
        "Amendment\n" * 100_000,
        "12 " * 400_000,
        "protocol " * 100_000,
        "(" * 1_000_000,
        "SUBJECT: " * 100_000,
        "a phase 3 " * 100_000,
        "X" * 1_000_000,
        " \n" * 500_000,
        "12-year-old, " + "a, " * 300_000,
        "REFERENCE NO. 1" * 60_000,
        "NCT99000011\n" * 50_000,
        "parent study " * 50_000,
    ],
)
def test_hostile_text_ends(text):
    read = ReadFile(text=text, furniture=text[:100_000])
    for kind in (None, DocumentKind.PROTOCOL, DocumentKind.EMS_PROTOCOL):
        identify(read, kind)


def test_rows_of_a_table_go_into_no_title():
    rows = ["Item; Value", "Protocol Number: NVB-301-07", "Season: winter"]
    text = "\n\n".join(["A Randomized Study of Dry Socks in Adults With Cold Feet", "\n".join(rows), "Text."])
    marks = tuple(Mark(text.index(row), text.index(row) + len(row), MarkKind.TABLE_ROW) for row in rows)
    identity = identify(ReadFile(text=text, marks=marks), DocumentKind.PROTOCOL)
    assert identity.title == "A Randomized Study of Dry Socks in Adults With Cold Feet"


def test_a_document_named_only_by_its_kind_has_that_as_its_title_and_no_row_of_a_table():
    text = "Statistical Analysis Plan\n\nSeason; Socks\n\nText of the plan."
    at = text.index("Season")
    marks = (Mark(0, 25, MarkKind.TITLE), Mark(at, at + 13, MarkKind.TABLE_ROW, level=1))
    assert identify(ReadFile(text=text, marks=marks), DocumentKind.STATISTICAL_ANALYSIS_PLAN).title == "Statistical Analysis Plan"
