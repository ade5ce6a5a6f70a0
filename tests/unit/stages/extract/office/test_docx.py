"""A Word file is read with everything that it shows, and nothing that was withdrawn."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable

import docx
import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from pipeline.domain.errors import RecordError
from pipeline.domain.marks import MarkKind
from pipeline.domain.reading import ReadFile
from pipeline.stages.extract.office import docx as reader
from pipeline.stages.extract.office.docx import read_docx

NAME = "Quartermain"
W = nsdecls("w")
FOOTNOTES = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes"


def saved(fill: Callable[[docx.document.Document], None]) -> bytes:
    document = docx.Document()
    fill(document)
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def read(fill: Callable[[docx.document.Document], None]) -> ReadFile:
    return read_docx(saved(fill))


def read_xml(body: str) -> ReadFile:
    """Read a document whose body is XML of ours."""

    def fill(document):
        wrapped = parse_xml(
            f'<w:body {W} {nsdecls("wp")} xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">{body}</w:body>'
        )
        for element in list(wrapped):
            document.element.body.insert(len(document.element.body) - 1, element)

    return read(fill)


def marked(file: ReadFile, kind: MarkKind) -> list[tuple[int, str]]:
    return [(mark.level, file.text[mark.start : mark.end]) for mark in file.marks if mark.kind is kind]


def run(text: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def test_headings_paragraphs_and_numbered_items_are_marked():
    def fill(document):
        document.add_heading("Study plan", 1)
        document.add_heading("Dosing", 3)
        document.add_paragraph("Give:")
        for text, style in [("first", "List Number"), ("second", "List Number"), ("inner", "List Bullet 2")]:
            document.add_paragraph(text, style=style)
        document.add_paragraph("After.")

    file = read(fill)
    assert file.text == "Study plan\n\nDosing\n\nGive:\n1. first\n2. second\ninner\n\nAfter."
    assert marked(file, MarkKind.HEADING) == [(1, "Study plan"), (3, "Dosing")]
    assert [text for _, text in marked(file, MarkKind.LIST_ITEM)] == ["1. first", "2. second", "inner"]


def test_headings_that_word_numbers_have_their_number():
    def fill(document):
        numbering = document.part.numbering_part.element
        levels = "".join(
            f'<w:lvl w:ilvl="{level}"><w:start w:val="{start}"/><w:numFmt w:val="{form}"/><w:lvlText w:val="{text}"/></w:lvl>'
            for level, (start, form, text) in enumerate([(5, "decimal", "%1"), (1, "decimal", "%1.%2"), (1, "lowerLetter", "(%3)")])
        )
        numbering.insert(0, parse_xml(f'<w:abstractNum {W} w:abstractNumId="77">{levels}</w:abstractNum>'))
        numbering.append(parse_xml(f'<w:num {W} w:numId="77"><w:abstractNumId w:val="77"/></w:num>'))
        for text, style, level in [
            ("Population", "Heading 1", 0),
            ("Inclusion", "Heading 2", 1),
            ("Adults", "Normal", 2),
            ("Exclusion", "Heading 2", 1),
        ]:
            paragraph = document.add_paragraph(text, style=style)
            properties = paragraph._p.get_or_add_pPr()
            properties.append(parse_xml(f'<w:numPr {W}><w:ilvl w:val="{level}"/><w:numId w:val="77"/></w:numPr>'))

    file = read(fill)
    assert file.text.split("\n\n") == ["5 Population", "5.1 Inclusion", "(a) Adults", "5.2 Exclusion"]


def test_a_table_stands_in_its_place_and_each_row_says_its_columns():
    def fill(document):
        document.add_paragraph("Before.")
        table = document.add_table(3, 3)
        for row, cells in enumerate([("Drug", "Adult", "Child"), ("Epinephrine", "1 mg", ""), ("", "2 mg", "0.01 mg/kg")]):
            for column, text in enumerate(cells):
                table.cell(row, column).paragraphs[0].add_run(text).bold = row == 0
        table.cell(1, 0).merge(table.cell(2, 0))
        document.add_paragraph("After.")

    file = read(fill)
    assert file.text.split("\n") == [
        "Before.",
        "",
        "Drug; Adult; Child",
        "Drug: Epinephrine; Adult: 1 mg",
        "Drug: Epinephrine; Adult: 2 mg; Child: 0.01 mg/kg",
        "",
        "After.",
    ]
    assert len(marked(file, MarkKind.TABLE)) == 1


def test_a_marked_header_row_names_columns_and_a_plain_first_row_does_not():
    row = "<w:tr>{0}<w:tc><w:p>" + run("Drug") + "</w:p></w:tc><w:tc><w:p>" + run("How") + "</w:p></w:tc></w:tr>"
    second = "<w:tr><w:tc><w:p>" + run("Aspirin") + "</w:p></w:tc><w:tc><w:p>" + run("daily") + "</w:p></w:tc></w:tr>"
    header = "<w:trPr><w:tblHeader/></w:trPr>"
    assert read_xml(f"<w:tbl>{row.format(header)}{second}</w:tbl>").text == "Drug; How\nDrug: Aspirin; How: daily"
    assert read_xml(f"<w:tbl>{row.format('')}{second}</w:tbl>").text == "Drug | How\nAspirin | daily"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (f"<w:p>{run('10')}{run('9', '<w:vertAlign w:val=&quot;superscript&quot;/>'.replace('&quot;', chr(34)))}{run('/L')}</w:p>", "10⁹/L"),
        ('<w:p><w:r><w:sym w:font="Symbol" w:char="F0B3"/><w:t>5</w:t></w:r></w:p>', "≥5"),
        ('<w:p><w:r><w:sym w:font="Wingdings" w:char="F0FC"/></w:r></w:p>', "✓"),
        ("<w:p><w:r><w:t>HR</w:t><w:tab/><w:t>72</w:t><w:br/><w:t>next</w:t></w:r></w:p>", "HR\t72\nnext"),
        (f"<w:sdt><w:sdtContent><w:p>{run('in a control')}</w:p></w:sdtContent></w:sdt>", "in a control"),
        (f"<w:p><w:sdt><w:sdtContent>{run('inline')}</w:sdtContent></w:sdt></w:p>", "inline"),
        (f"<w:p>{run('Give ')}<w:ins>{run('250')}</w:ins><w:del><w:r><w:delText>{NAME}</w:delText></w:r></w:del>{run(' mg')}</w:p>", "Give 250 mg"),
        (f"<w:p>{run('a')}<w:moveFrom>{run(NAME)}</w:moveFrom><w:moveTo>{run('b')}</w:moveTo></w:p>", "ab"),
        (f"<w:p>{run('a')}{run(NAME, '<w:vanish/>')}{run(NAME, '<w:strike/>')}{run('b', '<w:vanish w:val=''0''/>'.replace('=0', '=' + chr(34) + '0' + chr(34)))}</w:p>", "ab"),
        (f"<w:p>{run('a')}<w:hyperlink>{run('link')}</w:hyperlink><w:r><w:instrText>{NAME}</w:instrText></w:r></w:p>", "alink"),
    ],
)  # fmt: skip
def test_what_is_shown_is_text_and_what_was_withdrawn_is_not(body: str, text: str):
    assert read_xml(body).text == text


def test_a_text_box_is_read_once_and_after_its_paragraph():
    box = f"<w:txbxContent><w:p>{run('in a box')}</w:p></w:txbxContent>"
    both = f"<mc:AlternateContent><mc:Choice Requires='wps'>{box}</mc:Choice><mc:Fallback>{box}</mc:Fallback></mc:AlternateContent>"
    assert read_xml(f"<w:p>{run('Anchor.')}<w:r>{both}</w:r></w:p>").text == "Anchor.\n\nin a box"
    cell = f"<w:tbl><w:tr><w:tc><w:p>{run('a')}<w:r>{both}</w:r></w:p></w:tc></w:tr></w:tbl>"
    assert read_xml(cell).text == "a in a box"


def test_footnotes_stand_at_the_end():
    note = f'<w:footnote w:id="1"><w:p>{run("Only adults.")}</w:p></w:footnote>'
    separator = f'<w:footnote w:id="0" w:type="separator"><w:p>{run("---")}</w:p></w:footnote>'

    def fill(document):
        from docx.opc.packuri import PackURI
        from docx.opc.part import Part

        document.add_paragraph("Dose.")
        blob = f"<w:footnotes {W}>{separator}{note}</w:footnotes>".encode()
        kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"
        document.part.relate_to(Part(PackURI("/word/footnotes.xml"), kind, blob, document.part.package), FOOTNOTES)

    assert read(fill).text == "Dose.\n\nOnly adults."


def test_headers_and_footers_are_furniture_and_the_title_is_kept_but_never_the_author():
    def fill(document):
        document.core_properties.title = "Protocol VX-1"
        document.core_properties.author = NAME
        document.sections[0].header.paragraphs[0].text = "VX-1, version 2"
        document.sections[0].footer.paragraphs[0].text = "Confidential"
        document.add_paragraph("Text.")

    file = read(fill)
    assert file.text == "Text."
    assert set(file.furniture.split("\n")) == {"VX-1, version 2", "Confidential"}
    assert file.title == "Protocol VX-1"
    assert NAME not in str(file.to_json())


def test_what_is_not_read_is_noticed():
    assert read(lambda document: document.add_comment(document.add_paragraph("x").runs, NAME, NAME)).notices == ("comments_left_out",)
    assert read(lambda document: document.add_paragraph("x")).notices == ()


def other_archive() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("word/document.xml", NAME)
    return out.getvalue()


@pytest.mark.parametrize(
    "data",
    [b"", NAME.encode(), b"PK\x03\x04" + NAME.encode(), saved(lambda document: document.add_paragraph(NAME))[:9000], other_archive()],
)
def test_what_is_no_word_file_fails_by_name_and_is_not_quoted(data: bytes):
    with pytest.raises(RecordError) as refused:
        read_docx(data)
    assert refused.value.category == "damaged_file"
    assert NAME not in str(refused.value)
    assert refused.value.__context__ is None or refused.value.__suppress_context__


def test_what_unpacks_to_more_than_may_be_held_fails_before_it_is_unpacked(monkeypatch: pytest.MonkeyPatch):
    data = saved(lambda document: document.add_paragraph("x" * 2_000_000))
    monkeypatch.setattr(reader, "_MAX_XML", 1_000_000)
    with pytest.raises(RecordError) as refused:
        read_docx(data)
    assert refused.value.category == "read_memory"


def changed(part: str, prolog: str, word: str) -> bytes:
    """A Word file with something before the root of a part and other words in the place of MARK."""

    def fill(document: docx.document.Document) -> None:
        document.add_paragraph("MARK")
        document.sections[0].header.paragraphs[0].text = "MARK"

    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(saved(fill))) as before, zipfile.ZipFile(out, "w") as after:
        for name in before.namelist():
            data = before.read(name)
            if name == part:
                declaration, _, rest = data.partition(b"?>")
                data = declaration + b"?>" + prolog.encode() + rest.replace(b"MARK", word.encode())
            after.writestr(name, data)
    return out.getvalue()


@pytest.mark.parametrize("part", ["word/document.xml", "word/header1.xml"])
@pytest.mark.parametrize(
    "prolog",
    [
        f'<!DOCTYPE b [<!ENTITY a "{NAME * 100}"><!ENTITY b "{"&a;" * 100}">]>',
        '<!DOCTYPE b [<!ENTITY b SYSTEM "file:///etc/hostname">]>',
        '<!-- first --><!DOCTYPE b [<!ENTITY b "Quartermain">]>',
    ],
)
def test_a_document_type_whose_entities_may_hold_text_is_refused_and_not_expanded(part: str, prolog: str):
    with pytest.raises(RecordError) as refused:
        read_docx(changed(part, prolog, "&b;"))
    assert refused.value.category == "damaged_file"
    assert NAME not in str(refused.value)


def test_a_comment_before_the_root_does_no_harm():
    assert read_docx(changed("word/document.xml", "<!-- no DOCTYPE -->", "Rest in bed")).text == "Rest in bed"
