// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Observations, rewards and infos of one agent. A step is quick, so making Python objects takes most
// of the time: everything that can be kept from the step before is kept.
#include "life.h"

#include <string.h>

bool core_to_info_kind(core_state *state, const char *name, core_info_kind *out)
{
    static const char *const names[] = {"full", "numbers", "none"}; // as in core_info_kind
    for (int i = 0; i < 3; i++) {
        if (strcmp(name, names[i]) != 0) continue;
        *out = (core_info_kind)i;
        return true;
    }
    core_raise_argument(state, "unknown info \"%s\", expected full, numbers or none", name);
    return false;
}

bool core_life_init(core_life *life, core_state *state, core_model *model, PyObject *reward,
                    PyObject *parts, core_form form, bool copies, core_info_kind info_kind)
{
    life->model = (core_model *)core_new(model);
    life->reward = reward == Py_None ? NULL : (core_reward *)core_new(reward);
    life->info_kind = info_kind;
    life->has_bodies = jbw_model_body_count(model->model) > 1;
    life->counts = PyMem_Calloc((size_t)model->item_count + 1, sizeof *life->counts);
    life->latest = PyMem_Calloc((size_t)model->item_count + 1, sizeof *life->latest);
    if (life->counts && life->latest)
        return core_layout_init(&life->layout, state, model, parts, form, copies);
    PyErr_NoMemory();
    return false;
}

void core_life_deinit(core_life *life)
{
    core_drop(life->model);
    core_drop(life->reward);
    core_drop(life->info);
    core_drop(life->inventory);
    core_drop(life->name);
    PyMem_Free(life->counts);
    PyMem_Free(life->latest);
    core_layout_deinit(&life->layout);
    *life = (core_life){0};
}

// --- looking ------------------------------------------------------------------------------------

bool core_moment_begin(core_moment *now, core_life *life, bool is_new)
{
    if (!core_observation_begin(&now->observation, &life->layout, is_new)) return false;
    if (life->info_kind == CORE_INFO_NONE) return true;
    jbw_observation *wanted = &now->observation.wanted;
    if (!wanted->position) wanted->position = now->facts.position;
    if (!wanted->start) wanted->start = now->facts.start;
    if (!wanted->direction) wanted->direction = &now->facts.direction;
    if (!wanted->time) wanted->time = &now->facts.time;
    if (!wanted->collected) wanted->collected = &now->facts.collected;
    if (!wanted->outcome) wanted->outcome = &now->facts.outcome;
    if (!wanted->inventory) wanted->inventory = life->latest;
    if (!wanted->body) wanted->body = &now->facts.body;
    return true;
}

jbw_status core_moment_look(core_moment *now, const core_life *life, jbw_world *world)
{
    jbw_status status = jbw_agent_observe(world, life->id, &now->observation.wanted);
    if (status) return status;
    now->reward = life->reward ? jbw_agent_reward(world, life->id, life->reward->reward) : 0;
    now->result_time = 0;
    if (life->reward && life->reward->is_scheduled) {
        jbw_agent_result result;
        status = jbw_agent_get_result(world, life->id, &result);
        now->result_time = status ? 0 : result.time;
    }
    return status;
}

void core_moment_drop(core_moment *now)
{
    core_observation_drop(&now->observation);
}

// --- infos in words -----------------------------------------------------------------------------

static PyObject *make_cell(const int64_t cell[2])
{
    return core_from_position((jbw_position){cell[0], cell[1]});
}

