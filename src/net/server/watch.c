// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "net/server/watch.h"

#include <stdlib.h>

#include "base/divide.h"
#include "net/thread/clock.h"
#include "net/wire/limits.h"
#include "net/wire/look.h"

enum {
    PLANES = 3, // of a patch with all that agents cannot see
    DETAIL_MOST = 8,
    PATCHES_EXAMINED = 1024,    // per frame
    PATCHES_WANTED = 256,       // of the maker, per frame
    PATCH_BYTES_MOST = 1 << 19, // per frame, roughly
    BEING_MADE = 2,             // instead of a hash in `sent`; those are odd
};

#define TIME_MOST (5 * JBW_MILLISECOND) // for examining patches, per frame

// ---- starting and ending ----

static jbw_status init_region(jbw_watch *watch, const jbw_model *model, jbw_region region)
{
    const int64_t size = jbw_model_patch_size(model);
    if (region.width < 1 || region.height < 1) return JBW_INVALID_ARGUMENT;
    if (!jbw_limits_contain((jbw_position){region.x, region.y})) return JBW_OUT_OF_RANGE;
    if (!jbw_limits_contain((jbw_position){region.x + region.width, region.y + region.height}))
        return JBW_OUT_OF_RANGE;
    const jbw_position first = {jbw_floor_divide(region.x, size), jbw_floor_divide(region.y, size)};
    const int64_t columns = jbw_floor_divide(region.x + region.width - 1, size) - first.x + 1;
    const int64_t rows = jbw_floor_divide(region.y + region.height - 1, size) - first.y + 1;
    if (columns > JBW_SUBSCRIPTION_PATCHES_MOST || rows > JBW_SUBSCRIPTION_PATCHES_MOST / columns)
        return JBW_UNSUPPORTED;
    watch->first_patch = first;
    watch->columns = (size_t)columns;
    watch->rows = (size_t)rows;
    watch->sent = calloc(watch->columns * watch->rows, sizeof *watch->sent);
    return watch->sent ? JBW_OK : JBW_OUT_OF_MEMORY;
}

jbw_status jbw_watch_init(jbw_watch *watch, const jbw_model *model, uint32_t request,
                          const jbw_wire_subscribe *wanted, uint64_t least_interval)
{
    const bool has_cells = wanted->topic == JBW_TOPIC_REGION && wanted->detail == 0;
    const int possible = JBW_WANT_ALL | (has_cells ? JBW_WANT_UNSEEN : 0);
    const bool is_good = wanted->topic <= JBW_TOPIC_AGENT && wanted->detail <= DETAIL_MOST &&
                         !(wanted->wants & ~possible) && wanted->rate_most >= 0.0F;
    if (!is_good) return JBW_INVALID_ARGUMENT;
    jbw_watch made = {.is_used = true,
                      .request = request,
                      .topic = wanted->topic,
                      .detail = wanted->detail,
                      .wants = wanted->wants,
                      .region = wanted->region,
                      .agent = wanted->agent,
                      .interval = least_interval};
    if (wanted->rate_most > 0.0F) {
        const double slowest = 1e-3; // frames per second
        const double rate = wanted->rate_most > slowest ? wanted->rate_most : slowest;
        const uint64_t interval = (uint64_t)(1e9 / rate);
        if (interval > made.interval) made.interval = interval;
    }
    if (wanted->topic == JBW_TOPIC_REGION) {
        const jbw_status status = init_region(&made, model, wanted->region);
        if (status) return status;
    }
    *watch = made;
    return JBW_OK;
}

void jbw_watch_set_maker(jbw_watch *watch, jbw_terrain_maker *maker, uint32_t connection,
                         uint32_t purpose)
{
    watch->maker = maker;
    watch->connection = connection;
    watch->purpose = purpose;
}

void jbw_watch_deinit(jbw_watch *watch)
{
    if (watch->maker)
        jbw_terrain_maker_want(watch->maker, watch->connection, watch->purpose, NULL, 0);
    free(watch->sent);
    *watch = (jbw_watch){0};
}

// true if patches that were being made may be there now
static bool has_news(const jbw_watch *watch)
{
    return watch->unmade > 0 && jbw_terrain_maker_news(watch->maker) != watch->news_seen;
}

bool jbw_watch_is_behind(const jbw_watch *watch, const jbw_view_copy *copy)
{
    return watch->is_used &&
           (watch->left > 0 || watch->copy_seen != copy->number || has_news(watch));
}

