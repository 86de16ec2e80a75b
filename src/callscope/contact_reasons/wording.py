"""New groups get a name that a language model words, where one is configured.

The model sees codified topics only, the few words that each analysis kept of its call: no transcript. Its
answer is bounded and checked; what fails, or says what the topics do not, leaves the name that `naming` made.
A model never fails a regrouping: the first request that it does not answer is the last.
"""

import json
import logging
import re
import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import resources

import numpy as np
from babel import Locale

from callscope.analysis.results.findings import EngineUse
from callscope.contact_reasons.grouping import WORDED_FROM, PlannedReason, RegroupingPlan
from callscope.contact_reasons.hierarchy import PlannedHeading
from callscope.contact_reasons.models import CallReason
from callscope.contact_reasons.naming import MAX_NAME, stands_alone
from callscope.db.chunks import chunked
from callscope.db.limits import is_storable
from callscope.engines.embeddings.protocol import Embedder
from callscope.engines.errors import BadOutput, EngineRejected, EngineUnavailable
from callscope.engines.llm.capabilities import ChatMessage, JsonSchema
from callscope.engines.llm.client import ChatClient, ContextOverflow, Reply
from callscope.engines.llm.reading import NotJson, read_object
from callscope.language.addresses import has_address
from callscope.language.detect import guess_language
from callscope.language.tokens import extract_content_words
from callscope.projects.models import Project

