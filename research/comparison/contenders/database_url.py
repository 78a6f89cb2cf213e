"""The address of a database as SQLAlchemy reads it, and its tables."""

import os

from sqlalchemy.engine import URL


def database_url(database):
    return URL.create(
        "postgresql+psycopg2",
        username=os.environ.get("PGUSER"),
        password=os.environ.get("PGPASSWORD"),
        host=os.environ.get("PGHOST"),
        port=int(os.environ.get("PGPORT", 5432)),
        database=database,
    )
