import io
import struct
import zlib

import pytest
from PIL import Image

from bench.ocr.conditions import Condition
from bench.ocr.make import make
from pipeline.domain.errors import RecordError
from pipeline.domain.reading import PageOutcome, ReadOptions
from pipeline.domain.vocabulary import FailureCategory
from pipeline.stages.extract.content import PageContent
from pipeline.stages.extract.ocr.images import read_image_file
from pipeline.stages.extract.ocr.pool import OcrPool


def strip(text: str, dpi: int = 150) -> Image.Image:
    whole = make("line", text, Condition("line", dpi=dpi)).image
    return whole.crop((0, 0, whole.width, whole.height // 6))


def saved(image: Image.Image, kind: str, **of: object) -> bytes:
    held = io.BytesIO()
    image.save(held, kind, **of)
    return held.getvalue()


def read(data: bytes, options: ReadOptions | None = None) -> list[PageContent]:
    return read_image_file(data, options or ReadOptions(), lambda done, of: None)


def text(page: PageContent) -> str:
    return " ".join(line.text for block in page.blocks for line in block.lines)


def test_reads_the_pages_of_a_tiff_in_order_each_with_its_resolution() -> None:
    pages = [
        strip("The first page speaks of oranges", 150),
        Image.new("L", (1275, 275), 255),
        strip("The third page speaks of apples", 200),
    ]
    held = io.BytesIO()
    pages[0].save(held, "TIFF", save_all=True, append_images=pages[1:], dpi=(150, 150))
    seen: list[tuple[int, int]] = []
    found = read_image_file(held.getvalue(), ReadOptions(), lambda done, of: seen.append((done, of)))
    assert [page.number for page in found] == [1, 2, 3]
    assert [page.outcome for page in found] == [PageOutcome.OCR, PageOutcome.BLANK, PageOutcome.OCR]
    assert "oranges" in text(found[0])
    assert "apples" in text(found[2])
    assert seen[-1] == (3, 3)


def test_a_stated_resolution_gives_points() -> None:
    (page,) = read(saved(strip("A line of print"), "PNG", dpi=(150, 150)))
    assert (round(page.width), page.dpi) == (612, 150)


def test_a_fax_of_standard_quality_gets_its_proportions_back() -> None:
    whole = make("line", "A line of print", Condition("line", dpi=204)).image
    half = whole.resize((whole.width, whole.height * 98 // 204), Image.Resampling.BOX)
    (page,) = read(saved(half, "TIFF", dpi=(204, 98)))
    assert (round(page.width), round(page.height), page.dpi) == (612, 792, 204)
    assert text(page) == "A line of print"
    (fine,) = read(saved(whole.resize((whole.width, whole.height * 196 // 204)), "TIFF", dpi=(204, 196)))
    assert fine.height == pytest.approx(792, abs=32)


def test_without_a_likely_resolution_the_image_is_a_sheet() -> None:
    whole = make("line", "A line of print", Condition("line", dpi=150)).image
    (page,) = read(saved(whole, "PNG", dpi=(72, 72)))
    assert page.dpi == pytest.approx(150, abs=5)


def test_a_photo_is_turned_as_its_camera_says() -> None:
    image = strip("The camera was held on its side", 200).rotate(90, expand=True)
    exif = Image.Exif()
    exif[0x0112] = 6  # the top of the scene is on the right: turn clockwise
    (page,) = read(saved(image, "JPEG", exif=exif, dpi=(200, 200)))
    assert "held on its side" in text(page)
    assert page.rotation == 0


@pytest.mark.parametrize("data", [b"", b"no image", b"\x89PNG\r\n\x1a\n", b"II*\x00\x08\x00\x00\x00"])
def test_what_is_no_image_is_a_damaged_file(data: bytes) -> None:
    with pytest.raises(RecordError) as error:
        read(data)
    assert error.value.category == FailureCategory.DAMAGED_FILE


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "TIFF"])
def test_a_truncated_image_is_a_failed_page(kind: str) -> None:
    data = saved(strip("A line that is cut off"), kind)
    found = read(data[: len(data) // 2])
    assert [(page.outcome, page.failure) for page in found] == [(PageOutcome.FAILED, FailureCategory.PAGE_FAILED)]


def test_a_bomb_is_refused_before_it_is_decoded() -> None:
    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", 9000, 9000, 8, 0, 0, 0, 0)
    bomb = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")
    (page,) = read(bomb)
    assert (page.outcome, page.failure) == (PageOutcome.FAILED, FailureCategory.PAGE_TOO_LARGE)


def test_too_many_pages_are_refused() -> None:
    held = io.BytesIO()
    blank = Image.new("L", (100, 100), 255)
    blank.save(held, "TIFF", save_all=True, append_images=[blank, blank])
    with pytest.raises(RecordError) as error:
        read(held.getvalue(), ReadOptions(max_pages=2))
    assert error.value.category == FailureCategory.TOO_MANY_PAGES


def test_the_pool_gives_pages_in_the_order_they_came_in() -> None:
    long, short = strip("A page with print that takes a while to be read"), Image.new("L", (100, 100), 255)
    with OcrPool(ReadOptions(ocr_workers=2)) as pool:
        for number, image in enumerate([long, short, short, long, short, short, short], start=1):
            pool.submit(image, number, width_pt=612, height_pt=100, dpi=150)
        found = [*pool.finished(), *pool.rest()]
        assert pool.rest() == []
    assert [page.number for page in found] == [1, 2, 3, 4, 5, 6, 7]
