"""Everything that finds identifiers, one file each. To add one: write its file, add it to ``all_recognisers``."""

from __future__ import annotations

from pipeline.stages.deidentify.recognisers.base import Recogniser
from pipeline.stages.deidentify.recognisers.emails import Emails
from pipeline.stages.deidentify.recognisers.phones import Phones
from pipeline.stages.deidentify.recognisers.site import SiteFormats

__all__ = ["Recogniser", "SiteFormats", "all_recognisers"]


def all_recognisers(site: SiteFormats | None = None) -> list[Recogniser]:
    """Return every recogniser.

    Args:
        site: The site's own number formats.
    """
    site = site or SiteFormats()
    return [Emails(), Phones()]
