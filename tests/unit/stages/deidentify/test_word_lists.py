from importlib import resources

import pytest

from pipeline.stages.deidentify.word_lists import entries

LISTS = sorted(
    each.name.removesuffix(".txt")
    for each in resources.files("pipeline.stages.deidentify").joinpath("lexicons").iterdir()
    if each.name.endswith(".txt")
)


@pytest.mark.parametrize("name", LISTS)
def test_a_list_has_entries_and_names_its_source_first(name):
    text = resources.files("pipeline.stages.deidentify").joinpath("lexicons", f"{name}.txt").read_text("utf-8")
    assert text.startswith("# ")
    assert entries(name)


@pytest.mark.parametrize("name", LISTS)
def test_entries_are_no_comments_and_have_no_blanks_around_them(name):
    assert not [each for each in entries(name) if each.startswith("#") or each != each.strip()]
