"""FHIR's XML form in, its JSON form out (https://hl7.org/fhir/R4/xml.html): numbers keep their digits, nothing outside is ever loaded.

Which elements repeat, and which values are numbers, is told by the published models of the release. A document type, and with it every
entity, is refused.
"""

from __future__ import annotations

import typing
from collections.abc import Iterator
from decimal import Decimal
from functools import cache
from typing import Any, Final

from lxml import etree

from pipeline.domain.errors import RecordError
from pipeline.domain.fhir import Printed
from pipeline.domain.vocabulary import FailureCategory, FhirVersion
from pipeline.fhir.exact_json import MAX_DEPTH
from pipeline.fhir.models import model_of

_FHIR: Final = "{http://hl7.org/fhir}"
_XHTML: Final = "{http://www.w3.org/1999/xhtml}"
_HOLDERS: Final = ("contained", "resource", "outcome")


def read_xml(data: bytes, version: FhirVersion) -> dict[str, Any]:
    """Return the JSON form of one resource or Bundle. Elements that FHIR does not have are kept, so that checking finds them.

    Args:
        data: The document, in any encoding that it declares.
        version: The release whose models tell what repeats.

    Raises:
        RecordError: ``unsupported_format`` (no XML, a document type or entities, nested too deeply), ``not_a_resource``. It quotes nothing.
    """
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError):
        raise RecordError(FailureCategory.UNSUPPORTED_FORMAT, "no XML that can be read") from None
    if root.getroottree().docinfo.doctype:
        raise RecordError(FailureCategory.UNSUPPORTED_FORMAT, "a document type, which FHIR does not allow")
    if not _is_element(root) or not root.tag.startswith(_FHIR):
        raise RecordError(FailureCategory.NOT_A_RESOURCE, "no FHIR element")
    return _resource(root, version, 0)


def _resource(element: Any, version: FhirVersion, depth: int) -> dict[str, Any]:
    kind = _name(element)
    return {"resourceType": kind, **_fields(element, model_of(kind, version), version, depth)}


def _fields(element: Any, model: Any, version: FhirVersion, depth: int) -> dict[str, Any]:
    if depth > MAX_DEPTH:
        raise RecordError(FailureCategory.UNSUPPORTED_FORMAT, f"nested deeper than {MAX_DEPTH} levels")
    found: dict[str, Any] = {name: element.get(name) for name in ("id", "url") if element.get(name) is not None}
    repeated: dict[str, list[tuple[Any, Any]]] = {}
    for child in element:
        if not _is_element(child):
            continue
        if child.tag.startswith(_XHTML):
            found["div"] = etree.tostring(child, encoding="unicode", with_tail=False)
            continue
        name = _name(child)
        repeated.setdefault(name, []).append(_value(child, name, model, version, depth + 1))
    for name, values in repeated.items():
        is_list = _shape(model, name).repeats if model is not None else len(values) > 1
        if any(value is not None for value, _ in values):
            found[name] = [value for value, _ in values] if is_list or len(values) > 1 else values[0][0]
        if any(beside for _, beside in values):
            found[f"_{name}"] = [beside or None for _, beside in values] if is_list or len(values) > 1 else values[0][1]
    return found


def _value(element: Any, name: str, model: Any, version: FhirVersion, depth: int) -> tuple[Any, Any]:
    """Return an element's value and what stands beside a primitive one: its id and extensions."""
    shape = _shape(model, name)
    if name in _HOLDERS and len(element) == 1 and _is_element(element[0]) and _name(element[0])[:1].isupper():
        return _resource(element[0], version, depth), None
    if element.get("value") is not None or (shape.is_primitive and shape.is_known):
        beside = _fields(element, model_of("Extension", version), version, depth)  # the one model of an id and extensions alone
        return _primitive(element.get("value"), shape.types), beside or None
    return _fields(element, shape.model, version, depth), None


def _primitive(value: str | None, types: tuple[Any, ...]) -> Any:
    if value is None:
        return None
    if bool in types and value in ("true", "false"):
        return value == "true"
    if (int in types or Decimal in types) and value.lstrip("-")[:1].isdecimal():
        return Printed(value)
    return value


class _Shape(typing.NamedTuple):
    """What a model says of one of its elements."""

    is_known: bool = False
    repeats: bool = False
    is_primitive: bool = False
    model: Any = None
    types: tuple[Any, ...] = ()


@cache
def _shapes(model: Any) -> dict[str, _Shape]:
    return {field.alias or name: _shape_of(field.annotation) for name, field in model.model_fields.items()}


def _shape(model: Any, name: str) -> _Shape:
    return _Shape() if model is None else _shapes(model).get(name, _Shape())


def _shape_of(annotation: Any) -> _Shape:
    leaves = list(_leaves(annotation))
    holder = next((one for one in leaves if hasattr(one, "get_model_klass")), None)
    inner = holder.get_model_klass() if holder is not None else None
    return _Shape(True, _repeats(annotation), holder is None, inner, tuple(one for one in leaves if one is not type(None)))


def _repeats(annotation: Any) -> bool:
    return typing.get_origin(annotation) is list or any(_repeats(one) for one in typing.get_args(annotation))


def _leaves(annotation: Any) -> Iterator[Any]:
    if isinstance(annotation, type) and typing.get_origin(annotation) is None:
        yield annotation
    for one in typing.get_args(annotation):
        yield from _leaves(one)


def _is_element(node: Any) -> bool:
    return isinstance(node.tag, str)


def _name(element: Any) -> str:
    return str(etree.QName(element).localname)
