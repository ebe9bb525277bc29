import hashlib
import io
import os

import pytest
from e2b import (
    AuthenticationException,
    FileNotFoundException,
    FileType,
    InvalidArgumentException,
    NotEnoughSpaceException,
    SandboxException,
)


def test_write_and_read(sandbox, folder):
    """files.write + files.read: text comes back as it was"""
    text = "first\nzwölf € 日本 🚀\n\ttabs  \n"
    info = sandbox.files.write(f"{folder}/text.txt", text)
    assert (info.name, info.type, info.path) == ("text.txt", FileType.FILE, f"{folder}/text.txt")
    assert sandbox.files.read(f"{folder}/text.txt") == text


def test_write_bytes(sandbox, folder, shell):
    """files.write: bytes arrive as bytes"""
    data = os.urandom(70000)
    sandbox.files.write(f"{folder}/b", data)
    assert hashlib.sha256(data).hexdigest() in shell(f"sha256sum < {folder}/b")


def test_write_file_object(sandbox, folder):
    """files.write: a file object is streamed"""
    sandbox.files.write(f"{folder}/io", io.BytesIO(b"from an object"))
    assert sandbox.files.read(f"{folder}/io") == "from an object"


def test_write_iterable(sandbox, folder):
    """files.write: an iterable of bytes is streamed"""
    sandbox.files.write(f"{folder}/it", (part for part in [b"one ", b"two ", b"three"]))
    assert sandbox.files.read(f"{folder}/it") == "one two three"


@pytest.mark.parametrize("options", [{"gzip": True}, {"use_octet_stream": True}, {"use_octet_stream": False}])
def test_write_ways(sandbox, folder, options):
    """files.write: every way of sending gives the same file"""
    text = "again and again " * 4000
    sandbox.files.write(f"{folder}/way", text, **options)
    assert sandbox.files.read(f"{folder}/way") == text


def test_write_overwrites(sandbox, folder):
    """files.write: overwrites and shortens"""
    sandbox.files.write(f"{folder}/o", "a long first content")
    sandbox.files.write(f"{folder}/o", "short")
    assert sandbox.files.read(f"{folder}/o") == "short"


def test_write_parents(sandbox, folder, shell):
    """files.write: makes the folders on the way, owned by the user"""
    sandbox.files.write(f"{folder}/new/deep/f", "x")
    assert shell(f"stat -c '%U %a' {folder}/new {folder}/new/deep {folder}/new/deep/f") == "user 755\nuser 755\nuser 644"


def test_write_relative(sandbox):
    """files.write: relative paths and ~ start at home"""
    assert sandbox.files.write("py-relative", "x").path == "/home/user/py-relative"
    assert sandbox.files.write("~/py-tilde", "x").path == "/home/user/py-tilde"


def test_write_as_user(sandbox, shell):
    """files.write: as another user the file belongs to that one"""
    sandbox.files.write("/tmp/py-other", "x", user="other")
    assert shell("stat -c %U:%G /tmp/py-other") == "other:other"


@pytest.mark.parametrize("name", ["with space", "quo'te\"s", "ünï-日本", "100%", "a+b&c=d?#e"])
def test_write_names(sandbox, folder, name):
    """files.write: odd names are kept"""
    sandbox.files.write(f"/tmp/{name}", name)
    assert sandbox.files.read(f"/tmp/{name}") == name


def test_write_metadata(sandbox, folder):
    """files.write + files.get_info: metadata is kept, and cleared by the next write"""
    assert sandbox.files.write(f"{folder}/m", "x", metadata={"Author": "Ann"}).metadata == {"author": "Ann"}
    assert sandbox.files.get_info(f"{folder}/m").metadata == {"author": "Ann"}
    sandbox.files.write(f"{folder}/m", "y")
    assert not sandbox.files.get_info(f"{folder}/m").metadata


def test_write_metadata_too_large(sandbox, folder):
    """files.write + InvalidArgumentException: metadata beyond 4 KiB is refused"""
    with pytest.raises(InvalidArgumentException):
        sandbox.files.write(f"{folder}/m", "x", metadata={"a": "x" * 2500, "b": "y" * 2500})


def test_write_to_folder(sandbox, folder):
    """files.write + InvalidArgumentException: a folder is no file"""
    with pytest.raises(InvalidArgumentException):
        sandbox.files.write(folder, "x")


