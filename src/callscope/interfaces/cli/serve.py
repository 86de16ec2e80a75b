"""`callscope serve` and `callscope worker`: the programs that run until they are told to stop."""

import errno
import logging
import os
import socket
import sys
import time
from collections.abc import Callable
from typing import Annotated, Any, Literal, NoReturn

import typer

from callscope.environment import Environment
from callscope.interfaces.cli import startup, stdout
from callscope.interfaces.cli.answers import AdminCommand, Failure, JsonFlag
from callscope.interfaces.cli.supervisor import Child, Supervisor
from callscope.pipeline.stopping import Stop

logger = logging.getLogger(__name__)

QUEUES = ("asr", "llm", "default")
# A server that was killed a moment ago may hold its port a little longer.
PORT_PATIENCE_S = 5.0
START_PATIENCE_S = 60.0


def register(app: typer.Typer) -> None:
    app.command("serve", cls=AdminCommand)(serve)
    app.command("worker", cls=AdminCommand)(worker)


def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")] = 8000,
    workers: Annotated[int, typer.Option(min=0, max=256, help="Pipeline workers; 0: web only.")] = 2,
    as_json: JsonFlag = False,
) -> None:
    """Serve the web and run pipeline workers, until SIGTERM or Ctrl-C stops them together."""
    run_server(host, port, workers, told="json" if as_json else "text")


def run_server(host: str, port: int, workers: int, *, told: Literal["text", "json", "nothing"]) -> NoReturn:
    """Serve until stopped, and end the program; `told` says what stdout hears once the web answers."""
    environment = _start()
    _require_free_port(host, port)
    stop = Stop()
    stop.on_signals()
    shown_host = f"[{host}]" if ":" in host else host
    address = f"http://{shown_host}:{port}{environment.url_prefix}/"
    with_workers = f"{workers} pipeline workers" if workers != 1 else "1 pipeline worker"

    def tell() -> None:
        if told == "json":
            stdout.tell({"url": address, "workers": workers})
        elif told == "text":
            stdout.say(f"Callscope listens on {address} with {with_workers}. Ctrl-C stops it.")

    raise typer.Exit(_supervise(_children(host, port, workers), stop, host, port, tell))


def worker(
    queues: Annotated[str, typer.Option(help="Queues to work for, by comma: asr, llm, default.")] = ",".join(
        QUEUES
    ),
    drain: Annotated[bool, typer.Option("--drain", help="End when nothing is left to do.")] = False,
    parent: Annotated[int, typer.Option(hidden=True)] = 0,
    as_json: JsonFlag = False,
) -> None:
    """Run one pipeline worker until SIGTERM or Ctrl-C; the job at hand goes back to the queue."""
    chosen = tuple(dict.fromkeys(name.strip() for name in queues.split(",") if name.strip()))
    unknown = [name for name in chosen if name not in QUEUES]
    if unknown or not chosen:
        raise typer.BadParameter(
            f'"{unknown[0] if unknown else queues}" is not a queue. Queues: {", ".join(QUEUES)}.'
        )
    environment = _start(quiet=bool(parent))
    if parent:
        from callscope.pipeline import parental_bond

        parental_bond.end_with_parent(parent)
    _work(chosen, drain, environment)
    if as_json:
        stdout.tell({"queues": chosen, "drained": drain})


def _work(queues: tuple[str, ...], drain: bool, environment: Environment) -> None:
    from callscope.pipeline.worker import Worker

    if environment.queue_url and not drain:
        _work_by_the_bell(queues)
        return
    stop = Stop()
    stop.on_signals()
    Worker(queues, stop=stop).run(drain=drain)
    if drain and stop.is_requested:
        raise Failure("Stopped before everything was done.")


def _work_by_the_bell(queues: tuple[str, ...]) -> None:
    try:
        from callscope.pipeline import bell_worker
    except ModuleNotFoundError as error:  # an extra that most installations do without
        raise Failure(
            f"CALLSCOPE_QUEUE_URL needs {error.name}. Install it with: pip install 'callscope[celery]'."
        ) from None
    bell_worker.run(queues)


def _start(*, quiet: bool = False) -> Environment:
    if quiet:  # the supervisor has told about unknown settings already
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "callscope.settings")
        import django

        django.setup()
        return Environment.read()
    environment = startup.start()
    from django.db import connections

    connections.close_all()
    return environment


def _children(host: str, port: int, workers: int) -> list[Child]:
    us = str(os.getpid())
    web = [sys.executable, "-m", "callscope.interfaces.cli.web_process", host, str(port), us]
    pipeline = [sys.executable, "-m", "callscope", "worker", "--parent", us]
    return [Child("web process", web), *(Child(f"worker {n + 1}", pipeline) for n in range(workers))]


def _supervise(children: list[Child], stop: Stop, host: str, port: int, tell: Callable[[], None]) -> int:
    """Run the children until a stop is requested; return the exit status."""
    supervisor = Supervisor(children, stop)
    try:
        supervisor.start()
        if not _listens(children[0], host, port, stop):
            return 0 if stop.is_requested else 1
        tell()
        supervisor.run()
    finally:
        supervisor.end()
    return 0


def _require_free_port(host: str, port: int) -> None:
    """Raise a Failure if somebody else listens there, or the address is not ours."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except socket.gaierror as error:
        raise Failure(f'"{host}" is not an address of this machine: {error.strerror}.') from None
    until = time.monotonic() + PORT_PATIENCE_S
    while (problem := _try_port(family, kind, protocol, address)) is not None:
        if problem.errno != errno.EADDRINUSE:
            raise Failure(f"Port {port} on {host} cannot be used: {problem.strerror}.")
        if time.monotonic() > until:
            raise Failure(f"Port {port} on {host} is used by another program. Choose another with --port.")
        time.sleep(0.2)


def _try_port(family: int, kind: int, protocol: int, address: Any) -> OSError | None:
    """Listen for a moment; return what stands against it."""
    with socket.socket(family, kind, protocol) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(address)
            probe.listen(1)
        except OSError as error:
            return error
    return None


def _listens(web: Child, host: str, port: int, stop: Stop) -> bool:
    """Wait until the web process answers; False when it ended, or does not answer in time."""
    target = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104
    until = time.monotonic() + START_PATIENCE_S
    while not stop.is_requested and time.monotonic() < until:
        if not web.is_running():
            print("The web process could not start; the lines above say why.", file=sys.stderr)
            return False
        try:
            socket.create_connection((target, port), timeout=1).close()
            return True
        except OSError:
            stop.wait(0.1)
    if not stop.is_requested:
        print(f"The web process did not answer within {START_PATIENCE_S:.0f} s.", file=sys.stderr)
    return False
