"""Fixtures for the tests of the endpoint's client."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.core.talk import Talk


@pytest.fixture
def talk() -> Iterator[Callable[..., Talk]]:
    """Starts clients with scripted endpoints, which know nothing of each other, and ends them."""
    from core.llm import forget_endpoints

    opened: list[Talk] = []
    forget_endpoints()

    def start(*script: Any, **options: Any) -> Talk:
        opened.append(Talk(*script, **options))
        return opened[-1]

    yield start
    for one in opened:
        one.client.close()
        one.endpoint.close()
