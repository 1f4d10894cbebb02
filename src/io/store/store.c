// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "io/store/store.h"

#include <stdio.h>
#include <string.h>

jbw_status jbw_store_fail(jbw_error *error, jbw_status status, const char *what, int error_number)
{
    // unlike strerror, strerror_r is safe to call from several threads
    char reason[128];
    if (strerror_r(error_number, reason, sizeof reason) != 0)
        snprintf(reason, sizeof reason, "error %d", error_number);
    jbw_error_set(error, 0, 0, "%s: %s", what, reason);
    return status;
}
