// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "atlas_option.h"

#include <stdlib.h>

jbw_option jbw_option_atlas(jbw_atlas_request *request)
{
    return (jbw_option){"--atlas", JBW_OPTION_TEXT, &request->path, "DIR",
                        "folder that keeps the patches of invariant worlds, to be made only once; "
                        "results do not depend on it (the variable JBW_ATLAS, or none)"};
}

jbw_option jbw_option_atlas_read_only(jbw_atlas_request *request)
{
    return (jbw_option){"--atlas-read-only", JBW_OPTION_FLAG, &request->is_read_only, NULL,
                        "add nothing to that folder"};
}

const char *jbw_atlas_request_path(const jbw_atlas_request *request)
{
    if (request->path) return request->path;
    const char *path = getenv("JBW_ATLAS");
    return path && *path ? path : NULL;
}

jbw_verb_status jbw_atlas_request_open(const jbw_atlas_request *request, const char *verb,
                                       jbw_atlas **out)
{
    *out = NULL;
    const char *path = jbw_atlas_request_path(request);
    if (!path) return JBW_VERB_OK;
    jbw_error error;
    const jbw_atlas_options options = {.is_read_only = request->is_read_only};
    if (!jbw_atlas_open(path, &options, out, &error)) return JBW_VERB_OK;
    return jbw_verb_fail(verb, "%s: %s", request->path ? "--atlas" : "JBW_ATLAS", error.text);
}

jbw_verb_status jbw_atlas_request_attach(const jbw_atlas_request *request, const char *verb,
                                         jbw_world *world)
{
    jbw_atlas *atlas;
    const jbw_verb_status opened = jbw_atlas_request_open(request, verb, &atlas);
    if (opened || !atlas) return opened;
    jbw_error error;
    const jbw_status status = jbw_world_set_atlas(world, atlas, &error);
    jbw_atlas_close(atlas); // the world keeps it open
    if (!status || (status == JBW_UNSUPPORTED && !request->path)) return JBW_VERB_OK;
    if (status == JBW_UNSUPPORTED) return jbw_verb_reject(verb, "--atlas: %s", error.text);
    return jbw_verb_fail(verb, "--atlas: %s", error.text);
}
