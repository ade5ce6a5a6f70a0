"""Conditions that a description names, found by the form of disease names, and which of them the patient comes for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from pipeline.search.patient.model import Condition
from pipeline.search.patient.sentences import affirmed, of_relatives

_HEADS: Final = frozenset(
    re.findall(
        r"\S+",
        "syndrome disease disorder cancer carcinoma failure infection deficiency diabetes hypertension asthma stroke epilepsy migraine "
        "hypotension hypertrophy arrest injury trauma fracture hernia ulcer ulcers abscess aneurysm embolism thrombosis infarction ischemia "
        "stenosis regurgitation insufficiency tumor tumour tumors neoplasm neoplasms lymphoma leukemia melanoma glaucoma cataract cataracts "
        "depression schizophrenia anxiety dementia autism obesity psoriasis eczema gout lupus pregnancy tuberculosis pneumonia sepsis hiv aids "
        "copd covid cirrhosis fibrosis sclerosis apnea infertility impairment dysfunction edema effusion hemorrhage bleeding palsy "
        "neuropathy retinopathy nephropathy cardiomyopathy myopathy dystrophy atrophy albinism malformation defect anomaly shunt "
        "menopause endometriosis incontinence retention prolapse addiction dependence abuse withdrawal overdose poisoning burn burns wound "
        "wounds concussion coma seizures hyperplasia dysplasia metastasis metastases transplant transplantation fibrillation tachycardia "
        "bradycardia block angina claudication",
    )
)
_ENDINGS: Final = re.compile(
    r"\w{3,}(?:itis|omas?|osis|oses|emia|aemia|pathy|pathies|plasia|algia|iasis|penia|philia|uria|rrhea|trophy|sclerosis)\Z"
)
_NOT_CONDITIONS: Final = frozenset(
    re.findall(r"\S+", "diagnosis prognosis hypothesis basis stoma academia diaphoresis polyuria hematuria proteinuria arthralgia")
)
_BREAKS: Final = frozenset(
    re.findall(
        r"\S+",
        "a an the of in on at to for from by with without and or as is are was were be been being has have had having he she it his her their its "
        "this that these those who which patient man woman male female boy girl year years old yo y history medical past known presents presented "
        "presenting due secondary after before during since found shows showed reveals revealed revealing consistent significant complicated "
        "diagnosed diagnosis confirmed symptoms signs admitted likely possible suspected concern underlying previous prior recent currently now "
        "includes including include only notable remarkable positive also takes taking treated treatment developed develops suffers suffering "
        "definite typical features biopsy about because s p hx pmh pt both no any other current new s/p status post several multiple",
    )
)
_WORD: Final = re.compile(r"[A-Za-z][A-Za-z0-9'/-]*|\d+|[^\w\s]")
_MOST_BEFORE: Final = 3  # modifiers of a disease name: "chronic obstructive pulmonary disease"
_FOLLOWING: Final = re.compile(r"\A(?:of\s+(?:the\s+)?[a-z-]+|(?:type|stage|grade|class)\s+[0-9IViv]+[a-c]?)\b", re.IGNORECASE)

_NAMED: Final = re.compile(
    r"\b(?:diagnos\w+|confirm\w+|consistent\s+with|known|typical|reveal\w*|suffer\w*|follow[- ]?up)\b", re.IGNORECASE
)
_PAST: Final = re.compile(
    r"\b(?:past\s+medical|pmh|medical\s+history|history\s+of|hx|previous(?:ly)?|prior|s/p|status\s+post|ago|years\s+earlier)\b",
    re.IGNORECASE,
)
_FIRST, _CUE, _AGAIN, _HISTORY, _LISTED = 2.0, 2.0, 0.5, -1.0, -0.5


def conditions_in(sentence: str) -> list[str]:
    """Return the disease names of a sentence, in its words, in reading order."""
    words = list(_WORD.finditer(sentence))
    found = []
    for position, match in enumerate(words):
        word = match.group().lower()
        if word in _NOT_CONDITIONS or not (word in _HEADS or _ENDINGS.match(word)):
            continue
        first = position
        while first > 0 and position - first < _MOST_BEFORE and _is_modifier(words[first - 1].group()):
            first -= 1
        after = _FOLLOWING.match(sentence[match.end() :].lstrip())
        end = match.end() + (len(sentence[match.end() :]) - len(sentence[match.end() :].lstrip()) + after.end() if after else 0)
        found.append(sentence[words[first].start() : end])
    return found


def _is_modifier(word: str) -> bool:
    return (word[0].isalpha() or word in ("1", "2")) and word.lower() not in _BREAKS


def weigh(sentences: Sequence[str]) -> list[Condition]:
    """Return the conditions of a description, the one that matters most first; denied ones and those of relatives are left out.

    A name counts more in the first sentence, where a diagnosis is stated, and when it comes again; less where the past is told or in a list.
    """
    standing: dict[str, float] = {}
    spelling: dict[str, str] = {}
    for number, sentence in enumerate(sentences):
        if of_relatives(sentence):
            continue
        text = affirmed(sentence)
        base = (_FIRST if number == 0 else 0.0) + (_CUE if _NAMED.search(text) else 0.0) + (_HISTORY if _PAST.search(text) else 0.0)
        names = conditions_in(text)
        base += _LISTED if len(text.split()) < 6 and number else 0.0
        for name in names:
            key = name.lower()
            standing[key] = max(standing[key], base) + _AGAIN if key in standing else base
            spelling.setdefault(key, name)
    ordered = sorted(standing, key=lambda key: -standing[key])
    return [Condition(spelling[key], standing[key]) for key in ordered]
