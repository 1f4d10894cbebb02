// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Writes the shipped worlds to standard output as JSON, for the page: name, description, items,
/// whether the world file says `invariant`, and the bytes of a new world of each kind of generation, in
/// base64. So the page needs no reader of world files.
#include <stdio.h>
#include <string.h>

#include "jbw/jbw.h"

static void print_text(const char *text, size_t length)
{
    putchar('"');
    for (size_t i = 0; i < length; i++) {
        const char c = text[i];
        if (c == '"' || c == '\\')
            printf("\\%c", c);
        else if ((unsigned char)c < ' ')
            putchar(' ');
        else
            putchar(c);
    }
    putchar('"');
}

// the comment of a world file behind its licence, up to the first line that is none
static void print_about(const char *text)
{
    char about[2000] = "";
    size_t length = 0;
    for (const char *line = text; *line;) {
        const char *end = strchr(line, '\n');
        const size_t size = end ? (size_t)(end - line) : strlen(line);
        const bool is_comment = size > 0 && line[0] == '#';
        if (!is_comment && length > 0) break;
        if (is_comment && size > 2 && strncmp(line, "# SPDX", strlen("# SPDX")) != 0 &&
            length + size + 2 < sizeof about) {
            if (length > 0) about[length++] = ' ';
            memcpy(about + length, line + 2, size - 2);
            length += size - 2;
        }
        line = end ? end + 1 : line + size;
    }
    print_text(about, length);
}

static void print_base64(const uint8_t *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    putchar('"');
    for (size_t i = 0; i < size; i += 3) {
        const size_t left = size - i;
        const uint32_t three = (uint32_t)bytes[i] << 16 |
                               (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                               (left > 2 ? bytes[i + 2] : 0);
        for (unsigned k = 0; k < 4; k++)
            putchar(k <= left ? digits[three >> (18 - 6 * k) & 63] : '=');
    }
    putchar('"');
}

static jbw_status print_world(const jbw_config *config, jbw_generation generation)
{
    jbw_config changed = *config;
    changed.generation = generation;
    jbw_model *model = NULL;
    jbw_world *world = NULL;
    jbw_buffer bytes = {0};
    jbw_status status = jbw_model_create(&changed, &model, NULL);
    if (!status) status = jbw_world_create(model, 0, &world);
    if (!status) status = jbw_world_encode(world, &bytes);
    if (!status) print_base64(bytes.bytes, bytes.size);
    jbw_buffer_free(&bytes);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
    return status;
}

int main(void)
{
    printf("[");
    for (size_t i = 0; jbw_shipped_world_name(i); i++) {
        const char *name = jbw_shipped_world_name(i);
        jbw_config *config;
        jbw_error error;
        if (jbw_world_file_read(name, NULL, &config, &error)) {
            fprintf(stderr, "worlds_json: %s: %s\n", name, error.text);
            return 1;
        }
        printf("%s\n{\"name\": \"%s\", \"about\": ", i ? "," : "", name);
        print_about(jbw_shipped_world_text(name));
        printf(",\n\"items\": [");
        for (size_t k = 0; k < config->item_count; k++) {
            if (k > 0) printf(", ");
            print_text(config->items[k].name, strlen(config->items[k].name));
        }
        printf("], \"isInvariant\": %s,\n\"frontier\": ",
               config->generation == JBW_GENERATION_INVARIANT ? "true" : "false");
        jbw_status status = print_world(config, JBW_GENERATION_FRONTIER);
        printf(",\n\"invariant\": ");
        if (!status) status = print_world(config, JBW_GENERATION_INVARIANT);
        printf("}");
        jbw_config_free(config);
        if (status) {
            fprintf(stderr, "worlds_json: %s: %s\n", name, jbw_status_text(status));
            return 1;
        }
    }
    printf("\n]\n");
    return fflush(stdout) || ferror(stdout) ? 1 : 0;
}
