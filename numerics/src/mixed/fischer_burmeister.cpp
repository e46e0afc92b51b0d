// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/mixed/fischer_burmeister.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <internal/check.hpp>
#include <internal/deadline.hpp>
#include <internal/round_off.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "damped_newton.hpp"
#include "fischer_burmeister_function.hpp"
#include "internal.hpp"
#include "newton_system.hpp"
#include "projection_jacobian.hpp"
#include "set_kernels.hpp"

namespace nonsmooth::mixed {
namespace {

constexpr Index kept_merits = 5;                 // merits
constexpr int fischer_burmeister_halvings = 15;  // of a Newton step

/// x^2 + y^2 = l_1^2 c_1 + l_2^2 c_2 with c_{1,2} = (1, -+d) / 2: the roots l_1 <= l_2 and the direction d (n - 1).
struct Spectrum {
  double l_1, l_2;
};

Spectrum spectrum(const double* x, const double* y, Index n, double* d) noexcept {
  double largest = 0.0;
  for (Index i = 0; i < n; ++i) largest = std::max({largest, std::abs(x[i]), std::abs(y[i])});
  if (!(largest > 0.0)) {
    for (Index i = 1; i < n; ++i) d[i] = i == 1 ? 1.0 : 0.0;
    return {0.0, 0.0};
  }
  double square = 0.0;
  const double a = x[0] / largest, b = y[0] / largest;
  for (Index i = 1; i < n; ++i) {
    d[i] = a * (x[i] / largest) + b * (y[i] / largest);
    square += d[i] * d[i];
  }
  const double length = std::sqrt(square);
  for (Index i = 1; i < n; ++i) d[i] = length > 0.0 ? d[i] / length : (i == 1 ? 1.0 : 0.0);
  // l_{1,2}^2 = |x_T -+ x_0 d|^2 + |y_T -+ y_0 d|^2: sums of squares, where w_0 -+ |w_T| would cancel.
  double low = 0.0, high = 0.0;
  for (Index i = 1; i < n; ++i) {
    const double p = x[i] / largest, q = y[i] / largest;
    low += (p - a * d[i]) * (p - a * d[i]) + (q - b * d[i]) * (q - b * d[i]);
    high += (p + a * d[i]) * (p + a * d[i]) + (q + b * d[i]) * (q + b * d[i]);
  }
  if (!(length > 0.0)) low = high = std::max(low, high);  // x_T = y_T = 0 or x_0 = y_0 = 0: the same root twice
  return {largest * std::sqrt(low), largest * std::sqrt(high)};
}

/// v := L_z^{-1} v for z = l_1 c_1 + l_2 c_2.
void invert_lyapunov(double l_1, double l_2, const double* d, Index n, double* v) noexcept {
  double along = 0.0;
  for (Index i = 1; i < n; ++i) along += d[i] * v[i];
  const double p = 0.5 * (v[0] - along) / l_1, q = 0.5 * (v[0] + along) / l_2, middle = 0.5 * (l_1 + l_2);
  v[0] = p + q;
  for (Index i = 1; i < n; ++i) v[i] = (q - p) * d[i] + (v[i] - along * d[i]) / middle;
}

/// sqrt(a^2 + b^2) - a - b without cancellation.
double scalar_phi(double a, double b) noexcept {
  const double length = std::hypot(a, b);
  return a + b > 0.0 ? -2.0 * (a * (b / (length + a + b))) : length - a - b;
}

void scalar_derivatives(double a, double b, double& da, double& db) noexcept {
  const double length = std::hypot(a, b);
  da = (length > 0.0 ? a / length : std::sqrt(0.5)) - 1.0;  // at the kink the element along (1, 1)
  db = (length > 0.0 ? b / length : std::sqrt(0.5)) - 1.0;
}

/// phi of all blocks with its derivatives with respect to r and u, for damped_newton().
class FischerBurmeisterMap {
 public:
  explicit FischerBurmeisterMap(const Problem& problem) : A(problem.K), C(problem.K), problem_(problem) {
    internal::natural_scales(problem, rho);
    Index largest = 1;
    for (Index b = 0; b < problem.K.num_blocks(); ++b) largest = std::max(largest, problem.K.size(b));
    x_.resize(largest);
    y_.resize(largest);
  }

  double merit(const Eigen::VectorXd& r, const Eigen::VectorXd& u, Eigen::VectorXd& phi) {
    return evaluate(r, u, phi, false);
  }
  double linearize(const Eigen::VectorXd& r, const Eigen::VectorXd& u, Eigen::VectorXd& phi) {
    return evaluate(r, u, phi, true);
  }
  void shift(double by) {
    for (Index b = 0; b < problem_.K.num_blocks(); ++b) {
      const Index o = problem_.K.offset(b), n = problem_.K.size(b);
      const double sign = problem_.K[b].kind == SetKind::Free ? 1.0 : -1.0;  // of the derivatives of phi
      for (Index i = 0; i < n; ++i) A.block(b)[i * (n + 1)] += sign * by / rho[o + i];
    }
  }
  /// phi's zeros are approached from outside of K: the nearest point inside is certified as well.
  void keep(const Eigen::VectorXd& r, Eigen::VectorXd& u, Eigen::VectorXd& scratch, Result& result) {
    inside_ = r;
    for (Index b = 0; b < problem_.K.num_blocks(); ++b)
      project(problem_.K[b], inside_.data() + problem_.K.offset(b), problem_.K.size(b));
    internal::keep_better(problem_, inside_, scratch, result);
    internal::keep_better(problem_, r, u, result);
  }

