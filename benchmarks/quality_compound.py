"""Does a criterion of two parts need both of them?

Pairs the labelled steps of the STAR dialogues of ../shared/data: each two steps of a task are one
criterion, met where the agent took both. Judged with the prescribed wording as two groups of `all_of`, and
as `any_of` alone, which is all that rules could say before: one half meets it. Calls in which every agent
turn carries a label; the interval draws whole calls again.
"""

import itertools
import json
import sys
from typing import Any

from agreement import kappa, print_agreement
from quality_analysis import DATA, SAME_STEP, Call, read_calls

from callscope.analysis.matching.semantic_matcher import SemanticMatcher
from callscope.analysis.rules.judge import judge_criterion
from callscope.engines.embeddings.built_in import BuiltInEmbedder
from callscope.projects.configuration import Criterion

GOAL = 0.85  # κ of all_of
FLOOR = 0.6  # which any_of alone has to stay under


def main() -> int:
    if not DATA.is_dir():
        print("No ../shared/data next to the repository: nothing to judge.")
        return 0
    calls = [call for call in read_calls() if call.is_clean and call.labels["required_steps"]]
    truth: list[bool] = []
    names: list[str] = []
    found: dict[str, list[bool]] = {"all_of": [], "any_of": []}
    for call in calls:
        for both, answers in judge_pairs(call):
            truth.append(both)
            names.append(call.labels["filename"])
            for kind, is_met in answers.items():
                found[kind].append(is_met)
    print(
        f"Criteria of two parts, prescribed wording, {len(calls)} calls, met in {sum(truth)} of {len(truth)}"
    )
    for kind, answers in found.items():
        print_agreement(kind, truth, answers, calls=names)
    print_agreement("floor: always yes", truth, [True] * len(truth), calls=names)
    of_all, of_any = (kappa(*map(_column, (truth, found[kind]))) for kind in ("all_of", "any_of"))
    print(f"  goals: all_of at least {GOAL}, any_of under {FLOOR}")
    return int(of_all < GOAL or of_any >= FLOOR)


def judge_pairs(call: Call) -> list[tuple[bool, dict[str, bool]]]:
    """Return for each two steps of the call's task whether both were taken, and what each rule says."""
    protocol = json.loads((DATA / "protocols" / f"{call.labels['primary_task']}.json").read_text("utf-8"))
    steps: list[dict[str, Any]] = protocol["required_steps"]
    observed = set(call.labels["observed_actions"].split("|"))
    asked = set(call.labels["required_steps_asked"].split("|"))
    matcher = SemanticMatcher(BuiltInEmbedder(), "en", phrases=[step["agent_says"] for step in steps])
    judged = []
    for one, other in itertools.combinations(steps, 2):
        both = all(step["id"] in asked or SAME_STEP.get(step["id"]) in observed for step in (one, other))
        said = [one["agent_says"], other["agent_says"]]
        rules = {"all_of": {"all_of": [[said[0]], [said[1]]]}, "any_of": {"any_of": said}}
        answers = {
            kind: judge_criterion(_criterion(rule), call.conversation, matcher).answer == "met"
            for kind, rule in rules.items()
        }
        judged.append((both, answers))
    return judged


def _criterion(rule: dict[str, Any]) -> Criterion:
    return Criterion.model_validate({"id": "c", "name": "c", "max_points": 1, "rule": rule})


def _column(values: list[bool]) -> Any:
    import numpy as np

    return np.array(values, dtype=bool)


if __name__ == "__main__":
    sys.exit(main())
