"""Ways to reach somebody: e-mail and web addresses, network addresses, telephone and fax numbers (paragraphs D, E, F, N, O)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pipeline.domain.phi import Found, IdentifierClass
from pipeline.stages.deidentify.gate.lexicon import word_list
from pipeline.stages.deidentify.gate.words import Word, Words

_EDGES: Final = ".,;:()[]{}<>\"'!?*"
_ENDINGS: Final = word_list("reach", "endings")
_PHONE_CUES: Final = word_list("reach", "phone_cues")
_FAX_CUES: Final = frozenset({"fax", "facsimile", "telefax", "f"})
_CUE_WORDS: Final = 5  # "can be reached at home on 555…"
_PHONE_GAP: Final = frozenset(" ().-+/\t")
_INTERNATIONAL: Final = range(9, 16)
_LOCAL: Final = range(7, 16)
_SHAPES: Final = frozenset({(3, 3, 4), (1, 3, 3, 4), (3, 4, 4), (5, 6), (4, 3, 4)})  # after a cue, or with an area code
_MAX_WORDS: Final = 5
_GROUP_SIGNS: Final = "-./+"


def find_reach(read: Words) -> list[Found]:
    """Return addresses and numbers."""
    return [*_addresses(read), *_phones(read)]


def _addresses(read: Words) -> list[Found]:
    found: list[Found] = []
    runs = read.runs()
    for index, (run, start) in enumerate(runs):
        if run.isalpha():
            continue
        core = run.strip(_EDGES)
        category = _address_class(core, runs, index)
        if category is not None:
            found.append(read.place(start, start + len(run), category, "reach"))
    return found


def _address_class(core: str, runs: Sequence[tuple[str, int]], index: int) -> IdentifierClass | None:
    low = core.lower()
    if low == "at" and len(core) < len(runs[index][0]):  # study (at) clinic.example, each between blanks
        domain = runs[index + 1][0].strip(_EDGES).lower() if index + 1 < len(runs) else ""
        return IdentifierClass.EMAIL if index and _is_domain(domain) else None
    local, sign, domain = low.replace("(at)", "@").replace("[at]", "@").rpartition("@")
    if sign and local and _is_domain(domain, any_ending=True):
        return IdentifierClass.EMAIL
    if "://" in low or low.startswith("www."):
        return IdentifierClass.URL
    host, slash, _ = low.partition("/")
    if (slash or host.count(".") > 1) and _is_domain(host) and any(char.isalpha() for char in host.split(".")[0]):
        return IdentifierClass.URL
    if host.endswith((".com", ".org", ".net", ".edu")) and _is_domain(host) and len(host.split(".")[0]) > 2:
        return IdentifierClass.URL
    return IdentifierClass.IP if _is_ip(core) else None


def _is_domain(host: str, *, any_ending: bool = False) -> bool:
    labels = host.split(".")
    known = labels[-1] in _ENDINGS or (any_ending and labels[-1].isalpha() and len(labels[-1]) > 1)
    return len(labels) > 1 and known and all(label and label.replace("-", "").isalnum() for label in labels)


def _is_ip(core: str) -> bool:
    core = core.partition("/")[0]
    four, _, port = core.partition(":")
    groups = four.split(".")
    if len(groups) == 4 and (not port or port.isdecimal()):
        numbers = all(group.isdecimal() and len(group) <= 3 and int(group) < 256 for group in groups)
        return numbers and any(len(group) > 1 for group in groups)  # 1.2.3.4 is a section
    six = core.split(":")
    hexadecimal = all(len(group) <= 4 and all(char in "0123456789abcdefABCDEF" for char in group) for group in six)
    return hexadecimal and len(six) > 3 and (len(six) == 8 or "::" in core) and any(len(group) > 2 for group in six)


def _phones(read: Words) -> list[Found]:
    found: list[Found] = []
    every = read.all
    index = 0
    while index < len(every):
        end = _phone_end(every, index) if every[index].digits else None
        if end is None:
            index += 1
            continue
        cues = {one.low for one in every[max(0, index - _CUE_WORDS) : index]}
        category = IdentifierClass.FAX if cues & _FAX_CUES else IdentifierClass.PHONE
        found.append(read.found(every[index], every[end], category, "reach"))
        index = end + 1
    return found


def _phone_end(every: Sequence[Word], index: int) -> int | None:
    """Return the last word of the telephone number that begins at a word, or ``None``."""
    groups: list[str] = []
    best: int | None = None
    cued = any(one.low in _PHONE_CUES for one in every[max(0, index - _CUE_WORDS) : index])
    plus = every[index].gap.endswith("+") or every[index].text.startswith("+")
    for place in range(index, min(index + _MAX_WORDS, len(every))):
        word = every[place]
        if place > index and not all(char in _PHONE_GAP for char in word.gap):
            break
        number, extended, extension = word.low.partition("x")
        if extended and not extension.isdecimal():
            break
        parts = number.translate(_TO_BLANKS).split()
        if not parts or not all(part.isdecimal() and part.isascii() for part in parts):
            break
        groups += parts
        if _is_phone(groups, cued=cued, plus=plus, spread=place > index):
            best = place
    return best


_TO_BLANKS: Final = str.maketrans(dict.fromkeys(_GROUP_SIGNS, " "))


def _is_phone(groups: Sequence[str], *, cued: bool, plus: bool, spread: bool) -> bool:
    lengths = tuple(map(len, groups))
    digits = sum(lengths)
    if plus:
        return digits in _INTERNATIONAL and not groups[0].startswith("0") and len(groups) > 1
    if lengths in _SHAPES:
        area = groups[-3] if len(groups) >= 3 else groups[0]
        north_american = lengths[-3:] == (3, 3, 4) and area[0] not in "01" and groups[-2][0] not in "01"
        return north_american or cued or (groups[0].startswith("0") and lengths != (3, 3, 4))
    if not cued:
        return False
    return (
        digits in _LOCAL
        and max(lengths) >= 3
        and not any(int(group) in range(1900, 2100) for group in groups if len(group) == 4 and spread)
    )
