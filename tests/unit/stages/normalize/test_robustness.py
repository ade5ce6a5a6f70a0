"""Whatever JSON stands in a record: a study comes out, or a ``RecordError``; nothing else is ever raised."""

from __future__ import annotations

import contextlib
import copy
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.domain.errors import RecordError
from pipeline.domain.study import Study
from pipeline.json_bytes import canonical_bytes
from pipeline.stages.normalize import normalize_study
from pipeline.testing.studies import study_record

BASE = study_record()
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None), max_size=20)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3), max_leaves=6
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path] if path else []
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, member in members:
        found += places(member, (*path, key))
    return found


PLACES = places(BASE)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(PLACES), VALUES), min_size=1, max_size=5))
def test_any_mutation_of_a_study_gives_a_study_or_a_record_error(changes: list[tuple[tuple[Any, ...], Any]]):
    record = copy.deepcopy(BASE)
    for path, value in changes:
        target: Any = record
        with contextlib.suppress(KeyError, IndexError, TypeError):  # an earlier change may have taken the place away
            for key in path[:-1]:
                target = target[key]
            if isinstance(target, dict) == isinstance(path[-1], str):  # a number is no key of JSON
                target[path[-1]] = value
    try:
        study = normalize_study(canonical_bytes(record))
    except RecordError:
        return
    assert isinstance(study, Study)
    orjson.dumps([study.brief_title, study.brief_summary, study.conditions, study.keywords])  # every text can be stored


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_give_a_record_error(data: bytes):
    with pytest.raises(RecordError) as caught:
        normalize_study(data)
    assert caught.value.category in {"not_json", "not_a_study", "invalid_nct_id"}


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_a_damaged_record_is_read_or_refused(data: st.DataObject):
    record = bytearray(orjson.dumps(BASE))
    for _ in range(data.draw(st.integers(1, 4))):
        record[data.draw(st.integers(0, len(record) - 1))] = data.draw(st.integers(0, 255))
    with contextlib.suppress(RecordError):
        normalize_study(bytes(record[: data.draw(st.integers(0, len(record)))]))
