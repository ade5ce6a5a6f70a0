from datetime import UTC, date, datetime

import pytest
from sqlalchemy import select, update

from pipeline.domain.documents import Facets
from pipeline.domain.points import PointFilter
from pipeline.domain.visibility import OPEN_ONLY
from pipeline.domain.vocabulary import Provenance
from pipeline.search.request import make_request
from pipeline.search.route import RouteName, route
from pipeline.search.search import search
from pipeline.search.understand import understand
from pipeline.settings import Settings
from pipeline.storage.documents import tombstone
from pipeline.storage.file_rows import IdentifierRow, replace_identifiers
from pipeline.storage.study_tables import studies
from pipeline.storage.tables import chunks, documents
from pipeline.testing.homes import copy_home
from pipeline.wiring import open_services

# Numbers that the test gives to sample studies, by the last two digits of their NCT ids.
NUMBERS = {
    1: [("reference_number", "814")],
    2: [("reference_number", "1203")],
    3: [("reference_number", "1203-P")],
    4: [("reference_number", "1317.9")],
    5: [("protocol_number", "205801")],
    6: [("protocol_number", "205810")],
    7: [("protocol_number", "3000-02-005")],
    8: [("protocol_number", "CA116001")],
    9: [("protocol_number", "MK-3475-189")],
    10: [("fhir_id", "Observation/abc-1")],
    11: [("protocol_number", "510")],
    12: [("nct_id", "NCT00000189")],
}
# Codes that the tenth study is given, as a FHIR resource has them.
CODES = {"loinc_codes": ["4548-4"], "snomed_codes": ["59621000"], "rxnorm_codes": ["7242"], "icd_codes": ["C50.912"]}
SERIES_TITLE = {13: "Pembrolizumab plus chemotherapy (KEYNOTE-407)", 14: "COVID-19 vaccination in adults: Study 301 of IL-6"}


def nct(number):
    return f"NCT990000{number:02}"


def ids(services):
    with services.db.read() as tx:
        return {row.source_key: row.document_id for row in tx.execute(select(documents.c.source_key, documents.c.document_id))}


def give_numbers(services):
    known = ids(services)
    with services.db.begin() as tx:
        for number, values in NUMBERS.items():
            rows = [IdentifierRow(scheme, value, Provenance.EXTRACTED, 1, own=True) for scheme, value in values]
            replace_identifiers(tx, known[nct(number)], rows)
        for number, title in SERIES_TITLE.items():
            tx.execute(update(studies).where(studies.c.nct_id == nct(number)).values(official_title=title))
        tx.execute(update(chunks).where(chunks.c.document_id == known[nct(20)]).values(icd_codes=["E11.9"]))
        facets = tx.execute(select(documents.c.facets).where(documents.c.document_id == known[nct(10)])).scalar_one()
        tx.execute(update(documents).where(documents.c.document_id == known[nct(10)]).values(facets={**facets, **CODES}))
    return services


@pytest.fixture(scope="module")
def read_only(sample_home, models, tmp_path_factory):
    """The sample home, with numbers as site documents have them; shared by the tests that write nothing."""
    folder = tmp_path_factory.mktemp("numbered") / "home"
    copy_home(sample_home, folder)
    with open_services(Settings(home=folder, models_path=models)) as opened:
        yield give_numbers(opened)


@pytest.fixture
def numbered(services):
    """The same, for one test to write to."""
    return give_numbers(services)


def routed(services, query, **options):
    with services.db.read() as tx:
        return route(tx, understand(query), collection=services.collection, **options)


def named(services, query, **options):
    """The route's name and, where it names documents, their sample numbers."""
    found = routed(services, query, **options)
    keys = {document: key for key, document in ids(services).items()}
    return found.name.value, sorted(int(keys[each][-2:]) for each in (found.narrowed.document_ids if found.narrowed else ()))


