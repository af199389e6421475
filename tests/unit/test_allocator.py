"""The replay holds what PyTorch's caching allocator would: worked examples, and its rules again, written plainly."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vramtuner.core.errors import BadInputError
from vramtuner.core.model.find import load_preset
from vramtuner.core.settings import ATTENTIONS, TapeKey
from vramtuner.core.tape.allocator import AllocatorOptions, Replay, parse_options, replay
from vramtuner.core.tape.caching_allocator import Block, CachingAllocator, round_size, segment_size
from vramtuner.core.tape.store import find_tape

KIB, MIB = 2**10, 2**20
DEFAULT = AllocatorOptions()
EXPANDABLE = AllocatorOptions(expandable_segments=True)
MAX_SPLIT = parse_options("max_split_size_mb:64")


def mib(value: float) -> int:
    return int(value * MIB)


def run(
    script: Sequence[float | str],
    capacity: float | None = None,
    options: AllocatorOptions = DEFAULT,
    *,
    fraction_set: bool = False,
) -> Replay:
    """Allocate every number [MiB] of ``script`` in order; ``"-2"`` frees the second of them.  ``capacity`` in MiB."""
    events, sizes = [], []
    for step in script:
        if isinstance(step, str):
            events.append(int(step))
        else:
            sizes.append(mib(step))
            events.append(len(sizes))
    return replay(events, sizes, None if capacity is None else mib(capacity), options, fraction_set=fraction_set)


# What a fresh allocator does with one or two tensors, worked out from the rules by hand.
VECTORS = [
    ([1], 2 * MIB, 512),
    ([512], 2 * MIB, 512),
    ([513], 2 * MIB, 1024),
    ([MIB], 2 * MIB, MIB),
    ([MIB, MIB], 2 * MIB, 2 * MIB),
    ([MIB, MIB, 1], 4 * MIB, 2 * MIB + 512),
    ([MIB + 1], 20 * MIB, 1_049_088),
    ([mib(9.5)], 20 * MIB, mib(9.5)),
    ([mib(9.5), mib(9.5)], 20 * MIB, mib(9.5) + mib(10.5)),
    ([10 * MIB], 10 * MIB, 10 * MIB),
    ([10 * MIB + 512], 12 * MIB, 10 * MIB + 512),
    ([10 * MIB + 512, 2 * MIB - 512], 12 * MIB, 12 * MIB),
    ([33 * MIB], 34 * MIB, 34 * MIB),
]


@pytest.mark.parametrize(("sizes", "reserved", "allocated"), VECTORS)
def test_a_fresh_allocator_takes_segments_and_hands_out_blocks(sizes: list[int], reserved: int, allocated: int) -> None:
    events = list(range(1, len(sizes) + 1))
    result = replay(events, sizes, None)
    assert (result.reserved_peak, result.allocated_peak, result.requested_peak) == (reserved, allocated, sum(sizes))


@pytest.mark.parametrize(
    ("sizes", "reserved", "allocated"),
    [
        ([1], 2, 512),
        ([mib(1.5)], 20, mib(1.5)),
        ([mib(1.5)] * 13, 20, 13 * mib(1.5)),
        ([21 * MIB], 40, 21 * MIB),
        ([21 * MIB, 19 * MIB], 40, 40 * MIB),
        ([21 * MIB, 19 * MIB, 2 * MIB], 60, 42 * MIB),
        ([33 * MIB], 40, 33 * MIB),
    ],
)
def test_expandable_segments_are_backed_page_by_page(sizes: list[int], reserved: int, allocated: int) -> None:
    result = replay(list(range(1, len(sizes) + 1)), sizes, None, EXPANDABLE)
    assert (result.reserved_peak, result.allocated_peak) == (mib(reserved), allocated)


def test_sizes_are_rounded_to_steps_between_powers_of_two() -> None:
    assert [round_size(size, (0,) * 16) for size in (1, 511, 512, 513, 5000)] == [512, 512, 512, 1024, 5120]
    four = (4,) * 16
    assert round_size(1200 * MIB, four) == 1280 * MIB
    assert round_size(1024 * MIB, four) == 1024 * MIB
    assert round_size(1537 * MIB, four) == 1792 * MIB
    assert round_size(2048, four) == 2048
    assert round_size(2049, four) == 2560
    assert round_size(1900, four) == 2048  # too small for four steps of 512 bytes
    assert round_size(5000, four) == 5120
    table = parse_options("roundup_power2_divisions:[256:1,512:2,>:8]").roundup_power2_divisions
    assert round_size(300 * MIB + 1, table) == 300 * MIB + 512
    assert round_size(513 * MIB, table) == 768 * MIB
    assert round_size(1025 * MIB, table) == 1152 * MIB
    assert round_size(100_000 * MIB, table) == 106_496 * MIB  # 64 GiB + 5 steps of 8 GiB


@given(st.integers(1, 2**40), st.sampled_from([0, 1, 2, 4, 16, 64]))
def test_rounding_adds_less_than_one_step(size: int, divisions: int) -> None:
    rounded = round_size(size, (divisions,) * 16)
    assert rounded % 512 == 0
    assert size <= rounded < size + max(512, size // max(divisions, 1) if divisions > 1 else 0)
    assert round_size(rounded, (divisions,) * 16) == rounded


def test_a_segment_of_its_own_from_10_mib_on() -> None:
    sizes = [512, MIB, MIB + 512, 10 * MIB - 512, 10 * MIB, 10 * MIB + 512]
    assert [segment_size(size, DEFAULT) // MIB for size in sizes] == [2, 2, 20, 20, 10, 12]
    larger = parse_options("large_segment_size_mb:64")
    assert [segment_size(size, larger) // MIB for size in sizes] == [2, 2, 64, 64, 10, 12]


def test_a_freed_block_is_used_again_and_stays_reserved() -> None:
    assert run([30, "-1", 30, "-2", 29.5]).reserved_peak == mib(30)
    assert run([30, "-1"]) == Replay(mib(30), mib(30), mib(30), reserved_end=mib(30))


def test_free_neighbours_join_again() -> None:
    cut = [30, "-1", 12, 15]
    assert run(cut).reserved_peak == mib(30)
    assert run([*cut, "-2", "-3", 30]).reserved_peak == mib(30)
    assert run([*cut, "-2", 30]).reserved_peak == mib(60)


def test_best_fit_takes_the_smallest_block_that_holds_it() -> None:
    # 24 MiB has the choice of 40 and 30; if it took the 40, the 39 after it would need a segment of its own.
    assert run([40, 30, "-1", "-2", 24, 39]).reserved_peak == mib(70)


def test_a_cache_that_grows_by_concatenation_leaves_holes() -> None:
    """Each step copies a layer's cache into one that is 2 MiB longer, and what it leaves fits no later step."""
    layers, script, number = 4, [], 0
    held: dict[int, int] = {}
    for length in range(12, 40, 2):
        for layer in range(layers):
            number += 1
            script.append(length)
            if layer in held:
                script.append(f"-{held[layer]}")
            held[layer] = number
    plain, expandable = run(script), run(script, options=EXPANDABLE)
    assert plain.requested_peak == expandable.requested_peak == mib(4 * 38 + 36)
    assert plain.reserved_peak > 1.2 * plain.allocated_peak
    assert expandable.reserved_peak < plain.reserved_peak


