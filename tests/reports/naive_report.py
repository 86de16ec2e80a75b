"""The report counted again from calls and their live results: plain loops and fractions, nothing stored.

It shares no code with the product, so that the store and this can only agree by
both being right.
"""

import datetime as dt
from collections import Counter
from fractions import Fraction
from zoneinfo import ZoneInfo

from django.conf import settings
from reports.naive_intervals import difference, interval, mean_of, ratio_of, share

from callscope.analysis.models import CallAnalysis
from callscope.contact_reasons.models import CallReason

FAILED = 4  # a state of an analysis
RATES = {
    "customer_critical_accuracy_pct": "customer",
    "business_critical_accuracy_pct": "business",
    "compliance_critical_accuracy_pct": "compliance",
}


class NaiveCall:
    def __init__(self, analysis, reason):
        call = analysis.call
        insights = analysis.insights or {}
        local = call.call_datetime.astimezone(ZoneInfo(settings.TIME_ZONE))
        self.id = call.pk
        self.project = call.project_id
        self.at = call.call_datetime
        self.day = local.date()
        self.hour = local.hour if call.call_datetime_source in ("api", "manifest") else None
        self.agent = call.agent
        self.sentiment = insights.get("sentiment")
        self.goal = insights.get("goal_reached")
        self.talk = insights.get("talk") or {}
        self.raw_topic = insights.get("topic") or ""
        self.reason = reason
        self.topic = reason or self.raw_topic
        self.seconds = Fraction(analysis.file.duration_us or 0, 1_000_000)
        self.direction = call.direction
        self.call = call
        self.no_protocol = analysis.no_protocol
        copc = analysis.copc or {}
        self.entries = copc.get("criterion_scores") or []
        self.is_scored = bool(self.entries)
        self.points = sum((Fraction(str(e["score"])) for e in self.entries), Fraction(0))
        self.most = sum((Fraction(str(e["max_points"])) for e in self.entries), Fraction(0))
        self.is_critical = any(e["is_critical_error"] for e in self.entries)
        zeroed = self.is_critical and copc.get("on_critical_error") == "zero_score"
        self.score = None if not self.entries else Fraction(0) if zeroed else self.points / self.most * 100


def live_calls(projects):
    reasons = dict(CallReason.objects.values_list("call_id", "reason__name"))
    live = CallAnalysis.objects.filter(is_live=True, project__in=projects)
    return [NaiveCall(a, reasons.get(a.call_id, "")) for a in live.select_related("call__agent", "file")]


def two(value):
    """Round half-even to two decimals, by way of Python's own rule for fractions."""
    return None if value is None else float(round(value, 2))


def pct(part, base):
    return two(share_of(part, base))


def share_of(part, base):
    return Fraction(part) * 100 / base if base else None


def mean(values):
    return sum(values, Fraction(0)) / len(values) if values else None


def headline(calls):
    scored = [c for c in calls if c.is_scored]
    felt = [c for c in calls if c.sentiment]
    known = [c for c in calls if c.goal is not None]
    return {
        "total_calls": len(calls),
        "analyzed_hours": two(sum((c.seconds for c in calls), Fraction(0)) / 3600),
        **{name: two(value) for name, value in exact_figures(calls).items()},
        "scored_calls": len(scored),
        "calls_with_metadata": sum(c.hour is not None for c in calls),
        "sentiment_calls": len(felt),
        "outcome_calls": len(known),
        **{f"{name}_interval": interval(found) for name, found in estimates(calls).items()},
    }


def exact_figures(calls):
    scored = [c for c in calls if c.is_scored]
    felt = [c for c in calls if c.sentiment]
    known = [c for c in calls if c.goal is not None]
    return {
        "average_score": mean([c.score for c in scored]),
        "weighted_compliance": share_of(sum(c.points for c in scored), sum(c.most for c in scored)),
        "critical_error_pct": share_of(sum(c.is_critical for c in scored), len(scored)),
        "negative_sentiment_pct": share_of(sum(c.sentiment == "negative" for c in felt), len(felt)),
        "goal_reached_pct": share_of(sum(c.goal for c in known), len(known)),
    }


