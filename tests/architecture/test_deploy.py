"""The files in deploy/ agree with the code: settings, commands, ports, health checks, and with each other."""

import http.client
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest
import typer
import yaml
from django.conf import settings

from callscope.environment import CLIENT_VARIABLES, COMPOSE_VARIABLES, VARIABLES, Environment
from callscope.interfaces.cli.app import app
from callscope.interfaces.cli.commands.serve import QUEUES
from callscope.interfaces.gate.body_gate import TAKES_FILES
from callscope.interfaces.web.presenters.trial import LIMIT_IN_ALL_S

pytestmark = pytest.mark.one_database

ROOT = Path(__file__).parent.parent.parent
DEPLOY = ROOT / "deploy"
UNITS = sorted((DEPLOY / "systemd").iterdir())
CONTAINERFILE = (DEPLOY / "Containerfile").read_text("utf-8")
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))
OBJECTS = list(yaml.safe_load_all((DEPLOY / "kubernetes" / "callscope.yaml").read_text("utf-8")))
OURS = {name: each for name, each in COMPOSE["services"].items() if "callscope" in str(each["image"])}
PORT = "8000"
MEGABIT_S = 1e6  # bits a second of a slow line


def is_command(arguments: list[str]) -> bool:
    """Return whether the product has this command with these options, and knows the queues."""
    command = typer.main.get_command(app).get_command(None, arguments[0])
    known = {option for each in command.params for option in each.opts}
    if "--queues" in arguments:
        queues = arguments[arguments.index("--queues") + 1]
        if not queues.startswith("$") and not set(queues.split(",")) <= set(QUEUES):
            return False
    return {each for each in arguments if each.startswith("--")} <= known


def pods() -> list[dict]:
    return [each["spec"]["template"]["spec"] for each in OBJECTS if each["kind"] in ("Deployment", "Job")]


class TestFiles:
    @pytest.mark.parametrize(
        "path", [p for p in sorted(DEPLOY.rglob("*")) if p.is_file()], ids=lambda path: path.name
    )
    def test_name_settings_that_exist(self, path):
        named = set(re.findall(r"\bCALLSCOPE_[A-Z0-9_]+", path.read_text("utf-8")))

        assert named <= VARIABLES.keys() | CLIENT_VARIABLES | COMPOSE_VARIABLES

    def test_are_named_in_the_guide(self):
        guide = (ROOT / "docs" / "deployment.md").read_text("utf-8")

        for path in (
            "Containerfile",
            "compose.yaml",
            "kubernetes",
            "prometheus/callscope.rules.yaml",
            "restore_drill.py",
            *(u.name for u in UNITS),
        ):
            assert path in guide, path


