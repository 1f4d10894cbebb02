// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "agents/learn/plasticity.h"

#include <math.h>

#include "base/dmath.h"

enum { MOST_ROWS = 64 };

// ---- dormant units (Sokar et al. 2023) ----

static double dormant_share(const jbw_network *network, const jbw_network_pass *pass, int rows)
{
    static const double threshold = 0.025;
    jbw_units layers[JBW_LAYER_COUNT];
    const int count = jbw_network_units(network, pass, layers);
    double dormant = 0.0;
    double all = 0.0;
    for (int i = 0; i < count; i++) {
        double activity[JBW_LAYER_NORM_MOST];
        double mean = 0.0;
        for (int u = 0; u < layers[i].units; u++) {
            activity[u] = jbw_units_activity(&layers[i], rows, u);
            mean += activity[u] / layers[i].units;
        }
        for (int u = 0; u < layers[i].units; u++) dormant += activity[u] <= threshold * mean;
        all += layers[i].units;
    }
    return dormant / all;
}

// ---- singular values ----

typedef double gram_matrix[MOST_ROWS][MOST_ROWS];

// makes element (p, q) zero by a rotation of these two rows and columns
static void rotate(gram_matrix a, int n, int p, int q)
{
    if (a[p][q] == 0.0) return;
    const double theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    const double size = fabs(theta) + jbw_sqrt(theta * theta + 1.0);
    const double t = theta < 0.0 ? -1.0 / size : 1.0 / size;
    const double c = 1.0 / jbw_sqrt(t * t + 1.0);
    const double s = t * c;
    for (int i = 0; i < n; i++) {
        const double x = a[i][p];
        const double y = a[i][q];
        a[i][p] = c * x - s * y;
        a[i][q] = s * x + c * y;
    }
    for (int i = 0; i < n; i++) {
        const double x = a[p][i];
        const double y = a[q][i];
        a[p][i] = c * x - s * y;
        a[q][i] = s * x + c * y;
    }
    a[p][q] = a[q][p] = 0.0;
}

// Jacobi's method: the diagonal becomes the eigenvalues
static void diagonalise(gram_matrix a, int n)
{
    enum { MOST_SWEEPS = 12 };
    for (int sweep = 0; sweep < MOST_SWEEPS; sweep++) {
        double trace = 0.0;
        double rest = 0.0;
        for (int p = 0; p < n; p++) {
            trace += a[p][p] * a[p][p];
            for (int q = 0; q < p; q++) rest += a[p][q] * a[p][q];
        }
        if (!(rest > 1e-28 * trace)) return;
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) rotate(a, n, p, q);
    }
}

void jbw_singular_values(int rows, int columns, const float *const *matrix, double *out)
{
    gram_matrix gram;
    for (int p = 0; p < rows; p++) {
        for (int q = 0; q <= p; q++) {
            double sum = 0.0;
            for (int i = 0; i < columns; i++) sum += (double)matrix[p][i] * (double)matrix[q][i];
            gram[p][q] = gram[q][p] = sum;
        }
    }
    diagonalise(gram, rows);
    for (int i = 0; i < rows; i++) {
        const double value = gram[i][i] > 0.0 ? jbw_sqrt(gram[i][i]) : 0.0;
        int at = i;
        for (; at > 0 && out[at - 1] < value; at--) out[at] = out[at - 1];
        out[at] = value;
    }
}

// ---- ranks ----

static void measure_ranks(const jbw_network *network, const jbw_network_pass *pass, int rows,
                          jbw_plasticity *out)
{
    const int n = rows < MOST_ROWS ? rows : MOST_ROWS;
    const float *matrix[MOST_ROWS] = {0};
    double values[MOST_ROWS];
    for (int i = 0; i < n; i++) {
        const ptrdiff_t row = (ptrdiff_t)i * rows / n;
        matrix[i] = pass->memory.input.at + row * pass->memory.input.stride;
    }
    jbw_singular_values(n, network->feature_count, matrix, values);
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += values[i];
    if (!(sum > 0.0)) return; // both ranks are zero
    double entropy = 0.0;
    double largest = 0.0;
    for (int i = 0; i < n; i++) {
        const double share = values[i] / sum;
        if (share > 1e-300) entropy -= share * jbw_log(share);
        if (largest < 0.99) out->stable_rank += 1.0;
        largest += share;
    }
    out->effective_rank = jbw_exp(entropy);
}

jbw_plasticity jbw_plasticity_measure(const jbw_nn *nn, const jbw_network *network,
                                      const jbw_network_pass *pass, int rows, const float *before)
{
    const jbw_parameters *p = &network->parameters;
    double change = 0.0;
    for (size_t i = 0; i < p->count; i++) {
        const double d = (double)p->weights[i] - (double)before[i];
        change += d * d;
    }
    jbw_plasticity found = {
        .dormant = dormant_share(network, pass, rows),
        .weight_norm = jbw_sqrt(nn->path->sum_of_squares(p->count, p->weights)),
        .update_norm = jbw_sqrt(change),
    };
    measure_ranks(network, pass, rows, &found);
    return found;
}
