"""Writes samples/documents: invented protocols, EMS protocols, a paper and a ward's papers, digital and scanned. Needs the development packages.

Everything is invented: persons, hospitals, agencies, drugs' studies and results. A second run gives the same bytes (the DOCX, whose archive holds the time, apart).
"""

from __future__ import annotations

import io
import json
import random
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import matplotlib
from docx import Document as Docx
from PIL import Image, ImageDraw, ImageFilter, ImageFont
from reportlab import rl_config
from reportlab.lib import colors
from reportlab.lib.pagesizes import letter
from reportlab.lib.styles import ParagraphStyle, getSampleStyleSheet
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    BaseDocTemplate,
    Flowable,
    Frame,
    PageBreak,
    PageTemplate,
    Paragraph,
    Spacer,
    Table,
    TableStyle,
)

ROOT: Final = Path(__file__).resolve().parent.parent
SOURCE: Final = Path(__file__).resolve().parent / "samples"
FONTS: Final = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
MARGIN: Final = 60
SEED: Final = 20260401

Header = Callable[[Canvas, int], None]


def styles() -> dict[str, ParagraphStyle]:
    """Return the paragraph styles of all PDFs, by the mark that a source line begins with."""
    pdfmetrics.registerFont(TTFont("Body", FONTS / "DejaVuSans.ttf"))
    pdfmetrics.registerFont(TTFont("Bold", FONTS / "DejaVuSans-Bold.ttf"))
    pdfmetrics.registerFontFamily("Body", normal="Body", bold="Bold")
    base = getSampleStyleSheet()["BodyText"]

    def style(name: str, **values: Any) -> ParagraphStyle:
        return ParagraphStyle(name, parent=base, **{"fontName": "Body", "fontSize": 9.5, "leading": 13, **values})

    return {
        "#": style("Title", fontName="Bold", fontSize=18, leading=23, spaceAfter=10),
        "##": style("H1", fontName="Bold", fontSize=13, leading=17, spaceBefore=12, spaceAfter=4),
        "###": style("H2", fontName="Bold", fontSize=10.5, leading=14, spaceBefore=8, spaceAfter=3),
        "-": style("Item", leftIndent=16, bulletIndent=4),
        "": style("Body", spaceAfter=5),
    }


def flowables(text: str, known: dict[str, ParagraphStyle], width: float) -> list[Flowable]:
    """Turn a source into what reportlab lays out. ``#`` titles, ``-`` items, ``|`` table rows, ``1.`` too, ``===`` a page's end."""
    made: list[Flowable] = []
    rows: list[list[str]] = []
    paragraph: list[str] = []

    def close() -> None:
        if paragraph:
            made.append(Paragraph(" ".join(paragraph), known[""]))
            paragraph.clear()
        if rows:
            made.append(ruled(rows, known, width))
            made.append(Spacer(0, 6))
            rows.clear()

    for line in text.splitlines():
        mark, _, rest = line.partition(" ")
        if line.startswith("|"):
            rows.append([cell.strip() for cell in line.strip("|").split("|")])
        elif mark in ("#", "##", "###"):
            close()
            made.append(Paragraph(rest, known[mark]))
        elif mark == "-":
            close()
            made.append(Paragraph(rest, known["-"], bulletText="•"))
        elif mark[:-1].isdigit() and mark.endswith("."):
            close()
            made.append(Paragraph(rest, known["-"], bulletText=mark))
        elif line == "===":
            close()
            made.append(PageBreak())
        elif line.strip():
            if rows:
                close()
            paragraph.append(line.strip())
        else:
            close()
    close()
    return made


def ruled(rows: Sequence[Sequence[str]], known: dict[str, ParagraphStyle], width: float) -> Table:
    """Return a ruled table whose first row names the columns and is printed again on each page."""
    cells = [[Paragraph(f"<b>{cell}</b>" if row == 0 else cell, known[""]) for cell in line] for row, line in enumerate(rows)]
    narrow = width / (len(rows[0]) + 1)
    table = Table(cells, colWidths=[2 * narrow, *[narrow] * (len(rows[0]) - 1)], repeatRows=1)
    table.setStyle(
        TableStyle(
            [
                ("GRID", (0, 0), (-1, -1), 0.6, colors.black),
                ("BACKGROUND", (0, 0), (-1, 0), colors.Color(0.9, 0.9, 0.9)),
                ("VALIGN", (0, 0), (-1, -1), "TOP"),
            ]
        )
    )
    return table


