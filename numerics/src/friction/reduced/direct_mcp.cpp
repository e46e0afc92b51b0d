// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/friction/direct_mcp.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include <internal/check.hpp>
#include <nonsmooth/numerics/mixed/gauss_seidel.hpp>

#include "mixed/newton_system.hpp"
#include "mixed/projection_jacobian.hpp"
#include "projection_method.hpp"

namespace nonsmooth::friction {
namespace {

using mixed::internal::BlockDiagonal;

[[nodiscard]] bool slips(const BlockSet& set) noexcept {
  return (set.kind == SetKind::Coulomb2D || set.kind == SetKind::Coulomb3D) && set.mu > 0.0;
}

/// W and q with a row for the slip l after each contact's own, which W does not see. The sets only name sizes.
[[nodiscard]] Problem with_slips(const Problem& problem) {
  Problem extended;
  std::vector<Index> sizes;
  for (Index b = 0; b < problem.K.num_blocks(); ++b) {
    sizes.push_back(problem.K.size(b) + (slips(problem.K[b]) ? 1 : 0));
    extended.K.push_back({.kind = SetKind::Free}, sizes.back());
  }
  const BlockSparseMatrix& W = problem.W;
  extended.W.begin_pattern(sizes);
  for (Index b = 0; b < W.num_block_rows(); ++b) {
    for (Index k = W.row_begin(b); k < W.row_begin(b + 1); ++k) extended.W.insert(W.column(k));
    extended.W.next_row();
  }
  extended.W.end_pattern();
  extended.q.setZero(extended.W.rows());
  for (Index b = 0; b < W.num_block_rows(); ++b) {
    extended.q.segment(extended.W.offset(b), W.size(b)) = problem.q.segment(W.offset(b), W.size(b));
    for (Index k = W.row_begin(b); k < W.row_begin(b + 1); ++k)
      extended.W.block(b, extended.W.find(b, W.column(k))).topLeftCorner(W.size(b), W.size(W.column(k))) =
          W.block(b, k);
  }
  return extended;
}

/// a + b - sqrt(a^2 + b^2) without cancellation, and its derivatives.
struct Pair {
  Pair(double a, double b) {
    const double length = std::hypot(a, b);
    value = a + b > 0.0 ? 2.0 * a * (b / (length + a + b)) : a + b - length;
    da = 1.0 - (length > 0.0 ? a / length : std::sqrt(0.5));
    db = 1.0 - (length > 0.0 ? b / length : std::sqrt(0.5));
  }
  double value, da, db;
};

/// F(x) of x = (r, l of each contact) in numbers: velocities over their scale, reactions over rho times it.
class DirectMcpEquations {
 public:
  DirectMcpEquations(const Problem& problem, const Problem& extended, const Eigen::VectorXd& rho, double velocity)
      : A(extended.K), C(extended.K), problem_(problem), extended_(extended), velocity_(velocity) {
    unit.setConstant(extended.W.rows(), velocity);
    for (Index b = 0; b < problem.K.num_blocks(); ++b)
      for (Index i = 0; i < problem.K.size(b); ++i)
        unit[extended.K.offset(b) + i] = rho[problem.K.offset(b) + i] * velocity;
  }

  /// |F|^2 / 2 at x with u = W x + q; fills A = dF/dx and C = dF/du where asked to.
  double evaluate(const Eigen::VectorXd& x, const Eigen::VectorXd& u, bool derivatives, Eigen::VectorXd& F) {
    for (Index b = 0; b < problem_.K.num_blocks(); ++b) {
      const Index o = extended_.K.offset(b), m = extended_.K.size(b);
      double* a = derivatives ? A.block(b) : nullptr;
      double* c = derivatives ? C.block(b) : nullptr;
      if (derivatives) {
        std::fill(a, a + m * m, 0.0);
        std::fill(c, c + m * m, 0.0);
      }
      if (slips(problem_.K[b])) {
        contact(problem_.K[b].mu, x.data() + o, u.data() + o, unit.data() + o, m, F.data() + o, a, c);
        continue;
      }
      for (Index i = 0; i < m; ++i) {
        const double r = x[o + i] / unit[o + i], v = u[o + i] / velocity_;
        // Rows: bilateral; unilateral; tangential without friction.
        if (problem_.K[b].kind == SetKind::Free) {
          F[o + i] = v;
          if (derivatives) c[i * (m + 1)] = 1.0 / velocity_;
        } else if (problem_.K[b].kind == SetKind::Orthant || i == 0) {
          const Pair pair(r, v);
          F[o + i] = pair.value;
          if (!derivatives) continue;
          a[i * (m + 1)] = pair.da / unit[o + i];
          c[i * (m + 1)] = pair.db / velocity_;
        } else {
          F[o + i] = r;
          if (derivatives) a[i * (m + 1)] = 1.0 / unit[o + i];
        }
      }
    }
    return 0.5 * F.squaredNorm();
  }

