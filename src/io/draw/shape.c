// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "io/draw/shape.h"

#include <math.h>

double jbw_smooth_step(double low, double high, double value)
{
    const double t = (value - low) / (high - low);
    if (!(t > 0.0)) return 0.0;
    return t >= 1.0 ? 1.0 : t * t * (3.0 - 2.0 * t);
}

// --- parts of shapes ----------------------------------------------------------------------------

static double length(double x, double y)
{
    return sqrt(x * x + y * y);
}

static double disc(jbw_point p, double x, double y, double radius)
{
    return length(p.x - x, p.y - y) - radius;
}

// with corners that are rounded by a radius
static double box(jbw_point p, double x, double y, double half_width, double half_height,
                  double round_by)
{
    const double dx = fabs(p.x - x) - half_width + round_by;
    const double dy = fabs(p.y - y) - half_height + round_by;
    return length(fmax(dx, 0.0), fmax(dy, 0.0)) + fmin(fmax(dx, dy), 0.0) - round_by;
}

static double stick(jbw_point p, jbw_point from, jbw_point to, double radius)
{
    const double along_x = to.x - from.x;
    const double along_y = to.y - from.y;
    const double dx = p.x - from.x;
    const double dy = p.y - from.y;
    double part = (dx * along_x + dy * along_y) / (along_x * along_x + along_y * along_y);
    part = part < 0.0 ? 0.0 : part > 1.0 ? 1.0 : part;
    return length(dx - part * along_x, dy - part * along_y) - radius;
}

// a smooth union
static double melt(double a, double b, double width)
{
    const double h = fmax(width - fabs(a - b), 0.0) / width;
    return fmin(a, b) - h * h * width * 0.25;
}

static jbw_point turned(jbw_point p, double cosine, double sine)
{
    return (jbw_point){cosine * p.x - sine * p.y, sine * p.x + cosine * p.y};
}

// Constants where the C library's functions would not give the same bits everywhere.
#define COS_HALF 0.87758256189037276 // of an angle of 0.5
#define SIN_HALF 0.47942553860420301
#define COS_BEAN 0.82533561490967833 // 0.6
#define SIN_BEAN 0.56464247339503537
#define COS_BOULDER 0.95533648912560598 // 0.3
#define SIN_BOULDER 0.29552020666133955

static jbw_point in_bean(jbw_point p)
{
    return turned(p, COS_BEAN, -SIN_BEAN);
}

static jbw_point in_banana(jbw_point p)
{
    return turned(p, COS_HALF, SIN_HALF);
}

// the cosine and sine of a whole turn divided by a number of corners
typedef struct sector {
    int corners;
    double cosine;
    double sine;
    double half_cosine; // of half that angle
    double half_sine;
} sector;

static const sector thirds = {3, -0.5, 0.86602540378443865, 0.5, 0.86602540378443865};
static const sector fifths = {5, 0.30901699437494742, 0.95105651629515357, 0.80901699437494742,
                              0.58778525229247313};
static const sector sixths = {6, 0.5, 0.86602540378443865, 0.86602540378443865, 0.5};
static const sector sevenths = {7, 0.62348980185873353, 0.78183148246802981, 0.90096886790241913,
                                0.43388373911755812};

// A regular polygon with one corner up. `deeper` pulls the middle of each side in, for a star. The
// point is folded into half of the sector of its nearest corner, where there is only one side.
static double polygon(jbw_point p, const sector *s, double radius, double deeper)
{
    jbw_point corner = {0.0, 1.0};
    double up = -1e9;
    double across = 0.0;
    for (int i = 0; i < s->corners; i++) {
        const double along = p.x * corner.x + p.y * corner.y;
        if (along > up) {
            up = along;
            across = fabs(p.x * corner.y - p.y * corner.x);
        }
        corner = turned(corner, s->cosine, s->sine);
    }
    const double inner = radius * s->half_cosine * (1.0 - deeper);
    const double side_x = inner * s->half_sine;
    const double side_y = inner * s->half_cosine - radius;
    return (across * -side_y + (up - radius) * side_x) / length(side_x, side_y);
}

