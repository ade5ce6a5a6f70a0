"""Tables written as lines."""

from __future__ import annotations

from pipeline.stages.extract.content import Box, Table
from pipeline.stages.extract.tables.rows import WrittenRow, column_labels, write_rows


def _table(*rows: tuple[str, ...], header_rows: int = 1, continues: bool = False) -> Table:
    return Table(rows, header_rows, Box(0, 0, 100, 100), continues)


def _values(row: WrittenRow) -> dict[int, str]:
    return {cell.column: row.text[cell.start : cell.end] for cell in row.cells}


def test_each_row_repeats_its_columns_names() -> None:
    written = write_rows(_table(("Level", "Drug P (mg)"), ("1", "10"), ("-1", "2.50")))
    assert written.text == "Level; Drug P (mg)\nLevel: 1; Drug P (mg): 10\nLevel: -1; Drug P (mg): 2.50"
    assert [row.is_header for row in written.rows] == [True, False, False]


def test_offsets_cover_the_value_without_its_label() -> None:
    written = write_rows(_table(("Analyte", "Result", "Flag"), ("Potassium", "5.10 mmol/L", "H")))
    assert _values(written.rows[0]) == {1: "Analyte", 2: "Result", 3: "Flag"}
    assert _values(written.rows[1]) == {1: "Potassium", 2: "5.10 mmol/L", 3: "H"}


def test_an_empty_cell_is_left_out_and_columns_keep_their_numbers() -> None:
    row = write_rows(_table(("Visit", "ECG", "Bloods"), ("Week 2", "", "X"))).rows[1]
    assert row.text == "Visit: Week 2; Bloods: X"
    assert _values(row) == {1: "Week 2", 3: "X"}


def test_a_column_without_a_name_is_written_bare() -> None:
    assert write_rows(_table(("", "Arm A"), ("Age", "51"))).rows[1].text == "Age; Arm A: 51"


def test_rows_of_a_table_without_names_are_parted_by_bars() -> None:
    written = write_rows(_table(("1", "10"), ("2", "20"), header_rows=0))
    assert written.text == "1 | 10\n2 | 20"
    assert not any(row.is_header for row in written.rows)


def test_header_rows_are_joined_per_column() -> None:
    table = _table(("Day", "Arm A", "Arm A"), ("", "Dose (mg)", "N"), ("1", "10", "3"), header_rows=2)
    assert column_labels(table) == ("Day", "Arm A Dose (mg)", "Arm A N")
    assert write_rows(table).text == "Day; Arm A Dose (mg); Arm A N\nDay: 1; Arm A Dose (mg): 10; Arm A N: 3"


def test_a_name_said_in_both_header_rows_is_said_once() -> None:
    assert column_labels(_table(("Day", "N"), ("Day", "(%)"), ("1", "3"), header_rows=2)) == ("Day", "N (%)")


def test_the_rest_of_a_continued_table_has_labels_but_no_header_line() -> None:
    assert write_rows(_table(("Level", "mg"), ("3", "40"), continues=True)).text == "Level: 3; mg: 40"


def test_a_label_that_ends_in_a_colon_gets_no_second_one() -> None:
    written = write_rows(_table(("Dose:", "Route :"), ("5 mg", "IV")))
    assert written.rows[1].text == "Dose: 5 mg; Route: IV"
    assert _values(written.rows[0]) == {1: "Dose:", 2: "Route :"}


def test_a_value_with_the_separators_inside_stays_whole_by_its_offsets() -> None:
    row = write_rows(_table(("Note", "At"), ("mild; repeat: yes", "08:30"))).rows[1]
    assert _values(row) == {1: "mild; repeat: yes", 2: "08:30"}


def test_lines_within_a_cell_become_one() -> None:
    assert write_rows(_table(("Drug\nname", "mg"), ("sodium\nchloride", "9"))).rows[1].text == "Drug name: sodium chloride; mg: 9"


def test_a_row_without_a_value_and_a_table_without_rows_give_no_line() -> None:
    assert len(write_rows(_table(("A", "B"), ("", " "))).rows) == 1
    assert write_rows(Table((), 0, Box(0, 0, 0, 0))).rows == ()


def test_columns_named_item_and_value_are_written_as_labels_and_values() -> None:
    written = write_rows(_table(("Item", "Value"), ("Protocol Number", "QRX-10-2"), ("Sponsor:", "Fennel Trials"), ("Phase", "")))
    assert written.text == "Item; Value\nProtocol Number: QRX-10-2\nSponsor: Fennel Trials\nPhase"
    assert _values(written.rows[1]) == {1: "Protocol Number", 2: "QRX-10-2"}


def test_two_columns_without_names_whose_first_holds_labels_are_pairs() -> None:
    table = _table(("Collected", "08:30"), ("Ordered by", "Ward 4"), ("Sent to", "Dock"), ("Comment", ""), header_rows=0)
    assert write_rows(table).text == "Collected: 08:30\nOrdered by: Ward 4\nSent to: Dock\nComment"


def test_columns_with_names_of_their_own_keep_them() -> None:
    assert write_rows(_table(("Drug", "Value"), ("Colchicine", "0.6 mg"))).rows[1].text == "Drug: Colchicine; Value: 0.6 mg"


def test_two_columns_of_sentences_or_of_equal_first_cells_are_no_pairs() -> None:
    sentence = "Give the second dose after ten minutes when the wheeze stays"
    assert (
        write_rows(_table((sentence, "Call the base"), ("Stop", "Go"), ("Wait", "Ask"), header_rows=0)).rows[0].text
        == f"{sentence} | Call the base"
    )
    assert write_rows(_table(("Left", "5"), ("Left", "6"), ("Right", "7"), header_rows=0)).rows[0].text == "Left | 5"
    assert write_rows(_table(("Slow", "Wait"), ("Fast", "Go"), header_rows=0)).text == "Slow | Wait\nFast | Go"
