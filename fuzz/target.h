// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What fuzz targets share. A target aborts when it finds a bug.
#ifndef JBW_FUZZ_TARGET_H
#define JBW_FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "jbw/world.h"
#include "support/configs.h"

/// The entry point of a target, which libFuzzer or standalone.c calls with each input. Returns 0.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/// The model of a config that is known to be good.
static inline jbw_model *fuzz_model(const jbw_config *config)
{
    jbw_model *model;
    if (jbw_model_create(config, &model, NULL)) abort();
    return model;
}

/// A zero-terminated copy of an input, which the caller frees. NULL if memory runs out.
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text) return NULL;
    if (size > 0) memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

#endif