def estimates(calls):
    """Return each figure that has an interval as (value, low, high), from 0 to 1, or None."""
    scored = [c for c in calls if c.is_scored]
    return {
        "average_score": mean_of([shown_score(c.score) for c in scored]),
        "weighted_compliance": ratio_of(
            [shown_score(c.points / c.most * 100) for c in scored], [float(c.most) for c in scored]
        ),
        "critical_error_pct": share(c.is_critical for c in scored),
        "negative_sentiment_pct": share(c.sentiment == "negative" for c in calls if c.sentiment),
        "goal_reached_pct": share(c.goal for c in calls if c.goal is not None),
    }


def shown_score(score):
    """Return a score as it is shown, from 0 to 1: intervals are made of these."""
    return float(round(score, 2)) / 100


def differences(calls, others):
    one, other, here, there = estimates(calls), estimates(others), exact_figures(calls), exact_figures(others)
    rows = []
    for name in one:
        bounds = difference(one[name], other[name])
        by = None if None in (here[name], there[name]) else two(here[name] - there[name])
        rows.append(
            {
                "figure": name,
                "difference": by,
                "difference_interval": bounds,
                "within_noise": None if bounds is None else bounds[0] <= 0 <= bounds[1],
            }
        )
    return rows


def average_difference(calls, others):
    """Return the difference of two average scores in percentage points."""
    one, other = (mean([c.score for c in some if c.is_scored]) for some in (calls, others))
    return None if None in (one, other) else two(one - other)


def naive_report(projects, start, end):
    everything = live_calls(projects)
    calls = [c for c in everything if (not start or c.day >= start) and (not end or c.day <= end)]
    before = []
    if start and end:
        length = dt.timedelta(days=(end - start).days + 1)
        before = [c for c in everything if start - length <= c.day < start]
    return {
        "total_calls_all_time": len(everything),
        "headline": headline(calls),
        "scorecard": scorecard(projects, calls, before),
        "trend": trend(calls),
        "contact_reasons": contact_reasons(calls, before if start and end else None),
        "reason_groups": [],  # no story groups its reasons
        "trackers": [],  # no project of a story has one
        "agents": agents(calls),
        "shifts": [
            {"shift": s, **headline([c for c in calls if shift(projects, c) == s])} for s in ("day", "night")
        ],
        "copc_rates": copc_rates(projects, calls),
        "changes": differences(calls, before) if start and end else [],
        "shift_differences": differences(
            *([c for c in calls if shift(projects, c) == s] for s in ("day", "night"))
        ),
        "failed_calls": failed_calls(projects, start, end),
        # Reviews have an oracle of their own: tests/contract/test_review_oracle.py.
        "reviews": {
            "reviewed_calls": 0,
            "corrected_calls": 0,
            "agreement_pct": None,
            "appeals": 0,
            "appeals_accepted": 0,
            "sampled_calls": 0,
            "sampled_score": None,
            "sampled_machine_score": None,
            "true_score": None,
            "true_score_interval": None,
        },
        "rubric_versions": [],  # no rubric of a story changes
    }


def failed_calls(projects, start, end):
    """Count every newest analysis with a failed part, call by call."""
    count = 0
    for analysis in CallAnalysis.objects.filter(is_newest=True).select_related("call"):
        day = analysis.call.call_datetime.astimezone(ZoneInfo(settings.TIME_ZONE)).date()
        is_inside = (not start or day >= start) and (not end or day <= end)
        parts = (analysis.copc_state, analysis.no_protocol_state, analysis.custom_questions_state)
        has_failed = FAILED in (*parts, analysis.insights_state)
        count += has_failed and is_inside and analysis.project_id in {p.pk for p in projects}
    return count


def shift(projects, call):
    if call.hour is None:
        return None
    hours = next(p for p in projects if p.pk == call.project).configuration.shift_hours
    day = {
        h % 24 for h in range(hours.day_start, hours.day_end + (24 if hours.day_end < hours.day_start else 0))
    }
    return "day" if call.hour in day else "night"


