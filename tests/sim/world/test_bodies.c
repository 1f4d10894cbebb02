// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Bodies and tools, in drawings checked by hand: what agents can do, and what they see.
#include "support/drawing.h"

#include <stdio.h>

#include "jbw/observation.h"
#include "jbw/state.h"
#include "support/allocations.h"

enum { GLASS, LAMP, WALL, TYPES, SIDE = 9, OWN = SIDE * SIDE / 2 };

static const char letters[] = "glw";
static const double one[] = {1};
static const double two[] = {2};
static const double ten[] = {10};
static const double red_scent[] = {1, 0};
static const double green_scent[] = {0, 3};

static const jbw_item_type items[TYPES] = {
    {.name = "Glass", .color = one},
    {.name = "Lamp", .color = two},
    {.name = "Wall", .color = two, .occlusion = 1, .blocks_movement = true},
};

// what agents see with: a glass sees four cells ahead, and a lamp through walls
static const jbw_tool tools[] = {
    {"Glass",
     {.has_vision_range = true, .vision_range = 4, .has_field_of_view = true, .field_of_view = 60}},
    {"Lamp",
     {.has_field_of_view = true,
      .field_of_view = 360,
      .has_visual_occlusion = true,
      .visual_occlusion = false}},
};

static const jbw_action mole_actions[] = {{JBW_ACTION_NO_OP, NULL},
                                          {JBW_ACTION_DROP, "Lamp"},
                                          {JBW_ACTION_TURN_LEFT, NULL},
                                          {JBW_ACTION_MOVE_FORWARD, NULL}};

static const jbw_body bodies[] = {
    {.name = "Mole",
     .color = ten,
     .sight = {.has_vision_range = true, .vision_range = 1},
     .actions = mole_actions,
     .action_count = 4},
    {.name = "Ox"},
};
enum { MOLE = 1, OX = 2 };

static jbw_config config_of(void)
{
    jbw_config config = drawn_config(items, TYPES);
    config.agent.vision_range = 2;
    config.agent.visual_occlusion = true;
    config.agent.color = one;
    config.agent.tools = tools;
    config.agent.tool_count = 2;
    config.bodies = bodies;
    config.body_count = 2;
    return config;
}

static jbw_agent_id add(drawn_world *d, int64_t x, int64_t y, int body)
{
    const jbw_agent_options options = {.has_position = true, .position = {x, y}, .body = body};
    jbw_agent_id id;
    assert_int_equal(jbw_world_add_agent(d->world, &options, &id), JBW_OK);
    d->agents[++d->agent_count] = id;
    return id;
}

// the sum of what an agent sees, and how many cells of its frame are visible at all
static double sum_of_vision(jbw_world *world, jbw_agent_id id, int *visible_count)
{
    float vision[SIDE * SIDE];
    float fractions[SIDE * SIDE];
    assert_int_equal(jbw_model_vision_side(jbw_world_model(world)), SIDE);
    assert_int_equal(jbw_agent_perceive(world, id, vision, NULL), JBW_OK);
    assert_int_equal(jbw_agent_see_fractions(world, id, fractions), JBW_OK);
    double sum = 0;
    *visible_count = 0;
    for (int i = 0; i < SIDE * SIDE; i++) {
        sum += (double)vision[i];
        *visible_count += fractions[i] > 0;
    }
    return sum;
}

