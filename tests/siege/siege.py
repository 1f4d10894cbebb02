# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""siege.py JBW [SECONDS]: attacks servers of the tool JBW while 20 honest clients play.

There is a server for each kind of generation, with few descriptors, a small disk that is full for
a while, a time of day that jumps, and a recording. All attacks run at once, against each server for
half of the time. Afterwards: the honest clients were fast enough, /healthz answered, saving failed
and recovered while the server went on, no descriptor and no memory was left behind, and the world
equals its replay.

The honest clients must be at least half as fast as they are alone: 20 players, no attack, nothing
else that we run. That is measured before and after the siege, since a world that is new, or other
work on the machine, slows clients down too; the faster one counts. Attackers would have machines of
their own, while these share two cores with the server and the players, so they yield to all others
(nice); what they take all the same counts against us. The processor time that the server uses for a
turn is told beside it. A short siege, next to other work, only tells speeds.
"""

import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import time

import attacks
import honest
import wire

PLAYERS = 20
LONG = 300.0  # seconds: from here on the honest clients' speed is asked for in full
DESCRIPTORS = 220
TOKENS = "honest honest-players-act act 40\nmob mob-may-act-too act 1\nboss boss-may-do-all all 5\n"

findings: list[str] = []


def expect(good: bool, finding: str) -> None:
    print(("  ok       " if good else "  FINDING  ") + finding, flush=True)
    if not good:
        findings.append(finding)


def expect_speed(good: bool, finding: str, seconds: float) -> None:
    """A long siege asks for speed; a short one tells it."""
    if 2 * seconds >= LONG:
        expect(good, finding)
    else:
        print("  noted    " + finding, flush=True)


class Disk:
    """A folder that can be full: a small tmpfs if mounting is allowed, or one that vanishes."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.path = folder
        self.path.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", "size=4m", "siege", str(folder)]
        self.is_mounted = subprocess.run(command, capture_output=True, check=False).returncode == 0

    def fill(self) -> None:
        if not self.is_mounted:
            self.path.rename(self.path.with_suffix(".gone"))
            return
        with open(self.path / "junk", "wb", buffering=0) as junk:
            try:
                while junk.write(b"x" * 4096):
                    pass
            except OSError:
                pass

    def empty(self) -> None:
        if self.is_mounted:
            (self.path / "junk").unlink()
        else:
            self.path.with_suffix(".gone").rename(self.path)

    def close(self) -> None:
        if self.is_mounted:
            subprocess.run(["umount", str(self.path)], check=False)


class Server:
    """A server with few descriptors."""

    def __init__(self, jbw: str, folder: pathlib.Path, options: list[str]) -> None:
        (folder / "tokens").write_text(TOKENS)
        self.disk = Disk(folder / "disk")
        self.record = folder / "recorded.jbwr"
        self.log = (folder / "log").open("w+")
        clock = folder / "clock.so"
        subprocess.run(
            [
                "cc",
                "-shared",
                "-fPIC",
                "-O2",
                "-o",
                str(clock),
                str(pathlib.Path(__file__).with_name("jumping_clock.c")),
            ],
            check=True,
        )
        self.process = subprocess.Popen(
            [
                jbw,
                "serve",
                "scent",
                *options,
                "--listen",
                "127.0.0.1:0",
                "--json",
                "--tokens",
                str(folder / "tokens"),
                "--autosave",
                str(self.disk.path / "saved.jbw"),
                "--every",
                "2000",
                "--record",
                str(self.record),
                "--clients",
                "60",
                "--client-memory",
                "32",
                "--turn-timeout",
                "1000",
                "--deactivate",
                "--save-timeout",
                "30",
            ],
            stdout=subprocess.PIPE,
            stderr=self.log,
            text=True,
            env={**os.environ, "LD_PRELOAD": str(clock)},
            preexec_fn=lambda: resource.setrlimit(
                resource.RLIMIT_NOFILE, (DESCRIPTORS, DESCRIPTORS)
            ),
        )
        assert self.process.stdout
        self.port = json.loads(self.process.stdout.readline())["port"]

    def health(self) -> dict:
        answer = wire.http(self.port, timeout=30.0)
        return json.loads(answer.partition(b"\r\n\r\n")[2])

    def wait_for(self, key: str, good: object, seconds: float) -> bool:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                if self.health()[key] == good:
                    return True
            except (OSError, ValueError, KeyError):
                pass
            time.sleep(0.2)
        return False

    def processor_time(self) -> float:
        """Seconds that the server has used so far."""
        stat = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii")
        fields = stat.rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def settle(self) -> tuple[int, int]:
        """Descriptors and memory once the crowd is gone."""
        pid = self.process.pid
        before = None
        for _ in range(60):
            time.sleep(0.5)
            now = wire.descriptors(pid), wire.resident(pid)
            if before and now[0] >= before[0] and abs(now[1] - before[1]) < 1 << 20:
                return now
            before = now
        return now

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.disk.close()


def quantile(times: list[float], part: float) -> float:
    return times[min(len(times) - 1, int(part * len(times)))] if times else float("inf")


class Watch:
    """Turns per second, and the server's processor time for each, since it began."""

    def __init__(self, server: Server, players: honest.Players) -> None:
        self.server, self.players = server, players
        self.turns, self.begin = players.turns.value, time.monotonic()
        self.used = server.processor_time()

    def read(self) -> tuple[float, float]:
        """Turns per second, and microseconds for each."""
        turns = self.players.turns.value - self.turns
        used = self.server.processor_time() - self.used
        return turns / (time.monotonic() - self.begin), 1e6 * used / max(turns, 1)


