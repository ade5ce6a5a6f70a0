"""Files with pages whose every corner names an invented patient: text, header, table, form, picture, properties, names. See ``canaries``.

Needs reportlab and matplotlib (for its fonts), which are among the development packages.
"""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any, Final

from pipeline.testing.canaries import ADMISSION, PATIENT, all_canaries

#: What only files say: a sidecar's full date.
ISO_DATE: Final = "2031-03-09"
#: A clinical word of each file, to see that it was read and indexed at all.
WORDS: Final = {
    "pdf": "Clopidogrel 75 mg",
    "scan_pdf": "Rivaroxaban 20 mg",
    "png": "Amiodarone 200 mg",
    "tiff": "Digoxin 125 mcg",
    "docx": "Furosemide 40 mg",
    "rtf": "Warfarin 5 mg",
    "html": "Enoxaparin 60 mg",
    "guideline": "Naloxone 2 mg",
}
_HEADER: Final = "QUARTERMAIN, Zebulon    MRN: 83447106    DOB: 02/17/1952"
_FOOTER: Final = "Thornapple Memorial Hospital    Accession number: S31-0098872"
_TABLE: Final = (
    ("Name", "MRN", "DOB", "Phone", "Potassium"),
    ("Zebulon Quartermain", "83447106", "02/17/1952", "406-555-0177", "4.1 mmol/L"),
    ("Prudence Oddfellow", "83447106", "02/17/1952", "406-555-0178", "3.9 mmol/L"),
)
_KNOWN: Final = {
    "version": 1,
    "values": {"NAME": ["Quartermain, Zebulon", "Oddfellow, Prudence"], "MRN": ["83447106"], "DATE": ["1952-02-17", "2031-03-09"]},
}


def canaries_of_files() -> set[str]:
    """Return every value that must not be found."""
    return all_canaries() | {ISO_DATE}


def write_files(ward: Path) -> None:
    """Write one file of each format that has pages or marks, some with what is known of the patient beside them, some without."""
    folder = ward / "Zebulon Quartermain 83447106"
    folder.mkdir(parents=True)
    said: dict[str, object] = {"kind": "discharge_summary", "patient": "83447106", "author": "Oddfellow, Prudence", "date": ISO_DATE}
    said |= {"title": f"Chart of {PATIENT}", "agency": "Thornapple Memorial", "state": "MT", "protocol_number": "83447106"}
    chart = folder / "QUARTERMAIN chart.pdf"
    chart.write_bytes(chart_pdf())
    _beside(chart, said)
    (folder / "Quartermain chart, nobody says what.pdf").write_bytes(chart_pdf())
    scan = folder / "Quartermain scan.pdf"
    page(WORDS["scan_pdf"]).save(scan, "PDF", resolution=200)
    _beside(scan, {"kind": "note", "patient": "83447106", "known_identifiers": _KNOWN})
    page(WORDS["png"]).save(folder / "Oddfellow photograph.png", dpi=(200, 200))
    pages = [page(WORDS["tiff"]), page(WORDS["tiff"])]
    pages[0].save(folder / "Zebulon fax.tiff", save_all=True, append_images=pages[1:], dpi=(200, 200))
    (folder / "Quartermain letter.docx").write_bytes(letter_docx())
    (folder / "Quartermain letter.rtf").write_text(letter_rtf(), encoding="ascii")
    (folder / "Quartermain page.html").write_text(letter_html(), encoding="utf-8")
    (folder / "guideline.pdf").write_bytes(guideline_pdf())
    (ward / "manifest.csv").write_text(
        "file,kind,patient,author,title\n"
        f"{folder.name}/Zebulon fax.tiff,note,83447106,Prudence Oddfellow,Fax of {PATIENT}\n"
        f"{folder.name}/guideline.pdf,guideline,,Prudence Oddfellow,Naloxone by Dr. Prudence Oddfellow\n",
        encoding="utf-8",
    )


def _beside(file: Path, said: object) -> None:
    file.with_name(f"{file.name}.meta.json").write_text(json.dumps(said), encoding="utf-8")


