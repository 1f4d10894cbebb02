// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Messages: whatever can be decoded must encode to the same bytes.
#include "target.h"

#include "net/wire/message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    jbw_scratch scratch = {0};
    jbw_message message;
    if (!jbw_message_decode(data, size, &scratch, &message)) {
        jbw_buffer bytes = {0};
        if (!jbw_message_encode(&message, &bytes)) abort();
        if (bytes.size != size || memcmp(bytes.bytes, data, size) != 0) abort();
        jbw_buffer_free(&bytes);
    }
    jbw_scratch_deinit(&scratch);
    return 0;
}