static void test_what_bodies_can(void **state)
{
    (void)state;
    const jbw_config config = config_of();
    drawn_world d;
    draw_world(&d, &config, letters, "", "l...\n....\n");
    const jbw_agent_id mole = add(&d, 0, 0, MOLE);
    assert_int_equal(state_of(&d, 1).body, MOLE);
    play(&d, "1r"); // it cannot turn right, but the step counts
    assert_int_equal(result_of(&d, 1).outcome, JBW_OUTCOME_NOT_ABLE);
    assert_int_equal(result_of(&d, 1).action, action_by_letter('r'));
    assert_int_equal(jbw_world_time(d.world), 1);
    assert_int_equal(state_of(&d, 1).direction, JBW_UP);
    play(&d, "1R");
    assert_int_equal(result_of(&d, 1).outcome, JBW_OUTCOME_NOT_ABLE);
    assert_false(result_of(&d, 1).moved);
    play(&d, "1F");
    assert_carries(&d, 1, "0 1 0");
    play(&d, "1D"); // of another item
    assert_int_equal(result_of(&d, 1).outcome, JBW_OUTCOME_NOT_ABLE);
    play(&d, "1E");
    assert_outcomes(&d, "D");
    play(&d, "1C"); // what it dropped
    assert_int_equal(result_of(&d, 1).outcome, JBW_OUTCOME_NOT_ABLE);
    assert_int_equal(result_of(&d, 1).item, JBW_OUTCOME_NONE);
    assert_carries(&d, 1, "0 0 0");
    add(&d, 3, 0, OX); // as all agents
    play(&d, "1l 2r");
    assert_outcomes(&d, "DD");
    assert_facing(&d, "<>");

    assert_int_equal(jbw_model_body_count(d.model), 3);
    assert_int_equal(jbw_model_body(d.model, "Ox"), OX);
    assert_int_equal(jbw_model_body(d.model, "Cow"), -1);
    assert_string_equal(jbw_model_body_name(d.model, MOLE), "Mole");
    assert_null(jbw_model_body_name(d.model, 0));
    assert_null(jbw_model_body_name(d.model, 3));
    assert_true(jbw_model_body_can(d.model, MOLE, action_by_letter('l')));
    assert_false(jbw_model_body_can(d.model, MOLE, action_by_letter('r')));
    assert_true(jbw_model_body_can(d.model, OX, action_by_letter('r')));
    assert_false(jbw_model_body_can(d.model, OX, 1000));
    assert_false(jbw_model_body_can(d.model, 3, 0));
    assert_true(jbw_model_body_color(d.model, MOLE)[0] == 10);
    assert_true(jbw_model_body_color(d.model, OX)[0] == 1);
    assert_null(jbw_model_body_color(d.model, -1));
    assert_null(jbw_model_view(d.model, 3, NULL));
    assert_true(jbw_model_item_is_tool(d.model, LAMP));
    assert_false(jbw_model_item_is_tool(d.model, WALL));

    jbw_agent_id id;
    const uint64_t hash = jbw_world_hash(d.world);
    assert_int_equal(jbw_world_add_agent(d.world, &(jbw_agent_options){.body = 3}, &id),
                     JBW_INVALID_ARGUMENT);
    assert_int_equal(jbw_world_add_agent(d.world, &(jbw_agent_options){.body = -1}, &id),
                     JBW_INVALID_ARGUMENT);
    assert_true(jbw_world_hash(d.world) == hash);
    assert_int_equal(jbw_world_remove_agent(d.world, mole), JBW_OK);
    erase_world(&d);
}

static void test_what_bodies_see(void **state)
{
    (void)state;
    const jbw_config config = config_of();
    drawn_world d;
    draw_world(&d, &config, letters, "", "..l..\n.....\n.....\n.....\n.....\n");
    const jbw_agent_id mole = add(&d, 2, 2, MOLE);
    const jbw_agent_id plain = add(&d, 2, 0, 0);
    int cells;
    assert_true(sum_of_vision(d.world, mole, &cells) == 10); // the lamp is two cells away
    assert_int_equal(cells, 9);
    assert_true(sum_of_vision(d.world, plain, &cells) == 1 + 10);
    assert_int_equal(cells, 25);
    // frames have the size of the largest range; the agent is in the middle of each
    const jbw_part_info info = jbw_model_part(d.model, JBW_PART_ENTITY_VISION);
    assert_int_equal(info.shape[0], SIDE);
    assert_int_equal(info.shape[2], TYPES + 3);
    float entities[SIDE * SIDE * (TYPES + 3)];
    uint8_t body = 77;
    const jbw_observation wanted = {.entity_vision = entities, .body = &body};
    assert_int_equal(jbw_agent_observe(d.world, plain, &wanted), JBW_OK);
    assert_int_equal(body, 0);
    assert_true(entities[(OWN - 2 * SIDE) * (TYPES + 3) + TYPES + MOLE] == 1);
    for (int b = 0; b < 3; b++) assert_true(entities[OWN * (TYPES + 3) + TYPES + b] == 0);
    assert_int_equal(jbw_agent_observe(d.world, mole, &wanted), JBW_OK);
    assert_int_equal(body, MOLE);
    for (int i = 0; i < SIDE * SIDE; i++)
        for (int b = 0; b < 3; b++) assert_true(entities[i * (TYPES + 3) + TYPES + b] == 0);
    erase_world(&d);
}

