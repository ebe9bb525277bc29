import pytest
from e2b import (
    AuthenticationException,
    CommandExitException,
    InvalidArgumentException,
    NotFoundException,
    SandboxException,
    TimeoutException,
)


def test_run(sandbox):
    """commands.run: gives stdout, stderr and exit code"""
    result = sandbox.commands.run("echo out; echo err >&2")
    assert (result.exit_code, result.stdout, result.stderr, result.error) == (0, "out\n", "err\n", None)


def test_run_silent(sandbox):
    """commands.run: a command without output gives empty texts"""
    result = sandbox.commands.run("true")
    assert (result.stdout, result.stderr) == ("", "")


@pytest.mark.parametrize("code", [1, 2, 7, 42, 255])
def test_run_fails(sandbox, code):
    """commands.run + CommandExitException: a failing command raises with its exit code"""
    with pytest.raises(CommandExitException) as caught:
        sandbox.commands.run(f"echo out; echo err >&2; exit {code}")
    error = caught.value
    assert (error.exit_code, error.stdout, error.stderr, error.error) == (code, "out\n", "err\n", f"exit status {code}")


def test_run_unknown_program(sandbox):
    """commands.run + CommandExitException: an unknown program ends with 127"""
    with pytest.raises(CommandExitException) as caught:
        sandbox.commands.run("surely-not-a-program")
    assert caught.value.exit_code == 127


@pytest.mark.parametrize(
    ("signal", "text"),
    [("KILL", "signal: killed"), ("TERM", "signal: terminated"), ("SEGV", "signal: segmentation fault")],
)
def test_run_signalled(sandbox, signal, text):
    """commands.run + CommandExitException: a signal is named"""
    with pytest.raises(CommandExitException) as caught:
        sandbox.commands.run(f"kill -{signal} $$")
    assert (caught.value.exit_code, caught.value.error) == (-1, text)


def test_run_default_user(sandbox):
    """commands.run: runs as the default user in its home"""
    assert sandbox.commands.run("whoami; pwd; echo $HOME").stdout == "user\n/home/user\n/home/user\n"


@pytest.mark.parametrize(("user", "home"), [("root", "/root"), ("other", "/home/other")])
def test_run_as(sandbox, user, home):
    """commands.run: runs as another user in the home of that one"""
    assert sandbox.commands.run("whoami; pwd", user=user).stdout == f"{user}\n{home}\n"


def test_run_groups(sandbox):
    """commands.run: a user has all its groups"""
    assert sandbox.commands.run("id -Gn", user="other").stdout == "other builders\n"


def test_run_unknown_user(sandbox):
    """commands.run + AuthenticationException: an unknown user is refused"""
    with pytest.raises(AuthenticationException, match="invalid username: 'ghost'"):
        sandbox.commands.run("true", user="ghost")


@pytest.mark.parametrize(
    ("cwd", "seen"), [("/usr/bin", "/usr/bin"), ("~", "/home/user"), (".", "/home/user"), ("/tmp/..", "/")]
)
def test_run_cwd(sandbox, cwd, seen):
    """commands.run: cwd is where the command runs"""
    assert sandbox.commands.run("pwd -P", cwd=cwd).stdout == f"{seen}\n"


@pytest.mark.parametrize("cwd", ["/no/such/folder", "/etc/hostname", "/root"])
def test_run_bad_cwd(sandbox, cwd):
    """commands.run + InvalidArgumentException: a cwd that cannot be entered is refused"""
    with pytest.raises(InvalidArgumentException):
        sandbox.commands.run("pwd", cwd=cwd)


def test_run_envs(sandbox):
    """commands.run: envs reach the command, and only this one"""
    envs = {"PLAIN": "one", "SPACES": "two words", "EMPTY": "", "UNI": "zwölf €"}
    assert sandbox.commands.run('echo "$PLAIN|$SPACES|$EMPTY|$UNI"', envs=envs).stdout == "one|two words||zwölf €\n"
    assert sandbox.commands.run('echo "[$PLAIN]"').stdout == "[]\n"


def test_run_callbacks(sandbox):
    """commands.run: on_stdout and on_stderr get everything"""
    out, err = [], []
    sandbox.commands.run("echo a; echo b >&2; echo c", on_stdout=out.append, on_stderr=err.append)
    assert ("".join(out), "".join(err)) == ("a\nc\n", "b\n")


