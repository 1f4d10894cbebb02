// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Functions of a module that JavaScript calls by a name.
#ifndef JBW_PLAYGROUND_EXPORT_H
#define JBW_PLAYGROUND_EXPORT_H

#ifdef __wasm__
#define JBW_EXPORT(name) __attribute__((export_name(name)))
#else
#define JBW_EXPORT(name)
#endif

#endif
