"""Takes the names out of a FHIR resource that it says of others itself: displays of references, contained resources, authors of notes.

In: a dict. Out: class and value pairs. The allow-list drops all of these; a note beside them may name the same people.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from pipeline.domain.errors import RecordError
from pipeline.domain.phi import IdentifierClass
from pipeline.fhir.references import target_of
from pipeline.stages.deidentify.known.fhir import PEOPLE, Pair, values_of
from pipeline.stages.deidentify.known.people import TITLES
from pipeline.stages.deidentify.known.text import fold, is_word, word_set, words

#: Elements under which a reference stands for a person where neither it nor its type says so.
_OF_PEOPLE: Final = frozenset(
    {
        *("actor", "agent", "asserter", "attester", "authenticator", "author", "authorReference", "collector", "individual", "informant"),
        *("informationSource", "interpreter", "member", "party", "patient", "performer", "practitioner", "receiver", "recorder"),
        *("requester", "resultsInterpreter", "sender", "source", "subject", "verifier", "who"),
    }
)
_CREDENTIALS: Final = word_set(
    "md do dds dmd dpm dvm rn np pa pac phd mph msn bsn lpn aprn crnp crna pharmd rph frcp frcs facs facp mbbs mbchb"
)
#: Words of an author's name with title and degrees. A longer one is a sentence, whose words would be taken for parts of names.
_MOST_WORDS: Final = 6


def values_within(resource: Mapping[str, object]) -> Iterator[Pair]:
    """Yield what a resource itself says of the people that it refers to. What has another JSON type than FHIR gives it is passed over."""
    yield from _within(resource, "", is_root=True)


def _within(value: object, element: str, *, is_root: bool = False) -> Iterator[Pair]:
    if isinstance(value, list):
        for one in value:
            yield from _within(one, element)
    elif isinstance(value, Mapping):
        if not is_root and "resourceType" in value:
            yield from _contained(value)
        author, display = value.get("authorString"), value.get("display")
        if isinstance(author, str) and len(words(author)) <= _MOST_WORDS:
            yield IdentifierClass.NAME, name_of(author)
        if isinstance(display, str) and _is_person(value, display, element):
            yield IdentifierClass.NAME, name_of(display)
        for name, one in value.items():
            if isinstance(one, (Mapping, list)):
                yield from _within(one, str(name))


def _contained(resource: Mapping[str, object]) -> Iterator[Pair]:
    try:
        yield from list(values_of(resource))
    except RecordError:
        return


def _is_person(value: Mapping[str, object], display: str, element: str) -> bool:
    """Whether an object with a display is a reference to a person: by its target, by its type, else by its element and its words."""
    if "code" in value or "system" in value:
        return False
    written, kind = value.get("reference"), value.get("type")
    target = target_of(written, {}) if isinstance(written, str) else None
    said = target[0] if target else kind if isinstance(kind, str) else None
    if said is not None:
        return said in PEOPLE
    folded = [fold(word) for word in words(display)]
    return element in _OF_PEOPLE and bool(folded) and (folded[0] in TITLES or not any(map(is_word, folded)))


def name_of(shown: str) -> str:
    """Return a name as it is shown, without degrees behind a comma: ``Ola Brunnhilde, MD`` would be read as of the family Ola Brunnhilde."""
    name, *behind = shown.split(",")
    return name if all(fold(part) in _CREDENTIALS for part in behind) else shown
