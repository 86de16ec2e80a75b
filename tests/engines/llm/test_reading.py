"""What counts as JSON in a model's answer."""

import pytest

from callscope.engines.llm.reading import NotJson, read_object

pytestmark = pytest.mark.one_database


class TestReading:
    @pytest.mark.parametrize(
        "text",
        [
            '{"a": 1}',
            'Here it is:\n```json\n{"a": 1}\n```\nDone.',
            '<think>{maybe}</think>\n{"a": 1}',
            '{"a": 1} {"a": 2}',
        ],
    )
    def test_finds_the_first_object(self, text):
        assert read_object(text) == {"a": 1}

    def test_forgives_raw_control_characters(self):
        assert read_object('{"a": "x\ty\nz"}') == {"a": "x\ty\nz"}

    @pytest.mark.parametrize("text", ["", "no", "[1]", '{"a": 1', '{"a": NaN}', '{"a": {"b": 1}', "{" * 5000])
    def test_refuses_what_is_not_one(self, text):
        with pytest.raises(NotJson):
            read_object(text)

    def test_refuses_a_key_that_comes_twice(self):
        with pytest.raises(NotJson, match="twice"):
            read_object('{"a": 1, "a": 2}')
