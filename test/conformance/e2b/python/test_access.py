"""A secured sandbox as the control plane hands it out, and a runtime that is not there."""

import os

import httpx
import pytest
from e2b import AuthenticationException, ConnectionConfig, Sandbox, SandboxUnreachableException
from packaging.version import Version

URL, TOKEN = os.environ["SECURED_URL"], os.environ["SECURED_TOKEN"]


def holder_of(token: str | None, url: str = URL) -> Sandbox:
    headers = {"E2b-Sandbox-Id": "secured", "E2b-Sandbox-Port": "49983"}
    if token is not None:
        headers["X-Access-Token"] = token
    return Sandbox(
        sandbox_id="secured",
        sandbox_domain=None,
        envd_version=Version("0.6.13"),
        envd_access_token=token,
        traffic_access_token=None,
        connection_config=ConnectionConfig(debug=True, sandbox_url=url, extra_sandbox_headers=headers),
    )


@pytest.fixture(scope="module")
def owner():
    return holder_of(TOKEN)


@pytest.fixture(params=[None, TOKEN[:-1] + "1"], ids=["no token", "wrong token"])
def stranger(request):
    return holder_of(request.param)


def test_owner(owner):
    """commands.run: the owner of the token runs commands, with the environment of the sandbox"""
    assert owner.commands.run('echo "$FROM_CREATE"').stdout == "bound late\n"


def test_stranger_runs(stranger):
    """commands.run + AuthenticationException: without the token nothing runs"""
    with pytest.raises(AuthenticationException):
        stranger.commands.run("true")


def test_stranger_lists(stranger):
    """commands.list + AuthenticationException: without the token nothing is listed"""
    with pytest.raises(AuthenticationException):
        stranger.commands.list()


def test_stranger_reads(owner, stranger):
    """files.read + files.write + AuthenticationException: without the token nothing is read or written"""
    owner.files.write("py-secret", "inside")
    with pytest.raises(AuthenticationException):
        stranger.files.read("py-secret")
    with pytest.raises(AuthenticationException):
        stranger.files.write("py-secret", "changed")
    assert owner.files.read("py-secret") == "inside"


def test_download_url(owner):
    """sandbox.download_url: a signed address serves the file to anybody"""
    owner.files.write("py-shared", "for you")
    assert httpx.get(owner.download_url("py-shared", user="user")).text == "for you"


def test_download_url_forged(owner):
    """sandbox.download_url: a changed address is refused"""
    url = owner.download_url("py-shared", user="user", use_signature_expiration=60)
    assert httpx.get(url.replace("py-shared", "py-secret")).status_code == 401


def test_upload_url(owner):
    """sandbox.upload_url: a signed address takes a file from anybody"""
    answer = httpx.post(owner.upload_url("py-up", user="user"), files={"file": ("py-up", b"sent in")})
    assert answer.status_code == 200
    assert owner.files.read("py-up") == "sent in"


def test_is_running(stranger):
    """sandbox.is_running: health needs no token"""
    assert stranger.is_running() is True


def test_nobody_there():
    """commands.run + SandboxUnreachableException: a runtime that is not there is an error, not a wait"""
    with pytest.raises(SandboxUnreachableException):
        holder_of(None, "http://127.0.0.1:9").commands.run("true")
