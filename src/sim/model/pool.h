// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A pool of large objects that many owners use now and then, from any thread, so that there need
/// not be one for each of them.
///
/// An owner takes an object, uses it alone and gives it back. As long as there are few owners, each
/// gets the same object again, with what it has left in it; with more of them, they take turns. It
/// is part of the model, but knows nothing of what is in the objects.
#ifndef JBW_SIM_MODEL_POOL_H
#define JBW_SIM_MODEL_POOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    JBW_POOL_SHARED = 4, // so many objects are made before owners have to take turns
    JBW_POOL_MOST = 16,  // so many can wait; more only exist while they are used
};

/// The first member of every object.
typedef struct jbw_pooled {
    uint64_t owner; // who used it last
    void (*destroy)(struct jbw_pooled *object);
} jbw_pooled;

/// A pool whose bytes are all zero is empty.
typedef struct jbw_pool {
    _Atomic(jbw_pooled *) waiting[JBW_POOL_MOST];
    atomic_uint_least64_t owners[JBW_POOL_MOST]; // of what waits there, or zero; only a hint
    atomic_uint_least64_t last_owner;
    atomic_size_t owner_count;
    atomic_size_t count; // of all objects, also those in use
} jbw_pool;

/// Destroys what waits in the pool. Nothing may be in use.
void jbw_pool_deinit(jbw_pool *pool);

/// A number for a new owner, never zero.
uint64_t jbw_pool_join(jbw_pool *pool);

/// Lets others have what the owner used. The last owner destroys what waits in the pool.
void jbw_pool_leave(jbw_pool *pool, uint64_t owner);

/// Takes an object: the one with `owner` in it if that is still waiting, or one that nobody owns,
/// or that of another owner if there are enough already. NULL if the caller has to make one, which
/// counts from now on.
jbw_pooled *jbw_pool_take(jbw_pool *pool, uint64_t owner);

/// Whether there are several owners.
bool jbw_pool_is_shared(jbw_pool *pool);

/// Gives an object back; or NULL if it could not be made, or was destroyed.
void jbw_pool_give(jbw_pool *pool, uint64_t owner, jbw_pooled *object);

/// Whether the object that the owner gave back is waiting for it.
bool jbw_pool_keeps(jbw_pool *pool, uint64_t owner);

#endif
