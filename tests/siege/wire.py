# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""The protocol on bare sockets: clients that can also do what no client should.

It shares no code with the project's own clients. docs/protocol.md describes the messages.
"""

import os
import socket
import struct

HELLO, GOODBYE, PING, GET_STATS, ADD_AGENT = 1, 2, 3, 4, 5
ACT, READ_REGION, SMELL, SUBSCRIBE, INSPECT, GET_HASH = 8, 11, 14, 15, 27, 25
SET_ACTIVE, INACTIVE = 7, 13
JOIN, ACT_WORDS, EXPLAIN = 35, 36, 37
WELCOME, ERROR, AGENTS, OBSERVED, REGION, FRAME, HASH = 128, 130, 134, 133, 135, 137, 139

MASK = b"\0\0\0\0"  # masked by zeros, so that payloads can be sent as they are


def text(value: str) -> bytes:
    raw = value.encode()
    return struct.pack("<H", len(raw)) + raw


def hello(token: str = "") -> bytes:
    return struct.pack("<HIHH", HELLO, 1, 1, 1) + text(token) + text("siege")


def region(kind: int, request: int, x: int, y: int, width: int, height: int, rest: bytes) -> bytes:
    return struct.pack("<HIqqII", kind, request, x, y, width, height) + rest


def read_region(request: int, x: int, y: int, width: int, height: int) -> bytes:
    return region(READ_REGION, request, x, y, width, height, b"\1")


def smell(request: int, x: int, y: int, width: int, height: int, stride: int = 1) -> bytes:
    return region(SMELL, request, x, y, width, height, struct.pack("<I", stride))


def inspect(request: int, x: int, y: int) -> bytes:
    return struct.pack("<HIqq", INSPECT, request, x, y)


def subscribe(
    request: int,
    topic: int,
    x: int = 0,
    y: int = 0,
    width: int = 1,
    height: int = 1,
    detail: int = 0,
    rate: float = 0.0,
) -> bytes:
    return struct.pack(
        "<HIBqqIIBQBf", SUBSCRIBE, request, topic, x, y, width, height, detail, 0, 0, rate
    )


def add_agent(request: int, place: tuple[int, int] | None = None) -> bytes:
    x, y = place or (0, 0)
    return struct.pack("<HIBqqBB", ADD_AGENT, request, place is not None, x, y, 0, 0)


def join(request: int, body: int) -> bytes:
    return struct.pack("<HIBqqBBB", JOIN, request, 0, 0, 0, 0, 0, body)


def act_words(request: int, wishes: list[tuple[int, int, int, bytes]]) -> bytes:
    """Each is an agent, an action, a symbol and a text."""
    head = struct.pack("<HIBBBI", ACT_WORDS, request, 1, 0, 64, len(wishes))
    return head + b"".join(
        struct.pack("<QIBI", agent, action, say, len(text)) + text
        for agent, action, say, text in wishes
    )


def explain(request: int, x: int, y: int) -> bytes:
    return struct.pack("<HIqq", EXPLAIN, request, x, y)


def act(request: int, agent: int, action: int) -> bytes:
    return struct.pack("<HIQIBB", ACT, request, agent, action, 1, 0)


def set_active(request: int, agent: int) -> bytes:
    return struct.pack("<HIQB", SET_ACTIVE, request, agent, 1)


def ping(request: int) -> bytes:
    return struct.pack("<HIQ", PING, request, 0)


def get_hash(request: int) -> bytes:
    return struct.pack("<HI", GET_HASH, request)


def wrap(message: bytes, first: int = 0x82, masked: bool = True) -> bytes:
    """A WebSocket frame."""
    bit = 0x80 if masked else 0
    size = len(message)
    if size < 126:
        header = struct.pack(">BB", first, bit | size)
    elif size < 1 << 16:
        header = struct.pack(">BBH", first, bit | 126, size)
    else:
        header = struct.pack(">BBQ", first, bit | 127, size)
    return header + (MASK if masked else b"") + message


def connect(
    port: int, timeout: float = 10.0, source: str | None = None, receive_buffer: int | None = None
) -> socket.socket:
    """A plain connection; `source` is another address of this machine, such as 127.0.0.2."""
    link = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    link.settimeout(timeout)
    if receive_buffer:
        link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    if source:
        link.bind((source, 0))
    try:
        link.connect(("127.0.0.1", port))
    except OSError:
        link.close()
        raise
    link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return link


def http(
    port: int, path: str = "/healthz", timeout: float = 10.0, method: str = "GET", headers: str = ""
) -> bytes:
    """The whole answer to a request."""
    with connect(port, timeout) as link:
        link.sendall(
            f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
            f"Connection: close\r\n{headers}\r\n".encode()
        )
        parts = []
        while part := link.recv(1 << 16):
            parts.append(part)
        return b"".join(parts)


class Refused(Exception):
    """The server has closed the connection, or not opened it."""


class Client:
    """A WebSocket that has been opened, without a hello."""

    def __init__(
        self,
        port: int,
        token: str | None = None,
        timeout: float = 10.0,
        headers: str = "",
        host: str | None = None,
        source: str | None = None,
        receive_buffer: int | None = None,
    ) -> None:
        self.link = connect(port, timeout, source, receive_buffer)
        self.buffer = bytearray()
        key = "AAAAAAAAAAAAAAAAAAAAAA=="
        try:
            self.link.sendall(
                f"GET /ws HTTP/1.1\r\nHost: {host or f'127.0.0.1:{port}'}\r\n"
                f"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                f"Sec-WebSocket-Key: {key}\r\n{headers}\r\n".encode()
            )
            while b"\r\n\r\n" not in self.buffer:
                self.receive()
            head, _, rest = bytes(self.buffer).partition(b"\r\n\r\n")
            if b" 101 " not in head.split(b"\r\n")[0] + b" ":
                raise Refused(head.decode(errors="replace"))
            self.buffer = bytearray(rest)
            if token is not None:
                self.send(hello(token))
                kind, _, body = self.read()
                if kind != WELCOME:
                    raise Refused(f"message {kind}: {body[:200]!r}")
        except BaseException:
            self.close()
            raise

    def receive(self) -> None:
        """Waits for more bytes."""
        part = self.link.recv(1 << 16)
        if not part:
            raise Refused("closed")
        self.buffer += part

    def send(self, message: bytes) -> None:
        self.link.sendall(wrap(message))

    def _take(self) -> tuple[int, bytes] | None:
        """A whole frame that has arrived: its first byte and its payload."""
        data = self.buffer
        if len(data) < 2:
            return None
        size, start = data[1] & 0x7F, 2
        if size == 126:
            if len(data) < 4:
                return None
            size, start = struct.unpack_from(">H", data, 2)[0], 4
        elif size == 127:
            if len(data) < 10:
                return None
            size, start = struct.unpack_from(">Q", data, 2)[0], 10
        if len(data) < start + size:
            return None
        first = data[0]
        payload = bytes(data[start : start + size])
        del data[: start + size]
        return first, payload

    def take(self) -> tuple[int, int, bytes] | None:
        """A message that has arrived: type, request and fields; None if there is none yet."""
        while (frame := self._take()) is not None:
            first, payload = frame
            if first & 0x0F == 8:
                raise Refused(f"closed: {payload!r}")
            if first & 0x0F == 2:
                kind, request = struct.unpack_from("<HI", payload)
                return kind, request, payload[6:]
        return None

    def read(self) -> tuple[int, int, bytes]:
        """The next message."""
        while (message := self.take()) is None:
            self.receive()
        return message

    def ask(self, message: bytes) -> tuple[int, bytes]:
        """The answer to a message; frames of subscriptions are skipped."""
        self.send(message)
        wanted = struct.unpack_from("<HI", message)[1]
        while True:
            kind, request, body = self.read()
            if request == wanted and kind != FRAME:
                return kind, body

    def add_agent(self, place: tuple[int, int] | None = None) -> int:
        kind, body = self.ask(add_agent(1000, place))
        if kind != AGENTS:
            raise Refused(f"add_agent: {body!r}")
        return struct.unpack_from("<Q", body, 16)[0]

    def fileno(self) -> int:
        return self.link.fileno()

    def close(self) -> None:
        self.link.close()

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()


def error_of(body: bytes) -> tuple[int, str]:
    """Code and text of an error."""
    code, _, length = struct.unpack_from("<HBH", body)
    return code, body[5 : 5 + length].decode()


def resident(pid: int) -> int:
    """Resident memory of a process, in bytes."""
    with open(f"/proc/{pid}/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def descriptors(pid: int) -> int:
    """Open descriptors of a process."""
    return len(os.listdir(f"/proc/{pid}/fd"))
