"""How well does the rules analyser judge, against labels that people gave?

Reads the STAR dialogues of ../shared/data: which protocol steps the agent took
(labeled/star/phrases.yaml and, by a second author, labeled/star/phrases_second.yaml,
never the agents' own wording), and agent names. Next to each figure stand
its interval (whole calls drawn again), its n and what a trivial judge gets.

A model folder in CALLSCOPE_EMBED_MODEL_DIR, or after `--model`, is measured next to the default
embedder. "clean" are the calls in which every agent turn carries a label; in
the others agents also typed freely, and what they asked there is unlabelled:
labeled/star/free_text.csv names it, as a reader saw it who did not know the judgements.
"Bar of other domains" judges the calls of each domain with the bar that suits
the others best: what an unseen domain may expect.
"""

import argparse
import csv
import json
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "callscope.settings")
os.environ.setdefault("CALLSCOPE_DATA_DIR", tempfile.mkdtemp(prefix="callscope-quality-"))

import django
import numpy as np
import yaml
from agreement import kappa, print_agreement

django.setup()

from callscope.analysis.conversation.agent_names import find_agent_name  # noqa: E402
from callscope.analysis.conversation.turns import Conversation, build_conversation  # noqa: E402
from callscope.analysis.llm import prompting  # noqa: E402
from callscope.analysis.matching.phrases import find_wording  # noqa: E402
from callscope.analysis.matching.semantic_matcher import SemanticMatcher  # noqa: E402
from callscope.analysis.results import findings  # noqa: E402
from callscope.analysis.rules.judge import judge_criterion  # noqa: E402
from callscope.engines.embeddings.built_in import BuiltInEmbedder  # noqa: E402
from callscope.engines.embeddings.lexical import LexicalEmbedder  # noqa: E402
from callscope.engines.embeddings.protocol import Embedder  # noqa: E402
from callscope.engines.embeddings.sentence_model import SentenceModel  # noqa: E402
from callscope.language.sentences import split_sentences  # noqa: E402
from callscope.projects.configuration import Configuration, Criterion, parse_yaml  # noqa: E402
from callscope.samples.catalog import load_catalog  # noqa: E402
from callscope.transcription import subtitles  # noqa: E402

HERE = Path(__file__).parent
DATA = HERE.parent.parent / "shared" / "data" / "star"
BARS_TRIED = (0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.7)
PLAIN_BAR = 0.2
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
    free_text: frozenset[str] = frozenset()  # steps that the agent took in words that carry no label

    @property
    def is_clean(self) -> bool:
        return self.labels["agent_free_text_turns"] == "0"


def main() -> int:
    print_names()
    print_prompts()
    if not DATA.is_dir():
        print("No ../shared/data next to the repository: nothing to judge.")
        return 0
    calls = list(read_calls())
    embedders: list[Embedder] = [BuiltInEmbedder(), LexicalEmbedder()]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", type=Path, help="folder of a sentence model to judge with, too")
    folder = parser.parse_args().model or os.environ.get("CALLSCOPE_EMBED_MODEL_DIR")
    if folder:
        embedders.append(SentenceModel(Path(folder)))
    print_criteria(calls, embedders)
    return 0


