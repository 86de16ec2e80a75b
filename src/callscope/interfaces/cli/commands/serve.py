"""`callscope serve` and `callscope worker`: the programs that run until they are stopped."""

import errno
import logging
import os
import socket
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Literal, NoReturn

import typer

from callscope.interfaces.cli.runtime import output, startup
from callscope.interfaces.cli.runtime.errors import Failure
from callscope.interfaces.cli.runtime.result import AdminCommand, JsonFlag
from callscope.interfaces.cli.runtime.supervisor import Child, Supervisor
from callscope.processes.stop import Stop

if TYPE_CHECKING:
    from callscope.environment import Environment

logger = logging.getLogger(__name__)

QUEUES = ("asr", "llm", "default")
# A server that was killed a moment ago may hold its port a little longer.
PORT_TIMEOUT_S = 5.0
START_TIMEOUT_S = 120.0  # a cold disk and a busy machine; loading takes about three seconds
POLL_S = 0.1
HOSTS_SETTING = "CALLSCOPE_ALLOWED_HOSTS"
EVERY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - and how this machine reaches it


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.command("serve", cls=AdminCommand)(serve)
    app.command("worker", cls=AdminCommand)(worker)


def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")] = 8000,
    workers: Annotated[int, typer.Option(min=0, max=256, help="Pipeline workers; 0: web only.")] = 2,
    as_json: JsonFlag = False,
) -> None:
    """Serve the web and run pipeline workers, until SIGTERM or Ctrl-C stops them together."""
    run_server(host, port, workers, announce="json" if as_json else "text")


def run_server(
    host: str, port: int, workers: int, *, announce: Literal["text", "json", "nothing"]
) -> NoReturn:
    """Serve until stopped, and end the program; `announce` is what stdout gets once the web answers."""
    environment = startup.start_django()
    from django.db import connections

    # The children open connections of their own; this process needs none while it supervises.
    connections.close_all()
    require_free_port(host, port)
    answer_for(host)
    stop = Stop()
    stop.on_signals()
    own_pid = str(os.getpid())
    web = Child(
        "web process",
        [sys.executable, "-m", "callscope.interfaces.cli.runtime.web_process", host, str(port), own_pid],
    )
    pipeline = [sys.executable, "-m", "callscope", "worker", "--parent", own_pid]
    supervisor = Supervisor([web, *(Child(f"worker {n + 1}", pipeline) for n in range(workers))], stop)
    try:
        supervisor.start()
        if not _wait_until_it_listens(web, host, port, stop):
            raise typer.Exit(0 if stop.is_requested else 1)
        shown_host = f"[{host}]" if ":" in host else host
        address = f"http://{shown_host}:{port}{environment.url_prefix}/"
        if announce == "json":
            output.print_json({"url": address, "workers": workers})
        elif announce == "text":
            with_workers = f"{workers} pipeline workers" if workers != 1 else "1 pipeline worker"
            _announce(f"Callscope listens on {address} with {with_workers}.", environment)
        supervisor.run()
    finally:
        supervisor.end()
    raise typer.Exit(0)


def answer_for(host: str) -> None:
    """Let the web processes answer for the address they listen on; say so where they need names for that.

    Without a list of names any page in a browser could reach this server by a name of its own.
    """
    if os.environ.get(HOSTS_SETTING, "").strip():
        return
    from callscope.environment import LOOPBACK_HOSTS

    if host in EVERY_ADDRESS:
        print(
            f"Warning: Callscope answers for localhost only. Name the hosts that people use: "
            f"{HOSTS_SETTING}=calls.example.com,192.0.2.7",
            file=sys.stderr,
        )
        return
    name = f"[{host}]" if ":" in host else host
    os.environ[HOSTS_SETTING] = ",".join(dict.fromkeys([*LOOPBACK_HOSTS, name]))


