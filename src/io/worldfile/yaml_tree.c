// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "io/worldfile/yaml_tree.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

jbw_yaml_pair *jbw_yaml_find(const jbw_yaml_node *node, const char *key, size_t length)
{
    if (node->kind != JBW_YAML_MAPPING) return NULL;
    for (size_t i = 0; i < node->count; i++) {
        const jbw_yaml_node *candidate = node->pairs[i].key;
        if (candidate->length == length && memcmp(candidate->text, key, length) == 0)
            return &node->pairs[i];
    }
    return NULL;
}

void jbw_yaml_describe(const jbw_yaml_node *node, char out[JBW_YAML_DESCRIPTION_SIZE])
{
    double number;
    switch (node->kind) {
    case JBW_YAML_NULL: snprintf(out, JBW_YAML_DESCRIPTION_SIZE, "nothing"); break;
    case JBW_YAML_LIST: snprintf(out, JBW_YAML_DESCRIPTION_SIZE, "a list"); break;
    case JBW_YAML_MAPPING: snprintf(out, JBW_YAML_DESCRIPTION_SIZE, "a mapping"); break;
    case JBW_YAML_TEXT:
        if (!node->is_quoted && node->length < 40 &&
            jbw_parse_double(node->text, node->length, &number)) {
            snprintf(out, JBW_YAML_DESCRIPTION_SIZE, "the number %s", node->text);
        } else {
            char quoted[JBW_YAML_DESCRIPTION_SIZE];
            jbw_yaml_quote(node->text, node->length, quoted);
            snprintf(out, JBW_YAML_DESCRIPTION_SIZE, "the text %.80s", quoted);
        }
        break;
    }
}

void jbw_yaml_quote(const char *text, size_t length, char out[JBW_YAML_DESCRIPTION_SIZE])
{
    enum { LONGEST = 60 };
    size_t shown = length;
    if (shown > LONGEST) {
        // never split a character
        shown = LONGEST;
        while (shown > 0 && ((unsigned char)text[shown] & 0xc0) == 0x80) shown--;
    }
    size_t at = 0;
    out[at++] = '\'';
    for (size_t i = 0; i < shown; i++) {
        const unsigned char byte = (unsigned char)text[i];
        out[at++] = byte < 0x20 || byte == 0x7f ? ' ' : text[i];
    }
    snprintf(out + at, JBW_YAML_DESCRIPTION_SIZE - at, "%s'", shown < length ? "..." : "");
}
