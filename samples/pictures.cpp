// SPDX-License-Identifier: AGPL-3.0-or-later
#include "samples/pictures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace opispool::samples {

namespace {

constexpr double pi = std::numbers::pi;

Rgb operator*(double k, Rgb c) {
    return {k * c.r, k * c.g, k * c.b};
}
Rgb operator+(Rgb a, Rgb b) {
    return {a.r + b.r, a.g + b.g, a.b + b.b};
}
Rgb mix(Rgb a, Rgb b, double t) {
    return (1 - t) * a + t * b;
}

double smooth(double from, double to, double x) {
    const double t = std::clamp((x - from) / (to - from), 0.0, 1.0);
    return t * t * (3 - 2 * t);
}

std::uint32_t hash(std::uint32_t x, std::uint32_t y, std::uint32_t seed) {
    std::uint32_t h = x * 0x9E3779B1U ^ y * 0x85EBCA77U ^ seed * 0xC2B2AE3DU;
    h ^= h >> 15U;
    h *= 0x2C1B3C6DU;
    h ^= h >> 12U;
    h *= 0x297A2D39U;
    return h ^ (h >> 15U);
}

double lattice(int x, int y, std::uint32_t seed) {
    return hash(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y), seed) / 4294967295.0;
}

double noise(double x, double y, std::uint32_t seed) {
    const double fx = std::floor(x), fy = std::floor(y);
    const int ix = static_cast<int>(fx), iy = static_cast<int>(fy);
    const double tx = smooth(0, 1, x - fx), ty = smooth(0, 1, y - fy);
    const double top = lattice(ix, iy, seed) * (1 - tx) + lattice(ix + 1, iy, seed) * tx;
    const double low = lattice(ix, iy + 1, seed) * (1 - tx) + lattice(ix + 1, iy + 1, seed) * tx;
    return top * (1 - ty) + low * ty;
}

// Clouds, hills, wood: noise in octaves, 0..1.
double octaves(double x, double y, std::uint32_t seed, int count) {
    double sum = 0, weight = 0.5, total = 0;
    for (int i = 0; i < count; ++i) {
        sum += weight * noise(x, y, seed + static_cast<std::uint32_t>(i));
        total += weight;
        weight /= 2;
        x = 2.03 * x + 17.1;
        y = 2.03 * y + 5.7;
    }
    return sum / total;
}

Rgb dusk_sky(double u, double v) {
    const double height = v / 0.58;
    Rgb sky = mix({0.13, 0.20, 0.42}, {0.98, 0.62, 0.34}, smooth(0.0, 1.0, height));
    const double sun = std::hypot((u - 0.66) * 1.5, v - 0.33);
    sky = sky + std::exp(-sun * 5.5) * Rgb{0.55, 0.35, 0.10};
    const double cloud = smooth(0.52, 0.78, octaves(u * 3.2, v * 11, 11, 5));
    sky = mix(sky, mix({0.45, 0.26, 0.34}, {1.0, 0.72, 0.50}, smooth(0.25, 0.95, height)), 0.75 * cloud);
    return sun < 0.048 ? Rgb{1.0, 0.93, 0.72} : sky;
}

// Far to near: each range darker and lower.
Rgb hills(Rgb behind, double u, double v) {
    static constexpr std::array<Rgb, 3> tones{{{0.50, 0.36, 0.42}, {0.33, 0.25, 0.36}, {0.17, 0.15, 0.25}}};
    for (int range = 0; range < 3; ++range) {
        const double ridge = 0.44 + 0.045 * range -
                             0.16 * (1 - 0.25 * range) *
                                 octaves(u * (2.1 + range), 3.0 * range, 31 + static_cast<std::uint32_t>(range), 6) *
                                 (1 - 0.55 * smooth(0.45, 0.75, u));
        if (v > ridge)
            behind = mix(tones.at(static_cast<std::size_t>(range)), {0.62, 0.42, 0.40}, 0.35 * smooth(ridge, 0.60, v));
    }
    return behind;
}

bool boat(double u, double v) {
    const double x = (u - 0.30) * 1.5, y = v - 0.66;
    if (y > 0 && y < 0.035 && std::abs(x) < 0.085 - 1.1 * y) return true;
    if (std::abs(x) < 0.0025 && y > -0.235 && y < 0) return true;
    const double down = (y + 0.225) / 0.21;
    if (down < 0 || down > 1) return false;
    return (x > 0.005 && x < 0.005 + 0.085 * down * (1.15 - 0.15 * down)) ||
           (x < -0.006 && x > -0.006 - 0.055 * down && down > 0.12);
}

struct Sphere {
    double x, y, z, radius;
    Rgb colour;
    double roughness;
    std::uint32_t seed;
};