def test_write_unknown_user(sandbox, folder):
    """files.write + AuthenticationException: an unknown user is refused"""
    with pytest.raises(AuthenticationException):
        sandbox.files.write(f"{folder}/x", "x", user="ghost")


def test_write_below_file(sandbox, folder):
    """files.write + SandboxException: nothing can be written below a file"""
    sandbox.files.write(f"{folder}/leaf", "x")
    with pytest.raises(SandboxException):
        sandbox.files.write(f"{folder}/leaf/below", "x")


def test_write_no_space(sandbox, folder, shell):
    """files.write + NotEnoughSpaceException: a full disk is named as such"""
    shell(f"mount -t tmpfs -o size=128k,mode=777 tmpfs {folder}")
    try:
        with pytest.raises(NotEnoughSpaceException):
            sandbox.files.write(f"{folder}/big", b"\0" * (1 << 20))
    finally:
        shell(f"umount {folder}")


def test_write_files(sandbox, folder):
    """files.write_files: several at once keep their order"""
    entries = [{"path": f"{folder}/{n}", "data": str(n)} for n in range(20)]
    assert [one.path for one in sandbox.files.write_files(entries)] == [entry["path"] for entry in entries]
    assert sandbox.files.read(f"{folder}/17") == "17"


def test_write_files_none(sandbox):
    """files.write_files: none is no error"""
    assert sandbox.files.write_files([]) == []


def test_write_files_twice(sandbox, folder):
    """files.write_files + InvalidArgumentException: the same path twice is refused"""
    with pytest.raises(InvalidArgumentException):
        sandbox.files.write_files([{"path": f"{folder}/t", "data": "1"}, {"path": f"{folder}/t", "data": "2"}])


def test_read_bytes(sandbox, folder, shell):
    """files.read: as bytes"""
    shell(f"printf '\\000\\377\\012' > {folder}/odd")
    assert sandbox.files.read(f"{folder}/odd", format="bytes") == b"\x00\xff\n"


def test_read_stream(sandbox, folder, shell):
    """files.read: as stream"""
    shell(f"head -c 3000000 /dev/urandom > {folder}/big")
    digest = hashlib.sha256()
    for chunk in sandbox.files.read(f"{folder}/big", format="stream"):
        digest.update(chunk)
    assert digest.hexdigest() in shell(f"sha256sum < {folder}/big")


def test_read_stream_closed(sandbox, folder, shell):
    """files.read: a stream may be closed before its end"""
    shell(f"head -c 3000000 /dev/zero > {folder}/big")
    with sandbox.files.read(f"{folder}/big", format="stream") as reader:
        next(reader)
    assert sandbox.files.exists(f"{folder}/big")


def test_read_gzip(sandbox, folder):
    """files.read: with gzip on the way"""
    sandbox.files.write(f"{folder}/z", "squeeze " * 5000)
    assert sandbox.files.read(f"{folder}/z", gzip=True) == "squeeze " * 5000


def test_read_empty(sandbox, folder, shell):
    """files.read: an empty file is empty"""
    shell(f": > {folder}/nothing")
    assert (sandbox.files.read(f"{folder}/nothing"), bytes(sandbox.files.read(f"{folder}/nothing", "bytes"))) == ("", b"")


def test_read_missing(sandbox, folder):
    """files.read + FileNotFoundException: a missing file"""
    with pytest.raises(FileNotFoundException, match="does not exist"):
        sandbox.files.read(f"{folder}/none")


def test_read_folder(sandbox, folder):
    """files.read + InvalidArgumentException: a folder"""
    with pytest.raises(InvalidArgumentException):
        sandbox.files.read(folder)


def test_read_unknown_user(sandbox, folder):
    """files.read + AuthenticationException: an unknown user"""
    with pytest.raises(AuthenticationException):
        sandbox.files.read(f"{folder}/x", user="ghost")


def test_list(sandbox, folder, shell):
    """files.list: entries in byte order, with all fields"""
    shell(f"cd {folder} && printf hello > b && mkdir a && touch .h && ln -s b l && chown -hR user:user .")
    entries = sandbox.files.list(folder)
    assert [one.name for one in entries] == [".h", "a", "b", "l"]
    file = entries[2]
    assert (file.type, file.size, file.mode, file.permissions) == (FileType.FILE, 5, 0o644, "-rw-r--r--")
    assert (file.owner, file.group, entries[1].type) == ("user", "user", FileType.DIR)
    assert entries[3].symlink_target == f"{folder}/b"


