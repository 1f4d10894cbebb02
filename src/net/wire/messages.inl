// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Every message of the protocol, said once. Whoever includes this file defines what is to become of
// the parts; what is not defined becomes nothing, and all are undefined again at the end.
//
//     VERSION(number)                                            of the protocol
//     ERROR(number, NAME, text)                                  what can be wrong
//     FLAG(group, value, NAME, text)                             a bit of a field
//     RECORD(name, text) ... END_RECORD(name)                    what lists are made of
//     MESSAGE(number, NAME, name, sender, needs, answer, text) ... END_MESSAGE(name)
//     FIELD(type, name, text)                                    inside both, in order
//     LIST(record, name, text)
//
// `sender` is CLIENT or SERVER; `needs` is the permission that a request needs; `answer` names the
// answer to a request when all is well. Numbers are never used again, new fields come last, and only
// with a new version.

#ifndef VERSION
#define VERSION(number)
#endif
#ifndef ERROR
#define ERROR(number, name, text)
#endif
#ifndef FLAG
#define FLAG(group, value, name, text)
#endif
#ifndef RECORD
#define RECORD(name, text)
#endif
#ifndef END_RECORD
#define END_RECORD(name)
#endif
#ifndef MESSAGE
#define MESSAGE(number, upper, name, sender, needs, answer, text)
#endif
#ifndef END_MESSAGE
#define END_MESSAGE(name)
#endif
#ifndef FIELD
#define FIELD(type, name, text)
#endif
#ifndef LIST
#define LIST(record, name, text)
#endif

VERSION(1)

// ---- what can be wrong ----

ERROR(1, MALFORMED, "the bytes are not what the message should be")
ERROR(2, UNKNOWN_MESSAGE, "there is no such message, or not from clients")
ERROR(3, HELLO_FIRST, "the first message must be hello, and only the first")
ERROR(4, VERSION, "no version of the protocol is known to both")
ERROR(5, BAD_TOKEN, "nobody has this token")
ERROR(6, NOT_PERMITTED, "the token does not permit this")
ERROR(7, NOT_YOURS, "the agent belongs to somebody else")
ERROR(8, NO_SUCH_AGENT, "there is no such agent, or not any more")
ERROR(9, INVALID_ARGUMENT, "a field has a value that makes no sense here")
ERROR(10, OUT_OF_RANGE, "a position is too far from the origin")
ERROR(11, CELL_BLOCKED, "the cell is blocked, or taken")
ERROR(12, NOT_FOUND, "there is nothing")
ERROR(13, INACTIVE, "the agent is not active")
ERROR(14, REPLACED, "a later request of the same agent took its place")
ERROR(15, TOO_MANY, "more of them than permitted")
ERROR(16, TOO_LARGE, "larger than a message may be, or more cells than may be asked for at once")
ERROR(17, CLOSING, "the server is being shut down")
ERROR(18, OUT_OF_MEMORY, "the server is out of memory")
ERROR(19, UNSUPPORTED, "this server does not do that")
ERROR(20, FAILED, "it was tried, and failed")

// ---- bits ----

FLAG(permissions, 1, PERMISSION_WATCH, "look at everything; everybody may")
FLAG(permissions, 2, PERMISSION_ACT, "add agents, and act with them")
FLAG(permissions, 4, PERMISSION_EDIT, "place and remove items, explore")
FLAG(permissions, 8, PERMISSION_CONTROL, "pause, resume, step, set the rate, ask for the hash")
FLAG(permissions, 16, PERMISSION_SAVE, "save the world")

FLAG(wants, 1, WANT_VISION, "what the agent sees")
FLAG(wants, 2, WANT_SCENT, "what it smells")
FLAG(wants, 4, WANT_ITEMS, "which items it sees")
FLAG(wants, 8, WANT_INVENTORY, "what it carries")
FLAG(wants, 16, WANT_SEEN, "how much of each cell it sees")

FLAG(kinds, 1, EVENT_COLLECTED, "an agent collected an item")
FLAG(kinds, 2, EVENT_STUCK, "an active agent has come no farther than two cells in a hundred steps")

