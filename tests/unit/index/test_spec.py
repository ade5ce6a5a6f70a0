"""The collection's contract, and its metadata."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path

import pytest

from pipeline.domain.identifiers import document_id
from pipeline.domain.points import BOOLEAN_FIELDS, INTEGER_FIELDS, KEYWORD_FIELDS, PointFilter
from pipeline.domain.visibility import Limits, Visibility
from pipeline.domain.vocabulary import Section
from pipeline.index.conditions import Conditions, conditions_of
from pipeline.index.spec import collection_contract, differences, spec_from_metadata, spec_to_metadata
from pipeline.testing.points import make_spec


def test_metadata_come_back_as_the_spec() -> None:
    metadata = json.loads(json.dumps(spec_to_metadata(make_spec())))
    assert spec_from_metadata(metadata) == make_spec()
    assert spec_from_metadata({**metadata, "somebody": "else"}) == make_spec()


@pytest.mark.parametrize(
    "metadata",
    [None, [], "x", {}, {"clindex": None}, {"clindex": {}}, {"clindex": {**spec_to_metadata(make_spec())["clindex"], "dimensions": "8"}}],
)
def test_metadata_that_are_not_ours_are_no_spec(metadata: object) -> None:
    assert spec_from_metadata(metadata) is None


def test_differences_are_named_by_field() -> None:
    assert differences(make_spec(), make_spec()) == []
    assert differences(make_spec(), make_spec(model="b", dimensions=9)) == ["model", "dimensions"]


def test_the_contract_lists_every_field_of_the_metadata() -> None:
    metadata = collection_contract()["properties"]["clindex"]
    assert set(metadata["properties"]) == {field.name for field in fields(make_spec())}
    assert set(metadata["properties"]) - set(metadata["required"]) == {"further"}  # collections made before it have none


def test_the_stored_contract_is_the_code_s() -> None:
    stored = Path(__file__).parents[3] / "schemas" / "collection.json"
    assert json.loads(stored.read_text(encoding="utf-8")) == collection_contract()


def _full_filter() -> PointFilter:
    return PointFilter(
        document_ids=(document_id("a", "b"),),
        generation=1,
        generation_below=2,
        sections=(Section.OUTCOME,),
        is_exclusion=False,
        exclude_exclusion_criteria=True,
        overall_status=("X",),
        kinds=("x",),
        sources=("x",),
        nct_ids=("x",),
        phases=("x",),
        study_types=("x",),
        conditions=("x",),
        patients=("x",),
        access=("x",),
        departments=("x",),
        agencies=("x",),
        states=("x",),
        protocol_numbers=("x",),
        reference_numbers=("x",),
        icd_codes=("x",),
        loinc_codes=("x",),
        snomed_codes=("x",),
        rxnorm_codes=("x",),
        encounters=("x",),
        resource_status=("x",),
        content_types=("x",),
        elements=("x",),
        scopes=("x",),
        dated_from=20310517,
        dated_to=20310518,
        visible=Visibility(Limits(labels=("x",), departments=("x",), patients=("x",))),
    )


def test_every_field_of_a_filter_becomes_a_condition() -> None:
    empty, full = PointFilter(), _full_filter()
    assert all(getattr(full, field.name) != getattr(empty, field.name) for field in fields(PointFilter))
    conditions = conditions_of(full)
    ranges = (conditions.equal, conditions.below, conditions.at_least, conditions.at_most)
    parts = (conditions.any_of, *ranges, conditions.flags, conditions.not_flags)
    assert sum(map(len, parts)) + bool(conditions.either) == len(fields(PointFilter))


def test_every_condition_is_on_a_field_with_a_payload_index_of_its_type() -> None:
    full = conditions_of(_full_filter())
    for conditions in (full, *full.either):
        assert {*conditions.any_of, *conditions.none_but} <= set(KEYWORD_FIELDS)
        assert {*conditions.equal, *conditions.below, *conditions.at_least, *conditions.at_most} <= set(INTEGER_FIELDS)
        assert {*conditions.flags, *conditions.not_flags} <= set(BOOLEAN_FIELDS)


def test_no_filter_is_no_condition() -> None:
    assert conditions_of(None) == conditions_of(PointFilter()) == Conditions()
    assert conditions_of(PointFilter()).is_empty
    assert not conditions_of(PointFilter(generation=0)).is_empty
