"""A page is read as a browser shows it: its structure as marks, nothing hidden, no number changed by lost typography."""

from __future__ import annotations

import pytest

from pipeline.domain.errors import RecordError
from pipeline.domain.marks import MarkKind
from pipeline.domain.reading import ReadFile
from pipeline.stages.extract.office.html import read_html

NAME = "Quartermain"


def read(body: str) -> ReadFile:
    return read_html(f"<!doctype html><html><head><title>T</title></head><body>{body}</body></html>".encode())


def marked(file: ReadFile, kind: MarkKind) -> list[tuple[int, int, str]]:
    return [(mark.number, mark.level, file.text[mark.start : mark.end]) for mark in file.marks if mark.kind is kind]


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("<p>One\n two</p><p>Three</p>", "One two\n\nThree"),
        ("a<div>b<div>c</div></div>d", "a\n\nb\n\nc\n\nd"),
        ("<p>BP 120/80<br>HR 72<br><br>Next</p>", "BP 120/80\nHR 72\n\nNext"),
        ("<p>5&nbsp;mg &lt; 10 &amp; &ge; &#181;g</p>", "5 mg < 10 & ≥ µg"),
        ("<p>5 <b>mg</b>, <i>b</i>id</p>", "5 mg, bid"),
        ("<p>10<sup>9</sup>/L, m<sup>2</sup>, 10<sup>-3</sup>, CO<sub>2</sub></p>", "10⁹/L, m², 10⁻³, CO2"),
        ("<p>x<sup>st</sup></p>", "xst"),
        ("<pre>a  1\n  b</pre>", "a  1\n  b"),
        ("<p>dose <img alt='&ge; 5 mg' src=x>now</p>", "dose ≥ 5 mg now"),
        ("<p>a<!-- hidden --></p><script>x()</script><style>p{}</style><template>y</template>", "a"),
        ("<p>a<p>b", "a\n\nb"),
    ],
)
def test_text_is_read_as_it_is_shown(body: str, text: str):
    assert read(body).text == text


@pytest.mark.parametrize(
    "hidden",
    [
        f"<p hidden>{NAME}</p>",
        f"<span style='color:red; DISPLAY : none'>{NAME}</span>",
        f"<div style='visibility:hidden'><p>{NAME}</p></div>",
        f"<del>{NAME}</del>",
        f"<s>{NAME}</s>",
    ],
)
def test_what_is_hidden_or_struck_out_is_no_text_and_noticed(hidden: str):
    file = read(f"<p>Give 250 mg{hidden}</p>")
    assert file.text == "Give 250 mg"
    assert file.notices == ("hidden_text",)
    assert read("<p>Give 250 mg</p>").notices == ()


def test_headings_have_levels_and_the_page_its_title():
    file = read("<h1>Chest <b>pain</b></h1><h3>Adult<br>dose</h3><p>x")
    assert marked(file, MarkKind.HEADING) == [(0, 1, "Chest pain"), (0, 3, "Adult dose")]
    assert file.title == "T"


def test_list_items_have_levels_and_printed_numbers():
    file = read("<p>Give:</p><ul><li>one<li>two<ul><li>inner</ul></ul><ol start=3><li>three<li value=7><p>seven</p><li>eight</ol>")
    items = [(1, "one"), (1, "two"), (2, "inner"), (1, "3. three"), (1, "7. seven"), (1, "8. eight")]
    assert [(level, text) for _, level, text in marked(file, MarkKind.LIST_ITEM)] == items
    assert file.text == "Give:\none\ntwo\ninner\n3. three\n7. seven\n8. eight"


TABLE = """<table><caption>Doses</caption>
<tr><th>Drug<th colspan=2>Dose<tr><th><th>Adult<th>Child
<tr><td rowspan=2>Epinephrine<td>1 mg<td>0.01 mg/kg<tr><td>2 mg<td></table>"""


