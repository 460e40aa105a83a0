"""Runs Great Expectations on an open DuckDB connection.

Its own engine reads rows after it has returned their connection, and then finds none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import duckdb_engine
import sqlalchemy
from great_expectations.datasource.fluent.sql_datasource import SQLDatasource
from great_expectations.execution_engine.sqlalchemy_execution_engine import SqlAlchemyExecutionEngine
from sqlalchemy.pool import StaticPool

if TYPE_CHECKING:
    import duckdb


class FrozenResultEngine(SqlAlchemyExecutionEngine):
    """Great Expectations' engine, except that it reads a result to the end before it returns the connection."""

    def execute_query(self, query: Any) -> Any:
        with self.get_connection() as connection:
            return connection.execute(query).freeze()()


class LedgerDatasource(SQLDatasource):
    """A Great Expectations datasource on a DuckDB connection that is already open."""

    type: Literal["benchledger"] = "benchledger"  # type: ignore[assignment]  # a new word for its registry

    def get_engine(self) -> Any:
        return self._engine

    def get_execution_engine(self) -> Any:
        if self._execution_engine is None:
            self._execution_engine = FrozenResultEngine(engine=self._engine, create_temp_table=False)
        return self._execution_engine

    @classmethod
    def on(cls, con: duckdb.DuckDBPyConnection) -> LedgerDatasource:
        """Returns a datasource on this connection. It sees temporary tables and opens nothing a second time."""
        source = cls(name="ledger", connection_string="duckdb://")
        source._engine = sqlalchemy.create_engine(
            "duckdb://", creator=lambda: duckdb_engine.ConnectionWrapper(con), poolclass=StaticPool
        )
        return source
