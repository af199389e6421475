"""Findings for people, as lines of text."""

from vramtuner.core.diagnose.read import LogDiagnosis
from vramtuner.core.diagnose.weigh import Finding
from vramtuner.core.text import printable
from vramtuner.core.units import format_bytes


def diagnosis_text(diagnosis: LogDiagnosis) -> str:
    """The findings of a log, most certain first."""
    name = printable(diagnosis.source, 200)
    return "\n".join([name, *(finding_text(finding) for finding in diagnosis.findings)])


_CAPITALS = {"vram": "VRAM", "kv": "KV", "gpu": "GPU", "apu": "APU", "gtt": "GTT", "ram": "RAM", "oom": "OOM"}


def title_of(finding: Finding) -> str:
    """What kind of cause it is, in words."""
    words = " ".join(_CAPITALS.get(word, word) for word in finding.cause.category.split("_"))
    return words[:1].upper() + words[1:]


def finding_text(finding: Finding) -> str:
    """One finding: the cause, what it means, its numbers, the lines, and what to change."""
    category = finding.cause.category.replace("_", " ")
    ran_out = "VRAM ran out" if finding.vram_exhausted else "not VRAM that ran out"
    lines = [f"  {category} ({finding.cause.family}; {ran_out}; confidence {finding.confidence:.2f})"]
    lines.append(f"    {finding.summary}")
    if finding.numbers:
        lines.append(f"    numbers: {', '.join(number_text(name, value) for name, value in finding.numbers.items())}")
    lines += [f"    line {entry.line}: {printable(entry.text, 200)}" for entry in finding.evidence]
    lines += [f"    change {change.lever}: {change.value} ({change.why})" for change in finding.changes]
    if finding.tell:
        lines.append(f"    would tell more: {finding.tell}")
    return "\n".join(lines)


def number_text(name: str, value: float) -> str:
    """A number with its name: a size in the unit that suits it, a count with its separators."""
    if "_bytes" in name:
        return f"{name.replace('_bytes', '').replace('_', ' ')} {format_bytes(value)}"
    return f"{name.replace('_', ' ')} {value:,g}" if value != int(value) else f"{name.replace('_', ' ')} {int(value):,}"
