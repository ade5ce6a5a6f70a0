"""The eligibility text of a study comes in; one draft a criterion goes out, with its parents' context, scope and polarity."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from pipeline.domain.chunks import Drop
from pipeline.domain.ports import TokenCounter
from pipeline.domain.vocabulary import DropReason, ParseOutcome, Section
from pipeline.stages.chunking.context import Prefix, abbreviate, is_lead_in
from pipeline.stages.chunking.draft import Carried, Draft, Drafts
from pipeline.stages.chunking.formats import formats_of
from pipeline.stages.chunking.language import language_of
from pipeline.stages.chunking.layout import Kind, read_page
from pipeline.stages.chunking.markup import Folded
from pipeline.stages.chunking.roles import Role
from pipeline.stages.chunking.tree import Node, Tree, build

_PLACEHOLDER: Final = re.compile(
    r"(?:none|n\s*/\s*a|nil|na|not applicable|no (?:other )?exclusions?(?: criteria)?|none (?:specified|known|stated|listed|applicable)|tbd)[\s.;,]*",
    re.IGNORECASE,
)
_TRAILING: Final = " \t\n:：-–—"
# Nearest parents that a criterion carries. Of real criteria 99.98 % have at most four (decision 0002); a text of 5,000 levels stays linear.
_MAX_PARENTS: Final = 4
# Of the model's window, all parents together and one parent at most: the criterion itself needs the rest.
_CONTEXT_SHARE: Final = 2
_PARENT_SHARE: Final = 3
_SECTIONS: Final = {False: Section.INCLUSION_CRITERION, True: Section.EXCLUSION_CRITERION, None: Section.ELIGIBILITY_UNPARSED}


@dataclass(frozen=True, slots=True)
class Eligibility:
    """What an eligibility text was read as."""

    drafts: Drafts = field(repr=False)
    outcome: ParseOutcome
    formats: tuple[str, ...]
    language: str | None


@dataclass(slots=True)
class _Shown:
    """A node's place in the output."""

    prefix: Prefix
    tokens: int
    parents: tuple[int, ...] = ()  # nodes whose prefixes it carries, outermost first
    emits: bool = False
    placeholder: bool = False


def read_eligibility(part: str, folded: Folded, tokens: TokenCounter, *, parent_context_characters: int) -> Eligibility:
    """Read an eligibility text. Every character is in a draft, in a parent that a draft carries, or in a drop."""
    page = read_page(folded)
    tree = build(page)
    drafts = Drafts()
    for entry in page.entries:
        for mark in entry.marks:
            drafts.drops.append(_drop(part, folded, mark.start, mark.end, DropReason.BULLET))
        if entry.kind is Kind.HEADER:
            drafts.drops.append(_drop(part, folded, *entry.ranges[0], DropReason.HEADER))
    shown = _show(tree, tokens, parent_context_characters)
    _emit_what_nobody_carries(tree, shown)
    _write(part, tree, shown, drafts, tokens)
    return Eligibility(drafts, _outcome(tree, folded), formats_of(folded, page, tree), language_of(folded.text, tree))


def _outcome(tree: Tree, folded: Folded) -> ParseOutcome:
    if not folded.text.strip():
        return ParseOutcome.NO_CRITERIA
    if len(tree.polarities) > 1:
        return ParseOutcome.BOTH
    if not tree.polarities:
        return ParseOutcome.UNPARSED
    return ParseOutcome.EXCLUSION_ONLY if True in tree.polarities else ParseOutcome.INCLUSION_ONLY


def _drop(part: str, folded: Folded, start: int, end: int, reason: DropReason) -> Drop:
    while end > start and folded.text[end - 1].isspace():
        end -= 1
    return Drop(part, folded.raw_span(start, end), reason)