static void test_tools(void **state)
{
    (void)state;
    const jbw_config config = config_of();
    drawn_world d;
    draw_world(&d, &config, letters, "",
               ".....\n"
               "..l..\n"
               ".www.\n"
               ".....\n"
               "..l..\n"
               "..g..\n"
               ".....\n");
    const jbw_agent_id mole = add(&d, 2, 0, MOLE);
    int cells;
    sum_of_vision(d.world, mole, &cells);
    assert_int_equal(cells, 9);
    play(&d, "1F"); // a glass
    assert_carries(&d, 1, "1 0 0");
    sum_of_vision(d.world, mole, &cells);
    float fractions[SIDE * SIDE];
    assert_int_equal(jbw_agent_see_fractions(d.world, mole, fractions), JBW_OK);
    assert_true(fractions[OWN - 2 * SIDE] == 1); // ahead
    assert_true(fractions[OWN - 4 * SIDE] == 0); // behind the wall
    assert_true(fractions[OWN + 1] == 0);        // beside it
    assert_true(fractions[OWN - 4 * SIDE - 4] == 0);
    play(&d, "1F"); // a lamp: the later one wins where both have a key
    assert_carries(&d, 1, "1 1 0");
    sum_of_vision(d.world, mole, &cells);
    assert_int_equal(cells, SIDE * SIDE);
    const uint64_t carried[TYPES] = {1, 1, 0};
    assert_true(jbw_model_view(d.model, MOLE, carried)[0] == 1);
    assert_true(jbw_model_view(d.model, MOLE, NULL)[0] == 0);
    const uint64_t hash = jbw_world_hash(d.world);
    d.world = replaced_world(d.world, false);
    d.world = replaced_world(d.world, true);
    assert_true(jbw_world_hash(d.world) == hash);
    assert_int_equal(state_of(&d, 1).body, MOLE);
    sum_of_vision(d.world, mole, &cells);
    assert_int_equal(cells, SIDE * SIDE);
    play(&d, "1E"); // without the lamp, a glass again
    assert_int_equal(jbw_agent_see_fractions(d.world, mole, fractions), JBW_OK);
    assert_true(fractions[OWN + 1] == 0);
    assert_true(fractions[OWN - 3 * SIDE] == 0);
    erase_world(&d);
}

// what is paid with is no longer seen with
static void test_tools_that_are_spent(void **state)
{
    (void)state;
    static const jbw_item_count price[] = {{"Glass", 1}};
    const jbw_item_type priced[TYPES] = {
        items[GLASS], {.name = "Lamp", .costs = price, .cost_count = 1}, items[WALL]};
    jbw_config config = config_of();
    config.items = priced;
    config.agent.tool_count = 1;
    drawn_world d;
    draw_world(&d, &config, letters, ">", "1gl.\n");
    int cells;
    play(&d, "1F");
    sum_of_vision(d.world, d.agents[1], &cells);
    assert_true(cells < 25);
    play(&d, "1F");
    assert_carries(&d, 1, "0 1 0");
    sum_of_vision(d.world, d.agents[1], &cells);
    assert_int_equal(cells, 25);
    erase_world(&d);
}

