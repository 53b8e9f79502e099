"""Loads what the first request to a model needs, while the person still writes.

Touches: modules, in a thread.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from pi_core.session.session import Session


async def warm_up(session: Session) -> None:
    """Import the libraries of the model in effect, which takes seconds, beside the event loop.

    Nothing is imported for a model that cannot be asked. A library that cannot be imported is no failure
    here: the request itself will say so.
    """
    models = session.parts.models
    if models.registry.is_usable(models.model):
        with suppress(Exception):
            await asyncio.to_thread(models.registry.warm, models.model)