def chart_pdf() -> bytes:
    """Return a digital chart of three pages: header and footer on each, a ruled table, a figure with its caption, and all that a PDF can hide."""
    from reportlab.lib.pagesizes import letter
    from reportlab.lib.utils import ImageReader
    from reportlab.pdfgen.canvas import Canvas

    data = io.BytesIO()
    canvas = Canvas(data, pagesize=letter, invariant=1)
    canvas.setTitle(f"Discharge summary of {PATIENT}")
    canvas.setAuthor("Prudence Oddfellow")
    canvas.setSubject("MRN 83447106")
    canvas.setKeywords("Quartermain, SSN 529-83-4471")
    for number in (1, 2, 3):
        canvas.setFont("Helvetica", 9)
        canvas.drawString(72, 765, _HEADER)
        canvas.drawString(72, 30, f"{_FOOTER}    Page {number} of 3")
        canvas.setFont("Helvetica", 11)
        if number == 1:
            _lines(canvas, [*ADMISSION.splitlines(), f"{WORDS['pdf']} daily was started."])
        elif number == 2:
            _table(canvas)
        else:
            canvas.drawImage(ImageReader(picture()), 150, 400, 300, 250)
            canvas.drawString(150, 380, f"Figure 1. Wound of {PATIENT}, MRN 83447106, on 02/17/1952.")
            _lines(canvas, ["No pericardial effusion was seen on the echocardiogram."])
            _hidden(canvas)
        canvas.showPage()
    canvas.save()
    return _with_attachment(data.getvalue())


def _lines(canvas: Any, lines: list[str]) -> None:
    for number, line in enumerate(lines):
        canvas.drawString(72, 730 - number * 15, line)


def _table(canvas: Any) -> None:
    canvas.drawString(72, 730, "Laboratory results")
    canvas.setFont("Helvetica", 9)
    for row, cells in enumerate(_TABLE):
        for column, cell in enumerate(cells):
            canvas.rect(72 + column * 98, 690 - row * 22, 98, 22)
            canvas.drawString(75 + column * 98, 697 - row * 22, cell)


def _hidden(canvas: Any) -> None:
    canvas.textAnnotation(f"Ask {PATIENT}, 406-555-0177", Rect=[400, 300, 420, 320])
    canvas.linkURL("https://portal.example.org/zq", (72, 300, 200, 312))
    canvas.acroForm.textfield(name="Quartermain", tooltip=PATIENT, value=f"{PATIENT}, MRN 83447106", x=72, y=200, width=240, height=20)
    text = canvas.beginText(72, 150)
    text.setTextRenderMode(3)  # neither filled nor stroked
    text.textLine(f"Patient: {PATIENT} SSN: 529-83-4471")
    canvas.drawText(text)


def _with_attachment(data: bytes) -> bytes:
    import pypdfium2 as pdfium

    with pdfium.PdfDocument(data) as document:
        document.new_attachment("Quartermain letter.txt").set_data(f"Dear {PATIENT}".encode())
        out = io.BytesIO()
        document.save(out)
    return out.getvalue()


def guideline_pdf() -> bytes:
    """Return a public document that names a person with telephone and e-mail address."""
    from reportlab.lib.pagesizes import letter
    from reportlab.pdfgen.canvas import Canvas

    data = io.BytesIO()
    canvas = Canvas(data, pagesize=letter, invariant=1)
    canvas.setAuthor("Prudence Oddfellow")
    lines = ["Clinical guideline: opioid overdose", "", "Prepared by Dr. Prudence Oddfellow", "Phone: 406-555-0177  Fax: 406-555-0178"]
    _lines(canvas, [*lines, "E-mail: z.quartermain@example.org", "", f"{WORDS['guideline']} is given into the nose."])
    canvas.save()
    return data.getvalue()


def page(word: str) -> Any:
    """Return a page as a scanner at 200 dpi gives it (a Pillow image)."""
    from PIL import Image, ImageDraw, ImageFont

    image = Image.new("L", (1700, 2200), 255)
    font = ImageFont.truetype(str(_fonts() / "DejaVuSans.ttf"), 30)
    for number, line in enumerate([*ADMISSION.splitlines(), f"{word} daily was started."]):
        ImageDraw.Draw(image).text((120, 150 + number * 58), line, font=font, fill=0)
    return image


def picture() -> Any:
    """Return a picture with the patient's name in it, as a stream of PNG."""
    from PIL import Image, ImageDraw, ImageFont

    image = Image.effect_noise((600, 500), 60).convert("RGB")
    font = ImageFont.truetype(str(_fonts() / "DejaVuSans-Bold.ttf"), 40)
    ImageDraw.Draw(image).rectangle((0, 0, 600, 70), fill="white")
    ImageDraw.Draw(image).text((10, 10), PATIENT, font=font, fill="black")
    stream = io.BytesIO()
    image.save(stream, "PNG")
    stream.seek(0)
    return stream


