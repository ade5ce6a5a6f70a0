import pytest

from pipeline.domain.vocabulary import DocumentKind, Provenance
from pipeline.stages.identify import FactScheme, identify
from pipeline.testing.identity import reading

EMPTY = reading(["Nothing on this page names a trial"])


@pytest.mark.parametrize(
    ("folder", "values"),
    [
        ("/trials/NCT99000189_WB-7720-01", ("NCT99000189", "WB-7720-01")),
        ("s3://bucket/trials/NCT99000189/", ("NCT99000189",)),
        ("C:\\trials\\WB-7720-01", ("WB-7720-01",)),
        ("/trials/NCT99000189/documents", ()),
        ("/trials/NCT990001890", ()),
        ("/trials/NCT99000189 NCT99000190", ()),
        ("/patients/Example Jane", ()),
        ("/trials/2021", ()),
        ("", ()),
    ],
)
def test_only_whole_tokens_of_closed_shape_of_the_folders_own_name(folder, values):
    facts = identify(EMPTY, DocumentKind.PROTOCOL, folder).facts
    assert tuple(fact.value for fact in facts) == values
    assert all(fact.provenance is Provenance.INHERITED and fact.page is None for fact in facts)


def test_what_the_document_says_wins():
    read = reading(["NCT Number: NCT99000011"])
    assert identify(read, DocumentKind.PROTOCOL, "/trials/NCT99000189").own(FactScheme.NCT_ID) == ("NCT99000011",)


@pytest.mark.parametrize("kind", [DocumentKind.NOTE, DocumentKind.UNKNOWN, DocumentKind.EMS_PROTOCOL, DocumentKind.PAPER])
def test_other_kinds_inherit_nothing(kind):
    assert identify(EMPTY, kind, "/trials/NCT99000189_WB-7720-01").facts == ()
