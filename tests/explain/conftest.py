"""The ledger of tests/views, whose rows are made by hand."""

from tests.views.conftest import ledger, opened

__all__ = ["ledger", "opened"]
