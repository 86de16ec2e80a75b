"""What came out of a calibration in sentences: how much differs, where most, and who differs most."""

from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from callscope.interfaces.web.presenters.reviewing.answers import ShownAnswer
from callscope.interfaces.web.presenters.reviewing.review import Choice
from callscope.interfaces.web.templatetags.formatting import number
from callscope.reviews.calibration.listing import CalibrationRow, CriterionRow, RaterRow


class ShownRater(NamedTuple):
    """One rater with the name that the tables use."""

    row: RaterRow
    name: str
    short_name: str  # for a narrow head: without the domain, where no other rater has it
    differing: str  # how many answers are other ones than the expert's or the majority's, as "5 of 33"


class AnswerLine(NamedTuple):
    """One criterion of one call."""

    call_id: int
    number: int  # of the call in the list of calls, which has its name
    file_name: str
    answers: list[ShownAnswer]
    spread_points: float | None
    differs: bool
    is_tied: bool  # no answer was given by more people than any other
    input_name: str
    is_missing: bool  # it was not chosen, and has to be
    choices: list[Choice]  # to settle it; none of a call that nobody rated
    settled: ShownAnswer | None  # what was settled


class ShownCriterion(NamedTuple):
    row: CriterionRow
    lines: list[AnswerLine]
    summary: str  # in how many calls the answers differ, and by how much


def write_difference(row: CriterionRow, lines: list[AnswerLine]) -> str:
    """Return in how many calls the answers to a criterion differ, and by how many points at most."""
    if not row["n"]:
        return _("not compared")
    differing = ngettext(
        "%(differing)s of %(count)s call differs", "%(differing)s of %(count)s calls differ", row["n"]
    )
    apart = max((each.spread_points or 0.0 for each in lines), default=0.0)
    points = _("at most %(apart)s of %(most)s points apart") if apart else _("no points apart")
    counts = {"differing": number(sum(each.differs for each in lines)), "count": number(row["n"])}
    figures = {"apart": number(apart, int(apart % 1 > 0)), "most": number(row["max_points"])}
    return f"{differing % counts} · {points % figures}"


def sum_up(row: CalibrationRow, criteria: list[ShownCriterion], raters: list[ShownRater]) -> list[str]:
    """Return what came out: how much differs, where most, and who is furthest from the others."""
    if not any(call["rated_by"] for call in row["calls"]):
        if removed := sum(call["results_removed"] for call in row["calls"]):
            return describe_others(len(row["calls"]) - removed, is_judged=bool(criteria))
        if not criteria:  # what the machine answered is hidden
            return [_("Nobody rated a call.")]
        return [_("Nobody rated a call, so there is only what the machine answered.")]
    compared = sum(each.row["n"] for each in criteria)
    differing = sum(line.differs for each in criteria for line in each.lines)
    sentences = []
    if missing := row["expected_ratings"] - row["submitted_ratings"]:
        said = ngettext(
            "%(count)s of %(all)s ratings is missing.", "%(count)s of %(all)s ratings are missing.", missing
        )
        sentences.append(said % {"count": number(missing), "all": number(row["expected_ratings"])})
    if not compared:
        return [*sentences, _("No question has two answers, so nothing can be compared.")]
    if not differing:
        return sentences + describe_agreement(compared, count_answered_by_two(row))
    said = ngettext(
        "The answers to %(differing)s of %(count)s question differ.",
        "The answers to %(differing)s of %(count)s questions differ.",
        compared,
    )
    worst = next(each for each in criteria if any(line.differs for line in each.lines))
    sentences += [said % {"differing": number(differing), "count": number(compared)}, describe_worst(worst)]
    if furthest := find_furthest(raters):
        alone = find_only_rater(raters)
        sentences.append(describe_furthest(furthest, alone, has_expert=bool(row["expert"])))
    return sentences


def describe_removed(row: CalibrationRow) -> str:
    """Return how many calls lost their results to retention, and their ratings with them; "" for none."""
    removed, count = sum(call["results_removed"] for call in row["calls"]), len(row["calls"])
    if not removed:
        return ""
    if removed == count:
        return ngettext(
            "The results of this call were removed, as set in the retention of the project, and the ratings "
            "with them.",
            "The results of these calls were removed, as set in the retention of the project, and the "
            "ratings with them.",
            count,
        )
    said = ngettext(
        "The results of %(count)s of %(all)s calls were removed, as set in the retention of the project, "
        "and its ratings with them.",
        "The results of %(count)s of %(all)s calls were removed, as set in the retention of the project, "
        "and the ratings with them.",
        removed,
    )
    return said % {"count": number(removed), "all": number(count)}


