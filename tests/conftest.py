"""One way to run hypothesis: no deadlines (kernels compile), the same examples."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("ustory", deadline=None, derandomize=True)
settings.load_profile("ustory")
