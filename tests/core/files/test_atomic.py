"""An output file is the old one or the whole new one, never anything in between."""

import errno
import fcntl
import os
import stat
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sfmcore.files.atomic import atomic_write


@pytest.fixture
def umask():
    """Set a umask that differs from every default, and put the old one back."""
    old = os.umask(0o026)
    yield 0o026
    os.umask(old)


def permissions(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_bytes_and_text(tmp_path):
    with atomic_write(tmp_path / "bytes") as file:
        file.write(b"\x00\xff\r\n")
    with atomic_write(str(tmp_path / "text"), "w") as file:
        file.write("é\r\nb\n")
    assert (tmp_path / "bytes").read_bytes() == b"\x00\xff\r\n"
    assert (tmp_path / "text").read_bytes() == "é\r\nb\n".encode()
    assert sorted(os.listdir(tmp_path)) == ["bytes", "text"]


def test_text_that_came_as_other_bytes_goes_out_as_it_came(tmp_path):
    name = b"caf\xe9".decode(errors="surrogateescape")
    with atomic_write(tmp_path / "out", "w", errors="surrogateescape") as file:
        file.write(name)
    assert (tmp_path / "out").read_bytes() == b"caf\xe9"


def test_unknown_mode_is_refused(tmp_path):
    with pytest.raises(ValueError, match="'a'"), atomic_write(tmp_path / "out", "a"):
        pass
    assert os.listdir(tmp_path) == []


def test_old_content_stays_until_the_end(tmp_path):
    path = tmp_path / "out"
    path.write_text("old")
    with atomic_write(path, "w") as file:
        file.write("new")
        file.flush()
        assert path.read_text() == "old"
    assert path.read_text() == "new"


@pytest.mark.parametrize("interruption", [ValueError, KeyboardInterrupt, SystemExit, GeneratorExit])
@pytest.mark.parametrize("old", [None, "old"])
def test_interrupted_write_leaves_everything_as_it_was(tmp_path, interruption, old):
    path = tmp_path / "out"
    if old:
        path.write_text(old)
    before = os.listdir(tmp_path)

    def write_half():
        with atomic_write(path, "w") as file:
            file.write("new")
            assert len(os.listdir(tmp_path)) == len(before) + 1
            raise interruption

    with pytest.raises(interruption):
        write_half()
    assert os.listdir(tmp_path) == before
    assert not old or path.read_text() == old


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_failure_of_the_last_steps_leaves_everything_as_it_was(tmp_path, monkeypatch, step):
    path = tmp_path / "out"
    path.write_text("old")

    def fail(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, step, fail)
    with pytest.raises(OSError, match="No space left"), atomic_write(path, "w") as file:
        file.write("new")
    assert os.listdir(tmp_path) == ["out"]
    assert path.read_text() == "old"


def test_new_file_follows_the_umask(tmp_path, umask):
    with atomic_write(tmp_path / "new"):
        pass
    assert permissions(tmp_path / "new") == 0o666 & ~umask


@pytest.mark.parametrize("mode", [0o600, 0o666])
def test_old_file_keeps_its_permissions(tmp_path, umask, mode):
    path = tmp_path / "out"
    path.touch()
    path.chmod(mode)
    with atomic_write(path):
        (hidden,) = set(os.listdir(tmp_path)) - {"out"}
        assert permissions(tmp_path / hidden) == mode
    assert permissions(path) == mode


def test_private_file_stays_private_where_permissions_cannot_be_set(tmp_path, monkeypatch):
    path = tmp_path / "out"
    path.touch()
    path.chmod(0o600)

    def fail(*args):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "fchmod", fail)
    with atomic_write(path):
        pass
    assert permissions(path) == 0o600


def test_symbolic_link_stays_and_its_target_is_written(tmp_path):
    (tmp_path / "there").mkdir()
    target, link = tmp_path / "there" / "target", tmp_path / "link"
    link.symlink_to("there/target")
    for content in ("first, dangling", "second"):
        with atomic_write(link, "w") as file:
            file.write(content)
        assert link.is_symlink()
        assert target.read_text() == content
    assert os.listdir(tmp_path / "there") == ["target"]


def test_change_of_folder_does_not_move_the_file(tmp_path, monkeypatch):
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path)
    with atomic_write("out"):
        monkeypatch.chdir("other")
    assert sorted(os.listdir(tmp_path)) == ["other", "out"]