  /// Adds `by`, in numbers, to dF_i/dx_i: each equation grows with its own unknown, so that this makes J more regular.
  void shift(double by) {
    for (Index b = 0; b < extended_.K.num_blocks(); ++b)
      for (Index i = 0, m = extended_.K.size(b); i < m; ++i)
        A.block(b)[i * (m + 1)] += by / unit[extended_.K.offset(b) + i];
  }

  BlockDiagonal A, C;
  Eigen::VectorXd unit;  // of each x

 private:
  void contact(double mu, const double* x, const double* u, const double* units, Index m, double* F, double* a,
               double* c) const {
    const Index last = m - 1;
    const double r_N = x[0] / units[0], l = x[last] / velocity_;
    double gap = mu * r_N * mu * r_N;
    for (Index i = 1; i < last; ++i) gap -= (x[i] / units[i]) * (x[i] / units[i]);
    const Pair normal(r_N, u[0] / velocity_), cone(l, gap);
    F[0] = normal.value;
    F[last] = cone.value;
    for (Index i = 1; i < last; ++i) F[i] = mu * r_N * (u[i] / velocity_) + l * (x[i] / units[i]);
    if (a == nullptr) return;
    a[0] = normal.da / units[0];
    c[0] = normal.db / velocity_;
    a[last * (m + 1)] = cone.da / velocity_;
    a[last] = cone.db * 2.0 * mu * mu * r_N / units[0];
    for (Index i = 1; i < last; ++i) {
      const double r = x[i] / units[i];
      a[i] = mu * (u[i] / velocity_) / units[0];
      a[i * (m + 1)] = l / units[i];
      a[last * m + i] = r / velocity_;
      a[i * m + last] = -cone.db * 2.0 * r / units[i];
      c[i * (m + 1)] = mu * r_N / velocity_;
    }
  }

  const Problem& problem_;
  const Problem& extended_;
  const double velocity_;
};

class DirectMcpMethod {
 public:
  DirectMcpMethod(const Problem& problem, const DirectMcp& options, mixed::Result& result)
      : problem_(problem),
        options_(options),
        result_(result),
        monitor_(problem, options.tolerance, options.measure, options.time_limit, result),
        extended_(with_slips(problem)),
        equations_(problem, extended_, monitor_.rho(), monitor_.scale()),
        system_(extended_) {
    const Index n = extended_.W.rows();
    for (Eigen::VectorXd* vector : {&x_, &u_, &F_, &step_, &product_, &trial_, &trial_u_, &scratch_, &gradient_})
      vector->setZero(n);
    r_.resize(problem.W.rows()), r_u_.resize(problem.W.rows());
  }

  void run() {
    constexpr std::size_t memory = 5;  // merits of which the largest is the line search's reference
    set_start();
    std::vector<double> history;
    for (;; ++result_.iterations) {
      if (look()) return monitor_.finish(Status::Stalled, "");
      if (result_.iterations >= options_.max_iterations)
        return monitor_.finish(Status::IterationLimit, "max_iterations reached");
      const double value = equations_.evaluate(x_, u_, true, F_);
      if (!std::isfinite(value)) return monitor_.finish(Status::NumericalFailure, "numbers overflow");
      history.push_back(value);
      if (history.size() > memory) history.erase(history.begin());
      if (!advance(value, *std::max_element(history.begin(), history.end())))
        return monitor_.finish(Status::Stalled,
                               "no descent: a stationary point of |F|^2, as the cone's apex may be, or round-off");
    }
  }

