// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "twin_learner.h"

#include <math.h>
#include <stdlib.h>

enum { SENSE = 512, HIDDEN = 32, CHANNELS = 16 };

// ---- shapes ----

typedef struct shapes {
    int side1, side2; // of the pictures after the convolutions
    int features;
    int seen;                                                        // by the heads
    size_t conv1, conv2, vision, scent1, scent2, lstm, heads, count; // where weights begin
} shapes;

static shapes shapes_of(const twin_network *n)
{
    shapes s = {0};
    size_t at = 0;
    s.side1 = n->side > 0 ? (n->side - 3) / 2 + 1 : 0;
    s.side2 = n->side > 0 ? s.side1 - 1 : 0;
    s.conv1 = at;
    if (n->side > 0) at += (size_t)(9 * n->colors + 1) * CHANNELS;
    s.conv2 = at;
    if (n->side > 0) at += (size_t)(4 * CHANNELS + 1) * CHANNELS;
    s.vision = at;
    if (n->side > 0) at += (size_t)(s.side2 * s.side2 * CHANNELS + 1) * SENSE;
    s.scent1 = at;
    if (n->scents > 0) at += (size_t)(n->scents + 1) * HIDDEN;
    s.scent2 = at;
    if (n->scents > 0) at += (size_t)(HIDDEN + 1) * SENSE;
    s.features = (n->side > 0 ? SENSE : 0) + (n->scents > 0 ? SENSE : 0) + n->has_moved;
    s.lstm = at;
    at += (size_t)(s.features + n->lstm + 1) * 4 * (size_t)n->lstm;
    s.heads = at;
    s.seen = n->lstm + (n->heads_see_features ? s.features : 0);
    at += (size_t)(s.seen + 1) * (size_t)(n->actions + 1);
    s.count = at;
    return s;
}

size_t twin_weight_count(const twin_network *network)
{
    return shapes_of(network).count;
}

// ---- layers, forward and backward ----

static double activate(const twin_network *n, double x)
{
    if (!n->is_gelu) return x > 0.0 ? x : 0.0;
    return 0.5 * x * (1.0 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
}

static double activate_slope(const twin_network *n, double x)
{
    if (!n->is_gelu) return x > 0.0 ? 1.0 : 0.0;
    const double t = tanh(0.7978845608028654 * (x + 0.044715 * x * x * x));
    const double inner = 0.7978845608028654 * (1.0 + 3.0 * 0.044715 * x * x);
    return 0.5 * (1.0 + t) + 0.5 * x * (1.0 - t * t) * inner;
}

static void dense(int in, int out, const double *w, const double *x, double *y)
{
    for (int j = 0; j < out; j++) y[j] = w[(size_t)in * (size_t)out + (size_t)j];
    for (int i = 0; i < in; i++)
        for (int j = 0; j < out; j++) y[j] += x[i] * w[(size_t)i * (size_t)out + (size_t)j];
}

// adds to dw and dx; dx may be NULL
static void dense_back(int in, int out, const double *w, const double *x, const double *dy,
                       double *dw, double *dx)
{
    for (int j = 0; j < out; j++) dw[(size_t)in * (size_t)out + (size_t)j] += dy[j];
    for (int i = 0; i < in; i++)
        for (int j = 0; j < out; j++) {
            const size_t at = (size_t)i * (size_t)out + (size_t)j;
            dw[at] += x[i] * dy[j];
            if (dx) dx[i] += w[at] * dy[j];
        }
}

// the numbers under one place of a filter
static void look(int side, int channels, int size, int y, int x, const double *picture, double *to)
{
    for (int a = 0; a < size; a++)
        for (int b = 0; b < size; b++)
            for (int c = 0; c < channels; c++)
                *to++ = picture[((y + a) * side + x + b) * channels + c];
}

static void conv(int side, int channels, int size, int stride, int out_side, const double *w,
                 const double *x, double *y)
{
    double field[9 * 64];
    for (int i = 0; i < out_side; i++)
        for (int j = 0; j < out_side; j++) {
            look(side, channels, size, i * stride, j * stride, x, field);
            dense(size * size * channels, CHANNELS, w, field, y + (i * out_side + j) * CHANNELS);
        }
}

static void conv_back(int side, int channels, int size, int stride, int out_side, const double *w,
                      const double *x, const double *dy, double *dw, double *dx)
{
    double field[9 * 64];
    for (int i = 0; i < out_side; i++)
        for (int j = 0; j < out_side; j++) {
            double back[9 * 64] = {0};
            look(side, channels, size, i * stride, j * stride, x, field);
            dense_back(size * size * channels, CHANNELS, w, field,
                       dy + (i * out_side + j) * CHANNELS, dw, dx ? back : NULL);
            const double *from = back;
            for (int a = 0; dx && a < size; a++)
                for (int b = 0; b < size; b++)
                    for (int c = 0; c < channels; c++)
                        dx[((i * stride + a) * side + j * stride + b) * channels + c] += *from++;
        }
}

// ---- one row ----

// everything that one row computes; sums are before activations
typedef struct row {
    double *vision, *sums1, *out1, *sums2, *out2;
    double *scent, *sums3, *out3;
    double *feature_sums, *input; // features, then hidden before
    double *gates;                // after their activations
    double *cell_before, *cell, *hidden;
    double *seen, *heads, *heads_back;
} row;

// the parts of a row in a block of memory; with `block` NULL it only counts
static size_t lay_out(const twin_network *n, const shapes *s, double *block, row *r)
{
    const int picture = n->side * n->side * n->colors;
    const int one = s->side1 * s->side1 * CHANNELS;
    const int two = s->side2 * s->side2 * CHANNELS;
    const struct {
        double **at;
        int count;
    } parts[] = {
        {&r->vision, picture},
        {&r->sums1, one},
        {&r->out1, one},
        {&r->sums2, two},
        {&r->out2, two},
        {&r->scent, n->scents},
        {&r->sums3, HIDDEN},
        {&r->out3, HIDDEN},
        {&r->feature_sums, s->features},
        {&r->input, s->features + n->lstm},
        {&r->gates, 4 * n->lstm},
        {&r->cell_before, n->lstm},
        {&r->cell, n->lstm},
        {&r->hidden, n->lstm},
        {&r->seen, s->seen},
        {&r->heads, n->actions + 1},
        {&r->heads_back, n->actions + 1},
    };
    size_t used = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (block) *parts[i].at = block + used;
        used += (size_t)parts[i].count;
    }
    return used;
}

