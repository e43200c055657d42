"""A repository of a person, dropped afterwards."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.torture.ground import Ground, end_all, new_ground


@pytest.fixture
def ground() -> Iterator[Ground]:
    made = new_ground()
    try:
        yield made
    finally:
        end_all(made.mark)
        made.drop()
