"""Greys of a page: any Pillow image in, an 8-bit grey one out; whether there is ink on it, by how much it is skewed."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter, ImageOps

_WORKING_WIDTH: Final = 850  # pixels: 100 dpi of a letter page; thin print still has full dots there
_LEAST_CONTRAST: Final = 20.0  # greys between ink and paper; print at a quarter of its contrast has 30 and more
_NOISE_FACTOR: Final = 5.0  # standard deviations of the paper's noise: none of a million dots of noise is beyond
_INK_DOTS: Final = 25  # at the working width: a single character of 11 points has 30
_MOST_SKEW: Final = 7.0  # degrees; beyond that Tesseract finds no line, and no feeder skews a sheet that much
_COARSE: Final = 0.5
_FINE: Final = 0.1
_LEAST_GAIN: Final = 1.05  # the profile must be sharper by this factor than as it is: pictures have no direction
_SIDEWAYS: Final = 1.5  # upright pages have 0.3 and less, turned ones 3 and more; long rules of tables come in between
_MOST_INK: Final = 120_000  # dots that the profile is made of

# Blur against noise and the stairs of one-bit print, in pixels. Noise of 25 greys without it: 23 of 245 values read; with 1.2: 94 of 109.
_NOISY: Final = 12.0  # greys
_SOFT: Final = 4.0
_ACROSS: Final = 6**0.5  # the mask (1, -2, 1) multiplies the noise by it
_BLUR_NOISY: Final = 1.2
_BLUR_SOFT: Final = 0.7
_BLUR_STAIRS: Final = 1.0  # a fax: 93 of 109 values right against 88
_BETWEEN: Final = 0.005  # share of dots that are neither ink nor paper: less is one-bit print; edges of grey print have 0.02 and more
_FADED: Final = 128  # greys between ink and paper: less is stretched

Greys = NDArray[np.uint8]


def to_grey(image: Image.Image) -> Image.Image:
    """Return an image in mode L of any mode: 16-bit greys scaled to their range, transparency on white."""
    if image.mode.startswith("I") or image.mode == "F":
        values = np.asarray(image, dtype=np.float64)
        # An integer image declares no white. 16 bits are the rule in scans (TIFF, PNG); what stays below 256 has eight.
        white = 255.0 if values.size == 0 or values.max() <= 255 else 65535.0
        return Image.fromarray((values * (255.0 / white)).clip(0, 255).astype(np.uint8))
    if image.mode in {"LA", "La", "PA", "RGBA", "RGBa"} or "transparency" in image.info:
        clear = image.convert("RGBA")
        paper = Image.new("RGBA", clear.size, (255, 255, 255, 255))
        return Image.alpha_composite(paper, clear).convert("L")
    if image.mode in {"CMYK", "LAB", "HSV", "YCbCr"}:
        return image.convert("RGB").convert("L")
    return image if image.mode == "L" else image.convert("L")


def has_ink(image: Image.Image) -> bool:
    """Whether anything stands on a page. A blank scan has paper, its noise, and nothing else."""
    return int(ink_of(_reduced(to_grey(image))).sum()) >= _INK_DOTS


def cleaned(grey: Image.Image) -> Image.Image:
    """Return a page with its noise and its stairs smoothed and faded print stretched. A clean page comes back as it is."""
    noise = _noise_of(grey)
    histogram = np.asarray(grey.histogram(), dtype=np.int64)
    dark, light = (int(np.searchsorted(histogram.cumsum(), share * histogram.sum())) for share in (0.005, 0.95))
    if noise >= _SOFT:
        grey = grey.filter(ImageFilter.GaussianBlur(_BLUR_NOISY if noise >= _NOISY else _BLUR_SOFT))
    elif light > dark and histogram[dark + 10 : max(light - 10, dark + 10)].sum() < _BETWEEN * histogram.sum():
        grey = grey.filter(ImageFilter.GaussianBlur(_BLUR_STAIRS))
    return ImageOps.autocontrast(grey, cutoff=(0.5, 5)) if 0 < light - dark < _FADED else grey


def _noise_of(grey: Image.Image) -> float:
    """Return the standard deviation of a page's noise in greys (by second differences, as slopes and plain areas have none)."""
    part = np.asarray(grey, dtype=np.float32)[:: max(1, grey.height // 800)]
    if min(part.shape) < 3:
        return 0.0
    across = part[:, :-2] - 2 * part[:, 1:-1] + part[:, 2:]
    return 1.4826 * float(np.median(np.abs(across))) / _ACROSS


def skew_of(grey: Image.Image) -> float:
    """Return the degrees (counter-clockwise) to turn a page by so that its lines lie level; 0 where they do or there are none."""
    ys, xs = np.nonzero(ink_of(_reduced(grey)))
    if len(ys) > _MOST_INK:
        step = len(ys) // _MOST_INK + 1
        ys, xs = ys[::step], xs[::step]
    if len(ys) < _INK_DOTS:
        return 0.0
    level = _sharpness(xs, ys, 0.0)
    coarse = max(np.arange(-_MOST_SKEW, _MOST_SKEW + _COARSE, _COARSE), key=lambda angle: _sharpness(xs, ys, float(angle)))
    fine = max(np.arange(coarse - _COARSE, coarse + _COARSE, _FINE), key=lambda angle: _sharpness(xs, ys, float(angle)))
    return round(float(fine), 1) if _sharpness(xs, ys, float(fine)) > level * _LEAST_GAIN else 0.0


def runs_sideways(grey: Image.Image) -> bool:
    """Whether lines seem to run up or down the page: columns of dots differ more than rows. A guess that decides what is tried first."""
    ink = ink_of(_reduced(grey)).astype(np.float64)
    down, across = (float(np.square(np.diff(ink.sum(axis=axis))).sum()) / ink.shape[axis] for axis in (1, 0))
    return bool(across > down * _SIDEWAYS)


def _sharpness(xs: NDArray[np.intp], ys: NDArray[np.intp], angle: float) -> float:
    """Return how much neighbouring rows differ once the dots are turned: lines and the blanks between them make it high."""
    radians = np.deg2rad(angle)
    rows = np.rint(ys * np.cos(radians) - xs * np.sin(radians)).astype(np.int64)
    profile = np.bincount(rows - rows.min()).astype(np.float64)
    return float(np.square(np.diff(profile)).sum())


def _reduced(grey: Image.Image) -> Greys:
    factor = max(1, min(grey.size) // _WORKING_WIDTH)
    return np.asarray(grey.reduce(factor) if factor > 1 else grey)


def ink_of(greys: Greys) -> NDArray[np.bool_]:
    """Return the dots that differ from the paper (the commonest grey) by more than its noise; white print on black counts."""
    paper = float(np.median(greys))
    distance = np.abs(greys.astype(np.float32) - paper)
    noise = 1.4826 * float(np.median(distance))  # of a normal distribution, from the median of the distances
    return np.asarray(distance > max(_LEAST_CONTRAST, _NOISE_FACTOR * noise))
