// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Films: a recording is replayed step by step, and the place and the reward of one agent are noted
// on the way. The replay begins some steps before the first frame, which thus has a trail already.

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "jbw/observation.h"
#include "jbw/picture.h"

enum {
    DEFAULT_WIDTH = 41, // in cells
    DEFAULT_HEIGHT = 31,
    DEFAULT_MEMORY = 400, // steps
    MAX_MEMORY = 1000000, // steps
    DEFAULT_FRAMES = 600, // at most, unless `every` is given
    REWARD_MEMORY = 2000, // steps in the plot of the reward
};

/// The latest of a number of values, in order. Twice the room is used, so that values move rarely.
typedef struct latest {
    size_t first;
    size_t count;
    size_t most;
} latest;

struct jbw_film {
    jbw_recording *recording;
    jbw_allocator allocator;
    jbw_film_options options;
    jbw_film_info info;
    jbw_region region;
    uint64_t frames_drawn;

    jbw_agent_id agent; // all zero while there is none
    jbw_position *path; // (2 x path_order.most)
    latest path_order;
    double *rewards; // (2 x reward_order.most)
    latest reward_order;
    size_t scent_size;
    float *scent;      // of the agent
    double most_scent; // lately
};

// --- what the agent did -------------------------------------------------------------------------

// makes room for one more value in an array of elements of this size, and returns its index
static size_t push(latest *order, void *array, size_t size)
{
    if (order->first + order->count == 2 * order->most) {
        uint8_t *bytes = array;
        const size_t kept = order->most - 1;
        memmove(bytes, bytes + (order->first + order->count - kept) * size, kept * size);
        order->first = 0;
        order->count = kept;
    }
    if (order->count == order->most) {
        order->first++;
        order->count--;
    }
    return order->first + order->count++;
}

static jbw_world *world_of(const jbw_film *film)
{
    return jbw_recording_world(film->recording);
}

// the agent with the number in the options; it may come and go
static jbw_status find_agent(jbw_film *film)
{
    const size_t count = jbw_world_agents(world_of(film), NULL, 0);
    const size_t wanted = (size_t)film->options.agent;
    const jbw_agent_id before = film->agent;
    film->agent = (jbw_agent_id){0};
    if (wanted <= count) {
        jbw_agent_id *agents = jbw_alloc(&film->allocator, count * sizeof *agents);
        if (!agents) return JBW_OUT_OF_MEMORY;
        jbw_world_agents(world_of(film), agents, count);
        film->agent = agents[wanted - 1];
        jbw_free(&film->allocator, agents, count * sizeof *agents);
    }
    const bool is_same =
        before.index1 == film->agent.index1 && before.generation == film->agent.generation;
    if (!is_same) film->path_order.count = film->reward_order.count = 0;
    return JBW_OK;
}

// after each step, and at the beginning
static jbw_status note_agent(jbw_film *film, bool has_stepped)
{
    const jbw_status status = find_agent(film);
    jbw_agent_state state;
    if (status || jbw_agent_get_state(world_of(film), film->agent, &state)) return status;
    if (film->path)
        film->path[push(&film->path_order, film->path, sizeof *film->path)] = state.position;
    if (film->rewards && has_stepped) {
        const double reward = jbw_agent_reward(world_of(film), film->agent, film->options.reward);
        film->rewards[push(&film->reward_order, film->rewards, sizeof reward)] = reward;
    }
    if (film->options.region.width == 0) {
        film->region.x = state.position.x - film->region.width / 2;
        film->region.y = state.position.y - film->region.height / 2;
    }
    return JBW_OK;
}

// replays up to a time; the end of the recording is no failure
static jbw_status advance(jbw_film *film, uint64_t time, jbw_error *error)
{
    uint64_t now = jbw_world_time(world_of(film));
    while (now < time) {
        jbw_status status = jbw_recording_next(film->recording, NULL, error);
        if (status == JBW_NOT_FOUND) return JBW_OK;
        if (status) return status;
        const uint64_t before = now;
        now = jbw_world_time(world_of(film));
        if (now != before) status = note_agent(film, true);
        if (status) return jbw_error_set_status(error, status);
    }
    return JBW_OK;
}