KNOWN = [
    ("NCT99000030", [30]),
    ("nct 99000030", [30]),
    ("is NCT99000022 still recruiting", [22]),
    ("NCT99000001 or NCT99000003", [1, 3]),
    ("NCT00000189", [12]),
    ("814", [1]),
    ("814 death", [1]),
    ("policy 814", [1]),
    ("what does policy number 814 say about transport of the dead", [1]),
    ("ref 1317.9", [4]),
    ("1203", [2]),
    ("TP 1203-P", [3]),
    ("1203 p", [3]),
    ("1203 peds", [2, 3]),
    ("205801", [5]),
    ("205801 eligibility of people with kidney disease", [5]),
    ("study 3000-02-005", [7]),
    ("3000-02-005 stopping rules", [7]),
    ("ca116001", [8]),
    ("CA116001 dose modifications in detail", [8]),
    ("189", [9]),
    ("study 189", [9]),
    ("keynote 407", [13]),
    ("KEYNOTE-407 survival", [13]),
    ("KN-407", [13]),
    ("NIBO-1007", [1]),  # the sponsor's number of the registry
    ("nibo 1007", [1]),
    ("policy 510", [11]),
    ("510", [11]),
    ("Observation/abc-1", [10]),
]


@pytest.mark.parametrize(("query", "numbers"), KNOWN)
def test_an_identifier_that_the_index_holds_names_its_documents(read_only, query, numbers):
    assert named(read_only, query) == ("identifier", numbers)


NOWHERE = [
    "non-small-cell lung cancer",
    "intent-to-treat analysis",
    "18-65 years",
    "5 mg",
    "510 mg of iron",
    "give 510 mL in 15 minutes",
    "children aged 510",
    "platelets > 205801",
    "ECOG 0-1",
    "COVID-19",
    "CD19",
    "IL-6",
    "what happened to 510 patients who were treated for heart failure",
    "205802",
    "KEYNOTE-189 in lung cancer patients with metastases",
    "policy 9999",
    "keynote speech 814 people came to hear about hypertension",
    "E10.1",
    "I10",
    "LOINC 1234-5",
    "",
    "death",
]


@pytest.mark.parametrize("query", NOWHERE)
def test_everything_else_goes_to_the_hybrid_search(read_only, query):
    assert named(read_only, query) == ("hybrid", [])


@pytest.mark.parametrize("query", ["NCT99999999", "what are the results of nct-99999999", "NCT 99999999 pembrolizumab"])
def test_a_well_formed_nct_id_that_is_absent_is_answered_as_absent(read_only, query):
    found = routed(read_only, query)
    assert found.name is RouteName.ABSENT
    assert [one.value for one in found.absent] == ["NCT99999999"]


def test_of_several_ids_the_known_ones_are_searched_and_the_absent_ones_told(read_only):
    found = routed(read_only, "NCT99000001 and NCT99999999")
    assert (found.name, [one.value for one in found.absent]) == (RouteName.IDENTIFIER, ["NCT99999999"])


@pytest.mark.parametrize("query", ["policy 9999", "KEYNOTE-189", "CA999999", "Ref. No. 1499"])
def test_a_number_that_is_all_the_query_is_and_that_is_absent_is_told(read_only, query):
    assert routed(read_only, query).absent


@pytest.mark.parametrize("query", ["COVID-19", "CA125", "BX-220", "IL-6", "5 mg", "heart failure 2024"])
def test_a_name_with_a_number_is_no_absent_document(read_only, query):
    assert routed(read_only, query).absent == ()


def test_a_code_of_a_diagnosis_filters_passages(read_only):
    assert routed(read_only, "E11.9").narrowed == PointFilter(icd_codes=("E11.9",))
    assert routed(read_only, "icd e119 complications").narrowed == PointFilter(icd_codes=("E11.9",))


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("LOINC 4548-4", PointFilter(loinc_codes=("4548-4",))),
        ("4548-4", PointFilter(loinc_codes=("4548-4",))),
        ("last value of loinc code 4548-4", PointFilter(loinc_codes=("4548-4",))),
        ("snomed 59621000", PointFilter(snomed_codes=("59621000",))),
        ("SNOMED CT code: 59621000", PointFilter(snomed_codes=("59621000",))),
        ("rxnorm 7242", PointFilter(rxnorm_codes=("7242",))),
        ("icd C50.912 and rxcui 7242", PointFilter(icd_codes=("C50.912",), rxnorm_codes=("7242",))),
    ],
)
def test_a_code_of_a_vocabulary_filters_what_is_coded_with_it(read_only, query, wanted):
    assert routed(read_only, query).narrowed == wanted


