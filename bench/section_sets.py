"""Sections on public sets of notes, a folder of which the caller has: gold where a set has some, else the share of text under a heading that is known.

python -m bench.section_sets --notes DIR [--half tuned|held_out]

ACI-Bench (divisions), OpenMed's radiology reports (spans of findings, impression, recommendation), Open-i (fields, joined under headings of
our own), MTSamples (headings lost their line breaks; no gold: a share covered is no accuracy). Text under no known heading counts as
right in ACI-Bench's "subjective". Halves by the first digit of SHA-256 of the id: even tuned, odd held out.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from pipeline.domain.vocabulary import DocumentKind, Section
from pipeline.stages.sections import SectionFinder
from pipeline.testing.section_gold import deidentified

_DIVISIONS: Final = {
    "subjective": (
        "CHIEF_COMPLAINT HISTORY_OF_PRESENT_ILLNESS PAST_MEDICAL_HISTORY PAST_SURGICAL_HISTORY FAMILY_HISTORY SOCIAL_HISTORY OBSTETRIC_HISTORY "
        "MEDICATIONS ALLERGIES IMMUNIZATIONS REVIEW_OF_SYSTEMS SUBJECTIVE NOTE_TEXT VITAL_SIGNS"  # the set counts vital signs before an exam as subjective
    ),
    "objective_exam": "VITAL_SIGNS PHYSICAL_EXAM OBJECTIVE",
    "objective_results": "LABORATORY_RESULTS IMAGING FINDINGS",
    "assessment_and_plan": "ASSESSMENT PLAN ASSESSMENT_AND_PLAN IMPRESSION DIAGNOSIS PROCEDURE DISCHARGE_INSTRUCTIONS FOLLOW_UP RECOMMENDATION",
}
_OPENI_HEADINGS: Final = (
    ("{}: ", "INDICATION", "COMPARISON", "FINDINGS", "IMPRESSION"),
    ("{}\n", "Clinical history", "Comparison", "Findings", "Impression"),
    ("{} ", "INDICATION", "COMPARISON", "FINDINGS", "IMPRESSION"),
    ("**{}:** ", "Indication", "Comparison", "Findings", "Conclusion"),
)
_OPENI_SECTIONS: Final = (Section.INDICATION, Section.COMPARISON, Section.FINDINGS, Section.IMPRESSION)
Spans = list[tuple[int, int, frozenset[str]]]


def rows(path: Path, half: str | None) -> Iterator[dict[str, Any]]:
    """Yield the rows of a set, of one half or all."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            odd = int(hashlib.sha256(row["id"].encode()).hexdigest()[0], 16) % 2
            if half is None or (half == "held_out") == bool(odd):
                yield row


def agreement(name: str, kind: DocumentKind, text: str, gold: Spans, counts: Counter[str]) -> None:
    """Count the characters inside gold spans whose section is one of those that the span may have, and the spans of which 95 % are right."""
    found = [str(span.section) for span in SectionFinder().sections(deidentified(name, kind, text)) for _ in range(span.start, span.end)]
    for start, end, allowed in gold:
        inked = [offset for offset in range(start, end) if not text[offset].isspace()]
        right = sum(found[offset] in allowed for offset in inked)
        counts.update(characters=len(inked), right=right, spans=1, right_spans=right >= 0.95 * len(inked))


def aci_bench(folder: Path, half: str | None, counts: Counter[str]) -> None:
    for row in rows(folder / "aci_bench.jsonl.gz", half):
        gold = [(one["start"], one["end"], frozenset(_DIVISIONS[one["division"]].split())) for one in row["divisions"]]
        agreement(row["id"], DocumentKind.NOTE, row["text"], gold, counts)


def openmed(folder: Path, half: str | None, counts: Counter[str]) -> None:
    for row in rows(folder / "openmed_sections.jsonl.gz", half):
        if row["language"] == "en":
            gold = [(one["start"], one["end"], frozenset([one["label"].upper()])) for one in row["gold_sections"] if "start" in one]
            kind = DocumentKind.NOTE if "-sec-" in row["id"] else DocumentKind.RADIOLOGY_REPORT  # dictated notes, most without any heading
            agreement(row["id"], kind, row["text"], gold, counts)


def openi(folder: Path, half: str | None, counts: Counter[str]) -> None:
    for number, row in enumerate(rows(folder / "openi_chest_xray_reports.jsonl.gz", half)):
        form, *headings = _OPENI_HEADINGS[number % len(_OPENI_HEADINGS)]
        text, gold = "", []
        for heading, section in zip(headings, _OPENI_SECTIONS, strict=True):
            value = (row[section.lower()] or "").strip()
            text += form.format(heading)
            gold.append((len(text), len(text) + len(value), frozenset([str(section)])))
            text += value + "\n"
        agreement(row["id"], DocumentKind.RADIOLOGY_REPORT, text, gold, counts)


def mtsamples(folder: Path, half: str | None, counts: Counter[str]) -> None:
    """No gold: the share of characters under a heading that is known."""
    for name in ("mtsamples", "mtsamples_more"):
        for row in rows(folder / f"{name}.jsonl.gz", half):
            spans = SectionFinder().sections(deidentified(row["id"], DocumentKind.NOTE, row["text"]))
            known = sum(span.end - span.start for span in spans if span.section is not Section.NOTE_TEXT)
            counts.update(
                characters=len(row["text"]), right=known, spans=1, right_spans=any(s.section is not Section.NOTE_TEXT for s in spans)
            )


def main() -> int:
    """Print one JSON object: shares by set."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=Path, required=True)
    parser.add_argument("--half", choices=("tuned", "held_out"))
    options = parser.parse_args()
    figures = {}
    for measure in (aci_bench, openmed, openi, mtsamples):
        counts: Counter[str] = Counter()
        measure(options.notes, options.half, counts)
        figures[measure.__name__] = {
            "spans": counts["spans"],
            "characters_right": round(counts["right"] / max(counts["characters"], 1), 4),
            "spans_right": round(counts["right_spans"] / max(counts["spans"], 1), 4),
        }
    print(json.dumps(figures, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