static void perceive(const twin_network *n, const shapes *s, const double *w, const row *r,
                     double moved)
{
    double *sums = r->feature_sums;
    if (n->side > 0) {
        conv(n->side, n->colors, 3, 2, s->side1, w + s->conv1, r->vision, r->sums1);
        for (int i = 0; i < s->side1 * s->side1 * CHANNELS; i++)
            r->out1[i] = activate(n, r->sums1[i]);
        conv(s->side1, CHANNELS, 2, 1, s->side2, w + s->conv2, r->out1, r->sums2);
        for (int i = 0; i < s->side2 * s->side2 * CHANNELS; i++)
            r->out2[i] = activate(n, r->sums2[i]);
        dense(s->side2 * s->side2 * CHANNELS, SENSE, w + s->vision, r->out2, sums);
        sums += SENSE;
    }
    if (n->scents > 0) {
        dense(n->scents, HIDDEN, w + s->scent1, r->scent, r->sums3);
        for (int i = 0; i < HIDDEN; i++) r->out3[i] = activate(n, r->sums3[i]);
        dense(HIDDEN, SENSE, w + s->scent2, r->out3, sums);
        sums += SENSE;
    }
    if (n->has_moved) *sums = moved;
    for (int i = 0; i < s->features; i++) {
        const bool is_moved = n->has_moved && i == s->features - 1;
        r->input[i] = is_moved && !n->moved_is_activated ? moved : activate(n, r->feature_sums[i]);
    }
}

static double sigmoid(double x)
{
    return 1.0 / (1.0 + exp(-x));
}

static void remember(const twin_network *n, const shapes *s, const double *w, const row *r)
{
    const int size = n->lstm;
    dense(s->features + size, 4 * size, w + s->lstm, r->input, r->gates);
    for (int i = 0; i < size; i++) {
        const double in = r->gates[i] = sigmoid(r->gates[i]);
        const double candidate = r->gates[size + i] = tanh(r->gates[size + i]);
        const double forget = r->gates[2 * size + i] = sigmoid(r->gates[2 * size + i]);
        const double out = r->gates[3 * size + i] = sigmoid(r->gates[3 * size + i]);
        r->cell[i] = forget * r->cell_before[i] + in * candidate;
        r->hidden[i] = out * tanh(r->cell[i]);
    }
    int at = 0;
    for (int i = 0; n->heads_see_features && i < s->features; i++) r->seen[at++] = r->input[i];
    for (int i = 0; i < size; i++) r->seen[at++] = n->heads_see_cell ? r->cell[i] : r->hidden[i];
    dense(s->seen, n->actions + 1, w + s->heads, r->seen, r->heads);
}

