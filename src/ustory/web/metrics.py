"""What Prometheus is told, in a registry of its own."""

from __future__ import annotations

import time

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MEDIA_TYPE = CONTENT_TYPE_LATEST
METHODS = frozenset(("DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"))
"""Methods that are counted by name; a caller may make up any other."""


class Metrics:
    """Counters and gauges of one server. Mutable."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry(auto_describe=True)
        self.requests = Counter(
            "ustory_requests",
            "Requests answered.",
            ["method", "path", "status"],
            registry=self.registry,
        )
        self.seconds = Histogram(
            "ustory_request_seconds",
            "Time to the first byte of an answer.",
            ["path"],
            registry=self.registry,
        )
        self.received = Counter(
            "ustory_articles_received",
            "Articles posted, by what became of them.",
            ["outcome"],
            registry=self.registry,
        )
        self.deliveries = Counter(
            "ustory_webhook_deliveries",
            "Webhook calls, by how they ended.",
            ["outcome"],
            registry=self.registry,
        )
        self._gauges: dict[str, Gauge] = {}

    def show(self, name: str, words: str, value: float) -> None:
        """Set a gauge, made when it is first shown."""
        if name not in self._gauges:
            self._gauges[name] = Gauge(name, words, registry=self.registry)
        self._gauges[name].set(value)

    def text(self) -> bytes:
        """Return all of it in the format that Prometheus reads."""
        written: bytes = generate_latest(self.registry)
        return written


class CountRequests:
    """Counts requests by the path of their route, never by what was asked for."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self.app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and count its answer."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        metrics, began = self._metrics, time.perf_counter()

        async def counted(message: Message) -> None:
            if message["type"] == "http.response.start":
                route = scope.get("route")
                path = getattr(route, "path", "(none)")
                method = scope["method"] if route is not None else "(any)"
                if route is not None and method not in METHODS:
                    method = "(other)"
                metrics.requests.labels(method, path, message["status"]).inc()
                metrics.seconds.labels(path).observe(time.perf_counter() - began)
            await send(message)

        await self.app(scope, receive, counted)
