"""Where tapes are kept: those shipped with the presets, and a cache on disk of those recorded here."""

import hashlib
import logging
from functools import cache, lru_cache
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from pathlib import Path

import msgspec
import platformdirs

from vramtuner.core.files import write_atomically
from vramtuner.core.model.spec import ModelSpec
from vramtuner.core.settings import TapeKey, Weights
from vramtuner.core.tape.format import FORMAT_VERSION, Tape, decode_tape, encode_tape

logger = logging.getLogger(__name__)
_SAME_TAPE: dict[Weights, Weights] = {"fp4": "nf4", "fp4-dq": "nf4-dq"}
_LIBRARIES = ("torch", "transformers", "bitsandbytes")


def installed_versions() -> dict[str, str]:
    """Versions of the libraries that decide a tape, read from package metadata without importing them."""
    return dict(_installed_versions())


@cache
def _installed_versions() -> tuple[tuple[str, str], ...]:
    found = []
    for name in _LIBRARIES:
        try:
            found.append((name, version(name)))
        except PackageNotFoundError:
            continue
    return tuple(found)


def cache_folder() -> Path:
    """The folder of the tapes recorded on this machine."""
    return Path(platformdirs.user_cache_dir("vramtuner")) / "tapes"


def recorded_key(key: TapeKey) -> TapeKey:
    """The key whose tape is kept for this one: fp4 differs from nf4 in the values of its code table alone."""
    weights = _SAME_TAPE.get(key.weights, key.weights)
    return msgspec.structs.replace(key, weights=weights)


def _cache_path(spec: ModelSpec, key: TapeKey) -> Path:
    facts = msgspec.json.encode(
        [FORMAT_VERSION, spec.config_hash, key.slug, installed_versions()], order="deterministic"
    )
    return cache_folder() / f"{hashlib.sha256(facts).hexdigest()[:32]}.json.gz"


def find_tape(spec: ModelSpec, key: TapeKey) -> Tape | None:
    """A tape for the model and levers: recorded here with the libraries installed here, else a shipped one."""
    key = recorded_key(key)
    path = _cache_path(spec, key)
    try:
        tape = _read(path, path.stat().st_mtime_ns)
        if tape.config_hash == spec.config_hash and recorded_key(tape.key) == key:
            return tape
    except FileNotFoundError:
        pass
    except (OSError, ValueError) as error:
        logger.info("cached tape %s is ignored: %s", path.name, error)
    return _shipped(spec.config_hash, key.slug)


@lru_cache(maxsize=64)
def _read(path: Path, changed: int) -> Tape:
    """A tape file, read once for every time it was ``changed`` [ns]."""
    return decode_tape(path.read_bytes())


@lru_cache(maxsize=64)
def _shipped(config_hash: str, slug: str) -> Tape | None:
    file = files("vramtuner.resources") / "tapes" / config_hash / f"{slug}.json.gz"
    return decode_tape(file.read_bytes()) if file.is_file() else None


def save_tape(spec: ModelSpec, tape: Tape) -> None:
    """Keep a tape for next time; a cache that cannot be written costs a recording, never the result."""
    path = _cache_path(spec, recorded_key(tape.key))
    try:
        write_atomically(path, encode_tape(tape))
    except OSError as error:
        logger.info("tape is not cached: %s", error)
