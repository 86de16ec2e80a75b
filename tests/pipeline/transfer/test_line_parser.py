"""One line of the import format, by the rules and by compiled code."""

import datetime as dt
import json

import pytest

from callscope.calls.fields import CALL_FIELDS
from callscope.pipeline.transfer.fast_parser import parse_common_line
from callscope.pipeline.transfer.line_parser import Rules, parse_line
from callscope.pipeline.transfer.result_validation import InvalidLine

RULES = Rules("flag", dt.UTC)
DETAILS = {
    "call_datetime": "2026-01-05T11:00:00+01:00",
    "call_datetime_source": "manifest",
    "agent_id": " 7 ",
    "agent_name": "Ana Ruiz",
    "agent_source": "llm",
    "direction": "outbound",
    "caller_number": "+34911",
    "campaign": " spring",
}


def encode(**fields):
    return json.dumps({"file_name": "c1.wav", **fields}).encode()


@pytest.fixture(params=[parse_line, parse_common_line])
def parse(request):
    return request.param


class TestDetails:
    def test_hold_every_field_of_a_call(self, parse):
        details = parse(encode(**DETAILS), RULES).details

        assert list(DETAILS) == list(details.__struct_fields__)
        assert details.call_datetime == dt.datetime(2026, 1, 5, 10, tzinfo=dt.UTC)
        texts = {name: text.strip() for name, text in DETAILS.items() if name != "call_datetime"}
        assert {name: getattr(details, name) for name in texts} == texts

    def test_are_empty_where_the_line_says_nothing(self, parse):
        details = parse(encode(), RULES).details

        values = {name: getattr(details, name) for name in details.__struct_fields__}
        assert values == dict.fromkeys(DETAILS, "") | {"call_datetime": None}

    @pytest.mark.parametrize("field", [f for f in CALL_FIELDS if f.kind == "text"], ids=lambda f: f.name)
    def test_take_a_text_up_to_its_length(self, parse, field):
        longest = "é" * field.max_length

        assert getattr(parse(encode(**{field.name: longest}), RULES).details, field.name) == longest
        with pytest.raises(InvalidLine, match=f"at most {field.max_length} are allowed"):
            parse_line(encode(**{field.name: longest + "é"}), RULES)

    @pytest.mark.parametrize("field", [f for f in CALL_FIELDS if f.kind == "choice"], ids=lambda f: f.name)
    def test_take_a_choice_in_its_own_words_alone(self, parse, field):
        for word in field.choices:
            assert getattr(parse(encode(**{field.name: word}), RULES).details, field.name) == word
        with pytest.raises(
            InvalidLine, match=f'{field.name} is "sideways"; allowed: {", ".join(field.choices)}'
        ):
            parse_line(encode(**{field.name: "sideways"}), RULES)

    @pytest.mark.parametrize("wrong", [7, True, [], "2026", "1899-01-01T00:00:00Z", "2026-02-31T00:00:00Z"])
    def test_take_a_moment_of_the_years_that_calls_are_in(self, wrong):
        with pytest.raises(InvalidLine, match=r"call_datetime is .* from 1900 to 2100"):
            parse_line(encode(call_datetime=wrong), RULES)


class TestALineThatIsNoCall:
    @pytest.mark.parametrize(
        ("raw", "reason"),
        [
            (b"[]", "the line is a list"),
            (b"{", "not JSON"),
            (b'{"file_name": "\xff"}', "not UTF-8"),
            (b'{"file_name": "a.wav", "duration_seconds": NaN}', "NaN is not a JSON number"),
            (b'{"file_name": "a.wav", "more": {"\\u0000": 1}}', "holds a NUL character"),
            (b'{"file_name": "a.wav", "more": ["\\ud800"]}', "holds a lone surrogate"),
            (b"[" * 100_000, "nested too deeply"),
            (b'{"file_name": "a.wav", "more": ' + b"1" * 5000 + b"}", "too many digits"),
            (b'{"file_name": " "}', "file_name is"),
        ],
    )
    def test_is_refused_with_its_reason_and_by_compiled_code_without(self, raw, reason):
        with pytest.raises(InvalidLine, match=reason):
            parse_line(raw, RULES)
        assert parse_common_line(raw, RULES) is None