def read_calls() -> Iterator[Call]:
    with (DATA / "labels.csv").open(encoding="utf-8", newline="") as file:
        labels = {row["filename"]: row for row in csv.DictReader(file)}
    for line in (DATA / "labels.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        turns = [{**turn, "speaker": turn["speaker"].lower()} for turn in record["turns"]]
        conversation = build_conversation(turns, language="en", spoken_language="en", quality={})
        yield Call(conversation, labels[record["filename"]])


# Criteria.

Phrases = Callable[[dict[str, Any]], list[str]]
Judge = Callable[[Conversation, list[str], list[str]], bool]


@dataclass(frozen=True, slots=True)
class Judged:
    """What people said and what a judge says of one step of one call."""

    call: str
    domain: str
    truth: bool
    found: bool


def print_criteria(calls: list[Call], embedders: list[Embedder]) -> None:
    own = yaml.safe_load((HERE / "labeled" / "star" / "phrases.yaml").read_text(encoding="utf-8"))
    made_with = [_nth(own, "development", i) for i in range(9)]
    held_out = [_nth(own, "held_out", i) for i in range(3)]
    three: Phrases = lambda step: own[step["id"]]["held_out"]  # noqa: E731
    freely = asked_freely()
    judged_by_reader = [replace(c, free_text=freely.get(c.labels["filename"], frozenset())) for c in calls]
    for name, chosen in [
        ("clean calls", [c for c in calls if c.is_clean]),
        ("all calls, what agents typed freely unlabelled", calls),
        ("all calls, what agents typed freely judged by a reader", judged_by_reader),
    ]:
        print(f"\nCriteria, {name}")
        for embedder in embedders:
            judge, model_id = by_rules(embedder), embedder.id
            print_judged(f"prescribed wording ({model_id})", judged(chosen, _prescribed, judge))
            print_sets(f"one phrase, the lists made with it ({model_id})", chosen, made_with, judge)
            print_sets(f"one phrase, held out ({model_id})", chosen, held_out, judge)
            print_judged(f"three phrases, held out ({model_id})", judged(chosen, three, judge))
            for kind, phrases in second_author().items():
                print_judged(f"second author, {kind} ({model_id})", judged(chosen, phrases, judge))
        print_judged(
            "one phrase, held out, bar of other domains",
            [row for phrases in held_out for row in with_the_bar_of_others(chosen, phrases)],
        )
        print_sets("floor: stems and letters, one phrase, held out", chosen, held_out, plainly)
        print_judged("floor: exact phrases, held out", judged(chosen, three, exactly))
        print_judged("floor: always yes", judged(chosen, three, lambda *_: True))


def second_author() -> dict[str, Phrases]:
    """Return kind → phrases of a step, which there are named by task too."""
    own = yaml.safe_load((HERE / "labeled" / "star" / "phrases_second.yaml").read_text(encoding="utf-8"))
    return {
        "one plain phrase": lambda step: [own[step["key"]]["plain"]],
        "three phrases": lambda step: [own[step["key"]]["plain"], *own[step["key"]]["two_more"]],
        "terse": lambda step: [own[step["key"]]["terse"]],
        "reported": lambda step: [own[step["key"]]["reported"]],
    }


def asked_freely() -> dict[str, frozenset[str]]:
    """Return call → the steps that its agent took in words of their own."""
    with (HERE / "labeled" / "star" / "free_text.csv").open(encoding="utf-8", newline="") as file:
        rows = [(row["filename"], row["step"]) for row in csv.DictReader(file)]
    return {name: frozenset(step for n, step in rows if n == name) for name, _ in rows}


def print_sets(name: str, calls: list[Call], sets: list[Phrases], judge: Judge) -> None:
    """Print the agreement over several sets of phrases together, and from the worst set to the best."""
    rows = [judged(calls, phrases, judge) for phrases in sets]
    each = sorted(kappa(*_columns(r)) for r in rows)
    print_judged(name, [row for r in rows for row in r])
    print(f"    by set: κ {'  '.join(f'{value:.2f}' for value in each)}")


def print_judged(name: str, rows: list[Judged]) -> None:
    truth, found = _columns(rows)
    print_agreement(name, truth, found, calls=[r.call for r in rows])


def by_rules(embedder: Embedder, *, bar: float | None = None) -> Judge:
    """Judge by meaning; `bar` is the likelihood from which a phrase is said, if not the usual one."""

    def judge(conversation: Conversation, phrases: list[str], rivals: list[str]) -> bool:
        matcher = SemanticMatcher(embedder, "en", phrases=rivals)
        if bar is not None:
            matcher.band = matcher.band._replace(said_from=bar)
        criterion = {"id": "c", "name": "c", "max_points": 1, "rule": {"any_of": phrases}}
        return judge_criterion(Criterion.model_validate(criterion), conversation, matcher).answer == "met"

    return judge


def with_the_bar_of_others(calls: list[Call], phrases: Phrases) -> list[Judged]:
    """Return the calls of each domain judged with the bar that gives the others the best agreement."""
    by_bar = [judged(calls, phrases, by_rules(BuiltInEmbedder(), bar=bar)) for bar in BARS_TRIED]
    result = []
    for domain in sorted({r.domain for r in by_bar[0]}):
        others = [[r for r in rows if r.domain != domain] for rows in by_bar]
        best = max(range(len(by_bar)), key=lambda i: kappa(*_columns(others[i])))
        result += [r for r in by_bar[best] if r.domain == domain]
    return result


def exactly(conversation: Conversation, phrases: list[str], _rivals: list[str]) -> bool:
    match = find_wording(phrases, list(conversation.turns(conversation.said_by("agent"))))
    return match is not None and match.method == "exact"


def plainly(conversation: Conversation, phrases: list[str], _rivals: list[str]) -> bool:
    """What a search by stems and groups of letters alone finds."""
    said = [t for s in conversation.said_by("agent") for t in split_sentences(s.text, keep_titles=True)]
    vectors = LexicalEmbedder().encode_corpus([*phrases, *said])
    return float((vectors[: len(phrases)] @ vectors[len(phrases) :].T).max()) >= PLAIN_BAR


def judged(calls: list[Call], phrases: Phrases, judge: Judge) -> list[Judged]:
    """Return one row a call and step."""
    rows = []
    for call in calls:
        if not call.labels["required_steps"]:  # several tasks in one call: the labels name no steps
            continue
        protocol = json.loads((DATA / "protocols" / f"{call.labels['primary_task']}.json").read_text("utf-8"))
        observed = set(call.labels["observed_actions"].split("|"))
        asked = set(call.labels["required_steps_asked"].split("|"))
        steps = [s | {"key": f"{call.labels['primary_task']}/{s['id']}"} for s in protocol["required_steps"]]
        rivals = [phrase for step in steps for phrase in phrases(step)]
        for step in steps:
            truth = step["id"] in asked | call.free_text or SAME_STEP.get(step["id"]) in observed
            found = judge(call.conversation, phrases(step), rivals)
            rows.append(Judged(call.labels["filename"], call.labels["domain"], truth, found))
    return rows


def _nth(own: dict[str, Any], group: str, i: int) -> Phrases:
    return lambda step: [own[step["id"]][group][i]]


def _prescribed(step: dict[str, Any]) -> list[str]:
    return [step["agent_says"]]


def _columns(rows: list[Judged]) -> tuple[np.ndarray, np.ndarray]:
    return np.array([r.truth for r in rows]), np.array([r.found for r in rows])


# Names.


def print_names() -> None:
    print("Agent names (own sentences, English and Spanish)")
    right = 0
    for language, said, name in NAMES:
        turns = [{"start": 0, "end": 4, "speaker": "agent", "text": said}]
        found = find_agent_name(
            build_conversation(turns, language=language, spoken_language=language, quality={})
        )
        right += found == name
        if found != name:
            print(f"  {said!r}: {found!r}, not {name!r}")
    print(f"  right: {right} of {len(NAMES)}; floor, never a name: {sum(not n for _, _, n in NAMES)}")


# Prompts.


def print_prompts() -> None:
    """Compare the prompt of a whole rubric with one prompt a criterion, over the sample calls."""
    print(
        "\nPrompt size, one prompt a call (floor: one prompt a criterion = 1.00; tokens as words and signs)"
    )
    for project in load_catalog():
        config = parse_yaml(project.config_path.read_bytes())
        criteria = [c for _, c in config.rubric.criteria()]
        ratios, sizes = [], []
        for path in (f for f in project.files if f.suffix in (".srt", ".vtt")):
            cues = subtitles.parse_subtitles(path.read_bytes())
            turns = [{"start": c.start_s, "end": c.end_s, "speaker": c.speaker, "text": c.text} for c in cues]
            call = build_conversation(
                turns, language=config.language, spoken_language=config.language, quality={}
            )
            alone = sum(_prompt_size(_with_criteria(config, [c]), call) for c in criteria)
            sizes.append(_prompt_size(config, call))
            ratios.append(sizes[-1] / alone)
        print(
            f"  {project.name:24} {len(criteria)} criteria: {np.mean(ratios):.2f} of it on average, "
            f"{max(ratios):.2f} at most; {np.mean(sizes):.0f} tokens a call, n {len(ratios)}"
        )


def _prompt_size(config: Configuration, call: Conversation) -> int:
    asked = prompting.AnalysisRequest(config, (findings.COPC,), config.language)
    text = prompting.build_instructions(asked) + prompting.build_transcript_message(call)
    return len(re.findall(r"\w+|[^\w\s]", text))


def _with_criteria(config: Configuration, criteria: list[Criterion]) -> Configuration:
    sections = [config.rubric.sections[0].model_copy(update={"criteria": criteria})]
    return config.model_copy(update={"rubric": config.rubric.model_copy(update={"sections": sections})})


if __name__ == "__main__":
    sys.exit(main())
