// SPDX-License-Identifier: Apache-2.0
#pragma once

// The exact local solve of one block of three rows whose flow has no component on row 0: a contact with Coulomb's law,
// a von Mises point. What a sweep nearly always needs is inlined into it, the rest is compiled once.

#include <algorithm>
#include <cmath>
#include <limits>

namespace nonsmooth::mixed::local {

/// u = W r + b, rows (0, T1, T2). With row 0 eliminated, S = W_TT - W_T0 W_0T / W_00, c = b_T - W_T0 b_0 / W_00, flow
/// u_T = -a r_T is r_T(a) = -(S + a)^-1 c = -(adj(S) c + a c) / D(a), D = a^2 + tr(S) a + det S, for any S. The slip
/// ratio a >= 0 is the root of one scalar equation |r_T(a)| = mu r_0(a) (or = radius), both sides times D: a linear
/// vector against a quadratic polynomial, whose quotient is nearly linear in a. Any root with D > 0 is a solution.
struct Radial3D {
  enum class Mode : unsigned char { Open, Stick, Slip };

  double bound = 0.0;                             ///< mu, or the radius where `cylinder`
  bool cylinder = false;                          ///< von Mises
  Mode mode = Mode::Stick;                        ///< of the last solve that found a solution
  double W_00 = 0.0, inverse = 0.0, scale = 0.0;  ///< W_00, 1 / W_00, the mean diagonal entry of W_TT
  double W_01 = 0.0, W_02 = 0.0, W_10 = 0.0, W_20 = 0.0;
  double S_11 = 0.0, S_12 = 0.0, S_21 = 0.0, S_22 = 0.0;
  double trace = 0.0, determinant = 0.0, smallest = 0.0;  ///< of S; a below `smallest` is round-off
  double stick_inverse = 0.0;                             ///< 1 / det S; NaN where S is singular or indefinite
  double slip = 0.0;                                      ///< a of the last visit: where Newton starts

  /// W is column-major 3 x 3. False where W_00 <= 0 (von Mises: = 0): row 0 cannot be eliminated.
  [[nodiscard]] bool prepare(const double* W, double set_bound, bool is_cylinder) noexcept {
    bound = set_bound;
    cylinder = is_cylinder;
    W_00 = W[0], W_10 = W[1], W_20 = W[2], W_01 = W[3], W_02 = W[6];
    if (!(cylinder ? W_00 != 0.0 : W_00 > 0.0)) return false;
    inverse = 1.0 / W_00;
    S_11 = W[4] - W_10 * W_01 * inverse;
    S_21 = W[5] - W_20 * W_01 * inverse;
    S_12 = W[7] - W_10 * W_02 * inverse;
    S_22 = W[8] - W_20 * W_02 * inverse;
    trace = S_11 + S_22;
    scale = 0.5 * (W[4] + W[8]);
    // S keeps no digits below the terms it was made of: there the block cannot tell stick from slow slip.
    const double terms =
        std::abs(W[4]) + std::abs(W[8]) + (std::abs(W_10 * W_01) + std::abs(W_20 * W_02)) * std::abs(inverse);
    smallest = 8.0 * std::numeric_limits<double>::epsilon() * terms;
    determinant = S_11 * S_22 - S_12 * S_21;
    stick_inverse = determinant > smallest * std::abs(trace) && trace > 0.0 ? 1.0 / determinant
                                                                            : std::numeric_limits<double>::quiet_NaN();
    slip = -1.0;
    mode = Mode::Stick;
    return true;
  }

  /// The solution of a contact with Coulomb's law that touches and sticks, S regular. Else false: r is then left alone.
  [[nodiscard]] bool stick(const double* b, double* r) const noexcept {
    const double c_1 = b[1] - W_10 * inverse * b[0], c_2 = b[2] - W_20 * inverse * b[0];
    const double x_1 = (S_12 * c_2 - S_22 * c_1) * stick_inverse, x_2 = (S_21 * c_1 - S_11 * c_2) * stick_inverse;
    const double x_0 = -(b[0] + W_01 * x_1 + W_02 * x_2) * inverse, radius = bound * x_0;
    // One branch instead of three, as they would be taken at random.
    const bool touches = b[0] < 0.0, presses = x_0 >= 0.0, inside = x_1 * x_1 + x_2 * x_2 <= radius * radius;
    if (!(touches & presses & inside)) return false;
    r[0] = x_0, r[1] = x_1, r[2] = x_2;
    return true;
  }

  /// The solution of a contact with Coulomb's law that slides, S regular, where one step of Newton's method from the
  /// slip ratio of the last visit gives it to round-off. Else false: r is then left alone, and solve() finds it.
  [[nodiscard]] bool slide(const double* b, double* r) noexcept {
    const double c_1 = b[1] - W_10 * inverse * b[0], c_2 = b[2] - W_20 * inverse * b[0];
    const double p_1 = S_22 * c_1 - S_12 * c_2, p_2 = S_11 * c_2 - S_21 * c_1;
    // As in solve(), but no division waits for a square root.
    const double lead = -bound * b[0] * inverse, tail = bound * inverse;
    const double t_0 = lead * determinant + tail * (W_01 * p_1 + W_02 * p_2);
    const double t_1 = lead * trace + tail * (W_01 * c_1 + W_02 * c_2);
    const double y_1 = p_1 + slip * c_1, y_2 = p_2 + slip * c_2, square = y_1 * y_1 + y_2 * y_2;
    const double limit = (lead * slip + t_1) * slip + t_0;
    const double slope = (2.0 * lead * slip + t_1) * square - limit * (y_1 * c_1 + y_2 * c_2);
    const double a = slip - (limit - std::sqrt(square)) * (square / slope);
    const double z_1 = p_1 + a * c_1, z_2 = p_2 + a * c_2, factor = -1.0 / ((a + trace) * a + determinant);
    const double size = std::sqrt(z_1 * z_1 + z_2 * z_2);
    const double x_0 = -(b[0] + (W_01 * z_1 + W_02 * z_2) * factor) * inverse, radius = bound * x_0;
    const double excess = std::abs(size * factor + radius);
    const bool touches = b[0] < 0.0, slips = !(t_0 >= 0.0 && t_0 * t_0 >= p_1 * p_1 + p_2 * p_2);
    const bool solved = excess < 64.0 * std::numeric_limits<double>::epsilon() * radius;
    const bool regular = stick_inverse > 0.0, forward = slip > 0.0 && a > 0.0;
    if (!(touches & slips & solved & regular & forward)) return false;
    slip = a;
    const double along = -radius / size;  // on the boundary to the last bit
    r[0] = x_0, r[1] = along * z_1, r[2] = along * z_2;
    return true;
  }

  /// Stick where S has rank one or none: the smallest r_T with S r_T = -c, if there is one.
  [[nodiscard]] bool singular_stick(const double* b, double c_1, double c_2, double* r) const noexcept;

  /// False where no solution was found: r is then left alone.
  [[nodiscard]] bool solve(const double* b, double* r) noexcept;
};

}  // namespace nonsmooth::mixed::local
