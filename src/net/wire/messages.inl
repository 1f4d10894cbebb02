// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The one definition of the protocol, as X-macros. Define the macros you need, then include this file.
// Macros you leave undefined expand to nothing, and all of them are undefined again at the end.
//
//     VERSION(number)                                            of the protocol
//     ERROR(number, NAME, text)                                  an error code
//     FLAG(group, value, NAME, text)                             a bit or a value of a field
//     RECORD(name, text) ... END_RECORD(name)                    an element of lists
//     MESSAGE(number, NAME, name, sender, needs, answer, text) ... END_MESSAGE(name)
//     FIELD(type, name, text)                                    inside both, in wire order
//     LIST(record, name, text)
//     FIELDS_OF(message, name)                                   all fields of another message, in its place
//
// `sender` is CLIENT or SERVER, `needs` the permission that a request requires, `answer` the message
// that answers a successful request. Numbers are never reused. New fields are appended, and only in a
// new version.

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
#ifndef FIELDS_OF
#define FIELDS_OF(message, name)
#endif

VERSION(2)

// ---- errors ----

ERROR(1, MALFORMED, "the message is malformed")
ERROR(2, UNKNOWN_MESSAGE, "unknown message type, or one that clients may not send")
ERROR(3, HELLO_FIRST, "hello must be the first message, and must be sent only once")
ERROR(4, VERSION, "client and server have no protocol version in common: update the older of the two")
ERROR(5, BAD_TOKEN, "unknown token")
ERROR(6, NOT_PERMITTED, "your token does not permit this")
ERROR(7, NOT_YOURS, "the agent belongs to another token")
ERROR(8, NO_SUCH_AGENT, "there is no such agent")
ERROR(9, INVALID_ARGUMENT, "a field has an invalid value")
ERROR(10, OUT_OF_RANGE, "a position is too far from the origin")
ERROR(11, CELL_BLOCKED, "the cell is blocked or occupied")
ERROR(12, NOT_FOUND, "not found")
ERROR(13, INACTIVE, "the agent is inactive")
ERROR(14, REPLACED, "replaced by a later action of the same agent")
ERROR(15, TOO_MANY, "too many: the limit is reached")
ERROR(16, TOO_LARGE, "the message is too large, or asks for too much at once")
ERROR(17, CLOSING, "the server is shutting down")
ERROR(18, OUT_OF_MEMORY, "the server is out of memory")
ERROR(19, UNSUPPORTED, "not supported by this server")
ERROR(20, FAILED, "the operation failed")
ERROR(21, CUT, "it took too long and was cut: ask again, or for less")

// ---- flags ----

FLAG(permissions, 1, PERMISSION_WATCH, "view everything; granted to everyone")
FLAG(permissions, 2, PERMISSION_ACT, "add agents and act with them")
FLAG(permissions, 4, PERMISSION_EDIT, "place and remove items, explore")
FLAG(permissions, 8, PERMISSION_CONTROL, "pause, resume, step, set the rate, get the hash")
FLAG(permissions, 16, PERMISSION_SAVE, "save the world")

FLAG(wants, 1, WANT_VISION, "colors in the field of vision")
FLAG(wants, 2, WANT_SCENT, "scent at the agent's cell")
FLAG(wants, 4, WANT_ITEMS, "item types in the field of vision")
FLAG(wants, 8, WANT_INVENTORY, "items the agent carries")
FLAG(wants, 16, WANT_SEEN, "visibility of each cell in the field of vision")

FLAG(wants, 32, WANT_UNSEEN, "only in `subscribe` with the topic region and detail 0: what agents cannot see now, as more planes of each patch")
FLAG(wants, 64, WANT_WORDS, "the agent's body, what it said, heard and reads: the answer is `perceived` instead of `observed`, frames are `scene` instead of `frame`")

FLAG(planes, 1, PLANE_ITEMS, "items as agents could see them")
FLAG(planes, 2, PLANE_HIDDEN, "items that are out of season")
FLAG(planes, 4, PLANE_GROWING, "items that grow back")
FLAG(planes, 8, PLANE_STATES, "states of the cells' patches")

