"""The preloaded pool: C programs over a stand-in libamdhip64, and the Python that compiles and names the library."""

import ctypes
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vramtuner.core.deploy import preload as subject
from vramtuner.core.deploy.preload import (
    Preload,
    build_library,
    checked_library,
    environment_with_pool,
    preload_library,
    source_files,
)
from vramtuner.core.errors import BadInputError
from vramtuner.core.units import MIB, parse_bytes

DATA = Path(__file__).resolve().parents[1] / "data"
NATIVE = Path(subject.__file__).with_name("native")
CC = shutil.which("cc")
STRICT = ("-std=gnu11", "-O2", "-g", "-Wall", "-Wextra", "-Werror")

needs_cc = pytest.mark.skipif(CC is None, reason="no C compiler: cc is not installed (Debian package gcc)")
needs_valgrind = pytest.mark.skipif(
    shutil.which("valgrind") is None, reason="valgrind is not installed (Debian package valgrind)"
)


def compile_c(*arguments: str | Path) -> None:
    done = subprocess.run([str(CC), *STRICT, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@dataclass(frozen=True)
class Bench:
    """The library, the stand-in under three names, and programs that use it."""

    library: Path
    program: Path
    loader: Path
    plugins: tuple[Path, Path]
    bundled: Path
    tracer: Path

    def run(
        self,
        command: Sequence[str | Path],
        pool: str | None = "8MiB",
        preload: Sequence[Path] | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> subprocess.CompletedProcess[str]:
        libraries = [self.library] if preload is None else preload
        wanted = {**(environ or {}), "LD_PRELOAD": ":".join(map(str, libraries))}
        if pool is not None:
            wanted["HIP_FORCE_MEMORY_POOL_SIZE"] = pool
        return subprocess.run([str(c) for c in command], env=wanted, capture_output=True, text=True, timeout=120)

    def holds(self, *command: str | Path, pool: str = "8MiB", preload: Sequence[Path] | None = None) -> str:
        """What a program said on standard error, once it has found everything as it should be."""
        done = self.run(command, pool, preload)
        assert (done.returncode, done.stdout) == (0, "ok\n"), done.stdout + done.stderr[-2000:]
        return done.stderr


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    folder = tmp_path_factory.mktemp("hip")
    library, program, loader = folder / "pool.so", folder / "program", folder / "loader"
    shared = ("-fPIC", "-shared", "-pthread")
    versions = f"-Wl,--version-script={DATA / 'hip_standin.map'}"
    compile_c(*shared, "-fvisibility=hidden", *sorted(NATIVE.glob("*.c")), "-o", library, "-ldl")
    standin = folder / "libamdhip64.so.6"
    compile_c(*shared, DATA / "hip_standin.c", versions, "-Wl,-soname,libamdhip64.so.6", "-o", standin)
    compile_c("-pthread", DATA / "hip_program.c", standin, f"-Wl,-rpath,{folder}", "-o", program)
    compile_c(DATA / "hip_loader.c", "-o", loader, "-ldl")
    plugins = []
    for name in ("libamdhip64-1f2e3d4c.so", "libgpu.so"):
        own = folder / name.split(".")[0]
        own.mkdir()
        compile_c(*shared, DATA / "hip_standin.c", versions, f"-Wl,-soname,{name}", "-o", own / name)
        plugins.append(own / "plugin.so")
        compile_c(*shared, DATA / "hip_plugin.c", own / name, f"-Wl,-rpath,{own}", "-o", plugins[-1])
    tracer = folder / "tracer.so"
    compile_c(*shared, "-DNEXT", DATA / "hip_plugin.c", "-o", tracer, "-ldl")
    return Bench(library, program, loader, (plugins[0], plugins[1]), plugins[1].with_name("libgpu.so"), tracer)


# ---- the pool ------------------------------------------------------------------------------------------------------


@needs_cc
def test_a_million_random_calls_of_eight_threads_never_pass_the_pool(bench: Bench) -> None:
    done = bench.run(
        [bench.program, "random", "8", "125000"], pool="512KiB,256KiB"
    )  # less than one thread alone would hold
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    words = done.stdout.split()
    peaks, used, refused = list(map(int, words[1:3])), list(map(int, words[4:6])), int(words[7])
    assert MIB * 0.45 < peaks[0] <= MIB / 2 and MIB * 0.22 < peaks[1] <= MIB / 4  # the stand-in's own account
    assert used == [0, 0]
    assert refused > 0


@needs_cc
@pytest.mark.parametrize("case", ["kinds", "mappings"])
def test_each_way_to_allocate_and_free_is_counted_on_its_device(bench: Bench, case: str) -> None:
    bench.holds(bench.program, case, pool="8MiB,4MiB")


@needs_cc
def test_totals_are_within_the_pool_and_nothing_else_in_the_properties_changes(bench: Bench) -> None:
    bench.holds(bench.program, "totals")


@needs_cc
def test_a_forked_child_starts_from_nothing_while_threads_of_its_parent_allocate(bench: Bench) -> None:
    bench.holds(bench.program, "fork", "50")


@needs_cc
def test_a_pool_above_the_device_changes_no_answer(bench: Bench) -> None:
    wanted = f"{16 * 2**30 - 64 * MIB} {16 * 2**30}\n"
    assert bench.run([bench.program, "plain"], pool="1TiB").stdout == wanted


@needs_cc
@pytest.mark.parametrize("pool", [None, "", "ten", "10 parsecs", "-1", "0", "1GiB,", "1e9"])
def test_without_a_size_nothing_is_different(bench: Bench, pool: str | None) -> None:
    done = bench.run([bench.program, "plain"], pool=pool)
    assert (done.returncode, done.stdout) == (0, f"{16 * 2**30 - 64 * MIB} {16 * 2**30}\n")
    if pool:
        (line,) = done.stderr.splitlines()
        assert "HIP_FORCE_MEMORY_POOL_SIZE" in line and pool in line and "NOT enforced" in line
    else:
        assert done.stderr == ""


@needs_cc
def test_a_refusal_says_what_was_asked_held_and_allowed_and_does_not_fill_a_disk(bench: Bench) -> None:
    lines = bench.holds(bench.program, "flood").splitlines()
    assert f"asked {9 * MIB} bytes (9 MiB), held 0 (0 MiB), pool {8 * MIB} (8 MiB)" in lines[0]
    assert "device 0" in lines[0] and "HIP_FORCE_MEMORY_POOL_SIZE" in lines[0] and "hipMalloc" in lines[0]
    assert 1 <= len(lines) <= 20  # of 1,000 refusals; 5 a second


# ---- ways to HIP ---------------------------------------------------------------------------------------------------


@needs_cc
def test_functions_by_name_and_version_keep_to_the_pool(bench: Bench) -> None:
    bench.holds(bench.loader, "symbols", bench.bundled)


@needs_cc
@pytest.mark.parametrize("which", [0, 1])
def test_a_backend_with_a_library_of_its_own_keeps_to_the_pool(bench: Bench, which: int) -> None:
    bench.holds(bench.loader, "plugin", bench.plugins[which])


@needs_cc
def test_two_runtimes_in_one_process_are_each_asked_for_what_is_theirs(bench: Bench) -> None:
    bench.holds(bench.loader, "two", *bench.plugins)


@needs_cc
def test_the_global_scope_and_other_wrappers_before_and_after(bench: Bench) -> None:
    bench.holds(bench.loader, "global", bench.bundled)
    bench.holds(bench.loader, "before", bench.bundled, preload=[bench.tracer, bench.library])
    bench.holds(bench.loader, "after", bench.bundled, preload=[bench.library, bench.tracer])


@needs_cc
def test_where_no_hip_is_loaded_the_library_does_not_pretend(bench: Bench) -> None:
    assert bench.holds(bench.loader, "none") == ""


@needs_cc
def test_python_that_opens_the_library_itself_keeps_to_the_pool(bench: Bench) -> None:
    script = (
        "import ctypes, sys; hip = ctypes.CDLL(sys.argv[1]); p = ctypes.c_void_p();"
        "print([hip.hipMalloc(ctypes.byref(p), ctypes.c_size_t(n << 20)) for n in (9, 7, 2, 1)])"
    )
    done = bench.run([sys.executable, "-c", script, bench.bundled])
    assert done.stdout == "[2, 0, 2, 0]\n", done.stderr  # hipErrorOutOfMemory is 2


@needs_cc
@needs_valgrind
@pytest.mark.parametrize("case", [("kinds",), ("mappings",), ("totals",), ("random", "4", "1500")])
def test_valgrind_finds_no_error_and_no_leak(bench: Bench, case: tuple[str, ...]) -> None:
    valgrind = [str(shutil.which("valgrind")), "-q", "--error-exitcode=9", "--leak-check=full"]
    command = [*valgrind, "--errors-for-leak-kinds=definite,indirect", str(bench.program), *case]
    done = bench.run(command, pool="8MiB,4MiB")
    assert done.returncode == 0, done.stdout + done.stderr[-4000:]


@needs_cc
@needs_valgrind
def test_valgrind_finds_no_error_in_forked_children_and_loaded_backends(bench: Bench) -> None:
    # What the child leaves of its parent's table is lost on purpose: another thread may have been changing it.
    valgrind = (str(shutil.which("valgrind")), "-q", "--error-exitcode=9", "--leak-check=no")
    bench.holds(*valgrind, bench.program, "fork", "3")
    bench.holds(*valgrind, bench.loader, "symbols", bench.bundled)
    bench.holds(*valgrind, bench.loader, "two", *bench.plugins)


# ---- sizes ---------------------------------------------------------------------------------------------------------


def pool_in_python(text: str) -> str:
    try:
        pools = [parse_bytes(part) for part in text.split(",")]
    except BadInputError:
        return "no"
    if len(pools) > 64:
        return "no"
    pools += pools[-1:] * (64 - len(pools))
    return f"{pools[0]} {pools[1]} {pools[63]}"


@pytest.fixture(scope="module")
def parser(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("size") / "pools"
    compile_c(f"-I{NATIVE}", DATA / "hip_pools.c", NATIVE / "size.c", "-o", path)
    return path


SIZES = st.one_of(
    st.from_regex(r"[ \t]?[0-9]{1,20}(\.[0-9]{0,10})?[ \t]?[kKmMgGtTpP]?(i?[bB])?", fullmatch=True),
    st.from_regex(r"[0-9]{1,6}(\.[0-9]{0,9})?(GiB|MiB|KiB|TiB|GB|MB|kB|TB|B)", fullmatch=True),
    st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=12),
)


@needs_cc
@settings(max_examples=5, deadline=None)
@given(texts=st.lists(st.lists(SIZES, min_size=1, max_size=3).map(",".join), min_size=20, max_size=100))
def test_the_library_reads_sizes_as_everything_else_does(parser: Path, texts: list[str]) -> None:
    fixed = [
        "10GiB",
        "1152921504606846976",
        "1152921504606846977",
        "0",
        "0.9b",
        "1" * 20,
        "8.5g,4G",
        ",".join(["1"] * 64),
    ]
    texts = [*texts, *fixed, ",".join(["1"] * 65), "0.123456789T", "1125899906842623.999999999k", "1,", ",1", ""]
    done = subprocess.run([parser], input="".join(f"{text}\n" for text in texts), capture_output=True, text=True)
    assert done.stdout.splitlines() == [pool_in_python(text) for text in texts]


# ---- compiling and naming ------------------------------------------------------------------------------------------


@needs_cc
def test_the_library_is_compiled_once_and_used_again(tmp_path: Path) -> None:
    first = preload_library(tmp_path / "cache")
    assert first.path is not None, first.reason
    (only,) = (tmp_path / "cache").iterdir()
    assert only == first.path and first.path.stat().st_mode & 0o777 == 0o755
    before = only.stat().st_mtime_ns
    assert preload_library(tmp_path / "cache") == first
    assert only.stat().st_mtime_ns == before
    assert hasattr(ctypes.CDLL(str(only)), "hipMalloc")


def test_without_a_compiler_there_is_none_and_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    for absent in (preload_library(tmp_path / "cache"), build_library(tmp_path / "pool.so")):
        assert absent.path is None
        assert "not enforced" in absent.reason and "gcc" in absent.reason and "\n" not in absent.reason


def test_a_compiler_that_fails_is_named_with_its_first_error(tmp_path: Path) -> None:
    compiler = tmp_path / "cc"
    compiler.write_text("#!/bin/sh\necho 'In file' >&2\necho 'x.c:1: error: no \x1b[1mheaders' >&2\nexit 1\n")
    compiler.chmod(0o755)
    absent = build_library(tmp_path / "out" / "pool.so", str(compiler))
    assert absent.path is None and "error: no" in absent.reason and "\x1b" not in absent.reason
    assert list((tmp_path / "out").iterdir()) == []


@needs_cc
@pytest.mark.parametrize("name", ["a b", "a:b", "a$b", "a\nb"])
def test_a_path_that_the_loader_would_split_is_refused(tmp_path: Path, name: str) -> None:
    absent = preload_library(tmp_path / name)
    assert absent.path is None and "LD_PRELOAD cannot name" in absent.reason and "\n" not in absent.reason


@needs_cc
def test_a_library_that_others_may_write_to_or_that_does_not_load_is_not_used(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    good = preload_library(folder).path
    assert good is not None
    good.chmod(0o775)
    assert "may write" in checked_library(good).reason
    good.chmod(0o755)
    folder.chmod(0o777)
    assert "may write" in checked_library(good).reason
    folder.chmod(0o755)
    assert checked_library(good) == Preload(good)
    good.write_bytes(b"no library")
    assert "cannot be loaded" in checked_library(good).reason
    assert "cannot be used" in checked_library(folder / "missing.so").reason


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    assert "cannot be written" in build_library(tmp_path / "x" / "pool.so", "/bin/true").reason


def test_the_environment_has_the_library_first_and_once() -> None:
    library = Path("/opt/pool.so")
    pool = {"HIP_FORCE_MEMORY_POOL_SIZE": "10GiB"}
    assert environment_with_pool({"A": "1"}, library) == {"A": "1"}
    assert environment_with_pool({**pool}, library) == {**pool, "LD_PRELOAD": "/opt/pool.so"}
    others = {**pool, "LD_PRELOAD": "/a.so /b.so:/opt/pool.so"}
    assert environment_with_pool(others, library)["LD_PRELOAD"] == "/opt/pool.so:/a.so:/b.so"


def test_a_fraction_of_the_total_is_not_taken_of_the_pool_again() -> None:
    environ = {
        "HIP_FORCE_MEMORY_POOL_SIZE": "10GiB",
        "PYTORCH_HIP_ALLOC_CONF": "per_process_memory_fraction:0.6249,throw_on_cudamalloc_oom:True",
        "PYTORCH_ALLOC_CONF": "max_split_size_mb:64",
    }
    changed = environment_with_pool(environ, Path("/opt/pool.so"))
    assert changed["PYTORCH_HIP_ALLOC_CONF"] == "per_process_memory_fraction:1.0,throw_on_cudamalloc_oom:True"
    assert changed["PYTORCH_ALLOC_CONF"] == "max_split_size_mb:64"


@pytest.mark.parametrize("pool", ["ten", "0", "1GiB,", "1GiB,-1", ",".join(["1GiB"] * 65), "10 GiB extra"])
def test_a_pool_that_the_library_would_not_enforce_is_refused_before_the_program_starts(pool: str) -> None:
    with pytest.raises(BadInputError, match="HIP_FORCE_MEMORY_POOL_SIZE"):
        environment_with_pool({"HIP_FORCE_MEMORY_POOL_SIZE": pool}, Path("/opt/pool.so"))


def test_the_sources_are_part_of_the_package() -> None:
    assert {path.name for path in source_files()} >= {"pool.c", "pool.h", "size.c", "account.c", "runtime.c"}
