"""What does the report on paper cost?

First against WeasyPrint, which prints the same tables from HTML: is Typst worth carrying? Goal: at
most a fifth of its time. Both print one report of 60 criteria, 200 agents and 52 weeks, in one process,
in turn; the ratio is of medians. Memory is each one's peak in a process of its own.

Then served, over worlds of many calls, against the JSON of the same report. Goal: at most
three times the JSON plus half a second. Each round asks for another window, so that no round
finds what Typst remembers of the one before.
"""

import datetime as dt
import functools
import html
import itertools
import logging
import os
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "callscope.settings")
ROUNDS = 5
REPORT = "/calls/api/report/"
PDF = "/calls/api/report/pdf/"
HALF_A_SECOND_MS = 500.0
FIRST_DAYS = {"a year": dt.date(2025, 1, 1), "30 days": dt.date(2025, 11, 10)}
DAYS = {"a year": 365, "30 days": 30}


def example_data():
    import django

    django.setup()
    from callscope.reports.overview.report import (
        AgentRow,
        ContactReasonRow,
        CopcRates,
        Headline,
        Report,
        ScorecardRow,
        ShiftHours,
        ShiftRow,
        TrendBucket,
    )
    from callscope.reports.pdf.layout import Summary, build_page_data
    from callscope.reports.pdf.number_formats import ReportLocale
    from callscope.reports.window import Window

    head = Headline(123_456, 6173.2, 78.57, 80.13, 120_000, 12.34, 23.45, 67.89, 118_700)
    report = Report(
        window=Window(dt.date(2025, 4, 1), dt.date(2026, 3, 31)),
        total_calls_all_time=432_100,
        headline=head,
        scorecard=[
            ScorecardRow(
                f"c{n}", f"Criterion number {n}", f"Section {n // 15}", 1.67, 80.1, 79.0, 1.1, n, 9, 8, 1
            )
            for n in range(60)
        ],
        trend=[
            TrendBucket(dt.date(2025, 3, 31) + dt.timedelta(7 * n), 2300 + n, 70 + n / 4, 22.5)
            for n in range(52)
        ],
        contact_reasons=[ContactReasonRow(f"Reason {n}", 100 - n, 9.1) for n in range(10)],
        agents=[AgentRow(f"Agent number {n}", n, 600 - n, 78.2, 9.5, 22.2, 70.7) for n in range(200)],
        shifts=[ShiftRow("day", head), ShiftRow("night", head)],
        shift_hours=ShiftHours(8, 20),
        copc_rates=CopcRates(96.31, 97.42, 98.53, 88.64),
        previous_headline=head,
    )
    locale = ReportLocale("en")
    now = dt.datetime.now(dt.UTC)
    return build_page_data(
        report, projects=["Service"], summary=Summary(["One paragraph."]), locale=locale, generated_at=now
    )


def as_html(data) -> str:
    """The same tables, plainly."""

    def table(heads, rows) -> str:
        head = "".join(f"<th>{html.escape(h)}</th>" for h in heads)
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(str(c))}</td>" for c in row) + "</tr>" for row in rows
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    w = data["labels"]
    heads = [
        "weight_pct",
        "average_pct",
        "previous_pct",
        "delta_pct",
        "critical_errors",
        "calls",
        "evaluated_calls",
    ]
    sections = "".join(
        f"<h3>{html.escape(s['name'])}</h3>"
        + table(
            [w["criterion"], *(w[h] for h in heads), w["not_applicable_calls"]],
            [[r["name"], *r["cells"]] for r in s["rows"]],
        )
        for s in data["sections"]
    )
    four = ["score_short", "critical_short", "negative_short", "goal_short"]
    return (
        "<style>@page{size:A4;margin:18mm}body{font:9.5pt serif}table{width:100%;border-collapse:collapse}"
        "td,th{border-bottom:.4pt solid #ccc;padding:4pt}</style>"
        f"<h1>{html.escape(data['heading'])}</h1>{data['trend']['chart']}"
        + table(
            [w["week"], w["calls"], w["average_score"], w["negative_sentiment_pct"]], data["trend"]["rows"]
        )
        + sections
        + table([w["reason"], w["calls"], w["volume_pct"]], data["reasons"])
        + table([w["agent"], w["calls"], *(w[f] for f in four)], data["agents"])
        + table([w["figure"], w["day"], w["night"]], data["shifts"])
    )


def typst_pdf(data) -> bytes:
    from callscope.reports.pdf.printing import print_pdf

    return print_pdf(data)


def weasyprint_pdf(data) -> bytes:
    import weasyprint

    return weasyprint.HTML(string=as_html(data)).write_pdf()


WAYS = {"typst": typst_pdf, "weasyprint": weasyprint_pdf}


def altered(value, round_number: int):
    """Return the data with other figures: Typst remembers what it has laid out before."""
    if isinstance(value, dict):
        return {k: altered(v, round_number) if k != "labels" else v for k, v in value.items()}
    if isinstance(value, list):
        return [altered(v, round_number) for v in value]
    if isinstance(value, str) and any(c.isdigit() for c in value) and not value.startswith("<svg"):
        return f"{value}{round_number}"
    return value


def main() -> None:
    data = example_data()
    logging.getLogger("weasyprint").setLevel(logging.ERROR)  # it tells every page
    times: dict[str, list[float]] = {name: [] for name in WAYS}
    for way in WAYS.values():
        way(data)  # warm: fonts are read once
    for round_number in range(ROUNDS):
        other = altered(data, round_number)
        for name, way in WAYS.items():
            started = time.perf_counter()
            way(other)
            times[name].append(time.perf_counter() - started)
    typst, weasyprint = (statistics.median(times[name]) for name in WAYS)
    print(f"time:   typst / weasyprint = {typst / weasyprint:.3f}   (goal: at most 0.2)")
    peaks = {
        name: int(subprocess.run([sys.executable, __file__, name], capture_output=True, check=True).stdout)
        for name in WAYS
    }
    print(
        f"memory: typst / weasyprint = {peaks['typst'] / peaks['weasyprint']:.2f}   (peak of a whole process)"
    )
    served()


def served() -> None:
    """Print the PDF of worlds over HTTP against the JSON report of the same window."""
    import world
    from measuring import SIZES, line, median_ms, serve

    print("\n| what | ratio | goal | in this run |\n|---|---|---|---|")
    for calls in SIZES:
        with serve(world.build(calls)) as site:
            for name in FIRST_DAYS:
                windows = ever_later(FIRST_DAYS[name], DAYS[name])

                def ask(path: str, site=site, windows=windows) -> None:
                    site.get(path + next(windows))

                report = median_ms(functools.partial(ask, REPORT))
                paper = median_ms(functools.partial(ask, PDF), ROUNDS)
                bound = 3 * report + HALF_A_SECOND_MS
                line(f"PDF of {calls:,} calls, {name}, against 3 × JSON + 0.5 s", paper, bound, "≤ 1")


def ever_later(first: dt.date, days: int) -> Iterator[str]:
    """Yield queries of windows of so many days, each a day later than the one before."""
    for later in itertools.count():
        start = first + dt.timedelta(later)
        yield f"?start_date={start}&end_date={start + dt.timedelta(days - 1)}"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        WAYS[sys.argv[1]](example_data())
        # Not ru_maxrss: that starts from the size of the process which started this one.
        print(re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text()).group(1))
    else:
        main()
