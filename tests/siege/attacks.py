# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Attacks on a server. Each runs in a process of its own until it is told to stop.

They step back for the honest players on this machine (nice): attackers would have machines of their
own. What they cost the server, they cost it all the same.
"""

import contextlib
import multiprocessing
import os
import random
import select
import socket
import threading
from collections.abc import Callable
from multiprocessing.synchronize import Event

import wire

FAR = 10**9


def still(over: Event, seconds: float = 0.0) -> bool:
    """Waits; false once the attack is over."""
    return not over.wait(seconds)


def idle_sockets(port: int, over: Event) -> None:
    """More connections than the server has descriptors, from many addresses, that say nothing."""
    links: list[socket.socket] = []
    while still(over, 0.01):
        with contextlib.suppress(OSError):
            source = f"127.0.0.{random.randint(2, 9)}"
            links.append(wire.connect(port, 2.0, source))
            if random.random() < 0.3:
                links[-1].sendall(b"GET /ws HT")
        if len(links) > 600:
            links.pop(random.randrange(len(links))).close()


def idle_viewers(port: int, over: Event) -> None:
    """Anonymous clients that take all places, and do nothing."""
    clients = []
    while still(over, 0.02):
        with contextlib.suppress(OSError, wire.Refused):
            clients.append(wire.Client(port, "", timeout=2.0, source="127.0.0.10"))
        if len(clients) > 300:
            clients.pop(0).close()


def far_viewers(port: int, over: Event) -> None:
    """Ten viewers with eight subscriptions each to places where nobody has been."""

    def watch(number: int) -> None:
        while still(over):
            with contextlib.suppress(OSError, wire.Refused):
                client = wire.Client(port, "", timeout=5.0, source="127.0.0.11")
                for k in range(8):
                    x = FAR * (number + 1) + random.randrange(10**8)
                    client.send(wire.subscribe(k + 2, 1, x, FAR * k, 3200, 3200, k % 4, 1000.0))
                while still(over):
                    client.read()
            still(over, 0.5)

    threads = [threading.Thread(target=watch, args=(i,), daemon=True) for i in range(10)]
    for thread in threads:
        thread.start()
    over.wait()


def deaf_viewers(port: int, over: Event) -> None:
    """Clients that ask for much and never read."""
    clients: list[wire.Client] = []
    while still(over, 0.01):
        with contextlib.suppress(OSError, wire.Refused):
            client = wire.Client(port, "", timeout=2.0, source="127.0.0.12", receive_buffer=4096)
            clients.append(client)
            for k in range(8):
                client.send(wire.subscribe(k + 2, 1, -1600, -1600, 3200, 3200, 0, 1000.0))
            client.link.settimeout(0.1)
            for k in range(300):
                client.send(wire.read_region(k + 20, -128, -128, 256, 256))
        if len(clients) > 60:
            clients.pop(0).close()


def flood(port: int, over: Event, token: str, source: str, make: Callable[[int], bytes]) -> None:
    """Sends requests as fast as the server takes them, and reads the answers."""
    while still(over):
        with contextlib.suppress(OSError, wire.Refused):
            client = wire.Client(port, token, timeout=5.0, source=source)
            request = 2
            while still(over):
                batch = b"".join(wire.wrap(make(request + k)) for k in range(32))
                request += 32
                client.link.sendall(batch)
                while select.select([client], [], [], 0)[0]:
                    client.receive()
                    while client.take() is not None:
                        pass
        still(over, 0.2)


def region_flood(port: int, over: Event) -> None:
    """Queries of far places, with a token that may act."""

    def make(request: int) -> bytes:
        x, y = random.randrange(FAR), random.randrange(FAR)
        return random.choice(
            [
                wire.read_region(request, x, y, 256, 256),
                wire.smell(request, x, y, 60, 60),
                wire.inspect(request, x, y),
                wire.explain(request, x, y),
                wire.read_region(request, 0, 0, 256, 256),
            ]
        )

    flood(port, over, "mob-may-act-too", "127.0.0.13", make)


def refused_flood(port: int, over: Event) -> None:
    """Requests that are refused: agents beyond the end of the world or with a body that there is
    not, and long words of agents of others."""
    wishes = [(1 << 32 | n, 0, 255, b"\xff" * 1000) for n in range(60)]

    def make(request: int) -> bytes:
        return random.choice(
            [
                wire.add_agent(request, random.choice([(1 << 61, 0), (-(1 << 61), 5)])),
                wire.join(request, 250),
                wire.act_words(request, wishes),
            ]
        )

    flood(port, over, "mob-may-act-too", "127.0.0.14", make)


def ping_flood(port: int, over: Event) -> None:
    """As many requests as possible of one who may only watch."""
    flood(port, over, "", "127.0.0.15", wire.ping)


def bad_http(port: int, over: Event) -> None:
    """Upgrades to other protocols, other methods, other hosts, half requests."""
    requests = [
        b"GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
        b"HTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"CONNECT localhost:80 HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: something\r\n\r\n",
        b"HEAD / HTTP/1.1\r\nHost: x\r\n\r\n",
        b"POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n" + b"x" * 1000,
        b"GET /ws HTTP/1.1\r\nHost: 127.0.0.1/evil\r\nOrigin: http://127.0.0.1/evil\r\n"
        b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
        b"GET /" + b"a" * 20000,
        os.urandom(3000),
    ]
    while still(over, 0.005):
        with contextlib.suppress(OSError), wire.connect(port, 0.2, "127.0.0.16") as link:
            link.sendall(random.choice(requests))
            link.recv(1000)


def bad_frames(port: int, over: Event) -> None:
    """Frames and messages that make no sense."""
    while still(over, 0.005):
        with contextlib.suppress(OSError, wire.Refused):
            client = wire.Client(
                port, random.choice(["", "mob-may-act-too", None]), timeout=0.5, source="127.0.0.17"
            )
            for _ in range(5):
                client.link.sendall(
                    random.choice(
                        [
                            os.urandom(random.randrange(300)),
                            wire.wrap(os.urandom(random.randrange(300))),
                            wire.wrap(b"\x05\x00" + os.urandom(40)),
                            wire.wrap(b"x" * 70000),
                            b"\x82\xff\x7f\xff\xff\xff\xff\xff\xff\xff" + b"\0" * 100,
                        ]
                    )
                )
            client.close()


ATTACKS = [
    idle_sockets,
    idle_viewers,
    far_viewers,
    deaf_viewers,
    region_flood,
    refused_flood,
    ping_flood,
    bad_http,
    bad_frames,
]


class Attack(multiprocessing.Process):
    """An attack that is going on."""

    def __init__(self, function: Callable[[int, Event], None], port: int) -> None:
        super().__init__(daemon=True)
        self.function, self.port = function, port
        self.over = multiprocessing.Event()

    def run(self) -> None:
        os.nice(19)
        self.function(self.port, self.over)

    def stop(self) -> None:
        self.over.set()
        self.join(5)
        if self.is_alive():
            self.kill()
            self.join()
