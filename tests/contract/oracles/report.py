"""A naive second opinion: the report and the call list, recomputed from imported lines.

It shares no code with the product. Everything is a plain loop over all calls
with fractions; nothing is stored, nothing is fast. Source: docs/api.md.
"""

import datetime as dt
from dataclasses import dataclass, field
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from typing import Any
from zoneinfo import ZoneInfo


@dataclass
class OracleProject:
    """One call project: its configuration document and the lines that went in, in order."""

    id: int
    agents_of: str  # the team or owner that its agents belong to
    config: dict[str, Any]
    lines: list[dict[str, Any]]


@dataclass
class OracleCall:
    project: OracleProject
    line: dict[str, Any]
    at: dt.datetime
    source: str
    agent: tuple[str, str] | None  # identity: (whose, "id:…" or "name:…")
    order: int
    scores: list[dict[str, Any]] | None = None
    day: dt.date = field(init=False)
    local: dt.datetime = field(init=False)


class Oracle:
    """Answers for the calls of some projects, as `zone` counts days."""

    def __init__(self, projects: list[OracleProject], zone: str) -> None:
        self.zone = ZoneInfo(zone)
        self.names: dict[tuple[str, str], str] = {}
        self.calls: list[OracleCall] = []
        self.projects = sorted(projects, key=lambda p: p.id)
        for project in projects:
            self._take_in(project)

    def _take_in(self, project: OracleProject) -> None:
        by_name: dict[str, OracleCall] = {}
        for order, line in enumerate(project.lines):
            agent = self._agent(project.agents_of, line)
            given = line.get("call_datetime")
            at = dt.datetime.fromisoformat(given or line["uploaded_at"]).astimezone(dt.UTC)
            source = line.get("call_datetime_source") or ("api" if given else "upload_time")
            if not given:
                source = "upload_time"
            copc = line.get("copc")
            before = by_name.get(line["file_name"])
            call = OracleCall(project, line, at, source, agent, before.order if before else order)
            call.scores = copc["criterion_scores"] if copc else None
            call.local = at.astimezone(self.zone)
            call.day = call.local.date()
            by_name[line["file_name"]] = call
        self.calls += [c for c in by_name.values() if _is_analysed(c.line)]

    def _agent(self, whose: str, line: dict[str, Any]) -> tuple[str, str] | None:
        external, name = line.get("agent_id") or "", " ".join((line.get("agent_name") or "").split())
        if external:
            key = (whose, f"id:{external}")
            if name or key not in self.names:
                self.names[key] = name or external
            return key
        if not name:
            return None
        same = [k for k, n in self.names.items() if k[0] == whose and n.casefold() == name.casefold()]
        key = same[0] if len(same) == 1 else (whose, f"name:{name.casefold()}")
        self.names.setdefault(key, name)
        return key

    def report(self, start: dt.date | None, end: dt.date | None, preset: str | None) -> dict[str, Any]:
        window = [c for c in self.calls if _within(c.day, start, end)]
        before: list[OracleCall] = []
        if start and end:
            first = start - dt.timedelta((end - start).days + 1)
            before = [c for c in self.calls if _within(c.day, first, start - dt.timedelta(1))]
        return {
            "date_range": {"start": self._edge(start, False), "end": self._edge(end, True), "preset": preset},
            "total_calls_all_time": len(self.calls),
            "headline": headline(window),
            "scorecard": self.scorecard(window, start, end),
            "trend": trend(window),
            "contact_reasons": contact_reasons(window, before if start and end else None),
            "trackers": self.trackers(window),
            "agents": self.agents(window),
            "shifts": [
                {"shift": s, **headline([c for c in window if shift_of(c) == s])} for s in ("day", "night")
            ],
            "shift_hours": self.shift_hours(),
        }

    def _edge(self, day: dt.date | None, at_end: bool) -> str | None:
        if day is None:
            return None
        time = dt.time(23, 59, 59) if at_end else dt.time(0)
        return dt.datetime.combine(day, time, self.zone).isoformat()

    def shift_hours(self) -> dict[str, int | None]:
        shifts = {(h["day_start"], h["day_end"]) for h in (shift_config(p) for p in self.projects)}
        if len(shifts) != 1:
            return {"day_start": None, "day_end": None}
        start, end = shifts.pop()
        return {"day_start": start, "day_end": end}

    def trackers(self, window: list[OracleCall]) -> list[dict[str, Any]]:
        names: dict[str, str] = {}
        for project in self.projects:
            for tracker in project.config.get("trackers", []):
                names.setdefault(tracker["id"], tracker["name"])
        rows = []
        for tracker_id, name in names.items():
            held = [c for c in window if tracker_id in trackers_of(c)]
            weeks = [
                {
                    "week": bucket["week"],
                    "calls": sum(
                        (c.day - dt.timedelta(c.day.weekday())).isoformat() == bucket["week"] for c in held
                    ),
                }
                for bucket in trend(window)
            ]
            rows.append({"id": tracker_id, "name": name, "calls": len(held), "weeks": weeks})
        return rows

    def agents(self, window: list[OracleCall]) -> list[dict[str, Any]]:
        rows = []
        for key in {c.agent for c in window if c.agent}:
            head = headline([c for c in window if c.agent == key])
            kept = ("average_score", "critical_error_pct", "negative_sentiment_pct", "goal_reached_pct")
            rows.append(
                {"agent": self.names[key], "calls": head["total_calls"], **{k: head[k] for k in kept}}
            )
        return sorted(rows, key=lambda r: (-r["calls"], r["agent"].casefold()))

    def scorecard(
        self, window: list[OracleCall], start: dt.date | None, end: dt.date | None
    ) -> list[dict[str, Any]]:
        before: list[OracleCall] = []
        if start and end:
            length = (end - start).days + 1
            before = [
                c for c in self.calls if _within(c.day, start - dt.timedelta(length), start - dt.timedelta(1))
            ]
        order: list[tuple[str, str]] = []
        sections: dict[tuple[str, str], str] = {}
        live: dict[tuple[str, str], Fraction] = {}
        for project in self.projects:
            rubric = rubric_criteria(project)
            total = sum((Fraction(str(c["max_points"])) for c in rubric.values()), Fraction(0))
            for criterion in rubric.values():
                key = (criterion["id"], criterion["name"])
                if key not in order:
                    order.append(key)
                    sections[key] = criterion["section"]
                live[key] = Fraction(str(criterion["max_points"])) / total * 100
        retired = {
            (score["criterion_id"], number)
            for number, project in enumerate(self.projects)
            for call in window
            if call.project is project
            for score in call.scores or []
            if score["criterion_id"] not in rubric_criteria(project)
        }
        for criterion_id, number in sorted(retired):
            mine = [c for c in window if c.project is self.projects[number]]
            newest = self._newest_score(mine, criterion_id)
            key = (criterion_id, newest["name"])
            if key not in order:
                order.append(key)
                sections[key] = newest["section"]
        possible = sum((_max(s) for c in window for s in c.scores or []), Fraction(0))
        rows = []
        for key in order:
            now = self._scores(window, key)
            then = self._scores(before, key)
            average, previous = _average(now), _average(then)
            if len(self.projects) == 1:
                weight = live.get(key)
            elif key in live:
                weight = (
                    sum((_max(s) for s in now), Fraction(0)) / possible * 100 if possible else Fraction(0)
                )
            else:
                weight = None
            rows.append(
                {
                    "criterion_id": key[0],
                    "name": key[1],
                    "section": sections[key],
                    "weight_pct": shown(weight),
                    "average_pct": shown(average),
                    "previous_pct": shown(previous),
                    "delta_pct": shown(None if average is None or previous is None else average - previous),
                    "critical_errors": sum(bool(s.get("is_critical_error")) for s in now),
                    "calls": len(now),
                    "evaluated_calls": sum(s.get("applicability") == "evaluated" for s in now),
                    "not_applicable_calls": sum(s.get("applicability") == "not_applicable" for s in now),
                }
            )
        return rows

    def _scores(self, calls: list[OracleCall], key: tuple[str, str]) -> list[dict[str, Any]]:
        found = []
        for call in calls:
            rubric = rubric_criteria(call.project)
            mine = [c for c in self.calls if c.project is call.project]
            for score in call.scores or []:
                if score["criterion_id"] != key[0]:
                    continue
                known = rubric.get(key[0]) or self._newest_score(mine, key[0])
                if known["name"] == key[1]:
                    found.append(score)
        return found

    def _newest_score(self, calls: list[OracleCall], criterion_id: str) -> dict[str, Any]:
        carrying = [(c, s) for c in calls for s in c.scores or [] if s["criterion_id"] == criterion_id]
        return max(carrying, key=lambda pair: pair[0].order)[1]