def test_max_split_size_keeps_large_blocks_whole() -> None:
    script = [100, "-1", 12, 100]
    assert run(script).reserved_peak == mib(200)  # 12 MiB cut the first 100
    assert run(script, options=MAX_SPLIT).reserved_peak == mib(112)


def test_a_block_that_is_not_split_may_be_20_mib_too_large() -> None:
    close = run([100, "-1", 81], options=MAX_SPLIT)
    assert (close.reserved_peak, close.allocated_end) == (mib(100), mib(100))
    far = run([100, "-1", 79], options=MAX_SPLIT)
    assert (far.reserved_peak, far.allocated_end) == (mib(180), mib(80))
    wider = parse_options("max_split_size_mb:64,max_non_split_rounding_mb:40")
    assert run([100, "-1", 79], options=wider).reserved_peak == mib(100)


def test_cached_segments_are_given_back_before_an_allocation_fails() -> None:
    result = run([60, "-1", 70], capacity=100)
    assert (result.out_of_memory, result.retries, result.reserved_peak, result.reserved_end) == (
        False, 1, mib(70), mib(70),
    )  # fmt: skip
    in_use = run([60, "-1", 12, 70], capacity=100)  # a piece of the 60 is in use: nothing to give back
    assert (in_use.out_of_memory, in_use.failed_event, in_use.reserved_end) == (True, 3, mib(60))


