"""What an answer says, and on what grounds."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, Field


class AnswerMode(StrEnum):
    """Whose words an answer is in."""

    EXTRACTIVE = "extractive"  # the documents' own sentences, no word added
    GENERATED = "generated"  # a model's, each claim cited and checked


class Reason(StrEnum):
    """Why there is no answer, or why it is extractive although an endpoint is set."""

    NO_HIT = "no_hit"
    SEARCH_REFUSED = "search_refused"  # the search itself found no evidence for it
    NO_SENTENCE = "no_sentence"  # no sentence of the hits comes near enough to the question
    MODEL_FOUND_NONE = "model_found_none"  # the model says that the passages do not answer it
    NOT_TO_BE_SENT = "not_to_be_sent"  # no passage is of a kind and label that is sent out, and free of instructions
    ENDPOINT_FAILED = "endpoint_failed"
    EMPTY = "empty"
    TOO_LONG = "too_long"
    NO_CITATION = "no_citation"  # a claim names no passage
    UNKNOWN_PASSAGE = "unknown_passage"  # a claim names a passage that was not given
    NUMBER_NOT_IN_PASSAGE = "number_not_in_passage"  # or not with that unit or comparison sign
    NOT_SUPPORTED = "not_supported"  # a claim has hardly a word of the passage that it cites
    NEGATION_DIFFERS = "negation_differs"  # a claim denies what the passage says, or the other way round
    FENCE_REPEATED = "fence_repeated"  # the model repeats what only marks the passages


class AnswerCheck(BaseModel):
    """One check of an answer."""

    name: str
    passed: bool
    looked_at: int = Field(description="passages, sentences, claims, citations or numbers")
    failed: int


class Cite(BaseModel):
    """A passage that a statement rests on."""

    token: str = Field(description="`clindex cite TOKEN` says what became of the passage")
    citation: str
    document_id: str
    text_hash: str = Field(description="SHA-256 of the passage as shown")


class Statement(BaseModel):
    """A sentence of an answer."""

    text: str = Field(repr=False)
    text_hash: str = Field(description="SHA-256 of text")
    cites: list[Cite]
    start: int | None = Field(None, description="of an extracted sentence: where it stands in its passage, half-open range of characters")
    end: int | None = None
    score: float = Field(
        description="of an extracted sentence how near it is to the question; of a claim the share of its words in its passages"
    )


class ConflictKind(StrEnum):
    """In what two passages disagree."""

    NUMBER = "number"  # the same words and unit, and other numbers
    NEGATION = "negation"  # the same words, and one of them denies


class Conflict(BaseModel):
    """Two sentences of two documents that do not agree."""

    kind: ConflictKind
    first: Statement
    second: Statement


class TokenUse(BaseModel):
    """What the endpoint counted; zeros where nothing was sent."""

    prompt: int = 0
    reply: int = 0
    total: int = 0


class Answer(BaseModel):
    """An answer, or a refusal."""

    query: str = Field(repr=False)
    refused: bool
    reason: Reason | None = Field(None, description="why it is refused")
    mode: AnswerMode
    fallback: Reason | None = Field(None, description="why it is extractive although an endpoint is set")
    statements: list[Statement]
    conflicts: list[Conflict]
    confidence: float = Field(description="0..1, no probability: see docs/answers.md")
    checks: list[AnswerCheck]
    passages: list[Cite] = Field(description="what was looked at, best first; a generated answer was given no other")
    withheld: int = Field(0, description="of these, how many were not sent to the endpoint")
    endpoint_model: str | None = Field(None, description="what the endpoint was asked for; null: nothing was sent")
    tokens: TokenUse
    route: str
    seconds: float
