"""Card numbers, codes and all the other numbers of a call: `make_value` draws what is to be said."""

import random
import re
import string
from collections.abc import Collection
from dataclasses import dataclass

from redaction_dialogs.words import Lang

BRANDS: dict[str, tuple[int, list[str]]] = {
    "visa": (16, ["4"]),
    "mastercard": (16, ["51", "52", "53", "54", "55", "2221", "2345", "2460", "2588", "2699", "2720"]),
    "amex": (15, ["34", "37"]),
    "discover": (16, ["6011", "644", "646", "649", "65"]),
    "unionpay": (19, ["62"]),
}
BRAND_WEIGHTS = [48, 32, 11, 9, 0]  # 0: only where a template names it
CARRIERS = {
    "en": ["UA", "DL", "AA", "BA", "B6", "AC", "WN"],
    "es": ["IB", "VY", "UX", "AV", "LA", "AM", "FR"],
}
PREFIXES = {
    "reference": ["REF", "BK", "CS", "R", "TX", "INC", "K"],
    "policy": ["POL", "HO", "AU", "P", "GL"],
    "order": ["W", "SO", "A"],
    "customer": ["C", "KD"],
}
LENGTHS: dict[str, list[int]] = {
    "code": [3], "account": [8, 9, 10], "order": [6, 7, 8, 9], "reference": [6, 7, 8],
    "customer": [6, 7, 8, 9], "phone": [10], "iban": [20], "tracking": [12, 12, 10, 22], "meter": [5, 5, 6],
    "policy": [7, 8, 9], "extension": [3, 4], "flight": [3, 4], "sortcode": [6],
    "document": [8], "either": [4], "last4": [4],
}  # fmt: skip
CURRENCIES = {
    "dollars": ("$", "dollars", "dólares"),
    "pounds": ("£", "pounds", "libras"),
    "euros": ("€", "euros", "euros"),
}
SIZES = {"small": (2, 6), "hundreds": (110, 980), "thousands": (1100, 9900), "large": (11_000, 98_000)}
MONEY = {"amount": (6, 480), "balance": (35, 9600)}
IDENTIFIERS = frozenset(LENGTHS) | {"card"}


@dataclass(frozen=True)
class Value:
    """What is said: an identifier as digits between letters, or the numbers of an amount, date or time."""

    digits: str = ""
    prefix: str = ""
    suffix: str = ""
    numbers: tuple[int, ...] = ()


def passes_luhn(digits: str) -> bool:
    total = 0
    for place, digit in enumerate(reversed(digits)):
        number = int(digit) * (1 + place % 2)
        total += number - 9 if number > 9 else number
    return total % 10 == 0


def make_value(cls: str, lang: Lang, marks: Collection[str], rng: random.Random) -> Value:
    """Draw a value of the class; marks such as "amex", "thousands" or "12" (digits) narrow it."""
    if cls == "card":
        return Value(make_card(marks, rng))
    if cls in IDENTIFIERS:
        return make_identifier(cls, lang, marks, rng)
    sizes = [SIZES[mark] for mark in marks if mark in SIZES]
    if cls in MONEY:
        low, high = sizes[0] if sizes else MONEY[cls]
        cents = rng.choice([0, 0, 50, 99, 25, rng.randint(1, 98)])
        return Value(numbers=(rng.randint(low, high), cents))
    if cls == "quantity":
        return Value(numbers=(rng.randint(*(sizes[0] if sizes else (2, 64))),))
    if cls == "address":
        return make_address(lang, marks, rng)
    if cls == "time":
        hours = (1, 12) if lang == "en" else (2, 11)  # the hour after "a las"
        return Value(numbers=(rng.randint(*hours), rng.choice([0, 5, 10, 15, 20, 30, 30, 40, 45, 50])))
    years = {"date": (2024, 2027), "expiry": (2026, 2032), "birth": (1938, 2006), "year": (1952, 2025)}[cls]
    return Value(numbers=(rng.randint(1, 12), rng.randint(1, 28), rng.randint(*years)))


