"""The report as tables: what it says besides figures."""

import json
import subprocess
import sys

from callscope.interfaces.cli.runtime import tables

NUMBERS = dict.fromkeys(tables.HEADLINE, 0)


def report(**parts):
    return {
        "headline": NUMBERS,
        "total_calls_all_time": 0,
        "scorecard": [],
        "contact_reasons": [],
        "agents": [],
        "trend": [],
        "shifts": [],
        **parts,
    }


def test_says_how_many_calls_lie_outside_an_empty_window(capsys):
    tables.print_report(report(total_calls_all_time=46, failed_calls=1))

    shown = capsys.readouterr().out
    assert "No calls in this period; 46 are outside it." in shown
    assert "1 call could not be analyzed, or only in part." in shown


def test_shows_weeks_with_bars_and_the_shifts_that_have_calls(capsys):
    week = {"week": "2026-01-05", "calls": 3, "average_score": 50.0}
    shift = {"total_calls": 3, "average_score": 50.0, "critical_error_pct": None, "goal_reached_pct": 10.0}
    shifts = [{"shift": "day", **shift}, {"shift": "night", **shift, "total_calls": 0}]

    tables.print_report(
        report(headline=NUMBERS | {"total_calls": 3}, trend=[week], shifts=shifts), is_whole=True
    )

    shown = capsys.readouterr().out
    (line,) = [line for line in shown.splitlines() if line.startswith("2026-01-05")]
    assert line.split()[-1] in ("█" * 10, "#" * 10)
    assert "day" in shown
    assert "night" not in shown
    assert "the project has no rubric" in shown


def row(name, average, applied, skipped):
    return {
        "criterion_id": name.lower(), "name": name, "section": "S", "average_pct": average, "calls": 12,
        "not_applicable_calls": skipped, "evaluated_pct": applied, "evaluated_delta_pct": -5.25,
        "previous_evaluated_calls": 4, "critical_errors": 1,
    }  # fmt: skip


def test_needs_nothing_of_a_server():
    """`callscope report` runs where there is no database, and its process has set up no tables."""
    document = report(headline=NUMBERS | {"total_calls": 12}, scorecard=[row("Greets", 80.0, 80.0, 0)])
    program = (
        f"import json, sys; from {tables.__name__} import print_report; "
        "print_report(json.load(sys.stdin), is_whole=True)"
    )

    done = subprocess.run(
        [sys.executable, "-c", program],
        input=json.dumps(document),
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert "Greets" in done.stdout


def test_shows_criteria_where_they_apply_and_names_those_that_apply_to_no_call(capsys):
    rows = [row("Greets", 80.0, 80.0, 0), row("Offers", 91.67, 50.0, 10), row("Warns", 100.0, None, 12)]
    tables.print_report(report(headline=NUMBERS | {"total_calls": 12}, scorecard=rows))

    shown = capsys.readouterr().out
    lines = [line.split() for line in shown.splitlines() if line.startswith(("Greets", "Offers", "Warns"))]
    assert [[*line[:3], *line[4:]] for line in lines] == [
        ["Greets", "S", "80.00", "12", "-5.25", "4", "1"],
        ["Offers", "S", "50.00", "2", "-5.25", "4", "1"],  # of few calls
    ]
    assert "Applied to no call: Warns." in shown
    assert "91.67" not in shown


def test_counts_critical_errors_of_critical_criteria_alone(capsys):
    free = row("Greets", 80.0, 80.0, 0) | {"critical_errors": 0}
    rows = [free | {"is_critical": False}, free | {"name": "Warns", "is_critical": True}]

    tables.print_report(report(headline=NUMBERS | {"total_calls": 12}, scorecard=rows), is_whole=True)

    [greets, warns] = [
        each for each in capsys.readouterr().out.splitlines() if each.startswith(("Greets", "Warns"))
    ]
    assert (greets.split()[-1], warns.split()[-1]) == ("–", "0")
