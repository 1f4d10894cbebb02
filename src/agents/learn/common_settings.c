// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "agents/learn/common_settings.h"

jbw_status jbw_senses_find(jbw_senses senses, const jbw_model *model, const char *policy_name,
                           jbw_network_options *out, jbw_error *error)
{
    const int side = jbw_model_vision_side(model);
    const bool sees = senses != JBW_SENSES_SCENT;
    const bool smells = senses != JBW_SENSES_VISION;
    if (sees && side < 5) {
        jbw_error_set(error, 0, 0,
                      "the policy '%s' needs a vision_range of at least 2, or senses=scent",
                      policy_name);
        return JBW_UNSUPPORTED;
    }
    out->vision_side = sees ? side : 0;
    out->colors = sees ? jbw_model_color_dimensions(model) : 0;
    out->scents = smells ? jbw_model_scent_dimensions(model) : 0;
    out->actions = jbw_model_action_count(model);
    return JBW_OK;
}