def trend(calls):
    weeks = {c.day - dt.timedelta(days=c.day.weekday()) for c in calls}
    rows = []
    last = []
    week = min(weeks, default=None)
    while week is not None and week <= max(weeks):
        of_week = [c for c in calls if 0 <= (c.day - week).days < 7]
        head = headline(of_week)
        kept = ("average_score", "negative_sentiment_pct", "scored_calls", "sentiment_calls")
        shown = {k: head[k] for k in (*kept, "average_score_interval", "negative_sentiment_pct_interval")}
        shown["average_score_change"] = average_difference(of_week, last)
        shown["average_score_change_interval"] = difference(
            *(estimates(some)["average_score"] for some in (of_week, last))
        )
        last = of_week
        rows.append({"week": week.isoformat(), "calls": head["total_calls"], **shown})
        week += dt.timedelta(days=7)
    return rows


def contact_reasons(calls, before):
    former = Counter(c.topic for c in before or [] if c.topic)
    counted = Counter(c.topic for c in calls if c.topic)
    base = sum(counted.values())
    ranked = sorted(counted, key=lambda t: (-counted[t], t))
    rows = [
        {
            "topic": t,
            "calls": counted[t],
            "volume_pct": pct(counted[t], base),
            "change_pct": change(counted[t], base, former[t], sum(former.values())),
            "calls_with_reason": base,
            "previous_calls": None if before is None else former[t],
            "previous_calls_with_reason": None if before is None else sum(former.values()),
        }
        for t in ranked[:10]
    ]
    if ranked[10:]:
        n = sum(counted[t] for t in ranked[10:])
        last = {"topic": "", "calls": n, "volume_pct": pct(n, base), "other_topics": len(ranked[10:])}
        unknown = dict.fromkeys(("change_pct", "previous_calls", "previous_calls_with_reason"))
        rows.append(last | unknown | {"calls_with_reason": base})
    return rows


def change(now, calls, before, calls_before):
    """Return a share less the share before, in points."""
    if not calls or not calls_before:
        return None
    return pct(now * calls_before - before * calls, calls * calls_before)


def agents(calls):
    rows = []
    for agent in {c.agent for c in calls if c.agent}:
        head = headline([c for c in calls if c.agent == agent])
        kept = ("average_score", "critical_error_pct", "negative_sentiment_pct", "goal_reached_pct")
        counted = ("scored_calls", "sentiment_calls", "outcome_calls")
        shown = {"agent": agent.name, "agent_id": agent.pk, "calls": head["total_calls"]}
        own, others = ([c for c in calls if (c.agent == agent) == is_own] for is_own in (True, False))
        apart = {
            "average_score_difference": average_difference(own, others),
            "average_score_difference_interval": difference(
                *(estimates(some)["average_score"] for some in (own, others))
            ),
            "talk": talk_means(own),
        }
        intervals = {f"{k}_interval": head[f"{k}_interval"] for k in kept}
        rows.append(shown | {k: head[k] for k in (*kept, *counted)} | intervals | apart)
    return sorted(rows, key=lambda r: (-r["calls"], r["agent"].casefold(), r["agent_id"]))


def talk_means(calls):
    """Return the mean of each talk measure that some call has, with how many have it; None without any."""
    found = {}
    for measure in (
        "talk_share_pct",
        "longest_monologue_seconds",
        "silence_seconds",
        "agent_interruptions",
        "agent_words_per_minute",
        "hold_seconds",
    ):
        known = [Fraction(str(c.talk[measure])) for c in calls if c.talk.get(measure) is not None]
        if known:
            found[measure] = {"mean": two(mean(known)), "calls": len(known)}
    return found or None


def scorecard(projects, calls, before):
    rubrics = {
        p.pk: {c.id: (c.name, s.name, c) for s, c in p.configuration.rubric.criteria()} for p in projects
    }
    order = {}
    names = {}
    for project in projects:
        for criterion_id, (name, section, _) in rubrics[project.pk].items():
            order.setdefault((criterion_id, name), section)
            names[project.pk, criterion_id] = name
    retired = {
        (e["criterion_id"], c.project): e
        for c in sorted(calls, key=lambda c: c.id)
        for e in c.entries
        if e["criterion_id"] not in rubrics[c.project]
    }
    for criterion_id, project_id in sorted(retired):
        entry = retired[criterion_id, project_id]
        order.setdefault((criterion_id, entry["name"]), entry["section"])
        names[project_id, criterion_id] = entry["name"]
    possible = sum((c.most for c in calls), Fraction(0))
    return [
        row(projects, rubrics, names, key, section, calls, before, possible) for key, section in order.items()
    ]


