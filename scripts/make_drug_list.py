"""Writes the list of drugs that de-identification keeps: ``pipeline/lexicons/drugs.txt``.

In: the dictionary of the package ``drug-named-entity-recognition`` (MIT, Fast Data Science Ltd; compiled from DrugBank's open vocabulary,
MeSH, MedlinePlus, NHS and Wikipedia), read without its finder. Out: one lower-case word a line; names of several words are found by
their parts.

Words that are also persons' names or everyday words are left out: nothing may be kept in a note for being a rare drug's trade name abroad.
"""

from __future__ import annotations

import bz2
import pickle
import re
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import wordfreq

FOLDER: Final = Path(__file__).resolve().parent.parent / "pipeline" / "lexicons"
PACKAGE: Final = "drug_named_entity_recognition"
# Sources whose entries are drugs; a canonical name that MeSH alone knows is as often a molecule of the laboratory.
CLINICAL_KEYS: Final = ("medline_plus_id", "nhs_url", "drugbank_id", "wikipedia_url")
WORD: Final = re.compile(r"[a-z][a-z-]{4,29}")
# A word of everyday English from this frequency on (wordfreq's Zipf scale): "atlas" 3.7, "amoxicillin" 3.0, "tetris" 3.1.
EVERYDAY_ZIPF: Final = 3.0
# Frequent drugs are everyday words, too: MedlinePlus lists them by their generic names.
SURE_KEY: Final = "medline_plus_id"
HEAD: Final = (
    "# Generic and trade names of drugs, one word each. Made by scripts/make_drug_list.py from the dictionary of\n"
    "# drug-named-entity-recognition 2.0.9 (MIT License, Copyright (c) 2023 Fast Data Science Ltd), without names of persons and everyday words.\n"
)


def words(name: str) -> set[str]:
    """Return the words of one of our lists, lower case."""
    lines = (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return {line.strip().lower() for line in lines if line and not line.startswith("#")}


def main() -> None:
    """Write the list."""
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise SystemExit(f"{PACKAGE} is not installed")
    with bz2.open(Path(spec.origin).parent / "drug_ner_dictionary.pkl.bz2") as file:
        dictionary = pickle.load(file)  # noqa: S301 - the pinned package's own file
    entries = dictionary["drug_canonical_to_data"]
    persons = words("given_names") | words("surnames")
    ordinary = words("ordinary_words")
    kept = set()
    for variant, canonicals in dictionary["drug_variant_to_canonical"].items():
        if not WORD.fullmatch(variant) or variant in persons:
            continue
        known = [entries.get(each, {}) for each in canonicals]
        sure = any(variant == each.get("name", "").lower() and SURE_KEY in each for each in known)
        if not sure and (variant in ordinary or wordfreq.zipf_frequency(variant, "en", "large") >= EVERYDAY_ZIPF):
            continue
        if any(key in each for each in known for key in CLINICAL_KEYS):
            kept.add(variant)
    (FOLDER / "drugs.txt").write_text(HEAD + "\n".join(sorted(kept)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
