"""Conditions in the classes of qdrant-client."""

from __future__ import annotations

from qdrant_client import models

from pipeline.index.conditions import Conditions


def to_filter(conditions: Conditions) -> models.Filter | None:
    """Return the client's filter, or ``None`` where nothing is asked (Qdrant takes an empty filter as everything)."""
    if conditions.is_empty:
        return None
    must: list[models.Condition] = [
        models.FieldCondition(key=key, match=models.MatchAny(any=values)) for key, values in conditions.any_of.items()
    ]
    must += [_equals(key, value) for key, value in conditions.equal.items()]
    must += [models.FieldCondition(key=key, range=models.Range(lt=value)) for key, value in conditions.below.items()]
    must += [models.FieldCondition(key=key, range=models.Range(gte=value)) for key, value in conditions.at_least.items()]
    must += [models.FieldCondition(key=key, range=models.Range(lte=value)) for key, value in conditions.at_most.items()]
    must += [_equals(key, value) for key, value in conditions.flags.items()]
    if conditions.either:
        must.append(models.Filter(should=[to_filter(one) or models.Filter() for one in conditions.either]))
    must_not: list[models.Condition] = [_equals(key, value) for key, value in conditions.not_flags.items()]
    must_not += [
        models.FieldCondition(key=key, match=models.MatchExcept(**{"except": values})) for key, values in conditions.none_but.items()
    ]
    return models.Filter(must=must or None, must_not=must_not or None)


def _equals(key: str, value: int | bool) -> models.FieldCondition:
    return models.FieldCondition(key=key, match=models.MatchValue(value=value))
