// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Pictures of worlds, into a file or an array.
#include "world_parts.h"

enum { AROUND_WIDTH = 41, AROUND_HEIGHT = 31 }; // cells around an agent

/// What a picture shall show, as Python says it.
typedef struct picture_request {
    PyObject *agent; // borrowed, or NULL
    PyObject *trail;
    PyObject *rewards;
    int panel; // -1: if there is an agent
    int legend;
    int grid;
    Py_ssize_t fade;
    int scale; // 0: chosen

    PyArrayObject *cells; // of the trail, or NULL; owned
    PyArrayObject *gains; // the rewards likewise
    jbw_picture_options options;
} picture_request;

static bool is_given(PyObject *object)
{
    return object && object != Py_None;
}

static void request_deinit(picture_request *request)
{
    core_drop(request->cells);
    core_drop(request->gains);
}

// whether two objects stand for the same world; those of a batch are made anew each time
static bool is_same_world(const core_world *a, const core_world *b)
{
    if (a == b) return true;
    return a->batch && a->batch == b->batch && a->index == b->index && a->life == b->life;
}

// Converts everything but the region; false with an exception, and nothing to clean up.
static bool request_init(picture_request *r, core_world *self, core_state *state)
{
    if (r->fade < 0) {
        core_raise_argument(state, "fade is a number of steps, and not negative");
        return false;
    }
    if (is_given(r->agent)) {
        core_agent *agent = (core_agent *)r->agent;
        if (!PyObject_TypeCheck(r->agent, state->Agent) || !is_same_world(agent->world, self)) {
            core_raise_argument(state, "agent: expected an agent of this world, found %R",
                                r->agent);
            return false;
        }
        r->options.agent = agent->id;
    }
    if (is_given(r->trail)) r->cells = core_to_positions(state, r->trail);
    if (is_given(r->rewards))
        r->gains =
            (PyArrayObject *)PyArray_FROMANY(r->rewards, NPY_DOUBLE, 1, 1, NPY_ARRAY_CARRAY_RO);
    if ((is_given(r->trail) && !r->cells) || (is_given(r->rewards) && !r->gains)) {
        request_deinit(r);
        return false;
    }
    r->options.scale = r->scale;
    r->options.show_grid = r->grid != 0;
    r->options.show_legend = r->legend != 0;
    r->options.show_panel = r->panel < 0 ? is_given(r->agent) : r->panel != 0;
    r->options.path = r->cells ? PyArray_DATA(r->cells) : NULL;
    r->options.path_count = r->cells ? (size_t)PyArray_SIZE(r->cells) / 2 : 0;
    r->options.path_memory = (size_t)r->fade;
    r->options.rewards = r->gains ? PyArray_DATA(r->gains) : NULL;
    r->options.reward_count = r->gains ? (size_t)PyArray_SIZE(r->gains) : 0;
    return true;
}

// None, or something true or false
static int to_choice(PyObject *object, void *out)
{
    const int value = object == Py_None ? -1 : PyObject_IsTrue(object);
    if (value < 0 && object != Py_None) return 0;
    *(int *)out = value;
    return 1;
}

PyObject *world_draw(core_world *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"path",   "x",     "y",     "width", "height", "scale",   "grid",
                            "legend", "agent", "panel", "trail", "fade",   "rewards", NULL};
    core_state *state = core_state_of(self);
    picture_request r = {.panel = -1, .scale = 4};
    PyObject *path;
    long long x;
    long long y;
    long long width;
    long long height;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OLLLL|$ippOO&OnO:draw", names, &path, &x,
                                     &y, &width, &height, &r.scale, &r.grid, &r.legend, &r.agent,
                                     to_choice, &r.panel, &r.trail, &r.fade, &r.rewards) ||
        !request_init(&r, self, state))
        return NULL;
    PyObject *file = core_path(path);
    jbw_world *world = file ? core_world_enter(self, state, true) : NULL;
    jbw_status status = JBW_OK;
    jbw_error error = {0};
    if (world) {
        const char *name = PyBytes_AsString(file);
        const jbw_region region = {x, y, width, height};
        core_world_release(self);
        status = jbw_picture_write_png(world, region, &r.options, name, &error);
        core_world_resume(self);
        core_world_leave(self);
    }
    request_deinit(&r);
    core_drop(file);
    if (!world) return NULL;
    return status ? core_raise_file(state, status, error.text, path) : core_new(Py_None);
}

// the cells around an agent: the given one, or the first
static jbw_status find_region(const jbw_world *world, jbw_agent_id agent, jbw_region *out)
{
    if (agent.index1 == 0 && jbw_world_agents(world, &agent, 1) == 0) return JBW_NO_SUCH_AGENT;
    jbw_agent_state at;
    const jbw_status status = jbw_agent_get_state(world, agent, &at);
    *out = (jbw_region){at.position.x - AROUND_WIDTH / 2, at.position.y - AROUND_HEIGHT / 2,
                        AROUND_WIDTH, AROUND_HEIGHT};
    return status;
}

// the picture as an array; between enter and leave of the world
static PyObject *make_picture(core_world *self, core_state *state, jbw_world *world,
                              jbw_region region, jbw_picture_options *options)
{
    jbw_error error = {0};
    jbw_status status = JBW_OK;
    if (region.width == 0) status = find_region(world, options->agent, &region);
    if (status) return core_raise(state, status, "there is no agent to look at: give a region");
    if (options->scale == 0) options->scale = jbw_picture_scale(region);
    int64_t width = 0;
    int64_t height = 0;
    status = jbw_picture_size(jbw_world_model(world), region, options, &width, &height, &error);
    if (status) return core_raise(state, status, error.text);
    const npy_intp shape[3] = {(npy_intp)height, (npy_intp)width, 3};
    PyArrayObject *array = (PyArrayObject *)PyArray_SimpleNew(3, shape, NPY_UINT8);
    if (!array) return NULL;
    uint8_t *pixels = PyArray_DATA(array);
    core_world_release(self);
    status = jbw_picture_draw(world, region, options, pixels, &error);
    core_world_resume(self);
    if (!status) return (PyObject *)array;
    core_drop(array);
    return core_raise(state, status, error.text);
}

PyObject *world_picture(core_world *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"region", "scale", "grid", "legend",  "agent",
                            "panel",  "trail", "fade", "rewards", NULL};
    core_state *state = core_state_of(self);
    picture_request r = {.panel = -1};
    PyObject *given = NULL;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|O$ippOO&OnO:picture", names, &given,
                                     &r.scale, &r.grid, &r.legend, &r.agent, to_choice, &r.panel,
                                     &r.trail, &r.fade, &r.rewards))
        return NULL;
    jbw_region region = {0};
    if (!core_to_region(state, given, &region) || !request_init(&r, self, state)) return NULL;
    jbw_world *world = core_world_enter(self, state, true);
    PyObject *picture = NULL;
    if (world) {
        picture = make_picture(self, state, world, region, &r.options);
        core_world_leave(self);
    }
    request_deinit(&r);
    return picture;
}
