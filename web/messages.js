// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Made by protocol_js from src/net/wire/messages.inl. A field is [type, name]; a list of
// records is [[record], name]; a message is [number, fields].

export const version = 1;

export const records = {
    item: [
        ['text', 'name'],
        ['f32s', 'color'],
        ['bool', 'blocks'],
    ],
    action: [
        ['text', 'name'],
        ['u8', 'kind'],
        ['i32', 'item'],
    ],
    choice: [
        ['agent', 'agent'],
        ['u32', 'action'],
    ],
    place: [
        ['position', 'position'],
    ],
    agent_info: [
        ['agent', 'agent'],
        ['text', 'owner'],
        ['bool', 'is_yours'],
        ['bool', 'is_driven'],
        ['bool', 'is_active'],
        ['position', 'position'],
        ['u8', 'direction'],
        ['position', 'start'],
        ['i32', 'request'],
        ['u64s', 'inventory'],
    ],
    agent_mark: [
        ['agent', 'agent'],
        ['position', 'position'],
        ['u8', 'direction'],
        ['bool', 'is_active'],
        ['i32', 'action'],
        ['i32', 'collected'],
    ],
    observation: [
        ['agent', 'agent'],
        ['position', 'position'],
        ['u8', 'direction'],
        ['bool', 'is_active'],
        ['u64', 'result_time'],
        ['i32', 'action'],
        ['u8', 'outcome'],
        ['bool', 'moved'],
        ['u8', 'item_outcome'],
        ['i32', 'collected'],
        ['i32', 'dropped'],
        ['position', 'position_before'],
        ['sparse', 'vision'],
        ['f32s', 'scent'],
        ['bytes', 'items'],
        ['u64s', 'inventory'],
        ['f32s', 'seen'],
    ],
    patch: [
        ['position', 'position'],
        ['u8', 'state'],
        ['bytes', 'items'],
    ],
    event: [
        ['u64', 'time'],
        ['agent', 'agent'],
        ['u8', 'kind'],
        ['i32', 'item'],
    ],
};

