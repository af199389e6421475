"""The pool of a deployment, held for any HIP program by a small C library that is loaded before it.

``native/`` has the sources.  The system's compiler makes the library of them when it is first wanted; it is kept under
a name that stands for the sources and the compiler.

    preload = preload_library()
    if preload.path is None:
        print(preload.reason)                       # no compiler, say: the pool is not enforced
    else:
        environ = environment_with_pool(environ, preload.path)
"""

import hashlib
import os
import platform
import re
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from vramtuner.core.deploy.envfile import POOL_VARIABLE
from vramtuner.core.errors import BadInputError
from vramtuner.core.text import printable
from vramtuner.core.units import parse_bytes

PRELOAD_VARIABLE = "LD_PRELOAD"
MAX_DEVICES = 64  # as in native/pool.h

# What stays outside the pool, for documents and messages to say plainly.
COUNTED = (
    "hipMalloc, hipExtMallocWithFlags, hipMallocManaged, hipMallocPitch, hipMemAllocPitch, hipMalloc3D, hipMallocAsync,"
    " hipMallocFromPoolAsync and hipMemCreate, of each process by itself, in whole pages of 4 KiB"
)
NOT_COUNTED = (
    "host memory (hipHostMalloc), also where it is the same chips as the GPU's (APUs)",
    "arrays and textures (hipMallocArray, hipArrayCreate, mipmaps)",
    "memory of other processes that is opened or imported (hipIpcOpenMemHandle, hipMemImportFromShareableHandle)",
    "what a memory pool of HIP keeps after hipFreeAsync (its release threshold; 0 unless a program raises it)",
    "memory that nodes of a HIP graph allocate, unless hipMallocAsync was captured",
    "code objects, queues and scratch: what the runtime takes for itself",
)
NOT_ENFORCED = (
    "programs that ask ROCr (hsa_amd_memory_pool_allocate) or the kernel directly, and Vulkan or OpenCL",
    "programs that are linked statically, with HIP inside them, or that load it with RTLD_DEEPBIND or dlmopen",
    "programs with raised privileges (setuid, file capabilities), where the loader ignores LD_PRELOAD",
    "children that are started without LD_PRELOAD or without the variable, and other processes on the same device",
    "the token cap in programs that are not Python: nothing outside them sees tokens",
)

# Which PyTorch reads first of these that are set, and the key that is a fraction of the total that HIP tells it.
_ALLOCATOR_VARIABLES = ("PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_HIP_ALLOC_CONF", "PYTORCH_ALLOC_CONF")
_FRACTION = re.compile(r"(per_process_memory_fraction\s*:\s*)[^,\s]+")

_SOURCES = Path(__file__).with_name("native")
_COMPILERS = ("cc", "gcc", "clang")
FLAGS = ("-std=gnu11", "-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-pthread", "-Wl,-z,relro,-z,now")
_COMPILE_SECONDS, _CHECK_SECONDS = 120, 10


@dataclass(frozen=True, slots=True)
class Preload:
    """The library, or one line that says why there is none."""

    path: Path | None
    reason: str = ""


def preload_library(folder: Path | None = None) -> Preload:
    """The library for this machine, compiled when it is not there yet; a few milliseconds when it is.

    Parameters
    ----------
    folder
        Where it is kept; the user's cache without one.
    """
    compiler = _compiler()
    if compiler is None:
        return _absent("no C compiler (cc) is installed; install gcc to have it")
    if folder is None:
        folder = Path(platformdirs.user_cache_dir("vramtuner")) / "preload"
    path = folder / f"{_identity(compiler)}.so"
    if path.exists():
        return checked_library(path)
    return build_library(path, compiler)


def build_library(path: Path, compiler: str | None = None) -> Preload:
    """Compile to ``path``, which is there whole or not at all, and load it once to see that it can be.

    What is compiled here needs a C library at least as new as this machine's; for another machine, compile there.
    """
    compiler = compiler or _compiler()
    if compiler is None:
        return _absent("no C compiler (cc) is installed; install gcc to have it")
    if not _can_be_named(path):
        return _absent(
            f"{PRELOAD_VARIABLE} cannot name {printable(str(path), 200)}: it has a space, a colon or a dollar in it"
        )
    try:
        path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".build-", dir=path.parent) as scratch:
            built = Path(scratch) / "pool.so"
            command = [compiler, *FLAGS, *map(str, sorted(_SOURCES.glob("*.c"))), "-o", str(built), "-ldl"]
            done = subprocess.run(
                command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_COMPILE_SECONDS, check=False
            )
            if done.returncode:
                return _absent(f"{compiler} could not compile it: {_first_error(done.stderr)}")
            built.chmod(0o755)
            built.replace(path)
    except subprocess.TimeoutExpired:
        return _absent(f"{compiler} did not finish within {_COMPILE_SECONDS} s")
    except OSError as error:
        return _absent(f"it cannot be written to {printable(str(path), 200)}: {error.strerror}")
    return checked_library(path)


