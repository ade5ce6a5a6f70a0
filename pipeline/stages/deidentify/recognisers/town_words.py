"""Words and patterns by which a town is told from what is only called like one. Data, no code."""

from __future__ import annotations

import re
from typing import Final

from pipeline.stages.deidentify.recognisers.gazetteer import word_set

UPPER: Final = "A-ZÀ-ÞŁŚŠŽČĐΑ-Ω"
NAME_WORD: Final = rf"[{UPPER}](?:[^\W\d_]|['.-]){{1,24}}"
NAME: Final = rf"{NAME_WORD}(?: (?:(?:de|del|la|upon|sur|of the) )?{NAME_WORD}){{0,2}}"
CAPITAL: Final = re.compile(rf"(?<![\w@/.-])[{UPPER}]")
TOWN_AND_STATE: Final = re.compile(rf"(?<![\w@/-])({NAME}),[ \n](?=[A-Z])")
TOWN_STATE_ZIP: Final = re.compile(rf"(?<![\w@/-])({NAME}),?[ ]([A-Z]{{2}})\.?[ ,]{{1,2}}(\d{{5}}(?:-\d{{4}})?)(?!\d)")
COUNTY: Final = re.compile(
    rf"(?<![\w-])((?:{NAME_WORD} ){{1,2}})(?:County|Parish|Township|Borough)\b|(?<![\w-])((?:County|City|Town|Village) of {NAME_WORD}(?: {NAME_WORD})?)"
)
# Where a person was found, ate or stayed.
LANDMARK: Final = re.compile(
    rf"\b(?:in|at|near|from|to|outside) (?:the )?((?:{NAME_WORD} ){{1,3}}(?:(?:National |State |Trailer |Mobile Home )?Park|Beach|Mall|Airport|Restaurant|Hotel|Motel|"
    r"Stadium|Campground|Fairgrounds|Speedway|Casino|Resort|Reservation))\b"
)
# "lives in X": X is a place whatever it is called.
HOME: Final = (
    r"(?:liv(?:es?|ed|ing)(?: alone| currently)?(?: with [\w' ]{1,30})?|resid(?:es?|ed|ing)|resident(?= of)|relocat(?:ed|es|ing)|mov(?:ed|es|ing)(?: here| back| out)?"
    r"|born(?: and raised)?|raised|gr[eo]ws? up|originally|native(?= of)|hometown|home town|home city|came here|immigrated|emigrated|hails"
    r"|en route|drove|flew|travel(?:s|ed|led|ing|ling)?(?: back| up| down)?|trip|vacation(?:s|ed|ing)?|commut(?:es|ed|ing))"
)
AFTER_HOME: Final = re.compile(
    rf"\b{HOME}(?:,? (?:in|near|at|from|to|of|is|outside(?: of)?|around)|:) (?:the (?:city|town|village|suburbs?) of )?((?:the )?{NAME})",
    re.IGNORECASE,
)
LABEL: Final = re.compile(
    rf"\b(?:city|town|hometown|birth ?place|place of birth|residence|county)[ ]?:[ \t]{{0,12}}({NAME})", re.IGNORECASE
)
CUE: Final = re.compile(
    r"(?:^|[^\w])(in|from|near|outside|around|to|of|at|via|visit(?:s|ed|ing)?|leav(?:es|ing)|left|our|the)(?: (?:the|downtown|nearby|greater))?[ \n]$",
    re.IGNORECASE,
)
PLACE_CUES: Final = frozenset({"in", "from", "near", "outside", "around"})
# A town that a score, a disease or a firm is called after.
TERM: Final = re.compile(
    r"(?:'s)?[ -](?:(?!(?:and|or|for|with|has|had|have|on|in|at|to|an?|the|is|was|who|where|since|by|of|but|last|after|his|her|their|when|as)\b)[\w-]{1,16} ){0,2}?(?:criteria|criterion|classification|class|score|scores|scale|test|grade|graded|type|system|index|questionnaire|"
    r"assessment|inventory|definition|guidelines?|consensus|rules?|protocol|study|trial|declaration|statement|virus|fever|encephalitis|flu|influenza|"
    r"brace|collar|chromosome|heart|disease|syndrome|lymphoma|staging|stage|model|method|procedure|approach|technique|scientific|bioscience|"
    r"catheter|needle|bandage|forceps|retractor|knee|ankle|agitation|variant|strain|clamps?|scissors|retractors?|stand|bag|tray|pump|valve|graft|clips?|drain|stent|sutures?|prosthesis|tourniquet|\w{3,14}itis|sleep|coma|naming|cognitive|postnatal|card|regimen)\b",
    re.IGNORECASE,
)
# Declaration of Helsinki, plaster of Paris.
NAMED_AFTER: Final = re.compile(
    r"\b(?:declaration|plaster|criteria|classification|treaty|convention|college|university) of $", re.IGNORECASE
)
# What follows a name that is a word too where it is a place: "in Reading with his wife", not "in Normal saline".
GOES_ON: Final = re.compile(
    r"\s*(?:$|[.,;:)?!\n]|\d)|'?\s+(?:and|or|with|on|for|since|last|until|who|where|by|at|to|as|yesterday|today|this|during|after|before|when|because|from|but|"
    r"in|is|was|has|next|area|now|but|alone|every|via|he|she|they|which|area|over)\b",
    re.IGNORECASE,
)
PLACE_ENDS: Final = re.compile(r"\w{3,}(?:ville|burgh?|borough|bury|chester|mouth|haven|shire|stad|furt|port|town|view|berg|fort|side)$")
ONE_WORD_TOWN: Final = re.compile(rf"(?:[A-Z][a-z]+-)?{PLACE_ENDS.pattern.removesuffix('$')}")
TWO_WORD_TOWN: Final = re.compile(r"(?:New|North|South|East|West|Port|Lake|Fort) [A-Z]\w{2,}")
PLACE_STARTS: Final = re.compile(r"(?:New|North|South|East|West|Port|Lake|Fort|Mount|San|Santa|Saint|St\.|Los|Las|El|Upper|Lower) [A-Z]")
PLACE_WORDS: Final = re.compile(
    r" (?:Falls|Springs|City|Heights|Beach|Hills|Park|Grove|Valley|Lake|Harbor|Village|Island|Creek|Ridge|Junction|Bay|Rapids|Mills|Point)$"
)
# Capitalised words that no town begins with: what else stands before ", MA" or after "lives in".
NO_TOWN: Final = word_set(
    "the this that our their his her a an dr mr mrs ms in at on and or with for no she he they patient pt assisted skilled nursing "
    "home monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september "
    "october november december i we it independently alone each any per full same icu er ed emergency room group rehab hospice "
    "hospital clinic mom dad mother father left right north south east west northern southern eastern western"
)
SHORT_IN_CAPITALS: Final = 4
# States of the United States whose abbreviation is a clinical word or a degree.
CLINICAL_STATES: Final = word_set("AL CA CO CT DE HI ID IN LA MA MD ME MI MO MS MT NE OK OR PA SD VA")
# What may follow a town with a capital and is no part of a longer name.
NEW_WORD: Final = re.compile(
    r" (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|Mon|Tue|Wed|Thu|Fri|Sat|Sun|Dr|Mr|Mrs|Ms|He|She|They|It|The|His|Her|Pt|Patient|I|We|In|On|At|"
    r"Denies|Reports|Has|Was|Is|Lives|No|Phone|DOB|MRN)[a-z]*\b"
)
# Towns in lower case: with their state, or after words that leave no doubt.
IN_LOWER_CASE: Final = re.compile(r"\b(?:from|in|near|of|to) ([a-z][a-z.'-]{2,20}(?: [a-z][a-z'-]{2,20}){0,2}),? ([a-z]{2})\b")
