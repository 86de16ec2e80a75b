"""Which numbers are asked for or announced, and still to be said.

"Your account number and your PIN?" opens two questions. An answer closes the one
that it fits; a later turn that asks for anything closes all before it.
"""

from collections.abc import Container
from dataclasses import replace

from callscope.transcription.redaction.names.heads import is_denied
from callscope.transcription.redaction.names.naming import OF_PLACEHOLDER, Sentence
from callscope.transcription.redaction.pieces import Piece
from callscope.transcription.redaction.questions.follow_ups import (
    begins_answer,
    explains,
    is_public_code,
    lists_places,
)
from callscope.transcription.redaction.questions.question import Question
from callscope.transcription.redaction.questions.requests import NUMBERS, Request, Requests
from callscope.transcription.redaction.sharing import share_out, split_code
from callscope.transcription.redaction.utterances import Utterance
from callscope.transcription.redaction.vocabulary.kinds import (
    ASKED_CODES,
    CARDS,
    CVV_DIGITS,
    SECRET_CODES,
    SECRETS,
    THINGS,
    VAGUE,
    Kind,
    can_have,
    usually_has,
)
from callscope.transcription.redaction.vocabulary.word_classes import AGREEING, AND, ASKING_AGAIN, PREDICATES

NEAR_SEGMENTS, NEAR_S = 12, 90.0  # how far a question reaches to its answer
AGAIN_SEGMENTS = 2  # how far a doubt reaches to the answer that it doubts
MISHEARD_CODE = 8  # digits that still answer the question for a code
LEAST_CODE = 3  # digits of a code; fewer are a part of it
MAX_OPEN = 6
NAMED_SENTENCE = 3  # words: "Order number?"
HANDED_OVER = 2  # turns from an announcement to what was announced, with one of the other side between
OF_CARDS = frozenset((Kind.CODE, Kind.SOME_CODE))


