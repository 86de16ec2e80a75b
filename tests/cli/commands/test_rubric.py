"""`callscope rubric lint`: what it prints, and with which exit status it ends."""

import json

HALF = """
rubric:
  sections:
    - name: Opening
      criteria:
        - {id: g, name: Greets and names the company, max_points: 5, rule: {any_of: [good morning]}}
"""


class TestLint:
    def test_ends_with_1_on_an_error(self, callscope, tmp_path):
        file = tmp_path / "rubric.yaml"
        file.write_text(HALF)

        ended = callscope("rubric", "lint", file, "--json")

        assert ended.exit_code == 1
        [found] = json.loads(ended.stdout)["findings"]
        assert (found["code"], found["severity"]) == ("met_by_half", "error")

    def test_ends_with_0_without_one(self, callscope, tmp_path, project):
        file = tmp_path / "rubric.yaml"
        file.write_text("language: en\n")

        assert callscope.json("rubric", "lint", file) == {"findings": []}
        assert callscope.json("rubric", "lint", file, "--project", project.pk) == {"findings": []}

    def test_refuses_what_is_no_configuration_or_no_project(self, callscope, tmp_path):
        file = tmp_path / "rubric.yaml"
        file.write_text("language: fr\n")

        assert callscope.failure("rubric", "lint", file) == ["language: must be en, es or auto, not 'fr'"]
        file.write_text("language: en\n")
        assert callscope.failure("rubric", "lint", file, "--project", 7) == ["No project has the id 7."]