FLAG(kinds, 1, EVENT_COLLECTED, "an agent collected an item")
FLAG(kinds, 2, EVENT_STUCK, "an active agent has stayed within two cells for a hundred steps")

FLAG(topic, 0, TOPIC_ALL, "the clock and all agents")
FLAG(topic, 1, TOPIC_REGION, "changed patches of a region, and the agents in it")
FLAG(topic, 2, TOPIC_AGENT, "one agent and what it perceives")

// ---- records ----

RECORD(item, "An item type, numbered by its index in the list.")
    FIELD(text, name, "such as JellyBean")
    FIELD(f32s, color, "(color_dimensions): the first three are red, green and blue, from 0 to 1")
    FIELD(bool, blocks, "agents cannot enter its cell")
END_RECORD(item)

RECORD(action, "Something agents can do, numbered by its index in the list.")
    FIELD(text, name, "such as MoveForward, or Drop[Wood]")
    FIELD(u8, kind, "0 NoOp, 1 MoveForward, 2 MoveBackward, 3 MoveLeft, 4 MoveRight, 5 TurnLeft, 6 TurnRight, 7 TurnAround, 8 Collect, 9 Drop")
    FIELD(i32, item, "the item type to drop, or -1")
END_RECORD(action)

RECORD(choice, "An action for one agent.")
    FIELD(agent, agent, "")
    FIELD(u32, action, "index of the action")
END_RECORD(choice)

RECORD(wish, "An action for one agent, with what it says and writes.")
    FIELD(agent, agent, "")
    FIELD(u32, action, "index of the action")
    FIELD(u8, say, "a symbol from 1, or 0 for silence")
    FIELD(bytes, text, "that the dropped item carries: UTF-8 without zeros, at most 255 bytes; empty for none")
END_RECORD(wish)

RECORD(place, "A cell.")
    FIELD(position, position, "")
END_RECORD(place)

RECORD(agent_info, "The state of an agent.")
    FIELD(agent, agent, "")
    FIELD(text, owner, "name of the owning token, or server: and a policy for an agent of the server; empty if nobody owns the agent")
    FIELD(bool, is_yours, "the agent belongs to your token")
    FIELD(bool, is_driven, "a live connection controls it: the last one to add it, activate it or act with it")
    FIELD(bool, is_active, "steps wait for it")
    FIELD(position, position, "")
    FIELD(u8, direction, "0 up, 1 right, 2 down, 3 left")
    FIELD(position, start, "the cell where it was added")
    FIELD(i32, request, "its pending action, or -1")
    FIELD(u64s, inventory, "(items): number carried of each type")
END_RECORD(agent_info)

RECORD(agent_mark, "An agent as drawn on a map.")
    FIELD(agent, agent, "")
    FIELD(position, position, "")
    FIELD(u8, direction, "0 up, 1 right, 2 down, 3 left")
    FIELD(bool, is_active, "")
    FIELD(i32, action, "its action in the latest step, or -1")
    FIELD(i32, collected, "type of the item it collected in the latest step, or -1")
END_RECORD(agent_mark)

RECORD(observation, "An agent after a step: the result of its action, and what it perceives now.")
    FIELD(agent, agent, "")
    FIELD(position, position, "")
    FIELD(u8, direction, "0 up, 1 right, 2 down, 3 left")
    FIELD(bool, is_active, "")
    FIELD(u64, result_time, "world time after the step that the following fields describe; 0 if there was none")
    FIELD(i32, action, "its action, or -1")
    FIELD(u8, outcome, "of the action: 0 none, 1 done, 2 blocked by an item, 3 blocked by an agent, 4 another agent got it, 5 nothing there, 6 not collectable, 7 lacks items, 8 cell occupied, 9 edge of the world, 10 not able")
    FIELD(bool, moved, "its cell has changed")
    FIELD(u8, item_outcome, "of collecting, same values")
    FIELD(i32, collected, "type of the item, or -1")
    FIELD(i32, dropped, "type of the item, or -1")
    FIELD(position, position_before, "its cell before the step")
    FIELD(sparse, vision, "(vision_side, vision_side, color_dimensions): row 0 is farthest ahead, column 0 leftmost; empty unless wanted")
    FIELD(f32s, scent, "(scent_dimensions); empty unless wanted")
    FIELD(bytes, items, "(vision_side, vision_side): type of the visible item plus one, 0 for none; empty unless wanted")
    FIELD(u64s, inventory, "(items): number carried of each type; empty unless wanted")
    FIELD(f32s, seen, "(vision_side, vision_side): visibility of each cell, from 0 to 1; empty unless wanted")