// --- creating -----------------------------------------------------------------------------------

static jbw_status reject(jbw_error *error, const char *text)
{
    jbw_error_set(error, 0, 0, "%s", text);
    return JBW_INVALID_ARGUMENT;
}

static jbw_status check_options(jbw_film *film, jbw_error *error)
{
    jbw_film_options *o = &film->options;
    const jbw_recording_info all = jbw_recording_get_info(film->recording);
    if (o->agent < 0) return reject(error, "agents are counted from 1");
    if (o->agent == 0) o->agent = 1;
    if (o->width < 0 || o->height < 0)
        return reject(error, "the width and height of a film must not be negative");
    if (o->memory < -1 || o->memory > MAX_MEMORY)
        return reject(error, "the memory of a trail is -1 to 1000000 steps");
    if (o->memory == 0) o->memory = DEFAULT_MEMORY;
    if ((o->region.width == 0) != (o->region.height == 0))
        return reject(error, "the region of a film is empty");
    if (!o->has_end || o->to > all.last_time) o->to = all.last_time;
    if (o->from < all.first_time) o->from = all.first_time;
    if (o->from > o->to) {
        jbw_error_set(error, 0, 0, "the film begins at time %llu, but ends at %llu",
                      (unsigned long long)o->from, (unsigned long long)o->to);
        return JBW_INVALID_ARGUMENT;
    }
    const uint64_t span = o->to - o->from;
    if (o->every == 0) o->every = 1 + span / DEFAULT_FRAMES;
    if (o->every > span) o->every = span > 0 ? span : 1; // then there are two frames, or one

    film->region = o->region;
    if (o->region.width == 0)
        film->region = (jbw_region){0, 0, o->width ? o->width : DEFAULT_WIDTH,
                                    o->height ? o->height : DEFAULT_HEIGHT};
    return JBW_OK;
}

// the parts of a picture that every frame has, which give its size
static jbw_picture_options frame_options(const jbw_film *film)
{
    jbw_picture_options picture = film->options.picture;
    picture.path = film->path ? film->path + film->path_order.first : NULL;
    picture.path_count = film->path_order.count;
    picture.path_memory = film->path_order.most;
    picture.agent = film->agent;
    picture.rewards = film->rewards ? film->rewards + film->reward_order.first : NULL;
    picture.reward_count = film->reward_order.count;
    return picture;
}

static jbw_status allocate(jbw_film *film)
{
    const jbw_film_options *o = &film->options;
    film->path_order.most = o->memory > 0 ? (size_t)o->memory : 0;
    film->reward_order.most = REWARD_MEMORY;
    if (film->path_order.most > 0) {
        film->path = jbw_alloc(&film->allocator, 2 * film->path_order.most * sizeof *film->path);
        if (!film->path) return JBW_OUT_OF_MEMORY;
    }
    if (o->reward && o->picture.show_panel) {
        film->rewards = jbw_alloc(&film->allocator, 2 * (size_t)REWARD_MEMORY * sizeof(double));
        if (!film->rewards) return JBW_OUT_OF_MEMORY;
    }
    film->scent_size = jbw_model_part(jbw_world_model(world_of(film)), JBW_PART_SCENT).size;
    film->scent = jbw_alloc(&film->allocator, film->scent_size);
    return film->scent ? JBW_OK : JBW_OUT_OF_MEMORY;
}

static jbw_status begin(jbw_film *film, jbw_error *error)
{
    const jbw_film_options *o = &film->options;
    jbw_status status = check_options(film, error);
    if (status) return status;
    status = allocate(film);
    if (status) return jbw_error_set_status(error, status);

    // the size must not depend on whether there is an agent in the first frame
    jbw_picture_options picture = frame_options(film);
    picture.agent = (jbw_agent_id){.index1 = 1};
    const uint64_t span = o->to - o->from;
    film->info = (jbw_film_info){.frame_count = span / o->every + (span % o->every ? 2 : 1),
                                 .first_time = o->from,
                                 .last_time = o->to,
                                 .every = o->every};
    status = jbw_picture_size(jbw_world_model(world_of(film)), film->region, &picture,
                              &film->info.width, &film->info.height, error);
    if (status) return status;

    const uint64_t first = jbw_recording_get_info(film->recording).first_time;
    const uint64_t memory = film->rewards ? REWARD_MEMORY : film->path_order.most;
    const uint64_t warm_up = o->from - first < memory ? first : o->from - memory;
    status = jbw_recording_seek(film->recording, warm_up, error);
    if (status) return status;
    status = note_agent(film, false);
    return status ? jbw_error_set_status(error, status) : advance(film, o->from, error);
}

