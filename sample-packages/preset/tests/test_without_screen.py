"""Where there is no screen, what is missing is a finding, and everything else goes on."""

from __future__ import annotations

from typing import Any

import pytest
from pi_sample_preset import extension

from pi_core.api import SessionStart
from pi_core.testing.plugin import HarnessMaker

REVIEW = {"tools": ["read"], "model": "no/such"}


class NoModels:
    def find(self, provider: str, model_id: str) -> None:
        """None is there."""


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({}, "There is no preset 'review'; the settings have no table [preset.NAME]."),
        ({"preset": {"review": REVIEW}}, "The preset wants the model no/such, which is not there."),
    ],
)
def test_what_is_missing_is_told(pi_harness: HarnessMaker, settings: dict[str, Any], sentence: str) -> None:
    pi = pi_harness(extension, settings=settings, flags={"preset": "review"}, strict=False)
    pi.host.models = NoModels()
    pi.emit(SessionStart(reason="startup"))
    (finding,) = pi.diagnostics
    assert finding.message.endswith(sentence)