def describe_others(calls: int, *, is_judged: bool) -> list[str]:
    """Return that nobody rated the calls whose results are still there."""
    if not calls:
        return []
    if not is_judged:
        return [ngettext("Nobody rated the other call.", "Nobody rated the other calls.", calls)]
    return [
        ngettext(
            "Nobody rated the other call, so of it there is only what the machine answered.",
            "Nobody rated the other calls, so of them there is only what the machine answered.",
            calls,
        )
    ]


def describe_worst(worst: ShownCriterion) -> str:
    """Return what to talk about first, and why."""
    apart = max((line.spread_points or 0.0 for line in worst.lines), default=0.0)
    if apart:
        talk = ngettext(
            "Talk about “%(criterion)s” first: up to %(apart)s point apart.",
            "Talk about “%(criterion)s” first: up to %(apart)s points apart.",
            1 if apart == 1 else 2,
        )
        return talk % {"criterion": worst.row["name"], "apart": number(apart, int(apart % 1 > 0))}
    talk = ngettext(
        "Talk about “%(criterion)s” first: its answers differ in %(differing)s of %(count)s call.",
        "Talk about “%(criterion)s” first: its answers differ in %(differing)s of %(count)s calls.",
        worst.row["n"],
    )
    differing = number(sum(line.differs for line in worst.lines))
    return talk % {"criterion": worst.row["name"], "differing": differing, "count": number(worst.row["n"])}


def describe_agreement(compared: int, by_people: int) -> list[str]:
    """Return on how many of the compared questions people agree, and on how many one and the machine."""
    sentences = []
    if by_people:
        said = ngettext(
            "All agree on the answer to %(count)s question: there is nothing to talk about.",
            "All agree on the answers to %(count)s questions: there is nothing to talk about.",
            by_people,
        )
        sentences.append(said % {"count": number(by_people)})
    if alone := compared - by_people:
        said = ngettext(
            "One person and the machine agree on %(count)s question.",
            "One person and the machine agree on %(count)s questions.",
            alone,
        )
        sentences.append(said % {"count": number(alone)})
    return sentences


def find_furthest(raters: list[ShownRater]) -> ShownRater | None:
    """Return who gave other answers most often; None where nobody did, or several did as often.

    The expert is what the others are compared with.
    """
    compared = [each for each in raters if each.row["different_pct"] and not each.row["is_expert"]]
    ordered = sorted(compared, key=lambda each: each.row["different_pct"] or 0)
    if not ordered or (
        len(ordered) > 1 and ordered[-2].row["different_pct"] == ordered[-1].row["different_pct"]
    ):
        return None
    return ordered[-1]


def describe_furthest(rater: ShownRater, alone: ShownRater | None, *, has_expert: bool) -> str:
    """Return how often this rater differs; `alone` is the only person who rated."""
    answers = rater.row["compared_answers"] or 0
    differing = count_differing(rater.row)
    name = _("the machine") if rater.row["is_machine"] else rater.name
    names = {"name": name, "differing": number(differing), "count": number(answers)}
    if alone is not None and rater.row["is_machine"]:
        said = ngettext(
            "The machine and %(name)s differ in %(differing)s of %(count)s answer.",
            "The machine and %(name)s differ in %(differing)s of %(count)s answers.",
            answers,
        )
        return said % {**names, "name": alone.name}
    if has_expert:
        said = ngettext(
            "Furthest from the expert: %(name)s, differing in %(differing)s of %(count)s answer.",
            "Furthest from the expert: %(name)s, differing in %(differing)s of %(count)s answers.",
            answers,
        )
        return said % names
    said = ngettext(
        "Furthest from the others: %(name)s, differing in %(differing)s of %(count)s answer.",
        "Furthest from the others: %(name)s, differing in %(differing)s of %(count)s answers.",
        answers,
    )
    return said % names


def find_only_rater(raters: list[ShownRater]) -> ShownRater | None:
    """Return the person who alone rated; None where several did, or nobody."""
    rated = [each for each in raters if each.row["rated_calls"] and not each.row["is_machine"]]
    return rated[0] if len(rated) == 1 else None


def count_differing(row: RaterRow) -> int:
    """Return how many of the compared answers of a rater are other ones."""
    return round((row["different_pct"] or 0) * (row["compared_answers"] or 0) / 100)


def count_answered_by_two(row: CalibrationRow) -> int:
    """Return how many questions at least two people answered."""
    calls = (call for each in row["criteria"] for call in each["calls"])
    return sum(sum(not given["is_machine"] for given in call["answers"]) > 1 for call in calls)
