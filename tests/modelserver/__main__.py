"""Run the server by itself: `python -m tests.modelserver --port 8099 --rule chat-sessions`."""

from __future__ import annotations

import argparse
import threading

from tabulaflow_core.models.scripts import SCRIPTS
from tests.modelserver.server import ModelServer


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--rule", choices=sorted(SCRIPTS), default="chat-sessions")
    options = parser.parse_args()
    with ModelServer(rule=SCRIPTS[options.rule], port=options.port) as server:
        print(server.url, flush=True)  # noqa: T201
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            return


if __name__ == "__main__":
    main()
