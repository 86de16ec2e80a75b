"""Code that a hostile recording brought into the decoder tries what it must not."""

import json
import os
import shutil
import socket
import subprocess
import sys

import pytest

from callscope.transcription.audio import decode_child, decode_sandbox, decoding
from callscope.transcription.audio.decoding import UnreadableRecording, measure_audio_duration

pytestmark = [
    pytest.mark.one_database,
    pytest.mark.skipif(sys.platform != "linux", reason="The sandbox is Linux's."),
]

ATTACK = """
import importlib.util, json, os, socket, sys

sandbox, victim, tcp_port, udp_port, *closing = sys.argv[1:]
spec = importlib.util.spec_from_file_location("decode_sandbox", sandbox)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
layers = [getattr(module, name)() for name in closing]


def talk(kind, port):
    with socket.socket(socket.AF_INET, kind) as door:
        door.settimeout(5)
        door.connect(("127.0.0.1", int(port)))
        door.send(b"words")


acts = {
    "open a file of the system": lambda: os.open("/etc/passwd", os.O_RDONLY),
    "read the memory of its parent": lambda: os.open(f"/proc/{os.getppid()}/mem", os.O_RDWR),
    "write a file": lambda: os.open(victim + ".new", os.O_WRONLY | os.O_CREAT),
    "empty a file": lambda: os.truncate(victim, 0),
    "rename a file": lambda: os.rename(victim, victim + ".moved"),
    "change a mode": lambda: os.chmod(victim + ".old", 0o777),
    "delete a file": lambda: os.unlink(victim + ".old"),
    "start a program": lambda: os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0),
    "fork": lambda: os.fork() or os._exit(0),
    "signal its parent": lambda: os.kill(os.getppid(), 0),
    "connect by TCP": lambda: talk(socket.SOCK_STREAM, tcp_port),
    "send by UDP": lambda: talk(socket.SOCK_DGRAM, udp_port),
}
succeeded = []
for name, act in acts.items():
    try:
        act()
        succeeded.append(name)
    except OSError:
        pass
print(json.dumps({"layers": layers, "succeeded": succeeded}), flush=True)
os.execv("/bin/echo", ["echo", "replaced"])
"""
FILES = [
    "open a file of the system", "read the memory of its parent", "write a file", "empty a file",
    "rename a file", "delete a file", "start a program", "replace itself",
]  # fmt: skip
PROCESSES = ["change a mode", "fork", "signal its parent"]
NETWORK = ["connect by TCP", "send by UDP"]


@pytest.fixture
def attack(tmp_path):
    """Run all acts in a process that applied these layers; return their answers and which acts worked."""

    def run(*closing):
        victim = tmp_path / "victim"
        for file in (victim, tmp_path / "victim.old"):
            file.write_text("calls")
        with socket.create_server(("127.0.0.1", 0)) as tcp, socket.socket(type=socket.SOCK_DGRAM) as udp:
            udp.bind(("127.0.0.1", 0))
            ports = [str(door.getsockname()[1]) for door in (tcp, udp)]
            answer = subprocess.run(
                [sys.executable, "-I", "-c", ATTACK, decode_sandbox.__file__, str(victim), *ports, *closing],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                check=False,  # the last act ends in an error where it is refused
            )
        result, *rest = answer.stdout.splitlines()
        found = json.loads(result)
        return found["layers"], found["succeeded"] + ["replace itself"] * (rest == ["replaced"]), victim

    return run


class TestSandbox:
    def test_refuses_every_act(self, attack):
        [layers], succeeded, victim = attack("close_sandbox")

        assert {"Landlock", "seccomp"} & set(layers), "this kernel has neither"
        assert succeeded == []
        assert victim.read_text() == "calls"
        assert sorted(os.listdir(victim.parent)) == ["victim", "victim.old"]

    def test_is_what_refuses_them(self, attack):
        _, succeeded, _ = attack()

        assert sorted(succeeded) == sorted([*FILES, *PROCESSES, *NETWORK])

    @pytest.mark.parametrize(
        ("layer", "refused"),
        [
            ("restrict_by_seccomp", [*FILES, *PROCESSES, *NETWORK]),
            ("restrict_by_landlock", FILES),
            ("enter_empty_network", NETWORK),
        ],
    )
    def test_has_layers_that_hold_alone(self, attack, layer, refused):
        [_, is_active], succeeded, _ = attack("gain_no_privileges", layer)

        if not is_active:
            pytest.skip(f"this kernel or container does not allow {layer}")
        assert not set(succeeded) & set(refused)

    def test_without_any_of_them_still_opens_nothing(self, attack):
        _, succeeded, _ = attack("forbid_opening_files")

        assert "open a file of the system" not in succeeded


class TestDecoder:
    def test_is_shut_in_before_it_reads_a_byte(self, make_wav, monkeypatch, tmp_path):
        nosy = tmp_path / "nosy.py"
        source = decoding.CHILD.read_text(encoding="utf-8")
        reading = '        if mode != "sandbox":\n'
        assert reading in source
        nosy.write_text(source.replace(reading, "        Path(__file__).read_text()\n" + reading, 1))
        shutil.copy(decode_sandbox.__file__, tmp_path)
        monkeypatch.setattr(decoding, "CHILD", nosy)

        with pytest.raises(UnreadableRecording, match=r"not permitted|denied|Too many open files"):
            measure_audio_duration(make_wav(1.0))

    def test_says_what_shuts_it_in(self):
        assert {"Landlock", "seccomp"} & set(decoding.find_sandbox_layers())

    @pytest.mark.parametrize("module", [decode_child, decode_sandbox])
    def test_imports_nothing_of_the_product(self, module):
        with open(module.__file__, encoding="utf-8") as file:
            assert "import callscope" not in file.read()