def checked_library(path: Path) -> Preload:
    """A library that is there already, if it is safe to load and a program starts with it.

    A library that cannot be loaded would be ignored with a warning, or keep every program from starting.
    """
    if not _can_be_named(path):
        return _absent(
            f"{PRELOAD_VARIABLE} cannot name {printable(str(path), 200)}: it has a space, a colon or a dollar in it"
        )
    program = shutil.which("true")
    try:
        for place in (path, path.parent):
            status = place.stat()
            if status.st_uid not in (os.geteuid(), 0) or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
                return _absent(
                    f"others may write to {printable(str(place), 200)}; run chmod go-w on it if you trust what it has"
                )
        if program is None:
            return Preload(path)
        environ = {PRELOAD_VARIABLE: str(path), POOL_VARIABLE: "1MiB"}
        done = subprocess.run(
            [program], env=environ, stdin=subprocess.DEVNULL, capture_output=True, timeout=_CHECK_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return _absent(f"a program that loads {printable(str(path), 200)} does not end")
    except OSError as error:
        return _absent(f"{printable(str(path), 200)} cannot be used: {error.strerror}")
    if done.returncode or done.stderr:
        return _absent(f"{printable(str(path), 200)} cannot be loaded: {_first_error(done.stderr) or done.returncode}")
    return Preload(path)


def environment_with_pool(environ: Mapping[str, str], library: Path) -> dict[str, str]:
    """The environment of a program that shall keep to its pool; unchanged where no pool is set.

    A fraction that PyTorch takes of the device's total becomes 1: the total that it is told is the pool already, and a
    fraction of that would be the pool cut down twice.

    Raises
    ------
    BadInputError
        The pool is not a size, or not a list of sizes, one for each device.
    """
    changed = dict(environ)
    text = environ.get(POOL_VARIABLE, "")
    if not text:
        return changed
    pools = text.split(",")
    try:
        for pool in pools:
            parse_bytes(pool)
    except BadInputError as error:
        raise BadInputError(f"{POOL_VARIABLE}: {error}") from error
    if len(pools) > MAX_DEVICES:
        raise BadInputError(f"{POOL_VARIABLE} has {len(pools)} sizes; write one, or at most {MAX_DEVICES}")
    others = [name for name in environ.get(PRELOAD_VARIABLE, "").replace(":", " ").split() if name != str(library)]
    changed[PRELOAD_VARIABLE] = ":".join([str(library), *others])
    for name in _ALLOCATOR_VARIABLES:
        if name in changed:
            changed[name] = _FRACTION.sub(r"\g<1>1.0", changed[name])
    return changed


def source_files() -> tuple[Path, ...]:
    """What is compiled, for a bundle that brings it along."""
    return tuple(sorted(path for path in _SOURCES.iterdir() if path.suffix in (".c", ".h")))


def _compiler() -> str | None:
    return next(filter(None, map(shutil.which, _COMPILERS)), None)


def _identity(compiler: str) -> str:
    """Of the sources, how they are compiled, and by which compiler: its file, so that no process has to be asked."""
    status = Path(compiler).stat()
    digest = hashlib.sha256()
    parts = (platform.machine(), *FLAGS, str(Path(compiler).resolve()), str(status.st_size), str(status.st_mtime_ns))
    digest.update("\0".join(parts).encode(errors="surrogateescape"))
    for path in source_files():
        digest.update(f"\0{path.name}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:24]


def _can_be_named(path: Path) -> bool:
    """The loader splits its list at spaces and colons, knows no quotes, and expands dollars."""
    return path.is_absolute() and not any(c.isspace() or c in ":$" for c in str(path))


def _absent(why: str) -> Preload:
    return Preload(None, f"the pool is not enforced in programs that are not Python: {why}")


def _first_error(output: bytes) -> str:
    lines = output.decode(errors="replace").splitlines()
    return printable(next((line for line in lines if "error" in line.lower()), lines[0] if lines else ""), 300)
