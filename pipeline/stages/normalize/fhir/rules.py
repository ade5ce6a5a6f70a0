"""The rules of FHIR as the published models know them, and those that they do not: a resource in, path and rule of what it breaks out.

What ``fhir.resources`` refuses although FHIR allows it is let pass; what it lets pass and Clindex relies on is checked here. No value ever
stands in a path: names that FHIR does not have are ``?``, for a person may have typed one there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from pydantic import ValidationError

from pipeline.domain.vocabulary import FhirVersion
from pipeline.fhir.base64_data import decoded, has_size_and_hash
from pipeline.fhir.exact_json import to_plain
from pipeline.fhir.models import model_of
from pipeline.fhir.references import ID

Problem = tuple[str, str]  # path, rule

_RULE: Final = re.compile(r"[a-z0-9_.]{1,64}")
_LONGEST_PATH: Final = 255
#: What the models refuse and FHIR allows: a ``uuid:`` of another version than 4, an extension on an id.
_ALLOWED_RULES: Final = frozenset({"uuid_version", "uuid_type", "uuid_parsing"})
_ALLOWED_EXTRA: Final = frozenset({"_id", "id__ext"})
_ATTACHMENTS: Final = frozenset({"attachment", "presentedForm", "photo", "valueAttachment", "contentAttachment"})
#: dateTime with a time and no zone, or with the hour 24, which FHIR does not have (https://hl7.org/fhir/R4/datatypes.html#dateTime).
_BAD_TIME: Final = re.compile(r"\d{4}-\d{2}-\d{2}T(?:24:|\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?$|\d{2}:\d{2}(?:Z|[+-]\d{2}:\d{2})$)", re.ASCII)
_MOMENTS: Final = (
    "DateTime",
    "Period",
    "Instant",
    "date",
    "issued",
    "authoredOn",
    "recordedDate",
    "start",
    "end",
    "lastUpdated",
    "recorded",
)


def broken_rule(resource: Mapping[str, Any], version: FhirVersion) -> Problem | None:
    """Return the first rule that a resource breaks, or ``None``."""
    model = model_of(str(resource.get("resourceType")), version)
    if model is None:
        return "resourceType", "unknown_type"
    try:
        model.model_validate(to_plain(_without_data(resource)))
    except ValidationError as error:
        problem = next((_problem(one) for one in error.errors(include_url=False, include_input=False) if not _is_allowed(one)), None)
        if problem is not None:
            return problem
    except RecursionError:
        return "?", "nested_too_deeply"
    except Exception as error:  # noqa: BLE001 - the models raise KeyError and others for what they do not know
        return "?", f"model_{type(error).__name__.casefold()}"[:64]
    return next(_own_rules(resource, ""), None)  # the models have seen every name by now: each may be shown


def bad_attachments(resource: Mapping[str, Any]) -> Iterator[str]:
    """Yield the path of each attachment with base64 that cannot be read, or with another size or SHA-1 than it says."""
    for path, one in _attachments(resource, ""):
        if not _is_sound(one):
            yield path


def _is_sound(attachment: Mapping[str, Any]) -> bool:
    content = decoded(attachment["data"]) if isinstance(attachment.get("data"), str) else None
    size, sha1 = attachment.get("size"), attachment.get("hash")
    return content is not None and has_size_and_hash(
        content, size=None if size is None else str(size), sha1=None if sha1 is None else str(sha1)
    )


def _attachments(value: Any, path: str, name: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    if isinstance(value, list):
        for number, one in enumerate(value):
            yield from _attachments(one, f"{path}[{number}]", name)
    elif isinstance(value, Mapping):
        if _is_attachment(value, name):
            yield path, value
            return
        for below, one in value.items():
            if isinstance(one, (Mapping, list)):
                yield from _attachments(one, f"{path}.{below}" if path else str(below), below)


def _is_attachment(value: Mapping[str, Any], name: str) -> bool:
    """Whether it is an Attachment with bytes: a format tells it from other elements that have ``data``, or the name that it stands under."""
    return "data" in value and value.get("resourceType") is None and ("contentType" in value or name in _ATTACHMENTS)


def _without_data(value: Any, name: str = "") -> Any:
    """Return a resource without base64: it is checked by itself, is most of the bytes, and one bad stretch must not refuse the rest."""
    if isinstance(value, list):
        return [_without_data(one, name) for one in value]
    if not isinstance(value, Mapping):
        return value
    dropped = ("data", "size", "hash") if _is_attachment(value, name) else ()
    return {below: _without_data(one, below) for below, one in value.items() if below not in dropped}


def _own_rules(value: Any, path: str) -> Iterator[Problem]:
    if isinstance(value, Mapping):
        if not value:
            yield path or "?", "empty_object"
        for name, one in value.items():
            below = f"{path}.{name}" if path else str(name)
            if name == "id" and not path and not (isinstance(one, str) and ID.fullmatch(one)):
                yield below, "id_shape"
            elif isinstance(one, str) and _BAD_TIME.match(one) and any(str(name).endswith(end) for end in _MOMENTS):
                yield below, "datetime_shape"
            elif isinstance(one, (Mapping, list)):
                yield from _own_rules(one, below)
    elif isinstance(value, list):
        if not value:
            yield path, "empty_array"
        for number, one in enumerate(value):
            if isinstance(one, (Mapping, list)):
                yield from _own_rules(one, f"{path}[{number}]")


def _is_allowed(error: Any) -> bool:
    last = next((str(one) for one in reversed(error["loc"]) if isinstance(one, str)), "")
    if error["type"] == "extra_forbidden":
        return last in _ALLOWED_EXTRA
    return error["type"] in _ALLOWED_RULES


def _problem(error: Any) -> Problem:
    parts = list(error["loc"])
    if error["type"] == "extra_forbidden" and parts:
        parts[-1] = "?"
    path = ""
    for part in parts:
        path += f"[{part}]" if isinstance(part, int) else f"{'.' if path else ''}{part}"
    rule = str(error["type"]).casefold().replace("-", "_").replace(" ", "_")
    return (path or "?")[:_LONGEST_PATH], rule if _RULE.fullmatch(rule) else "invalid"