SHOWN_CHARACTERS = 100  # of each topic
GROUPS = 20  # in one request
REQUESTS = 10  # in one regrouping
REQUEST_S = 60.0  # for one answer
LIMIT_S = 300.0  # after which no further request is sent
MAX_TOKENS = 1200
FEWEST_CHARACTERS, MOST_CHARACTERS, MOST_WORDS = 3, 60, 8
# Cosine of a name to its group, where they share no word. Of 148 names of labeled intents 93 % lie nearer to
# their own group, 10 % of those of other intents, and 1 of 8 names that say nothing.
MIN_LIKENESS = 0.35
SCHEMA: JsonSchema = {
    "type": "object",
    "properties": {
        "names": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"group": {"type": "integer"}, "name": {"type": "string"}},
                "required": ["group", "name"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["names"],
    "additionalProperties": False,
}

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Wording:
    """A plan with the names that a model worded, and what that cost."""

    plan: RegroupingPlan
    uses: list[EngineUse] = field(default_factory=list)


def keep_wordings(plan: RegroupingPlan) -> RegroupingPlan:
    """Return the plan with the names that a model gave the same groups before, so that nobody asks again.

    A group is the same where it and a reason share more than half of the calls of both.
    """
    places = CallReason.objects.filter(project=plan.project_id).order_by()
    worded = places.filter(reason__named_by_model=True, reason__renamed=False)
    names = dict(worded.values_list("reason_id", "reason__name"))
    if not names:
        return keep_heading_names(plan)
    reason_of = dict(worded.values_list("call_id", "reason_id"))
    sizes = dict.fromkeys(names, 0)
    for reason_id in reason_of.values():
        sizes[reason_id] += 1
    reasons = []
    for planned in plan.reasons:
        shared: dict[int, int] = {}
        for call in planned.calls if is_new(planned) else ():
            if call in reason_of:
                shared[reason_of[call]] = shared.get(reason_of[call], 0) + 1
        same = [
            pk for pk, calls in shared.items() if 2 * calls > len(planned.calls) and 2 * calls > sizes[pk]
        ]
        reasons.append(replace(planned, worded=names[same[0]]) if same else planned)
    return keep_heading_names(replace(plan, reasons=reasons))


def keep_heading_names(plan: RegroupingPlan) -> RegroupingPlan:
    """Return the plan with the names that a model gave the same headings before."""
    under = CallReason.objects.filter(project=plan.project_id, reason__parent__named_by_model=True).order_by()
    rows = under.values_list("call_id", "reason__parent_id", "reason__parent__name")
    heading_of = {call: (pk, name) for call, pk, name in rows}
    sizes = Counter(heading_of.values())
    headings = []
    for planned in plan.headings:
        calls = [call for row in planned.members for call in plan.reasons[row].calls]
        shared = Counter(heading_of[call] for call in calls if call in heading_of)
        found = [each for each, n in shared.items() if 2 * n > len(calls) and 2 * n > sizes[each]]
        is_known = planned.reason_id is None and bool(found)
        headings.append(replace(planned, worded=found[0][1]) if is_known else planned)
    return replace(plan, headings=headings)


def is_new(planned: PlannedReason) -> bool:
    """Return whether a planned reason has no name that lasts."""
    return planned.reason_id is None and bool(planned.names)


def needs_wording(plan: RegroupingPlan) -> bool:
    """Return whether a group of the plan is new and has no name by a model."""
    new_headings = any(heading.reason_id is None and not heading.worded for heading in plan.headings)
    return new_headings or any(is_new(planned) and not planned.worded for planned in plan.reasons)


def word_names(plan: RegroupingPlan, project: Project, model: ChatClient, embedder: Embedder) -> Wording:
    """Return the plan with names for its new groups and headings; never raises because of an engine.

    The largest groups are asked about first, then the headings over groups.
    """
    reasons, headings, uses = list(plan.reasons), list(plan.headings), list[EngineUse]()
    wanted = [row for row, each in enumerate(reasons) if is_new(each) and not each.worded]
    wanted.sort(key=lambda row: (-len(reasons[row].calls), row))
    given = [*(each.worded for each in reasons), *(each.worded for each in headings)]
    taken = {name.casefold() for name in given if name}
    new_headings = [row for row, each in enumerate(headings) if each.reason_id is None and not each.worded]
    questions = [*(("reasons", rows) for rows in chunked(wanted, GROUPS))][:REQUESTS]
    questions += [("headings", rows) for rows in chunked(new_headings, GROUPS)]
    began = time.monotonic()
    try:
        for kind, rows in questions:
            if time.monotonic() - began > LIMIT_S:
                break
            groups = [
                reasons[row] if kind == "reasons" else describe_heading(headings[row], reasons)
                for row in rows
            ]
            names = ask_for_names(groups, project, model, embedder, taken, uses)
            taken.update(name.casefold() for name in names if name)
            for row, name in zip(rows, names, strict=True):
                if kind == "reasons":
                    reasons[row] = replace(reasons[row], worded=name)
                else:
                    headings[row] = replace(headings[row], worded=name)
    except (EngineUnavailable, EngineRejected, BadOutput, ContextOverflow) as error:
        if isinstance(error, BadOutput) and error.reply is not None:
            uses.append(_use(model, error.reply))
        logger.warning("New contact reasons of project %s keep the names of topics: %s", project.pk, error)
    return Wording(replace(plan, reasons=reasons, headings=headings), uses)


def describe_heading(heading: PlannedHeading, reasons: Sequence[PlannedReason]) -> PlannedReason:
    """Return a heading as a group whose topics are the first of each reason under it, the largest first."""
    below = sorted((reasons[row] for row in heading.members), key=lambda each: (-len(each.calls), each.names))
    return PlannedReason(
        None,
        [name for each in below for name in each.names[:1]],
        b"".join(each.centroid for each in below),
        [call for each in below for call in each.calls],
    )


def ask_for_names(
    groups: Sequence[PlannedReason],
    project: Project,
    model: ChatClient,
    embedder: Embedder,
    taken: Collection[str],
    uses: list[EngineUse],
) -> list[str]:
    """Return a name for each group, "" where none can be used; enter what it cost in `uses`."""
    reply = model.with_timeout(REQUEST_S).complete(
        build_messages(groups, project.configuration.language),
        schema=SCHEMA,
        schema_name="contact_reason_names",
        max_tokens=MAX_TOKENS,
    )
    uses.append(_use(model, reply))
    return read_names(reply.text, groups, embedder, taken)


def build_messages(groups: Sequence[PlannedReason], language: str) -> list[ChatMessage]:
    """Return the prompt: the topics of the groups, numbered from 1, and nothing else of any call."""
    instructions = (resources.files(__package__) / "wording_prompt.txt").read_text("utf-8")
    shown = [
        {"group": number, "topics": [text[:SHOWN_CHARACTERS] for text in _shown_topics(planned)]}
        for number, planned in enumerate(groups, 1)
    ]
    spoken = language if language != "auto" else guess_common_language(groups)
    named = str(Locale(spoken).get_language_name("en")) if spoken else "the language of its topics"
    return [
        {"role": "system", "content": instructions.replace("{language}", named)},
        {"role": "user", "content": json.dumps({"groups": shown}, ensure_ascii=False)},
    ]


def read_names(
    text: str, groups: Sequence[PlannedReason], embedder: Embedder, taken: Collection[str]
) -> list[str]:
    """Return a name for each group, "" where the answer has none that can be used.

    `taken` are names in lower case that are not given again. Raises BadOutput for what is not the JSON asked
    for, and the errors of the embedder.
    """
    try:
        rows = read_object(text)["names"]
    except (NotJson, KeyError):
        raise BadOutput("The names of contact reasons are not the JSON that was asked for.") from None
    if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows):
        raise BadOutput("The names of contact reasons are not a list of objects.")
    given: dict[int, str] = {}
    for row in rows:
        number, name = row.get("group"), row.get("name")
        if isinstance(number, int) and isinstance(name, str) and number not in given:
            given[number] = _tidy(name)
    names, used = [], set(taken)
    for number, planned in enumerate(groups, 1):
        name = given.get(number, "")
        is_usable = name.casefold() not in used and is_name(name, _shown_topics(planned))
        if is_usable and says_its_topics(name, planned, embedder):
            used.add(name.casefold())
            names.append(name)
        else:
            names.append("")
    return names