END_RECORD(observation)

RECORD(words, "Who an agent is, and what it said, heard and reads.")
    FIELD(u8, body, "index of its body")
    FIELD(u8, said, "its symbol in the step of `result_time`, or 0")
    FIELD(sparse, heard, "(symbols): how many others it heard say each symbol in the latest step")
    FIELD(bytes, text, "UTF-8: of the item in its cell, or else of the item that it collected in the latest step; empty if there is none")
END_RECORD(words)

RECORD(body, "What agents may be, numbered by its index in the list.")
    FIELD(text, name, "such as Scout; empty for the first, that of agents without a body of their own")
    FIELD(f32s, color, "(color_dimensions)")
    FIELD(bytes, actions, "(actions): 1 for each action that it has, otherwise 0")
END_RECORD(body)

RECORD(patch, "The items of a patch.")
    FIELD(position, position, "in units of patches")
    FIELD(u8, state, "0 missing, 1 sampled (its items may still change by themselves), 2 final, 3 being made: it follows")
    FIELD(bytes, items, "lowest row first. With detail 0, (patch_size, patch_size): item type plus one, 0 for none; with WANT_UNSEEN, (3, patch_size, patch_size): then items that are out of season, then those that grow back. Otherwise (side, side, 4) with side = ceil(patch_size / 2^detail): for each square, the sum of its items' red, green and blue divided by its number of cells, then the fraction of cells with an item, all from 0 to 255. Empty if the patch is missing or being made")
END_RECORD(patch)

RECORD(item_season, "When items of a type are there.")
    FIELD(u64, period, "in steps; 0: always")
    FIELD(u64, from, "they are there at time t if from <= t modulo period < to")
    FIELD(u64, to, "less than `from`: the season runs over the end of the period")
    FIELD(u8, regrowth, "how long an item takes to grow back after it was collected: 0 it does not, 1 always `least` steps, 2 uniformly from `least` to `most`, 3 geometrically with the mean `least`")
    FIELD(u64, least, "in steps")
    FIELD(u64, most, "in steps")
END_RECORD(item_season)

RECORD(event, "An event in a recording.")
    FIELD(u64, time, "world time after the step")
    FIELD(agent, agent, "")
    FIELD(u8, kind, "one of the bits of kinds")
    FIELD(i32, item, "type of the collected item, or -1")
END_RECORD(event)

// ---- from clients ----

MESSAGE(1, HELLO, hello, CLIENT, NOTHING, welcome, "The first message: identifies the client.")
    FIELD(u16, version_least, "lowest protocol version the client supports")
    FIELD(u16, version_most, "highest")
    FIELD(text, token, "empty to only watch")
    FIELD(text, client, "name for logs, such as jbw-python 0.1.0; may be empty")
END_MESSAGE(hello)

MESSAGE(2, GOODBYE, goodbye, CLIENT, NOTHING, ok, "The last message: the server answers and closes the connection.")
END_MESSAGE(goodbye)

MESSAGE(3, PING, ping, CLIENT, WATCH, pong, "Checks that the server is alive. Answered in order: all earlier requests have been carried out by then.")
    FIELD(u64, cookie, "returned in the answer")
END_MESSAGE(ping)

MESSAGE(4, GET_STATS, get_stats, CLIENT, WATCH, stats, "Returns statistics of the server.")
END_MESSAGE(get_stats)

MESSAGE(5, ADD_AGENT, add_agent, CLIENT, ACT, agents, "Adds an agent, owned by your token. The answer contains only that agent.")
    FIELD(bool, has_position, "false: use a free cell near the origin")
    FIELD(position, position, "")
    FIELD(u8, direction, "0 up, 1 right, 2 down, 3 left")
    FIELD(bool, is_forced, "accept a blocked or occupied cell; also needs the permission EDIT")
