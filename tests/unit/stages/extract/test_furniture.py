"""Running headers and footers by repetition; what repeats for another reason stays."""

from collections.abc import Sequence

from pipeline.domain.reading import PageOutcome
from pipeline.stages.extract.content import Block, BlockKind, Box, Line, PageContent, Word
from pipeline.stages.extract.furniture import strip_furniture

HEIGHT = 792.0


def line(text: str, top: float, *, x: float = 72.0, size: float = 10.0, confidence: float = 1.0) -> Line:
    words, left = [], x
    for part in text.split():
        width = 5.0 * len(part)
        words.append(Word(part, Box(left, top, left + width, top + size), confidence))
        left += width + 4
    return Line(tuple(words), Box(x, top, left, top + size), size=size)


def spread(texts: Sequence[str], top: float) -> Line:
    """A line of one word a column."""
    words = tuple(Word(text, Box(72 + 100 * n, top, 100 + 100 * n, top + 10)) for n, text in enumerate(texts))
    return Line(words, Box(72, top, 540, top + 10), size=10)


def page(number: int, *lines: Line, outcome: PageOutcome = PageOutcome.TEXT_LAYER) -> PageContent:
    blocks = tuple(Block(BlockKind.PARAGRAPH, one.box, (one,)) for one in lines)
    return PageContent(number, 612.0, HEIGHT, outcome, blocks)


def body(number: int) -> list[Line]:
    sentences = ("Fluids were given early.", "The second dose was held.", "Imaging showed nothing new.", "Care was handed over.")
    return [line(sentences[number % 4], 300), line(f"Finding of visit {number}.", 320)]


def taken(pages: Sequence[PageContent]) -> list[list[str]]:
    return [[one.text for one in stripped.furniture] for stripped in strip_furniture(pages)]


def test_takes_headers_and_counted_footers_and_keeps_the_body() -> None:
    pages = [page(n, line("Protocol KX-11 Version 2.0", 30), *body(n), line(f"Page {n} of 5", 750)) for n in range(1, 6)]
    assert taken(pages) == [["Protocol KX-11 Version 2.0", f"Page {n} of 5"] for n in range(1, 6)]
    rest = strip_furniture(pages)[2].content
    assert [one.text for block in rest.blocks for one in block.lines] == ["Care was handed over.", "Finding of visit 3."]


def test_takes_headers_that_alternate_between_left_and_right_pages() -> None:
    names = ("Journal of Tides", "A. Fenwick and others")
    pages = [page(n, line(names[n % 2], 40), *body(n), line(str(n + 100), 740, x=80 if n % 2 else 500)) for n in range(1, 9)]
    assert all(found == [names[n % 2], str(n + 100)] for n, found in enumerate(taken(pages), start=1))


def test_takes_roman_page_numbers() -> None:
    pages = [page(n, *body(n), line(roman, 745)) for n, roman in enumerate(("i", "ii", "iii", "iv", "v"), start=1)]
    assert taken(pages) == [["i"], ["ii"], ["iii"], ["iv"], ["v"]]


def test_takes_a_header_of_one_chapter() -> None:
    pages = [
        page(n, line("Chapter of Burns" if 5 <= n <= 9 else f"Lead {n} of its own kind {'x' * n}", 40), *body(n)) for n in range(1, 31)
    ]
    assert [bool(found) for found in taken(pages)] == [5 <= n <= 9 for n in range(1, 31)]


def test_takes_the_same_header_of_two_pages() -> None:
    pages = [page(n, line("Harbour County EMS", 36), *body(n)) for n in (1, 2)]
    assert taken(pages) == [["Harbour County EMS"]] * 2


def test_takes_the_page_number_of_a_single_page() -> None:
    assert taken([page(1, *body(1), line("Page 1 of 1", 750))]) == [["Page 1 of 1"]]
    assert taken([page(1, *body(1), line("1", 750))]) == [["1"]]


def test_takes_a_header_that_ocr_misreads_on_one_page() -> None:
    heads = ["Standing order 41 Burns", "Standing order 41 Bums", "Standing order 41 Burns", "Standing order 41 Burns"]
    pages = [page(n, line(head, 40 + n), *body(n), outcome=PageOutcome.OCR) for n, head in enumerate(heads)]
    assert taken(pages) == [[head] for head in heads]


