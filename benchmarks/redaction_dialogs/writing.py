"""How the numbers of a call are said or written down: `write_value` does it for a placeholder."""

import random
import re
from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial

from redaction_dialogs.values import CURRENCIES, MONEY, Value
from redaction_dialogs.words import (
    CORRECTIONS,
    FILLERS,
    MONTHS,
    Voice,
    begin_sentence,
    say_cardinal,
    say_digits,
    say_hundreds,
    say_ordinal,
    say_pairs,
    say_year,
    shorten_one,
    strip_marks,
)

CHUNKS = {
    1: [1], 2: [2], 3: [3], 4: [4], 5: [5], 6: [3, 3], 7: [3, 4], 8: [4, 4], 9: [3, 3, 3], 10: [3, 3, 4],
    11: [4, 4, 3], 12: [4, 4, 4], 13: [4, 4, 5], 14: [4, 4, 4, 2], 15: [4, 6, 5], 16: [4] * 4,
}  # fmt: skip
HOMOPHONES = {"one": "won", "two": "to", "four": "for", "eight": "ate"}


def write_value(
    cls: str, value: Value, manner: str, marks: Collection[str], voice: Voice, rng: random.Random
) -> str:
    """Return the value as the placeholder's manner wants it; empty strings never come back."""
    if cls in MONEY:
        text = write_money(value, manner, marks, voice, rng)
    elif cls in WRITERS:
        text = WRITERS[cls](value, manner, voice, rng)
    elif cls == "address" and not set(marks) & {"postcode", "uk", "flat"}:
        text = write_house(value, manner, voice)
    else:
        text = write_identifier(cls, value, manner, marks, voice, rng)
    return strip_marks(text).strip() if voice.bare else text


def write_identifier(
    cls: str, value: Value, manner: str, marks: Collection[str], voice: Voice, rng: random.Random
) -> str:
    if "flat" in marks and manner == "spoken":
        manner = "pairs"  # "twelve C"
    spoken = manner in ("spoken", "pairs", "hundreds")
    chunks = cut_chunks(cls, value.digits, manner, marks, voice, rng)
    written = [write_chunk(chunk, manner, voice) for chunk in chunks]
    if manner == "mixed":
        written = mix_chunks(chunks, voice, rng)
    if "corrected" in marks:
        at = rng.randrange(len(chunks))
        wrong = chunks[at][:-1] + str((int(chunks[at][-1]) + rng.randint(1, 9)) % 10)
        said = write_chunk(wrong, "spoken" if manner == "mixed" else manner, voice)
        written[at] = f"{said}{rng.choice(CORRECTIONS[voice.lang])} {written[at]}"
    if "homophones" in marks:
        written = [mishear_digits(chunk, rng) for chunk in written]
    text = join_chunks(written, manner, marks, voice, rng)
    prefix, suffix = value.prefix, value.suffix
    if spoken or manner == "spaced":
        prefix, suffix = (spell_letters(part, spoken, voice) for part in (prefix, suffix))
        return " ".join(part for part in (prefix, text, suffix) if part)
    gap = rng.choice(["", "-", " "]) if cls not in ("flight", "iban") and text[0].isdigit() else " "
    return (prefix + gap if prefix else "") + text + (suffix if text[-1].isdigit() else f" {suffix}".rstrip())


def spell_letters(letters: str, spoken: bool, voice: Voice) -> str:
    return " ".join(say_digits(sign, voice) if sign.isdigit() and spoken else sign for sign in letters)


def mishear_digits(words: str, rng: random.Random) -> str:
    """Return "four two eight" with some of the digits as words that sound alike: "for two ate"."""
    return re.sub(
        r"\b(?:one|two|four|eight)\b",
        lambda found: rng.choice([found[0], HOMOPHONES[found[0]]]),
        words,
    )


