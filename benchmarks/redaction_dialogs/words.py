"""Numbers as people say them and as speech recognizers write them, in English and Spanish.

A number is spoken chunk by chunk ("4532" "1187" ...). How one speaker does it is a `Voice`: "oh" or
"zero", "double four" or "four four", commas or none.
"""

import random
import re
from dataclasses import dataclass
from typing import Literal

Lang = Literal["en", "es"]


def split_words(words: str) -> list[str]:
    return words.split()


EN_SMALL = split_words(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
)
EN_TENS = split_words("- - twenty thirty forty fifty sixty seventy eighty ninety")
ES_SMALL = split_words(
    "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis "
    "diecisiete dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco "
    "veintiséis veintisiete veintiocho veintinueve"
)
ES_TENS = split_words("- - - treinta cuarenta cincuenta sesenta setenta ochenta noventa")
ES_HUNDREDS = split_words(
    "- ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos"
)
EN_ORDINALS = split_words(
    "- first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
    "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
)
MONTHS: dict[Lang, list[str]] = {
    "en": split_words(
        "- January February March April May June July August September October November December"
    ),
    "es": split_words(
        "- enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"
    ),
}
FILLERS: dict[Lang, list[str]] = {
    "en": [", uh,", ", um,", ", er,", " then", ", then", ", and then", ", and", " dash", " dash", " space"],
    "es": [", eh,", ", este...", " luego", ", y luego", ", y después", ", y", " guion", " guion", " espacio"],
}
FILLERS["en"] += [", let's see,", ", hold on,", ", yeah,", ", okay,"]
FILLERS["es"] += [", a ver,", ", un momento,", ", sí,", ", vale,", ", pues"]
CORRECTIONS: dict[Lang, list[str]] = {
    "en": [
        ", no, sorry,",
        ", sorry,",
        ", no wait,",
        "... I mean",
        ", scratch that,",
        ", make that",
        " - no -",
    ],
    "es": [
        ", no, perdón,",
        ", perdón,",
        ", digo,",
        ", no, espere,",
        ", ay, no,",
        "... corrijo,",
        ", mejor dicho,",
    ],
}


@dataclass(frozen=True)
class Voice:
    """How one speaker of one dialog says numbers, and how the recognizer wrote that speaker down."""

    lang: Lang
    zero: str
    doubles: bool
    digit_gap: str
    chunk_gap: str
    written_gap: str  # between chunks of written digits: "4532-1187"
    bare: bool  # a recognizer without capitals and punctuation


def draw_voice(lang: Lang, rng: random.Random, *, bare: bool) -> Voice:
    return Voice(
        lang,
        zero=rng.choice(["oh", "oh", "zero"]) if lang == "en" else "cero",
        doubles=rng.random() < 0.6,
        digit_gap=rng.choices([" ", ", ", "-"], [8, 2, 1])[0],
        chunk_gap=rng.choices([" ", ", ", "... ", ". ", " - "], [6, 8, 1, 2, 1])[0],
        written_gap=rng.choices([" ", "-", ", ", ". ", " - "], [9, 4, 3, 1, 1])[0],
        bare=bare,
    )


def say_cardinal(number: int, lang: Lang) -> str:
    """Return 0 to 999,999 in words: "four thousand five hundred thirty-two"."""
    return _say_english(number) if lang == "en" else _say_spanish(number)


def _say_english(number: int) -> str:
    if number < 20:
        return EN_SMALL[number]
    for size, name in ((1000, "thousand"), (100, "hundred")):
        if number >= size:
            head, rest = divmod(number, size)
            return f"{_say_english(head)} {name}" + (f" {_say_english(rest)}" if rest else "")
    tens, ones = divmod(number, 10)
    return EN_TENS[tens] + (f"-{EN_SMALL[ones]}" if ones else "")


