# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Honest players: clients that do nothing but act, each with an agent of its own."""

import multiprocessing
import select
import time

import wire


class Players(multiprocessing.Process):
    """A process with several players; `turns` counts the steps of the world they have taken."""

    def __init__(self, port: int, token: str, count: int) -> None:
        super().__init__(daemon=True)
        self.port, self.token, self.count = port, token, count
        self.turns = multiprocessing.Value("L", 0)
        self.lost = multiprocessing.Value("L", 0)  # players whose connection was closed
        self.over = multiprocessing.Event()
        self.ready = multiprocessing.Event()

    def run(self) -> None:
        clients = [wire.Client(self.port, self.token, timeout=120.0) for _ in range(self.count)]
        agents = [client.add_agent() for client in clients]
        self.ready.set()
        poll = select.poll()
        by_descriptor = {}
        for client, agent in zip(clients, agents, strict=True):
            poll.register(client.fileno(), select.POLLIN)
            by_descriptor[client.fileno()] = client, agent
        acted = 0
        for client, agent in zip(clients, agents, strict=True):
            client.send(wire.act(1, agent, 0))
        while not self.over.is_set():
            for descriptor, _ in poll.poll(200):
                client, agent = by_descriptor[descriptor]
                try:
                    acted += self.play(client, agent)
                except (OSError, wire.Refused) as error:
                    print(f"  a player was dropped: {error}", flush=True)
                    self.lost.value += 1
                    poll.unregister(descriptor)
            self.turns.value = acted // self.count
        for client in clients:
            client.close()

    def play(self, client: wire.Client, agent: int) -> int:
        """Answers what has arrived; returns how often the agent has acted."""
        client.link.setblocking(False)
        try:
            client.receive()
        except BlockingIOError:
            return 0
        finally:
            client.link.settimeout(60.0)
        acted = 0
        while (message := client.take()) is not None:
            kind, request, body = message
            acted += kind == wire.OBSERVED
            if kind == wire.ERROR and wire.error_of(body)[0] == wire.INACTIVE:
                client.send(wire.set_active(request, agent))  # it was too slow for the turn timeout
                continue
            client.send(wire.act(request + 1, agent, request % 3))
        return acted

    def stop(self) -> None:
        self.over.set()
        self.join(30)
        if self.is_alive():
            self.terminate()


class Prober(multiprocessing.Process):
    """Asks for /healthz again and again, and keeps how long each answer took."""

    def __init__(self, port: int) -> None:
        super().__init__(daemon=True)
        self.port = port
        self.over = multiprocessing.Event()
        self.times: multiprocessing.Queue = multiprocessing.Queue()

    def run(self) -> None:
        times = []
        while not self.over.wait(0.05):
            begin = time.monotonic()
            try:
                good = b'"status"' in wire.http(self.port, timeout=30.0)
            except OSError:
                good = False
            times.append(time.monotonic() - begin if good else float("inf"))
        self.times.put(times)

    def stop(self) -> list[float]:
        self.over.set()
        times = self.times.get(timeout=60)
        self.join(10)
        return sorted(times)
