"""Every digit of every number, from JSON to rendered text, through the scrubber, to the chunk."""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import pytest

from pipeline.domain.chunks import ChunkedDocument
from pipeline.domain.documents import DeidentifiedDocument, Document, Facets
from pipeline.domain.fhir import Printed
from pipeline.domain.vocabulary import DocumentKind
from pipeline.jobs.gating import judge
from pipeline.stages.assemble.fhir import render
from pipeline.stages.chunking import DocumentChunker
from pipeline.stages.deidentify import Scrubber, deidentify, policy_for
from pipeline.stages.deidentify.fhir_fields import allowed_fields
from pipeline.stages.sections import SectionFinder
from pipeline.testing.tokens import ApproximateTokens

POLICY = policy_for("fhir_resource", "fhir")
UNITS = ["mmol/L", "mg/dL", "%", "10*3/uL", "g/dL", "ng/mL", "mL/min", "kg", "mm[Hg]", "/min", "Cel", "U/L", "1", "ratio"]
EXPORTS = Path(__file__).parents[6] / "shared" / "data" / "fhir"


@pytest.fixture(scope="module")
def scrubber() -> Scrubber:
    return Scrubber()


@pytest.fixture(scope="module")
def chunker() -> DocumentChunker:
    sizes = {"target_characters": 800, "min_characters": 200, "max_characters": 1600, "overlap_characters": 80}
    return DocumentChunker(ApproximateTokens(), SectionFinder(), prose_target_tokens=180, overlap_sentences=1, **sizes)


def printed(rng: random.Random) -> str:
    """A number as JSON may print it: trailing zeros, many digits, exponents, signs."""
    whole = rng.choice(["0", str(rng.randint(1, 9)), str(rng.randint(10, 999)), str(rng.randint(1000, 99_999_999))])
    part = "".join(rng.choice("0123456789") for _ in range(rng.choice([0, 1, 2, 3, 9, 18])))
    zeros = "0" * rng.choice([0, 0, 1, 2])
    number = f"{rng.choice(['', '', '', '-'])}{whole}{'.' if part + zeros else ''}{part}{zeros}"
    return number + rng.choice(["", "", "", "", "e3", "E-2"])


def chunked(resource: object, scrubber: Scrubber, chunker: DocumentChunker) -> tuple[str, DeidentifiedDocument, ChunkedDocument]:
    found = render(allowed_fields(resource), {})
    kind = DocumentKind.FHIR_RESOURCE
    document = deidentify(Document(UUID(int=1), "fhir", "k", kind, found.title, found.parts, Facets(), "h", "f"), scrubber, POLICY)
    return "\n".join(part.text for part in found.parts), document, chunker.chunk(document)


def read(text: str) -> dict:
    return json.loads(text, parse_float=Printed, parse_int=Printed)


def observation(numbers: list[str], rng: random.Random) -> str:
    """An Observation in JSON with a value, a range and components: five numbers."""
    unit = rng.choice(UNITS)

    def quantity(number: str) -> str:
        return f'{{"value": {number}, "unit": "{unit}"}}'

    first, low, high, one, other = map(quantity, numbers)
    return (
        f'{{"resourceType": "Observation", "status": "final", "code": {{"text": "Measured amount"}}, "valueQuantity": {first},'
        f' "referenceRange": [{{"low": {low}, "high": {high}}}],'
        f' "component": [{{"code": {{"text": "First part"}}, "valueQuantity": {one}}}, {{"code": {{"text": "Second part"}}, "valueQuantity": {other}}}]}}'
    )


def stands(number: str, text: str) -> bool:
    """Whether a text has exactly this number, no digit more and none less."""
    return re.search(rf"(?<![\d.eE-]){re.escape(number)}(?![\deE]|\.\d)", text) is not None


def test_600_numbers_are_in_text_and_chunk_as_they_were_printed(scrubber: Scrubber, chunker: DocumentChunker):
    rng = random.Random(20310517)
    for _ in range(120):
        numbers = [printed(rng) for _ in range(5)]
        text, document, done = chunked(read(observation(numbers, rng)), scrubber, chunker)
        shown = "\n".join(chunk.text for chunk in done.chunks)
        assert [number for number in numbers if not stands(number, text)] == []
        assert [number for number in numbers if not stands(number, shown)] == []
        assert done.loss.unexplained == 0
        assert judge(document, done, POLICY, {}) == []


def test_the_same_number_printed_otherwise_gives_another_text(scrubber: Scrubber, chunker: DocumentChunker):
    texts = {
        chunked(read(observation([number] * 5, random.Random(1))), scrubber, chunker)[0] for number in ("1", "1.0", "1.00", "1e0", "10e-1")
    }
    assert len(texts) == 5


def exported() -> Iterator[dict]:
    """Observations of the exports that stand beside the repository, where they do."""
    for path in sorted(EXPORTS.glob("*/Observation*.ndjson.gz")):
        yield from (read(line) for line in gzip.decompress(path.read_bytes()).decode("utf-8-sig").splitlines() if line.strip())
    for path in sorted(EXPORTS.glob("bundles-r4/*.json.gz"))[:2]:
        bundle = read(gzip.decompress(path.read_bytes()).decode("utf-8-sig"))
        yield from (one["resource"] for one in bundle["entry"] if one["resource"]["resourceType"] == "Observation")


@pytest.mark.skipif(not EXPORTS.is_dir(), reason="no exports beside the repository")
def test_values_of_an_export_are_in_the_chunk_as_they_were_printed(scrubber: Scrubber, chunker: DocumentChunker):
    wrong, seen = 0, 0
    for resource in list(exported())[:600]:
        quantities = [one.get("valueQuantity", {}) for one in (resource, *resource.get("component", ()))]
        numbers = [str(one["value"]) for one in quantities if "value" in one]
        if numbers:
            _, _, done = chunked(resource, scrubber, chunker)
            shown = "\n".join(chunk.text for chunk in done.chunks)
            seen += len(numbers)
            wrong += sum(not stands(number, shown) for number in numbers)
    assert seen >= 200
    assert wrong == 0