// ---- agents ----

static bool is_inside(jbw_region region, jbw_position at)
{
    return at.x >= region.x && at.y >= region.y && at.x - region.x < region.width &&
           at.y - region.y < region.height;
}

static bool has_words(const jbw_watch *watch)
{
    return (watch->wants & JBW_WANT_WORDS) != 0;
}

static bool add_agents(const jbw_watch *watch, const jbw_world *world, jbw_scratch *scratch,
                       jbw_wire_scene *scene)
{
    const size_t count = jbw_world_agents(world, NULL, 0);
    jbw_agent_id *agents = jbw_scratch_alloc(scratch, count + 1, sizeof *agents);
    const size_t most = count < JBW_LIST_MOST ? count : JBW_LIST_MOST;
    jbw_wire_agent_mark *marks = jbw_scratch_alloc(scratch, most + 1, sizeof *marks);
    uint8_t *bodies = jbw_scratch_alloc(scratch, most + 1, 1);
    uint8_t *said = jbw_scratch_alloc(scratch, most + 1, 1);
    if (!agents || !marks || !bodies || !said) return false;
    jbw_world_agents(world, agents, count);
    size_t found = 0;
    for (size_t i = 0; i < count && found < most; i++) {
        jbw_wire_words words;
        if (jbw_look_mark(world, agents[i], &marks[found], &words)) continue;
        if (watch->topic == JBW_TOPIC_REGION && !is_inside(watch->region, marks[found].position))
            continue;
        bodies[found] = words.body;
        said[found++] = words.said;
    }
    scene->frame.agent_count = (uint32_t)count;
    scene->frame.agents = marks;
    scene->frame.agents_count = found;
    scene->bodies = (jbw_field_bytes){bodies, found};
    scene->said = (jbw_field_bytes){said, found};
    return true;
}

static bool add_observation(const jbw_watch *watch, jbw_world *world, jbw_scratch *scratch,
                            jbw_wire_scene *scene)
{
    jbw_wire_frame *frame = &scene->frame;
    jbw_wire_observation *observation = jbw_scratch_alloc(scratch, 1, sizeof *observation);
    jbw_wire_agent_mark *mark = jbw_scratch_alloc(scratch, 1, sizeof *mark);
    jbw_wire_words *marked = jbw_scratch_alloc(scratch, 1, sizeof *marked);
    jbw_wire_words *words = jbw_scratch_alloc(scratch, 1, sizeof *words);
    if (!observation || !mark || !marked || !words) return false;
    frame->agent_count = (uint32_t)jbw_world_agents(world, NULL, 0);
    if (jbw_look_mark(world, watch->agent, mark, marked)) return true; // the agent is gone
    if (jbw_look_observation(world, watch->agent, watch->wants, scratch, observation)) return false;
    if (has_words(watch)) {
        if (jbw_look_words(world, watch->agent, scratch, words)) return false;
        scene->bodies = (jbw_field_bytes){&marked->body, 1};
        scene->said = (jbw_field_bytes){&marked->said, 1};
        scene->words = words;
        scene->words_count = 1;
    }
    frame->agents = mark;
    frame->agents_count = 1;
    frame->observations = observation;
    frame->observations_count = 1;
    return true;
}

// ---- patches ----

// summarizes a square, cut off at the patch's edge: the sum of its colors divided by its cells
static void summarize(const jbw_model *model, const uint8_t *cells, size_t x, size_t y, size_t side,
                      uint8_t out[4])
{
    const size_t size = (size_t)jbw_model_patch_size(model);
    const int dimensions = jbw_model_color_dimensions(model);
    const size_t right = x + side < size ? x + side : size;
    const size_t top = y + side < size ? y + side : size;
    double sums[3] = {0.0, 0.0, 0.0};
    size_t count = 0;
    for (size_t j = y; j < top; j++) {
        for (size_t i = x; i < right; i++) {
            const uint8_t item = cells[j * size + i];
            if (item == 0) continue;
            count++;
            const double *color = jbw_model_item_color(model, item - 1);
            for (int c = 0; c < 3; c++) {
                // a single dimension is a shade of gray
                const int d = dimensions == 1 ? 0 : c;
                const double value = d < dimensions ? color[d] : 0.0;
                sums[c] += value < 0.0 ? 0.0 : value > 1.0 ? 1.0 : value;
            }
        }
    }
    const double scale = 255.0 / (double)((right - x) * (top - y));
    for (int c = 0; c < 3; c++) out[c] = (uint8_t)(sums[c] * scale + 0.5);
    // a single item in a large square must not vanish
    const double density = (double)count * scale;
    out[3] = count > 0 && density < 1.0 ? 1 : (uint8_t)(density + 0.5);
}