END_MESSAGE(add_agent)

MESSAGE(6, REMOVE_AGENT, remove_agent, CLIENT, ACT, ok, "Removes one of your agents from the world.")
    FIELD(agent, agent, "")
END_MESSAGE(remove_agent)

MESSAGE(7, SET_ACTIVE, set_active, CLIENT, ACT, ok, "Activates or deactivates one of your agents. Steps wait for active agents only. Activating also gives control to this connection: when it closes, the agent becomes inactive.")
    FIELD(agent, agent, "")
    FIELD(bool, is_active, "")
END_MESSAGE(set_active)

MESSAGE(8, ACT, act, CLIENT, ACT, observed, "Sets the next action of one of your agents. A second request before the step replaces the first. Without `waits` the answer is `ok`, at once; with `waits` it is `observed`, after the step.")
    FIELD(agent, agent, "")
    FIELD(u32, action, "index of the action")
    FIELD(bool, waits, "")
    FIELD(u8, wants, "bits: what to include in the answer")
END_MESSAGE(act)

MESSAGE(9, ACT_MANY, act_many, CLIENT, ACT, observed, "The same for several agents at once. Either all actions are accepted or none.")
    FIELD(bool, waits, "")
    FIELD(u8, wants, "bits: what to include in the answer")
    LIST(choice, choices, "each agent at most once")
END_MESSAGE(act_many)

MESSAGE(10, PERCEIVE, perceive, CLIENT, WATCH, observed, "Returns what agents perceive now. Works for any agent.")
    FIELD(u8, wants, "bits: what to include in the answer")
    FIELD(agents, agents, "")
END_MESSAGE(perceive)

MESSAGE(11, READ_REGION, read_region, CLIENT, WATCH, region, "Returns the items of a region, at most region_cells_most cells.")
    FIELD(region, region, "")
    FIELD(bool, wants_states, "")
END_MESSAGE(read_region)

MESSAGE(12, LIST_AGENTS, list_agents, CLIENT, WATCH, agents, "Lists all agents in the order they were added, one page at a time.")
    FIELD(u32, first, "number of agents to skip")
    FIELD(u32, most, "maximum number to return")
END_MESSAGE(list_agents)

MESSAGE(13, GET_AGENTS, get_agents, CLIENT, WATCH, agents, "Returns the state of these agents, leaving out those that no longer exist.")
    FIELD(agents, agents, "")
END_MESSAGE(get_agents)

MESSAGE(14, SMELL, smell, CLIENT, WATCH, scent, "Returns the scent in a region, at most smell_cells_most cells.")
    FIELD(region, region, "")
    FIELD(u32, stride, "sample every stride-th cell along both axes, starting at the region's corner; 0 and 1: every cell")
END_MESSAGE(smell)

MESSAGE(15, SUBSCRIBE, subscribe, CLIENT, WATCH, ok, "Starts a stream of frames. They carry the request number of this message, which must differ from those of your other subscriptions. A client that reads slowly misses frames and always gets the newest.")
    FIELD(u8, topic, "0 all, 1 region, 2 agent")
    FIELD(region, region, "topic region: at most subscription_patches_most patches")
    FIELD(u8, detail, "topic region: 0 for every cell, otherwise squares of 2^detail cells by their mean color")
    FIELD(agent, agent, "topic agent")
    FIELD(u8, wants, "bits; topic agent: what to include, topic region: WANT_UNSEEN; WANT_WORDS with any topic")
    FIELD(f32, rate_most, "upper limit of frames per second; 0: as many as the server makes")
END_MESSAGE(subscribe)

MESSAGE(16, UNSUBSCRIBE, unsubscribe, CLIENT, WATCH, ok, "Ends a subscription.")
    FIELD(u32, subscription, "request number of its `subscribe`")
END_MESSAGE(unsubscribe)

MESSAGE(17, PAUSE, pause, CLIENT, CONTROL, ok, "Stops stepping until `resume`. Pending actions are kept.")
END_MESSAGE(pause)

