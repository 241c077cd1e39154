"""The archive of the service: tables, queries, search, exports and backups."""

from sqlalchemy import Connection

from ustory.store.database import Store
from ustory.store.errors import Unavailable

__all__ = ["Connection", "Store", "Unavailable"]
