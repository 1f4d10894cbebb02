// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "support/raw_socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/bytes.h"
#include "net/wire/message.h"

int raw_connect(int port)
{
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0) return -1;
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0) return fd;
    close(fd);
    return -1;
}

int raw_upgrade(int port)
{
    const int fd = raw_connect(port);
    if (fd < 0) return -1;
    char head[512];
    const int size = snprintf(head, sizeof head,
                              "GET /ws HTTP/1.1\r\n"
                              "Host: 127.0.0.1:%d\r\n"
                              "Upgrade: websocket\r\n"
                              "Connection: Upgrade\r\n"
                              "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                              "Sec-WebSocket-Version: 13\r\n\r\n",
                              port);
    char answer[2048];
    size_t have = 0;
    bool is_good = raw_send(fd, head, (size_t)size);
    // up to the empty line, byte by byte, so that nothing after it is consumed
    while (is_good && have < sizeof answer - 1) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        if (poll(&p, 1, 20000) <= 0 || recv(fd, answer + have, 1, 0) != 1)
            is_good = false;
        else if (++have >= 4 && memcmp(answer + have - 4, "\r\n\r\n", 4) == 0)
            break;
    }
    answer[have] = 0;
    if (is_good && strncmp(answer, "HTTP/1.1 101", 12) == 0) return fd;
    close(fd);
    return -1;
}

bool raw_send(int fd, const void *bytes, size_t size)
{
    const char *at = bytes;
    while (size > 0) {
        struct pollfd p = {.fd = fd, .events = POLLOUT};
        if (poll(&p, 1, 1000) <= 0) return true; // it takes no more
        const ssize_t sent = send(fd, at, size, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno != EAGAIN && errno != EINTR) return false;
        if (sent > 0) {
            at += sent;
            size -= (size_t)sent;
        }
    }
    return true;
}

size_t raw_receive_text(int fd, char *text, size_t size, int seconds)
{
    const struct timeval timeout = {.tv_sec = seconds};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    size_t length = 0;
    ssize_t count;
    while (length + 1 < size && (count = recv(fd, text + length, size - 1 - length, 0)) > 0)
        length += (size_t)count;
    text[length] = '\0';
    return length;
}

static bool receive_exactly(int fd, uint8_t *bytes, size_t size)
{
    for (size_t have = 0; have < size;) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        const ssize_t count = poll(&p, 1, 10000) > 0 ? recv(fd, bytes + have, size - have, 0) : 0;
        if (count <= 0) return false;
        have += (size_t)count;
    }
    return true;
}

size_t raw_receive_frame(int fd, uint8_t *bytes, size_t size)
{
    uint8_t head[10];
    if (!receive_exactly(fd, head, 2)) return 0;
    size_t length = head[1] & 127;
    const size_t more = length == 127 ? 8 : length == 126 ? 2 : 0;
    if (!receive_exactly(fd, head + 2, more)) return 0;
    if (more > 0) length = 0;
    for (size_t i = 0; i < more; i++) length = length << 8 | head[2 + i];
    const size_t kept = length < size ? length : size;
    if (!receive_exactly(fd, bytes, kept)) return 0;
    for (size_t left = length - kept; left > 0;) {
        uint8_t rest[4096];
        const size_t part = left < sizeof rest ? left : sizeof rest;
        if (!receive_exactly(fd, rest, part)) return 0;
        left -= part;
    }
    return length;
}

bool raw_send_frame(int fd, uint8_t first, const void *bytes, size_t size, uint64_t told_size)
{
    uint8_t head[14] = {first};
    size_t length = 2;
    if (told_size < 126) {
        head[1] = (uint8_t)(0x80 | told_size);
    } else if (told_size < 65536) {
        head[1] = 0x80 | 126;
        head[2] = (uint8_t)(told_size >> 8);
        head[3] = (uint8_t)told_size;
        length = 4;
    } else {
        head[1] = 0x80 | 127;
        for (int i = 0; i < 8; i++) head[2 + i] = (uint8_t)(told_size >> (8 * (7 - i)));
        length = 10;
    }
    // a mask of zeros leaves the payload as it is
    return raw_send(fd, head, length + 4) && raw_send(fd, bytes, size);
}

bool raw_hello(int fd, const char *token)
{
    const jbw_message hello = {
        .type = JBW_MESSAGE_HELLO,
        .request = 1,
        .hello = {.version_least = 1,
                  .version_most = 1,
                  .token = jbw_text_field(token),
                  .client = jbw_text_field("hostile")},
    };
    jbw_buffer buffer = {0};
    const bool is_good = jbw_message_encode(&hello, &buffer) &&
                         raw_send_frame(fd, 0x82, buffer.bytes, buffer.size, buffer.size);
    jbw_buffer_free(&buffer);
    return is_good;
}

bool raw_hears_end(int fd, double seconds)
{
    char waste[65536];
    for (int left = (int)(seconds / 0.05); left > 0; left--) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        if (poll(&p, 1, 50) <= 0) continue;
        const ssize_t got = recv(fd, waste, sizeof waste, MSG_DONTWAIT);
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) return true;
    }
    return false;
}

void raw_reset(int fd)
{
    const struct linger hard = {.l_onoff = 1, .l_linger = 0};
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    close(fd);
}
