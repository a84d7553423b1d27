"""The API keeps to its own description, whatever is sent: no server errors, and answers of the shape described."""

from __future__ import annotations

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import CHECKS, load_all_checks

from corollary.web.access.rate_limits import Rate
from corollary.web.access.sign_in import MAY
from corollary.web.app import describe, make_app

pytestmark = pytest.mark.slow

ENDLESS = ("GET /api/events",)  # a stream
load_all_checks()
HELD = [
    CHECKS.get_one(name)
    for name in (
        "not_a_server_error",
        "status_code_conformance",
        "content_type_conformance",
        "response_schema_conformance",
    )
]


@pytest.mark.parametrize("role", ["lead", "annotator"])
def test_nothing_sent_makes_a_server_error(campaign, tokens, role):
    quick = Rate(1e9, 1e9)
    app = make_app(campaign, mode="team", rates={"sign-in": quick, "answer": quick, "other": quick})
    schema = schemathesis.openapi.from_asgi("/api/openapi.json", app)
    headers = {"Authorization": f"Bearer {tokens[role]}"}
    tried = []
    for found in schema.get_all_operations():
        operation = found.ok()
        line = f"{operation.method.upper()} {operation.path}"
        if line in ENDLESS:
            continue

        @settings(
            max_examples=10,
            deadline=None,
            derandomize=True,
            database=None,
            phases=[Phase.explicit, Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy())
        def attack(case):
            case.call_and_validate(checks=HELD, headers=headers)

        attack()
        tried.append(line)
    assert len(tried) > 30


def test_the_description_is_complete(app):
    described = describe(app)
    assert described["components"]["securitySchemes"]
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            assert operation["description"], (method, path)
            assert operation["x-access"] in MAY
            assert "4XX" in operation["responses"]
            for parameter in operation.get("parameters", ()):
                assert parameter["description"], (method, path, parameter["name"])
    for name, shape in described["components"]["schemas"].items():
        assert shape.get("description"), name
        for field, about in shape.get("properties", {}).items():
            assert about.get("description") or "$ref" in about, (name, field)  # or described there