def _say_spanish(number: int) -> str:
    if number < 30:
        return ES_SMALL[number]
    if number >= 1000:
        head, rest = divmod(number, 1000)
        thousands = "mil" if head == 1 else f"{shorten_one(_say_spanish(head))} mil"
        return thousands + (f" {_say_spanish(rest)}" if rest else "")
    if number >= 100:
        head, rest = divmod(number, 100)
        if number == 100:
            return "cien"
        return ES_HUNDREDS[head] + (f" {_say_spanish(rest)}" if rest else "")
    tens, ones = divmod(number, 10)
    return ES_TENS[tens] + (f" y {ES_SMALL[ones]}" if ones else "")


def shorten_one(words: str) -> str:
    """Return Spanish words as they stand before a noun: "treinta y un", "veintiún"."""
    return re.sub(r"uno$", "un", re.sub(r"veintiuno$", "veintiún", words))


def say_ordinal(day: int) -> str:
    if day <= 20:
        return EN_ORDINALS[day]
    return "thirtieth" if day == 30 else f"{'twenty' if day < 30 else 'thirty'}-{EN_ORDINALS[day % 10]}"


def say_year(year: int, lang: Lang) -> str:
    if lang == "es" or 2000 <= year < 2010:
        return say_cardinal(year, lang)
    head, rest = divmod(year, 100)
    return f"{say_cardinal(head, 'en')} {f'oh {EN_SMALL[rest]}' if rest < 10 else say_cardinal(rest, 'en')}"


def say_digits(digits: str, voice: Voice) -> str:
    """Return the digits one by one, repeated ones as "double four" where the speaker does that."""
    names = ES_SMALL if voice.lang == "es" else EN_SMALL
    words: list[str] = []
    for run in re.finditer(r"(\d)\1{0,2}", digits):
        name = voice.zero if run[1] == "0" else names[int(run[1])]
        if len(run[0]) == 1 or not voice.doubles:
            words += [name] * len(run[0])
        else:
            times = {"en": ["double", "triple"], "es": ["doble", "triple"]}[voice.lang][len(run[0]) - 2]
            words.append(f"{times} {name}")
    return voice.digit_gap.join(words)


def say_pairs(digits: str, voice: Voice) -> str:
    """Return the digits two by two: "forty-five thirty-two", "cuarenta y cinco treinta y dos"."""
    words = []
    for pair in re.findall(r"\d\d?", digits):
        if len(pair) == 2 and pair[0] != "0":
            words.append(say_cardinal(int(pair), voice.lang))
        else:
            words.append(say_digits(pair, voice).replace(voice.digit_gap, " "))
    return " ".join(words)


def say_hundreds(digits: str, voice: Voice) -> str:
    """Return a chunk of 3 or 4 digits as one number: "sixty-one hundred", "cuatro mil quinientos dos"."""
    zeros = len(digits) - len(digits.lstrip("0"))
    if zeros or len(digits) < 3:
        rest = digits[zeros:]
        head = say_digits(digits[:zeros], voice).replace(voice.digit_gap, " ")
        return f"{head} {say_cardinal(int(rest), voice.lang) if rest else ''}".strip()
    if voice.lang == "en" and len(digits) == 4 and digits.endswith("00") and digits[1] != "0":
        return f"{say_cardinal(int(digits[:2]), 'en')} hundred"
    if len(digits) > 4:
        return " ".join(say_hundreds(chunk, voice) for chunk in re.findall(r"\d{1,3}", digits))
    return say_cardinal(int(digits), voice.lang)


def begin_sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def strip_marks(text: str) -> str:
    """Return the text as a recognizer without capitals and punctuation writes it; "84.50" keeps its dot."""
    text = re.sub(r"[¿¡\"—]|(?<=\s)-(?=\s)|[,.;:!?…]+(?=\s|$)", " ", text.lower())
    text = re.sub(r"(?<=[^\W\d])-(?=[^\W\d])", " ", text)
    return re.sub(r"\s+", " ", text)
