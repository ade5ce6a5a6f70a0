"""Settings: each says its unit and its reason, none leaks, and each is read from its variable."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import SecretStr, ValidationError

from pipeline.settings import Settings, setting


@pytest.mark.parametrize("name", sorted(Settings.model_fields))
def test_setting_has_unit_and_reason(name):
    extra = Settings.model_fields[name].json_schema_extra or {}
    assert str(extra.get("unit", "")).strip(), f"{name} has no unit"
    assert len(str(extra.get("reason", "")).split()) >= 3, f"{name} has no reason"


def test_setting_without_unit_or_reason_cannot_be_declared():
    with pytest.raises(TypeError):
        setting(1, unit="things")
    with pytest.raises(TypeError):
        setting(1, reason="because it was measured")


@pytest.mark.parametrize("name", sorted(Settings.model_fields))
def test_default_keeps_its_own_constraints(name):
    field = Settings.model_fields[name]
    Settings.__pydantic_validator__.validate_assignment(Settings.model_construct(), name, field.get_default(call_default_factory=True))


def test_number_settings_have_a_lower_bound():
    unbounded = [
        name
        for name, field in Settings.model_fields.items()
        if field.annotation in (int, float) and not any(hasattr(rule, "ge") or hasattr(rule, "gt") for rule in field.metadata)
    ]
    assert unbounded == []


def test_settings_are_read_from_the_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("CLINDEX_HOME", str(tmp_path))
    monkeypatch.setenv("CLINDEX_SEARCH_LIMIT", "7")
    settings = Settings()
    assert settings.home == tmp_path
    assert settings.search_limit == 7
    assert settings.database == f"sqlite:///{tmp_path / 'truth.sqlite'}"
    assert settings.landing == f"file://{tmp_path / 'landing'}"


def test_stores_named_by_url_are_used_in_place_of_the_home(monkeypatch):
    monkeypatch.setenv("CLINDEX_DATABASE_URL", "postgresql+psycopg://u:p@db/truth")
    monkeypatch.setenv("CLINDEX_CACHE_URL", "sqlite:///cache.sqlite")
    monkeypatch.setenv("CLINDEX_LANDING_URL", "s3://bucket/landing")
    settings = Settings()
    assert settings.database == "postgresql+psycopg://u:p@db/truth"
    assert settings.cache == "sqlite:///cache.sqlite"
    assert settings.landing == "s3://bucket/landing"


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("CLINDEX_SEARCH_LIMIT", "0"),
        ("CLINDEX_MAX_DELETE_SHARE", "1.5"),
        ("CLINDEX_COLLECTION", "a/b"),
        ("CLINDEX_COLLECTION", "a\n"),
        ("CLINDEX_SERVE_PORT", "70000"),
    ],
)
def test_a_value_out_of_bounds_is_refused_and_not_repeated(monkeypatch, variable, value):
    monkeypatch.setenv(variable, value)
    with pytest.raises(ValidationError) as caught:
        Settings()
    assert "input_value" not in str(caught.value)


def test_secrets_are_not_shown(monkeypatch):
    monkeypatch.setenv("CLINDEX_SITE_SECRET", "0123456789abcdef")
    monkeypatch.setenv("CLINDEX_DATABASE_URL", "postgresql+psycopg://u:0123456789abcdef@db/truth")
    settings = Settings()
    assert "0123456789abcdef" not in repr(settings)
    assert "0123456789abcdef" not in settings.model_dump_json()


def test_every_setting_that_holds_a_credential_is_a_secret():
    telling = ("secret", "password", "api_key", "database_url", "cache_url", "token")
    for name, field in Settings.model_fields.items():
        if any(word in name for word in telling) and not name.endswith(("_file", "_tokens")):
            assert SecretStr in getattr(field.annotation, "__args__", (field.annotation,)), name


def test_settings_cannot_be_changed_while_a_job_runs(tmp_path):
    with pytest.raises(ValidationError):
        Settings(home=tmp_path).home = Path("elsewhere")


@pytest.mark.parametrize(
    "values",
    [
        {"protocol_min_characters": 1500},
        {"protocol_target_characters": 2000},
        {"protocol_max_characters": 1000},
        {"protocol_overlap_characters": 1200},
    ],
)
def test_lengths_that_contradict_each_other_are_refused_by_name(values):
    with pytest.raises(ValidationError, match=r"protocol_\w+_characters"):
        Settings(**values)
