"""The call list is encoded without DRF, and reads as if DRF had made it."""

import datetime as dt

import msgspec
import pytest
from rest_framework.renderers import JSONRenderer

from callscope.interfaces.api.serializers.calls import CallPage, CallPageSerializer, encode_json
from callscope.reports.call_list.call_rows import CallItem

CALL = CallItem(
    id=12,
    file_id=31,
    file_name="call-1.srt",
    call_datetime=dt.datetime(2026, 1, 5, 9, tzinfo=dt.UTC),
    agent="Ana Ruiz",
    direction="inbound",
    campaign="Spring",
    topic="Wrong invoice",
    sentiment="negative",
    score_percentage=87.5,
    has_critical_error=False,
    mistake_count=0,
    missing_prompt_count=None,
    goal_reached=None,
    has_failed_analysis=False,
    is_half_heard=False,
    is_blinded=False,
)
BARE = msgspec.structs.replace(
    CALL, file_id=None, agent="", direction="", sentiment=None, score_percentage=None, goal_reached=True
)


class TestEncodeJson:
    @pytest.mark.parametrize(
        "call",
        [
            CALL,
            BARE,
            msgspec.structs.replace(CALL, topic='\u2028\u2029 \x01\x7f \t"\\ é 電話'),
            msgspec.structs.replace(CALL, call_datetime=CALL.call_datetime.replace(microsecond=250_000)),
        ],
    )
    def test_gives_the_bytes_of_the_serializer(self, call):
        page = CallPage(1, "http://testserver/calls/api/calls/?page=2", None, [call])

        assert encode_json(page) == JSONRenderer().render(CallPageSerializer(page).data)

    def test_writes_every_score_with_its_decimals(self):
        for hundredths in range(10_001):
            assert msgspec.json.encode(hundredths / 100) == JSONRenderer().render(hundredths / 100)
