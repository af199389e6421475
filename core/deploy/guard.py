"""The token cap, enforced before a pass: standard library only, so that any application can import it.

guard = Guard.from_environment(os.environ)
guard.admit(prompt_tokens + new_tokens)     # raises TokenCapError above the cap
"""

from collections.abc import Mapping
from dataclasses import dataclass

TOKEN_CAP_VARIABLE = "HIP_MAX_CONTEXT_TOKENS"


class TokenCapError(ValueError):
    """A request is longer than the cap; nothing has been allocated for it."""


@dataclass(frozen=True, slots=True)
class Guard:
    """Admits requests up to a number of tokens, prompt and new ones together."""

    token_cap: int

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> "Guard":
        """The guard that an exported environment asks for.

        Raises
        ------
        ValueError
            The variable is missing or not a positive number.
        """
        text = environ.get(TOKEN_CAP_VARIABLE, "")
        if not text.isascii() or not text.isdecimal() or int(text) < 1:
            raise ValueError(f"{TOKEN_CAP_VARIABLE} is not a positive token count: {text[:40]!r}")
        return cls(int(text))

    def admit(self, tokens: int) -> None:
        """Return if a request of this many tokens may run.

        Raises
        ------
        TokenCapError
            It is over the cap; the message is for the person who sent it.
        """
        if tokens > self.token_cap:
            raise TokenCapError(
                f"Requested context ({tokens:,} tokens) exceeds the safe limit of {self.token_cap:,} tokens"
                f" ({TOKEN_CAP_VARIABLE}); refused before any memory was taken. Shorten the prompt or ask for fewer"
                " new tokens."
            )
