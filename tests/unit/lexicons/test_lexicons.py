import re
from importlib import resources

import pytest

from pipeline.lexicons import entries

LISTS = sorted(each.name.removesuffix(".txt") for each in resources.files("pipeline.lexicons").iterdir() if each.name.endswith(".txt"))


@pytest.mark.parametrize("name", LISTS)
def test_a_list_has_entries_and_names_its_source_first(name):
    text = resources.files("pipeline.lexicons").joinpath(f"{name}.txt").read_text("utf-8")
    assert text.startswith("# ")
    assert entries(name)


@pytest.mark.parametrize("name", LISTS)
def test_entries_are_no_comments_and_have_no_blanks_around_them(name):
    assert not [each for each in entries(name) if each.startswith("#") or each != each.strip()]


THIRD_PARTY = re.compile(r"GeoNames|wordfreq|web2|Census|CLDR|faker|MIT License|Creative Commons|CC BY", re.IGNORECASE)


def test_every_list_made_from_somebodys_work_is_named_in_the_notice(root):
    notice = (root / "NOTICE").read_text("utf-8")
    folder = root / "pipeline"
    heads = {
        file.relative_to(folder).as_posix(): "".join(line for line in file.read_text("utf-8").splitlines() if line.startswith("#"))
        for file in [*folder.glob("lexicons/*.txt"), *folder.glob("stages/deidentify/gate/lexicon/*.txt")]
    }
    made = [name for name, head in heads.items() if THIRD_PARTY.search(head)]
    assert len(made) > 5
    assert [name for name in made if name not in notice] == []
