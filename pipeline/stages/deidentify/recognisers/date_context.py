"""What the words around a number or a month say: whether ``3/7`` is a date, a score or a dose, and whether ``May`` is a month."""

from __future__ import annotations

import re
from typing import Final

from pipeline.stages.deidentify.recognisers.date_forms import UNIT, WEEKDAY

SURE: Final = 0.95  # by its form
BY_CONTEXT: Final = 0.8
Span = tuple[int, int, float]  # half-open, and how sure
# Longer than any cue with the words that may stand between it and its date.
REACH: Final = 60


def words_before(text: str, place: int) -> str:
    """Return the words before ``place`` that a cue may stand in."""
    return text[max(0, place - REACH) : place]


_BIRTH: Final = (
    r"d\.?\s?o\.?\s?b(?![^\W\d_])\.?|(?:date|day|year|month)\s(?:of\s)?birth|birth\s?(?:date|day|year)|born|b\.|\byob\b|geb(?:oren|urtsdatum|\.)|jahrgang|née?(?=\s(?:le|en)\b)"
    r"|date\sde\snaissance|fecha\sde\snacimiento|f\.?\s?nac\b\.?|nacid[oa]|data\sde\snascimento|nascid[oa]|data\sdi\snascita|nat[oa](?=\s(?:il|nel)\b)"
)
_LABEL_ENDS: Final = r"(?:\s{0,2}\([^()\n]{0,15}\))?\s{0,2}(?:is|was|on|am|le|el|em|il)?\s{0,2}[:=#-]{0,2}\s{0,3}\(?"
_DATE: Final = r"(?:date|dated|datum|fecha|data)(?:\s(?:of|de)(?:\s[a-z]{2,12}){1,2}|\s[a-z]{2,12})?"
LABEL: Final = re.compile(rf"(?<![^\W_])(?:{_BIRTH}|{_DATE}){_LABEL_ENDS}", re.IGNORECASE)
DATE_LABEL: Final = re.compile(rf"(?<![^\W_])(?:{_DATE}){_LABEL_ENDS}\Z", re.IGNORECASE)
# Years before the last that may stay tell an age over 89 where a life is told.
LIFE: Final = re.compile(
    rf"(?<![^\W_])(?:{_BIRTH}|birth|(?:re)?married|wed|(?:im|e)?migrated|graduated|bapti[sz]ed|enlisted|widowed)[^.;\n]{{0,30}}\Z|\bsince\s{{1,2}}\Z",
    re.IGNORECASE,
)

# Words that only stand before a date.
_SURE: Final = (
    r"(?:re-?)?admit(?:ted|tance)?|(?:re-?)?admission|adm|d/?c'?e?d|d/c|dc|disch(?:arged?)?|seen|dated?|appt|appointment|visit(?:ed)?|f/u|follow(?:ed)?[\s-]?up|lmp|edd|edc"
    r"|as\sof|we?e?k\sof|today|yesterday|tonight|tomorrow|this\s(?:am|pm|morning|evening)|signed|scheduled|collected|drawn|arrived|transferred|surgery|operated|scanned|returns?|returning|rtc|expired|died|deceased|dos|doa|dod|onset|effective"
)
_STUDIES: Final = r"labs?|cxr|x-?rays?|ct(?:a|\s[a-z]{3,12})?|mri|mra|ultrasound|us|echo|tte|tee|ekg|ecg|eeg|emg|egd|colonoscopy|cath|biopsy|cultures?|bcx|ucx|imaging|procedure|operation"
_LINES: Final = r"picc|tlc|cvc|a-line|art\sline|central\sline|foley|trach|chest\stube|cordis|port-a-cath|piv|ett|dobhoff"
_PERHAPS: Final = rf"{_LINES}|on|since|until|till|from|through|thru|by|before|after|due|last|next|started|stopped|began|held|resumed|restarted|given|placed|removed|(?:re-?)?intubated|extubated|repeat(?:ed)?|chemo|{_STUDIES}|between|to|this|around"
_JOIN: Final = (
    r"(?:\s{1,2}(?:in|at|to|from)\s(?:the\s)?[a-z]{2,12})?,?(?:\s{1,2}(?:on|date|for|was|is|again|here|by|back))?\s{0,2}[:=(-]?\s{0,3}"
)
SURE_CUE: Final = re.compile(
    rf"(?<![^\W_])(?:{_SURE}|{_BIRTH}){_JOIN}\Z|(?<![^\W_])(?-i:RN|LPN|MD|DO|NP|PA-C),?\s\Z|(?<![^\W_]){WEEKDAY}[.,]?\s{{0,2}}\(?\Z",
    re.IGNORECASE,
)
CUE: Final = re.compile(rf"(?<![^\W_])(?:{_PERHAPS})\s{{1,2}}(?:about\s|or\s|~)?\(?\Z", re.IGNORECASE)
LINE_STARTS: Final = re.compile(r"(?:\A|\n|[.;]\s)[ \t]{0,8}(?:[-*•][ \t]{0,2})?\Z")
LINE_LABEL_ENDS: Final = re.compile(r"\s{0,2}(?::|--?(?=\s))")
STUDY_FOLLOWS: Final = re.compile(rf"\s(?:{_STUDIES})\b", re.IGNORECASE)
TIME_FOLLOWS: Final = re.compile(
    r"\s{0,2}(?:@|at\s)\s{0,2}\d{1,2}:?\d{2}|\s\d{1,2}:\d{2}|\s{0,2}(?:@|at\s)\s{0,2}\d{1,2}\s?[ap]\.?m\b", re.IGNORECASE
)

STOP_FOLLOWS: Final = re.compile(r"\s{0,2}(?:[.,;)\n]|\Z)")

