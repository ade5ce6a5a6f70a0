"""Presidio is asked only where a recogniser reads language, and answers with our places."""

from __future__ import annotations

import subprocess
import sys

from pipeline.domain.phi import Found, IdentifierClass
from pipeline.stages.deidentify.engine import Engine
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


def test_registry_text_imports_neither_presidio_nor_spacy():
    code = (
        "import sys\n"
        "from pipeline.stages.deidentify import Scrubber, policy_for\n"
        "assert Scrubber().scrub('x@y.example', policy_for('trial', 'clinicaltrials.gov')).text == '[EMAIL]'\n"
        "assert not {'spacy', 'presidio_analyzer', 'faker', 'wordfreq'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
