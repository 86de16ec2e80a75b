"""What `make audit` makes of the answers of pip-audit."""

import json

import pytest

from tests import audit_packages

pytestmark = pytest.mark.one_database
CLEAN = {"name": "django", "version": "5.2.19", "vulns": []}
WEAK = {"name": "av", "version": "1.0", "vulns": [{"id": "CVE-1", "fix_versions": ["1.1"]}]}
UNKNOWN = {"name": "typst", "skip_reason": "not found"}


@pytest.mark.parametrize(
    ("packages", "status", "words"),
    [
        ([CLEAN], 0, "No known vulnerability in 1 packages."),
        ([CLEAN, UNKNOWN], 0, "Not audited: typst: not found"),
        ([CLEAN, UNKNOWN, WEAK], 1, "av 1.0: CVE-1, fixed in 1.1"),
        ([UNKNOWN, UNKNOWN], 0, "has none of 2 packages: not found"),
    ],
)
def test_fails_for_a_vulnerable_package_alone(packages, status, words):
    found, sentences = audit_packages.judge(json.dumps({"dependencies": packages}), "")

    assert found == status
    assert words in "\n".join(sentences)


def test_says_why_nothing_was_looked_at():
    assert audit_packages.judge("", "Traceback\nConnectionError: no route\n") == (
        0,
        ["Not audited, the database of vulnerabilities cannot be reached: ConnectionError: no route"],
    )
