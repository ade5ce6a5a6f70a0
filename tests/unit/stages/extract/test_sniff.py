"""Media types by content: names lie, and an error page is no document."""

import io
import zipfile

import pytest

from pipeline.domain.errors import RecordError
from pipeline.domain.site_files import DOCX, HTML, JPEG, MARKDOWN, PDF, PNG, RTF, TEXT, TIFF
from pipeline.domain.vocabulary import FailureCategory
from pipeline.stages.extract.sniff import media_type_of

ERROR_PAGE = b"<!DOCTYPE html>\n<html><head><title>404</title></head><body>No such file</body></html>"


def archive(name: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        file.writestr(name, "<x/>")
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("data", "suffix", "expected"),
    [
        (b"%PDF-1.7\n...", ".pdf", PDF),
        (b"junk of a mail gateway\r\n%PDF-1.4\n", ".PDF", PDF),
        (b"%PDF-1.7\n...", ".txt", PDF),
        (b"\x89PNG\r\n\x1a\n....", ".jpg", PNG),
        (b"\xff\xd8\xff\xe0....", ".pdf", JPEG),
        (b"II*\x00....", ".tif", TIFF),
        (b"MM\x00*....", "", TIFF),
        (b"{\\rtf1\\ansi Gait steady.}", ".txt", RTF),
        (archive("word/document.xml"), ".docx", DOCX),
        (ERROR_PAGE, ".html", HTML),
        (b"\xef\xbb\xbf  <html><p>Gait steady.</p>", ".txt", HTML),
        (b"<p>Gait steady.</p>", ".htm", HTML),
        (b"Gait steady. See <html> in the template.", ".txt", TEXT),
        (b"The header %PDF-1.4 marks a PDF.", ".md", MARKDOWN),
        (b"# Gait\n\nSteady.", ".md", MARKDOWN),
    ],
)
def test_content_decides_and_the_name_only_where_content_cannot(data: bytes, suffix: str, expected: str) -> None:
    assert media_type_of(data, suffix) == expected


@pytest.mark.parametrize(
    ("data", "suffix", "category"),
    [
        (ERROR_PAGE, ".pdf", FailureCategory.NOT_A_PDF),
        (b"", ".pdf", FailureCategory.NOT_A_PDF),
        (b"Gait steady.", ".pdf", FailureCategory.NOT_A_PDF),
        (b"x" * 1024 + b"%PDF-1.4", ".pdf", FailureCategory.NOT_A_PDF),
        (ERROR_PAGE, ".png", FailureCategory.NOT_A_PDF),
        (b"", ".txt", FailureCategory.NO_TEXT),
        (b" \n\t\n", ".md", FailureCategory.NO_TEXT),
        (archive("xl/workbook.xml"), ".docx", FailureCategory.UNSUPPORTED_FORMAT),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1....", ".docx", FailureCategory.UNSUPPORTED_FORMAT),
        (b"Gait steady.", ".xyz", FailureCategory.UNSUPPORTED_FORMAT),
    ],
)
def test_what_is_no_document_is_a_named_failure(data: bytes, suffix: str, category: FailureCategory) -> None:
    with pytest.raises(RecordError) as failure:
        media_type_of(data, suffix)
    assert failure.value.category == category


def test_the_failure_does_not_quote_the_file() -> None:
    with pytest.raises(RecordError) as failure:
        media_type_of(b"<html>Marlene Ostrander</html>", ".pdf")
    assert "Ostrander" not in str(failure.value)
