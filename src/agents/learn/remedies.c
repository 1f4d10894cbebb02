// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "agents/learn/remedies.h"

#include "agents/learn/l2_init.h"
#include "agents/learn/save.h"
#include "agents/learn/shrink_perturb.h"

// names of streams, beside those of the learners
enum { STREAM_SHRINK = 3, STREAM_REPLACEMENT = 4 };

jbw_remedy_options jbw_remedy_default_options(void)
{
    return (jbw_remedy_options){
        .shrink = 0.999,
        .perturb = 0.001,
        .utility_decay = 0.99,
        .maturity = 100,
    };
}

// ---- beginning and ending ----

// an array of weights, if it is wanted
static bool init_weights(float **array, bool is_wanted, size_t count,
                         const jbw_allocator *allocator)
{
    if (is_wanted) *array = jbw_alloc_zero(allocator, count, sizeof **array);
    return !is_wanted || *array;
}

bool jbw_remedies_init(jbw_remedies *r, const jbw_remedy_options *o, const jbw_network *network,
                       uint64_t seed, const jbw_allocator *allocator)
{
    const size_t count = network->parameters.count;
    *r = (jbw_remedies){
        .options = *o,
        .count = count,
        .rng = jbw_rng_open(seed, STREAM_SHRINK, 0, JBW_PURPOSE_LEARNER),
        .replacement = {.rate = o->replacement_rate,
                        .decay = o->utility_decay,
                        .maturity = o->maturity,
                        .rng = jbw_rng_open(seed, STREAM_REPLACEMENT, 0, JBW_PURPOSE_LEARNER)},
    };
    if (!init_weights(&r->initial, o->l2_init > 0.0, count, allocator) ||
        !init_weights(&r->fresh, o->shrink_interval > 0, count, allocator) ||
        !init_weights(&r->before, o->plasticity_interval > 0, count, allocator))
        return false;
    if (r->initial) memcpy(r->initial, network->parameters.weights, count * sizeof(float));
    return o->replacement_rate <= 0.0 ||
           jbw_continual_backprop_init(&r->replacement, network, allocator);
}

void jbw_remedies_deinit(jbw_remedies *r, const jbw_allocator *allocator)
{
    jbw_free(allocator, r->initial, r->count * sizeof(float));
    jbw_free(allocator, r->fresh, r->count * sizeof(float));
    jbw_free(allocator, r->before, r->count * sizeof(float));
    jbw_continual_backprop_deinit(&r->replacement, allocator);
    *r = (jbw_remedies){0};
}

// ---- learning ----

static bool is_time(int interval, uint64_t update)
{
    return interval > 0 && (update + 1) % (uint64_t)interval == 0;
}

void jbw_remedies_before_update(jbw_remedies *r, const jbw_network *network, uint64_t update)
{
    if (is_time(r->options.plasticity_interval, update))
        memcpy(r->before, network->parameters.weights, r->count * sizeof(float));
}

void jbw_remedies_before_step(jbw_remedies *r, jbw_network *network)
{
    if (r->initial) jbw_l2_init_add(r->options.l2_init, r->initial, &network->parameters);
}

void jbw_remedies_after_step(jbw_remedies *r, jbw_network *network, const jbw_network_pass *pass,
                             int rows)
{
    // gradients that nothing depends on are never set, and must stay zero
    if (r->initial) memset(network->parameters.gradients, 0, r->count * sizeof(float));
    if (r->options.replacement_rate > 0.0)
        jbw_continual_backprop_step(&r->replacement, network, pass, rows);
}

void jbw_remedies_after_update(jbw_remedies *r, const jbw_nn *nn, jbw_network *network,
                               const jbw_network_pass *pass, int rows, uint64_t update)
{
    const jbw_remedy_options *o = &r->options;
    if (is_time(o->shrink_interval, update))
        jbw_shrink_perturb(o->shrink, o->perturb, network, r->fresh, &r->rng);
    if (is_time(o->plasticity_interval, update))
        r->plasticity = jbw_plasticity_measure(nn, network, pass, rows, r->before);
}

bool jbw_remedies_metric(const jbw_remedies *r, size_t index, jbw_policy_metric *out)
{
    const jbw_plasticity *p = &r->plasticity;
    const jbw_policy_metric metrics[] = {
        {"dormant", p->dormant},         {"effective_rank", p->effective_rank},
        {"stable_rank", p->stable_rank}, {"weight_norm", p->weight_norm},
        {"update_norm", p->update_norm}, {"replaced", (double)r->replacement.replaced},
    };
    if (r->options.plasticity_interval == 0 || index >= sizeof metrics / sizeof *metrics)
        return false;
    *out = metrics[index];
    return true;
}

// ---- saving ----

static void save_replacement(const jbw_continual_backprop *cbp, jbw_writer *writer)
{
    jbw_write_rng(writer, &cbp->rng);
    jbw_write_varint(writer, cbp->replaced);
    for (int i = 0; i < JBW_LAYER_COUNT; i++) jbw_write_double(writer, cbp->owed[i]);
    for (size_t i = 0; i < cbp->unit_count; i++) {
        jbw_write_double(writer, cbp->utilities[i]);
        jbw_write_varint(writer, cbp->ages[i]);
    }
}

static void load_replacement(jbw_continual_backprop *cbp, jbw_reader *reader)
{
    cbp->rng = jbw_read_rng(reader);
    cbp->replaced = jbw_read_varint(reader);
    for (int i = 0; i < JBW_LAYER_COUNT; i++) cbp->owed[i] = jbw_read_double(reader);
    for (size_t i = 0; i < cbp->unit_count; i++) {
        cbp->utilities[i] = jbw_read_double(reader);
        cbp->ages[i] = jbw_read_varint(reader);
    }
}

void jbw_remedies_save(const jbw_remedies *r, jbw_writer *writer)
{
    const jbw_plasticity *p = &r->plasticity;
    const double figures[] = {p->dormant, p->effective_rank, p->stable_rank, p->weight_norm,
                              p->update_norm};
    if (r->initial) jbw_write_floats(writer, r->initial, r->count);
    if (r->fresh) jbw_write_rng(writer, &r->rng);
    if (r->options.replacement_rate > 0.0) save_replacement(&r->replacement, writer);
    for (size_t i = 0; r->before && i < sizeof figures / sizeof *figures; i++)
        jbw_write_double(writer, figures[i]);
}

void jbw_remedies_load(jbw_remedies *r, jbw_reader *reader)
{
    jbw_plasticity *p = &r->plasticity;
    double *const figures[] = {&p->dormant, &p->effective_rank, &p->stable_rank, &p->weight_norm,
                               &p->update_norm};
    if (r->initial) jbw_read_floats(reader, r->initial, r->count);
    if (r->fresh) r->rng = jbw_read_rng(reader);
    if (r->options.replacement_rate > 0.0) load_replacement(&r->replacement, reader);
    for (size_t i = 0; r->before && i < sizeof figures / sizeof *figures; i++)
        *figures[i] = jbw_read_double(reader);
}
