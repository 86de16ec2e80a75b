"""What the report answers, in the OpenAPI document."""

RATES: dict[str, object] = {
    "critical_error_pct": 0.0,
    "negative_sentiment_pct": 100.0,
    "goal_reached_pct": None,
}
TALK: dict[str, object] = {
    "basis": "cues",
    "talk_share_pct": 54.2,
    "longest_monologue_seconds": 21.4,
    "longest_monologue_speaker": "customer",
    "silence_seconds": 12.5,
    "silences": 2,
    "agent_interruptions": None,
    "customer_interruptions": None,
    "agent_words_per_minute": 152.3,
    "customer_words_per_minute": 138.9,
    "hold_seconds": 0.0,
    "unknown": {
        "agent_interruptions": "no_overlap_in_cues",
        "customer_interruptions": "no_overlap_in_cues",
    },
}
TALK_MEANS: dict[str, object] = {
    "talk_share_pct": {"mean": 54.2, "calls": 1},
    "longest_monologue_seconds": {"mean": 21.4, "calls": 1},
    "silence_seconds": {"mean": 12.5, "calls": 1},
    "agent_words_per_minute": {"mean": 152.3, "calls": 1},
    "hold_seconds": {"mean": 0.0, "calls": 1},
}
NO_INTERVALS: dict[str, object] = {f"{name}_interval": None for name in RATES}  # of a single call
HEADLINE: dict[str, object] = {
    "total_calls": 1,
    "analyzed_hours": 0.09,
    "average_score": 100.0,
    "weighted_compliance": 100.0,
    "scored_calls": 1,
    **RATES,
    "calls_with_metadata": 1,
    "sentiment_calls": 1,
    "outcome_calls": 0,
    "average_score_interval": None,
    "weighted_compliance_interval": None,
    **NO_INTERVALS,
}
NO_CALLS: dict[str, object] = dict.fromkeys(HEADLINE) | {
    "total_calls": 0,
    "analyzed_hours": 0.0,
    "scored_calls": 0,
    "calls_with_metadata": 0,
    "sentiment_calls": 0,
    "outcome_calls": 0,
}
REPORT: dict[str, object] = {
    "date_range": {
        "start": "2026-01-01T00:00:00+01:00",
        "end": "2026-01-31T23:59:59+01:00",
        "preset": None,
    },
    "total_calls_all_time": 1,
    "headline": HEADLINE,
    "scorecard": [
        {
            "criterion_id": "greeting",
            "name": "Greets and names the company",
            "section": "Opening",
            "weight_pct": 100.0,
            "average_pct": 100.0,
            "previous_pct": None,
            "delta_pct": None,
            "critical_errors": 0,
            "calls": 1,
            "evaluated_calls": 1,
            "not_applicable_calls": 0,
            "evaluated_pct": 100.0,
            "average_pct_interval": None,
            "delta_pct_interval": None,
            "changed_in": {
                "version": 4,
                "published_at": "2026-01-12T09:30:00+00:00",
                "change": "changed",
            },
            "is_critical": False,
            "for_person": False,
            "evaluated_pct_interval": None,
            "previous_evaluated_pct": None,
            "previous_evaluated_calls": 0,
            "evaluated_delta_pct": None,
            "evaluated_delta_pct_interval": None,
        }
    ],
    "trend": [
        {
            "week": "2026-01-05",
            "calls": 1,
            "average_score": 100.0,
            "negative_sentiment_pct": 100.0,
            "scored_calls": 1,
            "sentiment_calls": 1,
            "average_score_interval": None,
            "negative_sentiment_pct_interval": None,
            "average_score_change": None,
            "average_score_change_interval": None,
        }
    ],
    "contact_reasons": [
        {
            "topic": "Wrong invoice",
            "calls": 1,
            "volume_pct": 100.0,
            "reason_id": 4,
            "change_pct": None,
            "is_new": False,
            "course": None,
            "calls_with_reason": 1,
            "previous_calls": None,
            "previous_calls_with_reason": None,
        }
    ],
    "reason_groups": [
        {"reason_id": 9, "name": "Invoices", "calls": 1, "volume_pct": 100.0, "reasons": 1},
    ],
    "trackers": [
        {
            "id": "competitor",
            "name": "Competitor named",
            "calls": 1,
            "weeks": [{"week": "2026-01-05", "calls": 1}],
        }
    ],
    "agents": [
        {
            "agent": "Ana Ruiz",
            "agent_id": 5,
            "calls": 1,
            "average_score": 100.0,
            **RATES,
            "scored_calls": 1,
            "sentiment_calls": 1,
            "outcome_calls": 0,
            "average_score_interval": None,
            **NO_INTERVALS,
            "average_score_difference": None,
            "average_score_difference_interval": None,
            "talk": TALK_MEANS,
        }
    ],
    "shifts": [{"shift": "day", **HEADLINE}, {"shift": "night", **NO_CALLS}],
    "shift_hours": {"day_start": 8, "day_end": 20},
    "copc_rates": {
        "customer_critical_accuracy_pct": 100.0,
        "business_critical_accuracy_pct": 100.0,
        "compliance_critical_accuracy_pct": 100.0,
        "non_critical_accuracy_pct": 100.0,
    },
    "changes": [
        {
            "figure": "average_score",
            "difference": 1.5,
            "difference_interval": [-2.3, 5.1],
            "within_noise": True,
        }
    ],
    "shift_differences": [
        {"figure": "average_score", "difference": None, "difference_interval": None, "within_noise": None}
    ],
    "failed_calls": 0,
    "reviews": {
        "reviewed_calls": 1,
        "corrected_calls": 0,
        "agreement_pct": 100.0,
        "appeals": 0,
        "appeals_accepted": 0,
        "true_score": 92.5,
        "true_score_interval": [86.1, 98.9],
        "sampled_calls": 12,
        "sampled_score": 90.4,
        "sampled_machine_score": 94.1,
    },
    "rubric_versions": [
        {
            "project_id": 1,
            "version": 4,
            "published_at": "2026-01-12T09:30:00+00:00",
            "criteria": {"greeting": "changed"},
            "week": "2026-01-12",
        }
    ],
}
FINDING: dict[str, object] = {
    "id": "promised_callback",
    "name": "Promises a callback without a time",
    "calls": 6,
    "share_pct": 15.0,
    "share_pct_interval": [7.06, 29.07],
    "decided_calls": 40,
    "previous_calls": 3,
    "previous_share_pct": 8.11,
    "previous_decided_calls": 37,
    "delta_pct": 6.89,
    "within_noise": True,
    "weeks": [{"week": "2026-01-05", "calls": 4}, {"week": "2026-01-12", "calls": 2}],
}
FINDINGS: dict[str, object] = {
    "checked_calls": 40,
    "previous_checked_calls": 37,
    "mistakes": [FINDING],
    "missed_prompts": [],
}
AGENT_MAP: dict[str, object] = {
    "criteria": [{"criterion_id": "greeting", "name": "Greets and names the company"}],
    "agents": [
        {
            "agent": "Ana Ruiz",
            "agent_id": 3,
            "calls": 48,
            "cells": [{"calls": 45, "met_pct": 80.0, "not_met": 9}],
        }
    ],
    "agents_in_all": 1,
    "criteria_in_all": 1,
}
WEEK_HOURS: dict[str, object] = {
    "untimed_calls": 2,
    "hours": [
        {
            "weekday": 0,
            "hour": 9,
            "calls": 45,
            "scored_calls": 44,
            "average_score": 81.25,
            "average_score_interval": [74.6, 86.51],
        }
    ],
}
FIGURE_TREND: dict[str, object] = {
    "figure": "criterion:greeting",
    "name": "Greets the caller",
    "is_cut": False,
    "is_previous_cut": False,
    "answer": "",
    "answers": [],
    "weeks": [
        {
            "week": "2026-03-02",
            "value": 88.1,
            "n": 42,
            "interval": [79.4, 93.42],
            "is_part": False,
            "previous": {
                "week": "2026-02-02",
                "value": 83.33,
                "n": 39,
                "interval": [72.8, 90.35],
                "is_part": True,
            },
        }
    ],
}
