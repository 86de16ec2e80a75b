"""List the sample calls, and when they were held.

Every company has a folder: `project.yaml` (its configuration), `manifest.csv`
(who spoke to whom; the days are counted back from the day of the
demonstration), `calls/` (what is uploaded), `again/` (what is uploaded a
second time under a name that was there before), `people.yaml` and `reviews.csv`
(what invented people say about the results).
"""

import csv
import io
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

FOLDER = Path(__file__).parent
COMPANIES = {"copper_lane": "Copper Lane Broadband", "luz_de_ribera": "Luz de Ribera"}
SUFFIXES = frozenset({".srt", ".vtt", ".ogg", ".mp3", ".wav"})
COLUMNS = ["filename", "call_datetime", "agent_id", "agent_name", "direction", "caller_number", "campaign"]


@dataclass(frozen=True, slots=True)
class SampleProject:
    """One company of the demonstration."""

    name: str
    config_path: Path
    manifest_path: Path
    files: list[Path]  # in the order of upload; a name that comes twice is a re-upload
    people_path: Path
    reviews_path: Path  # what people answer: see people.py


def load_catalog() -> list[SampleProject]:
    """Return the sample projects: English first, then Spanish."""
    return [
        SampleProject(
            name=name,
            config_path=FOLDER / folder / "project.yaml",
            manifest_path=FOLDER / folder / "manifest.csv",
            files=[*_list_calls(FOLDER / folder / "calls"), *_list_calls(FOLDER / folder / "again")],
            people_path=FOLDER / folder / "people.yaml",
            reviews_path=FOLDER / folder / "reviews.csv",
        )
        for folder, name in COMPANIES.items()
    ]


def build_manifest_csv(project: SampleProject, today: date) -> str:
    """Return the manifest to upload, its call times reaching back from the day before `today`.

    Times are local, without a zone: the server reads them in its own.
    """
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\r\n")
    writer.writeheader()
    with project.manifest_path.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            day, time = today - timedelta(days=int(row.pop("days_ago"))), row.pop("time")
            writer.writerow({**row, "call_datetime": f"{day.isoformat()} {time}"})
    return text.getvalue()


def _list_calls(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.suffix in SUFFIXES)