FLAG(topic, 0, TOPIC_ALL, "the clock, and all agents")
FLAG(topic, 1, TOPIC_REGION, "the patches of a region that have changed, and the agents there")
FLAG(topic, 2, TOPIC_AGENT, "one agent, and what it perceives")

// ---- what lists are made of ----

RECORD(item, "A type of item; its number is its place in the list.")
    FIELD(text, name, "such as JellyBean")
    FIELD(f32s, color, "(color_dimensions), the first three are red, green and blue from 0 to 1")
    FIELD(bool, blocks, "agents cannot enter its cell")
END_RECORD(item)

RECORD(action, "Something agents can do; its number is its place in the list.")
    FIELD(text, name, "such as MoveForward, or Drop[Wood]")
    FIELD(u8, kind, "0 NoOp, 1 MoveForward, 2 MoveBackward, 3 MoveLeft, 4 MoveRight, 5 TurnLeft, 6 TurnRight, 7 TurnAround, 8 Collect, 9 Drop")
    FIELD(i32, item, "the type to drop, or -1")
END_RECORD(action)

RECORD(choice, "What an agent shall do.")
    FIELD(agent, agent, "")
    FIELD(u32, action, "its number")
END_RECORD(choice)

RECORD(place, "A cell.")
    FIELD(position, position, "")
END_RECORD(place)

RECORD(agent_info, "All that is known of an agent.")
    FIELD(agent, agent, "")
    FIELD(text, owner, "the name that goes with the owner's token; empty if nobody owns it")
    FIELD(bool, is_yours, "it belongs to your token")
    FIELD(bool, is_driven, "a connection that is there now added it, activated it or acted with it last")
    FIELD(bool, is_active, "the world waits for it")
    FIELD(position, position, "")
    FIELD(u8, direction, "0 up, 1 right, 2 down, 3 left")
    FIELD(position, start, "the cell where it was added")
    FIELD(i32, request, "the action that it asked for and that has not happened yet, or -1")
    FIELD(u64s, inventory, "(items) how many it carries, by type")
END_RECORD(agent_info)

RECORD(agent_mark, "An agent as drawn on a map.")
    FIELD(agent, agent, "")
    FIELD(position, position, "")
    FIELD(u8, direction, "0 up, 1 right, 2 down, 3 left")
    FIELD(bool, is_active, "")
    FIELD(i32, action, "what it did in the latest step, or -1")
    FIELD(i32, collected, "the type of the item that it collected in the latest step, or -1")
END_RECORD(agent_mark)

RECORD(observation, "An agent after a step: what became of its action, and what it perceives now.")
    FIELD(agent, agent, "")
    FIELD(position, position, "")
    FIELD(u8, direction, "0 up, 1 right, 2 down, 3 left")
    FIELD(bool, is_active, "")
    FIELD(u64, result_time, "of the world after the step that the following tells of; 0 if there was none")
    FIELD(i32, action, "what it did, or -1")
    FIELD(u8, outcome, "of the action: 0 none, 1 done, 2 blocked by an item, 3 blocked by an agent, 4 another got it, 5 nothing there, 6 uncollectable, 7 lacks items, 8 cell occupied, 9 end of the world")
    FIELD(bool, moved, "it is in another cell than before")
    FIELD(u8, item_outcome, "of collecting, by the same numbers")
    FIELD(i32, collected, "the type of the item, or -1")
    FIELD(i32, dropped, "the type of the item, or -1")
    FIELD(position, position_before, "where it was before the step")
    FIELD(sparse, vision, "(vision_side, vision_side, color_dimensions), row 0 the farthest ahead, column 0 the leftmost; empty if not wanted")
    FIELD(f32s, scent, "(scent_dimensions); empty if not wanted")
    FIELD(bytes, items, "(vision_side, vision_side) the type of the item seen plus one, 0 where there is none; empty if not wanted")
    FIELD(u64s, inventory, "(items) how many it carries, by type; empty if not wanted")
    FIELD(f32s, seen, "(vision_side, vision_side) how much of each cell is seen, from 0 to 1; empty if not wanted")
END_RECORD(observation)