def test_run_split_character(sandbox):
    """commands.run: a character split over chunks arrives whole"""
    assert sandbox.commands.run(r"printf '\xe2\x82'; sleep 0.2; printf '\xac'").stdout == "€"


def test_run_large(sandbox):
    """commands.run: a MiB of output arrives complete and in order"""
    assert sandbox.commands.run("seq 1 160000").stdout == "".join(f"{n}\n" for n in range(1, 160001))


def test_run_retain_nothing(sandbox):
    """commands.run: retain_output=False keeps nothing but tells the callback"""
    out = []
    result = sandbox.commands.run("echo seen", on_stdout=out.append, retain_output=False)
    assert (result.stdout, "".join(out)) == (None, "seen\n")


def test_run_no_stdin(sandbox):
    """commands.run: stdin is at its end unless asked for"""
    assert sandbox.commands.run("cat; echo end").stdout == "end\n"


def test_run_timeout(sandbox, shell, until):
    """commands.run + TimeoutException: its timeout kills the command"""
    with pytest.raises(TimeoutException):
        sandbox.commands.run("echo $$ > /tmp/py-timed; exec sleep 40", timeout=0.7)
    pid = shell("cat /tmp/py-timed")
    until(lambda: shell(f"kill -0 {pid} 2>/dev/null && echo alive"), lambda seen: seen == "")


def test_run_no_timeout(sandbox):
    """commands.run: timeout 0 means no limit"""
    assert sandbox.commands.run("sleep 0.3; echo done", timeout=0).stdout == "done\n"


def test_background(sandbox):
    """commands.run + CommandHandle.pid + CommandHandle.wait: a background command is waited for by its handle"""
    handle = sandbox.commands.run("echo $$", background=True)
    assert handle.wait().stdout == f"{handle.pid}\n"


def test_wait_fails(sandbox):
    """CommandHandle.wait + CommandExitException: raises when the command failed"""
    with pytest.raises(CommandExitException):
        sandbox.commands.run("exit 3", background=True).wait()


def test_wait_timeout(sandbox):
    """CommandHandle.wait + TimeoutException: raises when the time is over"""
    with pytest.raises(TimeoutException):
        sandbox.commands.run("sleep 40", background=True, timeout=0.5).wait()


def test_wait_callbacks(sandbox):
    """CommandHandle.wait: callbacks may be given when waiting"""
    out, err = [], []
    sandbox.commands.run("echo a; echo b >&2", background=True).wait(on_stdout=out.append, on_stderr=err.append)
    assert ("".join(out), "".join(err)) == ("a\n", "b\n")


def test_iterate(sandbox):
    """CommandHandle.__iter__: gives output as it comes"""
    handle = sandbox.commands.run("echo a; echo b >&2; echo c", background=True)
    seen = list(handle)
    assert "".join(out or "" for out, _, _ in seen) == "a\nc\n"
    assert "".join(err or "" for _, err, _ in seen) == "b\n"


def test_handle_kill(sandbox):
    """CommandHandle.kill: ends the command"""
    handle = sandbox.commands.run("sleep 60", background=True)
    assert handle.kill() is True
    with pytest.raises(CommandExitException) as caught:
        handle.wait()
    assert caught.value.error == "signal: killed"
    assert handle.kill() is False


def test_kill(sandbox):
    """commands.kill: ends a command by its pid"""
    handle = sandbox.commands.run("sleep 60", background=True)
    assert sandbox.commands.kill(handle.pid) is True


@pytest.mark.parametrize("pid", [1, 99999999])
def test_kill_unknown(sandbox, pid):
    """commands.kill: says False for what was not started here"""
    assert sandbox.commands.kill(pid) is False


def test_list(sandbox):
    """commands.list: tells pid, command, arguments, environment and folder"""
    handle = sandbox.commands.run("sleep 60", background=True, cwd="/usr", envs={"WHAT": "listed"})
    entry = next(one for one in sandbox.commands.list() if one.pid == handle.pid)
    assert (entry.cmd, entry.args, entry.cwd) == ("/bin/bash", ["-l", "-c", "sleep 60"], "/usr")
    assert entry.envs == {"WHAT": "listed"}
    handle.kill()


def test_list_forgets(sandbox):
    """commands.list: forgets what has ended"""
    handle = sandbox.commands.run("true", background=True)
    handle.wait()
    assert handle.pid not in [one.pid for one in sandbox.commands.list()]