// each body has its scent, while it is there and while it fades
static void test_scents(void **state)
{
    (void)state;
    const jbw_body smelly[] = {{.name = "Red", .scent = red_scent},
                               {.name = "Green", .scent = green_scent}};
    jbw_config config = config_of();
    config.scent_dimensions = 2;
    config.scent_decay = 0.2;
    config.scent_diffusion = 0.05;
    config.bodies = smelly;
    drawn_world d;
    draw_world(&d, &config, letters, "", "....\n");
    const jbw_position cell = {0, 0};
    float scent[2];
    const jbw_agent_id red = add(&d, 0, 0, 1);
    assert_int_equal(jbw_world_smell(d.world, cell, scent), JBW_OK);
    assert_true(scent[0] == 1 && scent[1] == 0);
    assert_int_equal(jbw_world_remove_agent(d.world, red), JBW_OK);
    add(&d, 0, 0, 2);
    assert_int_equal(jbw_world_smell(d.world, cell, scent), JBW_OK);
    assert_true(scent[0] == 0 && scent[1] == 3);
    assert_int_equal(jbw_world_step(d.world), JBW_OK);
    assert_int_equal(jbw_world_smell(d.world, cell, scent), JBW_OK);
    assert_true(scent[0] == 0 && scent[1] > 3.59F && scent[1] < 3.61F);
    const jbw_position other = {1, 0};
    assert_int_equal(jbw_world_smell(d.world, other, scent), JBW_OK);
    assert_true(scent[0] == 0 && scent[1] > 0.149F && scent[1] < 0.151F);
    erase_world(&d);
}

static void assert_same_sight(jbw_world *a, jbw_world *b, jbw_agent_id id)
{
    float seen[2][SIDE * SIDE];
    float fractions[2][SIDE * SIDE];
    assert_int_equal(jbw_agent_perceive(a, id, seen[0], NULL), JBW_OK);
    assert_int_equal(jbw_agent_perceive(b, id, seen[1], NULL), JBW_OK);
    assert_int_equal(jbw_agent_see_fractions(a, id, fractions[0]), JBW_OK);
    assert_int_equal(jbw_agent_see_fractions(b, id, fractions[1]), JBW_OK);
    assert_memory_equal(seen[0], seen[1], sizeof seen[0]);
    assert_memory_equal(fractions[0], fractions[1], sizeof fractions[0]);
}

// A world that is loaded with a model of its own: the bytes hold everything about bodies and tools.
static void test_saved_configs(void **state)
{
    (void)state;
    const jbw_body various[] = {
        bodies[0],
        {.name = "Hawk",
         .color = two,
         .sight = {.has_vision_range = true,
                   .vision_range = 3,
                   .has_field_of_view = true,
                   .field_of_view = 200,
                   .has_visual_occlusion = true,
                   .visual_occlusion = false}},
    };
    jbw_config config = config_of();
    config.bodies = various;
    drawn_world d;
    draw_world(&d, &config, letters, "",
               "..w.w..\n"
               ".wlwgw.\n"
               "..w.w..\n"
               "...g...\n");
    for (int body = 0; body < 3; body++) add(&d, 2 * body, 0, body);
    const char *const scripts[] = {"1N 2N 3N", "1r 2N 3l", "1F 2N 3F", "1N 2l 3N", "1N 2F 3r"};
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        jbw_buffer bytes = {0};
        assert_int_equal(jbw_world_encode(d.world, &bytes), JBW_OK);
        jbw_model *model;
        jbw_world *world;
        assert_int_equal(jbw_world_decode(bytes.bytes, bytes.size, NULL, &model, &world, NULL),
                         JBW_OK);
        assert_non_null(model);
        assert_true(jbw_world_hash(world) == jbw_world_hash(d.world));
        for (int k = 1; k <= 3; k++) assert_same_sight(d.world, world, d.agents[k]);
        for (int body = 0; body < 3; body++)
            for (int action = 0; action < jbw_model_action_count(model); action++)
                assert_int_equal(jbw_model_body_can(model, body, action),
                                 jbw_model_body_can(d.model, body, action));
        assert_string_equal(jbw_model_body_name(model, 2), "Hawk");
        jbw_buffer again = {0};
        assert_int_equal(jbw_world_encode(world, &again), JBW_OK);
        assert_int_equal(again.size, bytes.size);
        assert_memory_equal(again.bytes, bytes.bytes, bytes.size);
        jbw_buffer_free(&again);
        jbw_buffer_free(&bytes);
        jbw_world_destroy(world);
        jbw_model_destroy(model);
        play(&d, scripts[i]);
    }
    assert_carries(&d, 3, "1 0 0"); // it has seen with a tool
    erase_world(&d);
}