// the text of the reward in force, made only when it has changed
static PyObject *reward_name(core_life *life, core_state *state, const core_moment *now)
{
    if (!life->reward) return core_new(state->word_zero);
    if (!life->reward->is_scheduled) return core_new(life->reward->text);
    // that of the latest step; at the beginning, that of the first one
    const uint64_t time =
        now->result_time > 0 ? now->result_time - 1 : *now->observation.wanted.time;
    char text[512];
    const size_t size = jbw_reward_print_at(life->reward->reward, time, text, sizeof text);
    Py_ssize_t known_size = 0;
    const char *known = life->name ? PyUnicode_AsUTF8AndSize(life->name, &known_size) : NULL;
    if (life->name && !known) return NULL;
    const bool is_known =
        known && (size_t)known_size == size && size < sizeof text && memcmp(known, text, size) == 0;
    if (!is_known) {
        PyObject *name = core_reward_at(life->reward, time);
        if (!name) return NULL;
        core_drop(life->name);
        life->name = name;
    }
    return core_new(life->name);
}

static bool refresh_inventory(core_life *life, const uint64_t *latest)
{
    for (int i = 0; i < life->model->item_count; i++) {
        PyObject *name = PyTuple_GetItem(life->model->item_names, i);
        if (!core_set(life->inventory, name, PyLong_FromUnsignedLongLong(latest[i]))) return false;
    }
    memcpy(life->counts, latest, sizeof *latest * (size_t)life->model->item_count);
    return true;
}

// the first info, where nothing is known; false with an exception
static bool make_first(core_life *life, core_state *state, const core_moment *now)
{
    const jbw_observation *seen = &now->observation.wanted;
    core_drop(life->inventory);
    life->inventory = PyDict_New();
    PyObject *info = PyDict_New();
    // this is also the order of keys
    const bool done =
        info && life->inventory &&
        core_set(info, state->word_position, make_cell(seen->position)) &&
        core_set(info, state->word_start, make_cell(seen->start)) &&
        PyDict_SetItem(info, state->word_direction, state->directions[*seen->direction]) == 0 &&
        PyDict_SetItem(info, state->word_time, Py_None) == 0 &&
        core_set(info, state->word_collected, core_from_item(life->model, *seen->collected)) &&
        PyDict_SetItem(info, state->word_inventory, Py_None) == 0 &&
        PyDict_SetItem(info, state->word_outcome, state->outcomes[*seen->outcome]) == 0 &&
        core_set(info, state->word_reward_function, reward_name(life, state, now)) &&
        refresh_inventory(life, seen->inventory);
    if (!done) {
        core_drop(info);
        return false;
    }
    life->info = info;
    return true;
}

// replaces what has changed since the latest info; false with an exception
static bool update(core_life *life, core_state *state, const core_moment *now)
{
    const jbw_observation *seen = &now->observation.wanted;
    const core_facts *told = &life->told;
    PyObject *info = life->info;
    bool done = true;
    if (memcmp(seen->position, told->position, sizeof told->position) != 0)
        done = core_set(info, state->word_position, make_cell(seen->position));
    if (done && memcmp(seen->start, told->start, sizeof told->start) != 0)
        done = core_set(info, state->word_start, make_cell(seen->start));
    if (done && *seen->direction != told->direction)
        done = !PyDict_SetItem(info, state->word_direction, state->directions[*seen->direction]);
    if (done && *seen->collected != told->collected)
        done = core_set(info, state->word_collected, core_from_item(life->model, *seen->collected));
    if (done && *seen->outcome != told->outcome)
        done = !PyDict_SetItem(info, state->word_outcome, state->outcomes[*seen->outcome]);
    if (done && life->reward && life->reward->is_scheduled)
        done = core_set(info, state->word_reward_function, reward_name(life, state, now));
    const size_t size = sizeof *life->counts * (size_t)life->model->item_count;
    if (done && size > 0 && memcmp(life->counts, seen->inventory, size) != 0)
        done = refresh_inventory(life, seen->inventory);
    return done;
}

