"""A question and sentences in, those that answer it best out, with how near each is. No word is made.

How near: half by meaning (cosine of the embeddings), the rest by the question's words that the sentence holds, and a little for the
kind of statement that the question asks for (a dose has a quantity, a contraindication denies).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pipeline.domain.ports import DenseEmbedder
from pipeline.search.answer.evidence import Sentence
from pipeline.search.answer.quantities import quantities
from pipeline.search.answer.words import content, denies, shared
from pipeline.search.understand.model import Intent, Understood, Why

MEANING: Final = 0.5
WORDS: Final = 0.4
KIND: Final = 0.1
UNSAID: Final = 0.75  # of a word that the title or a heading says for the sentence

#: Below it, a question is refused. Measured: docs/decisions/0022-citations-and-answers.md, "When an answer is refused".
NEAR_ENOUGH: Final = 0.40
_SHORT_TITLE: Final = 8  # words
_BESIDE_THE_BEST: Final = 0.75  # of the best sentence's score: a weaker one is about something else
_TOO_ALIKE: Final = 0.8  # of two sentences' words: the second says nothing new


@dataclass(frozen=True, slots=True)
class Scored:
    """A sentence and how near it is to the question, 0..1."""

    sentence: Sentence
    score: float


def scored(asked: Understood, sentences: Sequence[Sentence], embedder: DenseEmbedder) -> list[Scored]:
    """Return all sentences, the nearest first."""
    if not sentences:
        return []
    question = embedder.embed_query(asked.query)
    vectors = embedder.embed_documents([_in_context(sentence) for sentence in sentences])
    meaning = (vectors @ question).tolist()
    found = [
        Scored(sentence, MEANING * max(0.0, near) + WORDS * _covered(asked, sentence) + KIND * _is_of_kind(asked, sentence))
        for sentence, near in zip(sentences, meaning, strict=True)
    ]
    return sorted(found, key=lambda one: (-one.score, one.sentence.passage.number, one.sentence.start))


def chosen(ranked: Sequence[Scored], *, most: int, at_least: float = NEAR_ENOUGH) -> list[Scored]:
    """Return the sentences of an answer, best first; none where not even the best is near enough."""
    kept: list[Scored] = []
    floor = max(at_least, _BESIDE_THE_BEST * ranked[0].score) if ranked else 0.0
    for one in ranked:
        if one.score < floor or len(kept) == most:
            break
        if all(shared(content(one.sentence.text), content(other.sentence.text)) < _TOO_ALIKE for other in kept):
            kept.append(one)
    return kept


def _in_context(sentence: Sentence) -> str:
    """Return a sentence after a short title: "Give 0.01 mg/kg IM" is of every drug. A registry's long titles would drown it."""
    title = sentence.passage.title
    return f"{title}: {sentence.text}" if 0 < len(title.split()) <= _SHORT_TITLE else sentence.text


def _covered(asked: Understood, sentence: Sentence) -> float:
    """Return the share of a wording's words that the sentence holds, of the wording of which it holds most.

    A wording that leaves some of the question away does not count: a dose for another disease would cover it whole.
    """
    own = content(sentence.text)
    said = content(sentence.passage.about) - own
    wordings = [content(one.text) for one in asked.variants if one.why is not Why.FOCUS]
    shares = [(len(words & own) + UNSAID * len(words & said)) / len(words) for words in wordings if words]
    return max(shares, default=0.0)


def _is_of_kind(asked: Understood, sentence: Sentence) -> bool:
    if Intent.MEDICATION_DOSING in asked.intents:
        return any(one.unit for one in quantities(sentence.text))
    return Intent.CONTRAINDICATION in asked.intents and denies(sentence.text)
