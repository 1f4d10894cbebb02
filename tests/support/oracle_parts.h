// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What the oracle's files share among themselves.
#ifndef JBW_TESTS_ORACLE_PARTS_H
#define JBW_TESTS_ORACLE_PARTS_H

#include "support/oracle.h"

/// Notes a problem, unless there is one already: later ones are mostly its consequences.
JBW_PRINTF(2, 3) void oracle_tell(oracle *o, const char *format, ...);

/// Gives back what it gets, which must not be NULL.
void *oracle_checked(void *memory);

bool oracle_is_same(jbw_position a, jbw_position b);
bool oracle_is_inside(const oracle *o, jbw_position cell);
size_t oracle_cell_index(const oracle *o, jbw_position cell);

/// Does an item keep agents out of the cell?
bool oracle_is_blocked(const oracle *o, jbw_position cell);

/// From now on something is there that was not generated, or the other way round.
void oracle_set_item(oracle *o, jbw_position cell, uint8_t item);

/// All that agents need where they are now must be final.
void oracle_expect_all_needs(oracle *o);

/// Takes over what has been generated since.
void oracle_learn(oracle *o, bool is_thorough);

/// The cell that lies so far ahead of an agent and to its right.
jbw_position oracle_cell_from(const oracle_agent *agent, int64_t ahead, int64_t right);

/// The result of an agent that did nothing.
jbw_agent_result oracle_blank_result(const oracle_agent *agent);

/// Lets what has changed spread for one step of time.
void oracle_advance_scent(oracle *o);

#endif
