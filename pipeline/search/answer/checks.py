"""A model's claims and the passages it was given in, what is wrong with them out. One claim that fails fails the answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from pipeline.search.answer.claims import Claim
from pipeline.search.answer.evidence import Passage
from pipeline.search.answer.model import AnswerCheck, Reason
from pipeline.search.answer.quantities import quantities, stands
from pipeline.search.answer.words import content, denies
from pipeline.stages.chunking.sentences import sentence_ends

SUPPORTED: Final = 0.6  # of a claim's words in its passages: docs/decisions/0022-citations-and-answers.md, "When a claim is supported"
THE_SAME: Final = 0.7  # of a claim's words in one sentence: it is what the claim says again
LONGEST: Final = 2_000  # characters: twelve sentences


@dataclass(frozen=True, slots=True)
class Checked:
    """Checks in the order they were made, and the first reason to refuse the answer."""

    checks: list[AnswerCheck]
    wrong: Reason | None


def check_reply(reply: str, claims: Sequence[Claim], passages: Sequence[Passage], *, fence: str) -> Checked:
    """Check a reply and its claims against the passages that it was given."""
    given = {one.number: one for one in passages}
    cited = [number for claim in claims for number in claim.cited]
    numbers = [(claim, one) for claim in claims for one in quantities(claim.text)]
    made = [
        _made("not_empty", Reason.EMPTY, 1, int(not claims)),
        _made("length", Reason.TOO_LONG, len(reply), int(len(reply) > LONGEST)),
        _made("no_fence", Reason.FENCE_REPEATED, 1, int(fence in reply)),
        _made("citations_given", Reason.NO_CITATION, len(claims), sum(not claim.cited for claim in claims)),
        _made("citations_known", Reason.UNKNOWN_PASSAGE, len(cited), sum(number not in given for number in cited)),
        _made(
            "numbers_stand",
            Reason.NUMBER_NOT_IN_PASSAGE,
            len(numbers),
            sum(not any(stands(one, quantities(text)) for text in _texts(claim, given)) for claim, one in numbers),
        ),
        _made("supported", Reason.NOT_SUPPORTED, len(claims), sum(support(claim, given) < SUPPORTED for claim in claims)),
        _made("negation_agrees", Reason.NEGATION_DIFFERS, len(claims), sum(not _negation_agrees(claim, given) for claim in claims)),
    ]
    return Checked([check for check, _ in made], next((reason for check, reason in made if not check.passed), None))


def support(claim: Claim, given: Mapping[int, Passage]) -> float:
    """Return the share of a claim's words that its passages, with their titles, hold."""
    words = content(claim.text)
    held = frozenset(number for text in _texts(claim, given) for number in content(text))
    return len(words & held) / len(words) if words else 1.0


def _negation_agrees(claim: Claim, given: Mapping[int, Passage]) -> bool:
    """Whether a claim denies where its passages do: it must not deny where none of them does, nor affirm the very sentence that denies."""
    texts = _texts(claim, given)
    if denies(claim.text):
        return any(denies(text) for text in texts)
    words = content(claim.text)
    sentences = [line[start:end] for text in texts for line in text.splitlines() for start, end in pairwise([0, *sentence_ends(line)])]
    nearest = max(sentences, key=lambda one: len(words & content(one)), default="")
    return not (words and len(words & content(nearest)) >= THE_SAME * len(words) and denies(nearest))


def _texts(claim: Claim, given: Mapping[int, Passage]) -> list[str]:
    return [f"{given[number].about}\n{given[number].said}" for number in claim.cited if number in given]


def _made(name: str, reason: Reason, looked_at: int, failed: int) -> tuple[AnswerCheck, Reason]:
    return AnswerCheck(name=name, passed=not failed, looked_at=looked_at, failed=failed), reason