export const messages = {
    hello: [1, [
        ['u16', 'version_least'],
        ['u16', 'version_most'],
        ['text', 'token'],
        ['text', 'client'],
    ]],
    goodbye: [2, [
    ]],
    ping: [3, [
        ['u64', 'cookie'],
    ]],
    get_stats: [4, [
    ]],
    add_agent: [5, [
        ['bool', 'has_position'],
        ['position', 'position'],
        ['u8', 'direction'],
        ['bool', 'is_forced'],
    ]],
    remove_agent: [6, [
        ['agent', 'agent'],
    ]],
    set_active: [7, [
        ['agent', 'agent'],
        ['bool', 'is_active'],
    ]],
    act: [8, [
        ['agent', 'agent'],
        ['u32', 'action'],
        ['bool', 'waits'],
        ['u8', 'wants'],
    ]],
    act_many: [9, [
        ['bool', 'waits'],
        ['u8', 'wants'],
        [['choice'], 'choices'],
    ]],
    perceive: [10, [
        ['u8', 'wants'],
        ['agents', 'agents'],
    ]],
    read_region: [11, [
        ['region', 'region'],
        ['bool', 'wants_states'],
    ]],
    list_agents: [12, [
        ['u32', 'first'],
        ['u32', 'most'],
    ]],
    get_agents: [13, [
        ['agents', 'agents'],
    ]],
    smell: [14, [
        ['region', 'region'],
        ['u32', 'stride'],
    ]],
    subscribe: [15, [
        ['u8', 'topic'],
        ['region', 'region'],
        ['u8', 'detail'],
        ['agent', 'agent'],
        ['u8', 'wants'],
        ['f32', 'rate_most'],
    ]],
    unsubscribe: [16, [
        ['u32', 'subscription'],
    ]],
    pause: [17, [
    ]],
    resume: [18, [
    ]],
    step: [19, [
        ['u32', 'count'],
    ]],
    set_rate: [20, [
        ['f64', 'rate'],
    ]],
    save: [21, [
    ]],
    place_item: [22, [
        ['u32', 'item_type'],
        ['position', 'position'],
    ]],
    remove_item: [23, [
        ['position', 'position'],
    ]],
    explore: [24, [
        [['place'], 'places'],
    ]],
    get_hash: [25, [
    ]],
    get_world_file: [26, [
    ]],
    inspect: [27, [
        ['position', 'position'],
    ]],
    get_timeline: [28, [
    ]],
    seek: [29, [
        ['u64', 'time'],
    ]],
    find_events: [30, [
        ['u64', 'from'],
        ['u64', 'to'],
        ['u8', 'kinds'],
        ['agent', 'agent'],
        ['bool', 'is_backward'],
        ['u32', 'most'],
    ]],
    act_next: [31, [
        ['agent', 'agent'],
        ['u32', 'action'],
        ['u8', 'wants'],
    ]],
    welcome: [128, [
        ['u16', 'version'],
        ['text', 'server'],
        ['text', 'name'],
        ['u8', 'permissions'],
        ['u32', 'agents_most'],
        ['u64', 'time'],
        ['u64', 'started_time'],
        ['u64', 'seed'],
        ['bool', 'is_paused'],
        ['f64', 'rate'],
        ['u32', 'turn_timeout'],
        ['u32', 'patch_size'],
        ['u32', 'vision_side'],
        ['u32', 'color_dimensions'],
        ['u32', 'scent_dimensions'],
        ['u32', 'message_most'],
        ['u32', 'region_cells_most'],
        ['u32', 'smell_cells_most'],
        ['u32', 'list_most'],
        ['u32', 'subscriptions_most'],
        ['u32', 'subscription_patches_most'],
        ['u32', 'step_count_most'],
        ['u32', 'explore_places_most'],
        ['f32', 'frame_rate_most'],
        ['f32s', 'field_of_view'],
        [['item'], 'items'],
        [['action'], 'actions'],
        [['agent_info'], 'agents'],
    ]],
    ok: [129, [
        ['u64', 'time'],
    ]],
    error: [130, [
        ['u16', 'code'],
        ['bool', 'is_final'],
        ['text', 'text'],
    ]],
    pong: [131, [
        ['u64', 'cookie'],
        ['u64', 'time'],
    ]],
    stats: [132, [
        ['u64', 'time'],
        ['u64', 'step_count'],
        ['u64', 'timeout_count'],
        ['f64', 'uptime'],
        ['f64', 'world_cpu'],
        ['u32', 'agent_count'],
        ['u32', 'active_count'],
        ['u32', 'client_count'],
        ['u32', 'subscription_count'],
        ['u64', 'patch_count'],
        ['u64', 'final_patch_count'],
        ['u64', 'map_bytes'],
        ['u64', 'bytes_received'],
        ['u64', 'bytes_sent'],
        ['u64', 'refused_count'],
        ['u64', 'dropped_count'],
        ['bool', 'is_paused'],
        ['f64', 'rate'],
        ['u64', 'saved_time'],
    ]],
    observed: [133, [
        ['u64', 'time'],
        [['observation'], 'observations'],
    ]],
    agents: [134, [
        ['u64', 'time'],
        ['u32', 'total'],
        [['agent_info'], 'agents'],
    ]],
    region: [135, [
        ['u64', 'time'],
        ['region', 'region'],
        ['bytes', 'items'],
        ['bytes', 'states'],
    ]],
    scent: [136, [
        ['u64', 'time'],
        ['region', 'region'],
        ['f32s', 'scent'],
    ]],
    frame: [137, [
        ['u64', 'time'],
        ['bool', 'is_paused'],
        ['f64', 'rate'],
        ['f64', 'steps_per_second'],
        ['u32', 'agent_count'],
        ['u32', 'patches_left'],
        [['agent_mark'], 'agents'],
        [['patch'], 'patches'],
        [['observation'], 'observations'],
    ]],
    saved: [138, [
        ['u64', 'time'],
    ]],
    hash: [139, [
        ['u64', 'time'],
        ['u64', 'hash'],
    ]],
    world_file: [140, [
        ['bytes', 'text'],
    ]],
    cell: [141, [
        ['u64', 'time'],
        ['u8', 'state'],
        ['i32', 'item'],
        ['bool', 'is_generated'],
        ['u64', 'since'],
        ['bool', 'is_since_known'],
        ['f32s', 'scent'],
        ['agents', 'agents'],
    ]],
    timeline: [142, [
        ['bool', 'is_recording'],
        ['u64', 'first_time'],
        ['u64', 'last_time'],
        ['text', 'name'],
    ]],
    events: [143, [
        ['u64', 'known_to'],
        [['event'], 'events'],
    ]],
};

export const errors = {
    1: 'MALFORMED',
    2: 'UNKNOWN_MESSAGE',
    3: 'HELLO_FIRST',
    4: 'VERSION',
    5: 'BAD_TOKEN',
    6: 'NOT_PERMITTED',
    7: 'NOT_YOURS',
    8: 'NO_SUCH_AGENT',
    9: 'INVALID_ARGUMENT',
    10: 'OUT_OF_RANGE',
    11: 'CELL_BLOCKED',
    12: 'NOT_FOUND',
    13: 'INACTIVE',
    14: 'REPLACED',
    15: 'TOO_MANY',
    16: 'TOO_LARGE',
    17: 'CLOSING',
    18: 'OUT_OF_MEMORY',
    19: 'UNSUPPORTED',
    20: 'FAILED',
};

export const flags = {
    PERMISSION_WATCH: 1,
    PERMISSION_ACT: 2,
    PERMISSION_EDIT: 4,
    PERMISSION_CONTROL: 8,
    PERMISSION_SAVE: 16,
    WANT_VISION: 1,
    WANT_SCENT: 2,
    WANT_ITEMS: 4,
    WANT_INVENTORY: 8,
    WANT_SEEN: 16,
    EVENT_COLLECTED: 1,
    EVENT_STUCK: 2,
    TOPIC_ALL: 0,
    TOPIC_REGION: 1,
    TOPIC_AGENT: 2,
};
