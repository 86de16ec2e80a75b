"""Dialogs with card numbers, security codes and the numbers that must survive, expanded from templates.

A file of templates, as `labeled/redaction/seen.yaml`, is a list of
    {id: bank-12, lang: en, turns: [[agent, "And the number?"], [customer, "Sure, {card:spoken}."]]}
A text may hold choices, one of which each variant takes: "[Okay|Sure|], go ahead" ("" is a choice).
Numbers are placeholders: {class:manner}, {class:manner.mark.mark}, {class:manner=name}. A manner may be
a choice: {card:spoken|pairs.fillers|groups}.

Classes
  To be replaced: card; code (security code, PIN, one-time passcode, telephone banking password).
  To survive: account order reference customer phone iban tracking meter policy extension flight sortcode
      document (DNI, driver's license, Social Security), date birth expiry year time, amount balance,
      address quantity; and {card:last4}, which the spans call "last4".
  Neither is wrong: either (a number that people would judge differently, such as four digits of a card
      that were taken back). It counts for nothing.
Manners
  digits         4532118799214410      digits16  the same, of a card that has 16 digits (not Amex)
  groups         4532 1187 9921 4410, or with dashes or commas; $1,284.50 as "1,284.50 dollars"
  spaced         4 5 3 2 1 1 8 7 ...
  spoken         four five three two double one ...; amounts, dates, times, years as words
  pairs          forty-five thirty-two eleven eighty-seven
  hundreds       chunk by chunk as one number: sixty-one hundred, cuatro mil quinientos treinta y dos
  mixed          part digits, part words: 4532 double one eighty-seven; March 14; 84 dollars and fifty cents
  part1, part2 … pieces of one number, in order, over turns or sentences. How many there are is the highest
                 that the dialog names. Written as groups, or as said: {card:part2.spoken}
  last4          the last four digits of the card, {card:last4}, {card:last4.spoken}, {card:last4.pairs}
Marks
  fillers        "uh", "then", "dash" between chunks    corrected   a wrong chunk, "no, sorry", the right one
  doubles        the number holds "double four"           oh          the card number holds a zero
  visa mastercard amex discover unionpay sixteen   which card (unionpay has 19 digits)
  misheard       one digit wrong: fails Luhn
  homophones     some of the spoken digits as a recognizer hears them: "for", "to", "ate", "won"
  short          the last digit of the card is missing
  3, 4, 6, ...   how many digits: {code:spoken.4} a PIN, {code:digits.6} a passcode (a code has 3 otherwise)
  luhn16         16 digits that pass Luhn by chance, plainly called an order number: {order:digits.luhn16}
  loyalty        only a note: the number of a card that pays nothing (a member's, a SIM)
  letters        with letters before it: BK-48213         ssn         {document:...}: Social Security
  postcode flat uk      of {address:...}; else a house number
  small hundreds thousands large     2-6, 110-980, 1,100-9,900, 11,000-98,000 for quantity, amount, balance
  dollars pounds euros   for amount and balance, which always bring their currency: do not write it after them
Names
  Within a dialog the numbers of one class and length are the same number, as in a read-back; give a second
  one a name: {card:spoken=new}. Amounts, balances, dates, times, years, quantities, addresses and either are
  drawn again each time unless named.

`PYTHONPATH=benchmarks python -m redaction_dialogs.data FILE ...` checks files and prints what they hold.
"""

import argparse
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, cast

import yaml

from redaction_dialogs.values import IDENTIFIERS, Value, make_value
from redaction_dialogs.words import Lang, Voice, begin_sentence, draw_voice, split_words, strip_marks
from redaction_dialogs.writing import write_value