def test_name_as_long_as_the_system_allows(tmp_path):
    path = tmp_path / ("é" * 127)
    with atomic_write(path):
        pass
    assert path.exists()


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("", IsADirectoryError),
        (".", IsADirectoryError),
        ("missing/", IsADirectoryError),
        ("missing/out", FileNotFoundError),
        ("file/out", NotADirectoryError),
        ("loop", OSError),
        ("x" * 256, OSError),
    ],
)
def test_impossible_place_is_refused_before_the_block(tmp_path, monkeypatch, name, error):
    (tmp_path / "file").touch()
    (tmp_path / "loop").symlink_to("loop")
    monkeypatch.chdir(tmp_path)
    entered = False
    with pytest.raises(error), atomic_write(name):
        entered = True
    assert not entered
    assert sorted(os.listdir(tmp_path)) == ["file", "loop"]


def test_read_only_file_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "out"
    path.write_text("old")
    path.chmod(0o444)
    if os.geteuid() == 0:  # to whom nothing is read-only
        monkeypatch.setattr(os, "access", lambda *args: False)
    with pytest.raises(PermissionError), atomic_write(path, "w") as file:
        file.write("new")
    assert path.read_text() == "old"


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write anywhere")
def test_read_only_folder_is_refused(tmp_path):
    tmp_path.chmod(0o555)
    with pytest.raises(PermissionError), atomic_write(tmp_path / "new"):
        pass


def test_device_is_written_not_replaced():
    with atomic_write("/dev/null") as file:
        file.write(b"gone")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_an_error_of_writing_names_the_file():
    with pytest.raises(OSError, match="No space left") as full, atomic_write("/dev/full") as file:
        file.write(b"text")  # which goes out at the end of the block
    assert full.value.filename == "/dev/full"


def test_an_error_never_names_the_hidden_file(tmp_path, monkeypatch):
    def refuse(path, *_):
        raise PermissionError(errno.EACCES, "Permission denied", path)

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(PermissionError) as refused, atomic_write(tmp_path / "a.tsv"):
        pass
    assert refused.value.filename == str(tmp_path / "a.tsv")


def test_named_pipe_is_written_not_replaced(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    received = []
    reader = threading.Thread(target=lambda: received.append(path.read_bytes()), daemon=True)
    reader.start()
    with atomic_write(path) as file:
        file.write(b"through")
    reader.join(10)
    assert received == [b"through"]
    assert path.is_fifo()


WRITE = "import sys; from sfmcore.files.atomic import atomic_write\n"
WRITE += "with atomic_write(sys.argv[1], 'w') as file: file.write('new')"


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_standard_output_to_a_pipe(name):
    done = subprocess.run([sys.executable, "-c", WRITE, name], stdout=subprocess.PIPE, check=True)
    assert done.stdout == b"new"


def test_standard_error():
    command = [sys.executable, "-c", WRITE, "/dev/stderr"]
    assert subprocess.run(command, stderr=subprocess.PIPE, check=True).stderr == b"new"


def test_standard_output_appended_to_a_file_keeps_what_was_there(tmp_path):
    path = tmp_path / "log"
    path.write_text("old,")
    with path.open("a") as out:
        subprocess.run([sys.executable, "-c", WRITE, "/dev/stdout"], stdout=out, check=True)
    assert path.read_text() == "old,new"


def test_without_sync_a_file_is_whole_but_not_waited_for(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda _: pytest.fail("waited"))
    with atomic_write(tmp_path / "out", sync=False) as file:
        file.write(b"whole")
        assert not (tmp_path / "out").exists()
    assert (tmp_path / "out").read_bytes() == b"whole"
    assert os.listdir(tmp_path) == ["out"]


def clear_away(folder):
    """What a second writer of ``out`` does first: it removes hidden files without a writer."""
    with pytest.raises(InterruptedError), atomic_write(folder / "out"):
        raise InterruptedError


def test_a_hidden_file_is_its_writers_until_it_has_its_name(tmp_path, monkeypatch):
    replace = os.replace

    def replace_late(hidden, target):
        monkeypatch.undo()
        clear_away(tmp_path)
        replace(hidden, target)

    monkeypatch.setattr(os, "replace", replace_late)
    with atomic_write(tmp_path / "out") as file:
        file.write(b"whole")
    assert (tmp_path / "out").read_bytes() == b"whole"


def test_a_hidden_file_that_is_removed_before_it_is_locked_is_made_again(tmp_path, monkeypatch):
    lock = fcntl.flock

    def lock_late(*args):
        monkeypatch.undo()
        clear_away(tmp_path)
        assert os.listdir(tmp_path) == []
        lock(*args)

    monkeypatch.setattr(fcntl, "flock", lock_late)
    with atomic_write(tmp_path / "out") as file:
        file.write(b"whole")
    assert os.listdir(tmp_path) == ["out"]


def test_writers_of_one_name_do_not_disturb_each_other(tmp_path):
    def write(number):
        with atomic_write(tmp_path / "out", sync=False) as file:
            file.write(bytes([number]) * 1000)

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(write, range(200))) == [None] * 200
    assert os.listdir(tmp_path) == ["out"]
    assert len(set((tmp_path / "out").read_bytes())) == 1