class OpenQuestions:
    """The questions of the latest turn that asked for something."""

    def __init__(self) -> None:
        self.questions: list[Question] = []
        self.answered: list[Question] = []  # by the turn before
        self.turn = 0
        self.speaker: str | None = None
        self.asks_for_another = False  # the last question was "And which one do you want?"
        self.thing: tuple[Kind | None, int] = (None, 0)  # that was named last, and in which segment
        self.sent: Question | None = None  # a code that was announced, and not said yet
        self.claimed: list[int] = []  # tokens of the numbers that are called the codes that are asked for
        self.card_talk = -NEAR_SEGMENTS - 1  # the last segment that spoke of a card
        self.heard: Utterance | None = None  # the segment before
        self.public_code = -NEAR_SEGMENTS - 1  # the last segment that named a public code after any other
        self.explains = False  # the segment only answers "Which one?"
        self.asks_for_one = False  # the segment before asks for one code and for nothing else

    def begin(self, utterance: Utterance, named_codes: list[tuple[int, Kind]]) -> None:
        """Take note of who speaks; a doubt opens the questions again that were just answered.

        `named_codes` are the tokens of numbers that the utterance calls codes, and which ones.
        """
        self.explains = self.heard is not None and explains(utterance, self.heard)
        self.asks_for_one = self.heard is not None and self.is_asked_alone(self.heard)
        self.heard = utterance
        asked = [question.kind for question in self.questions if question.kind in ASKED_CODES]
        named = {kind for _, kind in named_codes}
        # "Your PIN?" – "4821, and the CVV is 123": the name is not that of what was asked for.
        is_named = Kind.SOME_CODE in named or all(kind in named or kind is Kind.SOME_CODE for kind in asked)
        has_all = 0 < len(asked) <= len(named_codes)
        self.claimed = [token for token, _ in named_codes] if has_all and is_named else []
        if utterance.speaker != self.speaker or utterance.speaker is None:
            self.turn += 1
            self.speaker = utterance.speaker
        if utterance.asks_back():  # "You will need your PIN." "Which is?" "4821."
            self.questions += [
                replace(question, asked_by=utterance.speaker, turn=self.turn, segment=utterance.index)
                for question in self.questions
                if question.kind in ASKED_CODES and question.asked_by != utterance.speaker
            ]
        code = next((q for q in reversed(self.questions) if q.kind in ASKED_CODES), None)
        if code and utterance.speaker != "customer" and lists_places(utterance):
            self.ask_again(code, utterance, is_partial=True)
        if self.sent and utterance.speaker != "customer" and utterance.asks_whether_it_came():
            self.ask_again(self.sent, utterance, is_partial=self.sent.is_partial)
        if utterance.speaker != "customer" and utterance.sentences:
            self.asks_for_another = utterance.asks_which(utterance.sentences[-1])
            is_meant = self.asks_for_another and not utterance.names and utterance.says_which()
            if is_meant and (kind := self.find_meant(utterance.index)):
                self.asks_for_another = False
                self.ask_for(kind, utterance, utterance.sentences[-1])
        self.answered = [q for q in self.answered if utterance.index - q.segment <= AGAIN_SEGMENTS]
        again = [q for q in self.answered if q.asked_by == utterance.speaker]
        asks_for_other = any(
            name.kind not in VAGUE
            and PREDICATES.isdisjoint(utterance.words_before(name.first)[-2:])
            and not is_denied(utterance, name)
            for name in utterance.names
        )
        if again and not asks_for_other and any(t.word in ASKING_AGAIN for t in utterance.tokens):
            self.questions, self.answered = [*again, *self.questions][-MAX_OPEN:], []
            for question in again:
                question.segment, question.turn, question.at_s = utterance.index, self.turn, utterance.end_s
                question.is_again = True

    def add(self, utterance: Utterance, sentence: Sentence) -> None:
        """Open a question for each name that has no number in its own sentence."""
        if any(name.kind in CARDS for name in sentence.unused):
            self.card_talk = utterance.index
        self.note_thing(utterance, sentence)
        near = [
            q.kind
            for q in self.questions
            if utterance.index - q.segment <= NEAR_SEGMENTS
            and (q.request.is_asked or q.asked_by in (self.speaker, None))
        ]
        requests = Requests(utterance, sentence, near, near_card=self.is_near_card(utterance.index))
        opened = [
            Question(
                request,
                self.speaker,
                self.turn,
                utterance.index,
                utterance.end_s,
                sentence.number,
                request.is_partial,
            )
            for request in requests.find()
        ]
        self.sent = next((q for q in opened if q.request.is_sent), self.sent)
        if len(opened) == 2 and requests.says_when():
            opened.reverse()  # "I'll take your PIN once you've given me the account."
        if opened:
            self.questions = (self.keep_open(utterance, opened) + opened)[-MAX_OPEN:]
        elif requests.says_which():
            self.questions = [q for q in self.questions if not (q.request.is_vague and q.turn == self.turn)]
        elif requests.ask_for_part():
            for question in self.questions:
                question.is_partial = question.kind in ASKED_CODES
        elif self.speaker != "customer" and self.asks_for_something(utterance, sentence):
            self.ask_for(Kind.NAMED, utterance, sentence.number, is_thing=True)

    def find_meant(self, segment: int) -> Kind | None:
        """Return what "What's the new one?" means, where no code is: the thing that was named last."""
        kind, at = self.thing
        return kind if segment - at <= AGAIN_SEGMENTS else None

    def note_thing(self, utterance: Utterance, sentence: Sentence) -> None:
        """Note the thing that a sentence is about: "That's my old phone", "to the mobile ending 327"."""
        names = utterance.names_of(sentence.number)
        things = [name.kind for name in names if name.kind in THINGS and not name.use]
        has_code = any(name.kind in ASKED_CODES for name in names)
        codes = [name for name in names if name.kind in ASKED_CODES or is_public_code(utterance, name)]
        if codes:
            is_public = codes[-1].kind not in ASKED_CODES
            self.public_code = utterance.index if is_public else -NEAR_SEGMENTS - 1
        if things and (sentence.pieces or not has_code):
            self.thing = (things[-1], utterance.index)
        elif has_code:
            self.thing = (None, utterance.index)

    def ask_for(self, kind: Kind, utterance: Utterance, sentence: int, *, is_thing: bool = False) -> None:
        """Open a question that no name of its own sentence tells."""
        words = utterance.words_of(sentence)
        is_number = len(words) <= NAMED_SENTENCE and words[-1] in NUMBERS  # "Pump number?"
        request = Request(kind, True, True, True, False, is_thing, False, False, is_number or not is_thing)
        question = Question(
            request, self.speaker, self.turn, utterance.index, utterance.end_s, sentence, False
        )
        self.questions = [*self.questions, question][-MAX_OPEN:]

    def ask_again(self, question: Question, utterance: Utterance, *, is_partial: bool) -> None:
        """Open a question once more: "And has it arrived?", "Second and fifth." after one for a code."""
        request = question.request._replace(is_asked=True, is_question=True, is_partial=is_partial)
        others = [other for other in self.questions if other.kind is not question.kind]
        again = replace(
            question,
            request=request,
            asked_by=utterance.speaker,
            turn=self.turn,
            segment=utterance.index,
            at_s=utterance.end_s,
            is_partial=is_partial,
            held=[],
        )
        self.questions = [*others, again][-MAX_OPEN:]

    def asks_for_something(self, utterance: Utterance, sentence: Sentence) -> bool:
        """True for a question for a thing that is on no list, unless a card number goes on."""
        is_begun = any(question.kind in CARDS and question.is_begun for question in self.questions)
        return not is_begun and utterance.asks_for_something(sentence.number)

    def keep_open(self, utterance: Utterance, opened: list[Question]) -> list[Question]:
        """Return the questions that are still open after new ones.

        A turn may ask for several things. What was asked before it is over, unless the turn only
        agrees to an offer ("Do you want the code?" "Yes, and the date"), asks back before it answers
        ("What's the PIN?" "For which room?"), says which one is meant or mentions a card.
        """
        agrees = utterance.tokens[0].word in AGREEING
        is_aside = self.speaker == "customer" or not any(q.request.is_asked for q in opened)
        is_card = all(q.kind is Kind.WEAK_CARD for q in opened)
        return [
            q
            for q in self.questions
            if q.turn == self.turn
            or is_aside
            or self.explains
            or (agrees and q.asked_by != self.speaker)
            or (q.asked_by == "customer" and q.request.is_question and q.kind in ASKED_CODES)
            or (is_card and q.kind in SECRETS | ASKED_CODES)
        ]

    def answer(self, utterance: Utterance, piece: Piece) -> list[tuple[Piece, Kind]]:
        """Return the kinds of the parts of a number that answers what is asked; [] if it answers nothing."""
        shares = self.share(utterance, piece)
        if shares:
            return shares
        open_now = self.find_open(utterance, piece)
        for fits in (Question.is_usual_answer, Question.is_part_of_answer, Question.is_possible_answer):
            for question in open_now:
                if question.may_have_part(utterance, piece) and fits(question, piece):
                    return self.close(question, piece)
        # Digits that are too few for a secret are held, those that are too many for the only one taken.
        secret = next((q for q in open_now if q.kind in ASKED_CODES | CARDS), None)
        if not secret or not utterance.is_bare(piece):
            return []
        if secret.kind is Kind.WEAK_CARD or len(piece.digits) < LEAST_CODE:
            secret.held.append(piece)
            return []
        is_code = secret.kind in ASKED_CODES and len(open_now) == 1 and len(piece.digits) <= MISHEARD_CODE
        return self.close(secret, piece) if is_code else []

    def share(self, utterance: Utterance, piece: Piece) -> list[tuple[Piece, Kind]]:
        """Return the parts of a number that answers several questions at once; [] if it does not."""
        open_now = self.find_open(utterance, piece)
        open_now = [q for q in open_now if q.request.is_asked or q.turn == open_now[0].turn]
        kinds = [question.kind for question in self.questions if question in open_now]
        shares = share_out(piece, kinds) or share_out(piece, kinds[::-1])
        return shares or (split_code(piece) if set(kinds) - {Kind.WEAK_CARD} == {Kind.CODE} else [])

    def find_open(self, utterance: Utterance, piece: Piece) -> list[Question]:
        """Return the questions that a number may answer, those of the latest turn first."""
        open_now = [q for q in self.questions if self.may_answer(q, utterance, piece)]
        is_last = utterance.pieces[-1].tokens[-1] == piece.tokens[-1]
        if is_last and len(piece.digits) == CVV_DIGITS and any(q.kind in ASKED_CODES for q in open_now):
            # "332" alone, after "The date and the code?", is the code; in "432, and the code" it is the date.
            open_now = [q for q in open_now if q.kind is not Kind.EXPIRY]
        own = [q for q in open_now if q.is_own(utterance, piece)]
        return sorted(own or open_now, key=lambda question: question.rank)

    def may_answer(self, question: Question, utterance: Utterance, piece: Piece) -> bool:
        """True if the question reaches so far, and the speaker may answer it."""
        if utterance.index - question.segment > NEAR_SEGMENTS or utterance.start_s - question.at_s > NEAR_S:
            return False
        if question.kind in ASKED_CODES and utterance.is_in_street(piece):
            return False  # "We're at 5525 Harrow Lane, and the password is ..."
        is_bare = utterance.is_bare(piece) or utterance.is_bare_nearby(piece)
        is_claimed = question.kind in ASKED_CODES and piece.tokens[0] < max(self.claimed, default=0)
        if is_claimed and not (self.asks_for_one and begins_answer(question.kind, utterance, piece)):
            return False  # "What's the unit and the PIN?" – "150, and the PIN is 8344."
        if question.asked_by == utterance.speaker is not None and question.is_own(utterance, piece):
            return True
        if question.asked_by == utterance.speaker is not None:
            # Nobody answers an own question; but "I will give you the PIN. 1234."
            if utterance.speaker == "agent":  # "We texted you a code. Write it down: 4821."
                is_mentioned = not question.request.is_plain_question and question.turn == self.turn
                # "Your new PIN, are you ready?" – "Yes." – "4821."
                is_left = not question.held and not question.is_begun
                is_mentioned |= self.turn - question.turn == HANDED_OVER and is_left
                return is_mentioned and question.kind in ASKED_CODES and is_bare
            return is_bare and question.kind in ASKED_CODES | CARDS
        return question.request.is_asked or is_bare

    def is_asked_alone(self, asking: Utterance) -> bool:
        """True if an utterance asks for one code and for nothing else: "CVV?"."""
        latest = [question for question in self.questions if question.segment == asking.index]
        is_one = len(latest) == 1 and latest[0].request.is_asked and latest[0].kind in ASKED_CODES
        return is_one and AND.isdisjoint(asking.words_of(latest[0].sentence))

    def expects_code(self, utterance: Utterance, piece: Piece) -> bool:
        """True if a code is asked for that usually has so many digits."""
        return any(
            self.may_answer(q, utterance, piece) and usually_has(q.kind, piece.digits)
            for q in self.questions
            if q.request.is_asked and q.kind in ASKED_CODES
        )

    def asks_for_cvv(self, piece: Piece) -> bool:
        """True for the three digits right after "The CVV, the expiry and the postcode?"."""
        return len(piece.digits) == CVV_DIGITS and any(
            q.kind is Kind.CODE and q.request.is_question and not q.request.is_vague
            for q in self.questions
            if piece.segment - q.segment <= 1
        )

    def list_numbers(self) -> set[Kind]:
        """Return what the latest turn asked for by "your house number", other than codes and cards."""
        latest = max((q.turn for q in self.questions), default=0)
        return {
            q.kind
            for q in self.questions
            if q.turn == latest and q.request.is_plain_question and q.request.is_number
        } - (ASKED_CODES | CARDS)

    def find_part_of(self) -> Kind | None:
        """Return the code of which single digits are asked for: "the last two of your passcode"."""
        return next((q.kind for q in self.questions if q.is_partial and q.kind in SECRET_CODES), None)

    def asks_for_thing(self) -> bool:
        """True if the latest turn asked for another number by its name, and for no secret."""
        latest = [q for q in self.questions if q.turn == max(q.turn for q in self.questions)]
        is_asked = any(q.request.is_question and q.kind in THINGS for q in latest)
        return is_asked and not any(q.kind in ASKED_CODES | CARDS for q in latest)

    def expects_only_codes(self) -> bool:
        """True if a code of a card is asked for, and no number that is said at length."""
        is_expected = any(q.request.is_asked and q.kind in OF_CARDS for q in self.questions)
        return is_expected and not any(q.kind in THINGS for q in self.questions)

    def expects(self, kinds: Container[Kind]) -> bool:
        """True if the latest turn asked for numbers of these kinds, and for no secret."""
        latest = max((q.turn for q in self.questions), default=0)
        asked = {
            q.kind
            for q in self.questions
            if q.turn == latest and q.request.is_asked and not (q.request.is_thing or q.is_again)
        }
        return any(kind in kinds for kind in asked) and asked.isdisjoint(ASKED_CODES | CARDS)

    def specify(self, kind: Kind, segment: int) -> Kind:
        """Return the kind, or which code "the code" is: also the booking code that was just named."""
        if kind is not Kind.SOME_CODE:
            return kind
        is_public = segment - self.public_code <= AGAIN_SEGMENTS and not self.is_near_card(segment)
        is_asked = any(q.kind in ASKED_CODES for q in self.questions)
        return Kind.NAMED if is_public and not is_asked else self.find_code(segment)

    def find_code(self, segment: int) -> Kind:
        """Return which code "the code" is: the one asked for, that of a card, else one that was sent."""
        open_codes = [q.kind for q in self.questions if q.kind in SECRET_CODES]
        if open_codes:
            return open_codes[-1]
        return Kind.CODE if self.is_near_card(segment) else Kind.ONE_TIME

    def is_near_card(self, segment: int) -> bool:
        """True if a card was spoken of a little before."""
        return segment - self.card_talk <= NEAR_SEGMENTS

    def close(self, question: Question, piece: Piece) -> list[tuple[Piece, Kind]]:
        """Return the answer with what was held for it; a card number may go on, other questions are over."""
        kind: Kind = Kind.CARD if question.kind is Kind.WEAK_CARD else question.kind
        if question.request.is_vague and kind in (Kind.CODE, Kind.SOME_CODE):
            is_of_card = can_have(Kind.CODE, piece.digits) and self.is_near_card(piece.segment)
            kind = Kind.CODE if is_of_card else Kind.ONE_TIME
        parts: list[tuple[Piece, Kind]] = [(part, kind) for part in [*question.list_held(piece), piece]]
        question.held, question.is_begun = [], True
        if kind is not Kind.CARD and not question.is_partial:
            self.questions = [q for q in self.questions if q is not question]
            question.segment = piece.segment
            self.answered.append(question)
        return parts

    def forget_answered(self) -> None:
        """Forget the other questions that a code seemed to answer: no doubt opens them again."""
        self.answered = [q for q in self.answered if q.kind in ASKED_CODES]

    def close_kind(self, kind: Kind) -> None:
        """Forget what is answered."""
        kinds = ASKED_CODES if kind in SECRET_CODES else CARDS if kind in CARDS else {kind}
        self.questions = [q for q in self.questions if q.kind not in kinds or q.is_partial]
        if kind in SECRET_CODES:
            self.sent = None

    def close_shape(self, kind: Kind) -> None:
        """Forget what is answered by a date, a price or a time."""
        kinds = {Kind.DATE, Kind.EXPIRY} if kind is Kind.DATE else {kind}
        self.questions = [q for q in self.questions if q.kind not in kinds]

    def close_redacted(self, placeholder: str) -> None:
        """Forget what is answered by a number that was taken out before."""
        kinds = OF_PLACEHOLDER.get(placeholder, frozenset())
        self.questions = [q for q in self.questions if q.kind not in kinds]
