"""The guides to the rule language: every example in them is a document that is taken."""

import re
from pathlib import Path

import pytest
import yaml

from callscope.projects.configuration import parse
from callscope.projects.configuration_rules import Rule

DOCS = Path(__file__).parents[2] / "docs"
EXAMPLE = re.compile(r"```yaml\n(.*?)```", re.DOTALL)


@pytest.mark.parametrize("name", ["rules.md", "rules.es.md"])
class TestTheGuide:
    def examples(self, name):
        return [yaml.safe_load(text) for text in EXAMPLE.findall((DOCS / name).read_text(encoding="utf-8"))]

    def test_holds_examples_that_are_taken(self, name):
        for example in self.examples(name):
            rule = example.pop("rule", None)
            criteria = [{"id": "c", "name": "C", "max_points": 1, "rule": rule}]
            config = parse({"rubric": {"sections": [{"name": "A", "criteria": criteria}]}, **example})
            assert config.trackers or rule

    def test_shows_every_part_of_a_rule(self, name):
        shown = {key for example in self.examples(name) for key in example.get("rule", {})}

        assert shown == set(Rule.model_fields)
