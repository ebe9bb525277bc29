import pytest
from e2b import (
    AuthenticationException,
    FileNotFoundException,
    FilesystemEventType,
    InvalidArgumentException,
    NotFoundException,
    SandboxException,
)


def collect(watch, until, name: str, kind: FilesystemEventType):
    """Takes events until the one that is waited for."""
    seen = []

    def more():
        seen.extend(watch.get_new_events())
        return seen

    until(more, lambda events: any(one.name == name and one.type == kind for one in events))
    return seen


@pytest.mark.parametrize(
    ("before", "change", "name", "kind"),
    [
        ("true", "touch new", "new", FilesystemEventType.CREATE),
        ("true", "mkdir dir", "dir", FilesystemEventType.CREATE),
        ("touch f", "echo x >> f", "f", FilesystemEventType.WRITE),
        ("touch f", "rm f", "f", FilesystemEventType.REMOVE),
        ("touch f", "chmod 600 f", "f", FilesystemEventType.CHMOD),
        ("touch f", "mv f g", "f", FilesystemEventType.RENAME),
    ],
)
def test_events(sandbox, folder, shell, until, before, change, name, kind):
    """files.watch_dir + WatchHandle.get_new_events: each kind of change is told"""
    shell(f"cd {folder} && rm -rf ./* && {before}")
    watch = sandbox.files.watch_dir(folder)
    shell(f"cd {folder} && {change}")
    collect(watch, until, name, kind)
    watch.stop()


def test_drained(sandbox, folder, shell, until):
    """WatchHandle.get_new_events: each event comes once"""
    watch = sandbox.files.watch_dir(folder)
    assert watch.get_new_events() == []
    shell(f"mkdir {folder}/once")
    collect(watch, until, "once", FilesystemEventType.CREATE)
    assert watch.get_new_events() == []
    watch.stop()


def test_recursive(sandbox, folder, shell, until):
    """files.watch_dir: recursive tells of folders below"""
    shell(f"mkdir -p {folder}/a/b")
    watch = sandbox.files.watch_dir(folder, recursive=True)
    shell(f"mkdir {folder}/a/b/deep")
    collect(watch, until, "a/b/deep", FilesystemEventType.CREATE)
    watch.stop()


def test_not_recursive(sandbox, folder, shell, until):
    """files.watch_dir: folders below are silent unless asked for"""
    shell(f"mkdir -p {folder}/a")
    watch = sandbox.files.watch_dir(folder)
    shell(f"mkdir {folder}/a/inner {folder}/mark")
    seen = collect(watch, until, "mark", FilesystemEventType.CREATE)
    assert not any("inner" in one.name for one in seen)
    watch.stop()


def test_include_entry(sandbox, folder, shell, until):
    """files.watch_dir: include_entry brings the entry"""
    watch = sandbox.files.watch_dir(folder, include_entry=True)
    shell(f"mkdir {folder}/made")
    seen = collect(watch, until, "made", FilesystemEventType.CREATE)
    assert seen[0].entry.path == f"{folder}/made"
    watch.stop()


def test_stop(sandbox, folder):
    """WatchHandle.stop + SandboxException: after it no events can be had"""
    watch = sandbox.files.watch_dir(folder)
    watch.stop()
    with pytest.raises(SandboxException):
        watch.get_new_events()


def test_stop_twice(sandbox, folder):
    """WatchHandle.stop + NotFoundException: a second time there is nothing to stop"""
    watch = sandbox.files.watch_dir(folder)
    watch.stop()
    with pytest.raises(NotFoundException):
        watch.stop()


def test_missing(sandbox, folder):
    """files.watch_dir + FileNotFoundException: a missing folder"""
    with pytest.raises(FileNotFoundException):
        sandbox.files.watch_dir(f"{folder}/none")


def test_file(sandbox):
    """files.watch_dir + InvalidArgumentException: a file is no folder"""
    with pytest.raises(InvalidArgumentException):
        sandbox.files.watch_dir("/etc/hostname")


def test_unknown_user(sandbox):
    """files.watch_dir + AuthenticationException: an unknown user"""
    with pytest.raises(AuthenticationException):
        sandbox.files.watch_dir("/tmp", user="ghost")