// summarizes all squares of a patch; returns the number of bytes
static size_t reduce(const jbw_model *model, const uint8_t *cells, unsigned detail, uint8_t *out)
{
    const size_t size = (size_t)jbw_model_patch_size(model);
    const size_t side = (size_t)1 << detail;
    size_t at = 0;
    for (size_t y = 0; y < size; y += side)
        for (size_t x = 0; x < size; x += side, at += 4)
            summarize(model, cells, x, y, side, out + at);
    return at;
}

static bool has_unseen(const jbw_watch *watch)
{
    return watch->topic == JBW_TOPIC_REGION && (watch->wants & JBW_WANT_UNSEEN) != 0;
}

static size_t plane_count(const jbw_watch *watch)
{
    return has_unseen(watch) ? PLANES : 1;
}

static jbw_position patch_at(const jbw_watch *watch, size_t index)
{
    return (jbw_position){watch->first_patch.x + (int64_t)(index % watch->columns),
                          watch->first_patch.y + (int64_t)(index / watch->columns)};
}

// fills in the patch at an index; false if it need not be sent
static bool fill_patch(jbw_watch *watch, const jbw_world *world, size_t at, uint8_t *cells,
                       uint8_t *squares, jbw_wire_patch *out)
{
    const jbw_model *model = jbw_world_model(world);
    const int64_t size = jbw_model_patch_size(model);
    const jbw_position patch = patch_at(watch, at);
    const jbw_patch_state state = jbw_world_patch_state(world, patch);
    if (state == JBW_PATCH_MISSING) {
        // a patch disappears only when a recording goes back in time
        if (watch->sent[at] == 0) return false;
        watch->sent[at] = 0;
        *out = (jbw_wire_patch){.position = patch};
        return true;
    }
    const uint64_t mark = jbw_world_patch_mark(world, patch);
    if (watch->sent[at] == mark) return false;
    const jbw_region region = {patch.x * size, patch.y * size, size, size};
    const size_t cell_count = (size_t)(size * size);
    jbw_region_planes planes = {.items = cells};
    if (has_unseen(watch)) {
        planes.hidden = cells + cell_count;
        planes.growing = cells + 2 * cell_count;
    }
    if (jbw_world_read_planes(world, region, &planes)) return false;
    const uint8_t *bytes = watch->detail == 0 ? cells : squares;
    const size_t count = watch->detail == 0 ? cell_count * plane_count(watch)
                                            : reduce(model, cells, watch->detail, squares);
    watch->sent[at] = mark;
    *out = (jbw_wire_patch){.position = patch, .state = (uint8_t)state, .items = {bytes, count}};
    return true;
}

// Has the patch at the cursor made ready if it must be sent. False if that is not done yet: the
// network has no time to generate it.
static bool is_made(const jbw_watch *watch, jbw_world *world, uint8_t *cells)
{
    const jbw_position patch = patch_at(watch, watch->cursor);
    if (!watch->maker || jbw_world_patch_is_ready(world, patch) ||
        watch->sent[watch->cursor] == jbw_world_patch_mark(world, patch))
        return true;
    return jbw_terrain_maker_get(watch->maker, patch, cells) &&
           !jbw_world_put_patch(world, patch, cells);
}

// a patch that is being made is shown as such, unless something older is shown
static bool fill_unmade(jbw_watch *watch, size_t at, jbw_wire_patch *out)
{
    if (watch->sent[at] != 0) return false;
    watch->sent[at] = BEING_MADE;
    *out = (jbw_wire_patch){.position = patch_at(watch, at), .state = JBW_PATCH_BEING_MADE};
    return true;
}

/// Memory for the patches of a frame.
typedef struct patch_list {
    jbw_wire_patch *patches;
    size_t count;
    size_t bytes;
    jbw_position *wanted; // (PATCHES_WANTED): to be made
    size_t wanted_count;
    uint8_t *cells;
    uint8_t *items; // of the next patch
} patch_list;