MESSAGE(18, RESUME, resume, CLIENT, CONTROL, ok, "Continues stepping.")
END_MESSAGE(resume)

MESSAGE(19, STEP, step, CLIENT, CONTROL, ok, "Takes steps now, even while paused. Agents without a pending action do nothing.")
    FIELD(u32, count, "1 to step_count_most")
END_MESSAGE(step)

MESSAGE(20, SET_RATE, set_rate, CLIENT, CONTROL, ok, "Limits the number of steps per second.")
    FIELD(f64, rate, "steps per second; 0: as fast as agents act")
END_MESSAGE(set_rate)

MESSAGE(21, SAVE, save, CLIENT, SAVE, saved, "Saves the world to the server's file. Answered once it is on disk.")
END_MESSAGE(save)

MESSAGE(22, PLACE_ITEM, place_item, CLIENT, EDIT, ok, "Places an item in an empty cell.")
    FIELD(u32, item_type, "")
    FIELD(position, position, "")
END_MESSAGE(place_item)

MESSAGE(23, REMOVE_ITEM, remove_item, CLIENT, EDIT, ok, "Removes the item in a cell.")
    FIELD(position, position, "")
END_MESSAGE(remove_item)

MESSAGE(24, EXPLORE, explore, CLIENT, EDIT, ok, "Generates the patches that agents at these positions would need, and makes them final.")
    LIST(place, places, "1 to explore_places_most positions")
END_MESSAGE(explore)

MESSAGE(25, GET_HASH, get_hash, CLIENT, CONTROL, hash, "Returns a hash of the whole world.")
END_MESSAGE(get_hash)

MESSAGE(26, GET_WORLD_FILE, get_world_file, CLIENT, WATCH, world_file, "Returns the complete world file that the world was created from.")
END_MESSAGE(get_world_file)

MESSAGE(27, INSPECT, inspect, CLIENT, WATCH, cell, "Returns what is in a cell, and since when.")
    FIELD(position, position, "")
END_MESSAGE(inspect)

MESSAGE(28, GET_TIMELINE, get_timeline, CLIENT, WATCH, timeline, "Returns whether this is a recording, and its first and last time.")
END_MESSAGE(get_timeline)

MESSAGE(29, SEEK, seek, CLIENT, CONTROL, ok, "Jumps to another time of a recording.")
    FIELD(u64, time, "clamped to the recording")
END_MESSAGE(seek)

MESSAGE(30, FIND_EVENTS, find_events, CLIENT, WATCH, events, "Finds events in a recording, ordered by time.")
    FIELD(u64, from, "first time")
    FIELD(u64, to, "last time, inclusive")
    FIELD(u8, kinds, "bits: which kinds")
    FIELD(agent, agent, "only events of this agent; 0: of all agents")
    FIELD(bool, is_backward, "return the last matches instead of the first")
    FIELD(u32, most, "maximum number to return")
END_MESSAGE(find_events)

MESSAGE(31, ACT_NEXT, act_next, CLIENT, ACT, observed, "Queues an action of one of your agents for the step after all its pending ones, so that several can be in flight; at most 64. Each is answered after its own step. `act` replaces them all.")
    FIELD(agent, agent, "")
    FIELD(u32, action, "index of the action")
    FIELD(u8, wants, "bits: what to include in the answer")
END_MESSAGE(act_next)

MESSAGE(32, READ_PLANES, read_planes, CLIENT, WATCH, planes, "Returns a region as agents could see it, and what they cannot see there now; at most region_cells_most cells.")
    FIELD(region, region, "")
    FIELD(u8, planes, "bits: which planes")
END_MESSAGE(read_planes)

MESSAGE(33, EXAMINE, examine, CLIENT, WATCH, cell_details, "Returns what `inspect` does, and what agents cannot see in the cell now.")
    FIELD(position, position, "")
END_MESSAGE(examine)

MESSAGE(34, GET_CALENDAR, get_calendar, CLIENT, WATCH, calendar, "Returns when the items of each type are there.")
END_MESSAGE(get_calendar)

