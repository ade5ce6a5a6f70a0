from __future__ import annotations

import pytest

from pipeline.search.answer.claims import claims_of


@pytest.mark.parametrize(
    ("reply", "claims"),
    [
        ("Give 0.3 mg IM [P1].", [("Give 0.3 mg IM.", (1,))]),
        ("Give 0.3 mg IM. [P1]", [("Give 0.3 mg IM.", (1,))]),
        ("Give it [P1][P3]. Repeat [P2, P4].", [("Give it.", (1, 3)), ("Repeat.", (2, 4))]),
        ("Give it [p1]. [P2] Repeat once [3].", [("Give it.", (1, 2)), ("Repeat once.", (3,))]),
        ("First [P1].\n\nSecond [P2]", [("First.", (1,)), ("Second", (2,))]),
        ("No mark at all. One here [P1].", [("No mark at all.", ()), ("One here.", (1,))]),
        ("The same twice [P1][P1].", [("The same twice.", (1,))]),
        ("[P1]", []),
        ("", []),
        (" \n . ", []),
        ("Write [NAME] in capitals.", [("Write [NAME] in capitals.", ())]),
        ("Give 0.3 mg e.g. in the thigh [P1].", [("Give 0.3 mg e.g. in the thigh.", (1,))]),
    ],
)
def test_claims_of_a_reply(reply: str, claims: list[tuple[str, tuple[int, ...]]]):
    assert [(one.text, one.cited) for one in claims_of(reply)] == claims
