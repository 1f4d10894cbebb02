// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What rows of the network share with earlier ones: see repeats.h.
#ifndef JBW_AGENTS_LEARN_NETWORK_REPEATS_H
#define JBW_AGENTS_LEARN_NETWORK_REPEATS_H

#include "agents/learn/network.h"

/// Finds an earlier row that begins as this one does, and keeps this one for later ones.
jbw_repeat jbw_network_find_repeat(const jbw_network *network, jbw_network_pass *pass, int row);

/// Copies all that follows from what an earlier row saw, or smelled, up to the features.
void jbw_network_see_again(const jbw_network *network, const jbw_network_pass *pass, int from,
                           int to);
void jbw_network_smell_again(const jbw_network *network, const jbw_network_pass *pass, int from,
                             int to);

/// Copies what the memory makes of what is the same: sums on the way, or all.
void jbw_network_remember_again(const jbw_network *network, const jbw_network_pass *pass,
                                jbw_repeat same, int row);

/// Keeps the gates' sums of a row as they are now, if rows are kept.
void jbw_network_keep_sums(const jbw_network *network, const jbw_network_pass *pass, int row,
                           float *kept);

#endif
