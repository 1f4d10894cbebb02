// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The part of a model that generation needs: how items attract and repel each other.
///
/// The energies of a type are kept in a field, one whole number per cell: multiples of a power of
/// two that is as small as sums in 32 bits allow. Each item type has kernels (kernel.h) that tell
/// what an item of this type adds to the fields of the types around it.
#ifndef JBW_SIM_MODEL_ENERGY_MODEL_H
#define JBW_SIM_MODEL_ENERGY_MODEL_H

#include "jbw/config.h"
#include "jbw/world.h"

/// What deciding on a proposal needs to know about a type, in one place.
typedef struct jbw_energy_scale {
    double unit;           // value of one unit of its field; zero if it interacts with nothing
    double intensity;      // if that is constant
    int32_t field;         // index of its field, or of any field if it interacts with nothing
    int32_t shared_field;  // index of a field that it shares with other types, or the same
    int32_t shared_factor; // value of one unit of that, in units of its own field; or zero
    bool has_constant_intensity;
} jbw_energy_scale;

/// Builds fields and kernels of a model whose items are there. With `force_generic`, all kernels
/// call the functions, as if they were user-defined; with `force_fields`, there are no planes. The
/// config must be valid, so only memory can run out.
jbw_status jbw_energy_model_build(jbw_model *model, const jbw_config *config, bool force_generic,
                                  bool force_fields, jbw_error *error);

/// The resolution of a type's energies, given how far and how strongly it interacts with any other
/// type: the largest number of fractional bits with which all sums fit 32 bits. Negative if even a
/// coarse resolution does not fit.
int jbw_energy_bits(int reach, double largest_pair);

#endif