def write_pdf(path: Path, text: str, *, header: str, footer: str, title: str, columns: int = 1) -> None:
    """Write a digital PDF with running header and footer."""
    known = styles()
    width, height = letter
    gap = 20
    column = (width - 2 * MARGIN - gap * (columns - 1)) / columns

    def furniture(canvas: Canvas, document: BaseDocTemplate) -> None:
        canvas.setFont("Body", 8)
        canvas.drawString(MARGIN, height - 36, header)
        canvas.drawString(MARGIN, 32, footer)
        canvas.drawRightString(width - MARGIN, 32, f"Page {document.page}")

    frames = [
        Frame(MARGIN + at * (column + gap), MARGIN, column, height - 2 * MARGIN, id=f"c{at}", leftPadding=0, rightPadding=0)
        for at in range(columns)
    ]
    document = BaseDocTemplate(str(path), pagesize=letter, title=title, author="", invariant=1)
    document.addPageTemplates([PageTemplate(id="all", frames=frames, onPage=furniture)])
    document.build(flowables(text, known, column))


def draw_page(text: str, *, dpi: int = 200, size: float = 11, skew: float = 0.0, rotation: int = 0, noise: float = 0.0) -> Image.Image:
    """Draw a typed page as a scanner would give it: grey, a little skewed, noisy, perhaps turned."""
    font = ImageFont.truetype(str(FONTS / "DejaVuSerif.ttf"), round(size * dpi / 72))
    page = Image.new("L", (round(8.5 * dpi), round(11 * dpi)), 255)
    pen = ImageDraw.Draw(page)
    top = round(0.9 * dpi)
    for line in text.splitlines():
        pen.text((round(0.9 * dpi), top), line, font=font, fill=20)
        top += round(size * 1.5 * dpi / 72)
    page = page.rotate(skew, resample=Image.Resampling.BICUBIC, fillcolor=255)
    if noise:
        dice = random.Random(SEED)  # noqa: S311 - speckles, not secrets
        dots = page.load()
        if dots is not None:
            for _ in range(round(page.width * page.height * noise)):
                dots[dice.randrange(page.width), dice.randrange(page.height)] = dice.randrange(120)
        page = page.filter(ImageFilter.GaussianBlur(0.6))
    return page.rotate(rotation, expand=True)


def write_scan(path: Path, pages: Sequence[Image.Image]) -> None:
    """Write pictures of pages as a PDF without a text layer."""
    canvas = Canvas(str(path), pagesize=letter, invariant=1)
    for page in pages:
        data = io.BytesIO()
        page.save(data, "JPEG", quality=55)
        wide = page.width > page.height
        width, height = (letter[1], letter[0]) if wide else letter
        canvas.setPageSize((width, height))
        canvas.drawImage(ImageReader(io.BytesIO(data.getvalue())), 0, 0, width, height)
        canvas.showPage()
    canvas.save()


def write_docx(path: Path, text: str) -> None:
    """Write a DOCX with heading styles."""
    document = Docx()
    for line in text.splitlines():
        mark, _, rest = line.partition(" ")
        if mark in ("#", "##"):
            document.add_heading(rest, level=len(mark))
        elif line.strip():
            document.add_paragraph(line)
    document.core_properties.author = ""
    document.save(str(path))


def write_rtf(path: Path, text: str) -> None:
    """Write an RTF."""
    lines = [line.replace("\\", r"\\").replace("{", r"\{").replace("}", r"\}") for line in text.splitlines()]
    body = "\\par\n".join("".join(char if ord(char) < 128 else f"\\u{ord(char)}?" for char in line) for line in lines)
    path.write_text(r"{\rtf1\ansi\deff0{\fonttbl{\f0 Times New Roman;}}" + "\n" + body + "}", encoding="ascii")


def source(name: str) -> str:
    """Return one of the texts that the documents are made of."""
    return (SOURCE / f"{name}.txt").read_text("utf-8")


