"""Files: written whole or not at all, and checkpoints known from their headers alone."""

import json
import os
import struct
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

from vramtuner.core.errors import BadInputError
from vramtuner.core.files import write_atomically
from vramtuner.core.model.find import find_model
from vramtuner.core.model.weights import read_weight_files

INDEX = "model.safetensors.index.json"


def left_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_new_file_is_written_with_its_folders(tmp_path: Path) -> None:
    write_atomically(tmp_path / "a/b/file", b"new")
    assert (tmp_path / "a/b/file").read_bytes() == b"new"
    assert left_in(tmp_path / "a/b") == ["file"]
    assert (tmp_path / "a/b/file").stat().st_mode & 0o777 == 0o644


def test_an_old_file_is_replaced_whole(tmp_path: Path) -> None:
    target = tmp_path / "file"
    target.write_bytes(b"old" * 1000)
    write_atomically(target, b"")
    assert target.read_bytes() == b""


def test_a_disk_that_fills_up_keeps_the_old_file(tmp_path: Path) -> None:
    target = tmp_path / "file"
    target.write_bytes(b"old")
    script = (
        "import resource, signal, sys\n"
        "from pathlib import Path\n"
        "from vramtuner.core.files import write_atomically\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
        "try:\n"
        "    write_atomically(Path(sys.argv[1]), b'x' * 100_000)\n"
        "except OSError as error:\n"
        "    sys.exit(f'{error.strerror}')\n"
    )
    done = subprocess.run([sys.executable, "-c", script, target], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.strip()) == (1, "File too large")
    assert target.read_bytes() == b"old"
    assert left_in(tmp_path) == ["file"]


def test_a_folder_that_vanishes_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()

    def vanish(_: int) -> None:
        for path in folder.iterdir():
            path.unlink()
        folder.rmdir()

    monkeypatch.setattr(os, "fsync", vanish)
    with pytest.raises(FileNotFoundError):
        write_atomically(folder / "file", b"new")
    assert left_in(tmp_path) == []


def test_ctrl_c_in_the_middle_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "file"
    target.write_bytes(b"old")

    def interrupted(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(target, b"new")
    assert (left_in(tmp_path), target.read_bytes()) == (["file"], b"old")


def test_a_folder_in_the_place_of_the_file_stays(tmp_path: Path) -> None:
    (tmp_path / "file").mkdir()
    with pytest.raises(OSError, match="directory"):
        write_atomically(tmp_path / "file", b"new")
    assert left_in(tmp_path) == ["file"]


def test_a_name_too_long_for_its_temporary_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="too long"):
        write_atomically(tmp_path / ("n" * 254), b"new")
    assert left_in(tmp_path) == []


def test_readers_see_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    target = tmp_path / "file"
    write_atomically(target, b"0" * 50_000)
    seen: set[bytes] = set()
    stop = threading.Event()

    def read() -> None:
        while not stop.is_set():
            seen.add(target.read_bytes())

    reader = threading.Thread(target=read)
    reader.start()
    for number in range(50):
        write_atomically(target, b"%d" % (number % 10) * 50_000)
    stop.set()
    reader.join()
    assert all(len(content) == 50_000 and len(set(content)) == 1 for content in seen)


# Checkpoints -----------------------------------------------------------------------------------------------------


def checkpoint(folder: Path, name: str = "model.safetensors", **tensors: np.ndarray[Any, Any]) -> Path:
    save_file(tensors or {"a": np.zeros((3, 4), np.float16), "b": np.zeros(5, np.float16)}, folder / name)
    return folder / name


def by_hand(folder: Path, header: dict[str, Any], data: int, name: str = "model.safetensors") -> None:
    text = json.dumps(header).encode()
    (folder / name).write_bytes(struct.pack("<Q", len(text)) + text + b"\0" * data)


def test_bytes_and_parameters_are_counted_from_the_header(tmp_path: Path) -> None:
    checkpoint(tmp_path, a=np.zeros((3, 4), np.float16), b=np.zeros(5, np.float32), c=np.zeros((), np.float32))
    found = read_weight_files(tmp_path)
    assert found is not None
    assert (found.stored_bytes, found.parameters) == (3 * 4 * 2 + 5 * 4 + 4, 12 + 5 + 1)
    assert found.dtype in ("fp16", "fp32")  # 24 bytes each


@pytest.mark.parametrize(
    ("kind", "size", "dtype"),
    [("BF16", 2.0, "bf16"), ("F16", 2.0, "fp16"), ("F32", 4.0, "fp32"), ("F8_E4M3", 1.0, None), ("F64", 8.0, None),
     ("I64", 8.0, None), ("BOOL", 1.0, None), ("U8", 1.0, None)],
)  # fmt: skip
def test_every_stored_type_has_its_size(tmp_path: Path, kind: str, size: float, dtype: str | None) -> None:
    total = int(6 * size)
    by_hand(tmp_path, {"a": {"dtype": kind, "shape": [2, 3], "data_offsets": [0, total]}}, total)
    found = read_weight_files(tmp_path)
    assert found is not None
    assert (found.stored_bytes, found.parameters, found.dtype) == (total, 6, dtype)


