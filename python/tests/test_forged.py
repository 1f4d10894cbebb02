# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Files that were forged: every checksum is right, what they hold is not. Reading them raises an
exception or gives a world that can be used, and takes no more memory than such a file should.
"""

import dataclasses
import pathlib
import random
import struct
from collections.abc import Callable

import pytest
import xxhash
import zstandard

import jbw

WORLD = {
    "scent_dimensions": 1,
    "color_dimensions": 1,
    "patch_size": 16,
    "mh_iterations": 20,
    "scent_decay": 0.2,
    "scent_diffusion": 0.05,
    "agent": {"vision_range": 2, "actions": ["MoveForward", "TurnLeft", "Drop[A]"]},
    "items": {
        "A": {"color": [1], "scent": [1], "intensity": "Constant[-2]"},
        "B": {"color": [1], "blocks_movement": True, "intensity": "Constant[-3]"},
    },
}

SNAPSHOT_HEAD = 56
RECORDING_HEAD = 16
BLOCK_HEAD = 88
SNAPSHOT, LOG = 1, 2


def checksum(data: bytes, seed: int = 0) -> int:
    return xxhash.xxh3_64_intdigest(data, seed=seed)


def unpack_snapshot(data: bytes) -> bytes:
    return zstandard.ZstdDecompressor().decompress(data[SNAPSHOT_HEAD:])


def pack_snapshot(contents: bytes) -> bytes:
    """docs/snapshot_format.md: the header, then the contents as a zstd frame."""
    frame = zstandard.ZstdCompressor(level=1).compress(contents)
    head = b"\x89JBS\r\n\x1a\n" + struct.pack(
        "<IIQQQQ", 1, 0, len(contents), len(frame), checksum(contents), checksum(frame)
    )
    return head + struct.pack("<Q", checksum(head)) + frame


@dataclasses.dataclass
class Block:
    """A block of a recording: the fields of its head, up to its own checksums, and its body."""

    fields: list[int]  # kind, size, raw_size, first and last time, operations, hashes, synced, hash
    body: bytes


def read_blocks(data: bytes) -> list[Block]:
    blocks = []
    at = RECORDING_HEAD
    while at < len(data):
        fields = list(struct.unpack_from("<IQQQQQQQQ", data, at + 4))
        assert data[at : at + 4] == b"JBWB"
        body = data[at + BLOCK_HEAD : at + BLOCK_HEAD + fields[1]]
        blocks.append(Block(fields, body))
        at += BLOCK_HEAD + fields[1]
    return blocks


def write_blocks(head: bytes, blocks: list[Block]) -> bytes:
    data = head
    for block in blocks:
        block.fields[1] = len(block.body)
        fields = b"JBWB" + struct.pack("<IQQQQQQQQ", *block.fields)
        fields += struct.pack("<Q", checksum(block.body))
        data += fields + struct.pack("<Q", checksum(fields, seed=len(data))) + block.body
    return data


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("forged") / "good.jbwr"
    world = jbw.World(WORLD, seed=3)
    agents = [world.add_agent() for _ in range(3)]
    with world.record(path, hash_every=7, snapshot_every=20, flush_every=5):
        for step in range(60):
            world.act(agents, [step % 3, (step // 3) % 3, 0])
            if step % 9 == 0:
                world.place("A", step, -step)
    return path.read_bytes()


def test_forging_is_right(recording: bytes, tmp_path: pathlib.Path) -> None:
    """What is taken apart and put together again is the same recording."""
    blocks = read_blocks(recording)
    assert {block.fields[0] & 0xFFFF for block in blocks} == {LOG, SNAPSHOT}
    for block in blocks:
        if block.fields[0] & 0xFFFF == SNAPSHOT:
            block.body = pack_snapshot(unpack_snapshot(block.body))
        else:
            block.body = zstandard.ZstdCompressor().compress(unzip(block.body))
    path = tmp_path / "again.jbwr"
    path.write_bytes(write_blocks(recording[:RECORDING_HEAD], blocks))
    with jbw.Recording(path) as again:
        assert sum(1 for _ in again) == again.operation_count > 60


def unzip(body: bytes) -> bytes:
    return zstandard.ZstdDecompressor().decompress(body)


def change_bytes(data: bytes, draw: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(draw.randint(1, 3)):
        at = draw.randrange(len(changed))
        kind = draw.randrange(6)
        if kind < 3:
            changed[at] = draw.randrange(256)
        elif kind == 3:
            changed[at : at + 1] = b"\xff\xff\xff\xff\xff\xff\xff\xff\x7f"  # a huge number
        elif kind == 4:
            del changed[at : at + draw.randint(1, 8)]
        else:
            changed[at:at] = draw.randbytes(draw.randint(1, 8))
        changed = changed or bytearray(b"\0")
    return bytes(changed)


def forge_log(blocks: list[Block], draw: random.Random) -> None:
    block = draw.choice([block for block in blocks if block.fields[0] & 0xFFFF == LOG])
    log = change_bytes(unzip(block.body), draw)
    block.body = zstandard.ZstdCompressor().compress(log)
    block.fields[2] = len(log)


def forge_snapshot(blocks: list[Block], draw: random.Random) -> None:
    block = draw.choice([block for block in blocks if block.fields[0] & 0xFFFF == SNAPSHOT])
    block.body = pack_snapshot(change_bytes(unpack_snapshot(block.body), draw))
    if draw.randrange(2):
        block.fields[0] = SNAPSHOT  # without the hash, which would tell


def forge_head(blocks: list[Block], draw: random.Random) -> None:
    block = draw.choice(blocks)
    number = draw.choice([0, 2, 3, 4, 5, 6, 7, 8])
    largest = 2**32 if number == 0 else 2**64
    block.fields[number] = draw.choice(
        [0, 1, 2, 3, largest - 1, largest // 2, draw.randrange(largest), draw.randrange(100)]
    )


def forge_order(blocks: list[Block], draw: random.Random) -> None:
    one, other = draw.randrange(len(blocks)), draw.randrange(len(blocks))
    blocks[one], blocks[other] = blocks[other], blocks[one]
    if draw.randrange(2):
        del blocks[draw.randrange(1, len(blocks))]


def use(path: pathlib.Path, draw: random.Random) -> int:
    """Replays what can be replayed, and returns the number of operations."""
    count = 0
    with jbw.Recording(path, memory_limit=64) as forged:
        try:
            for _ in forged:
                count += 1
        except (jbw.Error, MemoryError) as error:
            assert str(error)
        for time in (draw.randrange(70), 0, forged.last_time):
            try:
                forged.seek(time)
            except (jbw.Error, MemoryError) as error:
                assert str(error)
        world = forged.world
        world.items(-20, -20, 40, 40)
        for agent in world.agents:
            assert agent.vision.shape == (5, 5, 1)
        world.hash()
    return count


@pytest.mark.parametrize("forge", [forge_log, forge_snapshot, forge_head, forge_order])
def test_forged_recordings(
    recording: bytes, tmp_path: pathlib.Path, forge: Callable[[list[Block], random.Random], None]
) -> None:
    path = tmp_path / "forged.jbwr"
    opened = 0
    whole = 0
    for seed in range(150):
        draw = random.Random(seed)
        blocks = read_blocks(recording)
        forge(blocks, draw)
        path.write_bytes(write_blocks(recording[:RECORDING_HEAD], blocks))
        try:
            whole += use(path, draw) > 60
            opened += 1
        except (jbw.Error, MemoryError) as error:
            assert str(error)
    assert opened > 0
    assert whole < 150


def test_forged_snapshots() -> None:
    world = jbw.World(WORLD, seed=3)
    agents = [world.add_agent() for _ in range(3)]
    for step in range(30):
        world.act(agents, [step % 3, 1, 0])
    good = unpack_snapshot(world.to_bytes({"note": "text"}))
    assert jbw.World.from_bytes(pack_snapshot(good)).hash() == world.hash()
    loaded = 0
    for seed in range(300):
        draw = random.Random(seed)
        forged = pack_snapshot(change_bytes(good, draw))
        try:
            other = jbw.World.from_bytes(forged, memory_limit=64)
        except (jbw.Error, MemoryError) as error:
            assert str(error)
            continue
        loaded += 1
        other.step()
        other.items(-20, -20, 40, 40)
        other.to_bytes()
    assert loaded > 10


def test_bomb(tmp_path: pathlib.Path) -> None:
    """A note of 400 MB of zeros in a few kilobytes."""
    good = unpack_snapshot(jbw.World(WORLD).to_bytes())
    size = 400 << 20
    number = bytearray()
    while size:
        number.append(size & 127 | (128 if size > 127 else 0))
        size >>= 7
    # the notes come first: how many, then the name, the size and the bytes of each
    assert good[0] >= 1
    bomb = pack_snapshot(bytes([good[0] + 1, 4]) + b"bomb" + number + bytes(400 << 20) + good[1:])
    assert len(bomb) < 100_000
    path = tmp_path / "bomb.jbw"
    path.write_bytes(bomb)
    for load in (lambda: jbw.World.load(path), lambda: jbw.World.from_bytes(bomb)):
        with pytest.raises(
            MemoryError, match=r"more than the memory limit of .* larger memory limit"
        ):
            load()
    with pytest.raises(MemoryError, match="limit of 104"):
        jbw.World.load(path, memory_limit=100)
    assert jbw.World.load(path, memory_limit=2000).time == 0
    for wrong in (0, -1, 2**41, 2**70):
        with pytest.raises(ValueError, match="memory_limit"):
            jbw.World.load(path, memory_limit=wrong)
    with pytest.raises(TypeError):
        jbw.World.load(path, memory_limit="1")  # type: ignore[arg-type]