def test_oversize_blocks_are_given_back_first_and_only_as_many_as_needed() -> None:
    one = run([100, 120, 1.5, "-1", "-2", "-3", 75], capacity=250, options=MAX_SPLIT)
    assert (one.retries, one.reserved_end) == (1, mib(20 + 120 + 76))  # the 100 goes, the smallest that is enough
    both = run([100, 100, 1.5, "-1", "-2", "-3", 150], capacity=250, options=MAX_SPLIT)
    assert (both.retries, both.reserved_end) == (1, mib(20 + 150))
    everything = run([100, 100, 1.5, "-1", "-2", "-3", 240], capacity=250, options=MAX_SPLIT)
    assert (everything.retries, everything.reserved_end) == (1, mib(240))


def test_garbage_collection_gives_back_the_longest_unused_first() -> None:
    script, options = [60, "-1", 70, "-2", 80], parse_options("garbage_collection_threshold:0.5")
    collected = run(script, 200, options, fraction_set=True)
    assert (collected.retries, collected.reserved_peak, collected.reserved_end) == (0, mib(150), mib(150))
    for without in (run(script, 200, options), run(script, 200, fraction_set=True)):  # acts with a fraction only
        assert (without.retries, without.reserved_peak, without.reserved_end) == (1, mib(130), mib(80))
    roomy = run(script, 300, options, fraction_set=True)  # 130 MiB is below half of the limit
    assert roomy.reserved_peak == mib(210)


def test_throw_on_oom_fails_before_the_cache_is_given_back() -> None:
    options = parse_options("throw_on_cudamalloc_oom:True")
    assert run([60, "-1", 70], 100, options, fraction_set=True).out_of_memory
    assert not run([60, "-1", 70], 100, options).out_of_memory
    assert not run([60, "-1", 70], 100, fraction_set=True).out_of_memory


def test_a_small_tensor_needs_room_for_a_whole_segment() -> None:
    assert run([1.5], capacity=19).out_of_memory
    assert not run([1.5], capacity=20).out_of_memory
    assert run([1.5], 19, EXPANDABLE, fraction_set=True).out_of_memory


def test_unused_pages_of_expandable_segments_are_given_back() -> None:
    script = [50, 30, "-1", 1, 60]  # maps 60, 20 more, then a page of 2 in the small pool
    result = run(script, 102, EXPANDABLE)
    # Pages at 0 to 40 go; 10 MiB beside the block of 30 stay, and the 60 are mapped behind it.
    assert (result.out_of_memory, result.retries, result.reserved_peak) == (False, 1, mib(102))
    assert run(script, 100, EXPANDABLE).failed_event == 4
    holes = run([50, 30, "-1", 1, 60, "-4", 45], 107, EXPANDABLE)
    assert not holes.out_of_memory


def test_a_fraction_is_compared_with_the_segment_but_pages_are_mapped() -> None:
    with_fraction = run([21], 30, EXPANDABLE, fraction_set=True)
    assert (with_fraction.out_of_memory, with_fraction.reserved_peak) == (False, mib(40))
    assert run([21], 30, EXPANDABLE).out_of_memory


def test_a_larger_pool_can_fail_where_a_smaller_one_does_not() -> None:
    """The smaller one gives back the first block before the piece of 2 MiB can be cut from it."""
    script = [100, "-1", 110, 2, "-2", 180]
    assert not run(script, 200).out_of_memory
    assert run(script, 210).out_of_memory
    assert not run(script, 280).out_of_memory


def test_storages_without_bytes_take_nothing() -> None:
    assert replay([1, 2, -1], [0, 512, 7], None) == Replay(2 * MIB, 512, 512, reserved_end=2 * MIB, allocated_end=512)
    assert replay([], [], 0) == Replay(0, 0, 0)
    assert replay([1], [1], 0).out_of_memory


