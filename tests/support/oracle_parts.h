// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What the files of the oracle share.
#ifndef JBW_TESTS_ORACLE_PARTS_H
#define JBW_TESTS_ORACLE_PARTS_H

#include "support/oracle.h"

/// Reports a problem, unless there is one already: later ones are mostly consequences.
JBW_PRINTF(2, 3) void oracle_tell(oracle *o, const char *format, ...);

/// Returns its argument; aborts if it is NULL.
void *oracle_checked(void *memory);

bool oracle_is_same(jbw_position a, jbw_position b);
bool oracle_is_inside(const oracle *o, jbw_position cell);
size_t oracle_cell_index(const oracle *o, jbw_position cell);

/// The body of an agent, or NULL if it has that of all agents.
const jbw_body *oracle_body(const oracle *o, const oracle_agent *agent);

/// The largest vision range that an agent of this world can have.
int64_t oracle_frame_range(const oracle *o);

/// Whether items of this kind (type + 1) are there for agents at a time, which may be negative.
bool oracle_is_in_season(const oracle *o, uint8_t item, int64_t time);

/// What agents find in a cell that holds `item`: the same, or 0 if it is out of season.
uint8_t oracle_visible(const oracle *o, uint8_t item);

/// The scent of items with seasons, from long before time zero to zero, and for the present time.
void oracle_begin_seasons(oracle *o);
void oracle_advance_seasons(oracle *o);

/// How much of a unit of scent a generated item spreads to an offset.
double oracle_generated_share(const oracle *o, uint8_t item, int64_t dx, int64_t dy);

/// Whether an item blocks the cell.
bool oracle_is_blocked(const oracle *o, jbw_position cell);

/// Changes what a cell holds; zero is nothing.
void oracle_set_item(oracle *o, jbw_position cell, uint8_t item);

/// An item was collected, and may grow back.
void oracle_begin_growth(oracle *o, jbw_position cell, uint8_t item);

/// What is due is there again, unless something lies in its cell.
void oracle_regrow(oracle *o);

/// Compares what the world says that grows in a cell.
void oracle_compare_growth(oracle *o, jbw_position cell, uint8_t found);

/// Whether an item of this type can carry a text, which is NULL if there is none.
bool oracle_can_write(const oracle *o, const char *item, const char *text);

/// Sets the text in a cell; NULL for none.
void oracle_set_text(oracle *o, jbw_position cell, const char *text);

/// Everybody hears everybody else nearby, when a step ends.
void oracle_hear(oracle *o);

/// Compares what an agent says, hears, writes and reads.
void oracle_compare_words(oracle *o, const oracle_agent *agent);

/// The patches that agents need must be final.
void oracle_expect_all_needs(oracle *o);

/// Reads what was generated since.
void oracle_learn(oracle *o, bool is_thorough);

/// The cell that far ahead of an agent and to its right.
jbw_position oracle_cell_from(const oracle_agent *agent, int64_t ahead, int64_t right);

/// The result of an agent that did nothing.
jbw_agent_result oracle_blank_result(const oracle_agent *agent);

/// Compares a scent that was found.
void oracle_check_scent(oracle *o, jbw_position cell, const float *found);

/// Lets the scent of changes spread for one step.
void oracle_advance_scent(oracle *o);

#endif