def is_name(name: str, topics: Sequence[str]) -> bool:
    """Return whether a text has the form of a name: short, no sentence, no number or address of its own."""
    if not FEWEST_CHARACTERS <= len(name) <= MOST_CHARACTERS or len(name.split()) > MOST_WORDS:
        return False
    if not (name.isprintable() and is_storable(name) and stands_alone(name)) or has_address(name):
        return False
    if re.search(r"[{}\[\]<>|\\`*_#:;!?]|\.\s", name):
        return False
    numbers = set(re.findall(r"\d+", " ".join(topics)))
    return numbers.issuperset(re.findall(r"\d+", name))


def says_its_topics(name: str, planned: PlannedReason, embedder: Embedder) -> bool:
    """Return whether a name shares a word with the topics it was made from, or lies near to their group."""
    topics = _shown_topics(planned)
    language = guess_language(" ".join(topics)) or "en"
    said = {stem for topic in topics for stem in extract_content_words(topic, language)}
    if not said.isdisjoint(extract_content_words(name, language)):
        return True
    vector = embedder.encode([name])[0]
    centers = np.frombuffer(planned.centroid, dtype=np.float32).reshape(-1, len(vector))
    return bool((centers @ vector).max() >= MIN_LIKENESS)


def _shown_topics(planned: PlannedReason) -> list[str]:
    return [name for name, _ in planned.names[:WORDED_FROM]]


def guess_common_language(groups: Sequence[PlannedReason]) -> str | None:
    """Return the language of the topics where they have one in common, None where they are mixed."""
    found = {guess_language(" ".join(_shown_topics(planned))) for planned in groups} - {None}
    return found.pop() if len(found) == 1 else None


def _tidy(name: str) -> str:
    text = " ".join(name.split()).strip(" .,;:\"'“”«»")
    return (text[:1].upper() + text[1:])[:MAX_NAME]


def _use(model: ChatClient, reply: Reply) -> EngineUse:
    return EngineUse(model.name, reply.model, reply.input_tokens, reply.output_tokens, reply.cost_micros)
