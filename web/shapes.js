// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// How items look up close: GLSL for the signed distance of a point to the edge of each shape,
// negative inside. p is in a cell, from -0.5 to 0.5, y up. The middle of every shape is inside and
// unmarked, so that the middle of a cell always has the item's own color.

export const shapeCode = `
float disc(vec2 p, vec2 middle, float radius) { return length(p - middle) - radius; }

float box(vec2 p, vec2 middle, vec2 half_size, float round_by)
{
    vec2 d = abs(p - middle) - half_size + round_by;
    return length(max(d, 0.0)) + min(max(d.x, d.y), 0.0) - round_by;
}

float stick(vec2 p, vec2 from, vec2 to, float radius)
{
    vec2 along = to - from;
    float part = clamp(dot(p - from, along) / dot(along, along), 0.0, 1.0);
    return length(p - from - part * along) - radius;
}

// a smooth union
float melt(float a, float b, float width)
{
    float h = max(width - abs(a - b), 0.0) / width;
    return min(a, b) - h * h * width * 0.25;
}

vec2 turned(vec2 p, float angle)
{
    float c = cos(angle), s = sin(angle);
    return vec2(c * p.x - s * p.y, s * p.x + c * p.y);
}

// a regular polygon with one corner up; deeper > 0 pulls the sides in, for a star
float polygon(vec2 p, float corners, float radius, float deeper)
{
    float part = 6.28318530718 / corners;
    float angle = atan(p.x, p.y);
    float within = abs(mod(angle + 0.5 * part, part) - 0.5 * part);
    vec2 q = length(p) * vec2(sin(within), cos(within));
    vec2 corner = vec2(0.0, radius);
    float inner = radius * cos(0.5 * part) * (1.0 - deeper);
    vec2 side = inner * vec2(sin(0.5 * part), cos(0.5 * part)) - corner;
    vec2 outward = normalize(vec2(-side.y, side.x));
    return dot(q - corner, outward);
}

float shape(int kind, vec2 p)
{
    switch (kind) {
    case 1: { // a bean, bent
        vec2 q = turned(p, -0.6);
        q.y += 1.2 * q.x * q.x - 0.03;
        return 0.85 * stick(q, vec2(-0.18, 0.0), vec2(0.18, 0.0), 0.2);
    }
    case 2: { // a banana: one disc minus another
        vec2 q = turned(p, 0.5);
        return max(disc(q, vec2(0.0, 0.2), 0.36), -disc(q, vec2(0.0, 0.44), 0.3));
    }
    case 3: // an onion: a bulb and its tip
        return melt(disc(p, vec2(0.0, -0.07), 0.31), stick(p, vec2(0.0, 0.2), vec2(0.0, 0.4), 0.035), 0.22);
    case 4: // bricks fill the cell
        return box(p, vec2(0.0), vec2(0.5), 0.0) - 0.01;
    case 5: { // a tree: leaves over a trunk
        float leaves = melt(melt(disc(p, vec2(0.0, 0.14), 0.29), disc(p, vec2(-0.2, -0.02), 0.2), 0.06),
                            disc(p, vec2(0.2, -0.02), 0.2), 0.06);
        return min(leaves, box(p, vec2(0.0, -0.32), vec2(0.06, 0.14), 0.02));
    }
    case 6: { // a truffle: a lump
        float angle = atan(p.y, p.x);
        return 0.9 * (length(p) - 0.32 - 0.03 * sin(5.0 * angle + 0.6) - 0.02 * sin(8.0 * angle));
    }
    case 7: return (abs(p.x) + abs(p.y) - 0.42) * 0.7071;
    case 8: return polygon(p + vec2(0.0, 0.07), 3.0, 0.44, 0.0);
    case 9: return polygon(p, 6.0, 0.40, 0.0);
    case 10: return polygon(p, 5.0, 0.44, 0.42);
    case 11: return min(box(p, vec2(0.0), vec2(0.38, 0.14), 0.03), box(p, vec2(0.0), vec2(0.14, 0.38), 0.03));
    case 12: return melt(disc(p, vec2(0.0, -0.12), 0.26), stick(p, vec2(0.0, 0.1), vec2(0.0, 0.36), 0.02), 0.3);
    case 13: return box(p, vec2(0.0), vec2(0.36), 0.08);
    case 14: return polygon(turned(p, 0.3), 7.0, 0.49, 0.0);
    default: return disc(p, vec2(0.0), 0.36);
    }
}

// what is drawn on a shape: 0 nothing, up to 1 darker, down to -1 lighter
float mark(int kind, vec2 p, float pixel)
{
    float soft = max(pixel, 0.015);
    switch (kind) {
    case 1: { // the highlight of the bean
        vec2 q = turned(p, -0.6);
        return -0.8 * (1.0 - smoothstep(0.0, 2.0 * soft, stick(q, vec2(-0.13, 0.1), vec2(-0.02, 0.13), 0.025)));
    }
    case 2: { // along the banana
        vec2 q = turned(p, 0.5);
        float rib = abs(disc(q, vec2(0.0, 0.3), 0.34)) - 0.008;
        return 0.35 * (1.0 - smoothstep(0.0, soft, rib)) * step(0.05, abs(q.x));
    }
    case 3: { // the onion's skins
        float skins = min(abs(abs(p.x) - 0.13 * cos(1.9 * (p.y + 0.07))), abs(abs(p.x) - 0.235 * cos(2.2 * (p.y + 0.07)))) - 0.01;
        return 0.38 * (1.0 - smoothstep(0.0, soft, skins)) * step(p.y, 0.22);
    }
    case 4: { // mortar; the middle row is shifted, so that a brick is in the middle
        float row = floor((p.y + 0.5) * 3.0);
        float u = p.x * 1.5 + (row == 1.0 ? 0.5 : 0.0);
        float v = (p.y + 0.5) * 3.0;
        float joint = min((0.5 - abs(fract(u) - 0.5)) / 1.5, (0.5 - abs(fract(v) - 0.5)) / 3.0);
        return -0.55 * (1.0 - smoothstep(0.018, 0.018 + soft, joint));
    }
    case 5: { // the trunk is darker, and leaves have a shadow
        float trunk = step(p.y, -0.19) * step(abs(p.x), 0.07);
        float leaf = min(abs(disc(p, vec2(-0.13, 0.21), 0.09)), abs(disc(p, vec2(0.2, 0.03), 0.08))) - 0.008;
        return max(0.6 * trunk, 0.3 * (1.0 - smoothstep(0.0, soft, leaf)) * step(-0.19, p.y));
    }
    case 6: { // warts
        float warts = min(min(disc(p, vec2(0.15, 0.13), 0.04), disc(p, vec2(-0.16, 0.08), 0.03)),
                          min(disc(p, vec2(-0.06, -0.18), 0.04), disc(p, vec2(0.19, -0.1), 0.025)));
        return -0.4 * (1.0 - smoothstep(0.0, soft, warts));
    }
    case 13: // the grain of wood
        return 0.35 * (1.0 - smoothstep(0.0, soft, min(abs(p.y - 0.16), abs(p.y + 0.16)) - 0.012));
    case 14: // a facet
        return -0.3 * (1.0 - smoothstep(0.0, soft, stick(p, vec2(-0.22, 0.1), vec2(0.0, 0.26), 0.02)));
    default:
        return 0.0;
    }
}

// an item over its background: up close as its shape, from far away the whole cell in its color
vec3 paint_item(vec3 behind, vec3 color, int kind, vec2 p, float zoom)
{
    float pixel = 1.0 / zoom;
    float near = smoothstep(5.0, 10.0, zoom);
    if (near == 0.0) return color;
    float edge = shape(kind, p);
    float rim_width = 0.5 * pixel + 0.022;
    vec3 rim = mix(color * 0.55, color + 0.35, step(dot(behind, vec3(0.34)), 0.4));
    float m = mark(kind, p, pixel) * smoothstep(10.0, 22.0, zoom);
    vec3 body = m > 0.0 ? mix(color, color * 0.25, m) : mix(color, mix(color, vec3(1.0), 0.7), -m);
    // a rim around something small would cover it
    float rim_part = kind == 4 ? 0.0 : 0.9 * smoothstep(10.0, 22.0, zoom);
    body = mix(body, rim, smoothstep(-rim_width - pixel, -rim_width, edge) * rim_part);
    vec3 drawn = mix(behind, body, 1.0 - smoothstep(-0.5 * pixel, 0.5 * pixel, edge));
    return mix(color, drawn, near);
}

// an item that is out of season: a pale outline, from far away a hint of its color
vec3 paint_outline(vec3 behind, vec3 color, int kind, vec2 p, float zoom)
{
    float pixel = 1.0 / zoom;
    vec3 hint = mix(behind, color, 0.13);
    float near = smoothstep(5.0, 10.0, zoom);
    if (near == 0.0) return hint;
    float edge = shape(kind, p);
    float width = max(0.9 * pixel, 0.022);
    float on_line = 1.0 - smoothstep(width - 0.5 * pixel, width + 0.5 * pixel, abs(edge + width));
    float inside = 1.0 - smoothstep(-0.5 * pixel, 0.5 * pixel, edge);
    vec3 drawn = mix(behind, color, 0.55 * on_line + 0.08 * inside * (1.0 - on_line));
    return mix(hint, drawn, near);
}

// an item that grows back: a stem with two leaves, and a bud in its color
vec3 paint_sprout(vec3 behind, vec3 color, vec2 p, float zoom)
{
    float pixel = 1.0 / zoom;
    const vec3 green = vec3(0.33, 0.60, 0.25);
    vec3 hint = mix(behind, mix(green, color, 0.4), 0.22);
    float near = smoothstep(5.0, 10.0, zoom);
    if (near == 0.0) return hint;
    float stem = stick(p, vec2(0.0, -0.42), vec2(0.0, 0.08), max(0.025, 0.6 * pixel));
    vec2 q = vec2(abs(p.x), p.y);
    vec2 leaf = turned(q - vec2(0.18, -0.1), -0.6);
    float leaves = (length(leaf * vec2(1.0, 2.1)) - 0.18) / 1.5;
    float bud = disc(p, vec2(0.0, 0.19), 0.12);
    vec3 drawn = mix(behind, green, 0.85 * (1.0 - smoothstep(-0.5 * pixel, 0.5 * pixel, min(stem, leaves))));
    drawn = mix(drawn, color, 1.0 - smoothstep(-0.5 * pixel, 0.5 * pixel, bud));
    return mix(hint, drawn, near);
}
`;
