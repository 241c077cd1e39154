"""Where work is done: here, in other processes, or on a Ray cluster."""

from ustory.engine.executors.inline import InlineExecutor
from ustory.engine.executors.load import load_executor

__all__ = ["InlineExecutor", "load_executor"]