def besiege(server: Server, players: honest.Players, seconds: float) -> tuple[float, float]:
    """All attacks at once; the disk is full in the middle. Returns the speed of the players."""
    crowd = [attacks.Attack(function, server.port) for function in attacks.ATTACKS]
    prober = honest.Prober(server.port)
    for attack in crowd:
        attack.start()
    prober.start()
    watch = Watch(server, players)
    time.sleep(seconds / 3)
    server.disk.fill()
    time.sleep(seconds / 3)
    told = server.wait_for("status", "save failed", 10)
    server.disk.empty()
    time.sleep(seconds / 3)
    speed = watch.read()
    times = prober.stop()
    for attack in crowd:
        attack.stop()
    expect(told, "/healthz tells that saving fails")
    late = quantile(times, 0.9)
    away = sum(time == float("inf") for time in times)
    expect_speed(
        late < 0.1,
        f"/healthz: {1000 * quantile(times, 0.5):.1f} ms, nine of ten within "
        f"{1000 * late:.1f} ms; {away} of {len(times)} turned away",
        seconds,
    )
    return speed


def check_end(jbw: str, server: Server) -> None:
    """Ends the server; its world equals its replay."""
    server.process.terminate()
    try:
        code = server.process.wait(60)
    except subprocess.TimeoutExpired:
        code = None
    server.log.seek(0)
    log = server.log.read()
    expect(code == 0, "the server ends well" if code == 0 else f"it ends with {code}: {log[-500:]}")
    expect("saving failed" in log and "saved again" in log, "the log tells of failed saves")
    replay = subprocess.run(
        [jbw, "replay", str(server.record), "--verify"], capture_output=True, text=True, check=False
    )
    expect(replay.returncode == 0, f"the recording replays {replay.stderr[-300:]}")
    replayed = server.record.with_suffix(".end")
    subprocess.run(
        [jbw, "replay", str(server.record), "--save", str(replayed)],
        check=False,
        capture_output=True,
    )
    hashes = [find_hash(jbw, path) for path in (server.disk.path / "saved.jbw", replayed)]
    expect(
        hashes[0] is not None and hashes[0] == hashes[1],
        f"the saved world equals its replay: {hashes}",
    )


def find_hash(jbw: str, path: pathlib.Path) -> str | None:
    """The hash of a saved world."""
    told = subprocess.run(
        [jbw, "inspect", str(path), "--json"], capture_output=True, text=True, check=False
    )
    try:
        return json.loads(told.stdout)["hash"]
    except (ValueError, KeyError):
        return None


def measure_alone(server: Server, players: honest.Players, seconds: float) -> tuple[float, float]:
    """The speed of the players while there is nobody else."""
    time.sleep(0.5)
    watch = Watch(server, players)
    time.sleep(seconds)
    return watch.read()


def run(jbw: str, folder: pathlib.Path, name: str, options: list[str], seconds: float) -> None:
    print(f"{name}:", flush=True)
    folder.mkdir()
    server = Server(jbw, folder, options)
    try:
        players = honest.Players(server.port, "honest-players-act", PLAYERS)
        players.start()
        players.ready.wait(60)
        time.sleep(max(1.0, seconds / 20))
        alone = measure_alone(server, players, max(2.0, seconds / 20))
        descriptors, memory = server.settle()
        under_attack = besiege(server, players, seconds)
        if server.process.poll() is not None:
            server.log.seek(0)
            code, log = server.process.returncode, server.log.read()
            expect(False, f"the server lives: {code}, {log[-3000:]}")
            return
        afterwards = measure_alone(server, players, max(2.0, seconds / 20))
        share = under_attack[0] / max(alone[0], afterwards[0], 1.0)
        expect_speed(
            share > 0.5,
            f"turns per second of {PLAYERS} players: {alone[0]:.0f} alone before the attack, "
            f"{under_attack[0]:.0f} in it, {afterwards[0]:.0f} alone afterwards "
            f"({100 * share:.0f} % of the faster one, more than 50 wanted)",
            seconds,
        )
        print(
            f"  noted    processor time of the server for a turn: {alone[1]:.0f} us alone before "
            f"the attack, {under_attack[1]:.0f} in it, {afterwards[1]:.0f} alone afterwards",
            flush=True,
        )
        expect(players.lost.value == 0, f"honest players lost: {players.lost.value}")
        expect(server.wait_for("status", "ok", 60), "saving has recovered")
        after = server.settle()
        expect(after[0] <= descriptors + 4, f"descriptors: {descriptors}, then {after[0]}")
        grown = (after[1] - memory) / 2**20
        # caches of the world and of the terrain for viewers may fill up, but not more than that
        expect(grown < 160, f"memory: {memory / 2**20:.0f} MB, then {grown:+.0f} MB")
        with wire.Client(server.port, "boss-may-do-all") as boss:
            expect(boss.ask(wire.get_hash(5))[0] == wire.HASH, "clients are served")
        players.stop()
        check_end(jbw, server)
    finally:
        server.close()


def main() -> int:
    jbw = str(pathlib.Path(sys.argv[1]).resolve())
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 24.0
    folder = pathlib.Path(tempfile.mkdtemp(prefix="siege-"))
    kinds = {"frontier": [], "invariant": ["--generation", "invariant"]}
    try:
        for name, options in kinds.items():
            run(jbw, folder / name, name, options, seconds / len(kinds))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
