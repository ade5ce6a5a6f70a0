"""An old citation of a real home: after a re-chunk, a new version, another policy, a deletion."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import func, select

from pipeline.domain.identifiers import document_id, text_hash
from pipeline.domain.visibility import OPEN_ONLY, Visibility
from pipeline.domain.vocabulary import DeletionCause
from pipeline.jobs.deletion import carry_out, request
from pipeline.jobs.index import run_index
from pipeline.jobs.ingest import ingest
from pipeline.search.cite.resolve import resolve
from pipeline.search.request import Hit, SearchRequest
from pipeline.search.search import search
from pipeline.settings import Settings
from pipeline.stages.sources.files import StudyFiles
from pipeline.storage import citation_archive
from pipeline.storage.citation_tables import cited_texts, cited_versions
from pipeline.storage.tables import documents
from pipeline.wiring import Services, open_services

STUDY = "NCT99000001"
DOCUMENT = document_id("clinicaltrials.gov", STUDY)
ECOG = "ECOG performance status 0-1"
Edit = Callable[[str], str]


def hit(services: Services, query: str = ECOG) -> Hit:
    found = search(services, SearchRequest(query=query, nct_ids=(STUDY,), criteria_only=True), today=date(2026, 6, 1)).hits
    return found[0]


def token(services: Services, text: str = ECOG) -> str:
    """The token of the criterion with this text."""
    found = hit(services, text)
    tokens = {found.text: found.token, **{other.text: other.token for other in found.related}}
    return tokens[text]


@pytest.fixture
def edit(services: Services, edit_study) -> Callable[[Edit], None]:
    """Returns a function that changes the study's eligibility text and indexes it."""

    def change(words: Edit) -> None:
        def of_study(study: dict[str, Any]) -> None:
            module = study["protocolSection"]["eligibilityModule"]
            module["eligibilityCriteria"] = words(module["eligibilityCriteria"])

        ingest(services, StudyFiles([edit_study(STUDY, of_study)], services.settings))
        run_index(services)

    return change


def kept(services: Services) -> tuple[int, int]:
    """Superseded versions and texts of the study that are kept."""
    with services.db.read() as tx:
        counts = [tx.execute(select(func.count()).select_from(one)).scalar_one() for one in (cited_versions, cited_texts)]
    return counts[0], counts[1]


def test_a_hit_carries_token_hashes_version_and_why(services: Services):
    one = hit(services)
    assert one.text == ECOG
    assert one.text_hash == text_hash(ECOG)
    assert (len(one.version or ""), one.generation) == (16, 1)
    assert one.why is not None
    assert {word.text for word in one.why.terms} >= {"ECOG", "performance", "status"}
    assert all(one.text[start:end] == word.text for word in one.why.terms for start, end in word.places[:1])
    assert (one.why.found_by, one.why.route) == (["dense", "sparse"], "hybrid")
    assert one.why.filters["nct_ids"] == [STUDY]
    assert all(other.token and other.text_hash == text_hash(other.text) for other in one.related)


def test_every_hit_of_an_unchanged_home_is_the_same(services: Services):
    found = search(services, SearchRequest(query="cancer", limit=20), today=date(2026, 6, 1)).hits
    shown = [(one.token, one.text) for one in found] + [(other.token, other.text) for one in found for other in one.related]
    for one, text in shown:
        cited = resolve(services, one)
        assert (cited.status, cited.text, cited.moved) == ("same", text, [])


def test_written_anew_with_the_same_text_it_is_the_same_and_nothing_is_archived(services: Services):
    one = token(services)
    run_index(services, documents=[DOCUMENT], force=True)
    cited = resolve(services, one)
    assert (cited.status, cited.version) == ("same", cited.live_version)
    assert kept(services) == (0, 0)


def test_cut_otherwise_the_same_text_is_the_same_without_an_archive(services: Services, home: Settings):
    found = search(
        services,
        SearchRequest(query="trial design and background", limit=20, sections=("BRIEF_SUMMARY", "DETAILED_DESCRIPTION")),
        today=date(2026, 6, 1),
    )
    shown = [one.token for one in found.hits] + [other.token for one in found.hits for other in one.related]
    with open_services(home.model_copy(update={"prose_target_tokens": 40})) as recut:
        run_index(recut)
        statuses = {resolve(recut, one).status.value for one in shown}
        assert resolve(recut, shown[0]).live_version == resolve(recut, shown[0]).version
    assert statuses <= {"same", "moved"}
    assert "same" in statuses
    assert kept(services) == (0, 0)


def test_a_criterion_before_it_moves_it(services: Services, edit):
    one = token(services)
    edit(lambda text: text.replace("* Histologically", "* Written informed consent\n* Histologically"))
    cited = resolve(services, one)
    assert (cited.status, cited.text) == ("moved", ECOG)
    assert cited.now is not None
    assert (cited.was.ordinal, cited.now.ordinal) == (4, 5)
    assert cited.moved == ["ordinal", "span"]
    assert cited.citation == f"{STUDY}, 5th inclusion criterion"


def test_other_words_change_it_and_the_difference_shows_both(services: Services, edit):
    one = token(services)
    edit(lambda text: text.replace(ECOG, "ECOG performance status 0-2"))
    cited = resolve(services, one)
    assert (cited.status, cited.old_text, cited.text) == ("changed", ECOG, "ECOG performance status 0-2")
    assert [(part.kind, part.text) for part in cited.difference] == [
        ("same", "ECOG performance status "),
        ("removed", "0-1"),
        ("added", "0-2"),
    ]
    assert kept(services) == (1, 1), "one version, and the one passage of it that is gone"
    assert resolve(services, token(services, "ECOG performance status 0-2")).status == "same"


