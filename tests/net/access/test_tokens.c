// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Files of tokens, and finding a token by its secret.
#include "support/checks.h"

#include "net/access/tokens.h"
#include "support/files.h"

static jbw_status read_tokens(const char *text, jbw_tokens *out, jbw_error *error)
{
    temporary_folder folder;
    char path[PATH_SIZE];
    assert_true(temporary_folder_create(&folder));
    assert_true(file_write(temporary_path(&folder, "tokens", path), text, strlen(text)));
    const jbw_status status = jbw_tokens_read(path, out, error);
    temporary_folder_clear(&folder);
    assert_true(temporary_folder_remove(&folder));
    return status;
}

static void test_good_tokens(void **state)
{
    (void)state;
    jbw_tokens tokens;
    jbw_error error = {0};
    assert_int_equal(read_tokens("# who may do what\n"
                                 "\n"
                                 "ann  ann-secret  all 10   # the teacher\n"
                                 "\tbob.1 bob#secret act,edit\r\n"
                                 "eve eve-secret watch 0",
                                 &tokens, &error),
                     JBW_OK);
    assert_int_equal(tokens.count, 3);
    assert_int_equal(tokens.tokens[0].permissions, 31);
    assert_int_equal(tokens.tokens[0].agents_most, 10);
    assert_string_equal(tokens.tokens[1].name, "bob.1");
    assert_string_equal(tokens.tokens[1].secret, "bob#secret");
    assert_int_equal(tokens.tokens[1].permissions, JBW_MAY_ACT | JBW_MAY_EDIT);
    assert_int_equal(tokens.tokens[1].agents_most, 1);
    jbw_token_set keys;
    assert_int_equal(jbw_token_set_init(&keys, tokens.tokens, tokens.count, &error), JBW_OK);
    assert_int_equal(jbw_token_set_check(&keys, jbw_text_field("ann-secret")), 0);
    assert_int_equal(jbw_token_set_check(&keys, jbw_text_field("eve-secret")), 2);
    assert_int_equal(jbw_token_set_check(&keys, jbw_text_field("eve-secre")), -1);
    assert_int_equal(jbw_token_set_check(&keys, jbw_text_field("")), -1);
    jbw_token_set_deinit(&keys);
    tokens.tokens[2].permissions = 64;
    assert_int_equal(jbw_token_set_init(&keys, tokens.tokens, 3, &error), JBW_INVALID_ARGUMENT);
    jbw_tokens_free(&tokens);
}

static void test_bad_tokens(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "\nann short act\n",          "\nann ann-secret\n",
        "\nann ann-secret act,fly\n", "\nann ann-secret act, edit\n",
        "\nann ann-secret act -1\n",  "\nann ann-secret act 1 2\n",
        "\na/b ann-secret act\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        jbw_tokens tokens;
        jbw_error error = {0};
        assert_int_equal(read_tokens(texts[i], &tokens, &error), JBW_INVALID_DATA);
        assert_int_equal(error.line, 2);
        assert_int_equal(tokens.count, 0);
    }
    jbw_tokens tokens;
    assert_int_equal(jbw_tokens_read("/nowhere/at/all", &tokens, NULL), JBW_READ_FAILED);

    const jbw_token twice[] = {{"ann", "ann-secret", 2, 1}, {"bob", "ann-secret", 2, 1}};
    jbw_token_set keys;
    assert_int_equal(jbw_token_set_init(&keys, twice, 2, NULL), JBW_INVALID_ARGUMENT);
}

// each end of each range of characters and lengths
static void test_limits(void **state)
{
    (void)state;
    char long_name[65] = {0};
    char long_secret[202] = {0};
    memset(long_name, 'n', 64);
    memset(long_secret, 's', 201);
    const struct {
        const char *name;
        const char *secret;
        bool is_good;
    } cases[] = {
        {"azAZ09.-_", "12345678", true},
        {long_name + 1, long_secret + 1, true},
        {long_name, "12345678", false},
        {"", "12345678", false},
        {NULL, "12345678", false},
        {"a", long_secret, false},
        {"a", NULL, false},
        {"a", "1234567", false},
        {"a", "!234567~", true},
        {"a", "12345678 ", false},
        {"a", "1234567\x7f", false},
        {"a", "1234567\xc3\xa9", false},
        {"a@", "12345678", false},
        {"a[", "12345678", false},
        {"a`", "12345678", false},
        {"a{", "12345678", false},
        {"a/", "12345678", false},
        {"a:", "12345678", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const jbw_token token = {.name = cases[i].name, .secret = cases[i].secret};
        jbw_token_set keys;
        assert_int_equal(jbw_token_set_init(&keys, &token, 1, NULL),
                         cases[i].is_good ? JBW_OK : JBW_INVALID_ARGUMENT);
        jbw_token_set_deinit(&keys);
    }
    jbw_token_set keys;
    assert_int_equal(jbw_token_set_init(&keys, NULL, 10001, NULL), JBW_INVALID_ARGUMENT);

    jbw_tokens tokens;
    assert_int_equal(read_tokens("a 12345678 act 2147483647\n", &tokens, NULL), JBW_OK);
    jbw_tokens_free(&tokens);
    assert_int_equal(read_tokens("a 12345678 act 2147483648\n", &tokens, NULL), JBW_INVALID_DATA);
    char line[700];
    memset(line, '#', sizeof line);
    line[sizeof line - 1] = '\0';
    assert_int_equal(read_tokens(line, &tokens, NULL), JBW_INVALID_DATA);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_tokens),
        cmocka_unit_test(test_bad_tokens),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
