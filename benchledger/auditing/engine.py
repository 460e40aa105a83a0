"""Great Expectations on DuckDB: as shipped it reads rows after their connection has gone back, and finds none."""

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
    """The engine of Great Expectations, except that a result is read to its end before its connection is let go."""

    def execute_query(self, query: Any) -> Any:
        """The rows of a query, kept apart from the connection."""
        with self.get_connection() as connection:
            return connection.execute(query).freeze()()


class LedgerDatasource(SQLDatasource):
    """A datasource of Great Expectations on a DuckDB connection that is open already."""

    type: Literal["benchledger"] = "benchledger"  # type: ignore[assignment]  # a new word for its registry

    def get_engine(self) -> Any:
        """SQLAlchemy's engine, made once by `on`."""
        return self._engine

    def get_execution_engine(self) -> Any:
        """The engine that reads results in time, on the one connection."""
        if self._execution_engine is None:
            self._execution_engine = FrozenResultEngine(engine=self._engine, create_temp_table=False)
        return self._execution_engine

    @classmethod
    def on(cls, con: duckdb.DuckDBPyConnection) -> LedgerDatasource:
        """A datasource on this connection: its temporary tables are seen, and nothing is opened a second time."""
        source = cls(name="ledger", connection_string="duckdb://")
        source._engine = sqlalchemy.create_engine(
            "duckdb://", creator=lambda: duckdb_engine.ConnectionWrapper(con), poolclass=StaticPool
        )
        return source