REPLACED = frozenset({"card", "code"})
OPEN = frozenset({"either"})
SURVIVORS = IDENTIFIERS - REPLACED - OPEN | {
    "date", "birth", "expiry", "year", "time", "amount", "balance", "address", "quantity",
}  # fmt: skip
CLASSES = REPLACED | SURVIVORS | OPEN
SPOKEN = frozenset({"spoken", "pairs", "hundreds", "mixed"})
MANNERS = SPOKEN | {"digits", "digits16", "groups", "spaced"}
MARKS = frozenset(
    split_words(
        "fillers corrected doubles oh homophones visa mastercard amex discover unionpay sixteen misheard "
        "short luhn16 loyalty letters ssn postcode flat uk small hundreds thousands large dollars "
        "pounds euros"
    )
)
PLACEHOLDER = re.compile(r"\{(\w+):([\w.|]+)(?:=(\w+))?\}")
CHOICE = re.compile(r"\[([^\[\]]*\|[^\[\]]*)\]")
SAME_THROUGHOUT = (IDENTIFIERS | {"birth", "expiry"}) - OPEN


@dataclass(frozen=True)
class Turn:
    speaker: str  # agent or customer
    text: str


@dataclass(frozen=True)
class Span:
    """A number in a turn; `number` is the same for all pieces and read-backs of one number."""

    turn: int
    start: int
    end: int
    cls: str
    manner: str  # as in the template, without choices: "part2.spoken.fillers"
    number: str
    digits: str  # what was said, without a slip that was corrected; empty for amounts, dates and times

    @property
    def spoken(self) -> bool:
        return bool(SPOKEN & set(self.manner.split(".")))


@dataclass(frozen=True)
class Dialog:
    id: str
    lang: Lang
    turns: tuple[Turn, ...]
    spans: tuple[Span, ...]


@dataclass(frozen=True)
class Placeholder:
    cls: str
    manner: str
    form: str  # the bare manner: spoken, groups, ...
    part: int  # 0: the whole number
    marks: frozenset[str]
    key: str  # of the number it stands for


@dataclass
class Numbers:
    """The numbers of one dialog, drawn when all their placeholders are known."""

    values: dict[str, Value]
    pieces: dict[str, list[str]]


def load_dialogs(path: Path, *, variants: int, seed: int) -> list[Dialog]:
    """Return each template of the file in so many variants; the same seed gives the same dialogs.

    Raises ValueError naming the template where a template cannot be read.
    """
    templates = yaml.safe_load(path.read_text(encoding="utf-8"))
    repeated = [
        name for name, times in Counter(template["id"] for template in templates).items() if times > 1
    ]
    if repeated:
        raise ValueError(f"{path.name}: ids used twice: {', '.join(repeated)}.")
    return [expand_template(template, variant, seed) for template in templates for variant in range(variants)]


def expand_template(template: dict[str, Any], variant: int, seed: int) -> Dialog:
    """Return one dialog; every fourth is bare of capitals and punctuation where that loses nothing."""
    rng = random.Random(f"{seed}/{template['id']}/{variant}")
    lang = cast(Lang, template["lang"])
    try:
        turns = [(speaker, list(read_pieces(take_choices(text, rng), at, rng)))
                 for at, (speaker, text) in enumerate(template["turns"])]  # fmt: skip
        check_template(template, turns)
        numbers = draw_numbers([piece for _, pieces in turns for piece in pieces], lang, rng)
        bare = variant % 4 == 3 and not any(touches_number(pieces) for _, pieces in turns)
        voices = {who: draw_voice(lang, rng, bare=bare) for who in ("agent", "customer")}
        written = [
            write_turn(at, pieces, voices[who], numbers, rng) for at, (who, pieces) in enumerate(turns)
        ]
    except (ValueError, KeyError, IndexError) as error:
        raise ValueError(f"template {template['id']}: {error!r}") from error
    texts = tuple(Turn(who, text) for (who, _), (text, _) in zip(turns, written, strict=True))
    return Dialog(
        f"{template['id']}/{variant}", lang, texts, tuple(span for _, spans in written for span in spans)
    )


def take_choices(text: str, rng: random.Random) -> str:
    taken = CHOICE.sub(lambda found: rng.choice(found[1].split("|")), text)
    return re.sub(r" +([,.?!])|(?<= ) +|^ +| +$", r"\1", taken)


