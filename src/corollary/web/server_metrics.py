"""The counters of the server, in the text format of Prometheus."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import accumulate

#: Upper ends of the classes of latency, seconds.
ENDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Metrics:
    """Requests by route and status, with their times; written only by the event loop."""

    def __init__(self) -> None:
        self.started = time.time()
        self._requests: Counter[tuple[str, str, int]] = Counter()
        self._classes: dict[tuple[str, str], list[int]] = {}
        self._seconds: Counter[tuple[str, str]] = Counter()

    def note(self, method: str, route: str, status: int, seconds: float | None) -> None:
        """Count a request; unknown methods and addresses share one counter, to bound memory."""
        method = method if method in ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE") else "other"
        self._requests[method, route, status] += 1
        if seconds is None:
            return
        classes = self._classes.setdefault((method, route), [0] * (len(ENDS) + 1))
        classes[bisect_left(ENDS, seconds)] += 1
        self._seconds[method, route] += seconds  # type: ignore[assignment]

    def text(self, gauges: Mapping[str, tuple[str, str, float]]) -> str:
        """Return all counters, with figures of the campaign: kind, description and value by name."""
        lines = [*self._of_requests(), *self._of_latency()]
        for name, (kind, about, value) in {**gauges, **self._own()}.items():
            lines += [
                f"# HELP corollary_{name} {about}",
                f"# TYPE corollary_{name} {kind}",
                f"corollary_{name} {value:.17g}",
            ]
        return "\n".join(lines) + "\n"

    def _own(self) -> dict[str, tuple[str, str, float]]:
        return {
            "start_time_seconds": (
                "gauge",
                "When the server started, seconds since 1970.",
                self.started,
            )
        }

    def _of_requests(self) -> Iterator[str]:
        yield "# HELP corollary_http_requests_total Requests by route and status."
        yield "# TYPE corollary_http_requests_total counter"
        for (method, route, status), count in sorted(self._requests.items()):
            yield f'corollary_http_requests_total{{method="{method}",route="{route}",status="{status}"}} {count}'

    def _of_latency(self) -> Iterator[str]:
        yield "# HELP corollary_http_request_seconds How long requests took."
        yield "# TYPE corollary_http_request_seconds histogram"
        for (method, route), classes in sorted(self._classes.items()):
            about = f'method="{method}",route="{route}"'
            sums = list(accumulate(classes))
            for end, below in zip((*map(str, ENDS), "+Inf"), sums, strict=True):
                yield f'corollary_http_request_seconds_bucket{{{about},le="{end}"}} {below}'
            yield f"corollary_http_request_seconds_sum{{{about}}} {self._seconds[method, route]:.6f}"
            yield f"corollary_http_request_seconds_count{{{about}}} {sums[-1]}"
