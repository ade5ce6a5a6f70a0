"""What search filters on besides text: who wrote a resource, as a role, and names of departments that the site's list may know."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import resources
from typing import Final

from pipeline.domain.vocabulary import AuthorRole
from pipeline.stages.assemble.fhir.codes import codings
from pipeline.stages.assemble.fhir.related import Related, Resource
from pipeline.stages.assemble.fhir.values import items, text_of

_NUCC: Final = "http://nucc.org/provider-taxonomy"
_SNOMED: Final = "http://snomed.info/sct"
#: Elements that name who wrote, interpreted or asked for a resource, the nearest to its words first.
_AUTHORS: Final = ("author", "resultsInterpreter", "recorder", "asserter", "requester", "performer", "participant")
_PEOPLE: Final = ("agent", "actor", "individual")


def author_role(fields: Resource, related: Related) -> AuthorRole | None:
    """Return the role of the first author whose codes tell one."""
    for people in _authors(fields, related):
        for concepts in (people.get("specialty"), people.get("code"), *(one.get("code") for one in items(people.get("qualification")))):
            found = role_of(concepts)
            if found is not None:
                return found
    return None


def _authors(fields: Resource, related: Related) -> Iterator[Resource]:
    for name in _AUTHORS:
        for one in items(fields.get(name)):
            people = [inner for person in _PEOPLE for inner in items(one.get(person))]
            yield from (found for each in (one, *people) if (found := related.get(each)) is not None)


def role_of(concepts: object) -> AuthorRole | None:
    """Return the role that the first known code of concepts names."""
    for concept in items(concepts):
        for coding in codings(concept):
            system, code = text_of(coding.get("system")).rstrip("/"), text_of(coding.get("code"))
            found = _by_prefix(code) if system == _NUCC else _roles()["snomed" if system == _SNOMED else "hl7"].get(code)
            if found is not None:
                return found
    return None


def _by_prefix(code: str) -> AuthorRole | None:
    return next((role for start, role in _roles()["nucc"].items() if code.startswith(start)), None)


@cache
def _roles() -> Mapping[str, Mapping[str, AuthorRole]]:
    """Return roles by code (of NUCC by its first signs, the longest first)."""
    raw = tomllib.loads(resources.files(__package__).joinpath("roles.toml").read_text("utf-8"))
    found = {
        kind: {code: AuthorRole(role) for role, table in raw.items() for code in table.get(kind, ())} for kind in ("hl7", "snomed", "nucc")
    }
    found["nucc"] = dict(sorted(found["nucc"].items(), key=lambda item: -len(item[0])))
    return found


def departments(fields: Resource, related: Related) -> tuple[str, ...]:
    """Return names that may be a department's, the surest first: the service of the encounter, its places, the practice, the author's specialty."""
    encounters = [found for name in ("encounter", "context") for one in items(fields.get(name)) for found in _encounters(one, related)]
    if fields.get("resourceType") == "Encounter":
        encounters = [fields]
    found: list[str] = []
    for encounter in encounters:
        found += _names(encounter.get("serviceType"))
        found += _of_places((one.get("location") for one in items(encounter.get("location"))), related)
    found += [name for one in items(fields.get("context")) for name in _names(one.get("practiceSetting"))]
    found += _names(fields.get("practiceSetting"))
    found += _of_places([fields.get("location")], related)
    found += [name for author in _authors(fields, related) for name in _names(author.get("specialty"))]
    return tuple(dict.fromkeys(found))


def _encounters(reference: Resource, related: Related) -> Iterator[Resource]:
    for one in (reference, *items(reference.get("encounter"))):
        found = related.get(one)
        if found is not None and found.get("resourceType") == "Encounter":
            yield found


def _of_places(references: Iterable[object], related: Related) -> list[str]:
    places = [place for one in references for _, place in related.all(one)]
    return [name for place in places for name in (text_of(place.get("name")), *_names(place.get("type"))) if name]


def _names(concepts: object) -> list[str]:
    """Return every name that concepts have: their texts and the displays of their codes."""
    found = []
    for concept in items(concepts):
        inner = concept.get("concept")
        found.append(text_of((inner if isinstance(inner, Mapping) else concept).get("text")))
        found += [text_of(coding.get("display")) for coding in codings(concept)]
    return [name for name in found if name]