def read_pieces(text: str, turn: int, rng: random.Random) -> Iterator[str | Placeholder]:
    """Yield the text's literals and placeholders in order."""
    end = 0
    for found in PLACEHOLDER.finditer(text):
        yield text[end : found.start()]
        yield read_placeholder(
            found[1], rng.choice(found[2].split("|")), found[3] or "", f"{turn}.{found.start()}"
        )
        end = found.end()
    yield text[end:]
    if re.search(r"[{}\[\]]", PLACEHOLDER.sub("", text)):
        raise ValueError(f"a bracket that is no placeholder in: {text}")


def read_placeholder(cls: str, manner: str, name: str, place: str) -> Placeholder:
    words = manner.split(".")
    cls, words = ("last4", words[1:] or ["digits"]) if words[0] == "last4" else (cls, words)
    parts = [int(word[4:]) for word in words if re.fullmatch(r"part\d+", word)]
    forms = [word for word in words if word in MANNERS][:1] or ["groups"] * bool(parts)
    marks = frozenset(words) - set(forms) - {f"part{part}" for part in parts}
    unknown = {mark for mark in marks if mark not in MARKS and not mark.isdigit()}
    if cls not in CLASSES or len(forms) != 1 or unknown:
        raise ValueError(f"{{{cls}:{manner}}} is not in the grammar.")
    if forms[0] == "digits16":
        marks |= {"sixteen"}
    length = "".join(mark for mark in marks if mark.isdigit())
    if name or cls in SAME_THROUGHOUT:
        place = f"{name}{length}"
    key = f"{'card' if cls == 'last4' else cls}:{place}"
    return Placeholder(cls, ".".join(words), forms[0], parts[0] if parts else 0, marks, key)


def check_template(template: dict[str, Any], turns: list[tuple[str, list[str | Placeholder]]]) -> None:
    if template["lang"] not in ("en", "es") or not 1 <= len(turns) <= 12:
        raise ValueError("lang is en or es, and a dialog has 1 to 12 turns.")
    if any(speaker not in ("agent", "customer") for speaker, _ in turns):
        raise ValueError("a speaker is agent or customer.")


def draw_numbers(pieces: list[str | Placeholder], lang: Lang, rng: random.Random) -> Numbers:
    by_key: dict[str, list[Placeholder]] = defaultdict(list)
    for piece in pieces:
        if isinstance(piece, Placeholder):
            by_key[piece.key].append(piece)
    numbers = Numbers({}, {})
    for key, group in by_key.items():
        cls = "card" if group[0].cls == "last4" else group[0].cls
        parts = max(placeholder.part for placeholder in group)
        marks = frozenset().union(*(placeholder.marks for placeholder in group))
        if cls == "card" and parts == 4 and not marks & {"amex", "visa", "mastercard", "discover"}:
            marks |= {"sixteen"}
        numbers.values[key] = make_value(cls, lang, marks, rng)
        if parts:
            numbers.pieces[key] = cut_number(numbers.values[key].digits, parts, rng)
    return numbers


def cut_number(digits: str, parts: int, rng: random.Random) -> list[str]:
    """Return the digits in so many pieces, cut where people cut: after fours, else twos, else anywhere."""
    size = next(
        size
        for size in (4, 3, 2, 1)
        if len(digits) / size > parts - 1 and (size == 4 or len(digits) < 16 or size < 3)
    )
    blocks = [digits[at : at + size] for at in range(0, len(digits), size)]
    cuts = sorted(rng.sample(range(1, len(blocks)), parts - 1))
    if parts == 2 and len(blocks) == 4 and rng.random() < 0.6:
        cuts = [2]
    return ["".join(blocks[start:end]) for start, end in pairwise([0, *cuts, len(blocks)])]


def touches_number(pieces: list[str | Placeholder]) -> bool:
    """Return whether two numbers of a turn have no word between them."""
    between = pieces[2:-1:2]
    return any(isinstance(text, str) and not re.search(r"\w", text) for text in between)


