// SPDX-License-Identifier: Apache-2.0
#include "local_contact.hpp"

namespace nonsmooth::mixed::local {

bool Radial3D::singular_stick(const double* b, double c_1, double c_2, double* r) const noexcept {
  const double square = S_11 * S_11 + S_12 * S_12 + S_21 * S_21 + S_22 * S_22;
  double x_1 = 0.0, x_2 = 0.0;
  if (square > smallest * smallest) {
    x_1 = -(S_11 * c_1 + S_21 * c_2) / square;
    x_2 = -(S_12 * c_1 + S_22 * c_2) / square;
  }
  const double rest = std::abs(S_11 * x_1 + S_12 * x_2 + c_1) + std::abs(S_21 * x_1 + S_22 * x_2 + c_2);
  const double noise =
      16.0 * std::numeric_limits<double>::epsilon() * (std::abs(b[0]) + std::abs(b[1]) + std::abs(b[2]));
  if (!(rest <= noise)) return false;
  const double x_0 = -(b[0] + W_01 * x_1 + W_02 * x_2) * inverse, radius = cylinder ? bound : bound * x_0;
  if (!(x_1 * x_1 + x_2 * x_2 <= radius * radius && (cylinder || x_0 >= 0.0))) return false;
  r[0] = x_0, r[1] = x_1, r[2] = x_2;
  return true;
}

bool Radial3D::solve(const double* b, double* r) noexcept {
  if (!cylinder && b[0] >= 0.0) {
    mode = Mode::Open;
    r[0] = r[1] = r[2] = 0.0;
    return true;
  }
  const double c_1 = b[1] - W_10 * inverse * b[0], c_2 = b[2] - W_20 * inverse * b[0];
  const double p_1 = S_22 * c_1 - S_12 * c_2, p_2 = S_11 * c_2 - S_21 * c_1;
  // The bound times D(a): mu r_0 D with r_0 D = -(b_0 D - W_0T·y) / W_00, y = p + a c, or radius D.
  const double lead = cylinder ? bound : -bound * b[0] * inverse, tail = cylinder ? 0.0 : bound * inverse;
  const double t_0 = lead * determinant + tail * (W_01 * p_1 + W_02 * p_2);
  const double t_1 = lead * trace + tail * (W_01 * c_1 + W_02 * c_2);
  const auto finish = [&](double a, bool flows) {
    const double y_1 = p_1 + a * c_1, y_2 = p_2 + a * c_2, factor = -1.0 / ((a + trace) * a + determinant);
    double x_1 = y_1 * factor, x_2 = y_2 * factor;
    const double x_0 = -(b[0] + W_01 * x_1 + W_02 * x_2) * inverse;
    const double square = x_1 * x_1 + x_2 * x_2;
    if (!(std::isfinite(x_0) && std::isfinite(square) && (cylinder || x_0 >= 0.0))) return false;
    const double radius = cylinder ? bound : bound * x_0;
    if (flows && square > radius * radius) {  // on the boundary to the last bit
      const double shrink = radius / std::sqrt(square);
      x_1 *= shrink;
      x_2 *= shrink;
    }
    mode = flows ? Mode::Slip : Mode::Stick;
    r[0] = x_0, r[1] = x_1, r[2] = x_2;
    return true;
  };
  if (bound == 0.0) {
    mode = Mode::Slip;
    r[0] = -b[0] * inverse;
    r[1] = r[2] = 0.0;
    return true;
  }
  // D > 0 beyond its largest root; S indefinite moves the lower end of the bracket there.
  double low = 0.0;
  const bool singular = !(determinant > smallest * std::abs(trace) && trace > 0.0);
  if (singular) {
    if (singular_stick(b, c_1, c_2, r)) {
      mode = Mode::Stick;
      return true;
    }
    const double half = 0.5 * trace, root = half * half - determinant;
    if (root > 0.0) low = std::max(0.0, std::sqrt(root) - half);
    low += smallest;
  }
  // The excess of the bound over |r_T| at a, times D; Newton is on its quotient with |y|, d|y|/da = y·c / |y|.
  double square = 0.0, size = 0.0, y_c = 0.0;
  const auto excess = [&](double a) {
    const double y_1 = p_1 + a * c_1, y_2 = p_2 + a * c_2;
    square = y_1 * y_1 + y_2 * y_2;
    y_c = y_1 * c_1 + y_2 * c_2;
    size = std::sqrt(square);
    return (lead * a + t_1) * a + t_0 - size;
  };
  if (excess(low) >= 0.0) return !singular && finish(low, false);
  double high = std::numeric_limits<double>::infinity();
  // Without coupling and with S = s I the root is |c| / lead - s. A slip ratio far beyond it is that of a contact
  // that hardly touched: from there squares overflow, and Newton would not come back.
  const double ratio = std::sqrt(c_1 * c_1 + c_2 * c_2) / lead;
  double a = slip > low && slip <= 1e6 * (ratio + std::abs(trace)) ? slip : std::max(low, ratio - 0.5 * trace);
  for (int k = 0; k < 100; ++k) {
    const double value = excess(a);
    if (value == 0.0) break;
    (value < 0.0 ? low : high) = a;
    const double slope = (2.0 * lead * a + t_1) * square - (value + size) * y_c;
    double next = a - value * square / slope;
    const bool newton = next > low && next < high;
    if (!newton) next = std::isfinite(high) ? 0.5 * (low + high) : 2.0 * a + std::abs(trace) + smallest;
    if (!std::isfinite(next)) return false;
    // Newton's error falls to its square, which a step of this size leaves below the last bit.
    const double converged = newton ? 1e-8 : 4.0 * std::numeric_limits<double>::epsilon();
    const bool done = std::abs(next - a) <= converged * next;
    a = next;
    if (done) break;
  }
  slip = a;
  return finish(a, true);
}

}  // namespace nonsmooth::mixed::local
