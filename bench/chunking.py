"""What chunking makes of a folder of notes or texts: what it lost, how long its chunks are, and what they cut through.

python -m bench.chunking FOLDER [--kind note] [--overlap 1]

FOLDER holds ``*.jsonl.gz`` (objects with ``text``, and perhaps ``title``) and ``*.txt``. Prints one JSON object a line.
"""

from __future__ import annotations

import argparse
import gzip
import json
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from pipeline.domain.chunks import Chunk, ChunkedDocument
from pipeline.domain.documents import TEXT_PART, DeidentifiedDocument, DeidentifiedPart, Facets
from pipeline.domain.ports import TokenCounter
from pipeline.domain.vocabulary import DocumentKind, Reading
from pipeline.settings import Settings
from pipeline.stages.chunking import DocumentChunker
from pipeline.stages.chunking.protected import doses, negations
from pipeline.stages.embed import open_token_counter
from pipeline.stages.sections import SectionFinder

_TINY: Final = 20  # tokens of the cited text: a heading and a word or two


def texts(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the set and text of each document of a folder."""
    for path in sorted(folder.iterdir()):
        if path.name.endswith(".jsonl.gz"):
            with gzip.open(path, "rt", encoding="utf-8") as lines:
                for line in lines:
                    record = json.loads(line)
                    text = record.get("text") or "\n\n".join(f"{key.upper()}: {value}" for key, value in record.items() if key in _FIELDS)
                    yield path.name.partition(".")[0], text
        elif path.suffix == ".txt":
            yield path.stem, path.read_text(encoding="utf-8", errors="replace")


#: Fields of a record that has no text of its own.
_FIELDS: Final = ("indication", "comparison", "findings", "impression")


def document(text: str, kind: DocumentKind) -> DeidentifiedDocument:
    """Return a document of one part, as if it had been de-identified."""
    part = DeidentifiedPart(TEXT_PART, text, None, Reading.STRUCTURED, 1.0)
    title = f"{kind.value.replace('_', ' ').capitalize()}, 2024"
    return DeidentifiedDocument(UUID(int=0), "documents", "bench", kind, title, (part,), Facets(), "", "", "bench")


def chunker(tokens: TokenCounter, settings: Settings, *, overlap: int | None = None) -> DocumentChunker:
    """Return the chunker with the project's settings."""
    return DocumentChunker(
        tokens,
        SectionFinder(),
        prose_target_tokens=settings.prose_target_tokens,
        overlap_sentences=settings.clinical_overlap_sentences if overlap is None else overlap,
        target_characters=settings.protocol_target_characters,
        min_characters=settings.protocol_min_characters,
        max_characters=settings.protocol_max_characters,
        overlap_characters=settings.protocol_overlap_characters,
    )


def cuts(text: str, chunks: tuple[Chunk, ...]) -> tuple[int, int]:
    """Return how many chunks begin or end inside a dose, and inside a negation; where a section ends, so does what it negates."""
    sections = SectionFinder().sections(document(text, DocumentKind.NOTE))
    whole = {edge for section in sections for edge in (section.start, len(text[: section.end].rstrip()))}
    edges = {edge for chunk in chunks for edge in (chunk.span.start, chunk.span.end)} - whole
    through_doses = sum(start < edge < end for start, end in doses(text, 0, len(text)) for edge in edges if start <= edge <= end)
    negated = [(start, len(text[start:end].rstrip()) + start) for start, _, end in negations(text, 0, len(text))]
    return through_doses, sum(start < edge < end for start, end in negated for edge in edges if start <= edge <= end)


def report(name: str, done: list[tuple[str, ChunkedDocument]], seconds: float, tokens: TokenCounter) -> dict[str, Any]:
    """Return the figures of one set."""
    chunks = [chunk for _, one in done for chunk in one.chunks]
    lengths = sorted(tokens.count_many([chunk.text for chunk in chunks]))
    through = [cuts(text, one.chunks) for text, one in done]
    prefixes = [
        count - own for count, own in zip([c.token_count for c in chunks], tokens.count_many([c.text for c in chunks]), strict=True)
    ]
    return {
        "set": name,
        "documents": len(done),
        "characters": sum(one.loss.characters for _, one in done),
        "unexplained": sum(one.loss.unexplained for _, one in done),
        "chunks": len(chunks),
        "over_window": sum(chunk.token_count > tokens.window for chunk in chunks),
        "tokens": {share: lengths[min(len(lengths) - 1, int(len(lengths) * share / 100))] for share in (5, 25, 50, 75, 95)},
        "mean_tokens": round(statistics.fmean(lengths), 1),
        "mean_characters": round(statistics.fmean(len(chunk.text) for chunk in chunks)),
        "tiny": round(sum(length < _TINY for length in lengths) / len(lengths), 4),
        "prefix_tokens": {share: sorted(prefixes)[min(len(prefixes) - 1, int(len(prefixes) * share / 100))] for share in (50, 95, 100)},
        "cuts_through_doses": sum(one for one, _ in through),
        "cuts_through_negations": sum(other for _, other in through),
        "content_types": Counter(chunk.content_type.value for chunk in chunks if chunk.content_type),
        "with_icd_codes": sum(bool(chunk.icd_codes) for chunk in chunks),
        "characters_a_second": round(sum(one.loss.characters for _, one in done) / seconds),
    }


def main() -> int:
    """Print the figures of each set of a folder, and of all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kind", default="note")
    parser.add_argument("--overlap", type=int)
    options = parser.parse_args()
    settings = Settings()
    tokens = open_token_counter(settings)
    cutter = chunker(tokens, settings, overlap=options.overlap)
    done: dict[str, list[tuple[str, ChunkedDocument]]] = {}
    seconds: Counter[str] = Counter()
    for name, text in texts(options.folder):
        started = time.process_time()
        made = cutter.chunk(document(text, DocumentKind(options.kind)))
        seconds[name] += time.process_time() - started  # type: ignore[assignment]
        if made.chunks:
            done.setdefault(name, []).append((text, made))
    for name, one in done.items():
        print(json.dumps(report(name, one, seconds[name], tokens)), flush=True)
    everything = [pair for one in done.values() for pair in one]
    print(json.dumps(report("all", everything, sum(seconds.values()), tokens)))
    return int(any(one.loss.unexplained for _, one in everything))


if __name__ == "__main__":
    sys.exit(main())
