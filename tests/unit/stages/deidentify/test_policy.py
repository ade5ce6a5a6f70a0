"""Which policy a document has; versions and choices are part of its id, and only of its own."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from importlib import resources

import pytest

from pipeline.domain.phi import SAFE_HARBOR, IdentifierClass
from pipeline.domain.vocabulary import DocumentKind
from pipeline.stages.deidentify import PolicyChoices, ReplaceBy, Scrubber, policy_for
from pipeline.stages.deidentify.policy import parse

DATA = resources.files("pipeline.stages.deidentify").joinpath("policy.toml").read_text("utf-8")


def test_registry_text_loses_contacts_only():
    policy = policy_for(DocumentKind.TRIAL, "clinicaltrials.gov")
    assert policy.classes == {IdentifierClass.EMAIL, IdentifierClass.PHONE}
    assert not policy.reads_language


@pytest.mark.parametrize(("kind", "source"), [("note", "documents"), ("unheard-of", "anywhere"), ("trial", "another registry")])
def test_whatever_no_rule_names_is_scrubbed_of_every_class(kind: str, source: str):
    assert policy_for(kind, source).classes == frozenset(IdentifierClass)


def test_every_class_belongs_to_a_paragraph_of_safe_harbor():
    assert set(SAFE_HARBOR) == set(IdentifierClass)
    assert set(SAFE_HARBOR.values()) == set("ABCDEFGHIJKLMNOPQR")


def test_a_choice_changes_the_ids_of_its_own_documents_and_no_others():
    shifted = PolicyChoices(clinical_dates=ReplaceBy.SHIFT)
    named = PolicyChoices(keep_investigators=True)
    formats = PolicyChoices(formats="a1b2")
    kinds = [("note", "documents"), ("protocol", "documents"), ("trial", "clinicaltrials.gov")]

    def changed(choices: PolicyChoices) -> list[str]:
        return [kind for kind, source in kinds if policy_for(kind, source, choices).id != policy_for(kind, source).id]

    assert changed(shifted) == ["note"]
    assert changed(named) == ["protocol"]
    assert changed(formats) == ["note"]


def test_names_stay_in_public_documents_where_the_site_says_so():
    text = "Principal Investigator: Dr. Osric Vane (office@site.example)"

    def scrubbed(kind: str, *, keep: bool) -> str:
        return Scrubber().scrub(text, policy_for(kind, "documents", PolicyChoices(keep_investigators=keep))).text

    assert scrubbed("protocol", keep=False) == "Principal Investigator: Dr. [NAME] ([EMAIL])"
    assert scrubbed("protocol", keep=True) == "Principal Investigator: Dr. Osric Vane ([EMAIL])"
    assert scrubbed("note", keep=True) == "Principal Investigator: Dr. [NAME] ([EMAIL])"


def test_the_year_that_tells_ages_over_89_is_part_of_the_id_where_dates_go():
    assert f"year={datetime.now(UTC).year}" in policy_for("note", "documents").id
    assert "year" not in policy_for(DocumentKind.TRIAL, "clinicaltrials.gov").id


def test_a_raised_version_is_another_policy():
    policies, _, default = parse(DATA)
    raised = re.sub(r'(\[policies\.clinical\]\nversion = )"[^"]+"', r'\1"next"', DATA)
    others, _, _ = parse(raised)
    assert others[default][0].id != policies[default][0].id
    assert all(others[name][0].id == policies[name][0].id for name in policies if name != default)


def test_a_class_without_placeholder_is_refused():
    with pytest.raises(ValueError, match="no placeholder for ZIP"):
        parse(DATA.replace('ZIP = "[ZIP]"\n', ""))


def test_a_rule_for_an_unknown_policy_is_refused():
    with pytest.raises(ValueError, match="unknown policies: nobody"):
        parse(DATA.replace('[default]\npolicy = "clinical"', '[default]\npolicy = "nobody"'))
