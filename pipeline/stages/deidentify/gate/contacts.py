"""Contacts in registry text: e-mail addresses and telephone numbers, token by token."""

from __future__ import annotations

from typing import Final

_DIGITS: Final = "0123456789"
_PHONE_WORDS: Final = frozenset({"tel", "telephone", "phone", "fax", "mobile", "hotline", "cellphone"})
_PHONE_SIGNS: Final = frozenset("+-()./ ")
_EDGES: Final = ".,;:()[]<>\"'"
_NORTH_AMERICAN: Final = (3, 3, 4)
_PHONE_DIGITS: Final = range(7, 16)
_INTERNATIONAL_DIGITS: Final = range(9, 16)


def contacts(text: str) -> tuple[str, ...]:
    """Return which of EMAIL and PHONE still stand in ``text``, sorted; empty means that it may pass."""
    if "@" not in text and sum(map(text.count, _DIGITS)) < _PHONE_DIGITS.start:
        return ()  # most passages hold neither an address nor enough digits for a number
    tokens = text.split()
    found: set[str] = set()
    for index, token in enumerate(tokens):
        if token.isalpha():
            continue  # most words: neither an @ nor a digit
        if _is_email(token):
            found.add("EMAIL")
        if _is_phone(token.strip(_EDGES + " ")) or _has_area_code(tokens, index) or _follows_phone_word(tokens, index):
            found.add("PHONE")
    return tuple(sorted(found))


def _is_email(token: str) -> bool:
    local, at, domain = token.strip(_EDGES).rpartition("@")
    labels = domain.split(".")
    return bool(
        at
        and local
        and local[-1].isalnum()
        and len(labels) > 1
        and labels[-1].isalpha()
        and len(labels[-1]) > 1
        and all(label and label.replace("-", "").isalnum() for label in labels)
    )


def _is_phone(token: str) -> bool:
    """Whether a token without blanks is written as a telephone number: +49…, or three-three-four digits."""
    if not token or any(char not in _PHONE_SIGNS and not ("0" <= char <= "9") for char in token):
        return False
    groups = "".join(char if char.isdecimal() else " " for char in token).split()
    if token[0] == "+":
        return sum(map(len, groups)) in _INTERNATIONAL_DIGITS and not groups[0].startswith("0")
    if groups[:1] == ["1"]:
        groups = groups[1:]
    return tuple(map(len, groups)) == _NORTH_AMERICAN and "/" not in token and groups[0][0] not in "01" and groups[1][0] not in "01"


def _has_area_code(tokens: list[str], index: int) -> bool:
    """Whether a number follows an area code in brackets, with a blank between them."""
    token = tokens[index]
    return len(token) == 5 and token[0] == "(" and token[4] == ")" and _is_phone("".join(tokens[index : index + 2]).rstrip(_EDGES))


def _follows_phone_word(tokens: list[str], index: int) -> bool:
    """Whether the words before a run of digits announce a telephone number."""
    if index == 0 or tokens[index - 1].strip(_EDGES).lower() not in _PHONE_WORDS:
        return False
    digits = 0
    for token in tokens[index : index + 5]:
        plain = token.strip(_EDGES)
        if not plain or any(char not in _PHONE_SIGNS and not ("0" <= char <= "9") for char in plain):
            break
        digits += sum(char.isdecimal() for char in plain)
    return digits in _PHONE_DIGITS