// two worlds that differ in nothing but a body
static void test_hashes(void **state)
{
    (void)state;
    const jbw_config config = config_of();
    uint64_t hashes[3];
    for (int body = 0; body < 3; body++) {
        drawn_world d;
        draw_world(&d, &config, letters, "", "....\n");
        add(&d, 0, 0, body);
        hashes[body] = jbw_world_hash(d.world);
        erase_world(&d);
    }
    assert_true(hashes[0] != hashes[1] && hashes[1] != hashes[2] && hashes[2] != hashes[0]);
}

// ---- configs ----

static char problem[700];

static void keep(const jbw_problem *found, void *user)
{
    (void)user;
    if (problem[0] == '\0') snprintf(problem, sizeof problem, "%s: %s", found->path, found->text);
}

static void expect(const jbw_config *config, const char *text)
{
    problem[0] = '\0';
    jbw_config_check(config, keep, NULL);
    assert_string_equal(problem, text);
}

static void test_problems(void **state)
{
    (void)state;
    jbw_config config = config_of();
    expect(&config, "");

    jbw_body own[2] = {bodies[0], bodies[1]};
    config.bodies = own;
    own[1].name = "Mole";
    expect(&config, "bodies.Mole: 'Mole' is listed twice");
    own[1].name = NULL;
    expect(&config, "bodies: body 1 has no name");
    own[1].name = "a b";
    expect(&config,
           "bodies.a b: found 'a b', expected a body's name of at most 100 letters, digits "
           "and '_'");
    own[1] = (jbw_body){.name = "Ox", .actions = mole_actions};
    expect(&config, "bodies.Ox.actions: found no actions, expected some of agent.actions");
    const jbw_action twice[] = {{JBW_ACTION_COLLECT, NULL}, {JBW_ACTION_COLLECT, NULL}};
    own[1] = (jbw_body){.name = "Ox", .actions = twice, .action_count = 2};
    expect(&config, "bodies.Ox.actions.1: 'Collect' is listed twice");
    const jbw_action unknown[] = {{JBW_ACTION_DROP, "Wall"}};
    own[1] = (jbw_body){.name = "Ox", .actions = unknown, .action_count = 1};
    expect(&config, "bodies.Ox.actions.0: 'Drop[Wall]' is not one of agent.actions");

    config = config_of();
    jbw_tool mine[2] = {tools[0], tools[1]};
    config.agent.tools = mine;
    mine[1].item = "Glass";
    expect(&config, "agent.tools.Glass: 'Glass' is listed twice");
    mine[1] = (jbw_tool){.item = "Lamp"};
    expect(&config, "agent.tools.Lamp: it changes nothing, expected vision_range, field_of_view or "
                    "visual_occlusion");
    mine[1].item = NULL;
    expect(&config, "agent.tools.: unknown item '', expected the name of an item of this world");

    // half a patch, and 32 where occlusion can be on, whatever is carried
    config = config_of();
    config.patch_size = 128;
    config.agent.tools = mine;
    mine[0] = (jbw_tool){"Glass", {.has_vision_range = true, .vision_range = 64}};
    mine[1] = tools[1];
    expect(&config,
           "agent.tools.Glass.vision_range: found 64, expected 0 to 63: agents see at most "
           "half a patch, and patch_size is 128");
    mine[0].sight.vision_range = 63;
    expect(&config, "agent.tools.Glass.vision_range: found 63, expected at most 32 with "
                    "visual_occlusion");
    mine[0].sight.has_visual_occlusion = true;
    expect(&config, "");
    mine[1].sight.visual_occlusion = true;
    expect(&config, "agent.tools.Lamp.visual_occlusion: found true, expected a vision_range of at "
                    "most 32 with it, but it can be 63");

    // 1 + 33 bodies that see differently
    jbw_body many[33];
    char names[33][8];
    for (int i = 0; i < 33; i++) {
        snprintf(names[i], sizeof names[i], "B%d", i);
        many[i] = (jbw_body){.name = names[i],
                             .sight = {.has_field_of_view = true, .field_of_view = 10 + i}};
    }
    config = config_of();
    config.bodies = many;
    config.body_count = 31;
    config.agent.tool_count = 0;
    expect(&config, "");
    config.body_count = 32;
    expect(&config, "bodies: bodies and tools make more than 32 different combinations of "
                    "vision_range, field_of_view and visual_occlusion, expected fewer");
    config.body_count = 31;
    config.agent.tool_count = 1;
    expect(&config, "agent.tools: bodies and tools make more than 32 different combinations of "
                    "vision_range, field_of_view and visual_occlusion, expected fewer");
}

