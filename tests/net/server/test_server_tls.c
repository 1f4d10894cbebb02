// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A server with a certificate, made by the openssl command; skipped without it.
#include "support/served.h"

#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/files.h"
#include "support/raw_socket.h"
#include "support/waiting.h"

static char cert[PATH_SIZE];
static char key[PATH_SIZE];
static char other_cert[PATH_SIZE];
static char other_key[PATH_SIZE];

static bool make_certificate(const char *to_cert, const char *to_key)
{
    char command[1000 + 2 * PATH_SIZE];
    snprintf(command, sizeof command,
             "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 "
             "-subj /CN=localhost -addext subjectAltName=DNS:localhost -keyout '%s' -out '%s' "
             ">/dev/null 2>&1",
             to_key, to_cert);
    return system(command) == 0; // NOLINT(cert-env33-c): the test chooses the names
}

typedef struct secure {
    served s;
    char url[64];
} secure;

static void open_secure(secure *t)
{
    const jbw_server_options options = {.cert = cert, .key = key};
    served_open(&t->s, &options);
    snprintf(t->url, sizeof t->url, "wss://localhost:%d", jbw_server_port(t->s.server));
}

static jbw_status connect_to(const char *url, const jbw_client_options *options, jbw_client **out)
{
    jbw_client_options o = options ? *options : (jbw_client_options){0};
    o.token = SERVED_ALL;
    o.reconnect_time = -1;
    o.connect_timeout = is_sanitized() ? 50.0 : 5.0;
    jbw_error error = {0};
    const jbw_status status = jbw_client_connect(url, &o, out, &error);
    if (status) assert_true(error.text[0] != '\0');
    return status;
}

// a client works as without TLS
static void use_client(jbw_client *client)
{
    const jbw_agent_id agent = served_add_agent(client);
    const uint64_t start = jbw_client_get_info(client).time;
    for (uint64_t i = 1; i <= 20; i++) {
        jbw_client_observation o = {0};
        assert_int_equal(jbw_client_act_and_observe(client, agent, (int)i % 3, &o), JBW_OK);
        assert_int_equal(o.time, start + i);
    }
    // many replies at once, and a large one
    enum { AHEAD = 40 };
    int actions[AHEAD] = {0};
    jbw_client_observation seen[AHEAD] = {0};
    uint32_t tickets[AHEAD];
    assert_int_equal(jbw_client_post_acts(client, agent, actions, AHEAD, seen, tickets), JBW_OK);
    for (int i = 0; i < AHEAD; i++)
        assert_int_equal(jbw_client_collect(client, tickets[i]), JBW_OK);
    enum { SIDE = 200 };
    static uint8_t items[SIDE * SIDE];
    assert_int_equal(
        jbw_client_read_region(client, (jbw_region){-100, -100, SIDE, SIDE}, items, NULL), JBW_OK);
    assert_int_equal(jbw_client_remove_agent(client, agent), JBW_OK);
}

static void test_trusted_certificate(void **state)
{
    (void)state;
    secure t;
    open_secure(&t);
    assert_contains(jbw_server_url(t.s.server), "https://");
    jbw_client *client;
    assert_int_equal(connect_to(t.url, &(jbw_client_options){.ca_file = cert}, &client), JBW_OK);
    use_client(client);
    jbw_client_close(client);
    assert_int_equal(connect_to(t.url, &(jbw_client_options){.is_unchecked = true}, &client),
                     JBW_OK);
    use_client(client);
    jbw_client_close(client);
    served_close(&t.s);
}

static void test_untrusted_certificate(void **state)
{
    (void)state;
    secure t;
    open_secure(&t);
    jbw_client *client;
    assert_int_not_equal(connect_to(t.url, NULL, &client), JBW_OK);
    assert_null(client);
    const jbw_client_options other = {.ca_file = other_cert};
    assert_int_not_equal(connect_to(t.url, &other, &client), JBW_OK);
    // the certificate is valid for another name
    char url[64];
    snprintf(url, sizeof url, "wss://127.0.0.1:%d", jbw_server_port(t.s.server));
    assert_int_not_equal(connect_to(url, &(jbw_client_options){.ca_file = cert}, &client), JBW_OK);
    served_close(&t.s);
}

static void send_plainly(int port, const char *text)
{
    const int fd = raw_connect(port);
    assert_true(fd >= 0 && raw_send(fd, text, strlen(text)));
    // whatever the reply is, it is not what was requested; and the connection ends
    char answer[4096];
    raw_receive_text(fd, answer, sizeof answer, 30);
    assert_null(strstr(answer, "101 Switching"));
    assert_null(strstr(answer, "200 OK"));
    close(fd);
}