def public(folder: Path) -> None:
    """Write protocols, EMS protocols and a paper."""
    for name in ("protocols", "ems", "papers"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    running = "Lumevax Research — VLX-204-301 — Amendment 2"
    write_pdf(
        folder / "protocols" / "vlx-204-301_amendment-2.pdf",
        source("protocol"),
        header=running,
        footer="Confidential — NCT99000501",
        title="A Study of Velaxotinib in Adults With Chronic Gout",
    )
    write_pdf(
        folder / "protocols" / "vlx-204-301_sap.pdf",
        source("sap"),
        header="Statistical Analysis Plan — VLX-204-301",
        footer="Version 1.1",
        title="Statistical Analysis Plan",
    )
    for name, number, title in (
        ("anaphylaxis", "1410", "Anaphylaxis"),
        ("hypoglycemia", "1422", "Hypoglycemia"),
        ("seizure", "1435-P", "Pediatric Seizure"),
        ("arrest", "1402", "Cardiac Arrest"),
        ("chest_pain", "1412", "Chest Pain"),
        ("bronchospasm", "1418", "Bronchospasm"),
        ("altered", "1424", "Altered Mental Status"),
        ("opioid", "1428", "Opioid Overdose"),
        ("thoracostomy", "1446", "Needle Thoracostomy"),
        ("pain", "1450", "Pain Management"),
        ("death", "612", "Determination of Death in the Field"),
    ):
        write_pdf(
            folder / "ems" / f"{number}-{name.replace('_', '-')}.pdf",
            source(f"ems_{name}"),
            header=f"PINEWATER COUNTY EMS      REFERENCE NO. {number}",
            footer="EFFECTIVE: 03-01-19     REVISED: 02-15-26",
            title=title,
        )
    write_pdf(
        folder / "papers" / "urate-lowering-review.pdf",
        source("paper"),
        header="Annals of Invented Rheumatology 12 (2025)",
        footer="doi: not assigned",
        title="Urate-lowering therapy",
        columns=2,
    )
    (folder / "papers" / "gout-guideline.html").write_text(source("guideline"), encoding="utf-8")
    (folder / "manifest.csv").write_text(source("manifest"), encoding="utf-8")


def ward(folder: Path) -> None:
    """Write a ward's papers with their sidecars."""
    folder.mkdir(parents=True, exist_ok=True)
    first, second = source("discharge").split("===\n")
    write_scan(
        folder / "discharge-7731.pdf",
        [draw_page(first, skew=1.4, noise=0.0006), draw_page(second, skew=-0.6, rotation=90)],
    )
    labs = [draw_page(page, dpi=200, noise=0.0003).convert("1") for page in source("labs").split("===\n")]
    labs[0].save(folder / "labs-7731.tiff", save_all=True, append_images=labs[1:], compression="group4", dpi=(200, 200))
    write_docx(folder / "chest-ct-8102.docx", source("chest_ct"))
    write_rtf(folder / "biopsy-8102.rtf", source("biopsy"))
    (folder / "progress-7731.txt").write_text(source("progress"), encoding="utf-8")
    (folder / "telephone-note.txt").write_text(source("telephone"), encoding="utf-8")
    known: dict[str, object] = {"version": 1, "values": {"NAME": ["Odalys Brennick"], "DATE": ["1958-07-19"], "MRN": ["7731-204"]}}
    heart: dict[str, dict[str, object]] = {
        "discharge-7731.pdf": {"kind": "discharge_summary", "date": "2026-02-11", "department": "Cardiology", "author_role": "physician"},
        "labs-7731.tiff": {"kind": "lab_report", "date": "2026-02-09", "department": "Laboratory"},
        "progress-7731.txt": {"kind": "progress_note", "date": "2026-02-10", "department": "Cardiology", "icd_codes": ["I50.23"]},
    }
    for name, said in heart.items():
        write_sidecar(folder / name, {**said, "patient": "7731-204", "access": "restricted", "known_identifiers": known})
    lung: dict[str, dict[str, object]] = {
        "chest-ct-8102.docx": {"kind": "radiology_report", "date": "2026-03-02", "department": "Radiology", "author_role": "radiologist"},
        "biopsy-8102.rtf": {"kind": "pathology_report", "date": "2026-03-05", "department": "Pathology", "author_role": "pathologist"},
    }
    for name, said in lung.items():
        write_sidecar(folder / name, {**said, "patient": "8102-771", "access": "restricted"})


def write_sidecar(path: Path, said: Mapping[str, object]) -> None:
    """Write what the site says of a file."""
    path.with_name(path.name + ".meta.json").write_text(json.dumps(said, indent=2) + "\n", encoding="utf-8")


def main() -> None:
    """Write all of it into the folder that is named, or into samples/documents."""
    rl_config.invariant = 1
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "samples" / "documents"
    public(folder / "public")
    ward(folder / "ward")


if __name__ == "__main__":
    main()
