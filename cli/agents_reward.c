// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "agents_reward.h"

#include <stdio.h>
#include <stdlib.h>

jbw_verb_status jbw_reward_for_agents(const char *verb, const jbw_model *model, const char *text,
                                      jbw_reward **out, char **out_text)
{
    char default_text[160] = "Zero";
    if (jbw_model_item_type_count(model) > 0)
        snprintf(default_text, sizeof default_text, "Collect[%s]", jbw_model_item_name(model, 0));
    jbw_error error = {0};
    const jbw_status status =
        jbw_reward_compile(model, text ? text : default_text, NULL, 0, out, &error);
    if (status == JBW_INVALID_EXPRESSION) {
        fprintf(stderr, "--reward:%d:%d: error: %s\n", error.line, error.column, error.text);
        return JBW_VERB_BAD_INPUT;
    }
    if (status) return jbw_verb_fail(verb, "--reward: %s", error.text);
    const size_t length = jbw_reward_print(*out, NULL, 0);
    *out_text = malloc(length + 1);
    if (!*out_text) return jbw_verb_fail(verb, "%s", jbw_status_text(JBW_OUT_OF_MEMORY));
    jbw_reward_print(*out, *out_text, length + 1);
    return JBW_VERB_OK;
}