constexpr std::array<Sphere, 6> fruit{{{-0.62, 0.50, 0.30, 0.50, {0.98, 0.52, 0.08}, 0.06, 51},
                                       {0.42, 0.55, 0.55, 0.55, {0.80, 0.12, 0.10}, 0.01, 52},
                                       {-0.10, 0.36, -0.55, 0.36, {0.55, 0.72, 0.14}, 0.03, 53},
                                       {0.85, 0.30, -0.45, 0.30, {0.36, 0.14, 0.38}, 0.01, 54},
                                       {-0.95, 0.28, -0.55, 0.28, {0.98, 0.83, 0.16}, 0.05, 55},
                                       {0.38, 0.22, -1.00, 0.22, {0.93, 0.45, 0.12}, 0.06, 56}}};

struct Vec {
    double x, y, z;
};
double dot(Vec a, Vec b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
Vec unit(Vec a) {
    const double n = std::sqrt(dot(a, a));
    return {a.x / n, a.y / n, a.z / n};
}

// Distance along the ray to the sphere, or a negative number.
double meet(Vec from, Vec along, const Sphere& s) {
    const Vec to{from.x - s.x, from.y - s.y, from.z - s.z};
    const double b = dot(to, along), root = b * b - dot(to, to) + s.radius * s.radius;
    return root < 0 ? -1 : -b - std::sqrt(root);
}

// How much of the lamp and of the room's light reaches a place on the table or on a fruit.
double lit(Vec place, Vec lamp, const Sphere* self) {
    double light = 1;
    for (const Sphere& s : fruit) {
        if (&s == self) continue;
        const Vec to{s.x - place.x, s.y - place.y, s.z - place.z};
        const double along = dot(to, lamp);
        if (along <= 0) continue;
        const double miss = std::sqrt(std::max(0.0, dot(to, to) - along * along)) - s.radius;
        light = std::min(light, 0.30 + 0.70 * smooth(-0.10 * along, 0.12 * along + 0.01, miss));
    }
    return light;
}

Rgb table_top(Vec at, Vec lamp) {
    const double plank = std::floor(at.x * 1.6 + 20);
    const double rings = octaves(at.x * 9 + plank * 7.3, at.z * 1.1 + plank * 3, 61, 5);
    Rgb wood = mix({0.36, 0.21, 0.11}, {0.72, 0.49, 0.29}, 0.5 + 0.5 * std::sin(26 * rings + plank));
    const double gap = std::abs(at.x * 1.6 + 20 - plank - 0.5);
    wood = (gap > 0.488 ? 0.35 : 0.85 + 0.08 * std::sin(plank * 2.4)) * wood;
    double contact = 1;
    for (const Sphere& s : fruit)
        contact = std::min(contact, 0.35 + 0.65 * smooth(0.1, 1.1, std::hypot(at.x - s.x, at.z - s.z) / s.radius));
    return (lit(at, lamp, nullptr) * contact) * wood;
}

Rgb fruit_skin(const Sphere& s, Vec at, Vec along, Vec lamp) {
    Vec n = unit({at.x - s.x, at.y - s.y, at.z - s.z});
    const double du = noise(n.x * 60, n.y * 60 + n.z * 40, s.seed) - 0.5,
                 dv = noise(n.y * 60 + 9, n.z * 60 + n.x * 40, s.seed) - 0.5;
    n = unit({n.x + 2 * s.roughness * du, n.y + 2 * s.roughness * dv, n.z});
    const double facing = std::max(0.0, dot(n, lamp)) * lit(at, lamp, &s);
    const Vec half = unit({lamp.x - along.x, lamp.y - along.y, lamp.z - along.z});
    const double shine = std::pow(std::max(0.0, dot(n, half)), s.roughness > 0.02 ? 24 : 90);
    const double mottled = 0.86 + 0.28 * octaves(n.x * 3 + 4, n.y * 3 + n.z * 2, s.seed + 20, 4);
    const Rgb warm = (0.22 + 0.10 * std::max(0.0, -n.y) + 0.85 * facing) * (mottled * s.colour);
    return warm + (0.65 * shine * facing) * Rgb{1, 0.97, 0.9};
}

Rgb balloon_cloth(double angle, std::size_t which) {
    static constexpr std::array<std::array<Rgb, 3>, 4> cloth{
        {{{{0.86, 0.14, 0.14}, {0.97, 0.80, 0.20}, {0.95, 0.94, 0.88}}},
         {{{0.10, 0.36, 0.68}, {0.90, 0.92, 0.94}, {0.20, 0.62, 0.80}}},
         {{{0.20, 0.56, 0.30}, {0.98, 0.70, 0.16}, {0.86, 0.22, 0.20}}},
         {{{0.52, 0.20, 0.52}, {0.96, 0.56, 0.30}, {0.96, 0.86, 0.40}}}}};
    const auto stripe = static_cast<std::size_t>(std::floor((angle / pi + 1) * 9)) % 3;
    return cloth.at(which).at(stripe);
}

Rgb balloon(Rgb behind, double u, double v, double cx, double cy, double r, std::size_t which) {
    const double x = (u - cx) * 1.5 / r, y = (v - cy) / r;
    const double waist =
        y > 0.35 ? 1 - 0.78 * std::pow((y - 0.35) / 0.95, 1.25) : 1;  // the skirt narrows to the burner
    const double half = y < 0.35 ? std::sqrt(std::max(0.0, 1 - y * y * (y > 0 ? 0.25 : 1.0))) : 0.985 * waist;
    if (y > -1 && y < 1.22 && std::abs(x) < half) {
        const double across = std::clamp(x / half, -1.0, 1.0);
        const Rgb cloth = balloon_cloth(std::asin(across) + 0.3 * static_cast<double>(which), which);
        const double light =
            0.50 + 0.55 * std::max(0.0, -0.55 * across - 0.25 * y + 0.75 * std::sqrt(1 - across * across));
        const double seam = std::abs(std::sin(9 * std::asin(across))) < 0.06 ? 0.85 : 1.0;
        return std::min(light * seam, 1.15) * cloth;
    }
    if (y > 1.45 && y < 1.68 && std::abs(x) < 0.17) return (0.8 + 0.3 * std::sin(x * 90)) * Rgb{0.42, 0.27, 0.14};
    if (y >= 1.22 && y <= 1.45 && std::abs(std::abs(x) - 0.17) < 0.012) return {0.25, 0.2, 0.16};
    return behind;
}

bool compass_rose(double u, double v) {
    const double x = (u - 0.82) * 1.5, y = v - 0.24, r = std::hypot(x, y);
    if (r > 0.2) return false;
    if (std::abs(r - 0.17) < 0.0016 || std::abs(r - 0.155) < 0.0008) return true;
    const double angle = std::atan2(y, x);
    if (r > 0.155 && r < 0.17) return std::abs(std::sin(angle * 36)) < 0.12;
    // Eight points, each half filled as engravers do: the four long ones over the four short ones.
    for (const double reach : {0.145, 0.085}) {
        const double turn = reach > 0.1 ? 0 : pi / 4;
        const double sector = std::remainder(angle + turn, pi / 2);
        const double width = 0.030 * (1 - r / reach);
        const double away = r * std::sin(sector);
        if (r * std::cos(sector) < reach && std::abs(away) < width * 0.9)
            return away > 0 || std::abs(away) > width * 0.9 - 0.0016;
    }
    return false;
}

}  // namespace

