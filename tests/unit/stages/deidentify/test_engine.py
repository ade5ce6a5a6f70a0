"""Presidio is asked only where a recogniser reads language, and answers with our places."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pipeline.domain.phi import Found, IdentifierClass
from pipeline.stages.deidentify.engine import Engine
from pipeline.stages.deidentify.presidio import with_blanks
from pipeline.stages.deidentify.recognisers.base import Recogniser


class Persons(Recogniser):
    """Finds what spaCy takes for a person."""

    classes = (IdentifierClass.NAME,)
    needs_language = True

    def find(self, text, doc):
        return [self.found(each.start_char, each.end_char, IdentifierClass.NAME, 0.9) for each in doc.ents if each.label_ == "PERSON"]


def test_places_come_back_with_their_finders_name():
    found = Engine([Persons()]).find("It was Mary Jones again.", frozenset({IdentifierClass.NAME}))
    assert found == [Found(7, 17, IdentifierClass.NAME, 0.9, "Persons")]


def test_other_classes_are_not_asked_for():
    assert Engine([Persons()]).find("It was Mary Jones again.", frozenset({IdentifierClass.DATE})) == []


@pytest.mark.parametrize("stretch", [":" * 60_000, "Smith,Ann;" * 600, "x" * 5_000])
def test_the_model_meets_a_blank_at_least_every_150_characters_and_only_there(stretch: str):
    text = f"Seen by Ann. {stretch} Home."
    read = with_blanks(text)
    assert len(read) == len(text)
    assert max(map(len, read.split(" "))) < 150
    assert all(a == b or b == " " for a, b in zip(text, read, strict=True))
    assert with_blanks("_" * 99 + " Seen by Ann.") == "_" * 99 + " Seen by Ann."
    assert all(a == b or not a.isalnum() for a, b in zip(text, read, strict=True)) or stretch.isalpha()


def test_registry_text_imports_neither_presidio_nor_spacy():
    code = (
        "import sys\n"
        "from pipeline.stages.deidentify import Scrubber, policy_for\n"
        "assert Scrubber().scrub('x@y.example', policy_for('trial', 'clinicaltrials.gov')).text == '[EMAIL]'\n"
        "assert not {'spacy', 'presidio_analyzer', 'faker', 'wordfreq'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
