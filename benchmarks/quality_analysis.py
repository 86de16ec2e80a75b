"""How well does the rules analyser judge, against labels that people gave?

Reads the STAR dialogues of ../shared/data: which protocol steps the agent took
(phrases of star_phrases.yaml, never the agents' own wording), whether the goal
was reached, the customer's sentiment, and agent names. Beside each figure stand
its interval, its n and what a trivial judge gets.

A model folder in CALLSCOPE_EMBED_MODEL_DIR is measured beside the default
embedder. "clean" are the calls in which every agent turn carries a label; in
the others agents also typed freely, and what they asked there is unlabelled.
"""

import csv
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "callscope.settings")
os.environ.setdefault("CALLSCOPE_DATA_DIR", tempfile.mkdtemp(prefix="callscope-quality-"))

import django
import numpy as np
import yaml

django.setup()

from callscope.analysis import phrases as wording  # noqa: E402
from callscope.analysis import rules  # noqa: E402
from callscope.analysis.agent_names import agent_name  # noqa: E402
from callscope.analysis.conversation import Conversation, read  # noqa: E402
from callscope.analysis.goal import outcome  # noqa: E402
from callscope.analysis.meaning import MeaningMatcher  # noqa: E402
from callscope.analysis.sentiment import customer_sentiment  # noqa: E402
from callscope.engines.embeddings.lexical import LexicalEmbedder  # noqa: E402
from callscope.engines.embeddings.protocol import Embedder  # noqa: E402
from callscope.engines.embeddings.sentence_model import SentenceModel  # noqa: E402
from callscope.projects.configuration import Criterion, Goal  # noqa: E402

HERE = Path(__file__).parent
DATA = HERE.parent.parent / "shared" / "data" / "star"
RESAMPLES = 2000
# "Where are you departing from?" carries the first label in some calls of the second task.
SAME_STEP = {"plane_ask_departure_city": "ask_departure_location"}

NAMES = [  # who is speaking, as agents say it; "" where no name is given
    ("en", "Thank you for calling Northwind, my name is Dana Whitfield, how can I help?", "Dana Whitfield"),
    ("en", "Good afternoon, Fabrikam billing, this is Omar.", "Omar"),
    ("en", "Support desk, Priya speaking.", "Priya"),
    ("en", "Hi there, you're speaking with Tom Becker today.", "Tom Becker"),
    ("en", "Hello, I'm Lucy from the returns team.", "Lucy"),
    ("en", "Contoso Travel, Jean-Luc here, how may I help you?", "Jean-Luc"),
    ("en", "Thanks for holding. This is Customer Care, what is your order number?", ""),
    ("en", "This call is recorded. How can I help you today?", ""),
    ("en", "I'm Sorry to hear that, let me see.", ""),
    ("en", "Good morning, this is the billing department.", ""),
    ("es", "Buenos días, le atiende Carmen Ortega, ¿en qué puedo ayudarle?", "Carmen Ortega"),
    ("es", "Gracias por llamar a Northwind, mi nombre es Iván.", "Iván"),
    ("es", "Hola, soy Nuria, del departamento de averías.", "Nuria"),
    ("es", "Le habla Marcos de la Torre.", "Marcos de la Torre"),
    ("es", "Me llamo Sofía, dígame.", "Sofía"),
    ("es", "Atención al Cliente, buenas tardes.", ""),
    ("es", "Soy consciente del problema, un momento.", ""),
]


@dataclass(frozen=True, slots=True)
class Call:
    conversation: Conversation
    labels: dict[str, str]

    @property
    def is_clean(self) -> bool:
        return self.labels["agent_free_text_turns"] == "0"


def main() -> int:
    print_names()
    if not DATA.is_dir():
        print("No ../shared/data beside the repository: nothing to judge.")
        return 0
    calls = list(read_calls())
    embedders: list[Embedder] = [LexicalEmbedder()]
    if os.environ.get("CALLSCOPE_EMBED_MODEL_DIR"):
        embedders.append(SentenceModel(Path(os.environ["CALLSCOPE_EMBED_MODEL_DIR"])))
    print_criteria(calls, embedders)
    print_outcomes(calls)
    return 0


def read_calls() -> Iterator[Call]:
    with (DATA / "labels.csv").open(encoding="utf-8", newline="") as file:
        labels = {row["filename"]: row for row in csv.DictReader(file)}
    for line in (DATA / "labels.jsonl").read_text(encoding="utf-8").splitlines():
        told = json.loads(line)
        turns = [{**turn, "speaker": turn["speaker"].lower()} for turn in told["turns"]]
        conversation = read(turns, language="en", spoken_language="en", quality={})
        yield Call(conversation, labels[told["filename"]])


# Criteria.

Phrases = Callable[[dict[str, Any]], list[str]]
Judge = Callable[[Conversation, list[str], list[str]], bool]


