import pytest
from e2b import (
    AuthenticationException,
    CommandExitException,
    InvalidArgumentException,
    NotFoundException,
    PtySize,
    SandboxException,
    TimeoutException,
)

SIZE = PtySize(rows=24, cols=80)


def screen_until(handle, text: str) -> str:
    """Reads the screen until the text is on it."""
    seen = b""
    for _, _, data in handle:
        seen += data or b""
        if text.encode() in seen:
            return seen.decode()
    raise AssertionError(f"The terminal ended without {text!r}: {seen!r}")


def test_create(sandbox):
    """pty.create + pty.send_stdin: opens a shell that answers"""
    terminal = sandbox.pty.create(SIZE)
    sandbox.pty.send_stdin(terminal.pid, b"echo it-$((40+2))-$(whoami)\n")
    screen_until(terminal, "it-42-user")
    terminal.kill()


def test_create_size(sandbox):
    """pty.create: has the size that was asked for"""
    terminal = sandbox.pty.create(PtySize(rows=33, cols=101))
    sandbox.pty.send_stdin(terminal.pid, b"echo size=$(stty size | tr ' ' x)\n")
    screen_until(terminal, "size=33x101")
    terminal.kill()


def test_create_options(sandbox):
    """pty.create: takes envs, cwd and user"""
    terminal = sandbox.pty.create(SIZE, user="other", cwd="/usr/lib", envs={"COLOUR": "green"})
    sandbox.pty.send_stdin(terminal.pid, b'echo "$COLOUR:$PWD:$(id -un):$TERM"\n')
    screen_until(terminal, "green:/usr/lib:other:xterm-256color")
    terminal.kill()


def test_create_bad_cwd(sandbox):
    """pty.create + InvalidArgumentException: a missing cwd is refused"""
    with pytest.raises(InvalidArgumentException):
        sandbox.pty.create(SIZE, cwd="/no/such/folder")


def test_create_unknown_user(sandbox):
    """pty.create + AuthenticationException: an unknown user is refused"""
    with pytest.raises(AuthenticationException):
        sandbox.pty.create(SIZE, user="ghost")


def test_create_timeout(sandbox):
    """pty.create + TimeoutException: its timeout ends the terminal"""
    terminal = sandbox.pty.create(SIZE, timeout=0.6)
    with pytest.raises(TimeoutException):
        terminal.wait()


def test_exit_code(sandbox):
    """pty.create + CommandHandle.wait + CommandExitException: the shell tells its exit code"""
    terminal = sandbox.pty.create(SIZE)
    sandbox.pty.send_stdin(terminal.pid, b"exit 5\n")
    with pytest.raises(CommandExitException) as caught:
        terminal.wait()
    assert caught.value.exit_code == 5


def test_on_pty(sandbox):
    """CommandHandle.wait: on_pty gets the screen"""
    terminal = sandbox.pty.create(SIZE)
    sandbox.pty.send_stdin(terminal.pid, b"echo by-call''back; exit\n")
    seen = []
    terminal.wait(on_pty=seen.append)
    assert b"by-callback" in b"".join(seen)


def test_interrupt(sandbox):
    """pty.send_stdin: Ctrl-C interrupts the foreground job only"""
    terminal = sandbox.pty.create(SIZE)
    # A shell that is still starting dies of the interrupt, as it would anywhere.
    sandbox.pty.send_stdin(terminal.pid, b"echo up-$((1+1)); sleep 60\n")
    screen_until(terminal, "up-2")
    sandbox.pty.send_stdin(terminal.pid, b"\x03")
    sandbox.pty.send_stdin(terminal.pid, b"echo still-$((1+1))\n")
    screen_until(terminal, "still-2")
    terminal.kill()


def test_send_stdin_unknown(sandbox):
    """pty.send_stdin + NotFoundException: an unknown pid is refused"""
    with pytest.raises(NotFoundException):
        sandbox.pty.send_stdin(99999999, b"x")


def test_send_stdin_to_command(sandbox):
    """pty.send_stdin + SandboxException: a command without terminal refuses it"""
    handle = sandbox.commands.run("sleep 60", background=True, stdin=True)
    with pytest.raises(SandboxException):
        sandbox.pty.send_stdin(handle.pid, b"x")
    handle.kill()


def test_stream_input(sandbox):
    """pty.stream_input: types piece by piece"""
    terminal = sandbox.pty.create(SIZE)
    sandbox.pty.stream_input(terminal.pid, ["ech", b"o str", "eam''ed\n"])
    screen_until(terminal, "streamed")
    terminal.kill()


def test_stream_input_unknown(sandbox):
    """pty.stream_input + NotFoundException: an unknown pid is refused"""
    with pytest.raises(NotFoundException):
        sandbox.pty.stream_input(99999999, ["x"])


def test_resize(sandbox):
    """pty.resize: changes the size"""
    terminal = sandbox.pty.create(SIZE)
    sandbox.pty.resize(terminal.pid, PtySize(rows=50, cols=132))
    sandbox.pty.send_stdin(terminal.pid, b"echo now=$(stty size | tr ' ' x)\n")
    screen_until(terminal, "now=50x132")
    terminal.kill()


def test_resize_unknown(sandbox):
    """pty.resize + NotFoundException: an unknown pid is refused"""
    with pytest.raises(NotFoundException):
        sandbox.pty.resize(99999999, SIZE)


def test_kill(sandbox):
    """pty.kill: ends the terminal, once"""
    terminal = sandbox.pty.create(SIZE)
    assert sandbox.pty.kill(terminal.pid) is True
    with pytest.raises(CommandExitException):
        terminal.wait()
    assert sandbox.pty.kill(terminal.pid) is False


def test_connect(sandbox):
    """pty.connect: a second screen goes on where the first left"""
    first = sandbox.pty.create(SIZE)
    first.disconnect()
    second = sandbox.pty.connect(first.pid)
    sandbox.pty.send_stdin(first.pid, b"echo again-$((40+2))\n")
    screen_until(second, "again-42")
    second.kill()


def test_connect_unknown(sandbox):
    """pty.connect + NotFoundException: an unknown pid is refused"""
    with pytest.raises(NotFoundException):
        sandbox.pty.connect(99999999)