def test_a_criterion_that_is_gone_was_removed_and_shows_nothing(services: Services, edit):
    one = token(services)
    edit(lambda text: text.replace(f"* {ECOG}\n", ""))
    cited = resolve(services, one)
    assert (cited.status, cited.removed) == ("removed", "passage")
    assert ECOG not in cited.model_dump_json()


def test_an_inclusion_that_became_an_exclusion_is_not_the_same(services: Services, edit):
    one = token(services)
    edit(lambda text: text.replace(f"* {ECOG}\n", "") + f"\n* {ECOG}")
    cited = resolve(services, one)
    assert cited.status == "moved"
    assert cited.moved[0] == "section"


def test_through_several_versions_the_first_ones_words_are_known_until_they_are_pruned(services: Services, edit):
    one = token(services)
    for upper in ("2", "3", "4", "5"):
        edit(lambda text, upper=upper: text.replace("status 0-1", f"status 0-{upper}"))
        cited = resolve(services, one)
        known = ECOG if upper != "5" else None  # CLINDEX_CITATION_VERSIONS is 3
        assert (cited.status, cited.old_text, cited.text) == ("changed", known, f"ECOG performance status 0-{upper}")
    assert kept(services) == (3, 3)


def test_words_that_come_back_are_the_same_again_and_kept_no_longer(services: Services, edit):
    one = token(services)
    edit(lambda text: text.replace("status 0-1", "status 0-2"))
    edit(lambda text: text)
    assert resolve(services, one).status == "same"
    with services.db.read() as tx:
        assert set(citation_archive.texts(tx, DOCUMENT).values()) == {"ECOG performance status 0-2"}


def test_a_home_that_keeps_no_versions_still_says_that_it_changed(home: Settings, edit_study):
    def change(study: dict[str, Any]) -> None:
        module = study["protocolSection"]["eligibilityModule"]
        module["eligibilityCriteria"] = module["eligibilityCriteria"].replace("status 0-1", "status 0-2")

    with open_services(home.model_copy(update={"citation_versions": 0})) as services:
        one = token(services)
        ingest(services, StudyFiles([edit_study(STUDY, change)], services.settings))
        run_index(services)
        cited = resolve(services, one)
        assert (cited.status, cited.old_text, cited.difference) == ("changed", None, [])
        assert kept(services) == (0, 0)


def test_under_another_policy_no_old_text_is_kept_or_shown(services: Services, edit, monkeypatch: pytest.MonkeyPatch):
    """Old texts may show what the new policy replaces."""
    from pipeline.jobs import prepare

    one = token(services)
    edit(lambda text: text.replace("status 0-1", "status 0-2"))
    assert resolve(services, one).old_text == ECOG
    monkeypatch.setattr(prepare, "GATE_VERSION", "another")
    run_index(services, documents=[DOCUMENT], force=True)
    cited = resolve(services, one)
    assert (cited.status, cited.old_text) == ("changed", None)
    assert kept(services) == (0, 0)


def test_of_a_deleted_document_nothing_is_shown_or_kept(services: Services, edit):
    one = token(services)
    edit(lambda text: text.replace("status 0-1", "status 0-2"))
    asked = request(
        services, documents=(DOCUMENT,), cause=DeletionCause.DOCUMENT, reason="entered in error", by="tester", approve_large=True
    )
    assert resolve(services, one).removed == "document", "unsearchable at once"
    assert kept(services) == (1, 1)
    outcome = carry_out(services, UUID(str(asked.deletion_id)))
    cited = resolve(services, one)
    assert (cited.status, cited.removed, cited.title, cited.text) == ("removed", "document", None, None)
    assert kept(services) == (0, 0)
    assert (outcome.rows["cited_versions"], outcome.rows["cited_texts"]) == (1, 1)


def test_a_document_that_its_source_dropped_is_removed_with_its_archive(services: Services, edit):
    from pipeline.storage.documents import tombstone
    from pipeline.wiring import utc_now

    one = token(services)
    edit(lambda text: text.replace("status 0-1", "status 0-2"))
    with services.db.begin() as tx:
        tombstone(tx, [DOCUMENT], utc_now())
    run_index(services)
    assert resolve(services, one).removed == "document"
    assert kept(services) == (0, 0)


def test_what_a_reader_may_not_see_is_answered_as_what_was_deleted(services: Services):
    one = token(services)
    assert resolve(services, one, OPEN_ONLY).status == "same"
    with services.db.begin() as tx:
        facets = dict(tx.execute(select(documents.c.facets).where(documents.c.document_id == DOCUMENT)).scalar_one())
        tx.execute(documents.update().where(documents.c.document_id == DOCUMENT).values(facets={**facets, "access": "restricted"}))
    hidden = resolve(services, one, Visibility())
    assert resolve(services, one).status == "same"
    with services.db.begin() as tx:
        tx.execute(documents.update().where(documents.c.document_id == DOCUMENT).values(tombstoned_at=func.current_timestamp()))
    assert hidden.model_dump() == resolve(services, one, Visibility()).model_dump()
