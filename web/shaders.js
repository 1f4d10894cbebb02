// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The shaders. Positions are in cells relative to an anchor near the camera, since single precision
// is not exact far from the origin; `view` maps them to the screen:
//
//     view = (anchor - camera in cells, scale to clip space)

const head = `
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp usampler2D;
precision highp sampler2DArray;
`;

const toClip = `
uniform vec4 view;
vec2 to_clip(vec2 cell) { return (cell + view.xy) * view.zw; }
vec2 corner() { return vec2(gl_VertexID & 1, gl_VertexID >> 1); }
`;

// for Records: six vertices per rectangle
const fromRecords = `
uniform sampler2D records;
vec4 texel(int i) { return texelFetch(records, ivec2(i & 255, i >> 8), 0); }
int record() { return gl_VertexID / 6; }
vec2 record_corner()
{
    int which = gl_VertexID % 6;
    int at = which < 3 ? which : 6 - which; // 0 1 2, 3 2 1
    return vec2(at & 1, at >> 1);
}
`;

// --- the background: stripes that move with the world ---

const backdropVertex = `${head}
void main() { gl_Position = vec4(4 * (gl_VertexID & 1) - 1, 4 * (gl_VertexID >> 1) - 1, 0.0, 1.0); }
`;

const backdropFragment = `${head}
uniform vec2 shift; // of the world, in pixels, modulo the stripe width
uniform float stripe; // width in pixels
uniform vec3 hatch[2];
out vec4 color;
void main()
{
    float along = mod(dot(gl_FragCoord.xy + shift, vec2(1.0)), 2.0 * stripe);
    float soft = smoothstep(0.0, 1.4, along) - smoothstep(stripe, stripe + 1.4, along);
    color = vec4(mix(hatch[0], hatch[1], soft), 1.0);
}
`;

// --- patches ---

const tileVertex = `${head}${toClip}
layout(location = 0) in vec2 origin;
layout(location = 1) in vec2 slot;
layout(location = 2) in float state;
uniform float patch_size;
out vec2 cell;
flat out ivec2 tile;
flat out float is_final;
void main()
{
    cell = corner() * patch_size;
    tile = ivec2(slot);
    is_final = state == 2.0 ? 1.0 : 0.0;
    gl_Position = vec4(to_clip(origin + cell), 0.0, 1.0);
}
`;

const ground = `
in vec2 cell;
flat in ivec2 tile;
flat in float is_final;
uniform float patch_size;
uniform float zoom;
uniform vec3 paper;
uniform vec3 sampled;
uniform vec3 line;
uniform float grid;

vec3 ground() { return is_final == 1.0 ? paper : sampled; }

// items that may still change are pale
vec3 settle(vec3 color) { return is_final == 1.0 ? color : mix(color, sampled, 0.59); }

vec3 add_grid(vec3 color)
{
    vec2 from_edge = min(cell, patch_size - cell) * zoom;
    float on_line = 1.0 - smoothstep(0.5, 1.0, min(from_edge.x, from_edge.y));
    return mix(color, line, 0.6 * grid * on_line);
}
`;

