// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Generates patches of an invariant world for those who look at it, in a thread of its own: so
/// looking far away holds up neither the world nor the network. What was generated in a patch is a
/// function of its place, so the maker needs no copy of the world; a thread that has one puts the
/// patch into it (`jbw_world_put_patch`).
///
///     lists of wanted patches, by connection       patches made, the oldest dropped first
///       1: [ a b c ] [ x y ]                         ____________
///       2: [ p q ]               -- thread -->      | q  b  a  p |  -- get -->
///       7: [ d e f g ]
///
/// Connections take turns, and the lists of a connection share its turn. The thread keeps within the
/// processor time for looking.
#ifndef JBW_NET_GAME_TERRAIN_MAKER_H
#define JBW_NET_GAME_TERRAIN_MAKER_H

#include "jbw/patch_store.h"
#include "jbw/world.h"
#include "net/game/looking.h"

typedef struct jbw_terrain_maker jbw_terrain_maker;

enum { JBW_WANTED_MOST = 512 }; ///< patches in one list

/// Called in the maker's thread, without any lock, when something was made.
typedef void jbw_made_function(void *user);

/// Starts a maker for an invariant world, whose store (may be NULL) it looks into as well. The model
/// and `looking` must outlive it.
jbw_status jbw_terrain_maker_create(const jbw_model *model, uint64_t seed,
                                    const jbw_patch_store *store, jbw_looking *looking,
                                    jbw_made_function *on_made, void *user,
                                    jbw_terrain_maker **out);

/// Ends its thread; nothing is made after that. NULL is fine.
void jbw_terrain_maker_stop(jbw_terrain_maker *maker);

/// NULL is fine.
void jbw_terrain_maker_destroy(jbw_terrain_maker *maker);

/// Sets what a connection wants for one of its purposes, instead of what it wanted before. The list
/// is gone once everything in it was tried. With a count of zero, or when memory runs out, there is
/// none.
void jbw_terrain_maker_want(jbw_terrain_maker *maker, uint32_t connection, uint32_t purpose,
                            const jbw_position *patches, size_t count);

/// True if such a list is still being worked on.
bool jbw_terrain_maker_is_at(jbw_terrain_maker *maker, uint32_t connection, uint32_t purpose);

/// Drops all lists of a connection.
void jbw_terrain_maker_forget(jbw_terrain_maker *maker, uint32_t connection);

/// Copies what was generated in a patch (patch_size x patch_size). False if it is not there.
bool jbw_terrain_maker_get(jbw_terrain_maker *maker, jbw_position patch, uint8_t *cells);

/// A number that grows whenever there may be something new to get, or a list has ended.
uint64_t jbw_terrain_maker_news(const jbw_terrain_maker *maker);

/// Patches that were made so far.
uint64_t jbw_terrain_maker_count(const jbw_terrain_maker *maker);

#endif