MESSAGE(35, JOIN, join, CLIENT, ACT, agents, "Does what `add_agent` does, with a body.")
    FIELDS_OF(add_agent, place)
    FIELD(u8, body, "index of the body, see `features`")
END_MESSAGE(join)

MESSAGE(36, ACT_WORDS, act_words, CLIENT, ACT, observed, "Does what `act_many` does, with what agents say and write. A text that is too long, or for an action that drops nothing which carries one, and a symbol that does not exist are refused with INVALID_ARGUMENT, and nobody acts.")
    FIELD(bool, waits, "")
    FIELD(bool, is_next, "queue it as `act_next` does, for one agent; it waits then")
    FIELD(u8, wants, "bits: what to include in the answer")
    LIST(wish, wishes, "each agent at most once")
END_MESSAGE(act_words)

MESSAGE(37, EXPLAIN, explain, CLIENT, WATCH, explained, "Returns what `examine` does, and the text that the item carries.")
    FIELD(position, position, "")
END_MESSAGE(explain)

MESSAGE(38, PLACE_TEXT, place_text, CLIENT, EDIT, ok, "Does what `place_item` does, with a text.")
    FIELDS_OF(place_item, item)
    FIELD(bytes, text, "UTF-8 without zeros, at most 255 bytes; empty for none")
END_MESSAGE(place_text)

MESSAGE(39, GET_FEATURES, get_features, CLIENT, WATCH, features, "Returns what agents of this world may be, say and write.")
END_MESSAGE(get_features)

// ---- from the server ----

MESSAGE(128, WELCOME, welcome, SERVER, NOTHING, , "Answers `hello`: describes the world and the server's limits.")
    FIELD(u16, version, "protocol version of this connection")
    FIELD(text, server, "name and version of the server")
    FIELD(text, name, "name of your token; empty without one")
    FIELD(u8, permissions, "bits: what you may do")
    FIELD(u32, agents_most, "number of agents your token may have")
    FIELD(u64, time, "world time: the number of steps taken")
    FIELD(u64, started_time, "world time when the server started; steps after that time which a crashed server had taken are lost")
    FIELD(u64, seed, "of the world")
    FIELD(bool, is_paused, "")
    FIELD(f64, rate, "upper limit of steps per second; 0: as fast as agents act")
    FIELD(u32, turn_timeout, "milliseconds after which the world steps without waiting for agents that have not acted; 0: never")
    FIELD(u32, patch_size, "")
    FIELD(u32, vision_side, "width and height of the field of vision, in cells")
    FIELD(u32, color_dimensions, "")
    FIELD(u32, scent_dimensions, "")
    FIELD(u32, message_most, "bytes in a message to the server")
    FIELD(u32, region_cells_most, "")
    FIELD(u32, smell_cells_most, "")
    FIELD(u32, list_most, "agents in one message")
    FIELD(u32, subscriptions_most, "per connection")
    FIELD(u32, subscription_patches_most, "")
    FIELD(u32, step_count_most, "")
    FIELD(u32, explore_places_most, "")
    FIELD(f32, frame_rate_most, "frames per second the server makes")
    FIELD(f32s, field_of_view, "(vision_side, vision_side): how much of each cell agents can see, from 0 to 1")
    LIST(item, items, "")
    LIST(action, actions, "")
    LIST(agent_info, agents, "the agents of your token; activate the inactive ones to use them")
END_MESSAGE(welcome)

MESSAGE(129, OK, ok, SERVER, NOTHING, , "The request was carried out.")
    FIELD(u64, time, "world time")
END_MESSAGE(ok)

MESSAGE(130, ERROR, error, SERVER, NOTHING, , "The request was refused and nothing has changed.")
    FIELD(u16, code, "one of the error codes")
    FIELD(bool, is_final, "the server closes the connection")
    FIELD(text, text, "explanation for people")
END_MESSAGE(error)

MESSAGE(131, PONG, pong, SERVER, NOTHING, , "Answers `ping`.")
    FIELD(u64, cookie, "")
    FIELD(u64, time, "world time")
END_MESSAGE(pong)

