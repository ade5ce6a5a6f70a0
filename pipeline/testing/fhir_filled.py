"""FHIR resources with something in every element: a type and a release in, resources that are valid and name people wherever FHIR lets them out.

Elements and their data types are those of the published models, so an element that a release adds is filled, too.
"""

from __future__ import annotations

import importlib
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pipeline.domain.vocabulary import FhirVersion
from pipeline.fhir.models import model_of

#: What would change whether a resource is taken at all, and what is of no data type.
_LEFT_OUT: Final = frozenset({"id", "meta", "implicitRules", "contained", "modifierExtension", "resource_type", "fhir_comments"})
_DEEPEST: Final = 5
#: Of codes that a model lists, those of a resource that is shown, in this order.
_STATUSES: Final = ("final", "completed", "active", "finished", "current", "in-progress", "order", "plan", "official")
_PLAIN: Final[Mapping[str, Any]] = {
    **{"Boolean": True, "Integer": 7, "Integer64": 7, "PositiveInt": 7, "UnsignedInt": 7, "Decimal": 7.5, "Time": "10:11:12"},
    "Id": "x7",
    "Oid": "urn:oid:1.2.3",
    "Uuid": "urn:uuid:5a2f6c1e-8f0d-4f43-9a57-0c3d1b9e7a77",
}
_MOMENTS: Final = {"Date": "{date}", "DateTime": "{date}T10:11:12Z", "Instant": "{date}T10:11:12Z"}
_WORDS: Final = ("String", "Markdown")
_ADDRESSES: Final = ("Uri", "Url", "Canonical")


@dataclass(frozen=True, slots=True)
class Filling:
    """What stands in elements.

    Attributes:
        sentence: In every free text.
        name: In displays, and wherever a person has a name that ``own`` does not give.
        url: In every address of the web.
        date: ISO day of every moment.
        base64: In every base64.
        targets: ``Type/id`` that references of a type lead to; others lead to an id made of ``reference_id``.
        reference_id: Id of whatever else is referred to.
        own: Values by data type (``HumanName``) or by path (``Patient.contact.name``), in place of what would be made.
    """

    sentence: str
    name: str
    url: str
    date: str
    base64: str
    reference_id: str
    targets: Mapping[str, str]
    own: Mapping[str, Any]


def filled(kind: str, version: FhirVersion, filling: Filling, *, variant: int = 0) -> dict[str, Any]:
    """Return a resource with every element; of elements of which one alone may be there, the one whose turn ``variant`` is.

    Raises:
        LookupError: The release has no such type.
    """
    model = model_of(kind, version)
    if model is None:
        raise LookupError(kind)
    return {"resourceType": kind, **_Filler(version, filling, variant).elements(model, kind, 0)}


class _Filler:
    def __init__(self, version: FhirVersion, filling: Filling, variant: int) -> None:
        self._package = model_of("Patient", version).__module__.rpartition(".")[0]
        self._filling, self._variant = filling, variant

    def elements(self, model: Any, path: str, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, field in self._chosen(model):
            element = field.alias or name
            value = self._value(field.annotation, field.json_schema_extra or {}, f"{path}.{element}", depth)
            if value is not None:
                found[element] = value
        return found

    def _chosen(self, model: Any) -> Iterator[tuple[str, Any]]:
        choices: dict[str, list[tuple[str, Any]]] = {}
        for name, field in model.model_fields.items():
            extra = field.json_schema_extra or {}
            if name in _LEFT_OUT or not extra.get("element_property"):
                continue
            if "one_of_many" in extra:
                choices.setdefault(extra["one_of_many"], []).append((name, field))
            else:
                yield name, field
        for alternatives in choices.values():
            yield sorted(alternatives, key=_rank)[self._variant % len(alternatives)]

    def _value(self, annotation: Any, extra: Mapping[str, Any], path: str, depth: int) -> Any:
        """Return an element's value; ``None``: it is left out."""
        if path in self._filling.own:
            return self._filling.own[path]
        kind, is_list = _kind_of(annotation)
        value = self._of_kind(kind, extra, path, depth)
        return [value] if is_list and value is not None else value

    def _of_kind(self, kind: str, extra: Mapping[str, Any], path: str, depth: int) -> Any:
        filling = self._filling
        if kind in filling.own:
            return filling.own[kind]
        if kind in _PLAIN:
            return _PLAIN[kind]
        if kind in _WORDS:
            return filling.sentence
        if kind in _ADDRESSES:
            return filling.url
        if kind in _MOMENTS:
            return _MOMENTS[kind].format(date=filling.date)
        if kind == "Base64Binary":
            return filling.base64
        if kind == "Code":
            return _code(extra.get("enum_values"))
        if kind == "Reference":
            return {**self._reference(extra.get("enum_reference_types") or ["Patient"]), "display": filling.name}
        return self._complex(kind, path, depth)

    def _reference(self, types: list[str]) -> dict[str, str]:
        wanted = ["Patient"] if types == ["Resource"] else types  # of what may be of any type
        known = next((self._filling.targets[one] for one in wanted if one in self._filling.targets), None)
        return {"reference": known or f"{wanted[0]}/{self._filling.reference_id}"}

    def _complex(self, kind: str, path: str, depth: int) -> Any:
        """Return a data type or a part of the resource; an extension holds a text, what holds itself ends somewhere."""
        if kind == "Extension":
            return {"url": self._filling.url, "valueString": self._filling.sentence}
        if kind == "Narrative":
            return {"status": "generated", "div": f'<div xmlns="http://www.w3.org/1999/xhtml">{self._filling.sentence}</div>'}
        if depth >= _DEEPEST or kind == "Resource":
            return None
        return self.elements(_model(self._package, kind), path, depth + 1) or None


def _model(package: str, kind: str) -> Any:
    return importlib.import_module(package).get_fhir_model_class(kind)


def _rank(choice: tuple[str, Any]) -> tuple[int, str]:
    """Order alternatives so that those that can name somebody come first."""
    kind, _ = _kind_of(choice[1].annotation)
    order = ("String", "Markdown", "Reference", "CodeableReference", "CodeableConcept", "DateTime", "Annotation")
    return (order.index(kind) if kind in order else len(order)), choice[0]


def _kind_of(annotation: Any) -> tuple[str, bool]:
    """Return the name of an element's data type, and whether there may be several of it."""
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is list:
        return _kind_of(inner[0])[0], True
    if origin is typing.Annotated:
        return type(inner[-1]).__name__, False
    if inner:
        return _kind_of(next(one for one in inner if one is not type(None)))
    name = str(annotation.__name__)
    return ("Boolean" if name == "bool" else name.removesuffix("Type")), False


def _code(listed: list[str] | None) -> str:
    known = [one for one in listed or () if one.isascii() and one[:1].isalpha()]
    return next((one for one in _STATUSES if one in known), known[0] if known else "active")
