"""The sample corpus is what its README says: invented, valid, and a witness of every format."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from pipeline.domain.identifiers import is_nct_id

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "samples"
FILES = sorted((SAMPLES / "trials").glob("*.json"))
IDS = [path.stem for path in FILES]

# Deliberate departures from the registry's contract: (study, path) of values that a future registry might send.
DEPARTURES = {
    ("NCT99000059", "protocolSection.statusModule.overallStatus"),
    ("NCT99000059", "protocolSection.designModule.phases[1]"),
}

STATUSES = """
ACTIVE_NOT_RECRUITING COMPLETED ENROLLING_BY_INVITATION NOT_YET_RECRUITING RECRUITING SUSPENDED TERMINATED WITHDRAWN
AVAILABLE NO_LONGER_AVAILABLE TEMPORARILY_NOT_AVAILABLE APPROVED_FOR_MARKETING WITHHELD UNKNOWN
"""

JSON_TYPES: dict[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": (int, float),
}

# What must be found in the criteria for a row of the README to be true.
WITNESSES = {
    "escaped markdown header": r"\\\*\\\*Inclusion Criteria:\\\*\\\*",
    "Key header": r"^Key Inclusion Criteria:",
    "Main and Major header": r"^Main Inclusion Criteria:[\s\S]*^Major Exclusion Criteria:",
    "upper case header": r"^INCLUSION CRITERIA",
    "header without colon": r"^(?i:Inclusion Criteria)$",
    "short header: Inclusion and Exclusion alone": r"^Inclusion:$[\s\S]*^Exclusion:$",
    "both headers on one line with text": r"^Inclusion: \w.*Exclusion: \w",
    "text after the header on its line": r"^Inclusion Criteria.*: \w",
    "numbered headers": r"^1\. Inclusion Criteria$[\s\S]*^2\. Exclusion Criteria$",
    "several inclusion blocks by cohort": r"^Inclusion Criteria for [\s\S]*^Inclusion Criteria for ",
    "scoped header by role": r"^Inclusion Criteria for Caregivers:",
    "scoped header after a dash": r"^Inclusion Criteria - All Participants",
    "COHORT label line": r"^COHORT B",
    "Part 2 only": r"^Part 2 only:",
    "arms and phases as labels": r"^\* Phase 2, Arm B only:",
    "legacy DISEASE CHARACTERISTICS blocks": r"^DISEASE CHARACTERISTICS:[\s\S]*^PRIOR CONCURRENT THERAPY:",
    "Spanish criteria": r"^Criterios de inclusión",
    "French criteria": r"^Critères d'inclusion",
    "German criteria": r"^Einschlusskriterien",
    "no header at all": r"\A(?![\s\S]*(?i:inclusion|exclusion))",
    "exclusion criteria inside a sentence": r"\* .*\bthe exclusion criteria\b",
    "header inside a bullet": r"^\* INCLUSION CRITERIA:",
    "combined header": r"^Inclusion and Exclusion Criteria:",
    "exclusion before inclusion": r"\A(?i:exclusion criteria)[\s\S]*^(?i:inclusion criteria)",
    "inclusion only": r"\AInclusion(?![\s\S]*(?i:exclu))",
    "exclusion only": r"\AExclusion(?![\s\S]*(?i:inclusion))",
    "inverted header: Criteria for Inclusion": r"^Criteria for Inclusion:",
    "defers to a master protocol": r"master protocol",
    "bullet •": r"^• ",
    "bullet ▪": r"^▪ ",
    "bullet –": r"^– ",
    "bullet hyphen, with hyphened words": r"^- .*\w-\w",
    "numbers 1.": r"^1\. ",
    "numbers 1)": r"^1\) ",
    "numbers (1)": r"^\(1\) ",
    "letters a.": r"^a\. ",
    "roman (i)": r"^\(i\) [\s\S]*^\(ii\) ",
    "escaped number": r"^1\\\. ",
    "double bullet": r"^\* 1\. ",
    "no bullets, paragraphs": r"\A(?![\s\S]*^[^\w\n])",
    "nested 2 levels": r"^  \* ",
    "nested 3 levels": r"^    \* ",
    "nested 4 levels": r"^      \* ",
    "nested under numbers with three spaces": r"^   1\. ",
    "grouping label": r"^All (3 parts of the study|cohorts):$",
    "lead-in: none of the following": r"^None of the following",
    "wrapped comparison lines": r"^Platelets\n\n≥ 100,000",
    "run-on text with lost line breaks": r"months3\. ",
    "hard-wrapped legacy layout": r"^ {10}-  .*\n {13}\w",
    "CR LF and tabs": r"\r\n\*\t",
    "Note lines": r"^ *NOTE: ",
    "markdown escapes": r"\\>",
    "HTML entities": r"&ge;|&gt;",
    "unicode comparison signs and superscripts": r"≥[\s\S]*10⁹",
    "full-width characters": r"１．[\s\S]*≧",
    "no-break and zero-width spaces": "\u00a0[\\s\\S]*\u200b",
    "NUL and lone surrogates": "\x00[\\s\\S]*\udc00",
    "criteria of 12,000 characters": r"\A[\s\S]{12000,}\Z",
    "one criterion longer than the model window, exclusion in its last sentence": r"^\* .{2400,}are not eligible.*\.$",
    "repeated identical criteria": r"^(\* .+)$[\s\S]*^\1$",
    "None and N/A as criteria": r"^\* N/A$[\s\S]*^None$",
    "empty criteria string": r"\A\Z",
}


def read(nct_id: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((SAMPLES / "trials" / f"{nct_id}.json").read_text(encoding="utf-8"))
    return loaded


def criteria(nct_id: str) -> str:
    return str(read(nct_id)["protocolSection"]["eligibilityModule"]["eligibilityCriteria"])


def table() -> dict[str, list[str]]:
    rows: dict[str, list[str]] = {}
    for line in (SAMPLES / "README.md").read_text(encoding="utf-8").splitlines():
        if found := re.fullmatch(r"\| (.+?) \| ((?:NCT\d+(?:, )?)+) \|", line):
            assert found[1] not in rows
            rows[found[1]] = found[2].split(", ")
    return rows


def strings(value: Any, path: str = "") -> list[tuple[str, str]]:
    """Return (path, text) of every string below ``value``."""
    if isinstance(value, str):
        return [(path, value)]
    if isinstance(value, dict):
        return [pair for key, below in value.items() for pair in strings(below, f"{path}.{key}" if path else key)]
    if isinstance(value, list):
        return [pair for at, below in enumerate(value) for pair in strings(below, f"{path}[{at}]")]
    return []


def violations(value: Any, schema: dict[str, Any], schemas: dict[str, Any], path: str = "") -> list[tuple[str, str]]:
    """Return (path, what is wrong) of a value against the part of OpenAPI that the registry's contract uses."""
    if reference := schema.get("$ref"):
        return violations(value, schemas[reference.rsplit("/", 1)[1]], schemas, path)
    expected = JSON_TYPES.get(schema.get("type", ""))
    if expected and (not isinstance(value, expected) or (isinstance(value, bool) and expected is not bool)):
        return [(path, "type")]
    if "enum" in schema and value not in schema["enum"]:
        return [(path, "enum")]
    if "pattern" in schema and not re.search(schema["pattern"], value):
        return [(path, "pattern")]
    if isinstance(value, list):
        return [each for at, item in enumerate(value) for each in violations(item, schema.get("items", {}), schemas, f"{path}[{at}]")]
    if isinstance(value, dict) and "properties" in schema:
        wrong = [(f"{path}.{key}", "unknown key") for key in value if key not in schema["properties"]]
        wrong += [(f"{path}.{key}", "missing") for key in schema.get("required", []) if key not in value]
        for key in value.keys() & schema["properties"].keys():
            wrong += violations(value[key], schema["properties"][key], schemas, f"{path}.{key}" if path else key)
        return wrong
    return []


