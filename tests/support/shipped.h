// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Shipped worlds and other world files; fails the test if one cannot be read.
#ifndef JBW_TESTS_SHIPPED_H
#define JBW_TESTS_SHIPPED_H

#include "support/models.h"

#include "jbw/io.h"

/// The caller frees the config with jbw_config_free.
jbw_config *read_config(const char *name);
jbw_config *parse_config(const char *text);

/// The caller destroys the model.
jbw_model *shipped_model(const char *name);

#endif
