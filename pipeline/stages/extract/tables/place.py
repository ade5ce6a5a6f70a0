"""A page and its tables in, the page with each table as one block at its place out. No word is lost: what a table does not hold stays where it was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pipeline.stages.extract.content import Block, BlockKind, Line, PageContent, Table, Word
from pipeline.stages.extract.tables.cells import bounds, is_ruling


def place_tables(content: PageContent, tables: Sequence[Table]) -> PageContent:
    """Return the page with its tables in reading order.

    A table stands where its first word stood. Its block keeps the lines it was made of, so that every word of the page stays in some block.
    A caption is not part of a table: it stays the paragraph that it was. Rulings that OCR read as signs are dropped, and counted.
    """
    if not tables:
        return content
    content = _without_rulings(content, tables)
    owner = {id(word): number for number, table in enumerate(tables) for row in table.words for cell in row for word in cell}
    lines: list[list[Line]] = [[] for _ in tables]
    blocks: list[Block | int] = []
    for block in content.blocks:
        if block.table is not None or block.figure is not None:
            blocks.append(block)
            continue
        rest: list[Line] = []
        for line in block.lines:
            free, held = _parted(line, owner)
            if free is not None:
                rest.append(free)
            for number, part in held:
                if not lines[number]:
                    _close(blocks, block, rest)
                    rest = []
                    blocks.append(number)
                lines[number].append(part)
        _close(blocks, block, rest)
    placed = tuple(_table_block(tables[one], lines[one]) if isinstance(one, int) else one for one in blocks)
    return replace(content, blocks=placed)


def _without_rulings(content: PageContent, tables: Sequence[Table]) -> PageContent:
    blocks: list[Block] = []
    dropped = 0
    for block in content.blocks:
        lines = []
        for line in block.lines:
            words = tuple(word for word in line.words if not (is_ruling(word, content) and _is_inside(word, tables)))
            dropped += sum(len(word.text) for word in line.words) - sum(len(word.text) for word in words)
            if words:
                lines.append(line if len(words) == len(line.words) else replace(line, words=words))
        if lines or not block.lines:
            blocks.append(block if tuple(lines) == block.lines else replace(block, lines=tuple(lines)))
    return replace(content, blocks=tuple(blocks), dropped=content.dropped + dropped) if dropped else content


def _is_inside(word: Word, tables: Sequence[Table]) -> bool:
    return any(table.box.contains_middle_of(word.box) for table in tables)


def _parted(line: Line, owner: dict[int, int]) -> tuple[Line | None, list[tuple[int, Line]]]:
    """Return what of a line is in no table, and what is in which."""
    held: dict[int, list[int]] = {}
    for index, word in enumerate(line.words):
        held.setdefault(owner.get(id(word), -1), []).append(index)
    if list(held) == [-1]:
        return line, []
    parts = {number: tuple(line.words[index] for index in indexes) for number, indexes in held.items()}
    made = {number: replace(line, words=words, box=bounds(word.box for word in words)) for number, words in parts.items()}
    return made.pop(-1, None), list(made.items())


def _close(blocks: list[Block | int], block: Block, lines: Sequence[Line]) -> None:
    if tuple(lines) == block.lines:
        blocks.append(block)
    elif lines:
        blocks.append(replace(block, lines=tuple(lines), box=bounds(line.box for line in lines)))


def _table_block(table: Table, lines: Sequence[Line]) -> Block:
    return Block(BlockKind.TABLE, table.box, tuple(lines), table=table)