static PyObject *make_full(core_life *life, core_state *state, const core_moment *now)
{
    const jbw_observation *seen = &now->observation.wanted;
    if (!(life->info ? update(life, state, now) : make_first(life, state, now))) {
        Py_CLEAR(life->info); // it may be half new: the next one starts again
        return NULL;
    }
    life->told = (core_facts){
        .position = {seen->position[0], seen->position[1]},
        .start = {seen->start[0], seen->start[1]},
        .time = *seen->time,
        .collected = *seen->collected,
        .direction = *seen->direction,
        .outcome = *seen->outcome,
    };
    PyObject *info = PyDict_Copy(life->info);
    if (info && core_set(info, state->word_time, PyLong_FromUnsignedLongLong(*seen->time)) &&
        core_set(info, state->word_inventory, PyDict_Copy(life->inventory)))
        return info;
    core_drop(info);
    return NULL;
}

// --- infos in numbers ---------------------------------------------------------------------------

// signed numbers are easier to calculate with; both are the same up to 2**63
static PyObject *make_vector(const void *numbers, npy_intp count)
{
    PyObject *vector = PyArray_SimpleNew(1, &count, NPY_INT64);
    if (vector)
        memcpy(PyArray_DATA((PyArrayObject *)vector), numbers, (size_t)count * sizeof(int64_t));
    return vector;
}

static PyObject *make_numbers(const core_life *life, core_state *state, const core_moment *now)
{
    const jbw_observation *seen = &now->observation.wanted;
    PyObject *info = PyDict_New();
    if (info && core_set(info, state->word_position, make_vector(seen->position, 2)) &&
        core_set(info, state->word_start, make_vector(seen->start, 2)) &&
        core_set(info, state->word_direction, PyLong_FromLong(*seen->direction)) &&
        core_set(info, state->word_time, PyLong_FromUnsignedLongLong(*seen->time)) &&
        core_set(info, state->word_collected, PyLong_FromLong(*seen->collected)) &&
        core_set(info, state->word_inventory,
                 make_vector(seen->inventory, life->model->item_count)) &&
        core_set(info, state->word_outcome, PyLong_FromLong(*seen->outcome)))
        return info;
    core_drop(info);
    return NULL;
}

static PyObject *make_info(core_life *life, core_state *state, const core_moment *now)
{
    if (life->info_kind == CORE_INFO_NONE) return PyDict_New();
    PyObject *info = life->info_kind == CORE_INFO_FULL ? make_full(life, state, now)
                                                       : make_numbers(life, state, now);
    // where bodies differ, what the agent can do
    if (info && life->has_bodies &&
        !core_set(info, state->word_action_mask,
                  core_model_action_mask(life->model, *now->observation.wanted.body)))
        Py_CLEAR(info);
    return info;
}

bool core_moment_finish(core_moment *now, core_life *life, core_state *state,
                        PyObject **observation, PyObject **info)
{
    if (info && !(*info = make_info(life, state, now))) {
        core_moment_drop(now);
        return false;
    }
    if (!observation) {
        core_moment_drop(now);
        return true;
    }
    *observation = core_observation_finish(&now->observation, &life->layout, state);
    if (!*observation && info) Py_CLEAR(*info);
    return *observation != NULL;
}

void core_life_begin_request(const core_life *life, jbw_request *request)
{
    if (life->text[0] == '\0') return;
    const int item = jbw_model_action_item(life->model->model, request->action);
    if (jbw_model_item_has_text(life->model->model, item)) request->text = life->text;
}

void core_life_end_request(core_life *life, const char *text)
{
    if (text) life->text[0] = '\0';
}

PyObject *core_life_write(core_life *life, core_state *state, PyObject *text)
{
    char written[JBW_MAX_TEXT + 1];
    if (!core_to_text(state, text, written)) return NULL;
    bool has_texts = false;
    for (int t = 0; t < life->model->item_count; t++)
        has_texts = has_texts || jbw_model_item_has_text(life->model->model, t);
    if (!has_texts)
        return core_raise_argument(
            state,
            "no item of this world carries a text: in the world file, `text: true` is missing");
    memcpy(life->text, written, sizeof written);
    return core_new(Py_None);
}