def row(projects, rubrics, names, key, section, calls, before, possible):
    def carried(some):
        return [
            e
            for c in some
            for e in c.entries
            if e["criterion_id"] == key[0] and names.get((c.project, key[0]), e["name"]) == key[1]
        ]

    def average(entries):
        return mean([Fraction(str(e["score"])) / Fraction(str(e["max_points"])) * 100 for e in entries])

    now, then = carried(calls), carried(before)
    in_rubric = [r[key[0]][2] for r in rubrics.values() if key[0] in r and r[key[0]][0] == key[1]]
    weight = None
    if in_rubric and len(projects) == 1:
        total = sum(
            (Fraction(str(c.max_points)) for _, _, c in rubrics[projects[0].pk].values()), Fraction(0)
        )
        weight = Fraction(str(in_rubric[0].max_points)) / total * 100
    elif in_rubric:
        most = sum((Fraction(str(e["max_points"])) for e in now), Fraction(0))
        weight = most / possible * 100 if most else Fraction(0)

    def estimated(entries):
        return mean_of([float(Fraction(str(e["score"])) / Fraction(str(e["max_points"]))) for e in entries])

    def subtract(one, other):
        return None if one is None or other is None else one - other

    def judged(entries):
        return [e for e in entries if e["applicability"] != "not_applicable"]

    kinds = [{e["applicability"] for e in entries} for entries in (now, then)]
    is_compared = not any(kind & {None, ""} for kind in kinds) or not any(
        "not_applicable" in kind for kind in kinds
    )
    apart = subtract(average(judged(now)), average(judged(then))) if is_compared else None
    apart_interval = difference(estimated(judged(now)), estimated(judged(then))) if is_compared else None
    return {
        "criterion_id": key[0],
        "name": key[1],
        "section": section,
        "weight_pct": two(weight),
        "average_pct": two(average(now)),
        "previous_pct": two(average(then)),
        "delta_pct": two(subtract(average(now), average(then))),
        "critical_errors": sum(e["is_critical_error"] for e in now),
        "calls": len(now),
        "evaluated_calls": sum(e["applicability"] == "evaluated" for e in now),
        "not_applicable_calls": sum(e["applicability"] == "not_applicable" for e in now),
        "evaluated_pct": two(average(judged(now))),
        "evaluated_pct_interval": interval(estimated(judged(now))),
        "previous_evaluated_pct": two(average(judged(then))) if is_compared else None,
        "previous_evaluated_calls": len(judged(then)) if is_compared else None,
        "evaluated_delta_pct": two(apart),
        "evaluated_delta_pct_interval": apart_interval,
        "average_pct_interval": interval(estimated(now)),
        "delta_pct_interval": difference(estimated(now), estimated(then)),
        "changed_in": None,  # no rubric of a story changes
        "is_critical": any(c.critical for c in in_rubric) if in_rubric else None,
        "for_person": False,  # nobody reviews its calls
    }


def copc_rates(projects, calls):
    scored = [c for c in calls if c.is_scored]
    rates = {}
    for field, error_class in RATES.items():
        counted, spared = 0, 0
        for project in projects:
            criteria = [c for _section, c in project.configuration.rubric.criteria()]
            mine = [c for c in scored if c.project == project.pk]
            spoilt = [
                c
                for c in mine
                if any(e["is_critical_error"] and e.get("critical_class") == error_class for e in c.entries)
            ]
            if spoilt or any(c.critical and c.critical_class == error_class for c in criteria):
                counted += len(mine)
                spared += len(mine) - len(spoilt)
        rates[field] = pct(spared, counted)
    plain = [
        e
        for c in scored
        for e in c.entries
        if not (e["is_critical_error"] or e.get("critical_class") or e.get("critical"))
        and e["applicability"] != "not_applicable"
    ]
    rates["non_critical_accuracy_pct"] = pct(sum(e["score"] == e["max_points"] for e in plain), len(plain))
    return rates