// the edge waves five and eight times around a circle, by powers of the direction
static double lump(jbw_point p)
{
    const double away = length(p.x, p.y);
    if (away < 1e-6) return -0.3;
    const jbw_point d = {p.x / away, p.y / away};
    const jbw_point d2 = turned(d, d.x, d.y);
    const jbw_point d4 = turned(d2, d2.x, d2.y);
    const jbw_point d5 = turned(d4, d.x, d.y);
    const jbw_point d8 = turned(d4, d4.x, d4.y);
    const double five = d5.y * COS_BEAN + d5.x * SIN_BEAN; // the sine of five times the angle + 0.6
    return 0.9 * (away - 0.32 - 0.03 * five - 0.02 * d8.y);
}

// --- shapes -------------------------------------------------------------------------------------

double jbw_shape_distance(jbw_shape shape, jbw_point p)
{
    switch (shape) {
    case JBW_SHAPE_BEAN: {
        jbw_point q = in_bean(p);
        q.y += 1.2 * q.x * q.x - 0.03; // bent
        return 0.85 * stick(q, (jbw_point){-0.18, 0.0}, (jbw_point){0.18, 0.0}, 0.2);
    }
    case JBW_SHAPE_BANANA: { // one disc minus another
        const jbw_point q = in_banana(p);
        return fmax(disc(q, 0.0, 0.2, 0.36), -disc(q, 0.0, 0.44, 0.3));
    }
    case JBW_SHAPE_ONION: // a bulb and its tip
        return melt(disc(p, 0.0, -0.07, 0.31),
                    stick(p, (jbw_point){0.0, 0.2}, (jbw_point){0.0, 0.4}, 0.035), 0.22);
    case JBW_SHAPE_BRICKS: // fill the cell
        return box(p, 0.0, 0.0, 0.5, 0.5, 0.0) - 0.01;
    case JBW_SHAPE_TREE: { // leaves over a trunk
        const double left = melt(disc(p, 0.0, 0.14, 0.29), disc(p, -0.2, -0.02, 0.2), 0.06);
        const double leaves = melt(left, disc(p, 0.2, -0.02, 0.2), 0.06);
        return fmin(leaves, box(p, 0.0, -0.32, 0.06, 0.14, 0.02));
    }
    case JBW_SHAPE_TRUFFLE: return lump(p);
    case JBW_SHAPE_DIAMOND: return (fabs(p.x) + fabs(p.y) - 0.42) * 0.7071;
    case JBW_SHAPE_TRIANGLE: return polygon((jbw_point){p.x, p.y + 0.07}, &thirds, 0.44, 0.0);
    case JBW_SHAPE_HEXAGON: return polygon(p, &sixths, 0.40, 0.0);
    case JBW_SHAPE_STAR: return polygon(p, &fifths, 0.44, 0.42);
    case JBW_SHAPE_PLUS:
        return fmin(box(p, 0.0, 0.0, 0.38, 0.14, 0.03), box(p, 0.0, 0.0, 0.14, 0.38, 0.03));
    case JBW_SHAPE_DROP:
        return melt(disc(p, 0.0, -0.12, 0.26),
                    stick(p, (jbw_point){0.0, 0.1}, (jbw_point){0.0, 0.36}, 0.02), 0.3);
    case JBW_SHAPE_SQUARE: return box(p, 0.0, 0.0, 0.36, 0.36, 0.08);
    case JBW_SHAPE_BOULDER:
        return polygon(turned(p, COS_BOULDER, SIN_BOULDER), &sevenths, 0.49, 0.0);
    case JBW_SHAPE_DISC:
    case JBW_SHAPE_COUNT: break;
    }
    return disc(p, 0.0, 0.0, 0.36);
}

// 1 inside of something thin, softened over a width
static double inked(double distance, double soft)
{
    return 1.0 - jbw_smooth_step(0.0, soft, distance);
}