static void perceive_back(const twin_network *n, const shapes *s, const double *w, const row *r,
                          double *back, double *dw, double *scratch)
{
    const int one = s->side1 * s->side1 * CHANNELS;
    const int two = s->side2 * s->side2 * CHANNELS;
    for (int i = 0; i < s->features; i++) back[i] *= activate_slope(n, r->feature_sums[i]);
    if (n->side > 0) {
        double *back2 = scratch;
        double *back1 = scratch + two;
        for (int i = 0; i < one + two; i++) scratch[i] = 0.0;
        dense_back(two, SENSE, w + s->vision, r->out2, back, dw + s->vision, back2);
        for (int i = 0; i < two; i++) back2[i] *= activate_slope(n, r->sums2[i]);
        conv_back(s->side1, CHANNELS, 2, 1, s->side2, w + s->conv2, r->out1, back2, dw + s->conv2,
                  back1);
        for (int i = 0; i < one; i++) back1[i] *= activate_slope(n, r->sums1[i]);
        conv_back(n->side, n->colors, 3, 2, s->side1, w + s->conv1, r->vision, back1, dw + s->conv1,
                  NULL);
        back += SENSE;
    }
    if (n->scents > 0) {
        double back3[HIDDEN] = {0};
        dense_back(HIDDEN, SENSE, w + s->scent2, r->out3, back, dw + s->scent2, back3);
        for (int i = 0; i < HIDDEN; i++) back3[i] *= activate_slope(n, r->sums3[i]);
        dense_back(n->scents, HIDDEN, w + s->scent1, r->scent, back3, dw + s->scent1, NULL);
    }
}

// `hidden_back` and `cell_back` come from the next row, and become what goes to the row before
static void row_back(const twin_network *n, const shapes *s, const double *w, const row *r,
                     double *hidden_back, double *cell_back, double *dw, double *scratch)
{
    const int size = n->lstm;
    double *seen_back = scratch;
    double *gates_back = seen_back + s->seen;
    double *input_back = gates_back + (ptrdiff_t)4 * size;
    double *rest = input_back + s->features + size;
    for (double *at = scratch; at < rest; at++) *at = 0.0;
    dense_back(s->seen, n->actions + 1, w + s->heads, r->seen, r->heads_back, dw + s->heads,
               seen_back);
    const double *memory_back = seen_back + s->seen - size;
    for (int i = 0; i < size; i++) {
        const double in = r->gates[i];
        const double candidate = r->gates[size + i];
        const double forget = r->gates[2 * size + i];
        const double out = r->gates[3 * size + i];
        const double t = tanh(r->cell[i]);
        const double dh = hidden_back[i] + (n->heads_see_cell ? 0.0 : memory_back[i]);
        const double dc =
            cell_back[i] + dh * out * (1.0 - t * t) + (n->heads_see_cell ? memory_back[i] : 0.0);
        gates_back[i] = dc * candidate * in * (1.0 - in);
        gates_back[size + i] = dc * in * (1.0 - candidate * candidate);
        gates_back[2 * size + i] = dc * r->cell_before[i] * forget * (1.0 - forget);
        gates_back[3 * size + i] = dh * t * out * (1.0 - out);
        cell_back[i] = dc * forget;
    }
    dense_back(s->features + size, 4 * size, w + s->lstm, r->input, gates_back, dw + s->lstm,
               input_back);
    for (int i = 0; i < size; i++) hidden_back[i] = input_back[s->features + i];
    for (int i = 0; n->heads_see_features && i < s->features; i++) input_back[i] += seen_back[i];
    perceive_back(n, s, w, r, input_back, dw, rest);
}

// ---- the loss ----

static double log_of_sum(int count, const double *logits)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++) sum += exp(logits[i]);
    return log(sum);
}

static double divergence_of(const twin_network *n, const twin_rows *rows, const row *r, int t)
{
    const double *before = rows->probabilities + (ptrdiff_t)t * n->actions;
    const double *logs = rows->logarithms + (ptrdiff_t)t * n->actions;
    const double log_sum = log_of_sum(n->actions, r->heads);
    double sum = 0.0;
    for (int i = 0; i < n->actions; i++) sum += before[i] * (logs[i] - r->heads[i] + log_sum);
    return sum;
}

