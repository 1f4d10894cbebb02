// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Large pages: with thousands of worlds, processors spend much time on finding out where in memory a
/// page is. Systems that have larger pages are asked to use them. That is a hint: nothing else changes.
#ifndef JBW_BATCH_PAGES_H
#define JBW_BATCH_PAGES_H

/// Asks for a large page around an address of allocated memory, unless `before`, for which it was asked
/// already, is in the same one. `before` may be NULL.
void jbw_pages_join(const void *place, const void *before);

#endif
