"""People's labels in a CSV against the stored results of the machine.

Columns `file_name`, `criterion_id` and `answer`, in any order and case; others are ignored. Labels of
mistakes, prompts, goal and sentiment have `kind` and `id` in place of `criterion_id`, or next to it.
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
from callscope.reviews.agreement.measures import (
    ANSWERS,
    KINDS,
    AnswerPair,
    FindingPair,
    MeasuredAgreement,
    measure_agreement,
)
from callscope.reviews.criteria import KnownCriteria, read_machine_answer
from callscope.reviews.findings import ANSWERS as FINDING_ANSWERS
from callscope.reviews.findings import Question, list_asked, list_questions

COLUMNS = ("file_name", "criterion_id", "answer")
FINDING_COLUMNS = ("file_name", "kind", "id", "answer")
READ = ("file_name", "criterion_id", "kind", "id", "answer")
MAX_BYTES = 64 * 1024 * 1024
MAX_SHOWN = 80  # characters of a wrong value
FILES_AT_ONCE = 500
DELIMITERS = ",;\t"
POSSIBLE = ", ".join(ANSWERS)
NO_CALL = "no call of this project with results has this file name"

csv.field_size_limit(1024 * 1024)


class InvalidLabels(Exception):
    """The file as a whole holds no labels; str() is a sentence."""


class Label(NamedTuple):
    """One row of the file."""

    row: int
    file_name: str
    criterion_id: str  # "": a finding
    kind: str  # of measures.KINDS; "" of a criterion
    item_id: str  # of a mistake or prompt
    answer: str

    @property
    def asked(self) -> str:
        """Return what it answers, as sentences say it; a call has one answer to it."""
        if self.criterion_id or not self.kind:
            return f'criterion "{self.criterion_id}"'
        return f'{self.kind} "{self.item_id}"' if self.item_id else f"the {self.kind}"


class Judged(NamedTuple):
    """What the machine said about one call, and the names of its criteria."""

    call_id: int
    answers: dict[str, Answer | None]  # by criterion id; None: not evaluated
    names: dict[str, str]
    questions: dict[tuple[str, str], Question]  # beyond criteria, by kind and item


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The agreement, and a sentence for each row that could not be compared."""

    agreement: MeasuredAgreement
    problems: list[str]


def evaluate_labels(project: Project, file: BinaryIO) -> Evaluation:
    """Compare the labels with the live results of the project's calls. Raises InvalidLabels."""
    labels = read_labels(file)
    in_rubric = {criterion.id: criterion.name for _, criterion in project.configuration.rubric.criteria()}
    asked = list_asked(project.configuration)
    pairs: list[AnswerPair] = []
    findings: list[FindingPair] = []
    problems: dict[int, str] = {}
    compared: set[tuple[str, str]] = set()
    for judged, chunk in load_by_file(project, labels):
        for label in chunk:
            of_call = judged.get(label.file_name)
            if label.criterion_id or not label.kind:
                found: AnswerPair | FindingPair | str = compare_label(label, of_call, in_rubric)
            else:
                found = compare_finding(label, of_call, asked)
            if isinstance(found, str):
                problems[label.row] = found
            elif (place := (label.file_name, label.asked)) in compared:
                problems[label.row] = f"a second label for {label.asked}; the first counts"
            else:
                compared.add(place)
                if isinstance(found, AnswerPair):
                    pairs.append(found)
                else:
                    findings.append(found)
    listed = [
        f"row {label.row}, {label.file_name[:MAX_SHOWN] or 'no file name'}: {problems[label.row]}"
        for label in labels
        if label.row in problems
    ]
    return Evaluation(measure_agreement(pairs, findings), listed)


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
        wanted = FINDING_COLUMNS if "kind" in header and "criterion_id" not in header else COLUMNS
        missing = [column for column in wanted if column not in header]
        if missing:
            raise InvalidLabels(
                f"The header lacks {', '.join(missing)}; it has "
                f"{', '.join(header)[:MAX_SHOWN] or 'nothing'}. Required: {', '.join(wanted)}."
            )
        places = [header.index(column) if column in header else None for column in READ]
        rows = [(number, cells) for number, cells in enumerate(reader, start=2) if any(map(str.strip, cells))]
    except csv.Error as error:
        raise InvalidLabels(f"The file is no CSV: {error}. Allowed: rows of {', '.join(COLUMNS)}.") from None
    labels = []
    for number, cells in rows:
        name, criterion_id, kind, item_id, answer = (
            "" if n is None or n >= len(cells) else cells[n].strip() for n in places
        )
        labels.append(
            Label(number, clean_file_name(name), criterion_id, kind.lower(), item_id, answer.lower())
        )
    return labels


def load_by_file(project: Project, labels: list[Label]) -> Iterator[tuple[dict[str, Judged], list[Label]]]:
    """Yield the calls by file name, some files at a time, with the labels of these files."""
    by_file: defaultdict[str, list[Label]] = defaultdict(list)
    for label in labels:
        by_file[label.file_name].append(label)
    names, known = iter(by_file), KnownCriteria(project)
    while chunk := list(itertools.islice(names, FILES_AT_ONCE)):
        storable = [name for name in chunk if is_storable(name)]
        found = CallAnalysis.objects.filter(
            project=project, is_live=True, call__file_name__in=storable
        ).select_related("call")
        judged = {analysis.call.file_name: read_result(analysis, known) for analysis in found}
        yield judged, [label for name in chunk for label in by_file[name]]


def read_result(analysis: CallAnalysis, known: KnownCriteria) -> Judged:
    """Return what a stored result says of each criterion, and of what else a review may answer."""
    result: Mapping[str, Any] = analysis.read_machine_copc() or {}
    questions = {each.key: each for each in list_questions(analysis, known)}
    judged = Judged(analysis.call_id, {}, {}, questions)
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
        return NO_CALL
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


def compare_finding(
    label: Label, judged: Judged | None, asked: Mapping[tuple[str, str], str]
) -> FindingPair | str:
    """Return the pair, or why there is none: a sentence without its full stop."""
    if judged is None:
        return NO_CALL
    if label.kind not in KINDS:
        return f'unknown kind "{label.kind[:MAX_SHOWN]}"; allowed: {", ".join(KINDS)}'
    question = judged.questions.get((label.kind, label.item_id))
    if question is None:
        allowed = sorted(item for kind, item in judged.questions if kind == label.kind)
        if not allowed:
            return f"the results of this call lack a {label.kind}"
        shown = ", ".join(item or "none" for item in allowed)[:400]
        return f'unknown {label.kind} "{label.item_id[:MAX_SHOWN]}"; allowed: {shown}'
    if label.answer not in FINDING_ANSWERS[label.kind]:
        allowed_answers = ", ".join(FINDING_ANSWERS[label.kind])
        return f'unknown answer "{label.answer[:MAX_SHOWN]}"; allowed: {allowed_answers}'
    if not question.machine_answer:
        return f"the machine could not tell of {label.asked}"
    name = asked.get(question.key, question.description) if label.item_id else ""
    return FindingPair(judged.call_id, label.kind, label.item_id, name, question.machine_answer, label.answer)