// the loss of a row, except the cutoff; fills its gradient
static double lose(const twin_network *n, const twin_loss *l, const twin_rows *rows, const row *r,
                   int t, double kl_slope)
{
    const double *before = rows->probabilities + (ptrdiff_t)t * n->actions;
    const double log_sum = log_of_sum(n->actions, r->heads);
    const int action = rows->actions[t];
    const double log_before = rows->logarithms[(ptrdiff_t)t * n->actions + action];
    const double ratio = exp(r->heads[action] - log_sum - log_before);
    const double advantage = rows->advantages[t];
    double limited = ratio;
    if (limited < 1.0 - l->clip) limited = 1.0 - l->clip;
    if (limited > 1.0 + l->clip) limited = 1.0 + l->clip;
    const bool is_plain = ratio * advantage <= limited * advantage;
    double entropy = 0.0;
    for (int i = 0; i < n->actions; i++)
        entropy -= exp(r->heads[i] - log_sum) * (r->heads[i] - log_sum);
    for (int i = 0; i < n->actions; i++) {
        const double p = exp(r->heads[i] - log_sum);
        const double chosen = i == action ? 1.0 : 0.0;
        r->heads_back[i] = (is_plain ? -ratio * advantage * (chosen - p) : 0.0) +
                           l->entropy_weight * p * (r->heads[i] - log_sum + entropy) +
                           kl_slope * (p - before[i]);
    }
    const double value = r->heads[n->actions];
    const double old = rows->values[t];
    double bounded = value;
    if (l->value_clip > 0.0 && bounded < old - l->value_clip) bounded = old - l->value_clip;
    if (l->value_clip > 0.0 && bounded > old + l->value_clip) bounded = old + l->value_clip;
    const double plain_error = value - rows->targets[t];
    const double bounded_error = bounded - rows->targets[t];
    const bool is_free = plain_error * plain_error >= bounded_error * bounded_error;
    const double weight = l->value_weight * (l->halves_value_loss ? 0.5 : 1.0);
    r->heads_back[n->actions] = is_free ? 2.0 * weight * plain_error : 0.0;
    const double worse = is_free ? plain_error * plain_error : bounded_error * bounded_error;
    return -(is_plain ? ratio : limited) * advantage + weight * worse -
           l->entropy_weight * entropy + l->kl_weight * divergence_of(n, rows, r, t);
}

// ---- all rows ----

static void compute(const twin_network *n, const shapes *s, const twin_rows *rows, const double *w,
                    const row *all)
{
    for (int t = 0; t < rows->count; t++) {
        const row *r = &all[t];
        const bool begins = t % rows->length == 0;
        const ptrdiff_t sequence = (ptrdiff_t)(t / rows->length) * n->lstm;
        const int picture = n->side * n->side * n->colors;
        for (int i = 0; i < picture; i++)
            r->vision[i] = (double)rows->vision[(ptrdiff_t)t * picture + i];
        for (int i = 0; i < n->scents; i++)
            r->scent[i] = (double)rows->scent[(ptrdiff_t)t * n->scents + i];
        for (int i = 0; i < n->lstm; i++) {
            r->input[s->features + i] = begins ? rows->hidden[sequence + i] : all[t - 1].hidden[i];
            r->cell_before[i] = begins ? rows->cell[sequence + i] : all[t - 1].cell[i];
        }
        perceive(n, s, w, r, (double)rows->moved[t]);
        remember(n, s, w, r);
    }
}

double twin_differentiate(const twin_network *n, const twin_loss *l, const twin_rows *rows,
                          const double *weights, double *gradients)
{
    const shapes s = shapes_of(n);
    row unused;
    const size_t row_size = lay_out(n, &s, NULL, &unused);
    const size_t scratch_size = (size_t)(s.seen + 6 * n->lstm + s.features) + 65536;
    double *block =
        calloc(row_size * (size_t)rows->count + scratch_size + 2 * (size_t)n->lstm, sizeof *block);
    row *all = calloc((size_t)rows->count, sizeof *all);
    double loss = block && all ? 0.0 : (double)NAN;
    for (int t = 0; block && all && t < rows->count; t++)
        lay_out(n, &s, block + row_size * (size_t)t, &all[t]);
    if (block && all) {
        double *scratch = block + row_size * (size_t)rows->count;
        double *hidden_back = scratch + scratch_size;
        double *cell_back = hidden_back + n->lstm;
        compute(n, &s, rows, weights, all);
        double beyond = 0.0;
        if (l->kl_cutoff > 0.0) {
            for (int t = 0; t < rows->count; t++)
                beyond += divergence_of(n, rows, &all[t], t) / rows->count;
            beyond = beyond > l->kl_cutoff ? beyond - l->kl_cutoff : 0.0;
        }
        const double slope = l->kl_weight + 2.0 * l->kl_cutoff_weight * beyond;
        for (int t = 0; t < rows->count; t++)
            loss += lose(n, l, rows, &all[t], t, slope) / rows->count;
        loss += l->kl_cutoff_weight * beyond * beyond;
        for (size_t i = 0; gradients && i < s.count; i++) gradients[i] = 0.0;
        for (int t = rows->count; gradients && t-- > 0;) {
            for (int i = 0; i <= n->actions; i++) all[t].heads_back[i] /= rows->count;
            if ((t + 1) % rows->length == 0)
                for (int i = 0; i < n->lstm; i++) hidden_back[i] = cell_back[i] = 0.0;
            row_back(n, &s, weights, &all[t], hidden_back, cell_back, gradients, scratch);
        }
    }
    free(all);
    free(block);
    return loss;
}
