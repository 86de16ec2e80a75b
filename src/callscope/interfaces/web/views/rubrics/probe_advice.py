"""What the page of a probe says about its result: what was measured, what that means, and what to do next."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from callscope.analysis.counterfactuals.groups import REPEAT
from callscope.interfaces.web.templatetags.formatting import number
from callscope.interfaces.web.views.rubrics.probe_names import GROUP_NAMES
from callscope.pipeline.models import Probe
from callscope.pipeline.rubric_changes.probes import requests
from callscope.pipeline.rubric_changes.probes.fairness import MOST_LISTED
from callscope.pipeline.rubric_changes.replays.drafts import find_comparable
from callscope.projects.models import Project
from callscope.reports.overview.coverage import FEW_CALLS

AGAIN_CALLS = 30  # offered where too few calls were judged
FEW_IS_OVER_PCT = 5.0  # the share that is still possible; below it the calls are enough to say so
MOST_NAMED = 3  # criteria of a sentence
EARNING = ("met", "partly")  # answers that earn points


@dataclass(frozen=True, slots=True)
class Advice:
    """Three short answers below the verdict."""

    measured: str
    meaning: str
    steps: list[str]
    leads_to_rubric: bool = False
    leads_to_places: bool = False  # the calls where an answer changed
    again: int = 0  # how many calls to start with again; 0 where that would say no more


def advise_on_steadiness(
    project: Project,
    probe: Probe,
    outcome: Mapping[str, Any],
    changed: Sequence[tuple[str, Any, Any]],
    *,
    has_places: bool,
) -> Advice:
    """Return what to make of calls that were judged several times; `changed`: criteria that flipped."""
    calls, flips, high = (outcome["overall"][name] for name in ("calls", "flips", "high"))
    measured = ngettext(
        "%(calls)s call was judged %(times)s times with the same settings.",
        "%(calls)s calls were judged %(times)s times each with the same settings.",
        calls,
    ) % {"calls": number(calls), "times": number(len(probe.variants))}
    if not probe.engine and not flips:
        meaning = _("Rules are steady by design: this probe can find something only where a model judges.")
        return Advice(measured, meaning, [_("Nothing. A fairness probe tests rules, too.")])
    again = _count_again(project, calls)
    steps = [_describe_again(again)] if calls < FEW_CALLS else []
    if flips:
        worst = sorted(changed, key=lambda each: -(each[1]["flip_pct"] or 0))[:MOST_NAMED]
        meaning = _(
            "A call that is judged again may get another result: small differences between agents or weeks "
            "can come from the judge."
        )
        steps += [
            _("Say in the rubric more precisely when these are met: %(criteria)s.")
            % {"criteria": ", ".join(name for name, _row, _agreement in worst)},
            _("Read the calls below, then start the probe again with the new rubric.")
            if has_places
            else _("Then start the probe again with the new rubric."),
        ]
    elif calls < FEW_CALLS or high is None:
        meaning = _("This says little about all calls: so few can be steady by chance.")
    elif high < FEW_IS_OVER_PCT:
        meaning = _("The judge is steady: differences between results come from the calls.")
        steps.append(_("Nothing. Start the probe again after a change of the rubric or the model."))
    else:
        meaning = _("No sign that the judge is unsteady. More calls would make the limit lower.")
        steps.append(_("Start the probe again after a change of the rubric or the model."))
    return Advice(measured, meaning, steps, leads_to_rubric=flips > 0, leads_to_places=flips > 0, again=again)


def advise_on_fairness(
    project: Project, outcome: Mapping[str, Any], *, is_clear: bool, is_by_rules: bool
) -> Advice:
    """Return what to make of copies; `is_clear` where some change more answers than the same words again."""
    calls = outcome["calls"]
    groups = [each for each in outcome["groups"] if each["group"] != REPEAT]
    copies = sum(each["overall"]["calls"] for each in groups)
    measured = ngettext(
        "%(calls)s call was judged, and %(copies)s copies of it that say the same in another way.",
        "%(calls)s calls were judged, and %(copies)s copies of them that say the same in another way.",
        calls,
    ) % {"calls": number(calls), "copies": number(copies)}
    has_moved = any(each["overall"]["flips"] for each in groups)
    if calls < FEW_CALLS:
        again = _count_again(project, calls)
        meaning = _("Nothing yet: so few calls cannot tell an effect of names or dialect from chance.")
        return Advice(measured, meaning, [_describe_again(again)], leads_to_places=has_moved, again=again)
    thin = [each for each in groups if each["overall"]["calls"] < FEW_CALLS]
    if not has_moved:
        meaning = _("No sign that a change of these kinds changes a result.")
        steps = [_("Nothing. Start the probe again after a change of the rubric or the model.")]
        if thin:
            steps = [_("Start the probe again with more calls, so that there are more copies of each kind.")]
        return Advice(measured, f"{meaning} {describe_steady(groups)}", steps)
    same = next((each["overall"]["flips"] for each in outcome["groups"] if each["group"] == REPEAT), 0)
    if not is_clear and not same:
        meaning = _("A few answers changed, but so few that it can be chance.")
        steps = [_("Read the calls below, and start the probe again with more calls.")]
        return Advice(measured, meaning, steps, leads_to_places=True)
    if not is_clear:
        meaning = _("Answers change about as often as with the same words: unsteady, not clearly unfair.")
        steps = [_("Start a steadiness probe, which names the criteria whose answers change.")]
        return Advice(measured, meaning, steps, leads_to_places=True)
    directions = count_directions(outcome["moved"])
    is_known = 0 < len(outcome["moved"]) < MOST_LISTED
    if is_known and not directions.lower and not directions.higher:
        meaning = _("Answers depend on how the same is said, but no copy has another score.")
    else:
        meaning = _(
            "Callers or agents who say the same in another way may get another result, which is unfair."
        )
        meaning += " " + describe_directions(directions) if is_known else ""
    meaning = f"{meaning} {describe_steady(groups)}".rstrip()
    steps = [_("Read the calls below, with what was changed in their copies.")]
    if is_by_rules:
        steps += _advise_on_phrases({(each["before"], each["after"]) for each in outcome["moved"]})
    else:
        steps.append(
            _("Say in the rubric what has to happen in the call, not how it is worded, and start again.")
        )
    return Advice(measured, meaning, steps, leads_to_rubric=True, leads_to_places=True)


def describe_changed(outcome: Mapping[str, Any]) -> str:
    """Return with which kinds of copies rules gave another answer, and of how many calls these are."""
    groups = [each for each in outcome["groups"] if each["group"] != REPEAT and each["overall"]["flips"]]
    groups.sort(key=lambda each: -each["overall"]["flips"] / each["overall"]["calls"])
    named = []
    for each in groups:
        flips, calls = number(each["overall"]["flips"]), number(each["overall"]["calls"])
        named.append(
            _("%(group)s (%(flips)s of %(calls)s)")
            % {"group": _name_group(each), "flips": flips, "calls": calls}
        )
    text = _("Other answers with %(groups)s. The same words again changed nothing.")
    said = text % {"groups": name_groups(named)}
    different = len({each["call_id"] for each in outcome["moved"]})
    if not 0 < len(outcome["moved"]) < MOST_LISTED:
        return said
    text = ngettext(
        "All these copies are of %(count)s call.", "These copies are of %(count)s different calls.", different
    )
    return f"{said} {text % {'count': number(different)}}"


def describe_steady(groups: Sequence[Mapping[str, Any]]) -> str:
    """Return with how many kinds of copies no answer changed, and of which there are too few."""
    sentences = []
    thin = [each for each in groups if each["overall"]["calls"] < FEW_CALLS]
    steady = [each for each in groups if each not in thin and not each["overall"]["flips"]]
    if steady:
        counts = [each["overall"]["calls"] for each in steady]
        fewest, most = number(min(counts)), number(max(counts))
        text = ngettext(
            "No answer changed with this kind of copies, over %(calls)s calls: %(groups)s. Up to %(high)s %% "
            "of calls could still change.",
            "No answer changed with these kinds of copies, over %(calls)s calls each: %(groups)s. Up to "
            "%(high)s %% of calls could still change.",
            len(steady),
        )
        names = {
            "groups": name_groups([_name_group(each) for each in steady]),
            "calls": fewest if fewest == most else _("%(low)s to %(high)s") % {"low": fewest, "high": most},
            "high": number(max(each["overall"]["high"] for each in steady), 1),
        }
        sentences.append(text % names)
    if thin:
        named = name_groups([f"{_name_group(each)} ({number(each['overall']['calls'])})" for each in thin])
        names = {"groups": named, "least": number(FEW_CALLS)}
        sentences.append(_("Fewer than %(least)s copies say nothing certain: %(groups)s.") % names)
    return " ".join(sentences)


def _name_group(found: Mapping[str, Any]) -> str:
    return str(GROUP_NAMES.get(found["group"], found["group"]))


def name_groups(names: Sequence[str]) -> str:
    """Return the names in one line; of many the first, and how many more there are."""
    if len(names) <= MOST_NAMED + 1:  # one more would be no shorter than its name
        return ", ".join(names)
    others = len(names) - MOST_NAMED
    more = ngettext("%(count)s more", "%(count)s more", others) % {"count": number(others)}
    return ", ".join([*names[:MOST_NAMED], more])


class Directions(NamedTuple):
    """How many copies have other answers than their calls, and how many of them another score."""

    copies: int
    lower: int
    higher: int
    same: int


def count_directions(moved: Sequence[Mapping[str, Any]]) -> Directions:
    """Return how many copies with other answers score lower or higher than their calls."""
    scores = {(each["call_id"], each["group"]): (each["score_before"], each["score_after"]) for each in moved}
    known = [(before, after) for before, after in scores.values() if None not in (before, after)]
    lower, higher = (sum(way * (after - before) > 0 for before, after in known) for way in (-1, 1))
    return Directions(len(scores), lower, higher, len(known) - lower - higher)


def describe_directions(found: Directions) -> str:
    """Return "Of 4 copies with another answer, 1 scored lower than the call, 2 higher, 1 the same."."""
    text = ngettext(
        "Of %(copies)s copy with another answer, %(lower)s scored lower than the call, %(higher)s higher, "
        "%(same)s the same.",
        "Of %(copies)s copies with another answer, %(lower)s scored lower than the call, %(higher)s higher, "
        "%(same)s the same.",
        found.copies,
    )
    return text % {name: number(count) for name, count in found._asdict().items()}


def _advise_on_phrases(moves: Collection[tuple[str, str]]) -> list[str]:
    """Return what to do about answers of rules that went from one to another."""
    steps = []
    if any(before in EARNING for before, _after in moves):
        steps.append(
            _("Where a copy lost an answer that its call had met, add the words of the copy to the phrases.")
        )
    if any(before not in EARNING and after in EARNING for before, after in moves):
        steps.append(
            _(
                "Where a copy met what its call had not, read the quote: if it is wrong, add its words to "
                "those that must not be said."
            )
        )
    if any(before not in EARNING and after not in EARNING for before, after in moves):
        steps.append(
            _(
                "Where an answer became “not evaluated”, or was so, the words were close to the limit: add "
                "phrases, check those that say when the criterion applies, or leave it to reviews."
            )
        )
    return steps


def _count_again(project: Project, calls: int) -> int:
    """Return with how many calls a probe of too few is started again; 0 if there are no more of them."""
    if calls >= FEW_CALLS:
        return 0
    there = find_comparable(project).count()
    return min(AGAIN_CALLS, there, requests.MOST_CALLS) if there >= FEW_CALLS else 0


def _describe_again(again: int) -> str:
    names = {"least": number(FEW_CALLS), "calls": number(again)}
    if again:
        return _("Start again with %(calls)s calls: at least %(least)s are needed for a verdict.") % names
    return _("Upload more calls: at least %(least)s with a transcript are needed for a verdict.") % names