def test_numpy_sizes_are_as_good() -> None:
    assert replay(np.array([1, 2, -1]), np.array([5, 7 * MIB]), None) == replay([1, 2, -1], [5, 7 * MIB], None)


@pytest.mark.parametrize(("events", "sizes"), [([1, 1], [1]), ([-1], [1]), ([1, -1, -1], [1]), ([1], [-1])])
def test_events_that_cannot_be_are_refused(events: list[int], sizes: list[int]) -> None:
    with pytest.raises(ValueError, match=r"alive|negative"):
        replay(events, sizes, None)


# --- The same rules again, written for reading: lists that are searched from end to end, and no expandable segments.


@dataclass(eq=False)
class Piece:
    size: int
    free: bool = True
    age: int = 0


@dataclass
class Plain:
    options: AllocatorOptions
    capacity: int
    fraction_set: bool
    segments: list[tuple[bool, list[Piece]]] = field(default_factory=list)
    peak: int = 0
    retries: int = 0
    searches: int = 0

    @property
    def reserved(self) -> int:
        return sum(piece.size for _, pieces in self.segments for piece in pieces)

    def allocate(self, size: int) -> Piece | None:
        small = size <= MIB
        self.searches += not small
        piece = self.fitting(small, size) or self.new(small, size)
        if piece is None:
            return None
        pieces = next(pieces for _, pieces in self.segments if piece in pieces)
        limit = self.options.max_split_bytes or 2**70
        rest = piece.size - size
        if rest >= 512 if small else size < limit and rest > MIB:
            piece.size = size
            pieces.insert(pieces.index(piece) + 1, Piece(rest, age=self.searches))
        piece.free = False
        return piece

    def fitting(self, small: bool, size: int) -> Piece | None:
        fits = [
            piece
            for kind, pieces in self.segments
            for piece in pieces
            if kind is small and piece.free and piece.size >= size
        ]
        if not fits:
            return None
        best = min(fits, key=lambda piece: piece.size)  # the first of equals: segments and pieces are in order
        limit = self.options.max_split_bytes or 2**70
        too_large = best.size >= limit if size < limit else best.size >= size + 20 * MIB
        return None if too_large else best

    def new(self, small: bool, size: int) -> Piece | None:
        threshold = self.options.garbage_collection_threshold
        if self.fraction_set and threshold:
            self.collect(self.reserved - int(threshold * self.capacity))
        refused = 0
        for make_room in (None, self.release_oversize, self.release_all):
            if make_room is not None and not make_room(small, size):
                continue
            segment = 2 * MIB if small else 20 * MIB if size < 10 * MIB else -(-size // (2 * MIB)) * 2 * MIB
            if self.reserved + segment <= self.capacity:
                piece = Piece(segment)
                self.segments.append((small, [piece]))
                self.peak = max(self.peak, self.reserved)
                self.retries += refused
                return piece
            refused += 1
        return None

    def whole(self, *kinds: bool) -> list[Piece]:
        return [pieces[0] for kind, pieces in self.segments if kind in kinds and len(pieces) == 1 and pieces[0].free]

    def drop(self, piece: Piece) -> int:
        self.segments = [(kind, pieces) for kind, pieces in self.segments if piece not in pieces]
        return piece.size

    def collect(self, excess: int) -> None:
        while excess > 0 and (unused := self.whole(False)):
            mean = sum(self.searches - piece.age for piece in unused) / len(unused)
            for piece in unused:
                if self.searches - piece.age >= mean:
                    excess -= self.drop(piece)

    def release_oversize(self, small: bool, size: int) -> bool:
        limit = self.options.max_split_bytes
        if limit is None:
            return False
        wanted = max(size, limit)
        oversize = sorted((piece for piece in self.whole(small) if piece.size >= limit), key=lambda piece: piece.size)
        enough = [piece for piece in oversize if piece.size >= wanted]
        if enough:
            return bool(self.drop(enough[0]))
        released = 0
        while oversize and released < wanted:
            released += self.drop(oversize.pop())
        return released >= wanted

    def release_all(self, small: bool, size: int) -> bool:
        for piece in self.whole(True, False):
            self.drop(piece)
        return True

    def free(self, freed: Piece) -> None:
        pieces = next(pieces for _, pieces in self.segments if freed in pieces)
        freed.free, freed.age = True, self.searches
        joined: list[Piece] = []
        for piece in pieces:
            if joined and joined[-1].free and piece.free:
                joined[-1].size += piece.size
                joined[-1].age = self.searches
            else:
                joined.append(piece)
        pieces[:] = joined


def plainly(
    events: Sequence[int], sizes: Sequence[int], capacity: int, options: AllocatorOptions, fraction: bool
) -> tuple[int, int, int, int | None, int]:
    plain, live, allocated = Plain(options, capacity, fraction), {}, 0
    for number, event in enumerate(events):
        if event > 0:
            piece = plain.allocate(round_size(sizes[event - 1], options.roundup_power2_divisions))
            if piece is None:
                return plain.peak, plain.reserved, allocated, number, plain.retries
            live[event] = piece
            allocated = max(allocated, sum(piece.size for piece in live.values()))
        else:
            plain.free(live.pop(-event))
    return plain.peak, plain.reserved, allocated, None, plain.retries


SIZES = st.one_of(
    st.integers(1, 3 * MIB),
    st.integers(MIB, 30 * MIB),
    st.integers(1, 60).map(lambda count: count * 2 * MIB),
    st.sampled_from([512, MIB, MIB + 512, 9 * MIB, 10 * MIB, 20 * MIB, 64 * MIB, 100 * MIB]),
)
OPTIONS = st.sampled_from(
    [
        "", "max_split_size_mb:20", "max_split_size_mb:64", "garbage_collection_threshold:0.6",
        "garbage_collection_threshold:0.3,max_split_size_mb:40", "roundup_power2_divisions:4",
    ]
)  # fmt: skip
PAGED = st.sampled_from(
    [
        "expandable_segments:True", "expandable_segments:True,max_split_size_mb:40",
        "expandable_segments:True,large_segment_size_mb:30",
        "expandable_segments:True,garbage_collection_threshold:0.5",
    ]
)  # fmt: skip


@st.composite
def passes(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    """Events in which storages are born and most of them end, in any order that can be."""
    sizes = draw(st.lists(SIZES, min_size=1, max_size=40))
    events: list[int] = []
    live: list[int] = []
    for number in range(1, len(sizes) + 1):
        for _ in range(draw(st.integers(0, 2))):
            if live:
                events.append(-live.pop(draw(st.integers(0, len(live) - 1))))
        events.append(number)
        live.append(number)
    return events, sizes


@settings(max_examples=150)
@given(passes(), st.integers(0, 400), OPTIONS, st.booleans())
def test_the_replay_follows_the_rules_written_plainly(
    given_pass: tuple[list[int], list[int]], capacity: int, text: str, fraction_set: bool
) -> None:
    events, sizes = given_pass
    options = parse_options(text)
    result = replay(events, sizes, capacity * MIB, options, fraction_set=fraction_set)
    found = (result.reserved_peak, result.reserved_end, result.allocated_peak, result.failed_event, result.retries)
    assert found == plainly(events, sizes, capacity * MIB, options, fraction_set)


@settings(max_examples=100)
@given(passes(), st.none() | st.integers(0, 400), OPTIONS | PAGED, st.booleans())
def test_blocks_never_overlap_and_nothing_is_lost(
    given_pass: tuple[list[int], list[int]], capacity: int | None, text: str, fraction_set: bool
) -> None:
    events, sizes = given_pass
    options = parse_options(text)
    limit = None if capacity is None else capacity * MIB
    allocator = CachingAllocator(options, limit, fraction_set=fraction_set)
    live: dict[int, Block] = {}
    for event in events:
        if event > 0:
            block = allocator.allocate(round_size(sizes[event - 1], options.roundup_power2_divisions))
            if block is None:
                break
            live[event] = block
        else:
            allocator.free(live.pop(-event))
        held = [(block.address, block.size) for block in live.values()]
        pieces = sorted(held + allocator.cached)
        assert all(start + size <= following for (start, size), (following, _) in pairwise(pieces))
        assert sum(size for _, size in pieces) == allocator.reserved
        assert sum(size for _, size in held) == allocator.allocated
    for block in live.values():
        allocator.free(block)
    assert allocator.allocated == 0
    assert allocator.reserved == sum(size for _, size in allocator.cached)
    if limit is not None:  # what cannot be had takes everything that is cached with it
        assert allocator.allocate(limit // 512 * 512 + 512 * MIB) is None
        assert allocator.reserved == 0


@settings(max_examples=100)
@given(passes(), st.integers(0, 400), OPTIONS | PAGED, st.booleans())
def test_what_a_capacity_can_and_cannot_change(
    given_pass: tuple[list[int], list[int]], capacity: int, text: str, fraction_set: bool
) -> None:
    events, sizes = given_pass
    options = parse_options(text)
    free = replay(events, sizes, None, options)
    capped = replay(events, sizes, capacity * MIB, options, fraction_set=fraction_set)
    assert capped == replay(events, sizes, capacity * MIB, options, fraction_set=fraction_set)
    assert not free.out_of_memory and free.retries == 0
    for result in (free, capped):
        assert result.reserved_peak >= result.allocated_peak >= result.requested_peak
        assert result.reserved_end >= result.allocated_end
        assert result.out_of_memory is (result.failed_event is not None)
    if options.expandable_segments and fraction_set:
        return  # compared with segments, mapped in pages: the limit is neither kept nor used up
    assert capped.reserved_peak <= capacity * MIB
    if capacity * MIB < free.requested_peak:
        assert capped.out_of_memory
    if capacity * MIB < free.reserved_peak and not options.garbage_collection_threshold:
        assert capped.out_of_memory or capped.retries
    if capacity * MIB >= free.reserved_peak and not options.garbage_collection_threshold:
        assert capped == free


# --- Options


def test_no_text_gives_pytorchs_defaults() -> None:
    assert parse_options("") == parse_options("  ") == AllocatorOptions()
    assert (DEFAULT.max_split_bytes, DEFAULT.max_non_split_rounding_bytes) == (None, 20 * MIB)


def test_every_option_that_changes_bytes_is_read() -> None:
    text = (
        "max_split_size_mb:128, max_non_split_rounding_mb:40, garbage_collection_threshold:0.8,"
        "expandable_segments:True,roundup_power2_divisions:8,large_segment_size_mb:32,"
        "per_process_memory_fraction:0.75,throw_on_cudamalloc_oom:True"
    )
    assert parse_options(text) == AllocatorOptions(
        expandable_segments=True,
        max_split_bytes=128 * MIB,
        max_non_split_rounding_bytes=40 * MIB,
        garbage_collection_threshold=0.8,
        roundup_power2_divisions=(8,) * 16,
        large_segment_bytes=32 * MIB,
        memory_fraction=0.75,
        throw_on_oom=True,
    )
    assert parse_options("large_segment_size_mb:64").max_non_split_rounding_bytes == 64 * MIB
    assert parse_options("max_split_size_mb:64,max_split_size_mb:128").max_split_bytes == 128 * MIB


# What torch 2.13's own parser makes of the same lists (its CPU build, asked through c10).
@pytest.mark.parametrize(
    ("text", "divisions"),
    [
        ("1", [1] * 16),
        ("[256:1,512:2,>:8]", [1] * 9 + [2] + [8] * 6),
        ("[64:8,128:2,256:4,512:2,1024:4,>:1]", [8] * 7 + [2, 4, 2, 4] + [1] * 5),
        ("[1:4,64:2]", [4, 0, 0, 0, 0, 0, 2] + [0] * 9),
        ("[>:8]", [0] + [8] * 15),
        ("[65536:4]", [4] * 16),
        ("[4:0,>:2]", [0, 0, 0] + [2] * 13),
        ("[]", [0] * 16),
    ],
)
def test_roundup_divisions_by_size(text: str, divisions: list[int]) -> None:
    assert list(parse_options(f"roundup_power2_divisions:{text}").roundup_power2_divisions) == divisions


@pytest.mark.parametrize(
    "text",
    [
        "backend:native", "pinned_use_background_threads:True", "pinned_num_register_threads:8",
        "pinned_use_hip_host_register:False", "pinned_reserve_segment_size_mb:64", "release_lock_on_hipmalloc:True",
        "graph_capture_record_stream_reuse:True,pinned_free_catch_all:True", "backend:native,",
    ],
)  # fmt: skip
def test_options_of_the_host_change_nothing(text: str) -> None:
    assert parse_options(text) == DEFAULT


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("max_split_size:128", "'max_split_size' is not an option"),
        ("backend:cudaMallocAsync", "backend:native"),
        ("backend:hipMallocAsync", "backend:native"),
        ("backend:jemalloc", "native"),
        ("expandable_segments:true", "True or False"),
        ("expandable_segments:1", "True or False"),
        ("throw_on_cudamalloc_oom:yes", "True or False"),
        ("pinned_num_register_threads:3", "pinned_num_register_threads"),
        ("max_split_size_mb:19", "from 20 up"),
        ("max_split_size_mb:20,large_segment_size_mb:64", "from 64 up"),
        ("max_split_size_mb:20MB", "whole number"),
        ("max_split_size_mb:-1", "whole number"),
        ("max_non_split_rounding_mb:10", "from 20 up"),
        ("large_segment_size_mb:10", "from 11 up"),
        ("garbage_collection_threshold:0", "between 0 and 1"),
        ("garbage_collection_threshold:1.0", "between 0 and 1"),
        ("garbage_collection_threshold:nan", "fraction"),
        ("garbage_collection_threshold:.", "fraction"),
        ("per_process_memory_fraction:1.5", "fraction"),
        ("roundup_power2_divisions:3", "power of 2"),
        ("roundup_power2_divisions:0", "power of 2"),
        ("roundup_power2_divisions:[3:4]", "power of 2"),
        ("roundup_power2_divisions:[4:3]", "power of 2"),
        ("roundup_power2_divisions:[4]", "MiB:divisions"),
        ("roundup_power2_divisions:[4:2", "key:value"),
        ("max_split_size_mb", "key:value"),
        ("max_split_size_mb:", "key:value"),
        (",max_split_size_mb:20", "key:value"),
        ("max_split_size_mb=20", "key:value"),
    ],
)
def test_what_pytorch_would_refuse_is_refused_in_one_line(text: str, says: str) -> None:
    with pytest.raises(BadInputError) as error:
        parse_options(text)
    assert says in str(error.value)
    assert "\n" not in str(error.value)


@given(st.text(alphabet="abcmx_:,.>[]0123456789eE-TrueFls ", max_size=60) | st.text(max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    for given_text in (text, f"roundup_power2_divisions:{text}", f"garbage_collection_threshold:{text}"):
        try:
            options = parse_options(given_text)
        except BadInputError:
            continue
        assert 0 <= options.garbage_collection_threshold < 1
        assert len(options.roundup_power2_divisions) == 16


# --- Shipped tapes


@pytest.mark.parametrize("attention", ATTENTIONS)
@pytest.mark.parametrize("tokens", [512, 4096])
def test_a_shipped_tape_asks_for_what_its_events_say(attention: str, tokens: int) -> None:
    tape = find_tape(load_preset("llama-2-7b"), TapeKey(dtype="fp16", attention=attention))
    assert tape is not None
    regime = next(regime for regime in tape.regimes if regime.from_tokens <= tokens <= regime.to_tokens)
    columns = zip(regime.a, regime.b, regime.c, strict=True)
    sizes = np.array([round(a + b * tokens + c * tokens * tokens) for a, b, c in columns])
    events = np.array(regime.events)
    result = replay(regime.events, sizes, None)
    assert result.requested_peak == np.cumsum(np.sign(events) * sizes[np.abs(events) - 1]).max()
    assert result.requested_peak <= result.allocated_peak <= result.reserved_peak < 1.1 * result.requested_peak
    assert replay(regime.events, sizes, result.reserved_peak) == result
    assert replay(regime.events, sizes, result.requested_peak - 1).out_of_memory
