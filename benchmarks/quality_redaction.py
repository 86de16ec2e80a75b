"""How well does Callscope redact: is every card number and code gone, and nothing else?

Reads the dialogs of labeled/redaction, which others than the authors of the rules
wrote; the rules may be changed with a look at `seen`, never at `unseen`. The dialogs of
`development` were written for work on the rules, which fit them: they measure nothing. `held_out` is the half
of seen_thirteenth's set by which nothing was changed; the author of the rules wrote it, unlike `unseen`.
`seen_fifteenth` and `held_out_second` are halves of what three others wrote who knew nothing of the rules.
A secret is found when no number of it is left. Precision counts the secrets that were touched
among all numbers that were touched. Intervals are Wilson's, 95 %, over numbers; the
numbers of one template are alike, so the count of templates stands next to them.

The goal for codes is meant for those that are *asked for or named*. A code is asked for where one
of the two turns before the one in which it is first said has a word for a secret (SECRET_WORDS,
"on the back" among them, but no PUBLIC_CODES such as "zip code"), named where the turn of the number
itself has one, "named far" where only another turn of the dialog has one, else not named. Parts,
corrections and read-backs of a code count as what the first of its numbers is. The words are those
of dictionaries, so a question such as "What do you tap in at the gate?" is none by this count.

Also: the older corpus redaction_dialogs/corpus.txt, and how many of the real transcripts of
../shared/data are changed at all. `--show seen` prints the mistakes on seen dialogs.
"""

import argparse
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import redaction_dialogs.data as redaction_data
from agreement import share
from redaction_dialogs.data import Dialog, Span

from callscope.engines.embeddings.built_in import BuiltInEmbedder
from callscope.transcription import subtitles
from callscope.transcription.redaction import redaction
from callscope.transcription.redaction.placeholders import PLACEHOLDERS
from callscope.transcription.redaction.vocabulary.spoken_numbers import tokenize_numbers
from callscope.transcription.schema import Segment

HERE = Path(__file__).parent
LABELED = HERE / "labeled" / "redaction"
DATA = HERE.parent.parent / "shared" / "data"
CORPUS = HERE / "redaction_dialogs" / "corpus.txt"
KINDS = ["cards", "security_codes"]
KIND_OF = {"card": "cards", "code": "security_codes"}
VARIANTS, SEED = 4, 1
GOAL_RECALL, GOAL_PRECISION = 1.0, 0.97
SHOWN = (
    "development",
    "seen",
    "seen_second",
    "seen_third",
    "seen_fourth",
    "seen_fifth",
    "seen_sixth",
    "seen_seventh",
    "seen_eighth",
    "seen_ninth",
    "seen_tenth",
    "seen_eleventh",
    "seen_twelfth",
    "seen_thirteenth",
    "seen_fourteenth",
    "seen_fifteenth",
)
# Of which totals alone are printed: halves of two sets, and what no author of the rules reads.
HIDDEN = ("held_out", "held_out_second", "unseen")
NOT_FITTED = (
    "seen_eleventh",
    "seen_twelfth",
    "seen_thirteenth",
    "seen_fourteenth",
    "seen_fifteenth",
)  # which tell how the weights do on dialogs that they do not know
ENCODER = BuiltInEmbedder()
SPEAKERS = {"A": "agent", "C": "customer", "U": None}
PLAIN_CARD = re.compile(r"(?:\d[ -]?){13,19}")
WRITTEN, SAID = ("digits", "digits16", "groups", "spaced"), ("spoken", "pairs", "hundreds")
NO_NUMBER = re.compile(r"\b(?:un|one) (?:moment|momento|second|segundo)\b", re.IGNORECASE)
MANNERS = (
    "all",
    "en",
    "es",
    "written",
    "said",
    "mixed",
    "in parts",
    "read back",
    "corrected",
    "misheard",
    "short",
    "1 to 3",
    "4 digits",
    "5 to 8",
    "asked for",
    "named",
    "asked or named",
    "named far",
    "not named",
)
CVV_DIGITS, PIN_DIGITS = 3, 4
NEAR_TURNS = 2  # before the number, in which a word for a secret asks for it
# Words for what is secret, from dictionaries, neither from the dialogs nor from the lists of the rules.
# Where a dialog says none its code is asked for by no name: only the situation tells that it is one.
SECRET_WORDS = re.compile(
    r"""\b(?:
    pins?|p\.i\.n\.|puks?|otps?|tans?|tokens?|cvv2?|cvc2?|cvn|csc|cid|(?:pass|key|door|gate|access)codes?|codes?|passwords?
    |passphrases?|passkeys?|combinations?|secret|security\ (?:number|digits?|word|figures?|answer)
    |memorable|verification|one-time
    |c[oó]digos?|claves?|contrase[ñn]as?|combinaci[oó]n(?:es)?|secret[oa]s?|verificaci[oó]n|de\ seguridad
    )\b
    |\b(?:(?:on|at|from|off)\ (?:the|its)\ (?:very\ )?back|back\ of|reverse|signature|strip
    |reverso|dorso|detr[aá]s|atr[aá]s|firma)\b""",
    re.IGNORECASE | re.VERBOSE,
)
# Codes that are no secret.
PUBLIC_CODES = re.compile(
    r"\b(?:zip|post|postal|area|country|error|fault|promo|discount|product|status|sort|bar|qr)[- ]?codes?\b"
    r"|\bc[oó]digos?\ (?:postal(?:es)?|de\ (?:área|país|error|producto|descuento|barras))\b",
    re.IGNORECASE,
)
SECONDS_A_TURN = 4.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--show", choices=SHOWN, help="print the mistakes on the dialogs of this file")
    parser.add_argument("--labeled", type=Path, default=LABELED, help="the folder of the dialogs")
    asked = parser.parse_args()
    sets = {
        name: [judge(dialog) for dialog in redaction_data.load_dialogs(path, variants=VARIANTS, seed=SEED)]
        for name in (*SHOWN, *HIDDEN)
        if (path := asked.labeled / f"{name}.yaml").is_file()
    }
    if sets:
        print_goals(sets)
        print_recall(sets)
        print_precision(sets)
        print_survivors(sets)
    print_corpus()
    print_real_calls()
    for mistake in describe_mistakes(sets.get(asked.show, [])):
        print(mistake)
    return 0