MESSAGE(132, STATS, stats, SERVER, NOTHING, , "Answers `get_stats`.")
    FIELD(u64, time, "world time")
    FIELD(u64, step_count, "steps since the server started")
    FIELD(u64, timeout_count, "steps taken without waiting for every agent")
    FIELD(f64, uptime, "seconds")
    FIELD(f64, world_cpu, "processor time used by the world thread, in seconds")
    FIELD(u32, agent_count, "")
    FIELD(u32, active_count, "")
    FIELD(u32, client_count, "")
    FIELD(u32, subscription_count, "")
    FIELD(u64, patch_count, "")
    FIELD(u64, final_patch_count, "")
    FIELD(u64, map_bytes, "")
    FIELD(u64, bytes_received, "")
    FIELD(u64, bytes_sent, "")
    FIELD(u64, refused_count, "requests answered with an error")
    FIELD(u64, dropped_count, "connections closed for malformed messages or for reading too slowly")
    FIELD(bool, is_paused, "")
    FIELD(f64, rate, "upper limit of steps per second; 0: as fast as agents act")
    FIELD(u64, saved_time, "world time of the latest save; 0 if there was none")
END_MESSAGE(stats)

MESSAGE(133, OBSERVED, observed, SERVER, NOTHING, , "Observations of agents, in the order of the request.")
    FIELD(u64, time, "world time")
    LIST(observation, observations, "")
END_MESSAGE(observed)

MESSAGE(134, AGENTS, agents, SERVER, NOTHING, , "States of agents.")
    FIELD(u64, time, "world time")
    FIELD(u32, total, "number of agents in the world")
    LIST(agent_info, agents, "")
END_MESSAGE(agents)

MESSAGE(135, REGION, region, SERVER, NOTHING, , "Answers `read_region`.")
    FIELD(u64, time, "world time")
    FIELD(region, region, "")
    FIELD(bytes, items, "(height, width), lowest row first: item type plus one, 0 for none")
    FIELD(bytes, states, "(height, width), state of each cell's patch: 0 missing, 1 sampled, 2 final; empty unless wanted")
END_MESSAGE(region)

MESSAGE(136, SCENT, scent, SERVER, NOTHING, , "Answers `smell`.")
    FIELD(u64, time, "world time")
    FIELD(region, region, "")
    FIELD(f32s, scent, "(height, width, scent_dimensions), lowest row first")
END_MESSAGE(scent)

MESSAGE(137, FRAME, frame, SERVER, NOTHING, , "One frame of a subscription: the world at one moment. Its request number is that of the `subscribe`.")
    FIELD(u64, time, "world time")
    FIELD(bool, is_paused, "")
    FIELD(f64, rate, "upper limit of steps per second; 0: as fast as agents act")
    FIELD(f64, steps_per_second, "measured")
    FIELD(u32, agent_count, "number of agents in the world")
    FIELD(u32, patches_left, "patches not yet examined, to keep the frame small, and patches being made; they follow in later frames")
    LIST(agent_mark, agents, "all agents, those in the region, or the one; at most list_most")
    LIST(patch, patches, "topic region: those that have changed since the previous frame")
    LIST(observation, observations, "topic agent: empty if the agent is gone")
END_MESSAGE(frame)

MESSAGE(138, SAVED, saved, SERVER, NOTHING, , "Answers `save`.")
    FIELD(u64, time, "world time of the snapshot")
END_MESSAGE(saved)

MESSAGE(139, HASH, hash, SERVER, NOTHING, , "Answers `get_hash`.")
    FIELD(u64, time, "world time")
    FIELD(u64, hash, "")
END_MESSAGE(hash)

MESSAGE(140, WORLD_FILE, world_file, SERVER, NOTHING, , "Answers `get_world_file`.")
    FIELD(bytes, text, "YAML")
END_MESSAGE(world_file)

MESSAGE(141, CELL, cell, SERVER, NOTHING, , "Answers `inspect`.")
    FIELD(u64, time, "world time")
    FIELD(u8, state, "state of its patch: 0 missing, 1 sampled, 2 final")
    FIELD(i32, item, "item type, or -1")
    FIELD(bool, is_generated, "the cell is as it was generated")
    FIELD(u64, since, "otherwise, the time of its last change")
    FIELD(bool, is_since_known, "false: `since` is only an upper bound")
    FIELD(f32s, scent, "(scent_dimensions)")
    FIELD(agents, agents, "agents in the cell; at most 16")
