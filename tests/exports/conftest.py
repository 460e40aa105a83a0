"""The ledgers of what is given to tests, as tests/answers has them."""

from tests.answers.conftest import given_all, own

__all__ = ["given_all", "own"]
