from uuid import UUID

import pytest

from pipeline.domain.points import PointFilter
from pipeline.search.route.filters import NOBODY, both
from pipeline.search.route.keys import key_of, long_series, tail_of

ONE, TWO = UUID(int=1), UUID(int=2)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("KEYNOTE-189", "keynote 189"),
        ("KEYNOTE-189", "Keynote189"),
        ("VLX-204-301", "vlx 204/301"),
        ("1242-P", "1242P"),
        ("3000-02-005", "3000 02 005"),
        ("3000-02-005", "3000–02–005"),
        ("CA116001", "ca116001"),
    ],
)
def test_spellings_of_one_identifier_have_one_key(one, other):
    assert key_of(one) == key_of(other)


@pytest.mark.parametrize(
    ("one", "other"), [("1317.9", "13179"), ("3000-02-005", "300002005"), ("205801", "205810"), ("1242", "1242-P"), ("1-23", "12-3")]
)
def test_different_numbers_have_different_keys(one, other):
    assert key_of(one) != key_of(other)


@pytest.mark.parametrize(
    ("short", "long"), [("KN-189", "KEYNOTE-189"), ("kn189", "KEYNOTE-189"), ("CM 227", None), ("CM-227", "CheckMate-227")]
)
def test_a_series_may_be_shortened(short, long):
    assert long_series(short) == long


@pytest.mark.parametrize("value", ["IL-6", "CD19", "XX-189", "KN", "KN-12345"])
def test_what_begins_with_no_series_is_none(value):
    assert long_series(value) is None


@pytest.mark.parametrize(
    ("value", "tail"), [("VLX-204-301", "301"), ("MK-3475-189", "189"), ("3000-02-005", "005"), ("205801", None), ("IL-6", None)]
)
def test_a_study_is_called_by_the_last_part_of_its_number(value, tail):
    assert tail_of(value) == tail


def test_both_filters_hold():
    asked = PointFilter(sections=("TITLE",), document_ids=(ONE, TWO))
    assert both(asked, PointFilter(document_ids=(TWO,))) == PointFilter(sections=("TITLE",), document_ids=(TWO,))


def test_a_condition_of_the_callers_is_never_widened():
    assert both(PointFilter(document_ids=(ONE,)), PointFilter(document_ids=(ONE, TWO))).document_ids == (ONE,)
    assert both(PointFilter(icd_codes=("E11.9",)), PointFilter(icd_codes=("I10", "E11.9"))).icd_codes == ("E11.9",)


@pytest.mark.parametrize(
    ("asked", "added"),
    [
        (PointFilter(document_ids=(ONE,)), PointFilter(document_ids=(TWO,))),
        (PointFilter(icd_codes=("E11.9",), kinds=("trial",)), PointFilter(icd_codes=("I10",))),
    ],
)
def test_conditions_with_nothing_in_common_find_nothing(asked, added):
    assert both(asked, added).document_ids == (NOBODY,)
    assert both(asked, added).kinds == asked.kinds


def test_no_condition_more_changes_nothing():
    asked = PointFilter(kinds=("trial",))
    assert both(asked, PointFilter()) == asked


def test_a_route_sets_no_other_kind_of_condition():
    with pytest.raises(TypeError):
        both(PointFilter(), PointFilter(generation=3))