@pytest.mark.parametrize("table", [TABLE, TABLE.replace("<td>", "</td><td>").replace("<tr>", "</tr><tr>")])
def test_each_row_of_a_table_says_its_columns_and_can_be_cited_alone(table: str):
    file = read(table)
    assert file.text.split("\n") == [
        "Doses",
        "",
        "Drug; Dose Adult; Dose Child",
        "Drug: Epinephrine; Dose Adult: 1 mg; Dose Child: 0.01 mg/kg",
        "Drug: Epinephrine; Dose Adult: 2 mg",
    ]
    assert [(number, level) for number, level, _ in marked(file, MarkKind.TABLE_ROW)] == [(1, 1), (2, 0), (3, 0)]
    cells = [(number, text) for number, level, text in marked(file, MarkKind.TABLE_CELL) if not level]
    assert cells == [(1, "Epinephrine"), (2, "1 mg"), (3, "0.01 mg/kg"), (1, "Epinephrine"), (2, "2 mg")]
    ((number, _, whole),) = marked(file, MarkKind.TABLE)
    assert (number, whole) == (1, file.text.partition("\n\n")[2])


def test_a_table_without_names_of_columns_gets_none():
    assert (
        read("<table><tr><td>Aspirin<td>daily<tr><td>Metformin<td>twice daily</table>").text == "Aspirin | daily\nMetformin | twice daily"
    )
    bold = "<table><tr><td><b>Drug</b><td><strong>How</strong><tr><td>Metformin<td>daily</table>"
    assert read(bold).text == "Drug; How\nDrug: Metformin; How: daily"


def test_a_table_in_a_cell_is_flattened_into_it():
    file = read("<table><tr><th>A<th>B<tr><td>1<td>x<table><tr><td>in<td>ner</table>y</table>")
    assert file.text == "A; B\nA: 1; B: x in ner y"
    assert len(marked(file, MarkKind.TABLE)) == 1


def test_a_table_that_arranges_a_page_is_none():
    file = read("<table><tr><td><h2>Left</h2><p>a</p><td>b</table><table><tr><td>only</table>")
    assert file.text == "Left\n\na\n\nb\n\nonly"
    assert not marked(file, MarkKind.TABLE)
    assert marked(file, MarkKind.HEADING) == [(0, 2, "Left")]


@pytest.mark.parametrize(
    "data",
    [
        "<p>Zoë ≥".encode(),
        b"\xef\xbb\xbf" + "<p>Zoë ≥".encode(),
        "\ufeff<p>Zoë ≥".encode("utf-16-le"),
        "\ufeff<p>Zoë ≥".encode("utf-16-be"),
    ],
)
def test_encodings_are_read(data: bytes):
    assert read_html(data).text == "Zoë ≥"


def test_the_stated_encoding_is_used_and_latin_1_means_windows_1252():
    assert read_html(b"<meta charset=iso-8859-1><p>5 \xb5g \x96 10").text == "5 µg – 10"
    assert read_html(b'<meta http-equiv=Content-Type content="text/html; charset=windows-1251"><p>\xe4\xe0').text == "да"


@pytest.mark.parametrize(
    "data",
    [
        f"<p>Zoë {NAME}".encode("latin-1"),  # states none
        b"<meta charset=no-such><p>Quartermain",
        f"<p>Seen by {NAME}".encode("utf-16-le"),
        b"<meta charset=utf-8><p>\xff Quartermain",
    ],
)
def test_another_encoding_than_stated_fails_by_name_and_is_not_quoted(data: bytes):
    with pytest.raises(RecordError) as refused:
        read_html(data)
    assert refused.value.category == "not_utf8"
    assert NAME not in str(refused.value)
    assert refused.value.__context__ is None or refused.value.__suppress_context__


@pytest.mark.parametrize(
    "body",
    ["<div>" * 20_000 + "x", "<b>" * 20_000 + "x", "<table><tr><td>" * 2000 + "x", "<ul><li>" * 2000 + "x", "</div>" * 1000 + "x"],
)
def test_any_depth_is_read(body: str):
    assert read(body).text == "x"


def test_spans_beyond_all_sense_stay_within_bounds():
    file = read("<table><tr><th rowspan=99999 colspan=99999>x<tr><td colspan=-1>a<td rowspan=x>b</table>")
    assert len(file.text) < 10_000


def test_an_empty_page_has_no_text():
    assert read("").text == ""
