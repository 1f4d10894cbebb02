// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Which agents move in a step, and who gets a cell that several of them want.
///
///     aim             each agent that requested a move aims at a neighboring cell, unless an item
///                     or the end of the world blocks it
///     choose winners  of all agents that aim at a cell, one wins
///     hold cells      an agent that stays blocks the one that aims at its cell, which then stays
///                     as well, and so on
///
///     A > B > C       all three move        A > B > C |       C is blocked by a wall, so B is
///                                                             blocked by C, and A by B
///
/// Only `target`, `is_moving` and `next_result` of the agents are written, so a step can still fail
/// afterwards without a trace.
#ifndef JBW_SIM_WORLD_STEP_MOVES_H
#define JBW_SIM_WORLD_STEP_MOVES_H

#include "sim/model/model.h"

typedef struct jbw_contest jbw_contest;

/// Scratch memory, reused by every step.
typedef struct jbw_step_moves {
    uint32_t *staying; // slots of agents that stay
    size_t staying_capacity;
    jbw_contest *contests; // a hash table of the cells that agents aim at, at most half full
    size_t contest_capacity;
} jbw_step_moves;

void jbw_step_moves_deinit(jbw_step_moves *moves, const jbw_allocator *allocator);

/// Makes room for the moves of this many agents. False when memory runs out.
bool jbw_step_moves_reserve(jbw_step_moves *moves, size_t agent_count,
                            const jbw_allocator *allocator);

/// Resolves the moves of the world's next step. `acting` are the slots of all agents with a
/// request, in the order of their requests. There must be room for all agents of the world.
void jbw_step_moves_resolve(jbw_world *world, const uint32_t *acting, size_t acting_count);

#endif