def headline(calls: list[OracleCall]) -> dict[str, Any]:
    scored = [c for c in calls if c.scores]
    felt = [c for c in calls if c.line.get("sentiment")]
    known = [c for c in calls if c.line.get("goal_reached") is not None]
    points = sum((Fraction(str(s["score"])) for c in scored for s in c.scores or []), Fraction(0))
    possible = sum((_max(s) for c in scored for s in c.scores or []), Fraction(0))
    hours = sum((Fraction(str(c.line.get("duration_seconds") or 0)) for c in calls), Fraction(0)) / 3600
    return {
        "total_calls": len(calls),
        "analyzed_hours": shown(hours),
        "average_score": _share(sum((call_score(c) for c in scored), Fraction(0)), len(scored), 1),
        "weighted_compliance": shown(points / possible * 100) if possible else None,
        "scored_calls": len(scored),
        "critical_error_pct": _share(sum(is_critical(c) for c in scored), len(scored)),
        "negative_sentiment_pct": _share(sum(c.line["sentiment"] == "negative" for c in felt), len(felt)),
        "goal_reached_pct": _share(sum(c.line["goal_reached"] for c in known), len(known)),
        "calls_with_metadata": sum(c.source in ("api", "manifest") for c in calls),
    }


def trend(calls: list[OracleCall]) -> list[dict[str, Any]]:
    if not calls:
        return []
    mondays = {c: c.day - dt.timedelta(c.day.weekday()) for c in map(_Key, calls)}
    week, rows = min(mondays.values()), []
    while week <= max(mondays.values()):
        head = headline([k.call for k, monday in mondays.items() if monday == week])
        rows.append(
            {
                "week": week.isoformat(),
                "calls": head["total_calls"],
                "average_score": head["average_score"],
                "negative_sentiment_pct": head["negative_sentiment_pct"],
            }
        )
        week += dt.timedelta(7)
    return rows