def worker(
    queues: Annotated[
        str, typer.Option(help="Queues to process, separated by commas: asr, llm, default.")
    ] = ",".join(QUEUES),
    drain: Annotated[bool, typer.Option("--drain", help="Exit when no jobs are left.")] = False,
    parent: Annotated[int, typer.Option(hidden=True)] = 0,
    as_json: JsonFlag = False,
) -> None:
    """Run one pipeline worker until SIGTERM or Ctrl-C; a running job goes back to the queue."""
    chosen = tuple(dict.fromkeys(name.strip() for name in queues.split(",") if name.strip()))
    unknown = [name for name in chosen if name not in QUEUES]
    if unknown or not chosen:
        raise typer.BadParameter(
            f'"{unknown[0] if unknown else queues}" is not a queue. Queues: {", ".join(QUEUES)}.'
        )
    environment = _start_worker_process(parent)
    from callscope.pipeline.models import SiteProcess
    from callscope.pipeline.operation import processes

    if not drain:
        processes.start_beating(SiteProcess.Role.WORKER, chosen)

    def announce() -> None:
        if not drain and not parent and not as_json:
            _announce(f"Worker ready for the queues {', '.join(chosen)}.", environment)

    if environment.queue_url and not drain:
        from callscope.pipeline.workers import celery_worker

        celery_worker.run(chosen, announce)
        processes.forget_quietly()
    else:
        from callscope.pipeline.workers.worker import Worker

        stop = Stop()
        stop.on_signals()
        announce()
        Worker(chosen, stop=stop).run(drain=drain)
        if not drain:
            processes.forget_quietly()
        if drain and stop.is_requested:
            raise Failure("Stopped before all jobs were done.")
        if drain:
            _require_nothing_left(chosen)
    if as_json:
        output.print_json({"queues": chosen, "drained": drain})


def _announce(sentence: str, environment: "Environment") -> None:
    """Print that the work begins; where lines of the log are JSON, as one of them, for who collects them."""
    if environment.log_format == "json":
        logger.info("%s", sentence)
    else:
        output.print_text(f"{sentence} Press Ctrl-C to stop.")


def _require_nothing_left(queues: Sequence[str]) -> None:
    """Raise a Failure if jobs wait for an engine of this machine that is not there."""
    from callscope.pipeline.queue import jobs
    from callscope.pipeline.queue.breakers.states import list_missing

    left = jobs.count_open(queues)
    if left and (missing := list_missing()):
        waits = "1 job waits" if left == 1 else f"{left} jobs wait"
        raise Failure(f"{waits}. {next(iter(missing.values()))}")


def _start_worker_process(parent: int) -> "Environment":
    """Start Django; under a supervisor without its checks and warnings, and bound to its end."""
    if not parent:
        return startup.start_django(secret_key=False)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "callscope.settings")
    import django

    from callscope.environment import Environment
    from callscope.processes import death_signal

    django.setup()
    death_signal.die_with_parent(parent)
    return Environment.read()


def require_free_port(host: str, port: int) -> None:
    """Raise a Failure if another program listens there, or the address is not one of this machine."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except socket.gaierror as error:
        raise Failure(f'"{host}" is not an address of this machine: {error.strerror}.') from None
    until = time.monotonic() + PORT_TIMEOUT_S
    while True:
        with socket.socket(family, kind, protocol) as probe:
            # Connections of an earlier server that still linger do not count as a user of the port.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(address)
                probe.listen(1)
                return
            except OSError as error:
                if error.errno != errno.EADDRINUSE:
                    raise Failure(f"Port {port} on {host} cannot be used: {error.strerror}.") from None
        if time.monotonic() > until:
            raise Failure(f"Port {port} on {host} is used by another program. Choose another with --port.")
        time.sleep(0.2)


def _wait_until_it_listens(web: Child, host: str, port: int, stop: Stop) -> bool:
    """Return True once the web process answers; False if it ended, or does not answer in time."""
    target = EVERY_ADDRESS.get(host, host)
    until = time.monotonic() + START_TIMEOUT_S
    while not stop.is_requested and time.monotonic() < until:
        if not web.is_running():
            print("The web process could not start; the lines above say why.", file=sys.stderr)
            return False
        try:
            socket.create_connection((target, port), timeout=1).close()
            return True
        except OSError:
            stop.wait(POLL_S)
    if not stop.is_requested:
        print(f"The web process did not answer within {START_TIMEOUT_S:.0f} s.", file=sys.stderr)
    return False
