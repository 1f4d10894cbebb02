// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "support/served.h"

#include <stdio.h>

#include "support/shipped.h"

static const char world_text[] = "scent_dimensions: 2\n"
                                 "color_dimensions: 3\n"
                                 "patch_size: 32\n"
                                 "mh_iterations: 500\n"
                                 "scent_decay: 0.3\n"
                                 "scent_diffusion: 0.1\n"
                                 "agent:\n"
                                 "  color: [0, 0, 1]\n"
                                 "  vision_range: 4\n"
                                 "  actions: [MoveForward, TurnLeft, TurnRight, NoOp]\n"
                                 "items:\n"
                                 "  JellyBean:\n"
                                 "    color: [0.8, 0.2, 0.2]\n"
                                 "    scent: [1, 0.5]\n"
                                 "    regrows: Uniform[5, 30]\n"
                                 "    intensity: Constant[-2]\n"
                                 "  Onion:\n"
                                 "    color: [0.6, 0.6, 0.3]\n"
                                 "    scent: [0, 1]\n"
                                 "    intensity: Constant[-3]\n"
                                 "    season: {period: 60, from: 20, to: 50}\n"
                                 "  Wall:\n"
                                 "    color: [0.4, 0.4, 0.4]\n"
                                 "    intensity: Constant[-4]\n"
                                 "    blocks_movement: true\n"
                                 "    collectable: false\n";

static const jbw_token tokens[] = {
    {.name = "all", .secret = SERVED_ALL, .permissions = 31, .agents_most = 1000},
    {.name = "act", .secret = SERVED_ACT, .permissions = 3, .agents_most = 2},
};

const char *served_text(void)
{
    return world_text;
}

jbw_model *served_model(void)
{
    jbw_config *config = parse_config(world_text);
    jbw_model *model = model_of(config);
    jbw_config_free(config);
    return model;
}

static void start(served *s, const jbw_server_options *options, jbw_world *world)
{
    jbw_server_options o = options ? *options : (jbw_server_options){0};
    o.tokens = tokens;
    o.token_count = sizeof tokens / sizeof *tokens;
    if (!o.world_file) o.world_file = world_text;
    jbw_error error = {0};
    if (jbw_server_create(world, &o, &s->server, &error)) fail_msg("%s", error.text);
    snprintf(s->url, sizeof s->url, "ws://127.0.0.1:%d", jbw_server_port(s->server));
}

void served_open(served *s, const jbw_server_options *options)
{
    s->model = served_model();
    start(s, options, world_of(s->model, SERVED_SEED));
}

void served_open_text(served *s, const jbw_server_options *options, const char *text)
{
    jbw_server_options o = options ? *options : (jbw_server_options){0};
    o.world_file = text;
    jbw_config *config = parse_config(text);
    served_open_model(s, &o, model_of(config));
    jbw_config_free(config);
}

void served_open_model(served *s, const jbw_server_options *options, jbw_model *model)
{
    s->model = model;
    start(s, options, world_of(s->model, SERVED_SEED));
}

void served_load(served *s, const jbw_server_options *options, const char *path)
{
    jbw_loaded loaded = {0};
    jbw_error error = {0};
    if (jbw_snapshot_read(path, NULL, &loaded, &error)) fail_msg("%s", error.text);
    jbw_server_options o = options ? *options : (jbw_server_options){0};
    o.notes = loaded.notes;
    o.note_count = loaded.note_count;
    s->model = loaded.model;
    start(s, &o, loaded.world);
    loaded.model = NULL;
    loaded.world = NULL;
    jbw_loaded_free(&loaded);
}

void served_close(served *s)
{
    jbw_server_destroy(s->server);
    jbw_model_destroy(s->model);
    *s = (served){0};
}

jbw_client *served_connect(const served *s, const char *token)
{
    return served_connect_with(s, &(jbw_client_options){.token = token, .name = "a test"});
}

jbw_client *served_connect_with(const served *s, const jbw_client_options *options)
{
    jbw_client *client;
    jbw_error error = {0};
    if (jbw_client_connect(s->url, options, &client, &error)) fail_msg("%s", error.text);
    return client;
}

jbw_agent_id served_add_agent(jbw_client *client)
{
    jbw_agent_id id;
    assert_int_equal(jbw_client_add_agent(client, NULL, &id), JBW_OK);
    return id;
}