def test_there_are_enough_studies() -> None:
    assert len(FILES) >= 64


@pytest.mark.parametrize("nct_id", IDS)
def test_the_file_name_is_the_id_of_the_invented_range(nct_id: str) -> None:
    study = read(nct_id)
    assert study["protocolSection"]["identificationModule"]["nctId"] == nct_id
    assert is_nct_id(nct_id)
    assert nct_id.startswith("NCT99000")
    assert study["hasResults"] is ("resultsSection" in study)


def test_aliases_are_no_studies_of_the_corpus() -> None:
    aliases = [each for nct_id in IDS for each in read(nct_id)["protocolSection"]["identificationModule"].get("nctIdAliases", [])]
    assert aliases
    assert not set(aliases) & set(IDS)


def test_no_two_studies_share_a_title() -> None:
    titles = [read(nct_id)["protocolSection"]["identificationModule"]["briefTitle"] for nct_id in IDS]
    assert len(set(titles)) == len(titles)


def test_every_row_of_the_readme_names_existing_studies() -> None:
    rows = table()
    assert len(rows) >= 70
    assert {nct_id for ids in rows.values() for nct_id in ids} <= set(IDS)


def test_every_study_is_named_in_the_readme() -> None:
    assert set(IDS) == {nct_id for ids in table().values() for nct_id in ids}


def test_every_witness_belongs_to_a_row() -> None:
    assert set(WITNESSES) <= set(table())


@pytest.mark.parametrize(("row", "pattern"), WITNESSES.items(), ids=list(WITNESSES))
def test_the_criteria_show_the_format(row: str, pattern: str) -> None:
    for nct_id in table()[row]:
        assert re.search(pattern, criteria(nct_id), re.MULTILINE), nct_id


def test_every_status_of_the_registry_occurs_and_one_it_does_not_know() -> None:
    known = set(STATUSES.split())
    found = {read(nct_id)["protocolSection"]["statusModule"]["overallStatus"] for nct_id in IDS}
    assert known < found
    assert len(found - known) == 1


