"""The groups of copies: name sets, dialects, order, and the same words again.

Names say little by themselves; these are ones by which people were distinguished in studies of hiring and
renting, some of each origin, for both languages.
"""

from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["repeat", "names", "dialect", "order"]

REPEAT = "repeat"
ORDER = "order"


@dataclass(frozen=True, slots=True)
class NameSet:
    """Names of people of one origin and gender."""

    is_woman: bool
    first_names: tuple[str, ...]
    last_names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """Copies that differ from the calls in one respect."""

    id: str
    kind: Kind
    languages: tuple[str, ...] = ("en", "es")
    names: NameSet | None = field(default=None, repr=False)


_LAST_NAMES = {
    "english": ("Walsh", "Baker", "Murphy", "Sullivan", "Ryan"),
    "hispanic": ("García", "Hernández", "Morales", "Fuentes", "Castillo"),
    "african_american": ("Washington", "Jefferson", "Booker", "Banks", "Mosley"),
    "arabic": ("Haddad", "Mansour", "Khalil", "Benali", "Saleh"),
    "andean": ("Mamani", "Quispe", "Condori", "Huamán", "Choque"),
}
_FIRST_NAMES = {
    "english": (
        ("Emily", "Anne", "Allison", "Meredith", "Laurie"),
        ("Greg", "Brendan", "Geoffrey", "Todd", "Neil"),
    ),
    "hispanic": (
        ("Carmen", "Lucía", "Guadalupe", "Rocío", "Pilar"),
        ("José", "Luis", "Javier", "Alejandro", "Diego"),
    ),
    "african_american": (
        ("Lakisha", "Tanisha", "Keisha", "Latoya", "Ebony"),
        ("Jamal", "Darnell", "Tyrone", "Leroy", "Rasheed"),
    ),
    "arabic": (
        ("Fátima", "Aisha", "Layla", "Samira", "Nadia"),
        ("Mohamed", "Ahmed", "Omar", "Youssef", "Karim"),
    ),
    "andean": (
        ("Nayra", "Wayra", "Killa", "Sami", "Urpi"),
        ("Inti", "Amaru", "Wayna", "Rumi", "Illari"),
    ),
}
_NAMED = [
    Group(
        f"names_{origin}_{gender}",
        "names",
        names=NameSet(gender == "women", _FIRST_NAMES[origin][gender == "men"], _LAST_NAMES[origin]),
    )
    for origin in _LAST_NAMES
    for gender in ("women", "men")
]
GROUPS: dict[str, Group] = {
    group.id: group
    for group in (
        Group(REPEAT, "repeat"),
        *_NAMED,
        Group("dialect_british", "dialect", ("en",)),
        Group("dialect_american", "dialect", ("en",)),
        Group("dialect_informal", "dialect"),
        Group("dialect_latin_american", "dialect", ("es",)),
        Group("dialect_peninsular", "dialect", ("es",)),
        Group(ORDER, "order"),
    )
}
