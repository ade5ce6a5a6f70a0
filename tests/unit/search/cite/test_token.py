"""A token says which passage was shown, to the site that made it, and to nobody what it says."""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode
from dataclasses import replace

import pytest

from pipeline.domain.chunks import Chunk, Span
from pipeline.domain.errors import UsageError
from pipeline.domain.vocabulary import Section
from pipeline.search.cite.token import read_token, token_of
from tests.unit.search.cite.conftest import DOCUMENT, SECRET, VERSION

CHUNK = Chunk(Section.INCLUSION_CRITERION, 3, False, "ECOG 0-1", "ECOG 0-1", "interventions[2]", Span(700_000, 700_008), 3, page=2, piece=4)
TOKEN = token_of(SECRET, DOCUMENT, 7, CHUNK, VERSION)


def test_it_says_document_generation_and_place():
    said = read_token(SECRET, TOKEN)
    assert (said.document_id, said.generation, said.span, said.page) == (DOCUMENT, 7, CHUNK.span, 2)
    assert (said.section, said.ordinal, said.piece, said.part) == ("INCLUSION_CRITERION", 3, 4, "interventions[2]")


def test_it_fits_into_a_url_as_it_is():
    assert re.fullmatch(r"[A-Za-z0-9._-]{100,200}", TOKEN)


def test_no_word_of_the_passage_and_no_hash_that_others_can_try_is_in_it():
    from pipeline.domain.identifiers import text_hash

    packed = urlsafe_b64decode(TOKEN.removeprefix("c1.") + "==")
    assert b"ECOG" not in packed
    assert bytes.fromhex(text_hash(CHUNK.text))[:8] not in packed
    other_site = urlsafe_b64decode(token_of(SECRET[::-1], DOCUMENT, 7, CHUNK, VERSION).removeprefix("c1.") + "==")
    assert packed[:20] == other_site[:20]
    assert packed[20:40] != other_site[20:40]


def test_the_same_passage_has_the_same_token_and_another_has_another():
    assert token_of(SECRET, DOCUMENT, 7, CHUNK, VERSION) == TOKEN
    others = [replace(CHUNK, text="ECOG 0-2"), replace(CHUNK, ordinal=4), replace(CHUNK, context=("Cohort B",), text="Cohort B: ECOG 0-1")]
    assert len({TOKEN, *(token_of(SECRET, DOCUMENT, 7, one, VERSION) for one in others)}) == 4


def test_a_passage_without_a_version_or_a_page_says_so():
    said = read_token(SECRET, token_of(SECRET, DOCUMENT, 7, replace(CHUNK, page=None), None))
    assert (said.version, said.page) == ("", None)


@pytest.mark.parametrize(
    "token", ["", "c1.", "c1.AAAA", "c2" + TOKEN[2:], TOKEN[3:], "c1." + "A" * 5000, "c1.é", TOKEN + "=", TOKEN[:60], f" {TOKEN}"]
)
def test_what_is_no_token_is_refused(token: str):
    with pytest.raises(UsageError) as refused:
        read_token(SECRET, token)
    assert refused.value.remedy
    assert token[:20] not in str(refused.value) or len(token) < 4


def test_every_altered_character_is_noticed():
    for at in range(3, len(TOKEN)):
        altered = TOKEN[:at] + ("A" if TOKEN[at] != "A" else "B") + TOKEN[at + 1 :]
        with pytest.raises(UsageError):
            read_token(SECRET, altered)


def test_a_token_of_another_site_is_refused():
    with pytest.raises(UsageError, match="not made by this site"):
        read_token(SECRET[::-1], TOKEN)
