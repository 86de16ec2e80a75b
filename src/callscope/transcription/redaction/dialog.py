"""Walk through a call and tell what each number is: by its name, by a question, by what was said before.

The nearest decides, in this order: the name right next to a number, what it
corrects, the question that is open, a name further away in the sentence, what
comes after a card number, what was said before.
"""

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

from callscope.engines.embeddings.protocol import Embedder
from callscope.transcription.redaction import alike
from callscope.transcription.redaction.card_details import find_card_details, is_next_to_card
from callscope.transcription.redaction.cards import find_valid_cards, has_issuer
from callscope.transcription.redaction.memory import Memory
from callscope.transcription.redaction.names.heads import is_entered
from callscope.transcription.redaction.names.letters import LETTERS_OF_NO_CODE
from callscope.transcription.redaction.names.named_numbers import find_named, find_named_codes, find_repeated
from callscope.transcription.redaction.names.naming import Naming, Sentence, name_sentences
from callscope.transcription.redaction.number_runs import NumberRun, Place
from callscope.transcription.redaction.pieces import Piece
from callscope.transcription.redaction.questions import follow_ups
from callscope.transcription.redaction.questions.open_questions import OpenQuestions
from callscope.transcription.redaction.questions.question import SOFT
from callscope.transcription.redaction.utterances import Utterance
from callscope.transcription.redaction.vocabulary.kinds import (
    CARD_LENGTH,
    CVV_DIGITS,
    SECRET_CODES,
    SECRETS,
    THINGS,
    Kind,
    is_year,
    usually_has,
)
from callscope.transcription.redaction.vocabulary.word_classes import DIGIT_NOUNS
from callscope.transcription.redaction.weighing.likelihood import OTHERS, Rated, Rater

LONGEST_CODE = 8
MOST_PLACES = 3  # of digits that are asked for: "two, three and five"
# Named as these, a number is no card even where its check digit is right.
NO_CARDS = frozenset((Kind.IDENTIFIER,))
# Named as any other number, it is no part of a card number that goes on elsewhere.
NO_PARTS = frozenset(Kind) - {Kind.CARD, Kind.WEAK_CARD, Kind.LAST_FOUR, Kind.NUMBER, Kind.SOME_CODE}

Parts = Sequence[tuple[Piece, Kind | None]]


class Label(NamedTuple):
    """What a number is; `number` tells secrets apart, all parts and repetitions of one have the same."""

    kind: Kind
    number: int


Labels = dict[Place, Label]


def label_numbers(
    utterances: Sequence[Utterance],
    runs: Sequence[NumberRun],
    *,
    rated: list[Rated] | None = None,
    encoder: Embedder | None = None,
) -> Labels:
    """Return (segment, token) → kind for every number of which the kind is known.

    To fit the weights, the numbers that likelihood.py would rate are appended to `rated`, and are not rated.
    """
    named = [name_sentences(utterance) for utterance in utterances]
    no_parts = find_named(named, NO_PARTS)
    valid = find_valid_cards(
        runs,
        no_cards=find_named(named, NO_CARDS),
        no_parts=no_parts | find_repeated(runs, no_parts),
        last_parts=find_named(named, (Kind.LAST_FOUR,)),
    )
    walk = _Walk(utterances, valid, Rater(utterances, rated, encoder))
    for utterance in utterances:
        walk.read(utterance, name_sentences(utterance, valid))
    walk.look_ahead()
    return walk.labels