RECORD(patch, "The items of a patch.")
    FIELD(position, position, "in units of patches")
    FIELD(u8, state, "0 missing, 1 sampled: items may still change by themselves, 2 final")
    FIELD(bytes, items, "the lowest row first. For detail 0 (patch_size, patch_size): the item's type plus one, 0 where there is none. Otherwise (side, side, 4), side being patch_size divided by 2 to the power of the detail, rounded up: red, green and blue of the items of a square, summed up and divided by its cells, and the share of cells with an item, all from 0 to 255. Empty if the patch is missing")
END_RECORD(patch)

RECORD(event, "Something that happened in a recording.")
    FIELD(u64, time, "of the world after the step")
    FIELD(agent, agent, "")
    FIELD(u8, kind, "a bit")
    FIELD(i32, item, "the type of the item that was collected, or -1")
END_RECORD(event)

// ---- what clients say ----

MESSAGE(1, HELLO, hello, CLIENT, NOTHING, welcome, "The first message: who is there.")
    FIELD(u16, version_least, "of the protocol that the client speaks")
    FIELD(u16, version_most, "")
    FIELD(text, token, "empty to watch only")
    FIELD(text, client, "a name for logs, such as jbw-python 0.1.0; may be empty")
END_MESSAGE(hello)

MESSAGE(2, GOODBYE, goodbye, CLIENT, NOTHING, ok, "The last message: the server answers and closes.")
END_MESSAGE(goodbye)

MESSAGE(3, PING, ping, CLIENT, WATCH, pong, "Asks for a sign of life. It is answered in its turn, so whatever was asked before is done by then.")
    FIELD(u64, cookie, "comes back")
END_MESSAGE(ping)

MESSAGE(4, GET_STATS, get_stats, CLIENT, WATCH, stats, "Asks how the server is doing.")
END_MESSAGE(get_stats)

MESSAGE(5, ADD_AGENT, add_agent, CLIENT, ACT, agents, "Adds an agent of your own; the answer holds that one.")
    FIELD(bool, has_position, "false: a free cell near the origin")
    FIELD(position, position, "")
    FIELD(u8, direction, "0 up, 1 right, 2 down, 3 left")
    FIELD(bool, is_forced, "accept a cell that is blocked or taken; needs the permission to edit, too")
END_MESSAGE(add_agent)

MESSAGE(6, REMOVE_AGENT, remove_agent, CLIENT, ACT, ok, "Takes an agent of your own out of the world.")
    FIELD(agent, agent, "")
END_MESSAGE(remove_agent)

MESSAGE(7, SET_ACTIVE, set_active, CLIENT, ACT, ok, "The world waits for active agents only. Activating an agent also takes it over for this connection: if that is lost the agent becomes inactive.")
    FIELD(agent, agent, "")
    FIELD(bool, is_active, "")
END_MESSAGE(set_active)

MESSAGE(8, ACT, act, CLIENT, ACT, observed, "Asks for an action of one of your own agents. Asking again before the step replaces it. Without `waits` the answer is ok, at once; with it, observed, after the step.")
    FIELD(agent, agent, "")
    FIELD(u32, action, "its number")
    FIELD(bool, waits, "")
    FIELD(u8, wants, "bits: what the answer shall hold")
END_MESSAGE(act)

MESSAGE(9, ACT_MANY, act_many, CLIENT, ACT, observed, "The same for several agents together; all requests are taken or none.")
    FIELD(bool, waits, "")
    FIELD(u8, wants, "bits: what the answer shall hold")
    LIST(choice, choices, "each agent at most once")
END_MESSAGE(act_many)

MESSAGE(10, PERCEIVE, perceive, CLIENT, WATCH, observed, "What agents perceive now; anybody's.")
    FIELD(u8, wants, "bits: what the answer shall hold")
    FIELD(agents, agents, "")
END_MESSAGE(perceive)

MESSAGE(11, READ_REGION, read_region, CLIENT, WATCH, region, "What is in a region of the map; at most region_cells_most cells.")
    FIELD(region, region, "")
    FIELD(bool, wants_states, "")
END_MESSAGE(read_region)

MESSAGE(12, LIST_AGENTS, list_agents, CLIENT, WATCH, agents, "All agents, in the order in which they were added, in portions.")
    FIELD(u32, first, "so many are left out")
    FIELD(u32, most, "so many at most")
END_MESSAGE(list_agents)