def make_card(marks: Collection[str], rng: random.Random) -> str:
    """Return a number with a real issuer prefix and length that passes Luhn unless it is marked misheard."""
    named = [brand for brand in BRANDS if brand in marks]
    brands = named or [brand for brand in BRANDS if "sixteen" not in marks or BRANDS[brand][0] == 16]
    weights = [weight for brand, weight in zip(BRANDS, BRAND_WEIGHTS, strict=True) if brand in brands]
    length, prefixes = BRANDS[rng.choices(brands, weights if any(weights) else None)[0]]
    while True:
        start = rng.choice(prefixes)
        body = start + "".join(rng.choices(string.digits, k=length - len(start) - 1))
        card = next(body + check for check in string.digits if passes_luhn(body + check))
        chunks = [card[at : at + 4] for at in range(0, length, 4)]
        if "doubles" in marks and not any(re.search(r"(\d)\1", chunk) for chunk in chunks[1:]):
            continue
        if "oh" in marks and "0" not in card:
            continue
        break
    if "misheard" in marks:
        at = rng.randrange(5, length)
        card = card[:at] + str((int(card[at]) + rng.randint(1, 9)) % 10) + card[at + 1 :]
    return card[:-1] if "short" in marks else card


def make_identifier(cls: str, lang: Lang, marks: Collection[str], rng: random.Random) -> Value:
    asked = [int(mark) for mark in marks if mark.isdigit()]
    length = asked[0] if asked else 16 if "luhn16" in marks else rng.choice(LENGTHS[cls])
    while True:
        digits = rng.choice("123456789" if cls != "code" else string.digits)
        digits += "".join(rng.choices(string.digits, k=length - 1))
        if cls == "tracking" and length == 22:
            digits = "94" + digits[2:]
        if "luhn16" in marks:
            digits = make_card(["sixteen"], rng)
        elif length >= 13 and (passes_luhn(digits) or passes_luhn(digits[:14])):  # 14: of a British IBAN
            continue
        if "doubles" in marks and not re.search(r"(\d)\1", digits[-4:]):
            continue
        break
    if asked:
        return Value(digits)
    return dress_identifier(cls, lang, marks, Value(digits), rng)


def dress_identifier(cls: str, lang: Lang, marks: Collection[str], value: Value, rng: random.Random) -> Value:
    """Return the value with the letters and leading digits that its kind has in that country."""
    digits = value.digits
    if cls == "phone":
        start = rng.choice(
            ["415555", "212555", "650555", "303555"] if lang == "en" else ["6", "7", "91", "93"]
        )
        return Value(start + digits[: (10 if lang == "en" else 9) - len(start)])
    if cls == "iban":
        return make_iban(lang, digits, rng)
    if cls == "flight":
        return Value(digits, prefix=rng.choice(CARRIERS[lang]))
    if cls == "document" and "ssn" in marks:
        return Value("9" + digits)
    if cls == "document":
        letter = "TRWAGMYFPDXBNJZSQVHLCKE"[int(digits) % 23]
        return Value(digits, suffix=letter) if lang == "es" else Value(digits[:7], prefix=rng.choice("BDKM"))
    if cls == "tracking" and len(digits) == 10:
        return Value(digits[:9], prefix=rng.choice(["RR", "LX", "CP"]), suffix="US" if lang == "en" else "ES")
    if "letters" in marks or ("luhn16" not in marks and cls in PREFIXES and rng.random() < 0.25):
        return Value(digits, prefix=rng.choice(PREFIXES.get(cls, ["A", "N"])))
    return value


def make_iban(lang: Lang, digits: str, rng: random.Random) -> Value:
    """Return an IBAN whose check digits are right: GB with a bank's letters in it, or ES."""
    country, bank = ("GB", rng.choice(["NWBK", "BARC", "LOYD"])) if lang == "en" else ("ES", "")
    body = digits[:14] if lang == "en" else digits
    spelled = "".join(str(int(sign, 36)) for sign in bank + body + country + "00")
    return Value(body, prefix=f"{country}{98 - int(spelled) % 97:02d}{bank}")


def make_address(lang: Lang, marks: Collection[str], rng: random.Random) -> Value:
    if "flat" in marks:
        return Value(str(rng.randint(1, 12)), suffix=rng.choice("ABCD"))
    if "uk" in marks:
        return Value(
            str(rng.randint(1, 9)),
            prefix=f"{rng.choice(['LS', 'SE', 'BN'])}{rng.randint(1, 19)}",
            suffix="HB",
        )
    if "postcode" in marks:
        return Value(
            f"{rng.randint(1, 52) if lang == 'es' else rng.randint(10, 99):02d}{rng.randint(0, 999):03d}"
        )
    return Value(
        str(
            rng.randint(3, 210) if lang == "es" else rng.choice([rng.randint(11, 99), rng.randint(101, 9890)])
        )
    )
