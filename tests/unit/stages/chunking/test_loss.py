"""The account trusts nobody: claims and drops that do not hold are unexplained."""

from __future__ import annotations

from pipeline.domain.chunks import Chunk, Drop, Span
from pipeline.domain.documents import DeidentifiedPart, Redaction
from pipeline.domain.vocabulary import DropReason, Reading, Section
from pipeline.stages.chunking.loss import Claim, account


def part(text, *redactions):
    return DeidentifiedPart("p", text, None, Reading.STRUCTURED, 1.0, redactions)


def chunk(text, span):
    return Chunk(Section.BRIEF_SUMMARY, 1, None, text, text, "p", span, 1)


def run(text, chunk_text, span=None, drops=(), redactions=()):
    where = span or Span(0, len(text))
    claims = [Claim("p", where, 0, chunk_text)]
    return account([part(text, *redactions)], [chunk(chunk_text, where)], [Drop("p", *drop) for drop in drops], claims)


def test_text_that_the_chunk_holds_is_chunked():
    assert run("Adults  with\n gout", "Adults with gout").unexplained == 0


def test_a_word_that_the_chunk_lost_is_unexplained():
    loss = run("no prior gout", "prior gout")
    assert loss.unexplained >= len("no")
    assert loss.characters == loss.chunked + loss.dropped + loss.redacted + loss.unexplained


def test_a_changed_sign_is_unexplained():
    assert run("age > 18", "age < 18").unexplained > 0


def test_a_claim_on_text_that_is_not_in_the_chunk_counts_nothing():
    loss = account([part("gout")], [chunk("ileus", Span(0, 4))], [], [Claim("p", Span(0, 4), 0, "gout")])
    assert loss.unexplained == len("gout")


def test_text_outside_every_chunk_is_unexplained():
    assert run("gout. ileus", "gout.", Span(0, 5)).unexplained == len("ileus")


def test_words_cannot_hide_behind_a_drop():
    for reason in (DropReason.BULLET, DropReason.MARKUP, DropReason.BLANK, DropReason.HEADER, DropReason.REPEAT):
        assert run("gout. asthma", "gout.", Span(0, 5), drops=[(Span(6, 12), reason)]).unexplained == len("asthma"), reason


def test_a_repeat_must_repeat():
    repeat = (Span(5, 10), DropReason.REPEAT)
    assert run("gout\nGOUT.", "gout", Span(0, 4), drops=[repeat]).unexplained == 0


def test_counts_each_character_once_by_reason():
    loss = run("* gout", "gout", Span(2, 6), drops=[(Span(0, 1), DropReason.BULLET)])
    assert loss.by_reason == {DropReason.BULLET: 1, DropReason.BLANK: 1}
    assert (loss.chunked, loss.dropped) == (4, 2)


def test_placeholders_of_identifiers_count_as_redacted():
    loss = run("call [PHONE] now", "call [PHONE] now", redactions=[Redaction(5, 12, "PHONE")])
    assert (loss.redacted, loss.unexplained) == (len("[PHONE]"), 0)
