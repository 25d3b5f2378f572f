"""The one writer: whole or not at all, and what is there is respected."""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gardner.records import WriteError, check_writable, is_door, write_file
from gardner.records.files import passing_folder


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_new_files_have_the_modes_of_the_user_and_old_ones_keep_theirs(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_file(tmp_path / "deep" / "new", b"one")
    finally:
        os.umask(before)
    assert mode(tmp_path / "deep" / "new") == 0o640
    (tmp_path / "deep" / "new").chmod(0o604)
    write_file(tmp_path / "deep" / "new", b"two")
    assert (tmp_path / "deep" / "new").read_bytes() == b"two"
    assert mode(tmp_path / "deep" / "new") == 0o604
    assert names(tmp_path / "deep") == ["new"]


def null_device(folder: Path) -> Path:
    """A device of our own, so that a writer that replaces it does no harm."""
    path = folder / "null"
    try:
        os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
        path.write_bytes(b"")
    except PermissionError:
        pytest.skip("no device can be made here: needs root")
    return path


@pytest.mark.parametrize("through_link", [False, True])
def test_a_device_is_written_to_and_stays(tmp_path: Path, through_link: bool) -> None:
    device = null_device(tmp_path)
    target = device
    if through_link:
        target = tmp_path / "link"
        target.symlink_to(device)
    check_writable(target)
    write_file(target, b"gone")
    assert is_door(target)
    assert stat.S_ISCHR(device.stat().st_mode)
    assert not [name for name in names(tmp_path) if name.startswith(".")]


def test_a_disk_is_refused(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    try:
        os.mknod(disk, 0o666 | stat.S_IFBLK, os.makedev(240, 250))  # no such disk: opening it would fail otherwise
    except PermissionError:
        pytest.skip("no device can be made here: needs root")
    with pytest.raises(WriteError, match="it is a disk"):
        write_file(disk, b"")


def test_a_pipe_is_written_to_if_somebody_reads(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(WriteError, match="cannot write to"):  # and does not wait for ever
        write_file(pipe, b"nobody")
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    content = bytes(300_000)  # more than a pipe holds
    for _ in range(1000):
        try:
            write_file(pipe, content)
            break
        except WriteError:
            threading.Event().wait(0.01)
    reader.join(timeout=30)
    assert got == [content]
    assert names(tmp_path) == ["pipe"]


def test_an_open_file_by_its_number(tmp_path: Path) -> None:
    """As ``--out /dev/stdout > file``: what is printed later must follow, not vanish."""
    with (tmp_path / "out").open("wb") as stream:
        stream.write(b"begin\n")
        stream.flush()
        write_file(Path(f"/dev/fd/{stream.fileno()}"), b"page\n")
        stream.write(b"wrote it\n")
    assert (tmp_path / "out").read_bytes() == b"begin\npage\nwrote it\n"


@pytest.mark.parametrize("write", [write_file, lambda path, _: check_writable(path)])
def test_folders_and_read_only_files_are_refused(tmp_path: Path, write: Callable[[Path, bytes], Any]) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "kept").write_bytes(b"old")
    (tmp_path / "kept").chmod(0o444)  # root may write to it all the same, and is not asked
    (tmp_path / "link").symlink_to("kept")
    (tmp_path / "round").symlink_to("about")
    (tmp_path / "about").symlink_to("round")
    (tmp_path / "self").symlink_to("self/deeper")
    for name, reason in {
        "folder": "it is a folder",
        "kept": "it is read-only",
        "link": "it is read-only",
        "round": "in a circle",
        "kept/below": "cannot write to",
        "self/below": "cannot write to",
    }.items():
        with pytest.raises(WriteError, match=reason):
            write(tmp_path / name, b"new")
    assert (tmp_path / "kept").read_bytes() == b"old"
    assert names(tmp_path) == ["about", "folder", "kept", "link", "round", "self"]


def test_links_are_followed_or_replaced(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "file").write_bytes(b"old")
    (tmp_path / "link").symlink_to("there/file")
    (tmp_path / "dangling").symlink_to("there/new")
    write_file(tmp_path / "link", b"new")
    write_file(tmp_path / "dangling", b"first")
    assert (tmp_path / "link").readlink() == Path("there/file")
    assert (tmp_path / "there" / "file").read_bytes() == b"new"
    assert (tmp_path / "there" / "new").read_bytes() == b"first"
    write_file(tmp_path / "link", b"newer", follow=False)  # in a folder of data from somewhere else
    assert not (tmp_path / "link").is_symlink()
    assert (tmp_path / "there" / "file").read_bytes() == b"new"


@pytest.mark.parametrize("place", ["write", "fsync", "replace"])
def test_a_failure_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    path = tmp_path / "file"
    write_file(path, b"old")

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    if place == "write":
        with pytest.raises(TypeError):
            write_file(path, "no bytes")  # type: ignore[arg-type]
    else:
        monkeypatch.setattr(Path if place == "replace" else os, place, stop)
        with pytest.raises(KeyboardInterrupt):
            write_file(path, b"new")
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["file"]


def test_a_name_as_long_as_a_name_can_be(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 255)
    write_file(path, b"1")
    assert names(tmp_path) == [path.name]


def test_writers_do_not_meet(tmp_path: Path) -> None:
    """Many at once under one name: one of them wins, whole."""
    path = tmp_path / "file"
    writers = [
        threading.Thread(target=write_file, args=(path, bytes([number]) * 50_000), kwargs={"force": False})
        for number in range(16)
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert len(set(path.read_bytes())) == 1
    assert path.stat().st_size == 50_000
    assert names(tmp_path) == ["file"]


def test_a_passing_folder_is_gone_in_the_end() -> None:
    with pytest.raises(RuntimeError, match="on the way"), passing_folder() as folder:  # noqa: PT012 - both are asked
        write_file(folder / "file", b"1")
        assert names(folder) == ["file"]
        raise RuntimeError("on the way")
    assert not folder.exists()