def write_turn(
    turn: int, pieces: list[str | Placeholder], voice: Voice, numbers: Numbers, rng: random.Random
) -> tuple[str, list[Span]]:
    texts: list[str] = []
    for piece in pieces:
        if isinstance(piece, str):
            texts.append(strip_marks(piece) if voice.bare else piece)
            continue
        value = find_value(piece, numbers)
        text = write_value(piece.cls, value, piece.form, piece.marks, voice, rng)
        before = "".join(texts)
        if not voice.bare and (not before.strip() or re.search(r"(?<!\.)[.?!]\s+$|[¿¡]$", before)):
            text = begin_sentence(text)
        texts.append(text)
    shift = len(texts[0]) - len(texts[0].lstrip())
    ends = [end - shift for end in accumulate(map(len, texts))]
    spans = [
        Span(
            turn,
            ends[at - 1],
            ends[at],
            piece.cls,
            piece.manner,
            piece.key,
            find_value(piece, numbers).digits,
        )
        for at, piece in enumerate(pieces)
        if isinstance(piece, Placeholder)
    ]
    return "".join(texts).strip(), spans


def find_value(placeholder: Placeholder, numbers: Numbers) -> Value:
    value = numbers.values[placeholder.key]
    if placeholder.cls == "last4":
        return Value(value.digits[-4:])
    return Value(numbers.pieces[placeholder.key][placeholder.part - 1]) if placeholder.part else value


def check_dialog(dialog: Dialog) -> None:
    """Raise ValueError where a span does not hold exactly its number."""
    for span in dialog.spans:
        text = dialog.turns[span.turn].text[span.start : span.end]
        around = f" {dialog.turns[span.turn].text} "[span.start : span.end + 2]
        if not text or text != text.strip() or (around[0].isalnum() or around[-1].isalnum()):
            raise ValueError(f"{dialog.id}: the span {text!r} begins or ends inside a word.")
        written = re.sub(r"\D", "", text)
        if span.digits and not span.spoken and "corrected" not in span.manner and span.digits not in written:
            raise ValueError(f"{dialog.id}: the span {text!r} does not hold {span.digits}.")
        if re.search(r"[{}\[\]|]|  ", dialog.turns[span.turn].text):
            raise ValueError(f"{dialog.id}: something unexpanded in {dialog.turns[span.turn].text!r}.")


def print_counts(dialogs: list[Dialog]) -> None:
    spans = [(dialog.lang, span) for dialog in dialogs for span in dialog.spans]
    print(f"{len(dialogs)} dialogs, {sum(dialog.lang == 'es' for dialog in dialogs)} of them Spanish")
    print(f"{len(spans)} spans: {sum(lang == 'es' for lang, _ in spans)} Spanish, ", end="")
    survivors = sum(span.cls in SURVIVORS for _, span in spans)
    print(f"{sum(span.spoken for _, span in spans)} spoken, {survivors} survive")
    forms = Counter((span.cls, next(word for word in [*span.manner.split("."), "groups"] if word in MANNERS))
                    for _, span in spans)  # fmt: skip
    for cls in sorted(CLASSES):
        of_class = [(lang, span) for lang, span in spans if span.cls == cls]
        by_form = ", ".join(f"{form} {times}" for (kind, form), times in sorted(forms.items()) if kind == cls)
        spanish = sum(lang == "es" for lang, _ in of_class)
        print(f"  {cls:10} {len(of_class):5}  es {spanish:5}  {by_form}")
    marks = Counter(word for _, span in spans for word in span.manner.split(".") if word not in MANNERS)
    print("  " + ", ".join(f"{mark} {times}" for mark, times in marks.most_common()))


def main() -> None:
    parser = argparse.ArgumentParser(description="Check files of templates and print what they hold.")
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--variants", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=0, help="print so many dialogs, chosen at random")
    asked = parser.parse_args()
    for path in asked.files:
        dialogs = load_dialogs(path, variants=asked.variants, seed=asked.seed)
        for dialog in dialogs:
            check_dialog(dialog)
        print(path)
        print_counts(dialogs)
        for dialog in random.Random(asked.seed).sample(dialogs, asked.show):
            print(f"\n{dialog.id}")
            for at, turn in enumerate(dialog.turns):
                print(f"  {turn.speaker}: {turn.text}")
                for span in (span for span in dialog.spans if span.turn == at):
                    print(f"      {span.cls} {span.manner}: {turn.text[span.start : span.end]!r}")


if __name__ == "__main__":
    main()