double grain(std::uint32_t x, std::uint32_t y, std::uint32_t channel) {
    return hash(x, y, 901 + channel) / 2147483647.5 - 1;
}

Rgb harbour_at_dusk(double u, double v) {
    constexpr double shore = 0.56;
    if (boat(u, v)) return {0.10, 0.08, 0.12};
    if (v < shore) return hills(dusk_sky(u, v), u, v);
    const double depth = (v - shore) / (1 - shore);
    const double ripple = octaves(u * 26 * (1.2 - depth), 260 * std::sqrt(depth + 0.02), 41, 4) - 0.5;
    const double mirrored = shore - (v - shore) * 0.85 + 0.05 * ripple * (0.3 + depth);
    Rgb water = hills(dusk_sky(u + 0.02 * ripple, std::clamp(mirrored, 0.0, shore)), u + 0.02 * ripple, mirrored);
    water = mix(water, {0.07, 0.13, 0.26}, 0.25 + 0.45 * depth + 0.5 * ripple);
    const double path = std::exp(-std::pow((u - 0.66 + 0.06 * ripple) / (0.03 + 0.10 * depth), 2));
    if (boat(u, 0.69 - (v - 0.695) * 0.9 + 0.015 * ripple) && v > 0.695) water = 0.45 * water;
    return water + (path * smooth(0.05, 0.25, ripple)) * Rgb{0.85, 0.60, 0.30};
}

Rgb fruit_on_a_table(double u, double v) {
    const Vec eye{0, 1.35, -4.6}, lamp = unit({-0.55, 0.85, -0.45});
    const Vec along = unit({(u - 0.5) * 0.66, (0.5 - v) * 0.66 - 0.215, 1});
    const Sphere* nearest = nullptr;
    double distance = along.y < 0 ? -eye.y / along.y : 1e9;
    for (const Sphere& s : fruit) {
        const double d = meet(eye, along, s);
        if (d > 0 && d < distance) {
            distance = d;
            nearest = &s;
        }
    }
    const Vec at{eye.x + distance * along.x, eye.y + distance * along.y, eye.z + distance * along.z};
    if (nearest != nullptr) return fruit_skin(*nearest, at, along, lamp);
    const Rgb wall = (0.55 + 0.45 * (1 - v) - 0.25 * std::abs(u - 0.35)) * Rgb{0.56, 0.64, 0.62};
    if (distance > 8) return wall;
    return mix(table_top(at, lamp), wall, smooth(6.6, 8, distance));
}