class _Walk:
    """The state of the dialog: what is asked for, and which secrets were said."""

    def __init__(self, utterances: Sequence[Utterance], valid: set[Place], rater: Rater) -> None:
        self.utterances = utterances
        self.rater = rater
        self.doubted: list[int] = []  # tokens of the piece that is unlikely to be a code
        self.valid = valid  # numbers of cards with a right check digit
        self.labels: Labels = {}
        self.questions = OpenQuestions()
        self.memory = Memory()
        self.before: tuple[Utterance, Piece] | None = None  # the piece that was said last
        self.unknown: list[tuple[Utterance, Piece]] = []

    def read(self, utterance: Utterance, sentences: list[Sentence]) -> None:
        """Decide on the numbers of an utterance in order."""
        self.questions.begin(utterance, find_named_codes(sentences))
        self.rater.hear(utterance)
        for placeholder in {placeholder for sentence in sentences for placeholder in sentence.placeholders}:
            self.questions.close_redacted(placeholder)
        for sentence in sentences:
            for placeholder in sentence.placeholders:
                self.questions.close_redacted(placeholder)
            shapes = deque(sentence.shapes)
            for piece, naming in sentence.pieces:
                while shapes and shapes[0][0] < piece.tokens[0]:
                    self.pass_shape(utterance, *shapes.popleft())
                known = self.memory.find_cards(piece) or self.memory.find_known(piece)
                for part in piece.cut_where([token in known for token in piece.tokens]):
                    self.decide(utterance, part, naming)
            for place, kind in shapes:
                self.pass_shape(utterance, place, kind)
            self.label_parallel(utterance, sentence)
            self.look_back(utterance, sentence)
            self.questions.add(utterance, sentence)

    def label_parallel(self, utterance: Utterance, sentence: Sentence) -> None:
        """Label the numbers of "2672 for the bank, 9030 for the phone" alike."""
        for piece in list(alike.list_parallel(utterance, sentence, self.list_kinds)):
            self.memory.forget_other(piece)
            self.label(utterance, piece, self.questions.find_code(piece.segment))

    def look_back(self, utterance: Utterance, sentence: Sentence) -> None:
        """Label the number of the sentence before by "That's the PIN"."""
        if not self.before or self.before[1].segment < utterance.index - 1 or sentence.pieces:
            return
        before, piece = self.before
        for part, kind in follow_ups.find_codes_of_two(utterance, sentence, before):
            if not self.is_known(part):
                self.label(before, part, self.questions.specify(kind, part.segment))
        place = piece.segment, piece.tokens[0]
        for name in list(sentence.unused):
            kind = self.questions.specify(name.kind, piece.segment)
            is_said = follow_ups.is_predicate(utterance, name)
            if not is_said and not follow_ups.is_accepted(utterance, name, before, piece):
                continue
            is_whole = usually_has(kind, piece.digits) or (is_said and len(piece.digits) == LONGEST_CODE)
            is_code = kind in SECRET_CODES and is_whole and not self.is_known(piece)
            # "Your PIN?" – "93277745?" – "No, that's your reference."
            is_other = kind in THINGS and place not in self.valid and utterance.speaker != before.speaker
            if is_other:
                self.memory.forget(piece.digits)
            if is_code:
                sentence.unused.remove(name)  # it asks for nothing more
            if is_code or is_other:
                self.label(before, piece, kind)

    def look_ahead(self) -> None:
        """Label parts of secrets that were said before the whole, and cards wherever they were said."""
        cards = {s.digits: s for s in self.memory.all if s.kind is Kind.CARD and len(s.digits) in CARD_LENGTH}
        for utterance, piece in self.unknown:
            is_counted_off = not DIGIT_NOUNS.isdisjoint(utterance.words_before(piece.tokens[0])[-1:])
            if is_counted_off and len(piece.digits) <= MOST_PLACES:
                continue  # "digits two and four of your PIN"
            secret = self.memory.recognize_begun(piece, is_bare=utterance.is_bare(piece))
            secret = secret or cards.get(piece.said_once)
            if secret:
                self.mark(piece, Label(secret.kind, secret.number))

    def pass_shape(self, utterance: Utterance, place: int, kind: Kind) -> None:
        """Take note of a date, a price or a time."""
        self.questions.close_shape(kind)
        if kind is Kind.DATE and any(name.kind is Kind.EXPIRY for name in utterance.names):
            self.memory.note(utterance.tokens[place].digits, Kind.EXPIRY, utterance.index)
        card = self.memory.find_last(utterance.index, (Kind.CARD,))
        if card and kind is Kind.DATE:
            card.has_expiry = True

    def decide(self, utterance: Utterance, piece: Piece, naming: Naming | None) -> None:
        """Find the kind of a piece, else of the parts that are sentences of their own."""
        is_valid = (piece.segment, piece.tokens[0]) in self.valid
        asking = self.utterances[piece.segment - 1] if piece.segment else None
        if asking and not naming and not is_valid and follow_ups.echoes_question(utterance, piece, asking):
            self.label(utterance, piece, Kind.NAMED)
            self.before = (utterance, piece)
            return
        asked = [question.kind for question in self.questions.questions]
        others = {kind for kind in OTHERS | self.questions.list_numbers() if usually_has(kind, piece.digits)}
        others |= {Kind.DATE} if is_year(piece.digits) else set()
        rating = self.rater.rate(piece, naming, self.memory, asked)
        is_doubtful = self.rater.is_doubtful(rating, naming) and not self.questions.asks_for_cvv(piece)
        self.doubted = piece.tokens if is_doubtful else []
        is_known = self.find_kind(utterance, piece, naming)
        self.doubted = []
        is_before_code = piece.tokens[0] < max(self.questions.claimed[-1:], default=0)
        kinds = self.list_kinds(piece)
        is_code = self.rater.is_code(rating, piece.segment, kinds, others) and not is_before_code
        if is_code and kinds.isdisjoint(SECRETS):
            self.memory.forget_other(piece)
            self.questions.forget_answered()
            self.label(utterance, piece, self.questions.find_code(piece.segment))
        elif not is_known:
            parts = piece.cut(piece.breaks) if piece.breaks else []
            answer = next((at for at, part in enumerate(parts) if self.find_answer(utterance, part)), None)
            if answer is not None:
                for part in parts[answer + 1 :]:
                    self.decide(utterance, part, None)
                return
            self.unknown.append((utterance, piece))
        if asking and self.before and alike.is_one_before(self.before, asking, piece):
            self.label_one_before(self.before, piece)
        self.before = (utterance, piece)

    def label_one_before(self, before: tuple[Utterance, Piece], piece: Piece) -> None:
        """Label what was said last as the code after it: "The next one?" asks for another of its kind."""
        kinds = self.list_kinds(piece) & SECRET_CODES
        if kinds and self.list_kinds(before[1]) <= {Kind.NAMED}:
            self.memory.forget_other(before[1])
            self.label(*before, kinds.pop())

    def list_kinds(self, piece: Piece) -> set[Kind]:
        """Return what the parts of a piece are taken for."""
        labels = (self.labels.get((piece.segment, token)) for token in piece.tokens)
        return {label.kind for label in labels if label}

    def find_kind(self, utterance: Utterance, piece: Piece, naming: Naming | None) -> bool:
        """Label the piece; return whether its kind is known."""
        if naming and naming.is_loose and self.questions.expects_code(utterance, piece):
            naming = None  # "The PIN?" – "My mother's birthday, 1952"
        if naming and naming.is_weak and self.questions.asks_for_thing():
            naming = None  # "Your booking number?" – "The email says 482913"
        is_linked = naming is not None and naming.is_linked
        if self.find_valid_card(utterance, piece) or self.repeats_card(piece):
            return True
        kind = self.resolve(piece, naming) if naming and is_linked else self.find_said(utterance, piece)
        if kind in SECRET_CODES and not usually_has(kind, piece.digits):
            shares = self.questions.share(utterance, piece)
            if shares:  # "0627, 682 is the code" after "The date and the code?"
                return self.label_parts(utterance, shares)
        shares = self.questions.share(utterance, piece) if naming and piece.breaks else []
        if naming and shares and (naming.kind not in THINGS or shares[0][1] not in SECRET_CODES):
            return self.label_parts(utterance, shares)  # "REF-87812134. Five one oh two."
        if kind:
            return self.label(utterance, piece, kind)
        if self.memory.repeats_code(piece):
            return self.recognize(utterance, piece)
        if self.find_another(utterance, piece):
            return True
        letters = naming.letters if naming else 0  # "Your card?" – "BK 4821"
        if letters and (shares := self.questions.share(utterance, piece)):
            return self.label_parts(utterance, shares)  # "REF 87812134. 5102."
        if letters < LETTERS_OF_NO_CODE and self.find_answer(utterance, piece, but_no_card=letters > 0):
            return True
        if naming and (kind := self.resolve(piece, naming)):
            return self.label(utterance, piece, kind)
        self.doubted = []  # what follows a card number needs no words that say so
        if self.follow_card(utterance, piece) or self.recognize(utterance, piece):
            return True
        is_code = is_entered(utterance, piece)
        return is_code and self.label(utterance, piece, self.questions.find_code(piece.segment))

    def find_valid_card(self, utterance: Utterance, piece: Piece) -> bool:
        """Label a number with a right check digit, unless it was asked for as another number."""
        if (piece.segment, piece.tokens[0]) not in self.valid:
            return False
        is_whole = has_issuer(piece.digits)
        if is_whole and self.memory.find_other(piece) in NO_CARDS:
            return False
        if is_whole and not utterance.speaks_of_card and self.questions.expects(NO_CARDS):
            return False
        self.label(utterance, piece, Kind.CARD)
        if not self.before or self.before[1].segment < piece.segment - 1:
            return True
        # Three digits right before it are its code; digits that it corrects were a wrong beginning.
        before, said = self.before
        is_next = said.segment == piece.segment and utterance.are_plain(said.tokens[-1] + 1, piece.tokens[0])
        if follow_ups.corrects(utterance, piece, self.before):
            label = self.labels[piece.segment, piece.tokens[0]]
            for token in said.tokens:
                self.labels.setdefault((said.segment, token), label)
        elif is_next and len(said.digits) == CVV_DIGITS and not self.is_known(said):
            self.label(before, said, Kind.CODE)
        return True

    def repeats_card(self, piece: Piece) -> bool:
        """Label a long part of a card number that was said, whatever is asked for now."""
        card = self.memory.find_card_of(piece)
        if card:
            self.mark(piece, Label(card.kind, card.number))
        return card is not None

    def find_answer(self, utterance: Utterance, piece: Piece, *, but_no_card: bool = False) -> bool:
        """Label a number that answers what is asked; return whether it does."""
        is_long = len(piece.said_once) > LONGEST_CODE
        if is_long and self.questions.expects_only_codes():
            details = find_card_details(piece, None)
            if details:  # "457, 90210"
                return self.label_parts(utterance, details)
        answers = [
            (part, Kind.CARD if kind is Kind.LAST_FOUR and self.memory.is_card_open(part.segment) else kind)
            for part, kind in self.questions.answer(utterance, piece)
        ]
        if not answers or (but_no_card and answers[-1][1] is Kind.CARD):
            return False
        is_at_once = follow_ups.follows_at_once(piece, self.before, self.valid)
        is_next = answers[-1][1] is Kind.NAMED or (answers[-1][1] in SOFT and is_at_once)
        if is_at_once and answers[-1][1] in THINGS:  # an account was asked for, a card is said
            is_next, self.doubted = True, []
        card = self.memory.find_last(piece.segment, (Kind.CARD,))
        if is_next and card and is_next_to_card(piece, card) and self.follow_card(utterance, piece):
            return True  # "And the little ones?" after a card number
        return self.label_parts(utterance, answers)

    def resolve(self, piece: Piece, naming: Naming) -> Kind:
        """Return the kind that a name stands for here."""
        if naming.kind is Kind.LAST_FOUR and self.memory.is_card_open(piece.segment):
            return Kind.CARD  # "and the last four are ..." at the end of a number that is read out
        if naming.kind is Kind.LAST_FOUR and (code := self.questions.find_part_of()):
            return code
        kind = self.questions.specify(naming.kind, piece.segment)
        return Kind.CARD if kind is Kind.WEAK_CARD else kind

    def is_known(self, piece: Piece) -> bool:
        return (piece.segment, piece.tokens[0]) in self.labels

    def find_said(self, utterance: Utterance, piece: Piece) -> Kind | None:
        """Return the kind of the number that the piece takes back, or that was said before as no secret."""
        if self.before and follow_ups.corrects(utterance, piece, self.before):
            before = self.before[1]
            label = self.labels.get((before.segment, before.tokens[-1]))
            code = self.memory.find_last(piece.segment, SECRET_CODES)
            if label and label.kind is Kind.LAST_FOUR and code and piece.segment - code.segment <= 1:
                return code.kind  # "No, it ends in four, not five: 4824"
            if label:
                return label.kind
        return self.memory.find_other(piece)

    def follow_card(self, utterance: Utterance, piece: Piece) -> bool:
        """Label what is read out right after a card number: its date, its code, or a part still missing."""
        card = self.memory.find_last(piece.segment, (Kind.CARD,))
        is_agent = utterance.speaker == "agent" and card is not None and card.speaker != "agent"
        if not card or is_agent or not (utterance.is_bare(piece) or utterance.is_bare_nearby(piece)):
            return False
        if not card.is_complete:
            return self.label(utterance, piece, Kind.CARD)
        return self.label_parts(utterance, find_card_details(piece, card))

    def recognize(self, utterance: Utterance, piece: Piece) -> bool:
        """Label what repeats a secret, goes on with it, or stands next to it."""
        is_bare, speaker = utterance.is_bare(piece), utterance.speaker
        secret = self.memory.recognize(piece, speaker=speaker, is_bare=is_bare)
        if secret:
            is_other = secret.digits != piece.digits and len(secret.digits) == len(piece.digits)
            if is_other and secret.kind in SECRET_CODES:
                secret = self.memory.add(secret.kind, piece, speaker)  # misheard, or another one
        else:
            asking = self.utterances[max(0, utterance.index - 1)]
            is_asked_on = follow_ups.asks_on(asking, utterance)
            is_other = asking.speaker != speaker and asking.asks_in_the_end()
            is_agreed = is_asked_on and not asking.names  # "7569." "Yep." "Get down, two six."
            may_go_on = (is_bare or is_agreed) and not is_other  # "5933." "Which branch?" "Number 90."
            goes_on = self.memory.goes_on(piece, speaker, is_asked_on=is_asked_on) if may_go_on else None
            code = goes_on or alike.find_alternative(self.memory, utterance, piece)
            secret = self.memory.add(code.kind, piece, speaker) if code else None
        if secret:
            self.mark(piece, Label(secret.kind, secret.number))
        return secret is not None

    def find_another(self, utterance: Utterance, piece: Piece) -> bool:
        """Label the answer to "And which one do you want?" after "The PIN is 8929."."""
        code = self.memory.find_last(piece.segment, SECRET_CODES)
        is_bare = utterance.is_bare(piece) or utterance.is_bare_nearby(piece)
        if not code or not is_bare or not self.questions.asks_for_another:
            return False
        if len(piece.digits) != len(code.digits):
            return False
        self.questions.asks_for_another = False
        return self.label(utterance, piece, code.kind)

    def label_parts(self, utterance: Utterance, parts: Parts) -> bool:
        """Label the parts of which the kind is known, decide on the others; return whether there are any."""
        for part, kind in parts:
            if kind:
                self.label(utterance, part, kind)
            else:
                self.decide(utterance, part, None)
        return bool(parts)

    def label(self, utterance: Utterance, piece: Piece, kind: Kind) -> bool:
        """Note the kind of a number, remember a secret, and close the questions that it answers."""
        if kind in SECRET_CODES and piece.tokens == self.doubted:
            kind = Kind.NAMED
        secret = self.memory.add(kind, piece, utterance.speaker)
        self.mark(piece, Label(kind, secret.number if secret else 0))
        if kind is Kind.CARD:
            self.questions.card_talk = utterance.index
        if kind is Kind.EXPIRY:
            self.pass_shape(utterance, piece.tokens[0], Kind.DATE)
        if kind is not Kind.CARD or self.memory.has_whole_card():
            self.questions.close_kind(kind)
        return True

    def mark(self, piece: Piece, label: Label) -> None:
        self.labels.update(((piece.segment, token), label) for token in piece.tokens)
