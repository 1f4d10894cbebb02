// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Agents of a batch that live by policies: one for each of them, or one for all.

#include <string.h>

#include "base/alloc.h"
#include "batch/batch_parts.h"

// ---- a policy for each ----

static jbw_status live_step(jbw_batch *batch, const jbw_batch_entry *e)
{
    const size_t end = e->first_row + e->agent_count;
    for (size_t row = e->first_row; row < end; row++) {
        if (jbw_batch_is_absent(batch, row)) continue;
        jbw_policy *policy = batch->life.policies[row];
        int action;
        const jbw_status status = jbw_policy_choose(policy, e->world, batch->agents[row], &action);
        if (status) return status;
        batch->actions[row] = action;
    }
    const jbw_status status = jbw_batch_act(batch, e);
    if (status) return status;
    jbw_batch_find_rewards(batch, e, batch->rewards + e->first_row);
    for (size_t row = e->first_row; row < end; row++) {
        if (jbw_batch_is_absent(batch, row)) continue;
        jbw_policy_reward(batch->life.policies[row], batch->rewards[row]);
        if (batch->life.totals) batch->life.totals[row] += batch->rewards[row];
    }
    return JBW_OK;
}

jbw_status jbw_batch_live_world(jbw_batch *batch, const jbw_batch_entry *e)
{
    jbw_status status = JBW_OK;
    for (size_t i = 0; batch->life.totals && i < e->agent_count; i++)
        batch->life.totals[e->first_row + i] = 0.0;
    for (uint64_t i = 0; i < batch->life.steps && !status; i++) status = live_step(batch, e);
    jbw_batch_write_rows(batch, e);
    return status;
}

// each once, since threads may not share one
static bool are_policies(jbw_policy *const *policies, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!policies[i] || jbw_policy_agent_count(policies[i]) != 1) return false;
        for (size_t k = 0; k < i; k++)
            if (policies[k] == policies[i]) return false;
    }
    return true;
}

jbw_status jbw_batch_live(jbw_batch *batch, jbw_policy *const *policies, uint64_t steps,
                          double *totals)
{
    if (!batch || !policies || batch->away_count > 0 || !are_policies(policies, batch->agent_count))
        return JBW_INVALID_ARGUMENT;
    batch->life = (jbw_batch_life){.policies = policies, .steps = steps, .totals = totals};
    batch->task = JBW_BATCH_LIVE;
    jbw_workers_run(batch->workers);
    batch->task = JBW_BATCH_STEP;
    const jbw_batch_entry *failed = jbw_batch_find_failure(batch);
    return failed ? failed->status : JBW_OK;
}

// ---- one policy for all ----

// the choice becomes the actions of the next step
static jbw_status choose(jbw_batch *batch, jbw_policy *policy)
{
    if (!batch->seen)
        batch->seen = jbw_alloc_zero(&batch->allocator, batch->agent_count, sizeof *batch->seen);
    if (!batch->seen) return JBW_OUT_OF_MEMORY;
    for (size_t i = 0; i < batch->world_count; i++) {
        const jbw_batch_entry *e = &batch->entries[i];
        for (size_t row = e->first_row; row < e->first_row + e->agent_count; row++) {
            batch->seen[row] = jbw_policy_wants_for(policy, row);
            const jbw_status status =
                jbw_agent_observe(e->world, batch->agents[row], &batch->seen[row]);
            if (status) return status;
        }
    }
    jbw_policy_act_all(policy, jbw_world_time(batch->entries[0].world), batch->seen,
                       batch->actions);
    return JBW_OK;
}

static bool can_share(const jbw_batch *batch, const jbw_policy *policy)
{
    for (size_t i = 0; batch && i < batch->world_count; i++)
        if (batch->entries[i].absent_count > 0) return false;
    return batch && policy && batch->away_count == 0 &&
           jbw_policy_agent_count(policy) == batch->agent_count;
}

jbw_status jbw_batch_choose(jbw_batch *batch, jbw_policy *policy, int32_t *actions)
{
    if (!actions || !can_share(batch, policy)) return JBW_INVALID_ARGUMENT;
    const jbw_status status = choose(batch, policy);
    for (size_t row = 0; !status && row < batch->agent_count; row++)
        actions[row] = batch->actions[row];
    return status;
}

static jbw_status share_step(jbw_batch *batch, jbw_policy *policy)
{
    const jbw_status status = choose(batch, policy);
    if (status) return status;
    jbw_workers_run(batch->workers);
    const jbw_batch_entry *failed = jbw_batch_find_failure(batch);
    if (failed) return failed->status;
    for (size_t i = 0; i < batch->world_count; i++)
        jbw_batch_find_rewards(batch, &batch->entries[i],
                               batch->rewards + batch->entries[i].first_row);
    jbw_policy_reward_all(policy, batch->rewards);
    return JBW_OK;
}

jbw_status jbw_batch_share(jbw_batch *batch, jbw_policy *policy, uint64_t steps, double *totals)
{
    if (!can_share(batch, policy)) return JBW_INVALID_ARGUMENT;
    jbw_status status = JBW_OK;
    const size_t count = batch->agent_count;
    if (totals) memset(totals, 0, count * sizeof *totals);
    for (uint64_t i = 0; i < steps && !status; i++) {
        status = share_step(batch, policy);
        for (size_t row = 0; totals && !status && row < count; row++)
            totals[row] += batch->rewards[row];
    }
    return status;
}