@pytest.mark.parametrize("query", ["LOINC 2823-3", "snomed 38341003", "rxnorm 4548", "59621000 patients", "loinc 59621000"])
def test_a_code_that_nothing_is_coded_with_filters_nothing(read_only, query):
    assert routed(read_only, query).narrowed is None


def test_a_mentioned_number_is_not_the_documents_own(numbered):
    with numbered.db.begin() as tx:
        row = IdentifierRow("protocol_number", "777001", Provenance.EXTRACTED, 1, own=False)
        replace_identifiers(tx, ids(numbered)[nct(30)], [row])
    assert named(numbered, "777001") == ("hybrid", [])


def test_a_last_part_that_two_studies_share_names_neither(numbered):
    with numbered.db.begin() as tx:
        row = IdentifierRow("protocol_number", "XY-500-189", Provenance.EXTRACTED, 1, own=True)
        replace_identifiers(tx, ids(numbered)[nct(30)], [row])
    assert named(numbered, "study 189") == ("hybrid", [])


def test_a_deleted_document_is_not_there_from_the_commit_on(numbered):
    assert named(numbered, "205801") == ("identifier", [5])
    with numbered.db.begin() as tx:
        tombstone(tx, [ids(numbered)[nct(5)]], datetime(2026, 1, 1, tzinfo=UTC))
    assert named(numbered, "205801") == ("hybrid", [])
    assert routed(numbered, nct(5)).name is RouteName.ABSENT


def test_a_number_that_is_given_later_is_known_from_the_commit_on(numbered):
    assert named(numbered, "777002") == ("hybrid", [])
    with numbered.db.begin() as tx:
        replace_identifiers(tx, ids(numbered)[nct(30)], [IdentifierRow("protocol_number", "777002", Provenance.EXTRACTED, 1, own=True)])
    assert named(numbered, "777002") == ("identifier", [30])


def test_who_may_not_see_a_document_is_told_that_it_is_absent(numbered):
    hidden = ids(numbered)[nct(5)]
    with numbered.db.begin() as tx:
        stored = tx.execute(select(documents.c.facets).where(documents.c.document_id == hidden)).scalar_one()
        assert Facets.__dataclass_fields__.keys() >= {"access"}
        tx.execute(update(documents).where(documents.c.document_id == hidden).values(facets={**stored, "access": "restricted"}))
    assert routed(numbered, nct(5), visible=OPEN_ONLY).name is RouteName.ABSENT
    assert named(numbered, "205801", visible=OPEN_ONLY) == ("hybrid", [])
    assert named(numbered, "205801") == ("identifier", [5])


def test_another_collection_holds_nothing(numbered):
    with numbered.db.read() as tx:
        assert route(tx, understand(nct(1)), collection="another").name is RouteName.ABSENT


def test_a_search_for_an_id_finds_that_study_alone_and_both_filters_hold(numbered):
    def found(**asked):
        return search(numbered, make_request(**asked), today=date(2026, 1, 1))

    assert {hit.nct_id for hit in found(query="exclusion criteria of NCT99000004").hits} == {"NCT99000004"}
    assert found(query="NCT99000004", phases=("NO_SUCH_PHASE",)).hits == []
    absent = found(query="NCT99999999 heart failure")
    assert (absent.route, absent.refused, absent.hits) == ("absent", True, [])


def test_no_other_mode_routes(numbered):
    found = search(numbered, make_request(query="NCT99999999", mode="fused"), today=date(2026, 1, 1))
    assert (found.route, found.refused) == ("hybrid", False)
    assert found.hits
