"""Where work is done: here, in other processes, or on a Ray cluster."""

from ustory.execute.inline import InlineExecutor
from ustory.execute.load import load_executor

__all__ = ["InlineExecutor", "load_executor"]
