"""From a log to what happened, why, how sure that is, the lines that show it, and what would have avoided it."""

from vramtuner.core.diagnose.read import LogDiagnosis, diagnose_log
from vramtuner.core.diagnose.source import diagnose, has_lines
from vramtuner.core.diagnose.weigh import Change, Evidence, Finding

__all__ = ["Change", "Evidence", "Finding", "LogDiagnosis", "diagnose", "diagnose_log", "has_lines"]
