// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "io/draw/agent_marks.h"

#include <math.h>

#include "base/alloc.h"
#include "io/draw/color.h"
#include "io/draw/palette.h"

#define LEAST_SIZE 13.0  // pixels of a mark, however small the cells are
#define RING_RADIUS 0.58 // in units of a mark
#define REACH 0.68       // of a mark with its ring
#define SHADOW 70        // of what is not seen, out of 255

// --- collecting ---------------------------------------------------------------------------------

static bool is_followed(jbw_agent_id agent, jbw_agent_id followed)
{
    return agent.index1 == followed.index1 && agent.generation == followed.generation;
}

// whether a mark at this place can reach into the region
static bool is_near(const jbw_agent_marks *m, jbw_position at)
{
    const int64_t margin = 1 + (int64_t)(m->size * REACH) / m->scale;
    const jbw_region r = m->region;
    return at.x >= r.x - margin && at.x < r.x + r.width + margin && at.y >= r.y - margin &&
           at.y < r.y + r.height + margin;
}

static jbw_color color_of(const jbw_model *model, int body, bool is_followed)
{
    if (jbw_model_body_count(model) == 1) return is_followed ? jbw_accent_color : jbw_ink_color;
    return jbw_color_of(jbw_model_body_color(model, body), jbw_model_color_dimensions(model));
}

static jbw_status collect(jbw_agent_marks *m, const jbw_world *world, const jbw_agent_id *agents,
                          size_t count, jbw_agent_id followed, bool hides_others)
{
    const jbw_model *model = jbw_world_model(world);
    for (size_t i = 0; i < count; i++) {
        jbw_agent_state state;
        const bool is_it = is_followed(agents[i], followed);
        if ((hides_others && !is_it) || jbw_agent_get_state(world, agents[i], &state)) continue;
        if (!is_near(m, state.position)) continue;
        if (!JBW_GROW(m->allocator, m->marks, m->capacity, m->count + 1)) return JBW_OUT_OF_MEMORY;
        m->marks[m->count++] = (jbw_map_agent){.position = state.position,
                                               .direction = state.direction,
                                               .is_active = state.is_active,
                                               .is_followed = is_it,
                                               .has_body = jbw_model_body_count(model) > 1,
                                               .color = color_of(model, state.body, is_it)};
        // the followed agent is drawn over the others
        for (size_t k = m->count - 1; k > 0 && m->marks[k - 1].is_followed; k--) {
            const jbw_map_agent mark = m->marks[k];
            m->marks[k] = m->marks[k - 1];
            m->marks[k - 1] = mark;
        }
    }
    return JBW_OK;
}

static jbw_status collect_agents(jbw_agent_marks *m, const jbw_world *world, jbw_agent_id followed,
                                 bool hides_others)
{
    const size_t count = jbw_world_agents(world, NULL, 0);
    jbw_agent_id *agents = jbw_alloc(m->allocator, count * sizeof *agents);
    if (!agents) return JBW_OUT_OF_MEMORY;
    jbw_world_agents(world, agents, count);
    const jbw_status status = collect(m, world, agents, count, followed, hides_others);
    jbw_free(m->allocator, agents, count * sizeof *agents);
    return status;
}

static size_t sight_size(const jbw_agent_marks *m)
{
    return (size_t)m->sight.width * (size_t)m->sight.height * sizeof *m->seen;
}

// the cell that is `ahead` and `right` of an agent
static jbw_position turned(jbw_direction direction, int64_t ahead, int64_t right)
{
    switch (direction) {
    case JBW_UP: return (jbw_position){right, ahead};
    case JBW_RIGHT: return (jbw_position){ahead, -right};
    case JBW_DOWN: return (jbw_position){-right, -ahead};
    default: return (jbw_position){-ahead, right};
    }
}

static jbw_status collect_sight(jbw_agent_marks *m, jbw_world *world, jbw_agent_id followed)
{
    jbw_agent_state state;
    jbw_status status = jbw_agent_get_state(world, followed, &state);
    if (status) return status;
    const int side = jbw_model_vision_side(jbw_world_model(world));
    const int range = side / 2;
    m->sight = (jbw_region){state.position.x - range, state.position.y - range, side, side};
    m->seen = jbw_alloc(m->allocator, sight_size(m));
    float *own = jbw_alloc(m->allocator, sight_size(m)); // in the frame of the agent
    if (!own || !m->seen) status = JBW_OUT_OF_MEMORY;
    if (!status) status = jbw_agent_see_fractions(world, followed, own);
    for (int row = 0; row < side && !status; row++) {
        for (int column = 0; column < side; column++) {
            const jbw_position at = turned(state.direction, range - row, column - range);
            m->seen[(at.y + range) * side + at.x + range] = own[row * side + column];
        }
    }
    jbw_free(m->allocator, own, sight_size(m));
    m->has_sight = !status;
    return status;
}