// for angles up to about one
static double cosine(double angle)
{
    const double square = angle * angle;
    return 1.0 - square / 2.0 + square * square / 24.0;
}

// the distance to the nearest multiple of one
static double to_whole(double value)
{
    return fabs(value - floor(value + 0.5));
}

double jbw_shape_mark(jbw_shape shape, jbw_point p, double pixel)
{
    const double soft = fmax(pixel, 0.015);
    switch (shape) {
    case JBW_SHAPE_BEAN: // a highlight
        return -0.8 *
               inked(stick(in_bean(p), (jbw_point){-0.13, 0.1}, (jbw_point){-0.02, 0.13}, 0.025),
                     2.0 * soft);
    case JBW_SHAPE_BANANA: { // a rib
        const jbw_point q = in_banana(p);
        if (fabs(q.x) < 0.05) return 0.0;
        return 0.35 * inked(fabs(disc(q, 0.0, 0.3, 0.34)) - 0.008, soft);
    }
    case JBW_SHAPE_ONION: { // skins
        if (p.y > 0.22) return 0.0;
        const double inner = fabs(fabs(p.x) - 0.13 * cosine(1.9 * (p.y + 0.07)));
        const double outer = fabs(fabs(p.x) - 0.235 * cosine(2.2 * (p.y + 0.07)));
        return 0.38 * inked(fmin(inner, outer) - 0.01, soft);
    }
    case JBW_SHAPE_BRICKS: { // mortar; the middle row is shifted, so that a brick is in the middle
        const double row = (p.y + 0.5) * 3.0;
        const double column = p.x * 1.5 + (floor(row) == 1.0 ? 0.5 : 0.0);
        const double joint = fmin(to_whole(column) / 1.5, to_whole(row) / 3.0);
        return -0.55 * inked(joint - 0.018, soft);
    }
    case JBW_SHAPE_TREE: { // a dark trunk, and shadows on the leaves
        if (p.y <= -0.19) return fabs(p.x) <= 0.07 ? 0.6 : 0.0;
        return 0.3 *
               inked(fmin(fabs(disc(p, -0.13, 0.21, 0.09)), fabs(disc(p, 0.2, 0.03, 0.08))) - 0.008,
                     soft);
    }
    case JBW_SHAPE_TRUFFLE: { // warts
        const double upper = fmin(disc(p, 0.15, 0.13, 0.04), disc(p, -0.16, 0.08, 0.03));
        const double lower = fmin(disc(p, -0.06, -0.18, 0.04), disc(p, 0.19, -0.1, 0.025));
        return -0.4 * inked(fmin(upper, lower), soft);
    }
    case JBW_SHAPE_SQUARE: // the grain of wood
        return 0.35 * inked(fabs(fabs(p.y) - 0.16) - 0.012, soft);
    case JBW_SHAPE_BOULDER: // a facet
        return -0.3 * inked(stick(p, (jbw_point){-0.22, 0.1}, (jbw_point){0.0, 0.26}, 0.02), soft);
    default: return 0.0;
    }
}

double jbw_sprout_distance(jbw_point p, double pixel)
{
    const double stem =
        stick(p, (jbw_point){0.0, -0.42}, (jbw_point){0.0, 0.08}, fmax(0.025, 0.6 * pixel));
    const jbw_point leaf =
        turned((jbw_point){fabs(p.x) - 0.18, p.y + 0.1}, COS_BEAN, -SIN_BEAN); // by -0.6
    return fmin(stem, (length(leaf.x, 2.1 * leaf.y) - 0.18) / 1.5);
}

double jbw_bud_distance(jbw_point p)
{
    return disc(p, 0.0, 0.19, 0.12);
}

double jbw_agent_shape_distance(jbw_point p)
{
    // from the tip (0, 0.4) to a wing (0.3, -0.32), and from there to a notch at (0, -0.18)
    const double x = fabs(p.x);
    const double side = x * 0.923077 + (p.y - 0.40) * 0.384615;
    const double back = (x - 0.30) * -0.422885 + (p.y + 0.32) * -0.906183;
    return fmax(side, back) - 0.03; // rounds the corners
}

