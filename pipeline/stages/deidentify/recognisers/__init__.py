"""Everything that finds identifiers, one file each. To add one: write its file, add it to ``all_recognisers``."""

from __future__ import annotations

from pipeline.stages.deidentify.recognisers.accounts import Accounts
from pipeline.stages.deidentify.recognisers.addresses import Addresses
from pipeline.stages.deidentify.recognisers.ages import Ages
from pipeline.stages.deidentify.recognisers.base import Recogniser
from pipeline.stages.deidentify.recognisers.biometrics import Biometrics
from pipeline.stages.deidentify.recognisers.cities import Cities
from pipeline.stages.deidentify.recognisers.dates import Dates
from pipeline.stages.deidentify.recognisers.devices import Devices
from pipeline.stages.deidentify.recognisers.emails import Emails
from pipeline.stages.deidentify.recognisers.facilities import Facilities
from pipeline.stages.deidentify.recognisers.health_plans import HealthPlans
from pipeline.stages.deidentify.recognisers.initials import Initials
from pipeline.stages.deidentify.recognisers.ip_addresses import IpAddresses
from pipeline.stages.deidentify.recognisers.licences import Licences
from pipeline.stages.deidentify.recognisers.lone_codes import LoneCodes
from pipeline.stages.deidentify.recognisers.mrn import MedicalRecordNumbers
from pipeline.stages.deidentify.recognisers.names import Names
from pipeline.stages.deidentify.recognisers.names_entities import NameEntities
from pipeline.stages.deidentify.recognisers.national_ids import NationalIds
from pipeline.stages.deidentify.recognisers.organisations import Organisations
from pipeline.stages.deidentify.recognisers.other_ids import OtherIds
from pipeline.stages.deidentify.recognisers.phones import Phones
from pipeline.stages.deidentify.recognisers.photos import Photos
from pipeline.stages.deidentify.recognisers.site import SiteFormats
from pipeline.stages.deidentify.recognisers.ssn import SocialSecurityNumbers
from pipeline.stages.deidentify.recognisers.urls import Urls
from pipeline.stages.deidentify.recognisers.vehicles import Vehicles
from pipeline.stages.deidentify.recognisers.zips import Zips

__all__ = ["Recogniser", "SiteFormats", "all_recognisers"]


def all_recognisers(site: SiteFormats | None = None) -> list[Recogniser]:
    """Return every recogniser.

    Args:
        site: The site's own number formats.
    """
    site = site or SiteFormats()
    return [
        Names(),
        NameEntities(),
        Initials(),
        Dates(),
        Ages(),
        Emails(),
        Phones(),
        Urls(),
        IpAddresses(),
        SocialSecurityNumbers(),
        MedicalRecordNumbers(site),
        Accounts(site),
        HealthPlans(),
        Licences(),
        Vehicles(),
        Devices(),
        Biometrics(),
        Photos(),
        OtherIds(site),
        NationalIds(),
        LoneCodes(),
        Addresses(),
        Cities(),
        Facilities(),
        Organisations(),
        Zips(),
    ]
