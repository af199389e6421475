"""The guard: what the env file says is what is admitted."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vramtuner.core.deploy.envfile import CAP_VARIABLE
from vramtuner.core.deploy.guard import TOKEN_CAP_VARIABLE, Guard, TokenCapError


def test_the_guard_reads_the_name_that_the_file_writes() -> None:
    assert TOKEN_CAP_VARIABLE == CAP_VARIABLE == "HIP_MAX_CONTEXT_TOKENS"


def test_the_cap_is_admitted_and_one_token_more_is_not() -> None:
    guard = Guard.from_environment({"HIP_MAX_CONTEXT_TOKENS": "9472"})
    guard.admit(0)
    guard.admit(1)
    guard.admit(9472)
    with pytest.raises(TokenCapError):
        guard.admit(9473)


def test_the_message_is_for_the_person_who_asked() -> None:
    with pytest.raises(TokenCapError) as caught:
        Guard(9472).admit(14_208)
    message = str(caught.value)
    for part in ("14,208", "9,472", "HIP_MAX_CONTEXT_TOKENS", "before any memory was taken", "Shorten the prompt"):
        assert part in message
    assert len(message.splitlines()) == 1


def test_a_refusal_is_a_value_error_so_that_any_server_can_catch_it() -> None:
    assert issubclass(TokenCapError, ValueError)


@given(st.integers(1, 10**9), st.integers(0, 2 * 10**9))
def test_exactly_what_is_at_most_the_cap_is_admitted(cap: int, tokens: int) -> None:
    try:
        Guard.from_environment({TOKEN_CAP_VARIABLE: str(cap)}).admit(tokens)
    except TokenCapError:
        assert tokens > cap
    else:
        assert tokens <= cap


@pytest.mark.parametrize(
    "text", ["", "0", "-1", "4,096", "4k", "4096.0", " 4096", "4096\n", "1e4", "٤٠٩٦", "cap", "9" * 5000]
)
def test_an_environment_without_a_cap_is_refused_loudly(text: str) -> None:
    with pytest.raises(ValueError, match=r".") as caught:
        Guard.from_environment({TOKEN_CAP_VARIABLE: text})
    assert not isinstance(caught.value, TokenCapError)
    with pytest.raises(ValueError, match="HIP_MAX_CONTEXT_TOKENS is not a positive token count"):
        Guard.from_environment({})


def test_any_application_can_import_it_without_our_dependencies() -> None:
    script = (
        "import sys; before = set(sys.modules); import vramtuner.core.deploy.guard;"
        "print(sorted({name.partition('.')[0] for name in set(sys.modules) - before} - sys.stdlib_module_names))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['vramtuner']"