// items up close, over their background. `form` is read from the texture of shapes (forms.js): the distance to the
// edge, negative inside, and what is drawn there, up to 1 darker, down to -1 lighter.
const paintNear = `
uniform sampler2DArray forms;
uniform float form_level;
const int BRICKS = 4;

vec2 read_form(int kind, vec2 p) { return textureLod(forms, vec3(p + 0.5, float(kind)), form_level).rg; }

// as its shape; from a little farther away, the whole cell in its color
vec3 paint_item(vec3 behind, vec3 color, int kind, vec2 p)
{
    vec2 form = read_form(kind, p);
    float pixel = 1.0 / zoom;
    float detailed = smoothstep(10.0, 22.0, zoom);
    float rim_width = 0.5 * pixel + 0.022;
    vec3 rim = mix(color * 0.55, color + 0.35, step(dot(behind, vec3(0.34)), 0.4));
    float m = form.y * detailed;
    vec3 body = m > 0.0 ? mix(color, color * 0.25, m) : mix(color, mix(color, vec3(1.0), 0.7), -m);
    // a rim around something small would cover it
    float rim_part = kind == BRICKS ? 0.0 : 0.9 * detailed;
    body = mix(body, rim, smoothstep(-rim_width - pixel, -rim_width, form.x) * rim_part);
    vec3 drawn = mix(behind, body, 1.0 - smoothstep(-0.5 * pixel, 0.5 * pixel, form.x));
    return mix(color, drawn, smoothstep(5.0, 10.0, zoom));
}

// out of season: a pale outline
vec3 paint_outline(vec3 behind, vec3 color, int kind, vec2 p)
{
    float edge = read_form(kind, p).x;
    float pixel = 1.0 / zoom;
    float width = max(0.9 * pixel, 0.022);
    float on_line = 1.0 - smoothstep(width - 0.5 * pixel, width + 0.5 * pixel, abs(edge + width));
    float inside = 1.0 - smoothstep(-0.5 * pixel, 0.5 * pixel, edge);
    vec3 drawn = mix(behind, color, 0.55 * on_line + 0.08 * inside * (1.0 - on_line));
    return mix(mix(behind, color, OUTLINE_HINT), drawn, smoothstep(5.0, 10.0, zoom));
}

float stick(vec2 p, vec2 from, vec2 to, float radius)
{
    vec2 along = to - from;
    float part = clamp(dot(p - from, along) / dot(along, along), 0.0, 1.0);
    return length(p - from - part * along) - radius;
}

// growing back: a stem with two leaves, and a bud in its color
vec3 paint_sprout(vec3 behind, vec3 color, vec2 p)
{
    float pixel = 1.0 / zoom;
    float stem = stick(p, vec2(0.0, -0.42), vec2(0.0, 0.08), max(0.025, 0.6 * pixel));
    const float c = cos(-0.6), s = sin(-0.6);
    vec2 leaf = mat2(c, s, -s, c) * (vec2(abs(p.x), p.y) - vec2(0.18, -0.1));
    float leaves = (length(leaf * vec2(1.0, 2.1)) - 0.18) / 1.5;
    float bud = length(p - vec2(0.0, 0.19)) - 0.12;
    vec3 drawn = mix(behind, GREEN, 0.85 * (1.0 - smoothstep(-0.5 * pixel, 0.5 * pixel, min(stem, leaves))));
    drawn = mix(drawn, color, 1.0 - smoothstep(-0.5 * pixel, 0.5 * pixel, bud));
    return mix(mix(behind, mix(GREEN, color, 0.4), SPROUT_HINT), drawn, smoothstep(5.0, 10.0, zoom));
}
`;

// from afar an item fills its cell, and what agents cannot see is a hint of its color
const paintFar = `
vec3 paint_item(vec3 behind, vec3 color, int kind, vec2 p) { return color; }
vec3 paint_outline(vec3 behind, vec3 color, int kind, vec2 p) { return mix(behind, color, OUTLINE_HINT); }
vec3 paint_sprout(vec3 behind, vec3 color, vec2 p) { return mix(behind, mix(GREEN, color, 0.4), SPROUT_HINT); }
`;

const paintConstants = `
const vec3 GREEN = vec3(0.33, 0.60, 0.25);
const float OUTLINE_HINT = 0.13, SPROUT_HINT = 0.22;
`;

/// Cells larger than this many pixels show the shapes of their items.
export const NEAR = 5;

// Software renderers execute both sides of every branch, so what a world or a view does not need is left out.
const cellsFragment = (isNear, hasUnseen) => `${head}
uniform usampler2D tiles;
uniform sampler2D palette; // color, and the shape's number as alpha
${ground}${paintConstants}${isNear ? paintNear : paintFar}
out vec4 color;
void main()
{
    ivec2 at = clamp(ivec2(floor(cell)), ivec2(0), ivec2(int(patch_size) - 1));
    uint texel = texelFetch(tiles, tile + at, 0).r;
    uint item = texel & 255u;
    vec3 result = ground();
    // faint lines between cells when they are large
    vec2 from_line = (0.5 - abs(cell - vec2(at) - 0.5)) * zoom;
    float on_line = 1.0 - smoothstep(0.3, 0.8, min(from_line.x, from_line.y));
    result = mix(result, line, 0.10 * on_line * smoothstep(9.0, 20.0, zoom));
    if (item > 0u) {
        vec4 kind = texelFetch(palette, ivec2(int(item), 0), 0);
        int form = int(kind.a * 255.0 + 0.5);
        vec2 p = cell - vec2(at) - 0.5;
        ${hasUnseen ? `uint look = texel >> 8; // 0 as agents see it, 1 out of season, 2 growing back
        result = look == 0u ? settle(paint_item(result, kind.rgb, form, p))
            : look == 1u ? paint_outline(result, settle(kind.rgb), form, p)
            : paint_sprout(result, settle(kind.rgb), p);` : 'result = settle(paint_item(result, kind.rgb, form, p));'}
    }
    color = vec4(add_grid(result), 1.0);
}
`;