def _show(tree: Tree, tokens: TokenCounter, characters: int) -> list[_Shown]:
    """Decide for each node what its children carry of it, and whether it is a criterion of its own."""
    shown: list[_Shown] = []
    for node in tree.nodes:
        text = node.entry.text
        needs_prefix = node.has_children and node.role is not Role.GROUPING
        prefix = (
            abbreviate(text, tokens, characters=characters, max_tokens=tokens.window // _PARENT_SHARE)
            if needs_prefix
            else Prefix("", whole=False)
        )
        placeholder = _is_placeholder(text)
        current = _Shown(prefix, tokens.count(prefix.text) if prefix.text else 0, placeholder=placeholder)
        current.parents = _carried(tree, shown, node, tokens.window // _CONTEXT_SHARE)
        only_opens = needs_prefix and prefix.whole and (node.role is not Role.CRITERION or is_lead_in(text))
        current.emits = not placeholder and node.role is not Role.GROUPING and not only_opens
        shown.append(current)
    return shown


def _is_placeholder(text: str) -> bool:
    return _PLACEHOLDER.fullmatch(text) is not None or not any(char.isalnum() for char in text)


def _carried(tree: Tree, shown: list[_Shown], node: Node, budget: int) -> tuple[int, ...]:
    """Return the nearest parents whose prefixes fit; the nearest always does."""
    carried: list[int] = []
    for index in _ancestors(tree, node):
        if not shown[index].prefix.text or shown[index].placeholder:
            continue
        if len(carried) == _MAX_PARENTS or (carried and shown[index].tokens > budget):
            break
        carried.append(index)
        budget -= shown[index].tokens
    return tuple(reversed(carried))


def _ancestors(tree: Tree, node: Node) -> Iterator[int]:
    index = node.parent
    while index is not None:
        yield index
        index = tree.nodes[index].parent


def _emit_what_nobody_carries(tree: Tree, shown: list[_Shown]) -> None:
    """A parent whose children are all placeholders, or too deep to name it, is a criterion of its own after all."""
    carried = {parent for current in shown if current.emits for parent in current.parents}
    for index in range(len(shown) - 1, -1, -1):
        current = shown[index]
        if not current.emits and not current.placeholder and tree.nodes[index].role is not Role.GROUPING and index not in carried:
            current.emits = True
            carried.update(current.parents)


def _write(part: str, tree: Tree, shown: list[_Shown], drafts: Drafts, tokens: TokenCounter) -> None:
    ordinals = dict.fromkeys(Section, 0)
    first: dict[tuple[object, ...], Draft] = {}
    holders: dict[int, Draft] = {}
    for node, current in zip(tree.nodes, shown, strict=True):
        words = node.entry.passage
        assert words is not None  # noqa: S101  # the builder leaves out entries without words
        section = _SECTIONS[node.is_exclusion]
        if current.placeholder:
            ordinals[section] += 1
            drafts.drops.append(Drop(part, words.span, DropReason.PLACEHOLDER))
        elif node.role is Role.GROUPING:
            drafts.drops.append(Drop(part, words.span, DropReason.GROUPING_LABEL))
        elif current.emits:
            ordinals[section] += 1
            used = sum(shown[index].tokens for index in current.parents)
            context = (*_header_context(node, tokens, used), *(shown[index].prefix.text for index in current.parents))
            key = (section, node.scope, context, _normalised(words.text))
            draft = first.get(key)
            if draft is None:
                draft = Draft(section, ordinals[section], node.is_exclusion, part, words, node.scope, context)
                first[key] = draft
                drafts.drafts.append(draft)
            else:
                draft.repeats.append(ordinals[section])
                drafts.drops.append(Drop(part, words.span, DropReason.REPEAT))
            for index in current.parents:
                holders.setdefault(index, draft)
    _claim_parents(part, tree, shown, holders, drafts)


def _header_context(node: Node, tokens: TokenCounter, used: int) -> tuple[str, ...]:
    """Return what a header says of its criteria, where it fits beside their parents; its scope is on every chunk anyway."""
    header = node.header
    words = tuple(filter(None, (header.scope, header.label))) if header else ()
    fits = not words or used + tokens.count(": ".join(words)) <= tokens.window // _CONTEXT_SHARE
    return words if fits else ()


def _normalised(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".;, ")


def _claim_parents(part: str, tree: Tree, shown: list[_Shown], holders: dict[int, Draft], drafts: Drafts) -> None:
    """Say where the text of parents stands that are no chunks themselves."""
    for index, (node, current) in enumerate(zip(tree.nodes, shown, strict=True)):
        words = node.entry.passage
        if words is None or current.emits or current.placeholder or node.role is Role.GROUPING:
            continue
        drafts.carried.append(Carried(part, words.span, holders[index], current.prefix.text))
        last = words.words[-1]
        text = words.folded.text
        end = last.end
        while end > words.words[0].start and text[end - 1] in " \t\n:：;,.-–—":
            end -= 1
            if not text[end].isspace():
                drafts.drops.append(Drop(part, words.folded.raw_span(end, end + 1), DropReason.MARKUP))
