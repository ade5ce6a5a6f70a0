import pytest

from pipeline.search.understand import understand
from pipeline.search.understand.lexicon import toml
from pipeline.search.understand.model import Why
from pipeline.search.understand.terms import drug_classes, terms
from pipeline.search.understand.words import keys

DRUGS = [
    ("nitro under the tongue", "nitroglycerin"),
    ("NTG spray", "nitroglycerin"),
    ("epi im", "epinephrine"),
    ("adrenaline", "epinephrine"),
    ("Narcan", "naloxone"),
    ("versed intranasal", "midazolam"),
    ("TXA", "tranexamic acid"),
    ("viagra", "sildenafil"),
    ("Keytruda", "pembrolizumab"),
    ("T-DM1", "ado-trastuzumab emtansine"),
    ("5-FU", "5-fluorouracil"),
    ("tPA window", "alteplase"),
    ("ASA 325", "aspirin"),
    ("Eliquis", "apixaban"),
    ("MS 4 mg iv for pain", "morphine"),
    ("sodium bicarb", "sodium bicarbonate"),
]


@pytest.mark.parametrize(("query", "generic"), DRUGS)
def test_a_drug_is_known_by_brand_and_short_form(query, generic):
    assert understand(query).drugs == (generic,)


@pytest.mark.parametrize(
    "query", ["a leave-behind kit", "epicenter", "nitrogen", "the ketone level", "magnet", "roc curve", "levothyroxin absent here"]
)
def test_what_only_looks_like_a_drug_is_none(query):
    assert understand(query).drugs == ()


def test_a_class_is_known_by_its_members():
    assert drug_classes(("sildenafil",)) == ("PDE-5 inhibitor",)
    assert drug_classes(("paracetamol",)) == ()


LAY = [
    ("heart attack", "myocardial infarction"),
    ("heart attacks", "myocardial infarction"),
    ("high blood pressure", "hypertension"),
    ("brain attack", "stroke"),
    ("low blood sugar", "hypoglycemia"),
    ("collapsed lung", "pneumothorax"),
    ("whooping cough", "pertussis"),
    ("lou gehrig's disease", "amyotrophic lateral sclerosis"),
    ("fractures", "fracture"),
    ("STEMI", "myocardial infarction"),
    ("heart of the matter", None),
    ("an attack of the clones", None),
]


@pytest.mark.parametrize(("query", "condition"), LAY)
def test_lay_words_name_a_condition(query, condition):
    assert understand(query).conditions == ((condition,) if condition else ())


def wordings(query):
    return [one.text for one in understand(query).variants]


def test_a_brand_is_searched_by_its_generic_name_after_its_own_words():
    assert wordings("is Narcan safe")[:2] == ["is Narcan safe", "is naloxone safe"]


@pytest.mark.parametrize(
    ("query", "wording"),
    [
        ("ERBB2 amplification", "HER2 amplification"),
        ("HER2 amplified gastric cancer", "HER2 ERBB2 amplified gastric cancer"),
        ("CD274 expression", "PD-L1 expression"),
        ("paediatric seizures", "pediatric seizure convulsion"),
    ],
)
def test_either_name_of_a_gene_is_searched_with_the_other(query, wording):
    assert wording in wordings(query)


@pytest.mark.parametrize("query", ["EGFR L858R", "EGFR T790M", "met criteria", "a kit", "KRAS G12C", "alkaline"])
def test_a_gene_without_another_name_and_an_everyday_word_stay_as_they_are(query):
    assert wordings(query) == [query]


def test_the_longest_name_counts():
    assert next(one.preferred for one in terms("ipratropium albuterol neb")) == "ipratropium albuterol"


def test_the_lexicon_is_as_large_as_an_index_of_hospitals_needs():
    data = toml("synonyms")
    assert sum(map(len, data.values())) >= 80
    assert len(toml("drug_names")["generic"]) >= 100


def test_no_name_stands_for_two_things():
    drugs = [keys(name) for generic, brands in toml("drug_names")["generic"].items() for name in (generic, *brands)]
    others = [keys(name) for table in toml("synonyms").values() for preferred, names in table.items() for name in (preferred, *names)]
    assert len(set(drugs)) == len(drugs)
    assert len(set(others)) == len(others)
    assert set(drugs).isdisjoint(others)


def test_every_member_of_a_class_is_a_drug_of_the_list():
    data = toml("drug_names")
    assert {member for members in data["classes"].values() for member in members} <= set(data["generic"])


@pytest.mark.parametrize(("generic", "brands"), list(toml("drug_names")["generic"].items()))
def test_every_drug_is_found_by_each_of_its_names(generic, brands):
    for name in (generic, *brands):
        assert [one.preferred for one in terms(f"about {name} today")] == [generic]


@pytest.mark.parametrize(("table", "preferred"), [(table, preferred) for table, some in toml("synonyms").items() for preferred in some])
def test_every_synonym_is_found(table, preferred):
    for name in (preferred, *toml("synonyms")[table][preferred]):
        assert [one.preferred for one in terms(f"about {name} today")] == [preferred]


def test_the_original_words_are_always_the_first_wording():
    for query in ("epi dose anaphylaxis peds", "814", "siezure", "  spaced   out "):
        first = understand(query).variants[0]
        assert (first.text, first.why, first.weight) == (query, Why.ORIGINAL, 1.0)


def test_there_are_four_wordings_at_most_and_no_two_alike():
    query = "can I give nitro and Viagra with myocardial infarction and atrial fibrillation siezure peds dose"
    texts = [text.casefold() for text in wordings(query)]
    assert len(texts) <= 4
    assert len(set(texts)) == len(texts)


def test_a_question_of_several_concepts_is_asked_by_its_drug_alone_too():
    found = {one.why: one.text for one in understand("is nitro allowed after viagra").variants}
    assert found[Why.FOCUS] == "nitroglycerin sildenafil PDE-5 inhibitor contraindications"
    found = {one.why: one.text for one in understand("epi dose anaphylaxis peds").variants}
    assert found[Why.FOCUS] == "epinephrine dose pediatric"


@pytest.mark.parametrize("query", ["heart failure trials", "needle decompression landmark"])
def test_a_question_without_a_drug_has_no_wording_of_its_own_for_one(query):
    assert Why.FOCUS not in {one.why for one in understand(query).variants}