def test_send_stdin(sandbox):
    """commands.send_stdin + commands.close_stdin: reach the command in order"""
    handle = sandbox.commands.run("cat; echo eof", background=True, stdin=True)
    for piece in ["one ", "zwölf € ", b"bytes\n"]:
        sandbox.commands.send_stdin(handle.pid, piece)
    sandbox.commands.close_stdin(handle.pid)
    assert handle.wait().stdout == "one zwölf € bytes\neof\n"


def test_handle_stdin(sandbox):
    """CommandHandle.send_stdin + CommandHandle.close_stdin: work on the handle"""
    handle = sandbox.commands.run("tr a-z A-Z", background=True, stdin=True)
    handle.send_stdin("shout")
    handle.close_stdin()
    assert handle.wait().stdout == "SHOUT"


def test_send_stdin_unknown(sandbox):
    """commands.send_stdin + NotFoundException: an unknown pid is refused"""
    with pytest.raises(NotFoundException):
        sandbox.commands.send_stdin(99999999, "x")


def test_send_stdin_not_open(sandbox):
    """commands.send_stdin + SandboxException: a command without stdin refuses it"""
    handle = sandbox.commands.run("sleep 60", background=True)
    with pytest.raises(SandboxException):
        sandbox.commands.send_stdin(handle.pid, "x")
    handle.kill()


def test_close_stdin_twice(sandbox):
    """commands.close_stdin: a second time is no error"""
    handle = sandbox.commands.run("sleep 60", background=True, stdin=True)
    sandbox.commands.close_stdin(handle.pid)
    sandbox.commands.close_stdin(handle.pid)
    handle.kill()


def test_close_stdin_unknown(sandbox):
    """commands.close_stdin + NotFoundException: an unknown pid is refused"""
    with pytest.raises(NotFoundException):
        sandbox.commands.close_stdin(99999999)


def test_stream_input(sandbox):
    """commands.stream_input: many pieces over one stream keep their order"""
    handle = sandbox.commands.run("cat", background=True, stdin=True)
    sandbox.commands.stream_input(handle.pid, (f"{n}," for n in range(500)))
    handle.close_stdin()
    assert handle.wait().stdout == "".join(f"{n}," for n in range(500))


def test_stream_input_bytes(sandbox):
    """commands.stream_input: bytes arrive as bytes"""
    handle = sandbox.commands.run("od -An -tx1", background=True, stdin=True)
    sandbox.commands.stream_input(handle.pid, [b"\x00\xff", b"\x0a\x80"])
    handle.close_stdin()
    assert handle.wait().stdout.split() == ["00", "ff", "0a", "80"]


def test_stream_input_unknown(sandbox):
    """commands.stream_input + NotFoundException: an unknown pid is refused"""
    with pytest.raises(NotFoundException):
        sandbox.commands.stream_input(99999999, ["x"])


def test_connect(sandbox):
    """commands.connect + CommandHandle.disconnect: another handle goes on where the first left"""
    first = sandbox.commands.run("cat; echo end", background=True, stdin=True)
    first.disconnect()
    second = sandbox.commands.connect(first.pid)
    sandbox.commands.send_stdin(first.pid, "later\n")
    sandbox.commands.close_stdin(first.pid)
    assert second.wait().stdout == "later\nend\n"


def test_connect_ended(sandbox):
    """commands.connect + CommandExitException: a command that ended moments ago still tells its code"""
    handle = sandbox.commands.run("exit 6", background=True)
    with pytest.raises(CommandExitException):
        handle.wait()
    with pytest.raises(CommandExitException) as caught:
        sandbox.commands.connect(handle.pid).wait()
    assert caught.value.exit_code == 6


@pytest.mark.parametrize("pid", [1, 99999999])
def test_connect_unknown(sandbox, pid):
    """commands.connect + NotFoundException: what was not started here is refused"""
    with pytest.raises(NotFoundException):
        sandbox.commands.connect(pid)


def test_connect_timeout(sandbox):
    """commands.connect + TimeoutException: its timeout ends the listening, not the command"""
    handle = sandbox.commands.run("cat", background=True, stdin=True)
    with pytest.raises(TimeoutException):
        sandbox.commands.connect(handle.pid, timeout=0.4).wait()
    handle.close_stdin()
    assert handle.wait().exit_code == 0
