"""Serve a campaign in a process of its own: python process.py URL [port]. Prints the address when it is ready."""

from __future__ import annotations

import logging
import sys

from corollary.campaign.campaign import Campaign
from corollary.web.server import serve


def main(url: str, port: str = "0", mode: str = "team", root_path: str = "", *proxies: str) -> None:
    logging.basicConfig(level=logging.INFO, stream=sys.stderr)
    with Campaign.open(url) as campaign:
        serve(
            campaign,
            port=int(port),
            mode=mode,
            root_path=root_path,
            trusted_proxies=proxies,
            ready=lambda address: print(f"ready {address}", flush=True),  # noqa: T201
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