def test_list_depth(sandbox, folder, shell):
    """files.list: depth goes deeper"""
    shell(f"mkdir -p {folder}/a/b/c")
    assert [one.path for one in sandbox.files.list(folder, depth=2)] == [f"{folder}/a", f"{folder}/a/b"]


def test_list_empty(sandbox, folder):
    """files.list: an empty folder is an empty list"""
    assert sandbox.files.list(folder) == []


def test_list_missing(sandbox, folder):
    """files.list + FileNotFoundException: a missing folder"""
    with pytest.raises(FileNotFoundException):
        sandbox.files.list(f"{folder}/none")


def test_list_file(sandbox):
    """files.list + InvalidArgumentException: a file is no folder"""
    with pytest.raises(InvalidArgumentException):
        sandbox.files.list("/etc/hostname")


def test_exists(sandbox, folder, shell):
    """files.exists: True for files, folders and broken links"""
    shell(f"cd {folder} && touch f && ln -s gone broken")
    seen = [sandbox.files.exists(path) for path in (f"{folder}/f", folder, f"{folder}/broken", f"{folder}/none")]
    assert seen == [True, True, True, False]


def test_exists_unknown_user(sandbox):
    """files.exists + AuthenticationException: an unknown user"""
    with pytest.raises(AuthenticationException):
        sandbox.files.exists("/tmp", user="ghost")


def test_get_info(sandbox, folder, shell):
    """files.get_info: tells mode, owner, size and time"""
    shell(f"cd {folder} && printf hello > f && chmod 750 f && chown user:user f && touch -d 2024-02-03T04:05:06Z f")
    info = sandbox.files.get_info(f"{folder}/f")
    assert (info.name, info.size, info.permissions, info.owner) == ("f", 5, "-rwxr-x---", "user")
    assert info.modified_time.isoformat().startswith("2024-02-03T04:05:06")


def test_get_info_missing(sandbox, folder):
    """files.get_info + FileNotFoundException: a missing path"""
    with pytest.raises(FileNotFoundException):
        sandbox.files.get_info(f"{folder}/none")


def test_get_info_other_home(sandbox):
    """files.get_info + InvalidArgumentException: the home of another by ~name"""
    with pytest.raises(InvalidArgumentException):
        sandbox.files.get_info("~other/x")


def test_make_dir(sandbox, folder, shell):
    """files.make_dir: makes it once, with the folders on the way"""
    assert sandbox.files.make_dir(f"{folder}/a/b") is True
    assert sandbox.files.make_dir(f"{folder}/a/b") is False
    assert shell(f"stat -c '%U %a' {folder}/a") == "user 755"


def test_make_dir_on_file(sandbox):
    """files.make_dir + InvalidArgumentException: a file is in the way"""
    with pytest.raises(InvalidArgumentException):
        sandbox.files.make_dir("/etc/hostname")


def test_rename(sandbox, folder):
    """files.rename: moves and tells where it is"""
    sandbox.files.write(f"{folder}/old", "content")
    info = sandbox.files.rename(f"{folder}/old", f"{folder}/far/new")
    assert (info.name, info.path, info.size) == ("new", f"{folder}/far/new", 7)
    assert not sandbox.files.exists(f"{folder}/old")


def test_rename_missing(sandbox, folder):
    """files.rename + FileNotFoundException: nothing to move"""
    with pytest.raises(FileNotFoundException):
        sandbox.files.rename(f"{folder}/none", f"{folder}/else")


def test_remove(sandbox, folder):
    """files.remove: files and folders, and what is not there"""
    sandbox.files.write(f"{folder}/d/f", "x")
    sandbox.files.remove(f"{folder}/d")
    sandbox.files.remove(f"{folder}/d")
    assert not sandbox.files.exists(f"{folder}/d")


def test_remove_refused(sandbox):
    """files.remove + SandboxException: what the kernel refuses"""
    with pytest.raises(SandboxException):
        sandbox.files.remove("/proc/version")