TIME_BEFORE: Final = re.compile(r"\d{1,2}:\d{2}(?:\s?[ap]\.?m\.?)?,?\s\Z", re.IGNORECASE)

# Words that only stand behind or before a score, a fraction or a dose.
SCORE_FOLLOWS: Final = re.compile(
    rf"[\s-]{{0,3}}(?:{UNIT}|\(\s?\d{{1,3}}(?:\.\d)?\s?%|strength|motor|power|pain|(?:systolic|diastolic|holosystolic)\b|murmur|s\.?e\.?m\b|of\b|score|out\sof|packs?\b|ppd|bottles?|episodes?|criteria"
    r"|nodes?|lymph|cores?|positive|negative|reflex|pulses?|bilat|b/l|throughout|in\s(?:all|both|the\s(?:left|right|upper|lower)|(?:left|right|upper|lower|bilateral|[lr][ul]e)\b)"
    r"|teeth|toes?\b|cups?\b|teaspoons?|tablespoons?|normal\ssaline|ns\b|strengths|sibling|children|way|stage|grade|occasions?|glass(?:es)?|beers?|drinks?|cigar"
    r"|servings?|meals?|liters?|litres?|ounces?|oz\b|more\b|other\b|additional|levels?\b|nights?\b|per\b|a\s(?:day|week|month)\b)",
    re.IGNORECASE,
)
# A plural: 2-3 PVCs, 3/4 doses. Verbs and small words that end alike are none.
PLURAL_FOLLOWS: Final = re.compile(
    r"\s(?!(?:was|is|has|as|his|this|us|labs|its|shows?|reveals|demonstrates|denies|states|reports|presents|notes|suggests|appears|includes|does|needs|wants|says|feels)\b)"
    r"[a-z]{2,15}s\b",
    re.IGNORECASE,
)
SCORE_BEFORE: Final = re.compile(
    r"\b(?:pain|pupils?|(?:de|in)creas(?:ed|ing)|improv(?:ed|ing)|strength|motor|power|scores?|scored?|scale|rat(?:ed|ing|es)|gcs|apgars?|murmur|sem|reflex(?:es)?|dtrs?|pulses?|acuity|va|vision|bp|grades?|ratio|vertebra|severity"
    r"|intensity|[ctls]\d{1,2}|level|stage|phase|cycles?|days?|weeks?|about|approximately|every|q|x|times|mmse|moca|cbc|ppd|gleason|birads?|bi-rads|fraction|quantity|qty)"
    r"[^\n.;]{0,15}\Z",
    re.IGNORECASE,
)
# Denominators of scores and common fractions: these need a sure cue.
SCORE_BASES: Final = frozenset({2, 3, 4, 5, 6, 10, 30})

# Numbers that look like a date and are not: registry, grant and version numbers, section numbers.
NUMBER_LABEL: Final = re.compile(
    r"(?:\b(?:study|trial|protocol|eudract|grant|version|ver|v|release|section|table|figure|fig|chapter|patent|lot|pmid|pmcid|ref|catalog|cat|item|§)"
    r"\s{0,2}(?:no|nr|number|id|code)?[.:#\s]{0,3}|#)\Z",
    re.IGNORECASE,
)
# What a ratio counts: 1/2000 live births.
RATIO_FOLLOWS: Final = re.compile(
    r"\s{0,2}(?:live|births?|persons?|people|patients|individuals|children|newborns|women|men|dilution|titer|titre)\b", re.IGNORECASE
)

# Prepositions that make a month's name a month; before a capital the second ones do, too ("by May" could be a person: both go).
MONTH_CUE: Final = re.compile(
    r"\b(?:in|since|until|till|during|last|next|this|early|late|mid|through|thru|beginning\sof|end\sof|start\sof|middle\sof|month\sof|between|as\sof|back\sin"
    r"|en|im|em|nel|seit|depuis|desde|mes\sde|m[êe]s\sde|mois\sd[e'])[\s-]{1,2}(?:early\s|late\s|mid[\s-]|about\s|around\s)?\Z",
    re.IGNORECASE,
)
CAPITAL_MONTH_CUE: Final = re.compile(
    r"\b(?:by|from|of|to|before|after|around|for|and|or|every|each|prior)[\s-]{1,2}(?:early\s|late\s|mid[\s-])?\Z", re.IGNORECASE
)
# Before the months that are English words or abbreviations: "im Mai 2020", "en mayo".
FOREIGN_MONTH_CUE: Final = re.compile(r"\b(?:en|im|em|nel|seit|depuis|desde|(?:mes|m[êe]s)\sde|mois\sd[e'])\s{1,2}\Z", re.IGNORECASE)
# "May" as a verb behind a number: "cohort 2 May receive".
VERB_FOLLOWS: Final = re.compile(
    r"\s{1,2}(?!(?:and|or|for|at|with|in|to|on|by|the|after|before|due|via|from|he|she|pt|patient|was|were|is|had|has|when|while|because|but|then)\b)[a-z]{2,}"
)
# A month's name that begins a double name: May-Hegglin.
HYPHENATED: Final = re.compile(r"-[A-Za-z]{3}")
# What may stand between two dates of one list or range.
_LIST_JOIN: Final = r"\s{0,2}(?:,?\s?(?:and|or|to|through|thru|until|till|then)|[,;&/+]|-{1,2})\s{0,2}(?:(?:on|from)\s)?"
LIST_JOIN: Final = re.compile(_LIST_JOIN, re.IGNORECASE)
LIST_JOIN_BEFORE: Final = re.compile(rf"(?<!\s){_LIST_JOIN}\Z", re.IGNORECASE)

WEEKDAY_BEFORE: Final = re.compile(rf"(?<![^\W_]){WEEKDAY}\.?,?\s{{1,2}}(?:the\s{{1,2}})?\Z", re.IGNORECASE)