Rgb balloons_over_hills(double u, double v) {
    Rgb scene = mix({0.25, 0.52, 0.86}, {0.86, 0.92, 0.96}, smooth(0, 0.75, v));
    scene = mix(scene, {1, 1, 1}, 0.85 * smooth(0.50, 0.80, octaves(u * 4, v * 7, 71, 6)));
    for (int range = 0; range < 4; ++range) {
        const double ridge =
            0.66 + 0.075 * range -
            0.10 * octaves(u * (2.5 + 0.7 * range) + 3 * range, 1.0 + range, 80 + static_cast<std::uint32_t>(range), 6);
        if (v < ridge) continue;
        const double field = octaves(u * 30, v * 70, 90 + static_cast<std::uint32_t>(range), 4);
        const Rgb near = mix({0.20, 0.36, 0.12}, {0.62, 0.62, 0.24}, smooth(0.35, 0.65, field));
        scene = mix(near, {0.66, 0.78, 0.86}, 0.80 - 0.24 * range);
    }
    scene = balloon(scene, u, v, 0.53, 0.36, 0.055, 3);
    scene = balloon(scene, u, v, 0.88, 0.46, 0.075, 2);
    scene = balloon(scene, u, v, 0.70, 0.24, 0.125, 1);
    return balloon(scene, u, v, 0.28, 0.34, 0.235, 0);
}

double dunes_by_moonlight(double u, double v) {
    const double moon = std::hypot((u - 0.76) * 1.5, v - 0.20);
    double light = 0.05 + 0.16 * smooth(0, 0.5, v) + 0.35 * std::exp(-moon * 7);
    if (lattice(static_cast<int>(u * 900), static_cast<int>(v * 600), 5) > 0.9985)
        light += 0.6 * (1 - smooth(0.1, 0.45, v));
    if (moon < 0.075) light = 0.92 - 0.22 * smooth(0.45, 0.7, octaves(u * 30, v * 20, 6, 5));
    for (int dune = 0; dune < 5; ++dune) {
        const double k = dune;
        const double crest =
            0.46 + 0.095 * k + 0.055 * std::sin(u * (5.5 - 0.5 * k) + 1.9 * k) + 0.03 * octaves(u * 3, k, 7, 4);
        if (v < crest) continue;
        const double down = (v - crest) / 0.2;
        const double lee = smooth(-0.25, 0.25, std::cos(u * (5.5 - 0.5 * k) + 1.9 * k) + 0.8 * down - 0.25);
        const double ripples =
            0.05 * std::sin(u * (90 - 8 * k) + 170 * down / (1 + 0.35 * k) + 9 * octaves(u * 7, v * 7, 8, 4));
        light = 0.16 + 0.52 * lee * std::exp(-0.55 * down) + ripples * lee + 0.03 * k;
    }
    return std::clamp(light, 0.0, 1.0);
}

bool sea_chart_ink(double u, double v) {
    if (u < 0.012 || u > 0.988 || v < 0.018 || v > 0.982)
        return (static_cast<int>(u * 40) + static_cast<int>(v * 27)) % 2 == 0;
    if (u < 0.0135 || u > 0.9865 || v < 0.02 || v > 0.98) return true;
    const double x = (u - 0.82) * 1.5, y = v - 0.24;
    if (std::hypot(x, y) < 0.185) return compass_rose(u, v);
    const double height = octaves(u * 3.3 + 0.4, v * 2.2 + 0.9, 121, 6) - 0.52;
    const double step = 1e-4;
    const double slope = std::hypot(octaves((u + step) * 3.3 + 0.4, v * 2.2 + 0.9, 121, 6) - 0.52 - height,
                                    (octaves(u * 3.3 + 0.4, (v + step) * 2.2 + 0.9, 121, 6) - 0.52 - height) * 1.5) /
                             step +
                         0.05;
    if (std::abs(height) < 0.0024 * slope) return true;  // the coast
    if (height < 0) {                                    // depth contours, finer
        return std::abs(std::remainder(height, 0.035)) < 0.0007 * slope;
    }
    const double hatch = std::remainder((u * 1.5 + v) * 48, 1.0);  // land is hatched
    return std::abs(hatch) < 0.12 && height > 0.01;
}

}  // namespace opispool::samples
