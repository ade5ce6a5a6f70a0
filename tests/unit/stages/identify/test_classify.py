import pytest

from pipeline.domain.reading import ReadFile
from pipeline.domain.vocabulary import PUBLIC_KINDS, DocumentKind
from pipeline.stages.identify import identify
from pipeline.stages.identify.classify import PUBLIC_BOUND, load_rules, names_a_patient
from pipeline.testing.identity import reading

PROTOCOL = """Clinical Study Protocol

A Phase 3, Randomized, Double-blind Study of Norvastatib Versus Placebo in Adults with Chronic Plaque Itch

Protocol Number: NVB-301-07

EudraCT Number: 2019-004417-31

Synopsis"""

#: Clinical texts that speak of trials, guidelines, papers and ambulances.
CLINICAL = {
    "research visit": "Research visit. Phase 3 randomized study. Protocol Number: NVB-301-07. NCT99000011. Inclusion criteria met. Informed consent form signed. Study intervention given.",
    "oncology letter": "He has finished cycle 2 of the clinical trial protocol NVB-301-07, a phase 2 open-label study. We recommend to go on.\n\nAbstract of findings: stable.",
    "run report": "Medic 12 was dispatched to a fall. Treatment Protocol: 1244. Base hospital contacted. EMS, paramedics and EMT on scene. Ref. No. 1244. Revised 07-01-24.",
    "ambulance note": "Paramedics gave aspirin under treatment protocol Ref. No. 1211, base hospital contact made by EMS. On arrival the patient was pale.",
    "guideline cited": "Plan: treat per the clinical practice guidelines for the management of gout (strong recommendation, level of evidence A). We suggest colchicine.",
    "case abstract": "Abstract\n\nIntroduction\n\nA 54-year-old woman with cough. Keywords: cough. doi: 10.1234/example",
    "plan for analysis": "Statistical analysis plan discussed with patient's daughter, who asks about the phase 3 study.",
}


@pytest.mark.parametrize("text", CLINICAL.values(), ids=CLINICAL.keys())
def test_a_clinical_text_never_gets_a_public_kind(text):
    for read in (ReadFile(text=text), reading([text]), ReadFile(text=text.replace(". ", ".\n"))):
        assert identify(read, None).kind not in PUBLIC_KINDS


@pytest.mark.parametrize(
    "sign",
    [
        "MRN: 00481516",
        "MRN SRX-4815162",
        "DOB: 03/14/1961",
        "Date of Birth 14 March 1961",
        "Patient Name: Example, Jane",
        "Admission Date: 03/14/2020",
        "a 61-year-old woman with cough",
        "61 y/o M",
        "Age: 61 years Sex: female",
        "Patient denies chest pain.",
        "Subject ID: 004-0017",
        "Medic 4 was dispatched to a fall",
        "I saw Mrs Halvorsen in the research clinic.",
        "Visit 5. He tolerated the infusion.",
        "Visit 5. Her potassium was 4.1 mmol/L.",
        "Subject | Initials | Birth date\n004-0017 | I.H. | 3 Mar 1950",
        "Informed consent signed by Ingrid Halvorsen",
        "Seen today with a friend.",
    ],
)
def test_a_sign_of_a_patient_anywhere_forbids_a_public_kind(sign):
    assert identify(reading([PROTOCOL]), None).kind is DocumentKind.PROTOCOL
    far = reading([PROTOCOL, "Visits are weekly. " * 3000, sign])
    assert identify(far, None).kind is DocumentKind.UNKNOWN


@pytest.mark.parametrize(
    "text",
    [
        "Patient Name: ____________ DOB: ______",
        "Date of birth is recorded.",
        "patients aged 18 years or older",
        "children 2 to 11 years old",
        "The patient must sign the form.",
        "If the patient is admitted to hospital, report it.",
        "MRN: medical record number",
        "He or she is asked to sign.",
        "Her2 status was normal in most subjects.",
        "Consent is given by the subject before screening.",
        "Records are reviewed in the clinic's archive.",
    ],
)
def test_what_forms_and_protocols_say_of_patients_is_no_sign_of_one(text):
    assert not names_a_patient(text)


def test_no_rule_alone_makes_a_document_public():
    assert all(rule.weight < PUBLIC_BOUND for rule in load_rules().rules if rule.kind in PUBLIC_KINDS)


def test_every_public_kind_has_a_line_by_which_a_document_names_itself():
    assert {rule.kind for rule in load_rules().rules if rule.anchor} == set(PUBLIC_KINDS)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (DocumentKind.RADIOLOGY_REPORT, "CHEST X-RAY\n\nCOMPARISON: None.\n\nFINDINGS: Clear lungs.\n\nIMPRESSION: Normal."),
        (DocumentKind.DISCHARGE_SUMMARY, "DISCHARGE SUMMARY\n\nHOSPITAL COURSE: Uneventful.\n\nDISCHARGE MEDICATIONS: None."),
        (DocumentKind.PATHOLOGY_REPORT, "SPECIMEN: Skin.\n\nGROSS DESCRIPTION: A brown ellipse.\n\nMICROSCOPIC DESCRIPTION: Nevus."),
        (DocumentKind.PROGRESS_NOTE, "PROGRESS NOTE\n\nS: Feels well.\n\nO: No fever.\n\nPlan: Home."),
        (DocumentKind.LAB_REPORT, "LABORATORY REPORT\n\nTest; Result; Reference Range\n\nSodium; 140 mmol/L; 135 - 145"),
        (DocumentKind.NOTE, "CHIEF COMPLAINT: Cough.\n\nPAST MEDICAL HISTORY: None.\n\nPHYSICAL EXAM: Clear."),
        (DocumentKind.STATISTICAL_ANALYSIS_PLAN, "STATISTICAL ANALYSIS PLAN\n\nStudy Code: D812QC00044\n\nPhase 3\n\nAnalysis sets"),
        (
            DocumentKind.PAPER,
            "On Wet Socks\n\nAbstract\n\nSocks were wet [1, 2].\n\nKeywords: socks\n\nIntroduction\n\nDepartment of Knitwear, Example University",
        ),
        (
            DocumentKind.GUIDELINE,
            "Clinical Practice Guideline for the Management of Wet Socks\n\nWe recommend dry socks (strong recommendation).\n\nThe guideline panel met twice.",
        ),
        (DocumentKind.UNKNOWN, "Minutes of the canteen board. Soup was discussed."),
        (DocumentKind.UNKNOWN, ""),
    ],
)
def test_kinds(kind, text):
    assert identify(ReadFile(text=text), None).kind is kind


@pytest.mark.slow
def test_clinical_notes_of_the_shared_data_never_get_a_public_kind(shared_data):
    import gzip
    import json

    seen = 0
    for path in [*shared_data.glob("data/notes/*.jsonl.gz"), *shared_data.glob("data/phi/*.jsonl.gz")]:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                text = row.get("text") or row.get("note") or ""
                seen += bool(text)
                assert identify(ReadFile(text=text), None).kind not in PUBLIC_KINDS
    assert seen > 1000