def test_shards_add_up(tmp_path: Path) -> None:
    checkpoint(tmp_path, "one.safetensors", a=np.zeros(100, np.float16))
    checkpoint(tmp_path, "two.safetensors", b=np.zeros(10, np.float32))
    checkpoint(tmp_path, "stray.safetensors", c=np.zeros(999, np.float32))
    (tmp_path / INDEX).write_text(json.dumps({"weight_map": {"a": "one.safetensors", "b": "two.safetensors"}}))
    found = read_weight_files(tmp_path)
    assert found is not None
    assert (found.stored_bytes, found.parameters, found.dtype) == (240, 110, "fp16")
    assert found.files == ("one.safetensors", "two.safetensors")


def test_a_folder_says_what_its_weights_are(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "llama", "torch_dtype": "float32"}')
    checkpoint(tmp_path)
    spec = find_model(str(tmp_path))
    assert (spec.dtype, spec.parameters, spec.stored_bytes, spec.has_weights) == ("fp16", 17, 34, True)
    assert spec.folder == str(tmp_path.resolve())


def test_a_checkpoint_cut_anywhere_is_noticed(tmp_path: Path) -> None:
    whole = checkpoint(tmp_path).read_bytes()
    for length in range(len(whole)):
        (tmp_path / "model.safetensors").write_bytes(whole[:length])
        with pytest.raises(BadInputError, match="truncated or damaged"):
            read_weight_files(tmp_path)


_A = {"dtype": "F16", "shape": [2], "data_offsets": [0, 4]}


@pytest.mark.parametrize(
    "content",
    [
        struct.pack("<Q", 2**63) + b"{}",
        struct.pack("<Q", 0),
        struct.pack("<Q", 2) + b"[]",
        struct.pack("<Q", 4) + b"nope",
        struct.pack("<Q", 3) + b"\xff\xfe{",
        b"PK\x03\x04" + b"\0" * 100,
        b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 5\n",
    ],
)
def test_headers_that_are_garbage(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "model.safetensors").write_bytes(content)
    with pytest.raises(BadInputError, match="truncated or damaged"):
        read_weight_files(tmp_path)


@pytest.mark.parametrize(
    ("header", "data"),
    [
        ({"a": {**_A, "dtype": "Q4_K"}}, 4),
        ({"a": {**_A, "shape": [3]}}, 4),
        ({"a": {**_A, "shape": [-2]}}, 4),
        ({"a": {**_A, "shape": [2**62, 2**62]}}, 4),
        ({"a": {**_A, "data_offsets": [4, 0]}}, 4),
        ({"a": _A}, 0),
        ({"a": _A}, 100),
        ({"a": _A, "b": _A}, 4),
        ({"a": {"dtype": "F16"}}, 4),
        ({"a": "F16"}, 4),
    ],
)
def test_headers_that_contradict_themselves(tmp_path: Path, header: dict[str, Any], data: int) -> None:
    by_hand(tmp_path, header, data)
    with pytest.raises(BadInputError, match=r"model\.safetensors"):
        read_weight_files(tmp_path)


def test_a_checkpoint_without_tensors_is_refused(tmp_path: Path) -> None:
    by_hand(tmp_path, {"__metadata__": {"format": "pt"}}, 0)
    with pytest.raises(BadInputError, match="hold no tensor"):
        read_weight_files(tmp_path)


@pytest.mark.parametrize("shard", ["gone.safetensors", "n" * 400 + ".safetensors", "nul\0.safetensors"])
def test_a_missing_shard_is_named(tmp_path: Path, shard: str) -> None:
    (tmp_path / INDEX).write_text(json.dumps({"weight_map": {"a": shard}}))
    with pytest.raises(BadInputError, match="is missing from"):
        read_weight_files(tmp_path)


@pytest.mark.parametrize(
    "shard", ["../x.safetensors", "/etc/passwd", "sub/x.safetensors", "..", "", ".", "x.bin", 7, None]
)
def test_a_shard_outside_the_folder_is_refused(tmp_path: Path, shard: object) -> None:
    folder = tmp_path / "model"
    (folder / "sub").mkdir(parents=True)
    checkpoint(tmp_path, "x.safetensors")
    checkpoint(folder / "sub", "x.safetensors")
    (folder / INDEX).write_text(json.dumps({"weight_map": {"a": shard}}))
    with pytest.raises(BadInputError, match="outside its folder"):
        read_weight_files(folder)


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b"{}", b'{"weight_map": 3}', b'{"weight_map": ["a.safetensors"]}', b'{"weight_map": {"a": {}}}',
     b'{"weight_map": {"a": []}}', b'{"weight_map": ' + b"[" * 100_000, b"\xff"],
)  # fmt: skip
def test_an_index_that_is_none(tmp_path: Path, content: bytes) -> None:
    checkpoint(tmp_path)
    (tmp_path / INDEX).write_bytes(content)
    with pytest.raises(BadInputError, match="not a safetensors index"):
        read_weight_files(tmp_path)


@pytest.mark.parametrize("name", ["pytorch_model.bin", "consolidated.00.pth", "model.pt"])
def test_pickles_alone_are_refused_with_the_reason(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"\x80\x04.")
    with pytest.raises(BadInputError, match="can run code when loaded; convert them to safetensors"):
        read_weight_files(tmp_path)
    checkpoint(tmp_path)
    assert read_weight_files(tmp_path) is not None


def test_no_weights_are_not_an_error(tmp_path: Path) -> None:
    (tmp_path / "folder.safetensors").mkdir()
    assert read_weight_files(tmp_path) is None


def test_a_weight_file_that_would_never_end_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "model.safetensors")
    with pytest.raises(BadInputError, match="not a regular file"):
        read_weight_files(tmp_path)
