"""What a person says about a call, checked: criteria it carries, answers they allow, words that were said.

The evidence gate holds for people too: words, time and speaker come from the transcript.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from callscope.analysis.conversation.turns import Conversation, build_conversation
from callscope.analysis.evidence import verify_quote
from callscope.analysis.results.findings import ANSWERS
from callscope.analysis.results.schema import Answer
from callscope.db.limits import is_storable
from callscope.messages.message import Message, MessageError
from callscope.reviews.criteria import StoredCriterion
from callscope.transcription.models import Transcript

MAX_COMMENT = 5000
MAX_QUOTE = 5000
SHOWN = 80  # characters of a wrong value that a message repeats


class InvalidReview(MessageError):
    """A review cannot say this; str() is one sentence, `field` names the input."""

    def __init__(self, field: str, code: str, **params: object) -> None:
        super().__init__(Message(code, **params))
        self.field = field


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """One answer as it came, unchecked."""

    criterion_id: str
    answer: str
    comment: str = ""
    quote: str = ""


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
    """One answer that stands: the criterion is one of the call, the quote is in its transcript."""

    criterion: StoredCriterion
    answer: Answer
    comment: str
    quote: str
    quote_start: float | None
    speaker: str


def check_answers(
    given: Sequence[GivenAnswer],
    criteria: Sequence[StoredCriterion],
    transcript: Transcript | None,
    *,
    is_whole: bool,
) -> list[CheckedAnswer]:
    """Return the answers in the order of the criteria. Raises InvalidReview for the first that cannot stand.

    A review that `is_whole`, one that is submitted, names every criterion.
    """
    known = {each["criterion_id"]: each for each in criteria}
    conversation = build_transcribed(transcript) if transcript and any(g.quote for g in given) else None
    checked: dict[str, CheckedAnswer] = {}
    for each in given:
        criterion = known.get(each.criterion_id)
        if criterion is None:
            raise InvalidReview(
                "criteria",
                "review_unknown_criterion",
                value=each.criterion_id[:SHOWN],
                allowed=", ".join(known) or "-",
            )
        if each.criterion_id in checked:
            raise InvalidReview("criteria", "review_criterion_twice", value=each.criterion_id)
        checked[each.criterion_id] = _check_answer(each, criterion, conversation)
    missing = [criterion_id for criterion_id in known if criterion_id not in checked]
    if is_whole and missing:
        raise InvalidReview("criteria", "review_incomplete", value=", ".join(missing))
    return [checked[criterion_id] for criterion_id in known if criterion_id in checked]


def check_comment(field: str, text: str) -> str:
    """Return the comment without the space around it. Raises InvalidReview."""
    text = text.strip()
    if len(text) > MAX_COMMENT:
        raise InvalidReview(field, "long_review_comment", most=MAX_COMMENT, count=len(text))
    if not is_storable(text):
        raise InvalidReview(field, "unstorable_review_comment")
    return text


def build_transcribed(transcript: Transcript) -> Conversation:
    """Return the conversation that quotes are checked against."""
    return build_conversation(
        transcript.segments or [],
        language="auto",
        spoken_language=transcript.language or "",
        quality=transcript.quality or {},  # type: ignore[arg-type]  # as it is stored
    )


def _check_answer(
    given: GivenAnswer, criterion: StoredCriterion, conversation: Conversation | None
) -> CheckedAnswer:
    answer = next((known for known in ANSWERS if known == given.answer), None)
    if answer is None or answer not in criterion["allowed"]:
        raise InvalidReview(
            "criteria",
            "review_answer_not_allowed",
            value=given.answer[:SHOWN],
            criterion=criterion["criterion_id"],
            allowed=", ".join(criterion["allowed"]),
        )
    comment = check_comment("criteria", given.comment)
    if not given.quote.strip():
        return CheckedAnswer(criterion, answer, comment, "", None, "")
    if conversation is None:
        raise InvalidReview("criteria", "review_without_transcript", criterion=criterion["criterion_id"])
    quote = verify_quote(given.quote[:MAX_QUOTE], conversation) if is_storable(given.quote) else None
    if quote is None:
        raise InvalidReview(
            "criteria",
            "review_quote_not_said",
            value=given.quote[:SHOWN].strip(),
            criterion=criterion["criterion_id"],
        )
    speaker = next((s.speaker for s in conversation.segments if s.start_s == quote.start_s), "")
    return CheckedAnswer(criterion, answer, comment, quote.text, quote.start_s, speaker)
