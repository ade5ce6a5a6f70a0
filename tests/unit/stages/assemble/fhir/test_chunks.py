"""A rendered resource is one chunk, a long one is cut at its lines, each piece embedded behind the title."""

from __future__ import annotations

from uuid import UUID

from pipeline.domain.documents import DeidentifiedDocument, DeidentifiedPart, Facets
from pipeline.domain.vocabulary import DocumentKind, Section
from pipeline.stages.assemble.fhir import Rendered, render
from pipeline.stages.chunking import DocumentChunker
from pipeline.stages.sections import SectionFinder
from pipeline.testing.tokens import ApproximateTokens


def chunks_of(rendered: Rendered, window: int = 256):
    parts = tuple(DeidentifiedPart(one.name, one.text, None, one.reading, 1.0, marks=one.marks) for one in rendered.parts)
    document = DeidentifiedDocument(
        document_id=UUID(int=1),
        source="fhir",
        source_key="k",
        kind=DocumentKind.FHIR_RESOURCE,
        title=rendered.title,
        parts=parts,
        facets=Facets(),
        content_hash="h",
        facets_hash="f",
        policy="p",
    )
    sizes = {"target_characters": 800, "min_characters": 200, "max_characters": 1600, "overlap_characters": 80}
    chunker = DocumentChunker(ApproximateTokens(window), SectionFinder(), prose_target_tokens=180, overlap_sentences=1, **sizes)
    return chunker.chunk(document)


def report(results: int) -> Rendered:
    related = {
        f"Observation/{number}": {
            "resourceType": "Observation",
            "code": {"text": f"Analyte {number}"},
            "valueQuantity": {"value": f"{number}.10", "unit": "mmol/L"},
        }
        for number in range(results)
    }
    fields = {
        "resourceType": "DiagnosticReport",
        "status": "final",
        "code": {"text": "Great panel"},
        "category": [{"coding": [{"code": "LAB"}]}],
    }
    return render({**fields, "result": [{"reference": key} for key in related], "conclusion": "All as expected."}, related)


def test_a_resource_is_one_chunk_in_its_section():
    done = chunks_of(
        render({"resourceType": "Immunization", "status": "completed", "vaccineCode": {"text": "MMR"}, "site": {"text": "arm"}}, {})
    )
    (chunk,) = done.chunks
    assert (chunk.section, chunk.text) == (Section.IMMUNIZATIONS, "MMR (completed)\nSite: arm")
    assert chunk.embed_text == "Immunization: MMR: MMR (completed)\nSite: arm"


def test_a_long_report_is_cut_at_its_lines_behind_its_title():
    rendered = report(90)
    done = chunks_of(rendered)
    results = [chunk for chunk in done.chunks if chunk.section is Section.LABORATORY_RESULTS]
    assert len(results) > 2
    assert "\n".join(chunk.text for chunk in results) == rendered.parts[0].text
    assert all(chunk.embed_text.startswith("Diagnostic report: Great panel: ") for chunk in done.chunks)
    assert [chunk.text for chunk in done.chunks if chunk.section is Section.IMPRESSION] == ["Conclusion: All as expected."]
    assert done.loss.unexplained == 0
