"""The fallback for other makers' GPUs: nothing is read of them, and a CUDA build of torch counts them itself."""

import msgspec

from vramtuner.core.device.roots import HERE, Roots, names_in, parse_slot
from vramtuner.core.device.sysfs import NVIDIA, drm_cards
from vramtuner.core.words import say


class CudaFallback(msgspec.Struct, frozen=True):
    """NVIDIA GPUs of this machine, by PCI address only.  They are no devices here."""

    slots: tuple[str, ...] = ()

    @property
    def note(self) -> str:
        """What a person should know, or nothing where there is no such GPU."""
        if not self.slots:
            return ""
        return say(
            "fallback: NVIDIA at {slots} is not listed, since memory is read from AMD's driver only; "
            "a CUDA build of torch names such GPUs by its own index, and nothing here was checked on "
            "one",
            slots=", ".join(self.slots),
        )


def cuda_fallback(roots: Roots = HERE) -> CudaFallback:
    """The NVIDIA GPUs that DRM or NVIDIA's own driver shows."""
    drm = {card.slot for card in drm_cards(roots) if card.vendor == NVIDIA}
    own = {slot for name in names_in(roots.proc / "driver/nvidia/gpus") if (slot := parse_slot(name))}
    return CudaFallback(tuple(sorted(drm | own)))