def trackers_of(call: OracleCall) -> list[str]:
    found = (call.line.get("insights") or {}).get("trackers") or []
    return [tracker["id"] for tracker in found if tracker["quotes"]]


def contact_reasons(calls: list[OracleCall], before: list[OracleCall] | None) -> list[dict[str, Any]]:
    topics = [t for t in (topic_of(c) for c in calls) if t]
    former = [t for t in (topic_of(c) for c in before or []) if t]
    counted = sorted({(-topics.count(t), t) for t in topics})
    rows: list[dict[str, Any]] = [
        {
            "topic": t,
            "calls": -n,
            "volume_pct": _share(-n, len(topics)),
            "change_pct": shown(
                (Fraction(-n, len(topics)) - Fraction(former.count(t), len(former))) * 100 if former else None
            ),
            "calls_with_reason": len(topics),
            "previous_calls": None if before is None else former.count(t),
            "previous_calls_with_reason": None if before is None else len(former),
        }
        for n, t in counted[:10]
    ]
    rest = counted[10:]
    if rest:
        n = -sum(n for n, _ in rest)
        rows.append(
            {
                "topic": "",
                "calls": n,
                "volume_pct": _share(n, len(topics)),
                "other_topics": len(rest),
                "change_pct": None,
                "calls_with_reason": len(topics),
                "previous_calls": None,
                "previous_calls_with_reason": None,
            }
        )
    return rows


def topic_of(call: OracleCall) -> str:
    return call.line.get("contact_reason") or call.line.get("topic") or ""


def call_score(call: OracleCall) -> Fraction:
    scores = call.scores or []
    if is_critical(call) and call.project.config.get("rubric", {}).get("on_critical_error") == "zero_score":
        return Fraction(0)
    points = sum((Fraction(str(s["score"])) for s in scores), Fraction(0))
    return points / sum((_max(s) for s in scores), Fraction(0)) * 100


def is_critical(call: OracleCall) -> bool:
    return any(s.get("is_critical_error") for s in call.scores or [])


def shift_config(project: OracleProject) -> dict[str, int]:
    return {"day_start": 8, "day_end": 20, **project.config.get("shift_hours", {})}


def shift_of(call: OracleCall) -> str | None:
    if call.source == "upload_time":
        return None
    hours = shift_config(call.project)
    hour, start, end = call.local.hour, hours["day_start"], hours["day_end"]
    is_day = start <= hour < end if start < end else hour >= start or hour < end
    return "day" if is_day else "night"


def rubric_criteria(project: OracleProject) -> dict[str, dict[str, Any]]:
    sections = project.config.get("rubric", {}).get("sections", [])
    return {c["id"]: {**c, "section": s["name"]} for s in sections for c in s["criteria"]}


def shown(value: Fraction | None) -> float | None:
    """Round half-even to two decimals, as the edge does."""
    if value is None:
        return None
    scaled = value * 100
    whole, rest = divmod(scaled.numerator, scaled.denominator)
    twice = 2 * rest - scaled.denominator
    if twice > 0 or (twice == 0 and whole % 2):
        whole += 1
    return float(Decimal(whole).scaleb(-2).quantize(Decimal("0.01"), ROUND_HALF_EVEN))


def _is_analysed(line: dict[str, Any]) -> bool:
    parts = ("copc", "no_protocol", "custom_questions", "insights", "sentiment", "topic", "goal_reached")
    return any(line.get(p) is not None for p in parts)


def _within(day: dt.date, start: dt.date | None, end: dt.date | None) -> bool:
    return (start is None or day >= start) and (end is None or day <= end)


def _max(score: dict[str, Any]) -> Fraction:
    return Fraction(str(score["max_points"]))


def _average(scores: list[dict[str, Any]]) -> Fraction | None:
    if not scores:
        return None
    return sum((Fraction(str(s["score"])) / _max(s) for s in scores), Fraction(0)) / len(scores) * 100


def _share(part: Any, whole: int, factor: int = 100) -> float | None:
    return shown(Fraction(part) * factor / whole) if whole else None


class _Key:
    """Makes a call hashable by identity."""

    def __init__(self, call: OracleCall) -> None:
        self.call = call
        self.day = call.day
