"""Writes rarer English words, which a language model takes for names where they begin a sentence: ``lexicons/dictionary_words.txt``.

In: Webster's Second International word list (``web2``, 1934, public domain) as the package ``english-words`` carries it, frequencies of
``wordfreq``. Out: one lower-case word a line, none of them a name of our lists or among ``ordinary_words.txt``.

``pip install english-words``, then ``scripts/make_dictionary_words.py`` (it is needed for this alone).
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Final

import wordfreq

FOLDER: Final = Path(__file__).resolve().parent.parent / "pipeline" / "lexicons"
SHORTEST: Final = 5  # shorter ones are as often foreign names
# Zipf frequency (wordfreq, large list): "cystoscope" 1.2, "retrobulbar" 1.2; below 1 stand words that no note uses.
LEAST_ZIPF: Final = 1.0
HEAD: Final = (
    "# English words less frequent than those of ordinary_words.txt, none a name of given_names.txt or surnames.txt. Made by\n"
    "# scripts/make_dictionary_words.py from Webster's Second International word list (`web2`, public domain), chosen by frequency (`wordfreq` 3.1,\n"
    "# CC BY-SA 4.0 data).\n"
)


def words(name: str) -> set[str]:
    """Return the words of one of our lists."""
    lines = (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return {line.strip().lower() for line in lines if line and not line.startswith("#")}


def main() -> None:
    """Write the list."""
    source: set[str] = import_module("english_words").get_english_words_set(["web2"])
    known = words("ordinary_words") | words("given_names") | words("surnames")
    kept = set()
    for word in source:
        if not (word.isascii() and word.isalpha() and word.islower() and len(word) >= SHORTEST):
            continue
        for form in (word, f"{word}s"):
            if form not in known and wordfreq.zipf_frequency(form, "en", "large") >= LEAST_ZIPF:
                kept.add(form)
    (FOLDER / "dictionary_words.txt").write_text(HEAD + "\n".join(sorted(kept)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
