"""What the live service keeps: tables, and what is read from and written to them."""

from sqlalchemy import Connection

from ustory.store.database import Store
from ustory.store.errors import Unavailable

__all__ = ["Connection", "Store", "Unavailable"]
