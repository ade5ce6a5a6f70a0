"""The title of a public document: its label, the mark of its reader, or the highest heading of its first page."""

from __future__ import annotations

import re
from itertools import takewhile
from typing import Final

from pipeline.domain.vocabulary import DocumentKind
from pipeline.stages.identify.ems_title import ems_title
from pipeline.stages.identify.evidence import Evidence, Line
from pipeline.stages.identify.shapes import DATE

MOST_CHARACTERS: Final = 300
_MOST_LINES: Final = 12  # of a title that goes on; the longest seen has 9
_LEAST_CHARACTERS: Final = 25  # of a title that no label announces

_TRIAL_LABEL: Final = re.compile(
    r"(?i)(?:^|(?<=[.;] ))(?:(?:official |full |protocol |study |trial |brief )?title(?: of (?:the )?(?:study|trial|protocol))?|(?:study|protocol|trial) title)\s*(?::(?:\s*\|)?|\|)\s*(?P<rest>.*)"
)
#: What ends a title in the line that holds it, or in a line after.
_STOP: Final = re.compile(
    r"(?i)(?:\b(?:previous |current |final |original )?(?:protocol|study|trial|sponsor|eudract|eu ct|ind|nct|amendment|version|compounds?|document|investigational product|development phase|study phase|short title|brief title|edition|"
    r"test product|approval|regulatory|sponsor's name|clinicaltrials\.gov|principal investigator|acronym|indication|name of|author|document)\b[ \w/.()']{0,40}(?:number|no\.?|id|code|identifier|#|date|title|phase|name|status|signatory)?\(?s?\)?\s*[:|]"
    r"|\bNCT ?\d{8}|\bversion \d|\b(?:protocol|global) amendment\b|\bamendment (?:no\b|number\b|\d)|\bconfidential\b|\bincorporating (?:administrative|amendment|protocol)|\bpage \d|\bdate:)"
)
_EDGES: Final = " -:;,|*_\u2022"
#: Signs that point to a note below.
_NOTE_SIGNS: Final = re.compile("[\u2460-\u2473\u24eb-\u24ff\u2776-\u2793]")
#: A trial's title without a label.
_TRIAL_TITLE: Final = re.compile(
    r"(?i)(?:an? (?=.{0,160}\b(?:study|trial|protocol)\b)|(?:an? |the )?(?:phase|\d+[- ](?:week|month|year))\b|(?:interventional|randomi[sz]ed|multi-?(?:cent\w+|national)|open|double|single|prospective|pilot|long-term|adaptive|pragmatic|"
    r"safety and efficacy|efficacy and safety|pharmacokinetics?|study|trial|comparison|evaluation)\b)"
)
#: A heading that names the document's kind and not its subject.
_NO_TITLE: Final = re.compile(
    r"(?i)(?:\d+(?:\.\d+)* )?(?:title page|arxiv:.*|(?:https?:|www\.|doi:? ?10\.).*|.{0,60}\bprotocol(?:,? (?:version|amendment)\b.*)?|(?:study|trial) [A-Z0-9-]*\d\S*|(?:interim |final )?statistical analysis plan|study protocol|confidential.*|(?:final )?version .*|protocol amendment.*|signature page|table of contents|"
    r"[A-Z0-9()-]*\d[A-Z0-9()-]*(?: (?:clinical |study )?(?:[a-z]+ )?protocol.*)?|(?:statistical analysis plan|protocol) [A-Z0-9()/-]*\d.*|.{0,60}(?:\binc|\bltd|\bgmbh|pharmaceuticals?|laboratories)\.?)\Z"
)


def find_title(evidence: Evidence, kind: DocumentKind) -> str:
    """Return the title, one line of at most 300 characters, or an empty string."""
    if kind is DocumentKind.EMS_PROTOCOL:
        return _cleaned(ems_title(evidence) or evidence.marked_title or evidence.stated_title)
    first = tuple(line for line in evidence.head if line.page in (None, 1))
    found = _labelled(evidence.head)
    if not found and kind in (DocumentKind.PROTOCOL, DocumentKind.STATISTICAL_ANALYSIS_PLAN):
        found = next((title for title in (_unlabelled(first), _unlabelled(evidence.head)) if title), "")
    named = (evidence.marked_title, evidence.stated_title, *(line.text for line in first if not line.is_row))
    return _cleaned(found or next((one for one in named if not _is_no_title(one)), evidence.marked_title))


def _cleaned(text: str) -> str:
    text = " ".join(_NOTE_SIGNS.sub(" ", text).split()).strip(_EDGES)
    if len(text) <= MOST_CHARACTERS:
        return text
    return text[:MOST_CHARACTERS].rpartition(" ")[0].rstrip(_EDGES)


def _labelled(lines: tuple[Line, ...]) -> str:
    """Return what follows the label of a trial's title, over lines, until another label."""
    for index, line in enumerate(lines):
        match = _TRIAL_LABEL.search(line.text)
        if match and (title := _until_stop([match["rest"], *(one.text for one in lines[index + 1 : index + _MOST_LINES])])):
            return title
    return ""


def _unlabelled(lines: tuple[Line, ...]) -> str:
    """Return the lines that begin as a trial's title does ("A Phase 3, ...", "A Randomized ..."), until a label."""
    for index, line in enumerate(lines):
        if _TRIAL_TITLE.match(line.text) and not _is_no_title(line.text):
            after = takewhile(lambda one: not one.is_row, lines[index + 1 : index + _MOST_LINES])
            title = _until_stop([line.text, *(one.text for one in after)])
            if len(title) > _LEAST_CHARACTERS:
                return title
    return ""


def _is_no_title(text: str) -> bool:
    """Whether a line is empty, prose, a label, or the name of a kind of document."""
    return not text or text.endswith(".") or _STOP.match(text) is not None or _NO_TITLE.match(text) is not None


def _until_stop(texts: list[str]) -> str:
    parts: list[str] = []
    for text in texts:
        stop = _STOP.search(text)
        kept = text[: stop.start()] if stop else text
        if parts and any(parts) and (_NO_TITLE.match(text) or DATE.match(text)):
            break
        parts.append(kept)
        if stop or (text.endswith(".") and len(text) > 1):
            break
    return " ".join(part for part in parts if part).strip(_EDGES)
