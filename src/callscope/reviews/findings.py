"""What a review may say beyond criteria: mistakes made, prompts said, the goal, the sentiment.

Each is a question with a closed set of answers, whatever the machine found: so a blind review can answer it,
and a person's answer outlives another analysis. Mistakes and prompts are those of the configuration that the
result was made with, and those of the result itself; a part that has not run asks nothing.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from callscope.analysis.conversation.turns import Conversation
from callscope.analysis.evidence import verify_quote
from callscope.analysis.models import AnalysisState, CallAnalysis
from callscope.db.limits import is_storable
from callscope.projects.configuration import Configuration
from callscope.reviews.answers import (
    MAX_QUOTE,
    SHOWN,
    InvalidReview,
    build_transcribed,
    check_comment,
)
from callscope.reviews.criteria import LONGEST_ID, KnownCriteria
from callscope.reviews.models import Review, ReviewFinding
from callscope.transcription.models import Transcript

Kind = ReviewFinding.Kind
UNKNOWN = "unknown"
ANSWERS: dict[str, tuple[str, ...]] = {
    Kind.MISTAKE: ("made", "not_made"),
    Kind.PROMPT: ("said", "missed"),
    Kind.GOAL: ("reached", "not_reached", UNKNOWN),
    Kind.SENTIMENT: ("positive", "neutral", "negative", UNKNOWN),
}
GOALS: dict[bool | None, str] = {True: "reached", False: "not_reached", None: UNKNOWN}


class Question(NamedTuple):
    """Something that a review may answer, and what the machine says."""

    kind: str  # of ReviewFinding.Kind
    item_id: str  # of a mistake or prompt, else ""
    description: str  # as the settings, or an imported result, say it
    machine_answer: str  # "": it could not tell
    is_quoted: bool  # the machine has words of the call for it

    @property
    def key(self) -> tuple[str, str]:
        return self.kind, self.item_id

    @property
    def name(self) -> str:
        """Return how messages name it."""
        return f"{self.kind} {self.item_id}".strip()


@dataclass(frozen=True, slots=True)
class GivenFinding:
    """One finding as it came, unchecked."""

    kind: str
    item_id: str
    answer: str
    comment: str = ""
    quote: str = ""


@dataclass(frozen=True, slots=True)
class CheckedFinding:
    """One finding that stands: the call asks it, and the quote is in its transcript."""

    question: Question
    answer: str
    comment: str
    quote: str
    quote_start: float | None
    speaker: str

    def lacks_evidence(self, *, is_blind: bool, is_half_heard: bool) -> bool:
        """Return whether nobody quotes words for this mistake, where the machine's are shown.

        In a call that is half heard its words may not be in the transcript; a comment can say what was heard.
        """
        is_shown = self.question.is_quoted and not is_blind
        is_described = is_half_heard and bool(self.comment)
        has_evidence = bool(self.quote) or is_shown or is_described
        return self.question.kind == Kind.MISTAKE and self.answer == "made" and not has_evidence


def list_questions(analysis: CallAnalysis, known: KnownCriteria) -> list[Question]:
    """Return what a review of a call with this live result may answer."""
    config = known.configuration_of(analysis.config_version)
    found: list[Question] = []
    protocol = analysis.read_machine("no_protocol")
    if protocol and analysis.no_protocol_state == AnalysisState.COMPLETED:
        found += list_items(protocol, config, is_half_heard=_is_half_heard(analysis))
    insights = analysis.read_machine("insights")
    if insights is not None and analysis.insights_state == AnalysisState.COMPLETED:
        reached = GOALS.get(insights.get("goal_reached"), UNKNOWN)
        sentiment = insights.get("sentiment") or UNKNOWN
        found.append(
            Question(Kind.GOAL, "", config.goal.description or "", reached, bool(insights.get("goal_quote")))
        )
        found.append(Question(Kind.SENTIMENT, "", "", str(sentiment), is_quoted=False))
    return found


def list_asked(config: Configuration) -> dict[tuple[str, str], str]:
    """Return the mistakes and prompts of the settings, (kind, item) → text: those asked of every call."""
    mistakes = {(Kind.MISTAKE.value, each.id): each.text for each in config.no_protocol.mistakes}
    return mistakes | {(Kind.PROMPT.value, each.id): each.text for each in config.no_protocol.prompts}


def item_key(entry: Mapping[str, Any]) -> str:
    """Return what tells a mistake or prompt of a result apart; imported ones may have no id."""
    return str(entry.get("id") or entry.get("description") or "")[:LONGEST_ID]


def list_items(
    protocol: Mapping[str, Any], config: Configuration, *, is_half_heard: bool
) -> Iterable[Question]:
    """Yield the mistakes and prompts of the configuration, and those of a result that it does not name.

    What was not found in a call that is half heard may still have been said: the machine could not tell.
    """
    made = _first_of_each(protocol.get("mistakes"))
    missed, said = _first_of_each(protocol.get("missing_prompts")), _first_of_each(protocol.get("prompts"))
    mistakes = {each.id: each.text for each in config.no_protocol.mistakes}
    prompts = {each.id: each.text for each in config.no_protocol.prompts}
    for item_id, text in _describe_all(mistakes, made).items():
        answer = "made" if item_id in made else "" if is_half_heard else "not_made"
        yield Question(Kind.MISTAKE, item_id, text, answer, bool(made.get(item_id, {}).get("quote")))
    for item_id, text in _describe_all(prompts, missed | said).items():
        # Of a prompt that is neither nobody can tell; a result that lists no prompts said knows of all.
        is_said = item_id in said or (protocol.get("prompts") is None and not is_half_heard)
        answer = "missed" if item_id in missed else "said" if is_said else ""
        yield Question(Kind.PROMPT, item_id, text, answer, bool(said.get(item_id, {}).get("quote")))


def _is_half_heard(analysis: CallAnalysis) -> bool:
    parts = (analysis.read_machine("no_protocol"), analysis.read_machine("insights"))
    return any(((part or {}).get("transcript_quality") or {}).get("half_heard") for part in parts)


def _first_of_each(entries: Any) -> dict[str, Mapping[str, Any]]:
    found: dict[str, Mapping[str, Any]] = {}
    for entry in entries or []:
        found.setdefault(item_key(entry), entry)
    return found


def _describe_all(configured: Mapping[str, str], found: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Return item → text; a result says itself what it asked."""
    named = {item_id: str(entry.get("description") or item_id) for item_id, entry in found.items()}
    return {**configured, **named}


