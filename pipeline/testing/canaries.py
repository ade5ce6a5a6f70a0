"""Invented patients whose identifiers, of every class, must never leave the wall; and a search of everything for them.

All names, numbers and places are invented; telephone numbers are of the range that is kept for fiction.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from pipeline.domain.phi import IdentifierClass as Class

#: What is searched for, by class. Each is long enough not to stand in a hash or a vector by chance.
CANARIES: Final[dict[Class, tuple[str, ...]]] = {
    Class.NAME: ("Quartermain", "Zebulon", "Oddfellow", "Prudence"),
    Class.ADDRESS: ("4417 Larkspur Lane",),
    Class.ZIP: ("59718-4471",),
    Class.FACILITY: ("Thornapple Memorial",),
    Class.ORGANISATION: ("Whitlock Foundry",),
    Class.DATE: ("02/17/1952", "March 9, 2031"),
    Class.AGE: ("97-year-old",),
    Class.PHONE: ("406-555-0177",),
    Class.FAX: ("406-555-0178",),
    Class.EMAIL: ("z.quartermain@example.org",),
    Class.SSN: ("529-83-4471",),
    Class.MRN: ("83447106",),
    Class.HEALTH_PLAN: ("XQJ882301947",),
    Class.ACCOUNT: ("7719004523",),
    Class.LICENSE: ("D4471-9920-8836",),
    Class.VEHICLE: ("1HGCM82633A004352",),
    Class.DEVICE: ("PMX-7734219",),
    Class.URL: ("portal.example.org/zq",),
    Class.IP: ("203.0.113.77",),
    Class.OTHER_ID: ("S31-0098872",),
}

#: What only the list of known identifiers can know: a nickname in small letters, and a code that looks like words.
KNOWN_ONLY: Final = ("sparrowhawk", "larkmoss zulu")

#: A patient as a message would name him.
PATIENT: Final = "Zebulon Quartermain"

ADMISSION: Final = """DISCHARGE SUMMARY

Patient: Zebulon Quartermain    MRN: 83447106    DOB: 02/17/1952
Account number: 7719004523      SSN: 529-83-4471
Address: 4417 Larkspur Lane, Bozeman, MT 59718-4471
Phone: 406-555-0177  Fax: 406-555-0178  E-mail: z.quartermain@example.org
Insurance member ID: XQJ882301947
Driver's license number: D4471-9920-8836
Admitted on March 9, 2031 to Thornapple Memorial Hospital.

Mr. Quartermain is a 97-year-old man with crushing chest pain. He works for Whitlock Foundry.
Pacemaker serial number: PMX-7734219. VIN: 1HGCM82633A004352.
His results are at https://portal.example.org/zq and were opened from IP address 203.0.113.77.
Accession number: S31-0098872.

Potassium 4.1 mmol/L, troponin 0.9 ng/mL. Metoprolol 25 mg twice daily was started.

Dictated by: Prudence Oddfellow, MD
"""

FOLLOW_UP: Final = """Progress note

sparrowhawk came back for a checkup and showed the tag larkmoss zulu.
No fever, no rash. Lisinopril 10 mg daily continues. Creatinine 1.1 mg/dL.
"""

UNLABELLED: Final = """Dear Dr. Oddfellow,

thank you for seeing Mr. Zebulon Quartermain, who can be reached at 406-555-0177.
Echocardiogram: ejection fraction 55 %. No pericardial effusion.
"""

#: Stands in one note for which the flow breaks the detector: only the gate is left then.
SEED: Final = "detector-is-broken-here"
LEAK: Final = f"""Telephone note {SEED}

Mr. Zebulon Quartermain, SSN 529-83-4471, telephone 406-555-0177, e-mail z.quartermain@example.org. Hemoglobin 13.2 g/dL.
"""

_KNOWN: Final = {"version": 1, "values": {"NAME": ["Sparrowhawk"], "OTHER_ID": ["larkmoss zulu"]}}
_NAMES: Final = ("QUARTERMAIN_ZEBULON_83447106", "Quartermain progress", "Oddfellow letter", "Zebulon telephone")


def all_canaries() -> set[str]:
    """Return every value that must not be found."""
    return {value for values in CANARIES.values() for value in values} | set(KNOWN_ONLY)


def write_notes(folder: Path) -> Path:
    """Write four notes with sidecars into a folder whose own name is a canary; returns that folder."""
    ward = folder / "Oddfellow ward"
    ward.mkdir(parents=True)
    said = {
        "kind": "discharge_summary",
        "title": "Summary of Zebulon Quartermain",
        "date": "2031-03-09",
        "author": "Oddfellow, Prudence",
        "department": "Oddfellow unit",
        "patient": "83447106",
        "access": "restricted",
    }
    _note(ward, _NAMES[0], ADMISSION, said)
    _note(ward, _NAMES[1], FOLLOW_UP, {"kind": "progress_note", "patient": "83447106", "known_identifiers": _KNOWN})
    _note(ward, _NAMES[2], UNLABELLED, None)
    _note(ward, _NAMES[3], LEAK, {"kind": "note", "title": "Call of Quartermain"})
    return ward


def write_broken(ward: Path) -> None:
    """Write files that fail in as many ways as we know, each with a canary in its name and content."""
    name = "Quartermain broken"
    (ward / f"{name} 1.pdf").write_bytes(b"%PDF Zebulon Quartermain")
    (ward / f"{name} 2.txt").write_bytes("Zebulon Quartermain, Zürich".encode("latin-1"))
    (ward / f"{name} 3.txt").write_text(" \n", encoding="utf-8")
    (ward / f"{name} 9.odt").write_bytes(b"Zebulon Quartermain")
    os.mkfifo(ward / f"{name} 4.txt")
    (ward / f"{name} orphan.txt.meta.json").write_text('{"patient": "Quartermain"}', encoding="utf-8")
    bad = (
        '{"Zebulon Quartermain": 1}',
        '{"kind": "Quartermain"}',
        '{"date": "Quartermain"',
        '{"known_identifiers": {"version": "Quartermain"}}',
    )
    for number, text in enumerate(bad, start=5):
        _note(ward, f"{name} {number}", "Zebulon Quartermain", None)
        (ward / f"{name} {number}.txt.meta.json").write_text(text, encoding="utf-8")


def _note(ward: Path, name: str, text: str, sidecar: Mapping[str, object] | None) -> None:
    (ward / f"{name}.txt").write_text(text, encoding="utf-8")
    if sidecar is not None:
        (ward / f"{name}.txt.meta.json").write_text(json.dumps(sidecar), encoding="utf-8")


def found_in(data: bytes, canaries: Iterable[str]) -> set[str]:
    """Return which canaries stand in ``data``, in any case."""
    data = data.replace(bytes(64), b"").lower()  # the index reserves 260 MB of zeros, which need not be read once a canary
    return {one for one in canaries if one.lower().encode() in data}


def found_outside_landing(home: Path, canaries: Iterable[str]) -> dict[str, set[str]]:
    """Return canaries by file, in every file of a home but landing's and the model's, and in the files' own names."""
    canaries = set(canaries)
    for path in home.glob("*.sqlite"):  # bring the write-ahead log into the file, so that one read sees everything
        with contextlib.closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    found: dict[str, set[str]] = {}
    for path in sorted(home.rglob("*")):
        inside = path.relative_to(home)
        if inside.parts[0] == "models":
            continue
        values = found_in(str(inside).encode(), canaries)
        if path.is_file() and inside.parts[0] != "landing":
            values |= found_in(path.read_bytes(), canaries)
        if values:
            found[str(inside)] = values
    return found
