"""The async client speaks other calls than the sync one: it watches by stream and sends input by handle."""

import asyncio

import pytest
from e2b import (
    AuthenticationException,
    CommandExitException,
    FileNotFoundException,
    FilesystemEventType,
    InvalidArgumentException,
    NotFoundException,
    PtySize,
    TimeoutException,
)

SIZE = PtySize(rows=24, cols=80)


class Inbox:
    """Collects what callbacks bring; `until` waits for it."""

    def __init__(self):
        self.items = []
        self._news = asyncio.Event()

    def __call__(self, item):
        self.items.append(item)
        self._news.set()

    async def until(self, enough):
        while not enough(self.items):
            self._news.clear()
            await self._news.wait()
        return self.items


def test_run(go):
    """async.commands.run: gives stdout, stderr and exit code"""

    async def case(sandbox):
        result = await sandbox.commands.run("echo out; echo err >&2")
        assert (result.exit_code, result.stdout, result.stderr) == (0, "out\n", "err\n")

    go(case)


def test_run_fails(go):
    """async.commands.run + CommandExitException: a failing command raises"""

    async def case(sandbox):
        with pytest.raises(CommandExitException) as caught:
            await sandbox.commands.run("exit 7")
        assert caught.value.exit_code == 7

    go(case)


def test_run_many(go):
    """async.commands.run: thirty at once keep their outputs apart"""

    async def case(sandbox):
        results = await asyncio.gather(*(sandbox.commands.run(f"echo {n}; sleep 0.05; echo {n}") for n in range(30)))
        assert [one.stdout for one in results] == [f"{n}\n{n}\n" for n in range(30)]

    go(case, 60)


def test_run_timeout(go):
    """async.commands.run + TimeoutException: its timeout ends the command"""

    async def case(sandbox):
        with pytest.raises(TimeoutException):
            await sandbox.commands.run("sleep 40", timeout=0.5)

    go(case)


def test_handle(go):
    """AsyncCommandHandle.pid + AsyncCommandHandle.wait + AsyncCommandHandle.stdout + AsyncCommandHandle.stderr + AsyncCommandHandle.exit_code + AsyncCommandHandle.error: tell what happened"""

    async def case(sandbox):
        handle = await sandbox.commands.run("echo $$; echo err >&2; exit 2", background=True)
        with pytest.raises(CommandExitException):
            await handle.wait()
        assert (handle.stdout, handle.stderr) == (f"{handle.pid}\n", "err\n")
        assert (handle.exit_code, handle.error) == (2, "exit status 2")

    go(case)


def test_kill(go):
    """async.commands.kill + AsyncCommandHandle.kill: end the command, once"""

    async def case(sandbox):
        first, second = [await sandbox.commands.run("sleep 60", background=True) for _ in range(2)]
        assert await first.kill() is True
        assert await sandbox.commands.kill(second.pid) is True
        for handle in (first, second):
            with pytest.raises(CommandExitException):
                await handle.wait()
        assert await sandbox.commands.kill(second.pid) is False

    go(case)


def test_connect(go):
    """async.commands.connect + AsyncCommandHandle.disconnect: another handle goes on where the first left"""

    async def case(sandbox):
        first = await sandbox.commands.run("cat", background=True, stdin=True)
        await first.disconnect()
        second = await sandbox.commands.connect(first.pid)
        await sandbox.commands.send_stdin(first.pid, "later\n")
        await sandbox.commands.close_stdin(first.pid)
        assert (await second.wait()).stdout == "later\n"

    go(case)


def test_connect_unknown(go):
    """async.commands.connect + NotFoundException: an unknown pid is refused"""

    async def case(sandbox):
        with pytest.raises(NotFoundException):
            await sandbox.commands.connect(99999999)

    go(case)


def test_stdin(go):
    """async.commands.send_stdin + async.commands.close_stdin + AsyncCommandHandle.send_stdin + AsyncCommandHandle.close_stdin: reach the command in order"""

    async def case(sandbox):
        handle = await sandbox.commands.run("cat", background=True, stdin=True)
        await sandbox.commands.send_stdin(handle.pid, "one ")
        await handle.send_stdin(b"two")
        await handle.close_stdin()
        await sandbox.commands.run("true")
        assert (await handle.wait()).stdout == "one two"

    go(case)


def test_list(go):
    """async.commands.list: shows what runs"""

    async def case(sandbox):
        handle = await sandbox.commands.run("sleep 60", background=True)
        assert handle.pid in [one.pid for one in await sandbox.commands.list()]
        await handle.kill()

    go(case)


def test_stream_input(go):
    """async.commands.stream_input + AsyncCommandInputHandle.send + AsyncCommandInputHandle.close: pieces over one stream"""

    async def case(sandbox):
        handle = await sandbox.commands.run("cat", background=True, stdin=True)
        async with sandbox.commands.stream_input(handle.pid) as stream:
            for n in range(300):
                await stream.send(f"{n},")
        await handle.close_stdin()
        assert (await handle.wait()).stdout == "".join(f"{n}," for n in range(300))

    go(case)


def test_stream_input_interactive(go):
    """async.commands.stream_input: what is sent arrives while the stream is open"""

    async def case(sandbox):
        inbox = Inbox()
        handle = await sandbox.commands.run("cat", background=True, stdin=True, on_stdout=inbox)
        stream = sandbox.commands.stream_input(handle.pid)
        await stream.send("ping\n")
        await inbox.until(lambda items: "ping\n" in "".join(items))
        await stream.send("pong\n")
        await inbox.until(lambda items: "pong\n" in "".join(items))
        await stream.close()
        await handle.kill()

    go(case)