# Judging a dialog.


@dataclass(frozen=True, slots=True)
class Judged:
    """A dialog with what became of each labeled number, and what else was replaced."""

    dialog: Dialog
    masks: dict[int, bytearray]
    hidden: dict[Span, bool]  # of secrets: no number of it is left
    touched: dict[Span, str]  # span → the kind as which it was replaced, at least in part
    unlabeled: list[
        tuple[int, int, int, str]
    ]  # turn, start, end, kind: replaced, and no number of the labels
    is_stable: bool  # redacted again, it stays as it is

    @property
    def template(self) -> str:
        return self.dialog.id.rpartition("/")[0]


def judge(dialog: Dialog) -> Judged:
    """Redact the dialog and compare with its labels."""
    segments: list[Segment] = [
        {
            "start": SECONDS_A_TURN * place,
            "end": SECONDS_A_TURN * place + 3.0,
            "speaker": turn.speaker,
            "text": turn.text,
            "confidence": None,
        }
        for place, turn in enumerate(dialog.turns)
    ]
    masks = redaction.mask_identifiers(segments, KINDS, encoder=ENCODER).by_segment
    redacted = redaction.redact_segments(segments, KINDS, encoder=ENCODER).segments
    is_stable = not redaction.mask_identifiers(redacted, KINDS, encoder=ENCODER).by_segment
    hidden, touched = {}, {}
    for span in dialog.spans:
        mask = masks.get(span.turn, bytearray(len(segments[span.turn]["text"])))
        inside = mask[span.start : span.end]
        if any(inside):
            touched[span] = KINDS[max(inside) - 1]
        if span.cls in redaction_data.REPLACED:
            hidden[span] = not numbers_left(segments[span.turn]["text"][span.start : span.end], inside)
    unlabeled: list[tuple[int, int, int, str]] = []
    for turn, mask in masks.items():
        spans = [span for span in dialog.spans if span.turn == turn]
        unlabeled += [
            (turn, *stretch.span(), KINDS[max(stretch[0]) - 1])
            for stretch in re.finditer(rb"[^\x00]+", mask)
            if not any(span.start < stretch.end() and stretch.start() < span.end for span in spans)
        ]
    return Judged(dialog, masks, hidden, touched, unlabeled, is_stable)


def numbers_left(text: str, mask: bytes) -> bool:
    """Tell whether a word of the text that is not masked is, or belongs to, a number."""
    left = "".join(letter if not covered else "|" for letter, covered in zip(text, mask, strict=True))
    left = NO_NUMBER.sub("", left)
    return any(character.isdecimal() for character in left) or any(t.digits for t in tokenize_numbers(left))


# Printing.


def print_goals(sets: dict[str, list[Judged]]) -> None:
    """Print what has a goal, set by set: the details follow."""
    print("== What has a goal")
    for label, dialogs in sets.items():
        print(f"{label}:")
        for what, cls, manner, goal in (
            ("cards", "card", "all", f"(goal {GOAL_RECALL:.2f})"),
            ("codes asked for or named", "code", "asked or named", f"(goal {GOAL_RECALL:.2f})"),
            ("all codes", "code", "all", ""),
        ):
            print(f"  recall of {what:25} {rate_recall(dialogs, cls, manner)} {goal}")
        right = [hit for judged in dialogs for hit in replacements(judged, KINDS)]
        print(f"  {'precision':35} {share(right)} (goal {GOAL_PRECISION:.2f})")


