"""How pages are printed and scanned: fonts, and four sets of conditions, each held out from the rules that were made before it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import matplotlib

_CARRIED = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
_DEBIAN = Path("/usr/share/fonts/truetype/liberation")  # package fonts-liberation; left out where it is not installed
_DEJAVU = Path("/usr/share/fonts/truetype/dejavu")  # package fonts-dejavu, likewise
FONTS = {
    "sans": (_CARRIED / "DejaVuSans.ttf", _CARRIED / "DejaVuSans-Bold.ttf"),
    "serif": (_CARRIED / "DejaVuSerif.ttf", _CARRIED / "DejaVuSerif-Bold.ttf"),
    "mono": (_CARRIED / "DejaVuSansMono.ttf", _CARRIED / "DejaVuSansMono-Bold.ttf"),
    "stix": (_CARRIED / "STIXGeneral.ttf", _CARRIED / "STIXGeneralBol.ttf"),
    "arial-like": (_DEBIAN / "LiberationSans-Regular.ttf", _DEBIAN / "LiberationSans-Bold.ttf"),
    "times-like": (_DEBIAN / "LiberationSerif-Regular.ttf", _DEBIAN / "LiberationSerif-Bold.ttf"),
    "courier-like": (_DEBIAN / "LiberationMono-Regular.ttf", _DEBIAN / "LiberationMono-Bold.ttf"),
    "narrow": (_DEBIAN / "LiberationSansNarrow-Regular.ttf", _DEBIAN / "LiberationSansNarrow-Bold.ttf"),
    "slanted": (_DEBIAN / "LiberationSerif-Italic.ttf", _DEBIAN / "LiberationSerif-BoldItalic.ttf"),
    "sans-condensed": (_DEJAVU / "DejaVuSansCondensed.ttf", _DEJAVU / "DejaVuSansCondensed-Bold.ttf"),
    "sans-slanted": (_DEBIAN / "LiberationSans-Italic.ttf", _DEBIAN / "LiberationSans-BoldItalic.ttf"),
    "serif-slanted": (_DEJAVU / "DejaVuSerif-Italic.ttf", _DEJAVU / "DejaVuSerif-BoldItalic.ttf"),
    "bold": (_DEBIAN / "LiberationSerif-Bold.ttf", _DEBIAN / "LiberationSerif-Bold.ttf"),
    "narrow-slanted": (_DEBIAN / "LiberationSansNarrow-Italic.ttf", _DEBIAN / "LiberationSansNarrow-BoldItalic.ttf"),
    "sans-bold": (_DEBIAN / "LiberationSans-Bold.ttf", _DEBIAN / "LiberationSans-Bold.ttf"),
    "condensed-slanted": (_DEJAVU / "DejaVuSerifCondensed-Italic.ttf", _DEJAVU / "DejaVuSerifCondensed-BoldItalic.ttf"),
    "sans-condensed-bold": (_DEJAVU / "DejaVuSansCondensed-Bold.ttf", _DEJAVU / "DejaVuSansCondensed-Bold.ttf"),
    "condensed": (_DEJAVU / "DejaVuSerifCondensed.ttf", _DEJAVU / "DejaVuSerifCondensed-Bold.ttf"),
}


@dataclass(frozen=True, slots=True)
class Condition:
    """How a page is printed and scanned. Angles in degrees, counter-clockwise."""

    name: str
    font: str = "sans"
    dpi: int = 300
    size_pt: float = 11.0
    skew: float = 0.0
    turn: int = 0
    noise: float = 0.0  # standard deviation of grey
    fax: tuple[int, int] | None = None  # dots per inch across and down, one bit
    columns: int = 1
    jpeg: int = 0  # quality; 0: not compressed
    contrast: float = 1.0  # share of the distance between ink and paper that is left
    squeeze: float = 1.0  # width of print: a narrow font made of a usual one


CONDITIONS = (
    Condition("clean sans 300"),
    Condition("clean serif 300", font="serif"),
    Condition("clean mono 300", font="mono", size_pt=10),
    Condition("clean stix 300", font="stix", size_pt=12),
    Condition("clean arial-like 300", font="arial-like"),
    Condition("clean times-like 300", font="times-like", size_pt=12),
    Condition("200 dpi", font="times-like", dpi=200),
    Condition("150 dpi", font="arial-like", dpi=150),
    Condition("skew 2", font="times-like", skew=2.0),
    Condition("skew 5", font="arial-like", skew=-5.0),
    Condition("turned 90", font="arial-like", turn=90),
    Condition("turned 180", font="times-like", turn=180),
    Condition("turned 270", font="sans", turn=270),
    Condition("noise", font="times-like", dpi=200, noise=45.0),
    Condition("fax fine", font="arial-like", fax=(204, 196)),
    Condition("fax standard", font="arial-like", size_pt=12, fax=(204, 98)),
    Condition("two columns", font="times-like", columns=2, size_pt=10),
    Condition("low contrast", font="arial-like", dpi=200, contrast=0.25, noise=6.0),
    Condition("jpeg", font="times-like", dpi=200, jpeg=18),
)

# Of the second set: held out until the rules of the first were made, then looked at once.
SECOND = (
    Condition("clean courier-like 300", font="courier-like", size_pt=9.5),
    Condition("clean narrow 300", font="narrow", size_pt=11.5),
    Condition("clean slanted 300", font="slanted", size_pt=11.5),
    Condition("clean condensed 300", font="condensed", size_pt=9),
    Condition("small 250 dpi", font="times-like", dpi=250, size_pt=9),
    Condition("180 dpi", font="arial-like", dpi=180, size_pt=10),
    Condition("skew 1.3", font="condensed", dpi=240, skew=1.3, size_pt=10),
    Condition("noise 30", font="narrow", dpi=220, noise=30.0, size_pt=11.5),
    Condition("fax fine times", font="times-like", fax=(204, 196), size_pt=12),
    Condition("fax standard times", font="times-like", fax=(204, 98), size_pt=12),
    Condition("two columns narrow", font="narrow", columns=2, size_pt=10.5),
    Condition("low contrast serif", font="condensed", dpi=220, contrast=0.3, noise=4.0, size_pt=10),
    Condition("jpeg 25", font="arial-like", dpi=220, jpeg=25, size_pt=10),
)
# Of the third set: held out until the rules of the first two were made; what was found in it was then mended.
THIRD = (
    Condition("clean sans condensed 300", font="sans-condensed", size_pt=10),
    Condition("clean sans slanted 300", font="sans-slanted", size_pt=10.5),
    Condition("clean serif slanted 300", font="serif-slanted", size_pt=9.5),
    Condition("clean times slanted 300", font="slanted", size_pt=10),
    Condition("clean bold 300", font="bold", size_pt=11),
    Condition("220 dpi condensed", font="sans-condensed", dpi=220, size_pt=10),
    Condition("skew 3.3", font="times-like", dpi=250, skew=-3.3, size_pt=10.5),
    Condition("noise 20", font="sans-condensed", dpi=250, noise=20.0, size_pt=10),
    Condition("fax fine bold", font="bold", fax=(204, 196), size_pt=11),
    Condition("jpeg 30", font="sans-condensed", dpi=200, jpeg=30, size_pt=11),
)
# Never looked at while rules and bounds are made: other texts, fonts, sizes and degrees of damage.
HELD_OUT = (
    Condition("clean narrow slanted 300", font="narrow-slanted", size_pt=11),
    Condition("clean sans bold 300", font="sans-bold", size_pt=9.5),
    Condition("clean condensed slanted 300", font="condensed-slanted", size_pt=10),
    Condition("clean condensed bold 300", font="sans-condensed-bold", size_pt=9),
    Condition("clean stix squeezed 300", font="stix", squeeze=0.82, size_pt=11.5),
    Condition("clean mono squeezed 300", font="courier-like", squeeze=0.85, size_pt=10),
    Condition("210 dpi narrow", font="narrow-slanted", dpi=210, size_pt=11.5),
    Condition("skew 4.1", font="sans-condensed-bold", dpi=250, skew=4.1, size_pt=9.5),
    Condition("noise 35", font="stix", dpi=240, noise=35.0, size_pt=11.5),
    Condition("fax fine stix", font="stix", fax=(204, 196), size_pt=12),
    Condition("fax standard sans bold", font="sans-bold", fax=(204, 98), size_pt=10.5),
    Condition("jpeg 22", font="times-like", dpi=190, jpeg=22, size_pt=10.5),
    Condition("low contrast condensed", font="condensed-slanted", dpi=240, contrast=0.28, noise=5.0, size_pt=10),
)
SETS = {"texts": CONDITIONS, "second": SECOND, "third": THIRD, "held_out": HELD_OUT}