 private:
  void set_start() {
    mixed::Result sweeps;
    sweeps.r = result_.r;
    if (options_.sweeps > 0 && options_.start.size() == 0) {
      mixed::GaussSeidelWorkspace().solve(
          problem_,
          {.tolerance = options_.tolerance, .max_sweeps = options_.sweeps, .time_limit = monitor_.remaining()}, sweeps);
      if (!sweeps.r.allFinite()) sweeps.r = result_.r;
    }
    for (Index b = 0; b < problem_.K.num_blocks(); ++b)
      x_.segment(extended_.K.offset(b), problem_.K.size(b)) =
          sweeps.r.segment(problem_.K.offset(b), problem_.K.size(b));
    extended_.W.multiply_add(x_, extended_.q, u_);
    for (Index b = 0; b < problem_.K.num_blocks(); ++b)
      if (slips(problem_.K[b])) {
        const Index o = extended_.K.offset(b), n = problem_.K.size(b);
        x_[o + n] = u_.segment(o + 1, n - 1).norm();
      }
  }

  /// At the admissible reactions nearest to x.
  [[nodiscard]] bool look() {
    for (Index b = 0; b < problem_.K.num_blocks(); ++b)
      r_.segment(problem_.K.offset(b), problem_.K.size(b)) = x_.segment(extended_.K.offset(b), problem_.K.size(b));
    internal::project(problem_.K, r_);
    problem_.W.multiply_add(r_, problem_.q, r_u_);
    return monitor_.observe(r_, r_u_);
  }

  [[nodiscard]] bool advance(double value, double reference) {
    extended_.W.multiply_add(x_, extended_.q, u_);
    equations_.C.multiply_transposed(extended_.K, F_, scratch_);
    mixed::internal::multiply_transposed(extended_.W, scratch_, gradient_);
    equations_.A.multiply_transposed(extended_.K, F_, scratch_);
    gradient_ += scratch_;
    // The shift of a Levenberg-Marquardt method: it vanishes with F, so that the last steps are Newton's.
    double shift = std::clamp(0.1 * std::sqrt(2.0 * value), 1e-14, 1e-3), added = 0.0;
    bool regular = false;
    for (; shift <= 1.0 && !regular; shift *= 100.0) {
      equations_.shift(shift - added);
      added = shift;
      regular = system_.factorize(equations_.A, equations_.C);
    }
    for (int attempt = regular ? 0 : 1; attempt < 2; ++attempt) {
      if (attempt == 0) {
        step_ = -F_;
        system_.solve_in_place(step_);
      } else {
        step_ = -equations_.unit.cwiseAbs2().cwiseProduct(gradient_);
      }
      const double slope = gradient_.dot(step_);
      if (step_.allFinite() && slope < 0.0 && search(slope, reference, attempt == 0 ? 20 : 60)) return true;
    }
    return false;
  }

  [[nodiscard]] bool search(double slope, double reference, int halvings) {
    product_.setZero();
    extended_.W.multiply_add(step_, product_, product_);
    double t = 1.0;
    for (int halving = 0; halving < halvings; ++halving, t *= 0.5) {
      trial_ = x_ + t * step_;
      trial_u_ = u_ + t * product_;
      if (!(equations_.evaluate(trial_, trial_u_, false, scratch_) <= reference + 1e-4 * t * slope)) continue;
      if (trial_ == x_) return false;
      x_ = trial_;
      extended_.W.multiply_add(x_, extended_.q, u_);
      return true;
    }
    return false;
  }

  const Problem& problem_;
  const DirectMcp& options_;
  mixed::Result& result_;
  internal::Monitor monitor_;
  const Problem extended_;
  DirectMcpEquations equations_;
  mixed::internal::NewtonSystem system_;
  Eigen::VectorXd x_, u_, F_, step_, product_, trial_, trial_u_, scratch_, gradient_, r_, r_u_;
};

}  // namespace

void DirectMcp::validate() const {
  check::positive("friction::DirectMcp::tolerance", tolerance);
  check::at_least("friction::DirectMcp::max_iterations", max_iterations, 1);
  check::at_least("friction::DirectMcp::sweeps", sweeps, 0);
  detail::check_time_limit("friction::DirectMcp::time_limit", time_limit);
}

Result solve(const Problem& problem, const DirectMcp& options) {
  return internal::solve_by(problem, options, "direct mcp", "friction::DirectMcp::start", false,
                            [](const Problem& canonical, const DirectMcp& own, mixed::Result& result) {
                              DirectMcpMethod(canonical, own, result).run();
                            });
}

}  // namespace nonsmooth::friction