// From far away a pixel covers many cells: it has the mean color of their items, and the fraction
// of cells with an item. Sparse items would vanish, so that fraction is amplified.
const blocksFragment = `${head}
uniform sampler2D tiles;
uniform float block; // cells
uniform int tile_side;
${ground}
out vec4 color;
void main()
{
    ivec2 at = clamp(ivec2(floor(cell / block)), ivec2(0), ivec2(tile_side - 1));
    vec4 mean = texelFetch(tiles, tile + at, 0);
    vec3 result = ground();
    if (mean.a > 0.0)
        result = mix(result, settle(min(mean.rgb / mean.a, 1.0)), pow(mean.a, 0.45));
    color = vec4(add_grid(result), 1.0);
}
`;

// --- visits ---

const heatFragment = `${head}
in vec2 cell;
flat in ivec2 tile;
flat in float is_final;
uniform sampler2D tiles;
uniform sampler2D ramp;
uniform float patch_size;
uniform float zoom;
out vec4 color;
void main()
{
    ivec2 most = ivec2(int(patch_size) - 1);
    ivec2 at = clamp(ivec2(floor(cell)), ivec2(0), most);
    float level = texelFetch(tiles, tile + at, 0).r;
    // from far away, sample what lies between the pixels
    int span = int(min(ceil(1.0 / zoom), 6.0));
    for (int y = 0; y < span; y++)
        for (int x = 0; x < span; x++)
            level = max(level, texelFetch(tiles, tile + clamp(at + ivec2(x, y), ivec2(0), most), 0).r);
    if (level == 0.0) discard;
    float part = 0.45 + 0.4 * level;
    color = vec4(texture(ramp, vec2(level, 0.5)).rgb * part, part);
}
`;

// --- a rectangle with a picture in it, or a frame around it ---

const sheetVertex = `${head}${toClip}
uniform vec4 area; // x, y, width, height
out vec2 place;
void main()
{
    place = corner();
    gl_Position = vec4(to_clip(area.xy + place * area.zw), 0.0, 1.0);
}
`;

const sheetFragment = `${head}
in vec2 place;
uniform sampler2D picture;
uniform float opacity;
out vec4 color;
void main() { color = texture(picture, place) * opacity; }
`;

const frameFragment = `${head}
in vec2 place;
uniform vec4 area;
uniform float zoom;
uniform float width;
uniform vec3 tint;
out vec4 color;
void main()
{
    vec2 inside = min(place, 1.0 - place) * area.zw * zoom;
    float part = 1.0 - smoothstep(width - 0.5, width + 0.5, min(inside.x, inside.y));
    color = vec4(tint, 1.0) * part;
}
`;

// --- trails: each record is a step from one cell to another ---

const trailVertex = `${head}${toClip}${fromRecords}
uniform float now;
uniform float memory; // number of steps until a segment fades
uniform float zoom;
out float part;
flat out vec3 shade;
out float across;
void main()
{
    vec4 ends = texel(2 * record());
    vec4 tint = texel(2 * record() + 1); // red, green, blue, and time
    vec2 from = ends.xy + 0.5, to = ends.zw + 0.5;
    float half_width = clamp(0.1 * zoom, 1.1, 6.0) / zoom;
    vec2 along = normalize(to - from);
    vec2 side = vec2(-along.y, along.x);
    vec2 c = record_corner();
    across = 2.0 * c.y - 1.0;
    vec2 at = mix(from - along * half_width * 0.7, to + along * half_width * 0.7, c.x) + side * half_width * across;
    part = clamp(1.0 - (now - tint.w) / memory, 0.0, 1.0);
    shade = tint.rgb;
    gl_Position = vec4(to_clip(at), 0.0, 1.0);
}
`;