jbw_status jbw_film_create(jbw_recording *recording, const jbw_film_options *options,
                           jbw_film **out, jbw_error *error)
{
    *out = NULL;
    if (error) *error = (jbw_error){0};
    const jbw_allocator allocator =
        jbw_model_allocator(jbw_world_model(jbw_recording_world(recording)));
    jbw_film *film = jbw_alloc_zero(&allocator, 1, sizeof *film);
    if (!film) return jbw_error_set_status(error, JBW_OUT_OF_MEMORY);
    film->recording = recording;
    film->allocator = allocator;
    film->options = *options;
    const jbw_status status = begin(film, error);
    if (status)
        jbw_film_destroy(film);
    else
        *out = film;
    return status;
}

void jbw_film_destroy(jbw_film *film)
{
    if (!film) return;
    const jbw_allocator allocator = film->allocator;
    jbw_free(&allocator, film->path, 2 * film->path_order.most * sizeof *film->path);
    jbw_free(&allocator, film->rewards, 2 * film->reward_order.most * sizeof *film->rewards);
    jbw_free(&allocator, film->scent, film->scent_size);
    jbw_free(&allocator, film, sizeof *film);
}

jbw_film_info jbw_film_get_info(const jbw_film *film)
{
    return film->info;
}

// --- frames -------------------------------------------------------------------------------------

// The bars of the scent keep their scale: that of the strongest scent lately. It is forgotten slowly.
static jbw_status measure_scent(jbw_film *film)
{
    const int dimensions = jbw_model_scent_dimensions(jbw_world_model(world_of(film)));
    if (!film->options.picture.show_panel || film->agent.index1 == 0) return JBW_OK;
    const jbw_status status = jbw_agent_perceive(world_of(film), film->agent, NULL, film->scent);
    film->most_scent *= 0.98;
    for (int i = 0; i < dimensions && !status; i++)
        film->most_scent = fmax(film->most_scent, (double)film->scent[i]);
    return status;
}

// goes to the next frame and describes it
static jbw_status prepare(jbw_film *film, jbw_picture_options *picture, jbw_error *error)
{
    const jbw_film_info *info = &film->info;
    if (error) *error = (jbw_error){0};
    if (film->frames_drawn == info->frame_count) return jbw_error_set_status(error, JBW_NOT_FOUND);
    const uint64_t steps = film->frames_drawn * info->every;
    const uint64_t span = info->last_time - info->first_time;
    jbw_status status = advance(film, info->first_time + (steps < span ? steps : span), error);
    if (status) return status;
    status = measure_scent(film);
    *picture = frame_options(film);
    picture->scent_scale = film->most_scent;
    return status ? jbw_error_set_status(error, status) : JBW_OK;
}

jbw_status jbw_film_next(jbw_film *film, uint8_t *pixels, jbw_error *error)
{
    jbw_picture_options picture;
    jbw_status status = prepare(film, &picture, error);
    if (status) return status;
    // without an agent the panel is shorter, but not narrower
    memset(pixels, 255, 3 * (size_t)(film->info.width * film->info.height));
    status = jbw_picture_draw(world_of(film), film->region, &picture, pixels, error);
    if (!status) film->frames_drawn++;
    return status;
}

jbw_status jbw_film_write_png(jbw_film *film, const char *path, jbw_error *error)
{
    jbw_picture_options picture;
    jbw_status status = prepare(film, &picture, error);
    if (status) return status;
    status = jbw_picture_write_png(world_of(film), film->region, &picture, path, error);
    if (!status) film->frames_drawn++;
    return status;
}
