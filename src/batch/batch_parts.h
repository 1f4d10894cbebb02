// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What the files of a batch share. The threads are those of thread/workers.h.
///
///     batch.c        worlds on threads, their rows, steps
///     batch_seats.c  agents that leave and join
///     batch_live.c   agents that live by policies
///     batch_places.c where worlds lie in memory
///     batch_words.c  what agents say and write with their actions
#ifndef JBW_BATCH_BATCH_PARTS_H
#define JBW_BATCH_BATCH_PARTS_H

#include "batch/batch_places.h"
#include "jbw/batch.h"
#include "thread/workers.h"

/// What threads do with a world.
typedef enum jbw_batch_task {
    JBW_BATCH_BEGIN,
    JBW_BATCH_STEP,
    JBW_BATCH_LIVE,
} jbw_batch_task;

/// What `jbw_batch_live` was asked for.
typedef struct jbw_batch_life {
    jbw_policy *const *policies;
    uint64_t steps;
    double *totals;
} jbw_batch_life;

/// What agents say and write with their next actions, by row. Batches of worlds in which nothing can be
/// said and written have none of this memory.
typedef struct jbw_batch_words {
    int symbols;
    int *say;       // (agent_count): symbols, or 0; NULL without a voice
    int *taken_say; // (agent_count): those of the step in progress, of agents that are there
    char *texts;    // (agent_count x (JBW_MAX_TEXT + 1)): each waits for a drop; or NULL
    const char **taken_texts; // (agent_count): those of the step in progress
} jbw_batch_words;

/// One world and its rows.
typedef struct jbw_batch_entry {
    const jbw_model *model;
    const jbw_reward *reward;
    jbw_status (*prepare)(jbw_world *world, void *user); // a new world; or NULL
    void *prepare_user;
    const int *bodies; // (agent_count), or NULL
    uint64_t seed;
    jbw_world *world;
    size_t first_row;
    size_t agent_count;
    jbw_observation first_parts; // where the parts of the first row go
    size_t absent_count;         // rows without an agent
    jbw_status status;           // of the latest task
    bool is_away;                // sent, and not received yet
} jbw_batch_entry;

struct jbw_batch {
    jbw_allocator allocator;
    jbw_batch_buffers buffers;
    size_t counts[JBW_PART_COUNT]; // elements in a row of each part
    int action_count;
    jbw_batch_entry *entries; // (world_count)
    size_t world_count;
    size_t away_count;
    jbw_batch_places places;
    jbw_agent_id *agents;  // (agent_count)
    jbw_agent_id *present; // (agent_count): those of a world that are there; NULL until one is not
    int *requests;         // (agent_count): their actions
    int *actions;          // (agent_count): of the step in progress
    int *teams;            // (agent_count): NULL if all agents of each world are one team
    const jbw_reward **own_rewards; // (agent_count): NULL if all agents of each world have the same
    double *shares;                 // (agent_count): what own rewards pay to others
    double *rewards;                // (agent_count): of the step in progress
    jbw_observation *seen; // (agent_count): of a policy that all share; NULL until there is one
    size_t agent_count;
    jbw_batch_words words;
    jbw_batch_task task; // changes only while no thread works
    jbw_batch_life life; // of JBW_BATCH_LIVE
    jbw_workers *workers;
};

/// Whether a row has no agent: it has left, and none has joined.
static inline bool jbw_batch_is_absent(const jbw_batch *batch, size_t row)
{
    return batch->agents[row].index1 == 0;
}

/// Where the parts of a row go that lies `rows` behind another one.
jbw_observation jbw_batch_row_behind(const jbw_batch *batch, const jbw_observation *parts,
                                     size_t rows);

/// Writes a row without an agent: zeros, and -1 for what it collected.
void jbw_batch_clear_row(const jbw_batch *batch, const jbw_observation *parts);

/// Room for what the step of a world with empty rows needs. False when memory runs out.
bool jbw_batch_reserve_seats(jbw_batch *batch);

/// Lets those agents of a world act that are there.
jbw_status jbw_batch_act_present(jbw_batch *batch, const jbw_batch_entry *e, bool *has_stepped);

/// Destroys the world of an entry, if it has one.
void jbw_batch_destroy_world(jbw_batch *batch, jbw_batch_entry *e);

/// Asks for large pages where worlds and their maps are.
void jbw_batch_join_pages(const jbw_batch *batch);

/// The entry of a world that is not away, or NULL.
jbw_batch_entry *jbw_batch_find_idle(jbw_batch *batch, size_t index);

/// Makes room for words, if worlds of the model have any. False when memory runs out.
bool jbw_batch_words_init(jbw_batch *batch, const jbw_model *model);
void jbw_batch_words_deinit(jbw_batch *batch);

/// The requests of those agents of a world that are there, whose actions these are.
jbw_requests jbw_batch_take_words(jbw_batch *batch, const jbw_batch_entry *e, const int *actions);

/// Forgets words of a world: those that its step has used, or all of them.
void jbw_batch_forget_words(jbw_batch *batch, const jbw_batch_entry *e, bool has_stepped);

/// The entry of the world of a row if it is not away, or NULL.
jbw_batch_entry *jbw_batch_find_world_of(jbw_batch *batch, size_t row);

/// Writes the rewards of a world's agents for the latest step.
void jbw_batch_find_rewards(const jbw_batch *batch, const jbw_batch_entry *e, double *out);

/// Writes the rows of a world. This cannot fail: the agents exist, and scent has its memory.
void jbw_batch_write_rows(const jbw_batch *batch, const jbw_batch_entry *e);

/// One step with the actions of the world's rows.
jbw_status jbw_batch_act(jbw_batch *batch, const jbw_batch_entry *e);

/// What JBW_BATCH_LIVE does with a world.
jbw_status jbw_batch_live_world(jbw_batch *batch, const jbw_batch_entry *e);

/// The failed world with the lowest index, whichever failed first; NULL if none has failed.
const jbw_batch_entry *jbw_batch_find_failure(const jbw_batch *batch);

#endif