def test_every_kind_of_intervention_and_age_unit_occurs() -> None:
    kinds: set[str] = set()
    units: set[str] = set()
    for nct_id in IDS:
        protocol = read(nct_id)["protocolSection"]
        kinds |= {each["type"] for each in protocol.get("armsInterventionsModule", {}).get("interventions", [])}
        eligibility = protocol.get("eligibilityModule", {})
        units |= {eligibility[key].split()[1].rstrip("s") for key in ("minimumAge", "maximumAge") if key in eligibility}
    assert len(kinds) == 11
    assert units == {"Year", "Month", "Week", "Day", "Hour", "Minute"}


def test_addresses_and_numbers_are_of_reserved_ranges() -> None:
    texts = [text for nct_id in IDS for _, text in strings(read(nct_id))]
    addresses = [each for text in texts for each in re.findall(r"\S+@[\w.-]*\w", text)]
    numbers = [each for text in texts for each in re.findall(r"\d{3}[- ]\d{3}[- ]\d{4}", text)]
    assert len(addresses) > 40
    assert len(numbers) > 40
    assert all(each.endswith("@example.org") for each in addresses)
    assert all(re.fullmatch(r"\d{3}[- ]555[- ]01\d\d", each) for each in numbers)


def test_a_persons_name_stands_only_where_the_pipeline_must_not_look() -> None:
    """The canary test searches a home for these names, so no text may hold them by chance."""
    personal = re.compile(r"Contacts\[|\.contacts\[|overallOfficials\[|responsibleParty|leadSponsor\.name|organization\.fullName")
    pairs = [pair for nct_id in IDS for pair in strings(read(nct_id)["protocolSection"])]
    names = {text.split(",")[0] for path, text in pairs if re.search(r"(Contacts|\.contacts|overallOfficials)\[\d+\]\.name$", path)}
    assert len(names) > 20
    names.add(read("NCT99000063")["protocolSection"]["sponsorCollaboratorsModule"]["leadSponsor"]["name"])
    words = {word for name in names for word in re.findall(r"\w+", name)}
    elsewhere = " ".join(text for path, text in pairs if not personal.search(path))
    assert not words & set(re.findall(r"\w+", elsewhere))


@pytest.mark.parametrize("nct_id", IDS)
def test_the_study_follows_the_registrys_contract(nct_id: str, shared_data: Path) -> None:
    schemas = contract(shared_data)
    wrong = {path for path, _ in violations(read(nct_id), schemas["Study"], schemas)}
    assert wrong == {path for study, path in DEPARTURES if study == nct_id}


_CONTRACT: dict[str, Any] = {}


def contract(shared: Path) -> dict[str, Any]:
    """Return the schemas of the registry's OpenAPI file, read once."""
    yaml = pytest.importorskip("yaml")
    if not _CONTRACT:
        text = (shared / "data" / "specs" / "ctg-oas-v2.yaml").read_text(encoding="utf-8")
        _CONTRACT.update(yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))["components"]["schemas"])
    return _CONTRACT


def test_the_contract_check_finds_faults() -> None:
    schemas = {"Colour": {"type": "string", "enum": ["RED"]}}
    schema = {
        "type": "object",
        "properties": {"a": {"$ref": "#/Colour"}, "b": {"type": "array", "items": {"type": "integer"}}},
        "required": ["a"],
    }
    assert violations({"a": "RED", "b": [1]}, schema, schemas) == []
    assert violations({"a": "BLUE", "b": [True]}, schema, schemas) != []
    assert violations({"b": [], "c": 1}, schema, schemas) == [(".c", "unknown key"), (".a", "missing")]


def test_queries_name_existing_studies_and_no_study_is_both_answer_and_near_miss() -> None:
    queries = json.loads((SAMPLES / "queries.json").read_text(encoding="utf-8"))["queries"]
    assert len(queries) >= 12
    assert sum(each["demo"] for each in queries) == 2
    assert len({each["id"] for each in queries}) == len(queries)
    for each in queries:
        assert each["nct_ids"]
        assert each["reason"]
        assert set(each["nct_ids"] + each["near_misses"]) <= set(IDS)
        assert not set(each["nct_ids"]) & set(each["near_misses"])


def test_the_query_on_kidney_function_names_every_study_with_that_limit() -> None:
    queries = json.loads((SAMPLES / "queries.json").read_text(encoding="utf-8"))["queries"]
    answer = next(each["nct_ids"] for each in queries if each["id"] == "egfr-below-30")
    limit = re.compile(r"(eGFR|filtration rate)[^\n]{0,25}\b30 mL")
    texts = {nct_id: read(nct_id)["protocolSection"].get("eligibilityModule", {}).get("eligibilityCriteria", "") for nct_id in IDS}
    assert {nct_id for nct_id, text in texts.items() if limit.search(text)} == set(answer)