def print_criteria(calls: list[Call], embedders: list[Embedder]) -> None:
    own = yaml.safe_load((HERE / "star_phrases.yaml").read_text(encoding="utf-8"))
    ways: dict[str, Phrases] = {
        "prescribed wording": lambda step: [step["agent_says"]],
        "own words, 1st phrase": lambda step: own[step["id"]][:1],
        "own words, 2nd phrase": lambda step: own[step["id"]][1:2],
        "own words, 3rd phrase": lambda step: own[step["id"]][2:3],
        "own words, all three": lambda step: own[step["id"]],
    }
    for name, chosen in [("clean", [c for c in calls if c.is_clean]), ("all", calls)]:
        print(f"\nCriteria, {name} calls")
        for way, phrases in ways.items():
            for embedder in embedders:
                print_agreement(f"{way} ({embedder.id})", *judged(chosen, phrases, by_rules(embedder)))
        all_three = ways["own words, all three"]
        print_agreement("floor: exact phrases only", *judged(chosen, all_three, exactly))
        print_agreement("floor: always yes", *judged(chosen, all_three, lambda *_: True))


def by_rules(embedder: Embedder) -> Judge:
    def judge(conversation: Conversation, phrases: list[str], rivals: list[str]) -> bool:
        matcher = MeaningMatcher(embedder, "en", phrases=rivals)
        criterion = {"id": "c", "name": "c", "max_points": 1, "rule": {"any_of": phrases}}
        return rules.judge(Criterion.model_validate(criterion), conversation, matcher).answer == "met"

    return judge


def exactly(conversation: Conversation, phrases: list[str], _rivals: list[str]) -> bool:
    return wording.find_exact(phrases, list(conversation.turns(conversation.said_by("agent")))) is not None


def judged(calls: list[Call], phrases: Phrases, judge: Judge) -> tuple[list[bool], list[bool]]:
    """Return what people said and what the judge says, one value a call and step."""
    truth: list[bool] = []
    found: list[bool] = []
    for call in calls:
        if not call.labels["required_steps"]:  # several tasks in one call: the labels name no steps
            continue
        protocol = json.loads((DATA / "protocols" / f"{call.labels['primary_task']}.json").read_text("utf-8"))
        observed = set(call.labels["observed_actions"].split("|"))
        asked = set(call.labels["required_steps_asked"].split("|"))
        rivals = [phrase for step in protocol["required_steps"] for phrase in phrases(step)]
        for step in protocol["required_steps"]:
            truth.append(step["id"] in asked or SAME_STEP.get(step["id"]) in observed)
            found.append(judge(call.conversation, phrases(step), rivals))
    return truth, found


# Goal, sentiment, names.


def print_outcomes(calls: list[Call]) -> None:
    print("\nGoal reached (only calls whose outcome people told)")
    known = [c for c in calls if c.labels["goal_reached"]]
    found = [outcome(Goal(), c.conversation).reached for c in known]
    decided = [
        (c.labels["goal_reached"] == "true", f) for c, f in zip(known, found, strict=True) if f is not None
    ]
    print_agreement("rules, where decided", [t for t, _ in decided], [f for _, f in decided])
    print(f"  decided: {len(decided)} of {len(known)}")
    print_agreement("floor: always reached", [t for t, _ in decided], [True] * len(decided))
    print("\nNegative sentiment (people's proxy: the customer was annoyed)")
    rated = [c for c in calls if c.labels["sentiment_proxy"]]
    truth = [c.labels["sentiment_proxy"] == "negative" for c in rated]
    print_agreement("rules", truth, [customer_sentiment(c.conversation) == "negative" for c in rated])
    print_agreement("floor: never negative", truth, [False] * len(rated))


def print_names() -> None:
    print("Agent names (own sentences, English and Spanish)")
    right = 0
    for language, said, name in NAMES:
        turns = [{"start": 0, "end": 4, "speaker": "agent", "text": said}]
        found = agent_name(read(turns, language=language, spoken_language=language, quality={}))
        right += found == name
        if found != name:
            print(f"  {said!r}: {found!r}, not {name!r}")
    print(f"  right: {right} of {len(NAMES)}; floor, never a name: {sum(not n for _, _, n in NAMES)}")


# Figures.


def print_agreement(name: str, truth: list[bool], found: list[bool]) -> None:
    t, f = np.array(truth, dtype=bool), np.array(found, dtype=bool)
    both = int((t & f).sum())
    precision = both / int(f.sum()) if f.any() else float("nan")
    recall = both / int(t.sum()) if t.any() else float("nan")
    f1 = 2 * both / (int(f.sum()) + int(t.sum())) if t.any() or f.any() else float("nan")
    low, high = interval(t, f)
    print(
        f"  {name:44} κ {kappa(t, f):5.2f} [{low:5.2f}, {high:5.2f}]  precision {precision:.2f}  "
        f"recall {recall:.2f}  F1 {f1:.2f}  n {len(t)}"
    )


def kappa(truth: np.ndarray, found: np.ndarray) -> float:
    """Return Cohen's κ: agreement beyond what the two rates alone would give."""
    agreed = float((truth == found).mean())
    expected = float(truth.mean() * found.mean() + (1 - truth.mean()) * (1 - found.mean()))
    return 0.0 if expected == 1 else (agreed - expected) / (1 - expected)


def interval(truth: np.ndarray, found: np.ndarray) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of κ."""
    rng = np.random.default_rng(1)
    drawn = rng.integers(0, len(truth), size=(RESAMPLES, len(truth)))
    values = [kappa(truth[rows], found[rows]) for rows in drawn]
    return float(np.quantile(values, 0.025)), float(np.quantile(values, 0.975))


if __name__ == "__main__":
    sys.exit(main())
