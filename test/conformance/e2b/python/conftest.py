"""The Python SDK in its debug mode, against a runtime that run.ts has started.

Each case opens with a line of what it covers, as in `commands.run + CommandExitException: ...`; the table in
docs/conformance/e2b.md is made from those lines.
"""

import asyncio
import json
import os
import re
import subprocess
import time
from typing import Callable

import pytest
from e2b import AsyncSandbox, Sandbox

ROOT = ["nsenter", "--target", os.environ["WORLD_PID"], "--mount", "--pid", "--ipc", "--uts", "--root", "--wdns=/"]


@pytest.fixture(scope="session")
def sandbox() -> Sandbox:
    return Sandbox.create()


@pytest.fixture(scope="session")
def shell() -> Callable[[str], str]:
    """Runs a command as root beside the runtime."""

    def run(command: str) -> str:
        done = subprocess.run([*ROOT, "sh", "-c", command], capture_output=True, text=True, check=False)
        return (done.stdout + done.stderr).removesuffix("\n")

    return run


@pytest.fixture
def folder(shell, request) -> str:
    """A folder of the user's, fresh for each case."""
    name = re.sub(r"\W+", "-", request.node.name)
    path = f"/home/user/py-{name}"
    shell(f"mkdir -p {path} && chown user:user {path}")
    return path


@pytest.fixture
def go():
    """Runs an async case: `go(case)` where case takes an AsyncSandbox."""

    def run(case, limit: float = 30):
        async def main():
            return await asyncio.wait_for(case(await AsyncSandbox.create()), limit)

        return asyncio.run(main())

    return run


@pytest.fixture
def until():
    """Asks again until the answer is good: what is waited for, not the clock, ends the wait."""

    def ask(question: Callable[[], object], good: Callable[[object], bool] = bool, limit: float = 20):
        deadline = time.monotonic() + limit
        while True:
            answer = question()
            if good(answer):
                return answer
            if time.monotonic() > deadline:
                raise AssertionError(f"Still {answer!r} after {limit} s")
            time.sleep(0.01)

    return ask


def pytest_terminal_summary(terminalreporter):
    """Counts for run.ts."""
    path = os.environ.get("SUMMARY")
    if path is None:
        return
    stats = terminalreporter.stats
    failed = [report.nodeid for kind in ("failed", "error") for report in stats.get(kind, [])]
    with open(path, "w", encoding="utf8") as file:
        json.dump({"passed": len(stats.get("passed", [])), "failed": failed}, file)
