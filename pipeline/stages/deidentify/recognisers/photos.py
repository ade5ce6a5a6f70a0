"""Photographs (paragraph Q): names of image files, camera numbers and labelled photographs; a pointer to a picture of a face."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar, Final

from pipeline.domain.phi import Found, IdentifierClass
from pipeline.stages.deidentify.recognisers.base import Recogniser
from pipeline.stages.deidentify.recognisers.labelled import NUMBER, find_labelled, is_code, labelled

if TYPE_CHECKING:
    from spacy.tokens import Doc

_FILE: Final = re.compile(
    r"(?<![\w.-])[\w()-]{1,80}(?:\.[\w-]{1,40}){0,3}\.(?:jpe?g|png|heic|heif|tiff?|bmp|gif|webp|raw|dcm|mov|mp4)\b", re.IGNORECASE
)
_CAMERA: Final = re.compile(
    r"(?<![A-Za-z0-9])(?:IMG|DSC[NF]?|PXL|DCIM|PHOTO|PIC)[_-]?\d{3,8}(?:[_-]\d{3,9})?(?![A-Za-z0-9])", re.IGNORECASE
)
_LABELLED: Final = labelled(
    rf"(?:photo(?:graph)?s?|pictures?|headshot|mug[ ]?shot|selfie)(?:[ ](?:file|of[ ](?:the[ ]|his[ ]|her[ ])?face))?{NUMBER}"
)
# The words alone identify nobody; where a note points at a picture of a face, the pointer goes with it.
_FACE: Final = re.compile(
    r"\b(?:see|refer[ ]to|attached|enclosed|uploaded|stored)[ ](?:the[ ]|his[ ]|her[ ]|their[ ]|patient'?s?[ ])?"
    r"((?:clinical[ ]|medical[ ]|colou?r[ ])?(?:(?:full-?[ ]?face|facial|face)[ ](?:photo(?:graph)?s?|pictures?)"
    r"|(?:photo(?:graph)?s?|pictures?)[ ]of[ ](?:the[ ]|his[ ]|her[ ]|their[ ]|(?:the[ ])?patient'?s?[ ])?face))\b",
    re.IGNORECASE,
)


class Photos(Recogniser):
    """See the file."""

    classes: ClassVar = (IdentifierClass.PHOTO,)

    def find(self, text: str, doc: Doc | None) -> Iterable[Found]:
        """Return references to photographs."""
        for pattern in (_FILE, _CAMERA):
            for match in pattern.finditer(text):
                yield self.found(*match.span(), IdentifierClass.PHOTO, 0.95)
        for start, end in find_labelled(text, _LABELLED, is_code):
            yield self.found(start, end, IdentifierClass.PHOTO, 0.95)
        for match in _FACE.finditer(text):
            yield self.found(*match.span(1), IdentifierClass.PHOTO, 0.8)