MESSAGE(13, GET_AGENTS, get_agents, CLIENT, WATCH, agents, "What is known of these agents. Those that are not there any more are left out.")
    FIELD(agents, agents, "")
END_MESSAGE(get_agents)

MESSAGE(14, SMELL, smell, CLIENT, WATCH, scent, "The scent in a region; at most smell_cells_most cells.")
    FIELD(region, region, "")
    FIELD(u32, stride, "only every so many cells along both axes count, from the region's corner on; 0 and 1: all")
END_MESSAGE(smell)

MESSAGE(15, SUBSCRIBE, subscribe, CLIENT, WATCH, ok, "Asks for frames from now on. They carry the request number of this message, which must not be that of another subscription. A client that reads slowly misses frames, and gets the newest.")
    FIELD(u8, topic, "0 all, 1 region, 2 agent")
    FIELD(region, region, "for the topic region: at most subscription_patches_most patches")
    FIELD(u8, detail, "for the topic region: squares of 2 to this power are told by the mean of their colours")
    FIELD(agent, agent, "for the topic agent")
    FIELD(u8, wants, "bits, for the topic agent")
    FIELD(f32, rate_most, "frames per second at most, if the server makes so many; 0: as many as it makes")
END_MESSAGE(subscribe)

MESSAGE(16, UNSUBSCRIBE, unsubscribe, CLIENT, WATCH, ok, "No more frames of a subscription.")
    FIELD(u32, subscription, "the request number of its subscribe")
END_MESSAGE(unsubscribe)

MESSAGE(17, PAUSE, pause, CLIENT, CONTROL, ok, "No more steps, until resume. Requests of agents are kept.")
END_MESSAGE(pause)

MESSAGE(18, RESUME, resume, CLIENT, CONTROL, ok, "Steps again.")
END_MESSAGE(resume)

MESSAGE(19, STEP, step, CLIENT, CONTROL, ok, "Takes steps now, also when paused. Agents that have not asked for anything do nothing.")
    FIELD(u32, count, "1 to step_count_most")
END_MESSAGE(step)

MESSAGE(20, SET_RATE, set_rate, CLIENT, CONTROL, ok, "So many steps per second at most.")
    FIELD(f64, rate, "0: as fast as agents ask")
END_MESSAGE(set_rate)

MESSAGE(21, SAVE, save, CLIENT, SAVE, saved, "Saves the world to the server's own file; answered when it is on disk.")
END_MESSAGE(save)

MESSAGE(22, PLACE_ITEM, place_item, CLIENT, EDIT, ok, "Puts an item into an empty cell.")
    FIELD(u32, item_type, "")
    FIELD(position, position, "")
END_MESSAGE(place_item)

MESSAGE(23, REMOVE_ITEM, remove_item, CLIENT, EDIT, ok, "Takes an item out of a cell.")
    FIELD(position, position, "")
END_MESSAGE(remove_item)

MESSAGE(24, EXPLORE, explore, CLIENT, EDIT, ok, "Makes final what agents standing there would need.")
    LIST(place, places, "1 to explore_places_most")
END_MESSAGE(explore)

MESSAGE(25, GET_HASH, get_hash, CLIENT, CONTROL, hash, "A hash of the whole world.")
END_MESSAGE(get_hash)

MESSAGE(26, GET_WORLD_FILE, get_world_file, CLIENT, WATCH, world_file, "The world file that the world was made from, complete.")
END_MESSAGE(get_world_file)

MESSAGE(27, INSPECT, inspect, CLIENT, WATCH, cell, "What is in a cell, and since when.")
    FIELD(position, position, "")
END_MESSAGE(inspect)

MESSAGE(28, GET_TIMELINE, get_timeline, CLIENT, WATCH, timeline, "Whether this is a recording, and from when to when.")
END_MESSAGE(get_timeline)

MESSAGE(29, SEEK, seek, CLIENT, CONTROL, ok, "Goes to another time of a recording.")
    FIELD(u64, time, "the nearest that the recording has")
END_MESSAGE(seek)