def test_stream_input_unknown(go):
    """async.commands.stream_input + NotFoundException: an unknown pid is refused"""

    async def case(sandbox):
        with pytest.raises(NotFoundException):
            await sandbox.commands.stream_input(99999999).close()

    go(case)


def test_pty(go):
    """async.pty.create + async.pty.send_stdin + async.pty.resize + async.pty.kill: a terminal lives and ends"""

    async def case(sandbox):
        inbox = Inbox()
        terminal = await sandbox.pty.create(SIZE, on_data=inbox)
        await sandbox.pty.resize(terminal.pid, PtySize(rows=44, cols=111))
        await sandbox.pty.send_stdin(terminal.pid, b"echo now=$(stty size | tr ' ' x)\n")
        await inbox.until(lambda items: b"now=44x111" in b"".join(items))
        assert await sandbox.pty.kill(terminal.pid) is True

    go(case)


def test_pty_connect(go):
    """async.pty.connect + async.pty.stream_input: a second screen, and input by stream"""

    async def case(sandbox):
        first = await sandbox.pty.create(SIZE, on_data=lambda _: None)
        inbox = Inbox()
        second = await sandbox.pty.connect(first.pid, on_data=inbox)
        async with sandbox.pty.stream_input(first.pid) as stream:
            await stream.send("echo sec''ond\n")
        await inbox.until(lambda items: b"second" in b"".join(items))
        await second.kill()

    go(case)


def test_pty_connect_unknown(go):
    """async.pty.connect + NotFoundException: an unknown pid is refused"""

    async def case(sandbox):
        with pytest.raises(NotFoundException):
            await sandbox.pty.connect(99999999, on_data=lambda _: None)

    go(case)


def test_files(go, folder):
    """async.files.write + async.files.read + async.files.write_files + async.files.list: content and lists"""

    async def case(sandbox):
        await sandbox.files.write(f"{folder}/one", "1")
        await sandbox.files.write_files([{"path": f"{folder}/two", "data": b"2"}])
        assert await sandbox.files.read(f"{folder}/one") == "1"
        assert bytes(await sandbox.files.read(f"{folder}/two", format="bytes")) == b"2"
        assert [one.name for one in await sandbox.files.list(folder)] == ["one", "two"]

    go(case)


def test_files_stream(go, folder):
    """async.files.read: as stream"""

    async def case(sandbox):
        await sandbox.files.write(f"{folder}/big", b"x" * 2_000_000)
        length = 0
        async for chunk in await sandbox.files.read(f"{folder}/big", format="stream"):
            length += len(chunk)
        assert length == 2_000_000

    go(case)


def test_files_many(go, folder):
    """async.files.write: fifty at once all arrive"""

    async def case(sandbox):
        await asyncio.gather(*(sandbox.files.write(f"{folder}/{n}", str(n)) for n in range(50)))
        assert len(await sandbox.files.list(folder)) == 50

    go(case, 60)


def test_files_tree(go, folder):
    """async.files.make_dir + async.files.exists + async.files.get_info + async.files.rename + async.files.remove: the life of a folder"""

    async def case(sandbox):
        assert await sandbox.files.make_dir(f"{folder}/a") is True
        assert (await sandbox.files.rename(f"{folder}/a", f"{folder}/b")).name == "b"
        assert (await sandbox.files.get_info(f"{folder}/b")).path == f"{folder}/b"
        await sandbox.files.remove(f"{folder}/b")
        assert await sandbox.files.exists(f"{folder}/b") is False

    go(case)


@pytest.mark.parametrize("call", ["read", "list", "get_info"])
def test_files_missing(go, folder, call):
    """async.files.read + async.files.list + async.files.get_info + FileNotFoundException: a missing path"""

    async def case(sandbox):
        with pytest.raises(FileNotFoundException):
            await getattr(sandbox.files, call)(f"{folder}/none")

    go(case)


@pytest.mark.parametrize("call", ["read", "list", "exists", "remove", "make_dir"])
def test_files_unknown_user(go, call):
    """async.files.read + async.files.list + async.files.exists + async.files.remove + async.files.make_dir + AuthenticationException: an unknown user"""

    async def case(sandbox):
        with pytest.raises(AuthenticationException):
            await getattr(sandbox.files, call)("/tmp/x", user="ghost")

    go(case)


def test_watch(go, folder, shell):
    """async.files.watch_dir + AsyncWatchHandle.stop: changes come by callback until it is stopped"""

    async def case(sandbox):
        events, exits = Inbox(), Inbox()
        watch = await sandbox.files.watch_dir(folder, on_event=events, on_exit=exits, recursive=True, include_entry=True)
        shell(f"mkdir {folder}/made")
        seen = await events.until(lambda items: any(one.name == "made" for one in items))
        assert seen[0].type == FilesystemEventType.CREATE
        assert seen[0].entry.path == f"{folder}/made"
        await watch.stop()
        await exits.until(lambda items: items == [None])

    go(case)


def test_watch_timeout(go, folder):
    """async.files.watch_dir + TimeoutException: its timeout ends the watch and on_exit says why"""

    async def case(sandbox):
        exits = Inbox()
        await sandbox.files.watch_dir(folder, on_event=lambda _: None, on_exit=exits, timeout=0.4)
        await exits.until(lambda items: len(items) == 1)
        assert isinstance(exits.items[0], TimeoutException)

    go(case)


def test_watch_refused(go, folder):
    """async.files.watch_dir + FileNotFoundException + InvalidArgumentException: only folders that exist"""

    async def case(sandbox):
        with pytest.raises(FileNotFoundException):
            await sandbox.files.watch_dir(f"{folder}/none", on_event=lambda _: None)
        with pytest.raises(InvalidArgumentException):
            await sandbox.files.watch_dir("/etc/hostname", on_event=lambda _: None)

    go(case)
