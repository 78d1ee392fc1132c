"""The app on a scripted model that streams at a given pace; `benchmarks.screen_crowd` starts it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from deploy.server import MIDDLEWARE, lifespan
from tabulaflow_core.models.contracts import ModelRequest
from tabulaflow_core.models.scripted import ScriptedModel, Step, delay, text
from tabulaflow_core.runtime import Runtime
from tabulaflow_core.runtime.singleton import adopt

WORDS = int(os.environ["BENCH_WORDS"])
PACE = float(os.environ["BENCH_PACE"])


def answer(request: ModelRequest) -> Sequence[Step]:
    """Words at a pace, and one that ends them."""
    steps: list[Step] = []
    for at in range(WORDS):
        steps += [text(f"word{at} "), delay(PACE)]
    return [*steps, text("finis.")]


adopt(Runtime(model_factory=lambda name: ScriptedModel(rule=answer)))
app = st.App(Path(__file__).parent.parent / "app.py", middleware=MIDDLEWARE, lifespan=lifespan)
