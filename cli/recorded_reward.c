// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "recorded_reward.h"

jbw_verb_status jbw_recording_reward(jbw_recording *recording, const char *verb, const char *path,
                                     const char *text, jbw_reward **out)
{
    *out = NULL;
    const jbw_note *note = jbw_recording_note(recording, "run.reward");
    const char *used = text ? text : note ? note->bytes : NULL; // notes end in a zero
    if (!used) return JBW_VERB_OK;
    jbw_error error = {0};
    const jbw_model *model = jbw_world_model(jbw_recording_world(recording));
    const jbw_status status = jbw_reward_compile(model, used, NULL, 0, out, &error);
    if (!status) return JBW_VERB_OK;
    if (status == JBW_OUT_OF_MEMORY) return jbw_verb_fail(verb, "%s", jbw_status_text(status));
    return jbw_verb_reject(verb, "%s:%d:%d: %s", text ? "reward" : path, error.line, error.column,
                           error.text);
}