static void test_plain_connections_are_refused(void **state)
{
    (void)state;
    secure t;
    open_secure(&t);
    jbw_client *present;
    assert_int_equal(connect_to(t.url, &(jbw_client_options){.ca_file = cert}, &present), JBW_OK);
    char url[64];
    snprintf(url, sizeof url, "ws://127.0.0.1:%d", jbw_server_port(t.s.server));
    jbw_client *client;
    assert_int_not_equal(connect_to(url, NULL, &client), JBW_OK);
    assert_null(client);
    send_plainly(jbw_server_port(t.s.server), "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    send_plainly(jbw_server_port(t.s.server), "no handshake, just some words\r\n\r\n");
    use_client(present);
    jbw_client_close(present);
    served_close(&t.s);
}

static SSL *open_websocket(SSL_CTX *context, int port)
{
    static const char head[] = "GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n"
                               "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                               "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    SSL *tls = SSL_new(context);
    assert_non_null(tls);
    assert_int_equal(SSL_set_fd(tls, raw_connect(port)), 1);
    assert_int_equal(SSL_connect(tls), 1);
    assert_int_equal(SSL_write(tls, head, sizeof head - 1), sizeof head - 1);
    char answer[2048] = "";
    for (size_t size = 0; !strstr(answer, "\r\n\r\n");) {
        assert_true(size < sizeof answer - 1 && SSL_read(tls, answer + size, 1) == 1);
        answer[++size] = 0;
    }
    assert_contains(answer, " 101 ");
    return tls;
}

// frames are read and judged as without TLS
static void test_frames_without_a_mask(void **state)
{
    (void)state;
    secure t;
    open_secure(&t);
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    assert_non_null(context);
    for (int is_masked = 0; is_masked < 2; is_masked++) {
        SSL *tls = open_websocket(context, jbw_server_port(t.s.server));
        const uint8_t ping[] = {0x89, is_masked ? 0x81 : 0x01, 'x', 'x', 'x', 'x', 'y' ^ 'x'};
        assert_int_equal(SSL_write(tls, ping, is_masked ? 7 : 3), is_masked ? 7 : 3);
        uint8_t answer[4];
        for (int i = 0; i < (is_masked ? 3 : 4); i++)
            assert_int_equal(SSL_read(tls, answer + i, 1), 1);
        if (is_masked)
            assert_memory_equal(answer, ((uint8_t[]){0x8a, 1, 'y'}), 3);
        else
            assert_memory_equal(answer, ((uint8_t[]){0x88, 2, 1002 >> 8, 1002 & 0xff}), 4);
        close(SSL_get_fd(tls));
        SSL_free(tls);
    }
    SSL_CTX_free(context);
    served_close(&t.s);
}

static void test_key_must_match_certificate(void **state)
{
    (void)state;
    jbw_model *model = served_model();
    jbw_world *world = world_of(model, 1);
    const jbw_server_options bad[] = {
        {.cert = cert},
        {.key = key},
        {.cert = cert, .key = other_key},
        {.cert = "/nowhere/at/all", .key = key},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        jbw_server *server;
        jbw_error error = {0};
        assert_int_not_equal(jbw_server_create(world, &bad[i], &server, &error), JBW_OK);
        assert_null(server);
        assert_true(error.text[0] != '\0');
    }
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

int main(void)
{
    temporary_folder folder;
    if (!temporary_folder_create(&folder)) return 1;
    temporary_path(&folder, "cert.pem", cert);
    temporary_path(&folder, "key.pem", key);
    temporary_path(&folder, "other_cert.pem", other_cert);
    temporary_path(&folder, "other_key.pem", other_key);
    if (!make_certificate(cert, key) || !make_certificate(other_cert, other_key)) {
        puts("skipped: the openssl command is missing");
        temporary_folder_clear(&folder);
        temporary_folder_remove(&folder);
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trusted_certificate),
        cmocka_unit_test(test_untrusted_certificate),
        cmocka_unit_test(test_plain_connections_are_refused),
        cmocka_unit_test(test_frames_without_a_mask),
        cmocka_unit_test(test_key_must_match_certificate),
    };
    const int result = cmocka_run_group_tests(tests, NULL, NULL);
    temporary_folder_clear(&folder);
    return temporary_folder_remove(&folder) ? result : 1;
}
