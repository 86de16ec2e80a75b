"""A private recording leaves no packet where the private engine cannot be reached.

Runs in a network namespace of its own: nothing but a loopback, on which a
stand-in for the outside engine listens and would notice.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.one_database

SCRIPT = '''
import fcntl, http.server, json, os, shutil, socket, struct, sys, threading, time

def bring_loopback_up():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as handle:
        up_and_running, set_flags = 0x1 | 0x40, 0x8914
        fcntl.ioctl(handle, set_flags, struct.pack("16sH14s", b"lo", up_and_running, b""))

def packets():
    """Return packets received and sent, over all interfaces."""
    lines = open("/proc/net/dev").read().splitlines()[2:]
    return sum(int(line.split(":")[1].split()[i]) for line in lines for i in (1, 9))

class StandIn(http.server.BaseHTTPRequestHandler):
    asked = 0
    def do_POST(self):
        StandIn.asked += 1
        self.rfile.read(int(self.headers["content-length"]))
        segments = [{"start": 1, "end": 2, "text": "hello"}]
        body = json.dumps({"text": "hello", "language": "en", "segments": segments}).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *arguments):
        pass

bring_loopback_up()
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), StandIn)
threading.Thread(target=server.serve_forever, daemon=True).start()
os.environ["CALLSCOPE_TRANSCRIBER"] = f"http://127.0.0.1:{server.server_port}/v1"
os.environ["CALLSCOPE_PRIVATE_TRANSCRIBER"] = sys.argv[2]
os.environ["DJANGO_SETTINGS_MODULE"] = "callscope.settings"
import django
django.setup()
from callscope.calls.models import UploadedFile
from callscope.projects.configuration import parse
from callscope.projects.engines import project_engines
from callscope.transcription.gates import TranscriptionFailed
from callscope.transcription.transcribe import transcribe
from django.core.files.storage import default_storage

os.makedirs(default_storage.location, exist_ok=True)
shutil.copy(sys.argv[1], default_storage.path("call.wav"))
file = UploadedFile(original_filename="call.wav", file_type="audio", storage_key="call.wav")

before, began = packets(), time.monotonic()
try:
    private = parse({"private_transcription": True})
    transcribe(file, private, project_engines(private))
    reason = "no failure"
except TranscriptionFailed as failure:
    reason = failure.reason
took_s, private_packets, private_asked = time.monotonic() - began, packets() - before, StandIn.asked
draft = transcribe(file, parse({}), project_engines(parse({})))
print(json.dumps({
    "reason": reason, "took_s": took_s, "packets": private_packets, "asked": private_asked,
    "ordinary": [draft.segments[0]["text"], StandIn.asked, draft.hosts],
}))
'''


@pytest.mark.parametrize("private_engine", ["http://192.0.2.1:8000/v1", "http://asr.invalid:8000/v1", ""])
def test_private_recording_sends_nothing_without_a_network(make_wav, tmp_path, private_engine):
    enter = _namespace()
    environment = {
        "PATH": os.environ.get("PATH", ""),
        "HOME": str(tmp_path),
        "CALLSCOPE_DATA_DIR": str(tmp_path / "data"),
        "CALLSCOPE_SECRET_KEY": "only-for-this-test-only-for-this-test-only-for-this",
        "HTTP_PROXY": "http://127.0.0.1:9",
        "PYTHONPATH": str(Path(__file__).parent.parent.parent / "src"),
    }

    result = subprocess.run(
        [*enter, sys.executable, "-c", SCRIPT, str(make_wav(12.0)), private_engine],
        env={**environment, "NO_PROXY": "127.0.0.1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert result.returncode == 0, result.stderr[-2000:]
    seen = json.loads(result.stdout)
    assert seen["reason"] == "private_transcription_unavailable"
    assert seen["packets"] == 0
    assert seen["asked"] == 0
    assert seen["ordinary"] == ["hello", 1, ["127.0.0.1"]]  # the stand-in does notice what comes


def _namespace() -> list[str]:
    """Return the command that enters an empty network namespace; skip where the system gives none."""
    if shutil.which("unshare") is None:
        pytest.skip("no unshare on this machine")
    for command in (["unshare", "--net"], ["unshare", "--net", "--map-root-user"]):
        if subprocess.run([*command, "true"], capture_output=True, check=False).returncode == 0:
            return command
    pytest.skip("this machine gives no network namespace")
