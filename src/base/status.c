// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "jbw/base.h"

#define JBW_TEXT_OF(x) #x
#define JBW_VERSION_TEXT(major, minor, patch) \
    JBW_TEXT_OF(major) "." JBW_TEXT_OF(minor) "." JBW_TEXT_OF(patch)

const char *jbw_version(void)
{
    return JBW_VERSION_TEXT(JBW_VERSION_MAJOR, JBW_VERSION_MINOR, JBW_VERSION_PATCH);
}

typedef struct jbw_status_row {
    const char *name;
    const char *text;
} jbw_status_row;

static const jbw_status_row status_rows[] = {
#define JBW_STATUS_ROW(name, text) {#name, text},
    JBW_STATUS_LIST(JBW_STATUS_ROW)
#undef JBW_STATUS_ROW
};

static const jbw_status_row *find_row(jbw_status status)
{
    static const jbw_status_row unknown = {"UNKNOWN", "unknown status"};
    size_t index = (size_t)status;
    return index < sizeof status_rows / sizeof *status_rows ? &status_rows[index] : &unknown;
}

const char *jbw_status_name(jbw_status status)
{
    return find_row(status)->name;
}

const char *jbw_status_text(jbw_status status)
{
    return find_row(status)->text;
}
