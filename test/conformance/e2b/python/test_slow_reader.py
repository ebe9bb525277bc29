import pytest
from e2b import RateLimitException


def test_slow_reader(sandbox, until):
    """CommandHandle.wait + RateLimitException: a caller that takes nothing for a minute loses the stream, not the command"""
    handle = sandbox.commands.run("head -c 100000000 /dev/zero; touch /tmp/py-went-on", background=True, timeout=0)
    until(lambda: sandbox.files.exists("/tmp/py-went-on"), limit=180)
    with pytest.raises(RateLimitException):
        handle.wait()