// item types and bodies share the numbers of what smells
static void test_most_sources(void **state)
{
    (void)state;
    enum { MOST_TYPES = 200, MOST_BODIES = 55 };
    static jbw_item_type types[MOST_TYPES];
    static jbw_body beings[MOST_BODIES + 1];
    static char names[MOST_TYPES + MOST_BODIES + 1][8];
    for (int i = 0; i < MOST_TYPES; i++) {
        snprintf(names[i], sizeof names[i], "T%d", i);
        types[i] = (jbw_item_type){.name = names[i]};
    }
    for (int i = 0; i <= MOST_BODIES; i++) {
        snprintf(names[MOST_TYPES + i], sizeof names[i], "B%d", i);
        beings[i] = (jbw_body){.name = names[MOST_TYPES + i], .scent = i % 2 ? one : two};
    }
    types[MOST_TYPES - 1].scent = ten;
    jbw_config config = drawn_config(types, MOST_TYPES);
    config.scent_dimensions = 1;
    config.scent_decay = 0.4;
    config.bodies = beings;
    config.body_count = MOST_BODIES + 1;
    expect(&config, "bodies: found 56 bodies and 200 items, expected at most 255 together");
    config.body_count = MOST_BODIES;
    expect(&config, "");
    drawn_world d;
    draw_world(&d, &config, "", "", "....\n");
    float scent[1];
    assert_int_equal(jbw_world_place_item(d.world, MOST_TYPES - 1, (jbw_position){3, 0}), JBW_OK);
    const jbw_agent_id last = add(&d, 0, 0, MOST_BODIES);
    assert_int_equal(jbw_world_smell(d.world, (jbw_position){0, 0}, scent), JBW_OK);
    assert_true(scent[0] == 2);
    assert_int_equal(jbw_world_smell(d.world, (jbw_position){3, 0}, scent), JBW_OK);
    assert_true(scent[0] == 10);
    assert_int_equal(jbw_world_step(d.world), JBW_OK);
    d.world = replaced_world(d.world, true);
    assert_int_equal(jbw_world_remove_agent(d.world, last), JBW_OK);
    assert_int_equal(jbw_world_smell(d.world, (jbw_position){0, 0}, scent), JBW_OK);
    assert_true(scent[0] > 0.79F && scent[0] < 0.81F); // what is left of two
    erase_world(&d);
}

// every allocation of making such a world fails in turn
static void test_out_of_memory(void **state)
{
    (void)state;
    jbw_status status = JBW_OUT_OF_MEMORY;
    for (size_t n = 1; status; n++) {
        counting_allocator counting = {0};
        jbw_config config = config_of();
        config.allocator = counting_allocator_make(&counting);
        fail_allocations(&counting, n, 1);
        jbw_model *model;
        jbw_world *world = NULL;
        jbw_agent_id id;
        status = jbw_model_create(&config, &model, NULL);
        if (!status) status = jbw_world_create(model, 1, &world);
        if (!status) status = jbw_world_add_agent(world, &(jbw_agent_options){.body = MOLE}, &id);
        if (status) assert_int_equal(status, JBW_OUT_OF_MEMORY);
        jbw_world_destroy(world);
        jbw_model_destroy(model);
        assert_int_equal(counting.block_count, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_bodies_can), cmocka_unit_test(test_what_bodies_see),
        cmocka_unit_test(test_tools),           cmocka_unit_test(test_tools_that_are_spent),
        cmocka_unit_test(test_scents),          cmocka_unit_test(test_saved_configs),
        cmocka_unit_test(test_hashes),          cmocka_unit_test(test_problems),
        cmocka_unit_test(test_most_sources),    cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