class TestImage:
    def test_runs_without_root_with_its_data_in_one_folder(self):
        assert re.search(r"^USER 10001:10001$", CONTAINERFILE, re.MULTILINE)
        assert "CALLSCOPE_DATA_DIR=/data" in CONTAINERFILE
        assert CONTAINERFILE.count("FROM python:3.13-slim-bookworm") == 2
        assert f"EXPOSE {PORT}" in CONTAINERFILE

    def test_has_a_command_of_the_product(self):
        arguments = yaml.safe_load(re.search(r"^CMD (.*)$", CONTAINERFILE, re.MULTILINE)[1])

        assert is_command(arguments)
        assert arguments[arguments.index("--port") + 1] == PORT

    def test_copies_only_what_the_build_sees(self):
        ignore = (ROOT / ".dockerignore").read_text("utf-8").split()
        copied = [
            name
            for line in re.findall(r"^COPY (?!--from)(.*)$", CONTAINERFILE, re.MULTILINE)
            for name in line.split()[:-1]
        ]

        assert copied
        assert [name for name in copied if f"!{name}" not in ignore or not (ROOT / name).exists()] == []

    def test_pins_packages_by_the_lock_file(self):
        """The expressions of the Containerfile turn the lock file into constraints, one version a line."""
        script = re.search(r"RUN (sed .*?) > constraints.txt", CONTAINERFILE, re.DOTALL)[1]
        made = subprocess.run(["sh", "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
        lines = [line for line in made.stdout.splitlines() if line and not line.lstrip().startswith("#")]

        assert len(lines) > 50
        assert [line for line in lines if not re.fullmatch(r"[a-z0-9._-]+==[^ ]+( ; .*)?", line)] == []

    @pytest.mark.parametrize("extras", ["postgres,s3,celery", ""])
    def test_gets_the_packages_of_the_project_and_its_extras(self, extras):
        script = re.search(r"&& (python -c .*?) > packages.txt", CONTAINERFILE, re.DOTALL)[1]
        made = subprocess.run(
            ["sh", "-c", script.replace("python", shlex.quote(sys.executable), 1)],
            cwd=ROOT, env={"EXTRAS": extras}, capture_output=True, text=True, check=True,
        )  # fmt: skip
        project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
        named = [project["optional-dependencies"][each] for each in extras.split(",") if each]

        assert made.stdout.splitlines() == sum(named, project["dependencies"])


class TestCompose:
    def test_has_web_and_workers_for_every_queue(self):
        commands = [each["command"] for each in OURS.values()]
        queues = {
            queue
            for command in commands
            if command[0] == "worker"
            for queue in command[command.index("--queues") + 1].split(",")
        }

        assert all(is_command(command) for command in commands)
        assert queues == set(QUEUES)
        assert COMPOSE["services"].keys() >= {"web", "postgres", "rabbitmq", "storage"}

    def test_hands_every_setting_of_the_file_to_every_process_of_ours(self):
        """A setting that the guide names must not be ignored because this file does not repeat it."""
        example = (DEPLOY / "callscope.env.example").read_text("utf-8")

        assert [each.get("env_file") for each in OURS.values()] == [["callscope.env"]] * len(OURS)
        assert "deploy/callscope.env " in example

    def test_shuts_every_process_of_ours_in(self):
        for name, each in OURS.items():
            assert each["read_only"] is True, name
            assert each["cap_drop"] == ["ALL"]
            assert each["volumes"][0].endswith(":/data")
            assert "/tmp" in each["tmpfs"][0]

    def test_publishes_the_port_on_this_machine_alone_and_the_others_not_at_all(self):
        ports = {name: each["ports"] for name, each in COMPOSE["services"].items() if "ports" in each}

        assert ports == {"web": [f"127.0.0.1:{PORT}:{PORT}"]}

    def test_checks_the_health_of_what_others_wait_for(self):
        for each in COMPOSE["services"].values():
            for other, needed in each.get("depends_on", {}).items():
                if needed["condition"] == "service_healthy":
                    assert "test" in COMPOSE["services"][other]["healthcheck"], other

    def test_checks_the_health_of_the_web_and_lets_nobody_wait_for_that_of_the_others(self):
        """`up --wait` fails for a process whose check is switched off; where none is, running is enough."""
        checks = {name: each["healthcheck"] for name, each in OURS.items() if "healthcheck" in each}

        assert checks.keys() == {"web"}
        assert f"127.0.0.1:{PORT}/healthz" in checks["web"]["test"][-1]
        assert "HEALTHCHECK" not in CONTAINERFILE  # a worker would have it as well

    def test_waits_for_the_database_that_stays(self):
        """On its first start, the image of PostgreSQL runs a server without a port, and stops it again."""
        assert "--host" in COMPOSE["services"]["postgres"]["healthcheck"]["test"]

    def test_names_a_version_of_every_image(self):
        images = [each["image"] for name, each in COMPOSE["services"].items() if name not in OURS]

        assert len(images) == 4
        assert all(re.search(r":.*\d", image) for image in images)

    def test_hands_the_extras_of_the_example_to_the_image(self):
        build = OURS["web"]["build"]["args"]["EXTRAS"]
        default = re.search(r"^ARG EXTRAS=(.*)$", CONTAINERFILE, re.MULTILINE)[1]

        assert build == f"${{CALLSCOPE_EXTRAS:-{default}}}"

    def test_keeps_its_passwords_out_of_the_repository(self):
        assert "deploy/callscope.env" in (ROOT / ".gitignore").read_text("utf-8").split()

    def test_gives_all_parts_of_ours_the_same_settings(self):
        common = OURS["asr-worker"]["environment"]

        assert all(common.items() <= each["environment"].items() for each in OURS.values())

    def test_asks_for_what_the_example_names(self):
        asked = set(re.findall(r"\$\{([A-Z0-9_]+)[:}]", (DEPLOY / "compose.yaml").read_text("utf-8")))
        named = set(
            re.findall(r"^([A-Z0-9_]+)=", (DEPLOY / "callscope.env.example").read_text("utf-8"), re.M)
        )

        assert named <= asked
        required = set(re.findall(r"\$\{([A-Z0-9_]+):\?", (DEPLOY / "compose.yaml").read_text("utf-8")))
        assert required <= named


class TestKubernetes:
    def test_has_commands_of_the_product_for_every_queue(self):
        arguments = [container["args"] for pod in pods() for container in pod["containers"]]
        queues = {q for each in arguments if each[0] == "worker" for q in each[2].split(",")}

        assert all(is_command(each) for each in arguments)
        assert queues == set(QUEUES)

    def test_shuts_every_pod_in(self):
        for pod in pods():
            assert pod["securityContext"]["runAsNonRoot"] is True
            for container in pod["containers"]:
                locked = container["securityContext"]
                assert locked["readOnlyRootFilesystem"] is True
                assert locked["allowPrivilegeEscalation"] is False
                mounts = {mount["mountPath"]: mount["name"] for mount in container["volumeMounts"]}
                assert mounts.keys() == {"/data", "/tmp"}
                assert {volume["name"] for volume in pod["volumes"]} == set(mounts.values())

    def test_probes_addresses_that_the_web_answers(self):
        web = next(c for pod in pods() for c in pod["containers"] if c["name"] == "web")

        assert web["livenessProbe"]["httpGet"]["path"] == "/healthz"
        assert web["readinessProbe"]["httpGet"]["path"] == "/readyz"
        assert web["ports"] == [{"name": "http", "containerPort": int(PORT)}]

    def test_gives_settings_that_exist(self):
        settings = [each for each in OBJECTS if each["kind"] in ("ConfigMap", "Secret")]
        named = {name for each in settings for name in each.get("data", each.get("stringData", {}))}

        assert {n for n in named if n.startswith("CALLSCOPE_")} <= VARIABLES.keys()
        assert {"CALLSCOPE_SECRET_KEY", "CALLSCOPE_DATABASE_URL", "CALLSCOPE_STORAGE_URL"} <= named


class TestProxies:
    """The examples in the guide let through what Callscope takes, for as long as it may take."""

    EXAMPLES = dict(
        re.findall(
            r"```(nginx|caddy)\n(.*?)```", (ROOT / "docs" / "deployment.md").read_text("utf-8"), re.DOTALL
        )
    )

    def test_send_uploads_on_and_nothing_else_that_is_large(self):
        limits_mb = {
            "nginx": re.findall(r"client_max_body_size +(\d+)m;", self.EXAMPLES["nginx"]),
            "caddy": re.findall(r"max_size (\d+)MiB", self.EXAMPLES["caddy"]),
        }

        for found in limits_mb.values():
            assert min(map(int, found)) * 2**20 == settings.DATA_UPLOAD_MAX_MEMORY_SIZE
            assert max(map(int, found)) > Environment.read({}).max_upload_mb  # the form comes on top

    @pytest.mark.parametrize("path", ["/api/files/", "/api/projects/12/call-manifest/", "/api/files/3/", "/"])
    def test_know_the_addresses_of_uploads(self, path):
        paths = [
            re.search(r"location ~ (\^\S+) \{", self.EXAMPLES["nginx"])[1],
            re.search(r"@uploads path_regexp (\S+)", self.EXAMPLES["caddy"])[1],
        ]

        takes_files = bool(TAKES_FILES.fullmatch(path))
        assert [bool(re.search(each, path)) for each in paths] == [takes_files] * 2

    def test_wait_for_the_slowest_answer(self):
        [others, uploads] = map(int, re.findall(r"proxy_read_timeout (\d+)s;", self.EXAMPLES["nginx"]))
        [header_s] = map(int, re.findall(r"response_header_timeout (\d+)s", self.EXAMPLES["caddy"]))

        assert min(others, uploads, header_s) >= 1.5 * LIMIT_IN_ALL_S

    def test_give_a_large_upload_hours(self):
        [hours] = map(int, re.findall(r"read_body +(\d+)h\b", self.EXAMPLES["caddy"]))

        assert hours * 3600 * MEGABIT_S / 8 > Environment.read({}).max_upload_mb * 2**20

    @pytest.mark.skipif(not shutil.which("caddy"), reason="no caddy")
    def test_of_caddy_passes_requests_without_a_body_at_every_start(self, tmp_path):
        """Caddy reads the lines of a matcher in an order that differs from start to start."""
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        site = self.EXAMPLES["caddy"].replace("calls.example.com {", f"http://127.0.0.1:{port} {{")
        site = site.replace("reverse_proxy 127.0.0.1:8000 {", "respond 204\n    reverse_proxy 127.0.0.1:9 {")
        (tmp_path / "Caddyfile").write_text(site.replace("{\n", "{\n    admin off\n", 1), "utf-8")
        large = {"Content-Length": str(settings.DATA_UPLOAD_MAX_MEMORY_SIZE + 1)}

        answers = []
        for _ in range(6):
            command = ["caddy", "run", "--config", str(tmp_path / "Caddyfile")]
            with subprocess.Popen(
                command, env={**os.environ, "HOME": str(tmp_path)}, stderr=subprocess.DEVNULL
            ) as caddy:
                answers.append((ask(port, "GET", "/login/"), ask(port, "POST", "/login/", large)))
                caddy.terminate()

        assert answers == [(204, 413)] * 6


def ask(port: int, method: str, path: str, headers: dict[str, str] | None = None) -> int:
    """Return the status of a request, once something listens at the port."""
    until = time.monotonic() + 30
    while True:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        try:
            connection.request(method, path, headers=headers or {})
            return connection.getresponse().status
        except ConnectionRefusedError:
            if time.monotonic() > until:
                raise
            time.sleep(0.1)
        finally:
            connection.close()


class TestUnits:
    @pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
    def test_can_be_enabled(self, unit):
        text = unit.read_text("utf-8")

        assert "[Unit]" in text
        # The backup is started by its timer.
        assert ("[Install]" in text) == (unit.name != "callscope-backup.service")

    @pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
    def test_run_commands_of_the_product(self, unit):
        for line in re.findall(r"/opt/callscope/bin/callscope (.*)$", unit.read_text("utf-8"), re.MULTILINE):
            assert is_command(line.rstrip("'").split()), line

    @pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="no systemd-analyze")
    @pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
    def test_are_accepted_by_systemd(self, unit, tmp_path):
        for each in UNITS:  # a timer needs its service
            text = each.read_text("utf-8").replace("/opt/callscope/bin/callscope", "/bin/true")
            (tmp_path / each.name).write_text(text, "utf-8")

        done = subprocess.run(
            ["systemd-analyze", "verify", "--man=no", str(tmp_path / unit.name)],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

        assert done.returncode == 0, done.stderr
        assert unit.name not in done.stderr
