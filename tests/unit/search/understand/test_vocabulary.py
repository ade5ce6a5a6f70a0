from datetime import UTC, datetime

import pytest
from sqlalchemy import select, update

from pipeline.domain.visibility import OPEN_ONLY, Visibility
from pipeline.search.understand import understand
from pipeline.search.understand.vocabulary import IndexVocabulary
from pipeline.storage.documents import tombstone
from pipeline.storage.tables import documents

INVENTED = "zemertinib"  # a drug of one sample study


def document_of(services, source_key):
    with services.db.read() as tx:
        return tx.execute(select(documents.c.document_id).where(documents.c.source_key == source_key)).scalar_one()


@pytest.mark.parametrize("word", [INVENTED, "taxane", "taxanes", "hypertension", "the"])
def test_the_index_holds_the_words_of_its_passages_in_any_inflection(services, word):
    assert IndexVocabulary(services).holds(word)


@pytest.mark.parametrize("word", ["zemertinip", "siezure", "password"])
def test_the_index_does_not_hold_other_words(services, word):
    assert not IndexVocabulary(services).holds(word)


def test_a_drug_that_only_the_index_knows_is_spelt_by_it(services):
    (correction,) = understand("zemertinb in lung cancer", IndexVocabulary(services)).corrections
    assert correction.to == INVENTED


def test_words_of_titles_are_counted_by_documents(services):
    counts = IndexVocabulary(services).titles().counts
    assert counts[INVENTED] == 1
    assert counts["cancer"] > counts[INVENTED]


def test_a_deleted_documents_words_spell_nothing_from_the_commit_on(services):
    vocabulary = IndexVocabulary(services)
    assert INVENTED in vocabulary.titles().counts
    with services.db.begin() as tx:
        tombstone(tx, [document_of(services, "NCT99000005")], datetime(2026, 1, 1, tzinfo=UTC))
    assert INVENTED not in vocabulary.titles().counts


def test_words_of_a_closed_document_are_nobodys_title_words(services):
    hidden = document_of(services, "NCT99000005")
    with services.db.begin() as tx:
        stored = tx.execute(select(documents.c.facets).where(documents.c.document_id == hidden)).scalar_one()
        tx.execute(update(documents).where(documents.c.document_id == hidden).values(facets={**stored, "access": "restricted"}))
    assert INVENTED not in IndexVocabulary(services).titles().counts


def test_what_who_asks_may_not_see_is_not_held(services):
    nothing = Visibility()
    assert IndexVocabulary(services, nothing).holds(INVENTED)  # trials are open
    assert IndexVocabulary(services, OPEN_ONLY).holds(INVENTED)
    with services.index.session() as index:
        points = [point.id for point in index.scan()]
        index.delete_points(points)
    assert not IndexVocabulary(services, OPEN_ONLY).holds(INVENTED)


def test_words_of_documents_show_in_no_representation(services):
    assert INVENTED not in repr(IndexVocabulary(services).titles())