const trailFragment = `${head}
in float part;
in float across;
flat in vec3 shade;
out vec4 color;
void main()
{
    if (part <= 0.0) discard;
    color = vec4(shade, 1.0) * (0.15 + 0.75 * part) * (1.0 - smoothstep(0.7, 1.0, abs(across)));
}
`;

// --- agents ---

const agentVertex = `${head}${toClip}${fromRecords}
uniform float zoom;
uniform float least; // smallest size in pixels
out vec2 place;
flat out int marks;
flat out float size;
void main()
{
    // position, direction, and flags: 1 active, 2 the user's own, 4 selected, 8 with a color, from bit 4 on
    vec4 agent = texel(record());
    vec2 position = agent.xy;
    marks = int(agent.w);
    size = max(zoom, least) * 1.3;
    vec2 c = record_corner() - 0.5;
    place = c * 1.3;
    // up, right, down, left: clockwise
    float turn = agent.z * 1.57079632679;
    vec2 t = vec2(cos(turn) * c.x + sin(turn) * c.y, -sin(turn) * c.x + cos(turn) * c.y);
    gl_Position = vec4(to_clip(position + 0.5 + t * size / zoom), 0.0, 1.0);
}
`;

const agentFragment = `${head}
in vec2 place;
flat in int marks;
flat in float size;
uniform vec3 ink;
uniform vec3 rim;
uniform vec3 own;
uniform vec3 selected;
out vec4 color;

// an arrow head with rounded corners and a notch
float arrow(vec2 p)
{
    p.x = abs(p.x);
    const vec2 tip = vec2(0.0, 0.40), wing = vec2(0.30, -0.32); // and a notch at (0, -0.18)
    // outward normals of the side from tip to wing, and of the back from wing to notch
    const vec2 side_out = vec2(0.923077, 0.384615), back_out = vec2(-0.422885, -0.906183);
    float side = dot(p - tip, side_out);
    float back = dot(p - wing, back_out);
    return max(side, back) - 0.03;
}

void main()
{
    float pixel = 1.3 / size;
    float edge = arrow(place);
    vec3 body = (marks & 4) != 0 ? selected : (marks & 2) != 0 ? own : ink;
    vec3 fill = body;
    if ((marks & 8) != 0) fill = vec3(marks >> 4 & 63, marks >> 10 & 63, marks >> 16 & 63) / 63.0;
    float rim_width = max(1.6 * pixel, 0.05);
    float inside = 1.0 - smoothstep(-pixel, 0.0, edge);
    float outside = 1.0 - smoothstep(rim_width - pixel, rim_width, edge);
    vec4 result = vec4(mix(rim, body, inside), 1.0) * outside;
    // a body's color has an edge that tells whose agent it is
    float within = 1.0 - smoothstep(-0.05 - pixel, -0.05, edge);
    result = mix(result, vec4(fill, 1.0), within);
    // inactive agents are hollow
    if ((marks & 1) == 0) {
        float hollow = 1.0 - smoothstep(-0.12 - pixel, -0.12, edge);
        result = mix(result, vec4(rim, 1.0), hollow);
    }
    if ((marks & 4) != 0) {
        float ring = abs(length(place) - 0.58) - max(pixel, 0.025);
        result = max(result, vec4(selected, 1.0) * (1.0 - smoothstep(0.0, pixel, ring)));
    }
    color = result;
}
`;

/// The shaders of each program, by its name.
export const PROGRAMS = {
    backdrop: {vertex: backdropVertex, fragment: backdropFragment},
    nearCells: {vertex: tileVertex, fragment: cellsFragment(true, false)},
    farCells: {vertex: tileVertex, fragment: cellsFragment(false, false)},
    nearLooks: {vertex: tileVertex, fragment: cellsFragment(true, true)}, // with what agents cannot see
    farLooks: {vertex: tileVertex, fragment: cellsFragment(false, true)},
    blocks: {vertex: tileVertex, fragment: blocksFragment},
    heat: {vertex: tileVertex, fragment: heatFragment},
    sheet: {vertex: sheetVertex, fragment: sheetFragment},
    frame: {vertex: sheetVertex, fragment: frameFragment},
    trails: {vertex: trailVertex, fragment: trailFragment},
    agents: {vertex: agentVertex, fragment: agentFragment},
};
