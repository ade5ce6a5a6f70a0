"""Names the layouts that an eligibility text uses, for the report."""

from __future__ import annotations

import re
from typing import Final

from pipeline.stages.chunking.layout import Kind, Page
from pipeline.stages.chunking.lines import Style
from pipeline.stages.chunking.markup import Folded
from pipeline.stages.chunking.roles import Role
from pipeline.stages.chunking.tree import Tree

_STYLE_NAMES: Final = {
    Style.SYMBOL: "bulleted",
    Style.HYPHEN: "hyphen_bullets",
    Style.NUMBER: "numbered",
    Style.MULTILEVEL: "multilevel_numbers",
    Style.LETTER: "lettered",
    Style.ROMAN: "roman",
}
_LEGACY: Final = re.compile(r"DISEASE CHARACTERISTICS|PATIENT CHARACTERISTICS|PRIOR CONCURRENT THERAPY")


def formats_of(folded: Folded, page: Page, tree: Tree) -> tuple[str, ...]:
    """Return the names of the layouts met, sorted."""
    headers = [entry for entry in page.entries if entry.header]
    polarities = [entry.header.is_exclusion for entry in headers if entry.header]
    marks = [mark for entry in page.entries for mark in entry.marks]
    found = {
        "escaped_markdown": bool(folded.escaped),
        "html_entities": folded.entities,
        "hard_wrapped": page.hard_wrapped,
        "run_on": page.run_on,
        "nested": any(node.parent is not None and tree.nodes[node.parent].role is Role.CRITERION for node in tree.nodes),
        "double_bullets": any(len(entry.marks) > 1 for entry in page.entries),
        "unicode_bullets": any(mark.form not in "*+o-" for mark in marks if mark.style is Style.SYMBOL),
        "paragraphs": not marks and bool(tree.nodes),
        "no_header": not headers and bool(tree.nodes),
        "several_blocks": max((polarities.count(False), polarities.count(True))) > 1,
        "combined_header": any(entry.header.is_exclusion is None and not entry.header.language for entry in headers if entry.header),
        "scoped_header": any(entry.header.scope for entry in headers if entry.header),
        "scope_labels": any(node.role is Role.SCOPE for node in tree.nodes),
        "inline_scope": any(
            node.role is Role.CRITERION and node.scope and not _inherits(tree, index) for index, node in enumerate(tree.nodes)
        ),
        "grouping_labels": any(node.role is Role.GROUPING for node in tree.nodes),
        "legacy_oncology": _LEGACY.search(folded.text) is not None,
        "other_language": any(entry.header.language for entry in headers if entry.header),
        "text_on_header_line": any(
            "\n" not in folded.text[header.ranges[0][1] : following.ranges[0][0]]
            for header, following in zip(page.entries, page.entries[1:], strict=False)
            if header.kind is Kind.HEADER and following.kind is not Kind.HEADER
        ),
    }
    names = {name for name, is_met in found.items() if is_met}
    names.update(_STYLE_NAMES[mark.style] for mark in marks)
    return tuple(sorted(names))


def _inherits(tree: Tree, index: int) -> bool:
    node = tree.nodes[index]
    if node.parent is not None:
        return tree.nodes[node.parent].scope == node.scope
    return bool(node.header and node.header.scope and node.scope == (node.header.scope,))