// examines the patch at the cursor
static void examine(jbw_watch *watch, jbw_world *world, patch_list *list)
{
    const size_t at = watch->cursor;
    jbw_wire_patch *out = &list->patches[list->count];
    bool is_sent = false;
    if (is_made(watch, world, list->cells)) {
        uint8_t *into = watch->detail == 0 ? list->items : list->cells;
        is_sent = fill_patch(watch, world, at, into, list->items, out);
    } else {
        watch->unmade++;
        if (list->wanted_count < PATCHES_WANTED)
            list->wanted[list->wanted_count++] = patch_at(watch, at);
        is_sent = fill_unmade(watch, at, out);
    }
    watch->cursor = (at + 1) % (watch->columns * watch->rows);
    watch->left--;
    if (!is_sent) return;
    list->count++;
    list->bytes += out->items.count;
    if (out->items.count > 0) list->items = NULL; // now belongs to the frame
}

static bool init_patch_list(const jbw_watch *watch, size_t size, jbw_scratch *scratch,
                            patch_list *list)
{
    const size_t most = watch->left < PATCHES_EXAMINED ? watch->left : PATCHES_EXAMINED;
    *list = (patch_list){
        .patches = jbw_scratch_alloc(scratch, most + 1, sizeof *list->patches),
        .wanted = jbw_scratch_alloc(scratch, PATCHES_WANTED, sizeof *list->wanted),
        .cells = jbw_scratch_alloc(scratch, size * size, 1),
    };
    return list->patches && list->wanted && list->cells;
}

static bool add_patches(jbw_watch *watch, const jbw_view_copy *copy, jbw_scratch *scratch,
                        jbw_wire_frame *frame)
{
    const size_t size = (size_t)jbw_model_patch_size(jbw_world_model(copy->world));
    if (watch->copy_seen != copy->number || (watch->left == 0 && has_news(watch))) {
        watch->left = watch->columns * watch->rows;
        watch->unmade = 0;
        watch->news_seen = watch->maker ? jbw_terrain_maker_news(watch->maker) : 0;
    }
    const size_t squares = (size + ((size_t)1 << watch->detail) - 1) >> watch->detail;
    const size_t room =
        watch->detail == 0 ? plane_count(watch) * size * size : 4 * squares * squares;
    const uint64_t end = jbw_clock_now() + TIME_MOST;
    patch_list list;
    if (!init_patch_list(watch, size, scratch, &list)) return false;
    for (size_t i = 0; i < PATCHES_EXAMINED && watch->left > 0; i++) {
        enum { CLOCK_INTERVAL = 16 };
        if (list.bytes >= PATCH_BYTES_MOST) break;
        if (i % CLOCK_INTERVAL == CLOCK_INTERVAL - 1 && jbw_clock_now() > end) break;
        if (!list.items) list.items = jbw_scratch_alloc(scratch, room, 1);
        if (!list.items) return false;
        examine(watch, copy->world, &list);
    }
    if (list.wanted_count > 0)
        jbw_terrain_maker_want(watch->maker, watch->connection, watch->purpose, list.wanted,
                               list.wanted_count);
    frame->patches = list.patches;
    frame->patches_count = list.count;
    frame->patches_left = (uint32_t)(watch->left + watch->unmade);
    return true;
}

// ---- frames ----

bool jbw_watch_make_frame(jbw_watch *watch, const jbw_view_copy *copy, jbw_scratch *scratch,
                          jbw_buffer *out)
{
    jbw_scratch_reset(scratch);
    // a scene begins with a frame
    jbw_message message = {.type = has_words(watch) ? JBW_MESSAGE_SCENE : JBW_MESSAGE_FRAME,
                           .request = watch->request,
                           .scene.frame = {.time = jbw_world_time(copy->world),
                                           .is_paused = copy->is_paused,
                                           .rate = copy->rate,
                                           .steps_per_second = copy->steps_per_second}};
    bool is_good = watch->topic == JBW_TOPIC_AGENT
                       ? add_observation(watch, copy->world, scratch, &message.scene)
                       : add_agents(watch, copy->world, scratch, &message.scene);
    if (is_good && watch->topic == JBW_TOPIC_REGION)
        is_good = add_patches(watch, copy, scratch, &message.frame);
    if (is_good) is_good = jbw_message_encode(&message, out);
    if (is_good) watch->copy_seen = copy->number;
    return is_good;
}
