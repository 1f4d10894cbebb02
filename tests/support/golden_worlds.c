// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "support/golden_worlds.h"

#include "golden_worlds.inl" // written by config_to_c
