"""The fixed texts that an exported model is checked with: invented, of every length and script that chunks have."""

from __future__ import annotations

from typing import Final

_CRITERION: Final = "Absolute neutrophil count of at least 1.5 × 10⁹/L without growth factor support within 14 days before enrolment"

# About 250 word pieces: close to the window of 256, where padding masks and position embeddings go wrong first.
_NEAR_WINDOW: Final = "; ".join([_CRITERION] * 8) + "; written informed consent was given by the patient or a guardian."

CHECK_TEXTS: Final[tuple[str, ...]] = (
    "",
    " ",
    ".",
    "≥",
    "Pregnancy",
    "anaemia",
    "N/A",
    "Age ≥ 18 years",
    "Age 18-65 years, inclusive",
    "ECOG performance status 0 or 1",
    "BMI > 35 kg/m²",
    "Known HIV infection",
    "HER2-positive breast cancer",
    "Creatinine clearance ≥ 60 mL/min (Cockcroft-Gault)",
    "Serum potassium below 3.5 mmol/L or above 5.5 mmol/L",
    "HbA1c between 7.0 % and 10.5 % at screening",
    "Received 5 µg of the study vaccine within the last 30 days",
    "Dose of 2.5 μg/kg/min, given as a continuous infusion",
    "Temperature of 38.5 °C or more on two occasions",
    "QTcF > 470 ms on a resting 12-lead electrocardiogram",
    "Troponin I ≤ 0.04 ng/mL, CK-MB < 5 ng/mL",
    "Patients with Sjögren's syndrome or Behçet's disease",
    "Ménière's disease – unilateral, definite",
    "Fähigkeit zur Einwilligung nach Aufklärung",
    "Consentement éclairé signé par le participant",
    "年龄在18岁以上的患者",
    "Женщины репродуктивного возраста",
    "PD-L1 TPS ≥ 50 % with no EGFR, ALK or ROS1 alteration",
    "Prior treatment with an anti-PD-1, anti-PD-L1 or anti-CTLA-4 antibody",
    "Heart failure of NYHA class III–IV within six months before randomisation",
    "Stroke or transient ischaemic attack in the previous 90 days, unless it was lacunar and left no deficit",
    "Use of strong CYP3A4 inhibitors (e.g., ketoconazole, clarithromycin) within 5 half-lives of the first dose",
    "Women of childbearing potential must use two effective forms of contraception until 120 days after the last dose",
    "Able to walk 150 metres without a stick; a rollator is allowed in cohort B only",
    "COHORT B: relapse after at least two earlier lines, one of which held a platinum",
    "Any of the following: - active hepatitis B - active hepatitis C - cirrhosis of Child-Pugh class B or C",
    "Adequate organ function: haemoglobin ≥ 9.0 g/dL; platelets ≥ 100,000/mm3; bilirubin ≤ 1.5 × ULN; ALT and AST ≤ 2.5 × ULN",
    "Adults who have lived with type 2 diabetes for a year or longer and whose dose of metformin has not changed for three months",
    "This study asks whether walking for half an hour each day lowers blood pressure in adults who have mild hypertension. "
    "Participants keep a diary and wear a step counter for twelve weeks.",
    "Give adrenaline 0.5 mg intramuscularly (0.5 mL of 1 mg/mL) into the outer thigh; repeat after five minutes if there is no "
    "improvement, and call for an ambulance with a paramedic on board.",
    "Participants are assigned at random, in a ratio of 2:1, to the investigational product or to placebo. Neither they nor the "
    "investigators know the assignment. The primary outcome is the change in forced expiratory volume in one second from baseline "
    "to week 24; secondary outcomes are exacerbations, quality of life and the use of rescue medication.",
    _CRITERION,
    "; ".join([_CRITERION] * 3),
    "; ".join([_CRITERION] * 6),
    _NEAR_WINDOW,
)
