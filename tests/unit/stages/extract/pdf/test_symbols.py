import pytest

from pipeline.stages.extract.pdf.symbols import UNREADABLE, readable


@pytest.mark.parametrize(
    ("code", "font", "expected"),
    [
        (0xF0B3, "ABCDEF+Symbol", "≥"),
        (0xF0A3, "symbolmt", "≤"),
        (0xF06D, "symbol", "µ"),
        (0xF061, "symbol", "α"),
        (0xF0B1, "timesnewroman", "±"),
        (0xF0B4, "symbol", "×"),
        (0xF03C, "symbol", "<"),
        (0xF0B7, "symbol", "•"),
        (0xF0E4, "symbolmt", "™"),
        (0xF8EF, "symbolmt", "⎢"),
        (0xF0A7, "wingdings-regular", "▪"),
        (0xF0A8, "wingdings", "□"),
        (0xF0FE, "qwerty+wingdings", "☑"),
        (0xF050, "wingdings 2", "✓"),
        (ord("m"), "symbol", "µ"),
        (ord("n"), "wingdings", "■"),
    ],
)
def test_codes_of_symbol_fonts(code: int, font: str, expected: str) -> None:
    assert readable(code, font) == expected


@pytest.mark.parametrize(
    ("code", "font"),
    [
        (ord("m"), "helvetica"),
        (ord("m"), "symbola"),
        (0xB5, "symbol"),
        (0xB1, "symbolmt"),
        (ord("5"), "symbol"),
        (0x2079, "arial"),
        (0xBD, "arial"),
        (0x2122, "arial"),
        (0x4E2D, "simsun"),
        (0x1D54F, "stix"),
    ],
)
def test_other_signs_stay(code: int, font: str) -> None:
    assert readable(code, font) == chr(code)


@pytest.mark.parametrize(
    ("code", "font"),
    [
        (0x3, "arial"),
        (0x84, "wingdings"),
        (0xE123, "arial"),
        (0xF0F0, "symbol"),
        (0xF041, "wingdings3"),
        (0xFFFF, "arial"),
        (0xD835, "arial"),
    ],
)
def test_a_glyph_without_a_known_meaning_is_kept_as_unreadable(code: int, font: str) -> None:
    assert readable(code, font) == UNREADABLE


@pytest.mark.parametrize("code", [0x20, 0xA0, 0x2003, 0x200B, 0xF020])
def test_what_has_no_ink_says_nothing(code: int) -> None:
    assert readable(code, "symbol") == ""


def test_hyphens_that_are_drawn_are_hyphens() -> None:
    assert readable(0xAD, "arial") == "-"
    assert readable(0x2, "arial") == "-"