// --- which item has which shape -----------------------------------------------------------------

// a part of a name in small letters, and the shape that it suggests; the first match counts
static const struct {
    const char *part;
    jbw_shape shape;
} known_names[] = {
    {"bean", JBW_SHAPE_BEAN},       {"banana", JBW_SHAPE_BANANA},    {"onion", JBW_SHAPE_ONION},
    {"wall", JBW_SHAPE_BRICKS},     {"brick", JBW_SHAPE_BRICKS},     {"fence", JBW_SHAPE_BRICKS},
    {"tree", JBW_SHAPE_TREE},       {"forest", JBW_SHAPE_TREE},      {"bush", JBW_SHAPE_TREE},
    {"truffle", JBW_SHAPE_TRUFFLE}, {"mushroom", JBW_SHAPE_TRUFFLE}, {"rock", JBW_SHAPE_BOULDER},
    {"stone", JBW_SHAPE_BOULDER},   {"boulder", JBW_SHAPE_BOULDER},  {"metal", JBW_SHAPE_BOULDER},
    {"wood", JBW_SHAPE_SQUARE},     {"log", JBW_SHAPE_SQUARE},       {"plank", JBW_SHAPE_SQUARE},
    {"water", JBW_SHAPE_DROP},      {"rain", JBW_SHAPE_DROP},        {"oil", JBW_SHAPE_DROP},
};

static const jbw_shape other_shapes[] = {JBW_SHAPE_DISC,    JBW_SHAPE_DIAMOND, JBW_SHAPE_TRIANGLE,
                                         JBW_SHAPE_HEXAGON, JBW_SHAPE_STAR,    JBW_SHAPE_PLUS,
                                         JBW_SHAPE_DROP,    JBW_SHAPE_SQUARE};
static const jbw_shape other_walls[] = {JBW_SHAPE_BRICKS, JBW_SHAPE_BOULDER, JBW_SHAPE_SQUARE};

static char small_letter(char letter)
{
    return letter >= 'A' && letter <= 'Z' ? (char)(letter - 'A' + 'a') : letter;
}

static bool contains(const char *name, const char *part)
{
    for (; *name != '\0'; name++) {
        size_t i = 0;
        while (part[i] != '\0' && small_letter(name[i]) == part[i]) i++;
        if (part[i] == '\0') return true;
    }
    return false;
}

static jbw_shape known_shape(const char *name)
{
    for (size_t i = 0; i < sizeof known_names / sizeof *known_names; i++)
        if (contains(name, known_names[i].part)) return known_names[i].shape;
    return JBW_SHAPE_COUNT;
}

// a shape that is not taken; when all are, they repeat in turn
static jbw_shape free_shape(bool is_wall, const bool *is_taken, size_t *next)
{
    const jbw_shape *choices = is_wall ? other_walls : other_shapes;
    const size_t count = is_wall ? sizeof other_walls / sizeof *other_walls
                                 : sizeof other_shapes / sizeof *other_shapes;
    for (size_t i = 0; i < count; i++)
        if (!is_taken[choices[i]]) return choices[i];
    return choices[(*next)++ % count];
}

void jbw_shapes_choose(const jbw_model *model, jbw_shape out[JBW_MAX_ITEM_TYPES])
{
    bool is_taken[JBW_SHAPE_COUNT + 1] = {false};
    size_t next = 0;
    const int count = jbw_model_item_type_count(model);
    for (int type = 0; type < count; type++) {
        out[type] = known_shape(jbw_model_item_name(model, type));
        if (out[type] != JBW_SHAPE_COUNT && is_taken[out[type]]) out[type] = JBW_SHAPE_COUNT;
        is_taken[out[type]] = true;
    }
    for (int type = 0; type < count; type++) {
        if (out[type] != JBW_SHAPE_COUNT) continue;
        out[type] = free_shape(jbw_model_item_blocks(model, type), is_taken, &next);
        is_taken[out[type]] = true;
    }
}