def test_keeps_a_dose_at_the_top_of_pages_whose_number_does_not_count_them() -> None:
    pages = [page(n, line(f"Adrenaline {dose} mg", 60), *body(n)) for n, dose in enumerate((1, 5, 2, 9, 3))]
    assert taken(pages) == [[]] * 5


def test_keeps_the_heads_of_a_table_that_goes_on() -> None:
    head = ("Test", "Result", "Units", "Range")
    pages = [page(n, spread(head, 60), spread((f"Na{n}", f"14{n}", "mmol/L", "135-145"), 74), *body(n)) for n in range(4)]
    assert taken(pages) == [[]] * 4


def test_keeps_centred_heads_of_several_lines_above_a_table_that_goes_on() -> None:
    def heads(number: int) -> list[Line]:
        upper, middle, lower = line("Impression", 108, x=53), line("Code", 114, x=161), line("Name", 120, x=60)
        return [
            upper,
            line("Protocol", 108, x=231),
            middle,
            line("Guidelines", 114, x=403),
            lower,
            line(f"Burns {'x' * number}", 132, x=90),
        ]

    pages = [page(n, line("Ref. No. 12", 40), *heads(n), *body(n)) for n in range(5)]
    assert taken(pages) == [["Ref. No. 12"]] * 5


def test_takes_a_boxed_header_of_four_cells_that_stands_off_the_body() -> None:
    pages = [page(n, spread(("Effective", "Revised", "Supersedes", "Owner"), 40), *body(n)) for n in range(5)]
    assert all(len(found) == 1 for found in taken(pages))


def test_takes_a_header_that_two_of_three_pages_have() -> None:
    pages = [page(n, *([line("Report of the Harbour Board", 40)] if n != 2 else []), *body(n)) for n in (1, 2, 3)]
    assert [len(found) for found in taken(pages)] == [1, 0, 1]


def test_keeps_a_repeated_line_in_the_middle_of_the_page() -> None:
    assert taken([page(n, line("Give 5 mL now.", 400), *body(n)) for n in range(5)]) == [[]] * 5


def test_keeps_a_repeated_line_with_body_text_further_out() -> None:
    pages = [page(n, line(f"{'abcdefgh'[n]} begins here", 40), line("Hold the dose.", 70), *body(n)) for n in range(5)]
    assert taken(pages) == [[]] * 5


def test_keeps_the_title_that_later_pages_repeat_in_small_print() -> None:
    title = line("Study of Early Fluids", 120, size=20)
    pages = [page(1, title, *body(1)), *(page(n, line("Study of Early Fluids", 36), *body(n)) for n in range(2, 6))]
    assert taken(pages) == [[], *[["Study of Early Fluids"]] * 4]


def test_keeps_a_number_alone_that_is_not_the_page() -> None:
    assert taken([page(1, *body(1), line("40", 750))]) == [[]]


def test_keeps_what_repeats_on_too_few_pages() -> None:
    pages = [page(n, line("See overleaf" if n in (3, 17) else f"Of {'x' * n}", 40), *body(n)) for n in range(1, 31)]
    assert not any(taken(pages))


def test_no_pages_have_no_furniture() -> None:
    assert strip_furniture([]) == []


def test_a_header_over_running_text_whose_words_stand_below_its_own_is_taken() -> None:
    pages = [page(n, line("RULES FOR ALL CREWS", 40), line("Notes that the ward keeps", 52), *body(n)) for n in range(1, 6)]
    shifted = [page(n, line("RULES FOR ALL CREWS", 40), line("There was one call more", 52 + n), *body(n)) for n in range(1, 6)]
    assert all("RULES FOR ALL CREWS" in found for found in taken(pages) + taken(shifted))


def test_where_no_page_has_other_text_what_repeats_is_the_text_and_page_numbers_are_not() -> None:
    slips = [page(n, line("Give 5 mL at once.", 60), line(f"Page {n} of 3", 750)) for n in (1, 2, 3)]
    assert taken(slips) == [["Page 1 of 3"], ["Page 2 of 3"], ["Page 3 of 3"]]
    assert taken([*slips, page(4, *body(4))])[:3] == [["Give 5 mL at once.", f"Page {n} of 3"] for n in (1, 2, 3)]