jbw_status jbw_agent_marks_init(jbw_agent_marks *marks, jbw_world *world, jbw_region region,
                                int scale, jbw_agent_id followed, bool hides_others,
                                const jbw_allocator *allocator)
{
    *marks = (jbw_agent_marks){
        .allocator = allocator, .region = region, .scale = scale, .size = fmax(scale, LEAST_SIZE)};
    const bool follows = followed.index1 != 0;
    jbw_status status = follows ? collect_sight(marks, world, followed) : JBW_OK;
    if (!status) status = collect_agents(marks, world, followed, hides_others);
    if (status) jbw_agent_marks_deinit(marks);
    return status;
}

void jbw_agent_marks_deinit(jbw_agent_marks *marks)
{
    jbw_free(marks->allocator, marks->marks, marks->capacity * sizeof *marks->marks);
    if (marks->seen) jbw_free(marks->allocator, marks->seen, sight_size(marks));
    *marks = (jbw_agent_marks){0};
}

// --- what the agent sees ------------------------------------------------------------------------

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

void jbw_agent_marks_paint_sight(const jbw_agent_marks *m, int64_t row, uint8_t *pixels)
{
    if (!m->has_sight) return;
    const jbw_region r = m->region;
    const int64_t scale = m->scale;
    const int64_t left = (m->sight.x - r.x) * scale;
    const int64_t top = (r.y + r.height - m->sight.y - m->sight.height) * scale;
    const int64_t side = m->sight.width * scale;
    const int64_t down = row - top;
    if (down < 0 || down >= side) return;
    const int64_t line = scale < 6 ? 1 : scale < 24 ? 2 : scale / 12;
    const int64_t first = clamp(left, 0, r.width * scale);
    const int64_t last = clamp(left + side, 0, r.width * scale);
    const float *seen = m->seen + (m->sight.height - 1 - down / scale) * m->sight.width;
    for (int64_t i = first; i < last; i++) {
        const int64_t along = i - left;
        const bool is_frame =
            along < line || along >= side - line || down < line || down >= side - line;
        const double hidden = 1.0 - (double)seen[along / scale];
        if (is_frame)
            jbw_pixel_blend(&pixels[3 * i], jbw_accent_color, 230);
        else if (hidden > 0.0)
            jbw_pixel_blend(&pixels[3 * i], jbw_grid_color, (int)(hidden * SHADOW + 0.5));
    }
}

// --- agents -------------------------------------------------------------------------------------

static int to_weight(double coverage)
{
    return coverage <= 0.0 ? 0 : coverage >= 1.0 ? 255 : (int)(coverage * 255.0 + 0.5);
}

// `at` is in units of a mark, y up, with the agent looking up
static void paint_pixel(const jbw_map_agent *mark, jbw_point at, double size, uint8_t *out)
{
    const double edge = jbw_agent_shape_distance(at) * size; // in pixels
    const double rim = fmax(1.5, 0.06 * size);
    const double inner = fmax(1.2, 0.1 * size); // width of the edge
    if (mark->is_followed) {
        const double away = sqrt(at.x * at.x + at.y * at.y);
        const double ring = fabs(away - RING_RADIUS) * size - fmax(0.9, 0.04 * size);
        jbw_pixel_blend(out, jbw_white_color, to_weight(0.5 - (away - RING_RADIUS) * size) / 3);
        jbw_pixel_blend(out, jbw_accent_color, to_weight(0.5 - ring));
    }
    jbw_pixel_blend(out, jbw_white_color, to_weight(rim + 0.5 - edge));
    // a body may be as pale as the paper, so an active one has an edge
    const bool has_edge = mark->has_body && mark->is_active;
    jbw_pixel_blend(out, has_edge ? jbw_ink_color : mark->color, to_weight(0.5 - edge));
    if (has_edge) jbw_pixel_blend(out, mark->color, to_weight(0.5 - edge - 0.6 * inner));
    if (!mark->is_active) // hollow
        jbw_pixel_blend(out, jbw_white_color, to_weight(0.5 - edge - inner));
}

// turns a point back to how the agent looks up
static jbw_point unturned(jbw_direction direction, double x, double y)
{
    switch (direction) {
    case JBW_UP: return (jbw_point){x, y};
    case JBW_RIGHT: return (jbw_point){-y, x};
    case JBW_DOWN: return (jbw_point){-x, -y};
    default: return (jbw_point){y, -x};
    }
}

void jbw_agent_marks_paint_row(const jbw_agent_marks *m, int64_t row, uint8_t *pixels)
{
    const jbw_region r = m->region;
    const double scale = m->scale;
    const double reach = m->size * REACH + 2.0;
    for (size_t i = 0; i < m->count; i++) {
        const jbw_map_agent *mark = &m->marks[i];
        const double center_x = ((double)(mark->position.x - r.x) + 0.5) * scale;
        const double center_y = ((double)(r.y + r.height - 1 - mark->position.y) + 0.5) * scale;
        const double y = center_y - ((double)row + 0.5);
        if (fabs(y) > reach) continue;
        const int64_t first = clamp((int64_t)floor(center_x - reach), 0, r.width * m->scale);
        const int64_t last = clamp((int64_t)ceil(center_x + reach), 0, r.width * m->scale);
        for (int64_t k = first; k < last; k++) {
            const double x = (double)k + 0.5 - center_x;
            paint_pixel(mark, unturned(mark->direction, x / m->size, y / m->size), m->size,
                        &pixels[3 * k]);
        }
    }
}
