import pytest

from pipeline.stages.identify.facts import FactScheme
from pipeline.stages.identify.shapes import DATE, SHAPES, has_shape, is_compound, iso_date, protocol_number


@pytest.mark.parametrize(
    "value",
    ["318804", "AB116001", "MK-9921-189", "3000-02-005", "D812QC00044", "K8F-MC-QQGM", "C7790021", "1386-0015", "M99-554", "GRN/2024/17"],
)
def test_sponsors_numbers_have_many_shapes(value):
    assert protocol_number(value) == value


@pytest.mark.parametrize(
    "value",
    [
        "NCT99000011",
        "2019-004417-31",
        "555-010-7788",
        "1-800-555-0142",
        "2021",
        "3.1",
        "12",
        "Version",
        "Amendment3",
        "2021-06-14",
        "14-Jun-2021",
        "Title",
        "5550107788",
        "U1111-1238-1418",
    ],
)
def test_what_is_no_sponsors_number(value):
    assert protocol_number(value) is None


def test_a_number_that_a_line_end_splits_is_joined():
    assert protocol_number("PRL-1180- EXT-204") == "PRL-1180-EXT-204"
    assert protocol_number("PRL-1180-\nEXT-204") == "PRL-1180-EXT-204"


def test_every_scheme_has_a_closed_shape_that_refuses_free_text_and_a_line_end():
    assert set(SHAPES) == set(FactScheme)
    for scheme in FactScheme:
        assert not has_shape(scheme, "Jane Example of Ward 4")
        assert not has_shape(scheme, "NCT99000011\n")
        assert not has_shape(scheme, "")


@pytest.mark.parametrize(
    ("printed", "us", "iso"),
    [
        ("14 June 2021", False, "2021-06-14"),
        ("05-Dec-2017", False, "2017-12-05"),
        ("08Mar2022", False, "2022-03-08"),
        ("March 8, 2023", False, "2023-03-08"),
        ("2020-11-02", False, "2020-11-02"),
        ("3rd April 2018", False, "2018-04-03"),
        ("April 2019", False, "2019-04"),
        ("06-15-98", True, "1998-06-15"),
        ("07-01-18", True, "2018-07-01"),
        ("10-1-08", True, "2008-10-01"),
        ("04/25/2021", True, "2021-04-25"),
        ("25/04/2021", False, "2021-04-25"),
        ("04/25/2021", False, "2021-04-25"),
        ("05/05/2021", False, "2021-05-05"),
        ("06/04/2020", False, None),
        ("31 February 2020", False, None),
        ("13-32-20", True, None),
        ("2020-13-02", False, None),
    ],
)
def test_dates(printed, us, iso):
    match = DATE.fullmatch(printed)
    assert match is not None
    assert iso_date(match, us_order=us) == iso


@pytest.mark.parametrize(
    ("value", "compound"), [("BMS-990017", True), ("ABBV-9951", True), ("QF-06774120", True), ("CB311207", False), ("NVB-301-07", False)]
)
def test_compound_codes_are_told_from_study_numbers(value, compound):
    assert is_compound(value) is compound