END_MESSAGE(cell)

MESSAGE(142, TIMELINE, timeline, SERVER, NOTHING, , "Answers `get_timeline`.")
    FIELD(bool, is_recording, "false for a live world; the other fields are then zero")
    FIELD(u64, first_time, "")
    FIELD(u64, last_time, "")
    FIELD(text, name, "file name")
END_MESSAGE(timeline)

MESSAGE(143, EVENTS, events, SERVER, NOTHING, , "Answers `find_events`.")
    FIELD(u64, known_to, "the recording has been searched up to this time")
    LIST(event, events, "")
END_MESSAGE(events)

MESSAGE(144, PLANES, planes, SERVER, NOTHING, , "Answers `read_planes`. Each plane is (height, width), lowest row first, or empty unless wanted.")
    FIELD(u64, time, "world time")
    FIELD(region, region, "")
    FIELD(bytes, items, "item type plus one, 0 for none")
    FIELD(bytes, hidden, "items that are out of season, in the same way")
    FIELD(bytes, growing, "items that grow back, in the same way, also below others")
    FIELD(bytes, states, "0 missing, 1 sampled, 2 final")
END_MESSAGE(planes)

MESSAGE(145, CELL_DETAILS, cell_details, SERVER, NOTHING, , "Answers `examine`.")
    FIELD(u64, time, "world time")
    FIELD(u8, state, "state of its patch: 0 missing, 1 sampled, 2 final")
    FIELD(i32, item, "item type, in season or not, or -1")
    FIELD(bool, is_hidden, "the item is out of season")
    FIELD(bool, is_generated, "the cell is as it was generated")
    FIELD(u64, since, "otherwise, the time of its last change")
    FIELD(bool, is_since_known, "false: `since` is only an upper bound")
    FIELD(i32, growing, "type of the item that grows back there, or -1")
    FIELD(u64, due, "when that item is there, or as soon as the cell is empty after that time")
    FIELD(f32s, scent, "(scent_dimensions)")
    FIELD(agents, agents, "agents in the cell; at most 16")
END_MESSAGE(cell_details)

MESSAGE(146, CALENDAR, calendar, SERVER, NOTHING, , "Answers `get_calendar`.")
    LIST(item_season, items, "in the order of the item types")
END_MESSAGE(calendar)

MESSAGE(147, PERCEIVED, perceived, SERVER, NOTHING, , "What `observed` has, and the words of each agent.")
    FIELDS_OF(observed, observed)
    LIST(words, words, "in the order of `observations`")
END_MESSAGE(perceived)

MESSAGE(148, EXPLAINED, explained, SERVER, NOTHING, , "Answers `explain`.")
    FIELDS_OF(cell_details, cell)
    FIELD(bytes, text, "that the item carries, UTF-8; empty if there is none")
END_MESSAGE(explained)

MESSAGE(149, SCENE, scene, SERVER, NOTHING, , "One frame of a subscription with WANT_WORDS.")
    FIELDS_OF(frame, frame)
    FIELD(bytes, bodies, "in the order of `agents`: index of the body")
    FIELD(bytes, said, "in the same order: its symbol in the latest step, or 0")
    LIST(words, words, "topic agent: in the order of `observations`")
END_MESSAGE(scene)

MESSAGE(150, FEATURES, features, SERVER, NOTHING, , "Answers `get_features`.")
    FIELD(u32, symbols, "what agents can say: symbols from 1 to this; 0: they have no voice")
    FIELD(u32, voice_range, "largest Euclidean distance at which a symbol is heard")
    FIELD(bytes, carries_text, "(items): 1 for each type that may carry a text, otherwise 0")
    LIST(body, bodies, "at least one")
END_MESSAGE(features)

#undef VERSION
#undef ERROR
#undef FLAG
#undef RECORD
#undef END_RECORD
#undef MESSAGE
#undef END_MESSAGE
#undef FIELD
#undef LIST
#undef FIELDS_OF