def _fonts() -> Path:
    import matplotlib

    return Path(matplotlib.get_data_path()) / "fonts" / "ttf"


def letter_docx() -> bytes:
    """Return a Word file with properties, header, comment, tracked deletion and text box."""
    import docx
    from docx.oxml import parse_xml
    from docx.oxml.ns import nsdecls

    document = docx.Document()
    document.core_properties.author = "Prudence Oddfellow"
    document.core_properties.title = f"Letter about {PATIENT}"
    document.sections[0].header.paragraphs[0].text = _HEADER
    document.add_heading(f"Letter about {PATIENT}, MRN 83447106", 1)
    for line in ADMISSION.splitlines():
        if line:
            document.add_paragraph(line)
    paragraph = document.add_paragraph(f"{WORDS['docx']} daily was started.")
    document.add_comment(paragraph.runs, text=f"Call {PATIENT}", author="Prudence Oddfellow", initials="PO")
    deleted = f'<w:del {nsdecls("w")} w:author="Oddfellow"><w:r><w:delText>MRN 83447106</w:delText></w:r></w:del>'
    paragraph._p.append(parse_xml(deleted))
    box = (
        f'<w:r {nsdecls("w")}><w:pict><v:shape xmlns:v="urn:schemas-microsoft-com:vml"><v:textbox><w:txbxContent><w:p><w:r>'
        f"<w:t>Patient: {PATIENT}, DOB: 02/17/1952</w:t></w:r></w:p></w:txbxContent></v:textbox></v:shape></w:pict></w:r>"
    )
    paragraph._p.append(parse_xml(box))
    table = document.add_table(rows=len(_TABLE), cols=len(_TABLE[0]))
    for row, cells in enumerate(_TABLE):
        for column, cell in enumerate(cells):
            table.cell(row, column).text = cell
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


def letter_rtf() -> str:
    """Return an RTF file with information about itself and a header."""
    body = r"\par ".join([*ADMISSION.splitlines(), f"{WORDS['rtf']} daily was started."])
    info = rf"{{\info{{\title Letter of {PATIENT}}}{{\author Prudence Oddfellow}}}}"
    return rf"{{\rtf1\ansi{info}{{\header {_HEADER}}}{body}\par}}"


def letter_html() -> str:
    """Return a page with an author, a comment, a hidden element, a script and a table."""
    rows = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>" for cells in _TABLE[1:])
    head = "".join(f"<th>{cell}</th>" for cell in _TABLE[0])
    body = "".join(f"<p>{line}</p>" for line in ADMISSION.splitlines() if line)
    return (
        f'<html><head><title>{PATIENT}</title><meta name="author" content="Prudence Oddfellow"></head><body><!-- {PATIENT} -->'
        f"<h1>Summary of {PATIENT}, MRN 83447106</h1>{body}<p>{WORDS['html']} was given.</p>"
        f'<div style="display:none">SSN 529-83-4471 of {PATIENT}</div><script>var name = "{PATIENT}";</script>'
        f"<table><tr>{head}</tr>{rows}</table></body></html>"
    )


def write_broken_files(ward: Path) -> None:
    """Write files that fail in as many ways as we know, each with a canary in its name and content."""
    from reportlab.lib.pdfencrypt import StandardEncryption
    from reportlab.pdfgen.canvas import Canvas

    whole = chart_pdf()
    data = io.BytesIO()
    canvas = Canvas(data, encrypt=StandardEncryption("Quartermain", canPrint=0))
    canvas.drawString(72, 700, PATIENT)
    canvas.save()
    from PIL import Image

    bomb = io.BytesIO()
    Image.new("1", (40_000, 40_000)).save(bomb, "PNG")
    broken = {
        "locked.pdf": data.getvalue(),
        "cut.pdf": whole[: len(whole) // 3],
        "none.pdf": f"<html>{PATIENT}</html>".encode(),
        "quoting.pdf": f"%PDF-1.4\n1 0 obj <</Type /{PATIENT.replace(' ', '')} /Kids ({PATIENT})>> endobj\ntrailer <</Root 1 0 R>>".encode(),
        "bomb.png": bomb.getvalue(),
        "none.docx": f"PK{PATIENT}".encode(),
        "cut.tiff": f"II*\x00{PATIENT}".encode(),
        "none.rtf": PATIENT.encode(),
        "breaks.html": f"<p>Breaks the reader: {PATIENT}</p>".encode(),
    }
    for name, content in broken.items():
        (ward / f"Quartermain {name}").write_bytes(content)
