// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Operation: something that changed a recorded world.
#include "core.h"

static PyStructSequence_Field operation_fields[] = {
    {"kind", "what was done"},
    {"time", "of the world after it"},
    {"agents", "the ids of the agents concerned"},
    {"actions", "their actions"},
    {"item", "the item that was placed, or None"},
    {"active", "whether the agent became active, or None"},
    {"positions", "cells; for finalize_patch the patch, in units of patches"},
    {"say", "the symbols that they said with their actions, or 0"},
    {"texts", "what they wrote, or what the placed item carries; None where there is nothing"},
    {NULL, NULL},
};

PyStructSequence_Desc core_operation_desc = {
    "jbw._core.Operation",
    "An operation that changed a world; fields of other kinds are None, or empty.",
    operation_fields, 9};

static const char *kind_name(jbw_operation_kind kind)
{
    switch (kind) {
    case JBW_OPERATION_ACT: return "act";
    case JBW_OPERATION_ACT_TOGETHER: return "act_together";
    case JBW_OPERATION_STEP: return "step";
    case JBW_OPERATION_ADD_AGENT: return "add_agent";
    case JBW_OPERATION_REMOVE_AGENT: return "remove_agent";
    case JBW_OPERATION_SET_ACTIVE: return "set_active";
    case JBW_OPERATION_PLACE_ITEM: return "place_item";
    case JBW_OPERATION_REMOVE_ITEM: return "remove_item";
    case JBW_OPERATION_EXPLORE: return "explore";
    case JBW_OPERATION_FINALIZE_PATCH: return "finalize_patch";
    }
    return "unknown";
}

static PyObject *id_of(jbw_agent_id id)
{
    return PyLong_FromUnsignedLongLong((uint64_t)id.generation << 32 | id.index1);
}

static PyObject *action_of(const jbw_model *model, int action)
{
    const int item = jbw_model_action_item(model, action);
    const char *kind = jbw_action_kind_name(jbw_model_action_kind(model, action));
    if (item < 0) return PyUnicode_FromString(kind);
    return PyUnicode_FromFormat("%s[%s]", kind, jbw_model_item_name(model, item));
}

// a tuple, filled index by index
static PyObject *tuple_of(size_t count)
{
    return PyTuple_New((Py_ssize_t)count);
}

static PyObject *operation_agents(const jbw_operation *operation)
{
    switch (operation->kind) {
    case JBW_OPERATION_ACT:
    case JBW_OPERATION_ADD_AGENT:
    case JBW_OPERATION_REMOVE_AGENT:
    case JBW_OPERATION_SET_ACTIVE: return Py_BuildValue("(N)", id_of(operation->agent));
    case JBW_OPERATION_ACT_TOGETHER: break;
    default: return tuple_of(0);
    }
    PyObject *agents = tuple_of(operation->count);
    for (size_t i = 0; agents && i < operation->count; i++)
        PyTuple_SetItem(agents, (Py_ssize_t)i, id_of(operation->agents[i]));
    return agents;
}

static PyObject *operation_actions(const jbw_model *model, const jbw_operation *operation)
{
    if (operation->kind == JBW_OPERATION_ACT)
        return Py_BuildValue("(N)", action_of(model, operation->action));
    if (operation->kind != JBW_OPERATION_ACT_TOGETHER) return tuple_of(0);
    PyObject *actions = tuple_of(operation->count);
    for (size_t i = 0; actions && i < operation->count; i++)
        PyTuple_SetItem(actions, (Py_ssize_t)i, action_of(model, operation->requests.actions[i]));
    return actions;
}

static PyObject *operation_say(const jbw_operation *operation)
{
    if (operation->kind == JBW_OPERATION_ACT) return Py_BuildValue("(i)", operation->say);
    if (operation->kind != JBW_OPERATION_ACT_TOGETHER) return tuple_of(0);
    PyObject *say = tuple_of(operation->count);
    for (size_t i = 0; say && i < operation->count; i++)
        PyTuple_SetItem(say, (Py_ssize_t)i,
                        PyLong_FromLong(operation->requests.say ? operation->requests.say[i] : 0));
    return say;
}

static PyObject *operation_texts(const jbw_operation *operation)
{
    if (operation->kind == JBW_OPERATION_ACT || operation->kind == JBW_OPERATION_PLACE_ITEM)
        return Py_BuildValue("(z)", operation->text);
    if (operation->kind != JBW_OPERATION_ACT_TOGETHER) return tuple_of(0);
    const char *const *texts = operation->requests.texts;
    PyObject *all = tuple_of(operation->count);
    for (size_t i = 0; all && i < operation->count; i++)
        PyTuple_SetItem(all, (Py_ssize_t)i,
                        texts && texts[i] ? PyUnicode_FromString(texts[i]) : core_new(Py_None));
    return all;
}

static PyObject *operation_positions(const jbw_operation *operation)
{
    switch (operation->kind) {
    case JBW_OPERATION_PLACE_ITEM:
    case JBW_OPERATION_REMOVE_ITEM:
    case JBW_OPERATION_FINALIZE_PATCH:
        return Py_BuildValue("(N)", core_from_position(operation->position));
    case JBW_OPERATION_ADD_AGENT:
        if (!operation->options.has_position) return tuple_of(0);
        return Py_BuildValue("(N)", core_from_position(operation->options.position));
    case JBW_OPERATION_EXPLORE: break;
    default: return tuple_of(0);
    }
    PyObject *positions = tuple_of(operation->count);
    for (size_t i = 0; positions && i < operation->count; i++)
        PyTuple_SetItem(positions, (Py_ssize_t)i, core_from_position(operation->positions[i]));
    return positions;
}

PyObject *core_operation_make(core_state *state, const jbw_world *world,
                              const jbw_operation *operation)
{
    const jbw_model *model = jbw_world_model(world);
    const bool places = operation->kind == JBW_OPERATION_PLACE_ITEM;
    const bool activates = operation->kind == JBW_OPERATION_SET_ACTIVE;
    PyObject *values[9] = {
        PyUnicode_FromString(kind_name(operation->kind)),
        PyLong_FromUnsignedLongLong(jbw_world_time(world)),
        operation_agents(operation),
        operation_actions(model, operation),
        places ? PyUnicode_FromString(jbw_model_item_name(model, operation->item_type))
               : core_new(Py_None),
        activates ? PyBool_FromLong(operation->is_active) : core_new(Py_None),
        operation_positions(operation),
        operation_say(operation),
        operation_texts(operation),
    };
    return core_sequence(state->Operation, values, 9);
}
