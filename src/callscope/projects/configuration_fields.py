"""The kinds of values that a configuration is made of: texts, names, points, seconds, and their limits."""

import re
from decimal import Decimal
from typing import Annotated, Any

import pydantic
from pydantic import AfterValidator, BeforeValidator, Field

from callscope.db.limits import is_storable
from callscope.projects.configuration_errors import InvalidValue

MAX_PHRASES = 5_000  # of a rubric, and of prompts and mistakes together: each is compared with every clause
IDENTIFIER = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}")


def refuse_repeats(values: list[str], code: str) -> None:
    seen: set[str] = set()
    for value in values:
        if value in seen:
            raise InvalidValue(code, value=value[:80])
        seen.add(value)


def refuse_many_phrases(count: int, info: pydantic.ValidationInfo) -> None:
    is_stored = bool(info.context and info.context.get("is_stored"))
    if count > MAX_PHRASES and not is_stored:
        raise InvalidValue("too_many_phrases", count=count, most=MAX_PHRASES)


def _clean_text(value: str) -> str:
    if not is_storable(value):
        raise InvalidValue("nul_character" if "\x00" in value else "lone_surrogate")
    return value.strip()


def _refuse_blank(value: str) -> str:
    if not value:
        raise InvalidValue("blank")
    return value


def _refuse_invalid_identifier(value: str) -> str:
    if not IDENTIFIER.fullmatch(value):
        raise InvalidValue("invalid_identifier", value=value[:80])
    return value


def _refuse_repeated_questions(questions: list[str]) -> list[str]:
    refuse_repeats(questions, "question_twice")
    return questions


def refuse_bool(value: Any) -> Any:
    # Python counts True as 1, so pydantic would take max_points: true.
    if isinstance(value, bool):
        raise InvalidValue("not_number")
    return value


def _refuse_more_than_six_decimals(value: Decimal) -> Decimal:
    # Points are stored and summed as whole millionths.
    if value != value.quantize(Decimal("0.000001")):
        raise InvalidValue("too_many_decimals")
    return value


Text = Annotated[str, Field(max_length=4000), AfterValidator(_clean_text)]
Name = Annotated[str, Field(max_length=255), AfterValidator(_clean_text), AfterValidator(_refuse_blank)]
Line = Annotated[str, Field(max_length=500), AfterValidator(_clean_text), AfterValidator(_refuse_blank)]
Questions = Annotated[list[Name], Field(max_length=100), AfterValidator(_refuse_repeated_questions)]
Identifier = Annotated[str, AfterValidator(_clean_text), AfterValidator(_refuse_invalid_identifier)]
Points = Annotated[
    Decimal,
    BeforeValidator(refuse_bool),
    Field(gt=0, le=1_000_000, allow_inf_nan=False),
    AfterValidator(_refuse_more_than_six_decimals),
]
Seconds = Annotated[float, BeforeValidator(refuse_bool), Field(gt=0, le=86_400, allow_inf_nan=False)]
Percent = Annotated[float, BeforeValidator(refuse_bool), Field(ge=0, le=100, allow_inf_nan=False)]
Hour = Annotated[int, BeforeValidator(refuse_bool), Field(ge=0, le=23)]
Days = Annotated[int, BeforeValidator(refuse_bool), Field(gt=0, le=36_500)]
Channel = Annotated[int, BeforeValidator(refuse_bool), Field(ge=0, le=1)]


class Part(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=False)