def rate_recall(dialogs: Iterable[Judged], cls: str, manner: str) -> str:
    """Return the share of the secrets of a class and a manner of which no number is left."""
    chosen = [
        (judged.template, is_hidden)
        for judged in dialogs
        for span, is_hidden in judged.hidden.items()
        if span.cls == cls and manner in manners_of(judged, span)
    ]
    return share([hit for _, hit in chosen], len({template for template, _ in chosen}))


def print_recall(sets: dict[str, list[Judged]]) -> None:
    print(f"== Recall: secrets of which no number is left (goal {GOAL_RECALL:.2f})")
    for cls in ("card", "code"):
        for name in MANNERS:
            cells = [f"{label} {rate_recall(dialogs, cls, name)}" for label, dialogs in sets.items()]
            print(f"{cls:5} {name:14} {'   '.join(cells)}")


def manners_of(judged: Judged, span: Span) -> set[str]:
    words = set(span.manner.split("."))
    first = next(other for other in judged.dialog.spans if other.number == span.number)
    is_part = any(word.startswith("part") for word in words)
    found = {"all", judged.dialog.lang}
    found |= {mark for mark in ("corrected", "misheard", "short", "mixed") if mark in words}
    if span.cls == "code":
        length = len(first.digits)
        found.add("1 to 3" if length <= CVV_DIGITS else "4 digits" if length == PIN_DIGITS else "5 to 8")
        found |= how_named(judged.dialog, first)
    if words & set(SAID):
        found.add("said")
    elif words & set(WRITTEN) or is_part:
        found.add("written")
    if is_part:
        found.add("in parts")
    if first.turn != span.turn and not is_part:
        found.add("read back")
    return found


def how_named(dialog: Dialog, span: Span) -> set[str]:
    """Return the manners of MANNERS in which a code is asked for or named."""
    names_one = [bool(SECRET_WORDS.search(PUBLIC_CODES.sub(" ", turn.text))) for turn in dialog.turns]
    found = {"asked for"} if any(names_one[max(0, span.turn - NEAR_TURNS) : span.turn]) else set()
    if names_one[span.turn]:
        found.add("named")
    if found:
        return {*found, "asked or named"}
    return {"named far"} if any(names_one) else {"not named"}


def print_precision(sets: dict[str, list[Judged]]) -> None:
    print(f"== Precision: secrets among all numbers that were replaced (goal {GOAL_PRECISION:.2f})")
    for cls in ("card", "code", "both"):
        kinds = KINDS if cls == "both" else [KIND_OF[cls]]
        for lang in ("all", "en", "es"):
            cells = []
            for label, judged_dialogs in sets.items():
                chosen = [judged for judged in judged_dialogs if lang in ("all", judged.dialog.lang)]
                right = [hit for judged in chosen for hit in replacements(judged, kinds)]
                cells.append(f"{label} {share(right, len({judged.template for judged in chosen}))}")
            print(f"{cls:5} {lang:10} {'   '.join(cells)}")


def replacements(judged: Judged, kinds: list[str]) -> Iterator[bool]:
    """Yield for each number that was replaced as one of the kinds whether it is a secret."""
    for span, kind in judged.touched.items():
        if kind in kinds and span.cls not in redaction_data.OPEN:
            yield span.cls in redaction_data.REPLACED
    yield from (False for *_, kind in judged.unlabeled if kind in kinds)


def print_survivors(sets: dict[str, list[Judged]]) -> None:
    print("== Numbers that must survive: share replaced")
    for cls in sorted({*redaction_data.SURVIVORS, "last4"}):
        cells = []
        for label, judged_dialogs in sets.items():
            hits = [
                span in judged.touched
                for judged in judged_dialogs
                for span in judged.dialog.spans
                if span.cls == cls
            ]
            cells.append(f"{label} {share(hits)}")
        print(f"{cls:10} {'   '.join(cells)}")
    for label, judged_dialogs in sets.items():
        count = sum(len(judged.unlabeled) for judged in judged_dialogs)
        print(f"other words replaced: {label} {count} in {len(judged_dialogs)} dialogs")
        changed = sum(not judged.is_stable for judged in judged_dialogs)
        print(f"changed by a second redaction: {label} {changed} of {len(judged_dialogs)} dialogs (goal 0)")


