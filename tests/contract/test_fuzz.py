"""Whatever the OpenAPI document allows, and much that it does not: no 5xx, no answer outside the document."""

import math
import warnings
from typing import Any

import pytest
from cast import Target, document, fill, person, with_key
from django.db import transaction
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from callscope.projects.services import create_project
from callscope.wsgi import application
from tests.effort import EFFORT

pytestmark = pytest.mark.django_db

CASES = 2  # of each operation
GOAL = 10_000  # requests of all operations together that `make fuzz` sends to each database
PARTS = 1 if EFFORT == 1 else 8  # each takes minutes, and can be run alone


@pytest.fixture
def target() -> Target:
    owner = person("owner")
    target = fill(create_project(owner, "Calls", document=document("Seen")), "Seen")
    target.key = with_key(owner)[1]._credentials["HTTP_AUTHORIZATION"]
    return target


@pytest.fixture
def operations(target) -> list[Any]:
    import schemathesis  # 1.3 s of computing, which each process that only reads the tests would take

    schema = schemathesis.openapi.from_wsgi(
        "/api/schema/", application, headers={"Authorization": target.key}
    )
    return [result.ok() for result in schema.get_all_operations()]


def with_known_ids(case: Any, target: Target) -> None:
    """Let the case reach what is there: random ids never would."""
    known = {
        "call_id": target.call, "file_id": target.file, "task_id": target.task, "project_id": target.project,
        "project": target.project, "agent": target.agent,
    }  # fmt: skip
    for place in (case.path_parameters, case.query, case.body):
        if isinstance(place, dict):
            place.update({name: value for name, value in known.items() if name in place})


class TestEveryOperation:
    @pytest.mark.parametrize("part", range(PARTS))
    def test_answers_as_the_document_says(self, operations, target, part):
        assert len(operations) > 20
        cases = CASES if EFFORT == 1 else math.ceil(GOAL / len(operations))
        mine = operations[part::PARTS]

        asked = [self.hold(operation, target, cases) for operation in mine]

        # Some operations take so little that there are fewer different requests: others make up for them.
        varied = [operation for operation, number in zip(mine, asked, strict=True) if number >= cases]
        if EFFORT > 1 and varied:
            more = math.ceil((len(mine) * cases - sum(asked)) / len(varied))
            asked += [self.hold(operation, target, more) for operation in varied if more > 0]
        print(f"part {part}: {sum(asked)} requests to {len(mine)} operations")

    def hold(self, operation: Any, target: Target, cases: int) -> int:
        """Send so many requests, or as many different ones as there are; return how many."""
        import schemathesis
        from schemathesis.specs.openapi import checks

        checked = [
            schemathesis.checks.not_a_server_error,
            checks.status_code_conformance,
            checks.content_type_conformance,
            checks.response_headers_conformance,
            checks.response_schema_conformance,
        ]
        modes = (schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE)
        asked = 0

        @given(
            case=st.sampled_from(modes).flatmap(lambda mode: operation.as_strategy(generation_mode=mode)),
            is_known=st.booleans(),
        )
        @settings(
            max_examples=cases,
            deadline=None,
            phases=(Phase.generate,),
            database=None,
            suppress_health_check=list(HealthCheck),
        )
        def answer(case: Any, is_known: bool) -> None:
            nonlocal asked
            asked += 1
            if is_known:
                with_known_ids(case, target)
            case.headers = {
                name: value for name, value in (case.headers or {}).items() if name != "Authorization"
            }
            with transaction.atomic():
                response = case.call(headers={"Authorization": target.key})
                transaction.set_rollback(True)
            case.validate_response(response, checks=checked)

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            answer()
        return asked