MESSAGE(30, FIND_EVENTS, find_events, CLIENT, WATCH, events, "What happened in a recording, in the order of time.")
    FIELD(u64, from, "")
    FIELD(u64, to, "this time counts, too")
    FIELD(u8, kinds, "bits")
    FIELD(agent, agent, "only what happened to this one; no agent: to all")
    FIELD(bool, is_backward, "the last ones instead of the first")
    FIELD(u32, most, "so many at most")
END_MESSAGE(find_events)

MESSAGE(31, ACT_NEXT, act_next, CLIENT, ACT, observed, "Asks for an action of one of your own agents in the step after all those that it has asked for already, so that several can be on their way; at most 64 of them. Each is answered after its step. `act` replaces them all.")
    FIELD(agent, agent, "")
    FIELD(u32, action, "its number")
    FIELD(u8, wants, "bits: what the answer shall hold")
END_MESSAGE(act_next)

// ---- what the server says ----

MESSAGE(128, WELCOME, welcome, SERVER, NOTHING, , "Answers hello: the shape of everything that follows.")
    FIELD(u16, version, "of the protocol, from now on")
    FIELD(text, server, "its name and version")
    FIELD(text, name, "that goes with your token; empty without one")
    FIELD(u8, permissions, "bits")
    FIELD(u32, agents_most, "how many agents your token may have")
    FIELD(u64, time, "steps taken so far")
    FIELD(u64, started_time, "steps that had been taken when the server started: what happened after that before a crash is lost")
    FIELD(u64, seed, "of the world")
    FIELD(bool, is_paused, "")
    FIELD(f64, rate, "steps per second at most; 0: as fast as agents ask")
    FIELD(u32, turn_timeout, "milliseconds after which the world goes on without an agent's request; 0: never")
    FIELD(u32, patch_size, "")
    FIELD(u32, vision_side, "")
    FIELD(u32, color_dimensions, "")
    FIELD(u32, scent_dimensions, "")
    FIELD(u32, message_most, "bytes of a message to the server")
    FIELD(u32, region_cells_most, "")
    FIELD(u32, smell_cells_most, "")
    FIELD(u32, list_most, "agents in one message")
    FIELD(u32, subscriptions_most, "of a connection")
    FIELD(u32, subscription_patches_most, "")
    FIELD(u32, step_count_most, "")
    FIELD(u32, explore_places_most, "")
    FIELD(f32, frame_rate_most, "frames per second that the server makes")
    FIELD(f32s, field_of_view, "(vision_side, vision_side) how much of each cell agents can see, from 0 to 1")
    LIST(item, items, "")
    LIST(action, actions, "")
    LIST(agent_info, agents, "those that belong to your token; inactive ones are waiting to be activated")
END_MESSAGE(welcome)

MESSAGE(129, OK, ok, SERVER, NOTHING, , "It is done.")
    FIELD(u64, time, "of the world then")
END_MESSAGE(ok)

MESSAGE(130, ERROR, error, SERVER, NOTHING, , "It was refused, and nothing has changed.")
    FIELD(u16, code, "one of the errors")
    FIELD(bool, is_final, "the server closes the connection")
    FIELD(text, text, "for a person")
END_MESSAGE(error)

MESSAGE(131, PONG, pong, SERVER, NOTHING, , "Answers ping.")
    FIELD(u64, cookie, "")
    FIELD(u64, time, "of the world")
END_MESSAGE(pong)

MESSAGE(132, STATS, stats, SERVER, NOTHING, , "Answers get_stats.")
    FIELD(u64, time, "of the world")
    FIELD(u64, step_count, "since the server started")
    FIELD(u64, timeout_count, "of steps that did not wait for everybody")
    FIELD(f64, uptime, "seconds")
    FIELD(f64, world_cpu, "seconds of processor time that the world's thread has used")
    FIELD(u32, agent_count, "")
    FIELD(u32, active_count, "")
    FIELD(u32, client_count, "")
    FIELD(u32, subscription_count, "")
    FIELD(u64, patch_count, "")
    FIELD(u64, final_patch_count, "")
    FIELD(u64, map_bytes, "")
    FIELD(u64, bytes_received, "")
    FIELD(u64, bytes_sent, "")
    FIELD(u64, refused_count, "requests answered by an error")
    FIELD(u64, dropped_count, "connections closed for bad messages or for reading too slowly")
    FIELD(bool, is_paused, "")
    FIELD(f64, rate, "steps per second at most; 0: as fast as agents ask")
    FIELD(u64, saved_time, "of the world when it was saved last; 0 if it was not")