def check_findings(
    given: Sequence[GivenFinding],
    questions: Sequence[Question],
    transcript: Transcript | None,
    *,
    is_blind: bool,
    submits: bool,
) -> list[CheckedFinding]:
    """Return the findings in the order of the questions. Raises InvalidReview.

    A submitted mistake has words of the transcript, the person's or, where they were shown, the machine's,
    or in an unreliable transcript a comment.
    """
    is_half_heard = transcript is not None and bool((transcript.quality or {}).get("half_heard"))
    known = {each.key: each for each in questions}
    conversation = build_transcribed(transcript) if transcript and any(g.quote for g in given) else None
    checked: dict[tuple[str, str], CheckedFinding] = {}
    for each in given:
        key = (each.kind, each.item_id)
        question = known.get(key)
        if question is None:
            allowed = ", ".join(question.name for question in questions) or "-"
            named = f"{each.kind} {each.item_id}".strip()[:SHOWN]
            raise InvalidReview("findings", "review_unknown_finding", value=named, allowed=allowed)
        if key in checked:
            raise InvalidReview("findings", "review_finding_twice", value=question.name)
        checked[key] = finding = _check_finding(each, question, conversation)
        lacks = finding.lacks_evidence(is_blind=is_blind, is_half_heard=is_half_heard)
        if submits and transcript is not None and lacks:
            code = "review_mistake_without_words" if is_half_heard else "review_mistake_without_quote"
            raise InvalidReview("findings", code, value=question.item_id)
    return [checked[key] for key in known if key in checked]


def _check_finding(
    given: GivenFinding, question: Question, conversation: Conversation | None
) -> CheckedFinding:
    name = question.name
    if given.answer not in ANSWERS[question.kind]:
        raise InvalidReview(
            "findings",
            "review_finding_not_allowed",
            value=given.answer[:SHOWN],
            finding=name,
            allowed=", ".join(ANSWERS[question.kind]),
        )
    comment = check_comment("findings", given.comment)
    if not given.quote.strip():
        return CheckedFinding(question, given.answer, comment, "", None, "")
    if conversation is None:
        raise InvalidReview("findings", "review_finding_without_transcript", finding=name)
    quote = verify_quote(given.quote[:MAX_QUOTE], conversation) if is_storable(given.quote) else None
    if quote is None:
        shown = given.quote[:SHOWN].strip()
        raise InvalidReview("findings", "review_finding_quote_not_said", value=shown, finding=name)
    speaker = next((s.speaker for s in conversation.segments if s.start_s == quote.start_s), "")
    return CheckedFinding(question, given.answer, comment, quote.text, quote.start_s, speaker)


def read_findings(review: Review) -> list[GivenFinding]:
    """Return the findings of a review that fit its call, as they would be given."""
    rows = review.findings.filter(is_outdated=False).order_by("position")
    return [GivenFinding(row.kind, row.item_id, row.answer, row.comment, row.quote) for row in rows]


def store_findings(
    review: Review, findings: Sequence[CheckedFinding], retired: Collection[tuple[str, str]] = ()
) -> None:
    """Store the findings of a saved review, in place of those that it had; those `retired` fit no more."""
    ReviewFinding.objects.filter(review=review).delete()
    ReviewFinding.objects.bulk_create(
        [
            ReviewFinding(
                review=review,
                position=position,
                kind=each.question.kind,
                item_id=each.question.item_id,
                description=each.question.description,
                answer=each.answer,
                comment=each.comment,
                quote=each.quote,
                quote_start=each.quote_start,
                speaker=each.speaker,
                machine_answer=each.question.machine_answer,
                is_outdated=each.question.key in retired,
                is_retired=each.question.key in retired,
            )
            for position, each in enumerate(findings)
        ]
    )


def find_fitting(
    findings: Iterable[ReviewFinding], analysis: CallAnalysis, known: KnownCriteria
) -> list[ReviewFinding]:
    """Return those that answer what this result asks; its words are those of the review.

    An imported result has no settings of its own: while it is the same, it asks what it asked.
    """
    rows = [row for row in findings if not row.is_retired]
    if not rows:
        return []
    asked = {each.key: each.description for each in list_questions(analysis, known)}
    has_run = {
        Kind.MISTAKE: analysis.no_protocol is not None,
        Kind.PROMPT: analysis.no_protocol is not None,
        Kind.GOAL: analysis.insights is not None,
        Kind.SENTIMENT: analysis.insights is not None,
    }
    if analysis.config_version is None:
        return [row for row in rows if has_run[Kind(row.kind)]]
    return [row for row in rows if asked.get((row.kind, row.item_id)) == row.description]
