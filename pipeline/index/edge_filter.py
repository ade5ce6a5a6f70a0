"""Conditions in Qdrant Edge's classes."""

from __future__ import annotations

import qdrant_edge as edge

from pipeline.index.conditions import Conditions
from pipeline.index.edge_payload import MIRRORS


def to_filter(conditions: Conditions) -> edge.Filter | None:
    """Return Edge's filter, or ``None`` where nothing is asked (Edge takes an empty filter as everything)."""
    if conditions.is_empty:
        return None
    must: list[object] = [edge.FieldCondition(key=key, match=edge.MatchAny(values)) for key, values in conditions.any_of.items()]
    must += [edge.FieldCondition(key=key, match=edge.MatchValue(value)) for key, value in conditions.equal.items()]
    must += [edge.FieldCondition(key=key, range=edge.RangeFloat(lt=value)) for key, value in conditions.below.items()]
    must += [edge.FieldCondition(key=key, range=edge.RangeFloat(gte=value)) for key, value in conditions.at_least.items()]
    must += [edge.FieldCondition(key=key, range=edge.RangeFloat(lte=value)) for key, value in conditions.at_most.items()]
    must += [_flag(key, value) for key, value in conditions.flags.items()]
    if conditions.either:
        must.append(edge.Filter(should=[to_filter(one) or edge.Filter() for one in conditions.either]))
    must_not = [_flag(key, value) for key, value in conditions.not_flags.items()]
    must_not += [edge.FieldCondition(key=key, match=edge.MatchExcept(values)) for key, values in conditions.none_but.items()]
    return edge.Filter(must=must or None, must_not=must_not or None)  # type: ignore[arg-type]  # the stub's union names each class


def _flag(field: str, value: bool) -> edge.FieldCondition:
    return edge.FieldCondition(key=MIRRORS[field], match=edge.MatchValue(int(value)))
