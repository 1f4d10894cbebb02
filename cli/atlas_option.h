// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The options `--atlas DIR` and `--atlas-read-only` of verbs that make worlds, and the variable
/// JBW_ATLAS.
#ifndef JBW_CLI_ATLAS_OPTION_H
#define JBW_CLI_ATLAS_OPTION_H

#include "jbw/atlas.h"
#include "options.h"

typedef struct jbw_atlas_request {
    const char *path; // NULL: that of the variable
    bool is_read_only;
} jbw_atlas_request;

jbw_option jbw_option_atlas(jbw_atlas_request *request);
jbw_option jbw_option_atlas_read_only(jbw_atlas_request *request);

/// The folder that was asked for, by option or variable, or NULL.
const char *jbw_atlas_request_path(const jbw_atlas_request *request);

/// Opens the folder that was asked for; `*out` is NULL if there is none.
jbw_verb_status jbw_atlas_request_open(const jbw_atlas_request *request, const char *verb,
                                       jbw_atlas **out);

/// Gives a world the atlas that was asked for, if any. A world that cannot have one is rejected if the
/// option was given; the variable is for those that can.
jbw_verb_status jbw_atlas_request_attach(const jbw_atlas_request *request, const char *verb,
                                         jbw_world *world);

#endif