def cut_chunks(
    cls: str, digits: str, manner: str, marks: Collection[str], voice: Voice, rng: random.Random
) -> list[str]:
    if manner in ("digits", "digits16") and not {"fillers", "corrected"} & set(marks):
        return [digits]
    sizes = CHUNKS.get(len(digits)) or [4] * (len(digits) // 4) + [len(digits) % 4] * (len(digits) % 4 > 0)
    if cls == "sortcode" and len(digits) % 2 == 0:
        sizes = [2] * (len(digits) // 2)
    elif cls == "document" and len(digits) == 9:
        sizes = [3, 2, 4]
    elif cls == "phone" and voice.lang == "es" and len(digits) == 9:
        sizes = rng.choice([[3, 3, 3], [3, 2, 2, 2]])
    elif len(digits) == 15 and (manner in ("pairs", "hundreds", "mixed") or rng.random() < 0.3):
        sizes = [4, 4, 4, 3]
    elif len(digits) == 8 and cls != "card" and rng.random() < 0.3:
        sizes = [2, 3, 3]
    elif len(digits) in (3, 4) and ("fillers" in marks or (manner == "groups" and cls != "card")):
        sizes = [1, 2] if len(digits) == 3 else [2, 2]
    starts = [sum(sizes[:at]) for at in range(len(sizes))]
    return [digits[start : start + size] for start, size in zip(starts, sizes, strict=True)]


def write_chunk(chunk: str, manner: str, voice: Voice) -> str:
    if manner in ("spoken", "pairs", "hundreds"):
        return {"spoken": say_digits, "pairs": say_pairs, "hundreds": say_hundreds}[manner](chunk, voice)
    return (", " if voice.digit_gap == ", " else " ").join(chunk) if manner == "spaced" else chunk


def mix_chunks(chunks: list[str], voice: Voice, rng: random.Random) -> list[str]:
    """Return chunks some of which are digits and some words; a lone chunk changes inside."""
    voice = replace(voice, digit_gap=" ")
    if len(chunks) == 1:
        cut = rng.randint(1, max(len(chunks[0]) - 1, 1))
        halves = [chunks[0][:cut], chunks[0][cut:]]
        return [" ".join(mix_chunks(halves, voice, rng))] if halves[1] else halves[:1]
    said = rng.sample(range(len(chunks)), rng.randint(1, len(chunks) - 1))
    words = [rng.choice([say_digits, say_pairs]) for _ in chunks]
    return [words[at](chunk, voice) if at in said else chunk for at, chunk in enumerate(chunks)]


def join_chunks(
    written: list[str], manner: str, marks: Collection[str], voice: Voice, rng: random.Random
) -> str:
    gap = voice.written_gap if manner == "groups" else voice.chunk_gap
    if manner in ("digits", "digits16", "spaced", "mixed"):
        gap = {"spaced": voice.chunk_gap, "mixed": ", " if voice.chunk_gap == ". " else voice.chunk_gap}.get(
            manner, ""
        )
    text = written[0]
    filled = rng.randrange(1, len(written)) if len(written) > 1 else 0
    for at, chunk in enumerate(written[1:], 1):
        if "fillers" in marks and (at == filled or rng.random() < 0.4):
            text += rng.choice(FILLERS[voice.lang]) + " " + chunk
        else:
            text += gap + (begin_sentence(chunk) if gap == ". " else chunk)
    return text


def write_money(value: Value, manner: str, marks: Collection[str], voice: Voice, rng: random.Random) -> str:
    whole, cents = value.numbers
    named = [currency for currency in CURRENCIES if currency in marks]
    currency = named[0] if named else "dollars" if voice.lang == "en" else "euros"
    sign, unit = CURRENCIES[currency][0], CURRENCIES[currency][1 if voice.lang == "en" else 2]
    grouped = f"{whole:,}" + (f".{cents:02d}" if cents else "")
    if voice.lang == "es":
        grouped = grouped.translate(str.maketrans(",.", ".,"))
    if manner == "digits":
        plain = grouped if whole >= 1000 and rng.random() < 0.6 else re.sub(r"[.,](?=\d{3})", "", grouped)
        return f"{sign}{plain}" if voice.lang == "en" else rng.choice([f"{plain} {unit}", f"{plain} {sign}"])
    if manner == "groups":
        return f"{grouped} {unit}"
    said = say_cardinal(whole, voice.lang) if manner == "spoken" else str(whole)
    if voice.lang == "es":
        said = shorten_one(said)
        return f"{said} {unit}" + (f" con {say_cardinal(cents, 'es')}" if cents else "")
    if not cents:
        return f"{said} {unit}"
    said_cents = say_cardinal(cents, "en")
    return (
        f"{said} {unit} and {said_cents} cents"
        if rng.random() < 0.6 or cents < 10
        else f"{said} {said_cents}"
    )


def write_time(value: Value, manner: str, voice: Voice, rng: random.Random) -> str:
    hour, minute = value.numbers
    if manner in ("digits", "groups"):
        return f"{hour}{':' if manner == 'digits' else ' '}{minute:02d}"
    if voice.lang == "es":
        said = str(hour) if manner == "mixed" else "una" if hour == 1 else say_cardinal(hour, "es")
        tails = {0: " en punto", 15: " y cuarto", 30: " y media", 45: " menos cuarto"}
        if minute == 45:
            said = say_cardinal(hour % 12 + 1, "es").replace("uno", "una")
        return said + tails.get(minute, f" y {say_cardinal(minute, 'es')}")
    if manner == "mixed":
        return f"{hour}:{minute:02d} in the {rng.choice(['morning', 'afternoon'])}"
    if minute == 0:
        return f"{say_cardinal(hour, 'en')} o'clock"
    return f"{say_cardinal(hour, 'en')} {'oh five' if minute == 5 else say_cardinal(minute, 'en')}"


def write_date(
    value: Value, manner: str, voice: Voice, rng: random.Random, *, with_year: bool | None = None
) -> str:
    month, day, year = value.numbers
    full = rng.random() < 0.4 if with_year is None else with_year
    first, second = (month, day) if voice.lang == "en" else (day, month)
    if manner in ("digits", "groups"):
        gap = "/" if manner == "digits" else " "
        return f"{first:02d}{gap}{second:02d}" + (f"{gap}{year}" if full or manner == "groups" else "")
    name = MONTHS[voice.lang][month]
    if voice.lang == "es":
        said = f"{say_cardinal(day, 'es') if manner == 'spoken' else day} de {name}"
        return said + (f" de {say_year(year, 'es') if manner == 'spoken' else year}" if full else "")
    said = f"{name} {say_ordinal(day)}" if rng.random() < 0.6 else f"the {say_ordinal(day)} of {name}"
    if manner == "spoken":
        return said + (f" {say_year(year, 'en')}" if full else "")
    return f"{name} {day}" + (f", {year}" if full else "")


def write_expiry(value: Value, manner: str, voice: Voice, rng: random.Random) -> str:
    month, _, year = value.numbers
    if manner in ("digits", "groups"):
        return f"{month:02d}{'/' if manner == 'digits' else ' '}{year % 100}"
    if manner == "mixed":
        return f"{MONTHS[voice.lang][month]} {'de ' if voice.lang == 'es' else ''}{year}"
    if rng.random() < 0.5:
        return (
            f"{MONTHS[voice.lang][month]} {'de ' if voice.lang == 'es' else ''}{say_year(year, voice.lang)}"
        )
    said = say_pairs(f"{month:02d}", voice) if rng.random() < 0.5 else say_cardinal(month, voice.lang)
    return f"{said} {say_cardinal(year % 100, voice.lang)}"


def write_year(value: Value, manner: str, voice: Voice, _: random.Random) -> str:
    year = value.numbers[2]
    if manner == "groups":
        return f"{year // 100} {year % 100:02d}"
    if manner == "mixed" and voice.lang == "en":
        return f"{year // 100} {say_cardinal(year % 100, 'en')}" if year % 100 > 9 else str(year)
    return say_year(year, voice.lang) if manner == "spoken" else str(year)


def write_quantity(value: Value, manner: str, voice: Voice, _: random.Random) -> str:
    (count,) = value.numbers
    if manner == "spoken":
        return say_cardinal(count, voice.lang)
    if manner == "mixed" and count >= 2000:
        return f"{count // 1000} {'thousand' if voice.lang == 'en' else 'mil'}"
    grouped = f"{count:,}" if voice.lang == "en" else f"{count:,}".replace(",", ".")
    return grouped if manner == "groups" else str(count)


def write_house(value: Value, manner: str, voice: Voice) -> str:
    """Return a house number: "forty-two eighteen" in English, "ciento doce" in Spanish."""
    if manner in ("digits", "mixed"):
        return value.digits
    if manner in ("groups", "spaced"):
        return " ".join(value.digits)
    if voice.lang == "es":
        return say_cardinal(int(value.digits), "es")
    head, tail = value.digits[:-2], value.digits[-2:]
    return (
        f"{say_cardinal(int(head), 'en')} {say_pairs(tail, voice)}" if head else say_cardinal(int(tail), "en")
    )


WRITERS: dict[str, Callable[[Value, str, Voice, random.Random], str]] = {
    "time": write_time,
    "date": write_date,
    "birth": partial(write_date, with_year=True),
    "expiry": write_expiry,
    "year": write_year,
    "quantity": write_quantity,
}
