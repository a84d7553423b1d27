"""What the server counts about itself, as Prometheus reads it."""

from __future__ import annotations

from corollary.web.server_metrics import ENDS, Metrics


def test_requests_are_counted_by_route_and_status():
    metrics = Metrics()
    for status in (200, 200, 404):
        metrics.note("GET", "/api/me", status, 0.02)
    lines = metrics.text({}).splitlines()
    assert 'corollary_http_requests_total{method="GET",route="/api/me",status="200"} 2' in lines
    assert 'corollary_http_requests_total{method="GET",route="/api/me",status="404"} 1' in lines


def test_latencies_are_counted_up_to_each_end():
    metrics = Metrics()
    for seconds in (ENDS[0], 0.02, 99.0):
        metrics.note("POST", "/api/answers", 200, seconds)
    metrics.note("POST", "/api/answers", 200, None)  # a stream, that has no end to time
    about = 'method="POST",route="/api/answers"'
    lines = metrics.text({}).splitlines()
    below = {
        end: f'corollary_http_request_seconds_bucket{{{about},le="{end}"}}'
        for end in (*ENDS, "+Inf")
    }
    assert f"{below[ENDS[0]]} 1" in lines
    assert f"{below[0.025]} 2" in lines
    assert f"{below[ENDS[-1]]} 2" in lines
    assert f"{below['+Inf']} 3" in lines
    assert f"corollary_http_request_seconds_count{{{about}}} 3" in lines
    assert f"corollary_http_request_seconds_sum{{{about}}} {ENDS[0] + 0.02 + 99.0:.6f}" in lines


def test_methods_of_ones_own_do_not_fill_the_memory():
    metrics = Metrics()
    for n in range(100):
        metrics.note(f"X{n}", "none", 405, None)
    assert (
        'corollary_http_requests_total{method="other",route="none",status="405"} 100'
        in metrics.text({})
    )


def test_figures_of_the_campaign_come_with_what_they_are():
    lines = Metrics().text({"answers_total": ("counter", "Answers.", 3)}).splitlines()
    assert lines[4:7] == [
        "# HELP corollary_answers_total Answers.",
        "# TYPE corollary_answers_total counter",
        "corollary_answers_total 3",
    ]
    assert lines[-1].startswith("corollary_start_time_seconds ")
