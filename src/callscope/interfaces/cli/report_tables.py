"""The report object as tables on a terminal."""

from typing import Any

from callscope.interfaces.cli import tables

WEAKEST = 5  # criteria
TOP = 5  # contact reasons and agents

HEADLINE = {
    "total_calls": "Calls",
    "analyzed_hours": "Hours analysed",
    "average_score": "Average score",
    "weighted_compliance": "Weighted compliance %",
    "scored_calls": "Calls scored",
    "critical_error_pct": "Critical errors %",
    "negative_sentiment_pct": "Negative sentiment %",
    "goal_reached_pct": "Goal reached %",
    "calls_with_metadata": "Calls with metadata",
}


def show(report: dict[str, Any], *, title: str = "Headline") -> None:
    """Print headline, weakest criteria, top contact reasons and busiest agents."""
    headline = report["headline"]
    tables.show(title, ["", "value"], [[label, headline[name]] for name, label in HEADLINE.items()])
    if not headline["total_calls"] and report["total_calls_all_time"]:
        print(f"No call in this window; {report['total_calls_all_time']} in all.")
        return
    measured = [row for row in report["scorecard"] if row["average_pct"] is not None]
    weakest = sorted(measured, key=lambda row: (row["average_pct"], row["criterion_id"]))[:WEAKEST]
    if weakest:
        tables.show(
            "Weakest criteria",
            ["criterion", "section", "average %", "critical errors", "calls"],
            [[r["name"], r["section"], r["average_pct"], r["critical_errors"], r["calls"]] for r in weakest],
        )
    reasons = [row for row in report["contact_reasons"] if row["topic"]][:TOP]
    if reasons:
        tables.show(
            "Top contact reasons",
            ["reason", "calls", "volume %"],
            [[row["topic"], row["calls"], row["volume_pct"]] for row in reasons],
        )
    if report["agents"]:
        tables.show(
            "Busiest agents",
            ["agent", "calls", "average score", "goal reached %"],
            [
                [r["agent"], r["calls"], r["average_score"], r["goal_reached_pct"]]
                for r in report["agents"][:TOP]
            ],
        )
