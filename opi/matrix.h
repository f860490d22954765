// SPDX-License-Identifier: AGPL-3.0-or-later
// PostScript's affine matrix [a b c d e f]: x' = a x + c y + e, y' = b x + d y + f (row vectors).
#pragma once

#include <cmath>

namespace opispool::opi {

struct Point {
    double x = 0, y = 0;
    friend bool operator==(const Point&, const Point&) = default;
};

struct Matrix {
    double a = 1, b = 0, c = 0, d = 1, e = 0, f = 0;

    Point apply(Point p) const { return {a * p.x + c * p.y + e, b * p.x + d * p.y + f}; }
    double determinant() const { return a * d - b * c; }
    friend bool operator==(const Matrix&, const Matrix&) = default;
};

// First `m`, then `n`: PostScript's `m n concatmatrix`.
inline Matrix operator*(const Matrix& m, const Matrix& n) {
    return {m.a * n.a + m.b * n.c, m.a * n.b + m.b * n.d,       m.c * n.a + m.d * n.c,
            m.c * n.b + m.d * n.d, m.e * n.a + m.f * n.c + n.e, m.e * n.b + m.f * n.d + n.f};
}

// Of a matrix with a determinant other than 0.
inline Matrix inverse(const Matrix& m) {
    const double det = m.determinant();
    return {m.d / det, -m.b / det, -m.c / det, m.a / det, (m.c * m.f - m.d * m.e) / det, (m.b * m.e - m.a * m.f) / det};
}

}  // namespace opispool::opi
