"""Compose file and Dockerfile, where no engine runs: schema, lint, and that containers run what plain processes run."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

BIN = Path(sys.executable).parent
PARTS_OF_MAKE_UP = {"init", "api-server", "scheduler", "dag-processor", "triggerer"}
ONLY_WITH_CELERY_AND_FAB = {"worker", "create-admin"}


@pytest.fixture(scope="module")
def compose(root):
    return yaml.safe_load((root / "docker-compose.yaml").read_text())


@pytest.fixture(scope="module")
def airflow_services(compose):
    return {name: service for name, service in compose["services"].items() if name.startswith("airflow-")}


def check_compose(file: Path) -> int:
    command = [BIN / "check-jsonschema", "--builtin-schema", "vendor.compose-spec", file]
    return subprocess.run(command, capture_output=True, check=False).returncode


def lint_dockerfile(file: Path) -> str:
    return subprocess.run([BIN / "hadolint", file], capture_output=True, text=True, check=False).stdout


def test_compose_file_follows_the_compose_specification(root):
    assert check_compose(root / "docker-compose.yaml") == 0


def test_a_wrong_compose_file_is_found(root, tmp_path):
    file = tmp_path / "docker-compose.yaml"
    file.write_text((root / "docker-compose.yaml").read_text().replace("healthcheck:", "healthchecks:", 1))
    assert check_compose(file) != 0


def test_dockerfile_passes_the_linter(root):
    assert lint_dockerfile(root / "Dockerfile") == ""


@pytest.mark.parametrize(
    ("before", "after", "rule"),
    [
        ("python:3.11.14-slim-bookworm", "python:latest", "DL3007"),
        ("WORKDIR /build", "WORKDIR build", "DL3000"),
        ("USER 50000:0", "USER root", "DL3002"),
    ],
)
def test_a_wrong_dockerfile_is_found(root, tmp_path, before, after, rule):
    text = (root / "Dockerfile").read_text()
    assert before in text
    text = text.replace(before, after).replace("FROM ${PYTHON_IMAGE}", "FROM python:latest" if rule == "DL3007" else "FROM ${PYTHON_IMAGE}")
    file = tmp_path / "Dockerfile"
    file.write_text(text)
    assert rule in lint_dockerfile(file)


def test_services_are_those_of_airflows_own_file_and_our_stores(compose):
    assert set(compose["services"]) == {
        "postgres",
        "redis",
        "qdrant",
        "airflow-init",
        "airflow-admin",
        "airflow-apiserver",
        "airflow-scheduler",
        "airflow-dag-processor",
        "airflow-worker",
        "airflow-triggerer",
    }


def test_every_container_runs_a_part_that_also_runs_as_a_plain_process(root, airflow_services):
    parts = {service["command"][1] for service in airflow_services.values()}
    assert all(service["command"][0] == "scripts/airflow-part" for service in airflow_services.values())
    up = (root / "scripts" / "airflow_up.py").read_text()
    assert {part for part in parts if f'"{part}"' in up} == PARTS_OF_MAKE_UP
    assert parts - PARTS_OF_MAKE_UP == ONLY_WITH_CELERY_AND_FAB
    runner = (root / "scripts" / "airflow-part").read_text()
    assert all(re.search(rf"^{part}\)", runner, re.MULTILINE) for part in parts)


def test_an_unknown_part_is_refused(root):
    done = subprocess.run([root / "scripts" / "airflow-part", "webserver"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "usage" in done.stderr


def test_no_part_serves_logs_on_all_interfaces(root):
    commands = re.findall(r"exec airflow (scheduler|triggerer|celery worker)(.*)", (root / "scripts" / "airflow-part").read_text())
    assert len(commands) == 3
    assert all("--skip-serve-logs" in arguments for _, arguments in commands)


def test_every_service_says_how_its_health_is_checked(compose, root):
    for name, service in compose["services"].items():
        check = service["healthcheck"]
        if check.get("disable"):
            assert service["restart"] == "no", f"{name} runs on without a health check"
        else:
            assert check["test"], name
    checks = (root / "docker" / "healthcheck").read_text()
    parts = {
        service["healthcheck"]["test"][2] for service in compose["services"].values() if "docker/healthcheck" in str(service["healthcheck"])
    }
    assert all(re.search(rf"^{part}\)", checks, re.MULTILINE) for part in parts)


def test_images_are_pinned(compose, root):
    images = [service["image"] for service in compose["services"].values() if not service["image"].startswith("clindex:")]
    images += re.findall(r"^ARG PYTHON_IMAGE=(\S+)", (root / "Dockerfile").read_text(), re.MULTILINE)
    assert len(images) == 4
    assert [image for image in images if not re.search(r":v?\d+\.\d+(\.\d+)?", image)] == []


def test_published_ports_are_open_to_this_machine_only(compose):
    ports = [port for service in compose["services"].values() for port in service.get("ports", [])]
    assert ports
    assert all(port.startswith("127.0.0.1:") for port in ports)


def test_data_lie_in_named_volumes(compose):
    mounts = [mount.split(":")[0] for service in compose["services"].values() for mount in service.get("volumes", [])]
    assert {mount for mount in mounts if not mount.startswith("./docker/")} == set(compose["volumes"])


def test_no_secret_stands_in_an_environment(compose):
    secret = re.compile(r"PASSWORD$|SECRET|FERNET|API_KEY$|SQL_ALCHEMY_CONN|RESULT_BACKEND|DATABASE_URL")
    names = [name for service in compose["services"].values() for name in service.get("environment", {})]
    assert names
    assert [name for name in names if secret.search(name)] == []


def run_make_secrets(script: Path) -> dict[str, str]:
    subprocess.run(["bash", script], check=True, capture_output=True)
    return {file.name: file.read_text() for file in (script.parent.parent / "secrets").iterdir()}


def test_make_secrets_makes_every_secret_and_keeps_it(root, compose, tmp_path):
    (tmp_path / "scripts").mkdir()
    script = tmp_path / "scripts" / "make-secrets"
    script.write_bytes((root / "scripts" / "make-secrets").read_bytes())
    first, made = (run_make_secrets(script) for _ in range(2))
    assert made == first
    assert {secret["file"] for secret in compose["secrets"].values()} == {f"./secrets/{name}" for name in made}
    assert (tmp_path / "secrets").stat().st_mode & 0o077 == 0
    assert all(made.values())
    assert made["airflow_db_password"] in made["AIRFLOW__DATABASE__SQL_ALCHEMY_CONN"]
    assert made["airflow_db_password"] not in made["CLINDEX_DATABASE_URL"]


def test_secrets_stay_out_of_the_build(root):
    allowed = [line for line in (root / ".dockerignore").read_text().splitlines() if line.startswith("!")]
    assert (root / ".dockerignore").read_text().splitlines()[1] == "*"
    assert not any("secret" in line or ".clindex" in line for line in allowed)


def test_entrypoint_hands_secrets_on_by_their_file_name(root, tmp_path):
    (tmp_path / "CLINDEX_SITE_SECRET").write_text("not in the environment before")
    script = (root / "docker" / "entrypoint").read_text().replace("/run/secrets", str(tmp_path))
    done = subprocess.run(
        ["bash", "-c", script, "entrypoint", "printenv", "CLINDEX_SITE_SECRET"], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "not in the environment before"
