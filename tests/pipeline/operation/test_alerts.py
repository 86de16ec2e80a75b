"""The alerts for Prometheus: they ask for metrics that exist, and go off when they should."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from callscope.pipeline.operation import metrics

pytestmark = pytest.mark.one_database

RULES = Path(__file__).parent.parent.parent.parent / "deploy" / "prometheus" / "callscope.rules.yaml"
ALERTS = yaml.safe_load(RULES.read_text("utf-8"))["groups"][0]["rules"]
# What is measured every minute for two hours, in the words of promtool: at rest, and what changes in trouble.
AT_REST = {
    'callscope_info{version="1"}': "1+0x120",
    'callscope_workers{queue="asr"}': "1+0x120",
    'callscope_jobs{queue="asr",state="due"}': "3+0x120",
    'callscope_oldest_due_job_seconds{queue="asr"}': "60+0x120",
    'callscope_engine_paused{kind="speech",address="http://asr/v1"}': "0+0x120",
    'callscope_failed_files{kind="transcribe"}': "2+0x120",
    'callscope_requests_total{door="page",method="GET",status="2xx"}': "0+60x120",
    'callscope_requests_total{door="page",method="GET",status="5xx"}': "0+1x120",
    'callscope_request_seconds_bucket{door="page",le="5"}': "0+60x120",
    'callscope_request_seconds_bucket{door="page",le="10"}': "0+60x120",
    'callscope_request_seconds_bucket{door="page",le="+Inf"}': "0+60x120",
    'callscope_disk_free_bytes{host="web1"}': "1e9+0x120",
    'callscope_disk_size_bytes{host="web1"}': "1e10+0x120",
    'callscope_clock_ahead_seconds{host="web1"}': "1+0x120",
}
TROUBLE = {
    "CallscopeDown": {'callscope_info{version="1"}': "_x120"},
    "CallscopeNoWorker": {'callscope_workers{queue="asr"}': "0+0x120"},
    "CallscopeJobsWait": {'callscope_oldest_due_job_seconds{queue="asr"}': "60+60x120"},
    "CallscopeEnginePaused": {
        'callscope_engine_paused{kind="speech",address="http://asr/v1"}': "1+0x120"
    },
    "CallscopeFilesFailed": {'callscope_failed_files{kind="transcribe"}': "2+0x90 5+0x30"},
    "CallscopeServerErrors": {
        'callscope_requests_total{door="page",method="GET",status="5xx"}': "0+6x120"
    },
    "CallscopeSlow": {'callscope_request_seconds_bucket{door="page",le="5"}': "0+50x120"},
    "CallscopeDiskFull": {'callscope_disk_size_bytes{host="web1"}': "1e11+0x120"},
    "CallscopeClocksDiffer": {'callscope_clock_ahead_seconds{host="web1"}': "-3+0x120"},
}  # fmt: skip


def measure(changes):
    return [{"series": name, "values": values} for name, values in (AT_REST | changes).items()]


class TestAlerts:
    def test_ask_for_metrics_that_exist(self):
        asked = {name for alert in ALERTS for name in re.findall(r"callscope_[a-z_]+", alert["expr"])}

        assert {metrics.find_metric(name) or name for name in asked} <= metrics.METRICS.keys()

    def test_are_all_tried(self):
        assert [alert["alert"] for alert in ALERTS] == list(TROUBLE)

    @pytest.mark.skipif(not shutil.which("promtool"), reason="no promtool")
    @pytest.mark.parametrize("name", ["at rest", *TROUBLE])
    def test_go_off_in_their_trouble_alone(self, name, tmp_path):
        """With `promtool test rules`: of all alerts, exactly this one fires after two hours."""
        firing = tmp_path / "firing.yaml"
        expected = [{"labels": f'{{alertname="{name}"}}', "value": 1}] if name in TROUBLE else []
        asked = {"expr": 'count by (alertname) (ALERTS{alertstate="firing"})', "eval_time": "115m"}
        test = {"interval": "1m", "input_series": measure(TROUBLE.get(name, {}))}
        test["promql_expr_test"] = [{**asked, "exp_samples": expected}]
        document = {"rule_files": [str(RULES)], "evaluation_interval": "1m", "tests": [test]}
        firing.write_text(yaml.safe_dump(document), "utf-8")

        done = subprocess.run(
            ["promtool", "test", "rules", firing], capture_output=True, text=True, check=False
        )

        assert done.returncode == 0, done.stdout + done.stderr