def describe_mistakes(judged_dialogs: Iterable[Judged]) -> Iterator[str]:
    """Yield each mistake with its dialog."""
    for judged in judged_dialogs:
        wrong = [
            f"KEPT {span.cls} {span.manner}" for span, is_hidden in judged.hidden.items() if not is_hidden
        ]
        safe = redaction_data.REPLACED | redaction_data.OPEN
        wrong += [
            f"TAKEN {span.cls} as {kind}" for span, kind in judged.touched.items() if span.cls not in safe
        ]
        wrong += [
            f"TAKEN other {judged.dialog.turns[turn].text[start:end]}"
            for turn, start, end, _ in judged.unlabeled
        ]
        if wrong:
            lines = [f"## {judged.dialog.id}: {'; '.join(wrong)}"]
            for place, turn in enumerate(judged.dialog.turns):
                mask = judged.masks.get(place, bytearray(len(turn.text)))
                marked = "".join(
                    ("⟦" if on and not before else "⟧" if before and not on else "") + letter
                    for letter, on, before in zip(turn.text, mask, [0, *mask], strict=False)
                )
                lines.append(f"   {turn.speaker}: {marked}")
            yield "\n".join(lines)


# The older corpus.


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the corpus: its kind, the conversation, and where the secrets stand in it."""

    kind: str
    segments: list[dict[str, Any]]
    secrets: list[tuple[int, int, int]]  # segment, start, end


def corpus() -> Iterator[Line]:
    """Read lines such as `cards<TAB>A: Your card? | C: It is ⟦4532…⟧.`; U is a speaker not known."""
    for text in CORPUS.read_text(encoding="utf-8").splitlines():
        kind, conversation = text.split("\t")
        segments, secrets = [], []
        for number, turn in enumerate(conversation.split(" | ")):
            who, marked = turn.split(": ", 1)
            plain = ""
            for part in re.split("([⟦⟧])", marked):
                if part == "⟦":
                    begin = len(plain)
                elif part == "⟧":
                    secrets.append((number, begin, len(plain)))
                else:
                    plain += part
            times = {"start": 3.0 * number, "end": 3.0 * number + 2}
            segments.append({**times, "speaker": SPEAKERS[who], "text": plain, "confidence": None})
        yield Line(kind, segments, secrets)


def is_hidden(line: Line) -> bool:
    """Tell whether no number of any secret is left."""
    masks = redaction.mask_identifiers(line.segments, KINDS, encoder=ENCODER).by_segment
    return not any(
        numbers_left(text[start:end], masks.get(segment, bytes(len(text)))[start:end])
        for segment, start, end in line.secrets
        if (text := line.segments[segment]["text"])
    )


def is_hidden_by_a_plain_pattern(line: Line) -> bool:
    """What a search for written card numbers would hide."""
    return all(
        (match := PLAIN_CARD.search(line.segments[segment]["text"], start)) is not None and match.end() >= end
        for segment, start, end in line.secrets
    )


def print_corpus() -> None:
    lines = list(corpus())
    print(f"== Older corpus, {len(lines)} lines in English and Spanish (goal {GOAL_RECALL:.2f})")
    for kind in KINDS:
        chosen = [line for line in lines if line.kind == kind]
        floor = sum(map(is_hidden_by_a_plain_pattern, chosen))
        print(
            f"{kind:16} recall {share([is_hidden(line) for line in chosen])}"
            f"   (pattern for written card numbers: {floor / len(chosen):.3f})"
        )
    harmless = [line for line in lines if line.kind == "none"]
    touched = sum(
        bool(redaction.mask_identifiers(line.segments, KINDS, encoder=ENCODER).counts) for line in harmless
    )
    print(f"{'harmless lines':16} touched {touched} of {len(harmless)}")


# Real transcripts.


def print_real_calls() -> None:
    changed: dict[str, Counter[str]] = defaultdict(Counter)
    for path in sorted(DATA.glob("*/transcripts/*")):
        try:
            cues = subtitles.parse_subtitles(path.read_bytes())
        except subtitles.UnreadableSubtitles:
            continue
        segments: list[Segment] = [
            {"start": c.start_s, "end": c.end_s, "speaker": c.speaker, "text": c.text, "confidence": None}
            for c in cues
        ]
        counts = redaction.mask_identifiers(segments, KINDS, encoder=ENCODER).counts
        changed[path.parts[-3]].update({"calls": 1, "changed": int(bool(counts)), **counts})
    for name, counted in changed.items():
        replaced = ", ".join(f"{counted[kind]} {PLACEHOLDERS[kind]}" for kind in KINDS)
        print(f"== Real calls of {name}: {counted['changed']} of {counted['calls']} changed: {replaced}")


if __name__ == "__main__":
    sys.exit(main())
