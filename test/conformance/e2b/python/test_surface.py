"""The table of docs/conformance/e2b.md names every public method: this compares its list with the SDK itself."""

import inspect
import json
import pathlib

import e2b

SURFACE = json.loads((pathlib.Path(__file__).parent.parent / "surface.json").read_text())["python"]


def public(owner, prefix: str, more: tuple[str, ...] = ()) -> set[str]:
    names = [name for name, _ in inspect.getmembers(owner) if not name.startswith("_")] + list(more)
    return {f"{prefix}.{name}" for name in names}


def test_surface(sandbox, go):
    """surface: the SDK has exactly the methods that the table lists"""
    from e2b import AsyncCommandHandle, AsyncWatchHandle, CommandHandle, WatchHandle
    from e2b.sandbox_async.commands.command_input_handle import AsyncCommandInputHandle

    async def case(other):
        return {kind: type(getattr(other, kind)) for kind in ("commands", "pty", "files")}

    found = set()
    for kind in ("commands", "pty", "files"):
        found |= public(type(getattr(sandbox, kind)), kind)
    for kind, owner in go(case).items():
        found |= public(owner, f"async.{kind}")
    found |= public(CommandHandle, "CommandHandle", ("__iter__",)) | public(WatchHandle, "WatchHandle")
    found |= public(AsyncCommandHandle, "AsyncCommandHandle") | public(AsyncWatchHandle, "AsyncWatchHandle")
    found |= public(AsyncCommandInputHandle, "AsyncCommandInputHandle")
    assert found == set(SURFACE["methods"])
    assert all(hasattr(e2b, name) for name in SURFACE["errors"])
