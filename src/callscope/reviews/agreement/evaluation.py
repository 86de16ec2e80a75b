"""People's labels in a CSV against the stored results of the machine.

Columns `file_name`, `criterion_id` and `answer`, in any order and case; others are ignored.
UTF-8 with or without BOM, else cp1252; comma, semicolon or tab. Rows are numbered as a
spreadsheet shows them: the header is row 1.
"""

import csv
import io
import itertools
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO, NamedTuple

from callscope.analysis.models import CallAnalysis
from callscope.analysis.results.schema import Answer
from callscope.calls.names import clean_file_name
from callscope.db.limits import is_storable
from callscope.projects.models import Project
from callscope.reviews.agreement.measures import ANSWERS, AnswerPair, MeasuredAgreement, measure_agreement
from callscope.reviews.criteria import read_machine_answer

COLUMNS = ("file_name", "criterion_id", "answer")
MAX_BYTES = 64 * 1024 * 1024
MAX_SHOWN = 80  # characters of a wrong value
FILES_AT_ONCE = 500
DELIMITERS = ",;\t"
POSSIBLE = ", ".join(ANSWERS)

csv.field_size_limit(1024 * 1024)


class InvalidLabels(Exception):
    """The file as a whole holds no labels; str() is a sentence."""


class Label(NamedTuple):
    """One row of the file."""

    row: int
    file_name: str
    criterion_id: str
    answer: str


class Judged(NamedTuple):
    """What the machine said about one call, and the names of its criteria."""

    call_id: int
    answers: dict[str, Answer | None]  # by criterion id; None: not evaluated
    names: dict[str, str]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The agreement, and a sentence for each row that could not be compared."""

    agreement: MeasuredAgreement
    problems: list[str]


def evaluate_labels(project: Project, file: BinaryIO) -> Evaluation:
    """Compare the labels with the live results of the project's calls. Raises InvalidLabels."""
    labels = read_labels(file)
    in_rubric = {criterion.id: criterion.name for _, criterion in project.configuration.rubric.criteria()}
    pairs: list[AnswerPair] = []
    problems: dict[int, str] = {}
    compared: set[tuple[str, str]] = set()
    for judged, chunk in load_by_file(project, labels):
        for label in chunk:
            found = compare_label(label, judged.get(label.file_name), in_rubric)
            place = label.file_name, label.criterion_id
            if isinstance(found, str):
                problems[label.row] = found
            elif place in compared:
                problems[label.row] = f'a second label for criterion "{label.criterion_id}"; the first counts'
            else:
                compared.add(place)
                pairs.append(found)
    listed = [
        f"row {label.row}, {label.file_name[:MAX_SHOWN] or 'no file name'}: {problems[label.row]}"
        for label in labels
        if label.row in problems
    ]
    return Evaluation(measure_agreement(pairs), listed)


def read_labels(file: BinaryIO) -> list[Label]:
    """Return the rows below the header, blank ones left out. Raises InvalidLabels."""
    data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise InvalidLabels(f"The file is too large. Allowed: {MAX_BYTES // 2**20} MiB.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("cp1252", errors="replace")
    delimiter = max(DELIMITERS, key=text.split("\n", 1)[0].count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        header = [cell.strip().lower() for cell in next(reader, [])]
        missing = [column for column in COLUMNS if column not in header]
        if missing:
            raise InvalidLabels(
                f"The header lacks {', '.join(missing)}; it has "
                f"{', '.join(header)[:MAX_SHOWN] or 'nothing'}. Required: {', '.join(COLUMNS)}."
            )
        places = [header.index(column) for column in COLUMNS]
        rows = [(number, cells) for number, cells in enumerate(reader, start=2) if any(map(str.strip, cells))]
    except csv.Error as error:
        raise InvalidLabels(f"The file is no CSV: {error}. Allowed: rows of {', '.join(COLUMNS)}.") from None
    labels = []
    for number, cells in rows:
        name, criterion_id, answer = (cells[n].strip() if n < len(cells) else "" for n in places)
        labels.append(Label(number, clean_file_name(name), criterion_id, answer.lower()))
    return labels


def load_by_file(project: Project, labels: list[Label]) -> Iterator[tuple[dict[str, Judged], list[Label]]]:
    """Yield the calls by file name, some files at a time, with the labels of these files."""
    by_file: defaultdict[str, list[Label]] = defaultdict(list)
    for label in labels:
        by_file[label.file_name].append(label)
    names = iter(by_file)
    while chunk := list(itertools.islice(names, FILES_AT_ONCE)):
        storable = [name for name in chunk if is_storable(name)]
        found = CallAnalysis.objects.filter(
            project=project, is_live=True, call__file_name__in=storable
        ).select_related("call")
        judged = {analysis.call.file_name: read_result(analysis) for analysis in found}
        yield judged, [label for name in chunk for label in by_file[name]]


def read_result(analysis: CallAnalysis) -> Judged:
    """Return what a stored result says of each criterion."""
    result: Mapping[str, Any] = analysis.read_machine_copc() or {}
    judged = Judged(analysis.call_id, {}, {})
    for row in result.get("not_evaluated") or []:
        judged.answers[row["criterion_id"]] = None
        judged.names[row["criterion_id"]] = row.get("name") or ""
    for row in result.get("criterion_scores") or []:
        judged.answers[row["criterion_id"]] = read_machine_answer(row)
        judged.names[row["criterion_id"]] = row.get("name") or ""
    return judged


def compare_label(label: Label, judged: Judged | None, in_rubric: Mapping[str, str]) -> AnswerPair | str:
    """Return the pair, or why there is none: a sentence without its full stop."""
    if judged is None:
        return "no call of this project with results has this file name"
    if label.criterion_id not in judged.answers:
        shown = label.criterion_id[:MAX_SHOWN]
        if label.criterion_id in in_rubric:
            return f'the results of this call lack criterion "{shown}"'
        return f'unknown criterion "{shown}"; allowed: {", ".join(sorted(judged.answers))[:400] or "none"}'
    person = next((answer for answer in ANSWERS if answer == label.answer), None)
    if person is None:
        return f'unknown answer "{label.answer[:MAX_SHOWN]}"; allowed: {POSSIBLE}'
    machine = judged.answers[label.criterion_id]
    if machine is None:
        return f'the machine did not evaluate criterion "{label.criterion_id}"'
    name = in_rubric.get(label.criterion_id) or judged.names[label.criterion_id]
    return AnswerPair(judged.call_id, label.criterion_id, name, machine, person)