  Eigen::VectorXd rho;
  internal::BlockDiagonal A, C;

 private:
  double evaluate(const Eigen::VectorXd& r, const Eigen::VectorXd& u, Eigen::VectorXd& phi, bool derivatives) {
    for (Index b = 0; b < problem_.K.num_blocks(); ++b) {
      const Index o = problem_.K.offset(b), n = problem_.K.size(b);
      block(problem_.K[b], rho.data() + o, r.data() + o, u.data() + o, n, phi.data() + o,
            derivatives ? A.block(b) : nullptr, derivatives ? C.block(b) : nullptr);
    }
    return 0.5 * phi.squaredNorm();
  }

  void block(const BlockSet& set, const double* scale, const double* r, const double* u, Index n, double* phi,
             double* a, double* c) {
    if (a != nullptr) {
      std::fill(a, a + n * n, 0.0);
      std::fill(c, c + n * n, 0.0);
    }
    const auto row = [&](Index i) {
      phi[i] = scalar_phi(r[i] / scale[i], u[i]);
      if (a == nullptr) return;
      scalar_derivatives(r[i] / scale[i], u[i], a[i * (n + 1)], c[i * (n + 1)]);
      a[i * (n + 1)] /= scale[i];
    };
    if (set.kind == SetKind::Free) {
      for (Index i = 0; i < n; ++i) {
        phi[i] = u[i];
        if (c != nullptr) c[i * (n + 1)] = 1.0;
      }
    } else if (set.kind == SetKind::Orthant) {
      for (Index i = 0; i < n; ++i) row(i);
    } else if (n == 1 || set.mu == 0.0) {
      row(0);
      for (Index i = 1; i < n; ++i) {
        phi[i] = r[i] / scale[i];
        if (a != nullptr) a[i * (n + 1)] = 1.0 / scale[i];
      }
    } else {
      for (Index i = 0; i < n; ++i) {
        x_[i] = (i == 0 ? set.mu : 1.0) * (r[i] / scale[i]);
        y_[i] = i == 0 ? u[i] / set.mu : u[i];
      }
      fischer_burmeister(x_.data(), y_.data(), n, phi, a, c);
      for (Index j = 0; j < n && a != nullptr; ++j)
        for (Index i = 0; i < n; ++i) {
          a[j * n + i] *= (j == 0 ? set.mu : 1.0) / scale[j];
          if (j == 0) c[i] /= set.mu;
        }
    }
  }

  const Problem& problem_;
  Eigen::VectorXd x_, y_, inside_;
};

}  // namespace

void fischer_burmeister(const double* x, const double* y, Index n, double* phi, double* dx, double* dy) noexcept {
  if (n == 1) {
    phi[0] = scalar_phi(x[0], y[0]);
    if (dx != nullptr) scalar_derivatives(x[0], y[0], dx[0], dy[0]);
    return;
  }
  double* d = phi;  // d_1.. lives where phi_1.. will
  const auto [l_1, l_2] = spectrum(x, y, n, d);
  if (dx != nullptr) {
    const double floor = eps * l_2, root = std::max(l_1, floor);
    for (Index j = 0; j < n; ++j)
      for (const auto& [z, D] : {std::pair{x, dx + j * n}, std::pair{y, dy + j * n}}) {
        // Column j of L_z - I: (z_0, z_T) for j = 0, z_j e_0 + z_0 e_j else.
        if (!(l_2 > 0.0)) {
          std::fill(D, D + n, 0.0);
          D[j] = std::sqrt(0.5) - 1.0;
          continue;
        }
        std::fill(D, D + n, 0.0);
        if (j == 0) {
          std::copy(z, z + n, D);
        } else {
          D[0] = z[j];
          D[j] = z[0];
        }
        invert_lyapunov(root, l_2, d, n, D);
        D[j] -= 1.0;
      }
  }
  phi[0] = 0.5 * (l_1 + l_2) - x[0] - y[0];
  for (Index i = 1; i < n; ++i) phi[i] = 0.5 * (l_2 - l_1) * d[i] - x[i] - y[i];
}

void FischerBurmeister::validate() const {
  check::positive("mixed::FischerBurmeister::tolerance", tolerance);
  check::at_least("mixed::FischerBurmeister::max_steps", max_steps, 1);
  check::positive("mixed::FischerBurmeister::decrease", decrease);
  check::range("mixed::FischerBurmeister::decrease", decrease, 0.0, 0.5);
  detail::check_time_limit("mixed::FischerBurmeister::time_limit", time_limit);
}

Result solve(const Problem& problem, const FischerBurmeister& options) {
  problem.validate();
  options.validate();
  for (Index b = 0; b < problem.K.num_blocks(); ++b) {
    const SetKind kind = problem.K[b].kind;
    if (kind != SetKind::Free && kind != SetKind::Orthant && kind != SetKind::SecondOrderCone)
      throw InvalidArgument("mixed::FischerBurmeister: problem.K", "another set at block " + std::to_string(b),
                            "Free, Orthant or SecondOrderCone");
  }
  Result result;
  internal::begin(problem, "fischer-burmeister", result);
  internal::set_start(problem, "mixed::FischerBurmeister::start", options.start, result);
  FischerBurmeisterMap map(problem);
  internal::damped_newton(problem,
                          {.tolerance = options.tolerance,
                           .max_steps = options.max_steps,
                           .memory = kept_merits,
                           .decrease = options.decrease,
                           .halvings = fischer_burmeister_halvings,
                           .time_limit = options.time_limit},
                          map, result);
  internal::note_round_off(problem, result);
  return result;
}

}  // namespace nonsmooth::mixed