END_MESSAGE(stats)

MESSAGE(133, OBSERVED, observed, SERVER, NOTHING, , "Agents, in the order in which they were named.")
    FIELD(u64, time, "of the world")
    LIST(observation, observations, "")
END_MESSAGE(observed)

MESSAGE(134, AGENTS, agents, SERVER, NOTHING, , "What is known of agents.")
    FIELD(u64, time, "of the world")
    FIELD(u32, total, "agents in the world")
    LIST(agent_info, agents, "")
END_MESSAGE(agents)

MESSAGE(135, REGION, region, SERVER, NOTHING, , "Answers read_region.")
    FIELD(u64, time, "of the world")
    FIELD(region, region, "")
    FIELD(bytes, items, "(height, width), the lowest row first: the item's type plus one, 0 where there is none")
    FIELD(bytes, states, "(height, width) of the cell's patch: 0 missing, 1 sampled, 2 final; empty if not wanted")
END_MESSAGE(region)

MESSAGE(136, SCENT, scent, SERVER, NOTHING, , "Answers smell.")
    FIELD(u64, time, "of the world")
    FIELD(region, region, "")
    FIELD(f32s, scent, "(height, width, scent_dimensions), the lowest row first")
END_MESSAGE(scent)

MESSAGE(137, FRAME, frame, SERVER, NOTHING, , "What a subscription asked for, as of one moment; its request number is the subscription's.")
    FIELD(u64, time, "of the world")
    FIELD(bool, is_paused, "")
    FIELD(f64, rate, "steps per second at most; 0: as fast as agents ask")
    FIELD(f64, steps_per_second, "that it really does")
    FIELD(u32, agent_count, "in the world")
    FIELD(u32, patches_left, "that have not been looked at yet, so as not to make the frame too large; they come with the next ones")
    LIST(agent_mark, agents, "all, or those in the region, or the one; at most list_most")
    LIST(patch, patches, "for the topic region: those that have changed since the frame before")
    LIST(observation, observations, "for the topic agent: none if it is gone")
END_MESSAGE(frame)

MESSAGE(138, SAVED, saved, SERVER, NOTHING, , "Answers save.")
    FIELD(u64, time, "of the world that was saved")
END_MESSAGE(saved)

MESSAGE(139, HASH, hash, SERVER, NOTHING, , "Answers get_hash.")
    FIELD(u64, time, "of the world")
    FIELD(u64, hash, "")
END_MESSAGE(hash)

MESSAGE(140, WORLD_FILE, world_file, SERVER, NOTHING, , "Answers get_world_file.")
    FIELD(bytes, text, "YAML")
END_MESSAGE(world_file)

MESSAGE(141, CELL, cell, SERVER, NOTHING, , "Answers inspect.")
    FIELD(u64, time, "of the world")
    FIELD(u8, state, "of its patch: 0 missing, 1 sampled, 2 final")
    FIELD(i32, item, "the type, or -1")
    FIELD(bool, is_generated, "it has always been so")
    FIELD(u64, since, "otherwise, the time since which it is so")
    FIELD(bool, is_since_known, "false: since then at the latest")
    FIELD(f32s, scent, "(scent_dimensions)")
    FIELD(agents, agents, "that stand there; at most 16")
END_MESSAGE(cell)

MESSAGE(142, TIMELINE, timeline, SERVER, NOTHING, , "Answers get_timeline.")
    FIELD(bool, is_recording, "false: this is a world that goes on, and the rest is zero")
    FIELD(u64, first_time, "")
    FIELD(u64, last_time, "")
    FIELD(text, name, "of the file")
END_MESSAGE(timeline)

MESSAGE(143, EVENTS, events, SERVER, NOTHING, , "Answers find_events.")
    FIELD(u64, known_to, "later times have not been looked through yet")
    LIST(event, events, "")
END_MESSAGE(events)

#undef VERSION
#undef ERROR
#undef FLAG
#undef RECORD
#undef END_RECORD
#undef MESSAGE
#undef END_MESSAGE
#undef FIELD
#undef LIST
