// SPDX-License-Identifier: Apache-2.0
#include "semismooth.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include <internal/sparse_factors.hpp>

#include "../deadline.hpp"
#include "principal.hpp"

namespace nonsmooth::lcp {
namespace semismooth {  // named: lambdas of a template with linkage hold its types

/// phi(a, b) = sqrt(a^2 + b^2) - a - b without cancellation: for a + b > 0 it is -2 a b / (r + a + b).
inline double fischer_phi(double a, double b) {
  const double r = std::hypot(a, b);
  return a + b > 0.0 ? -2.0 * a * b / (r + a + b) : r - a - b;
}

/// Newton systems (diag(a) + diag(b) M) x = r.
class DenseNewton {
 public:
  explicit DenseNewton(const View& problem) : p_(problem) {}
  bool factorize(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
    J_ = b.asDiagonal() * p_.M;
    J_.diagonal() += a;
    return lu_.factorize(J_);
  }
  void solve(Eigen::VectorXd& x) const { lu_.solve_in_place(x); }
  void multiply(const Eigen::VectorXd& x, Eigen::VectorXd& out) const { out.noalias() = p_.M * x; }
  void multiply_transposed(const Eigen::VectorXd& x, Eigen::VectorXd& out) const {
    out.noalias() = p_.M.transpose() * x;
  }

 private:
  View p_;
  Eigen::MatrixXd J_;
  detail::DenseLu lu_;
};

class SparseNewton {
 public:
  explicit SparseNewton(const SparseProblem& problem) : p_(problem) {}
  bool factorize(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
    Eigen::SparseMatrix<double> diagonal(a.size(), a.size());
    diagonal.setIdentity();
    diagonal.diagonal() = a;
    J_ = b.asDiagonal() * p_.M;
    J_ += diagonal;
    return lu_.compute(J_);
  }
  void solve(Eigen::VectorXd& x) const { lu_.solve_in_place(x); }
  void multiply(const Eigen::VectorXd& x, Eigen::VectorXd& out) const { out = p_.M * x; }
  void multiply_transposed(const Eigen::VectorXd& x, Eigen::VectorXd& out) const { out = p_.M.transpose() * x; }

 private:
  const SparseProblem& p_;
  Eigen::SparseMatrix<double> J_;
  SparseLuFactors lu_;
};

inline DenseNewton newton_of(const View& problem) { return DenseNewton(problem); }
inline SparseNewton newton_of(const SparseProblem& problem) { return SparseNewton(problem); }

/// Directions in the order in which they are tried; each must pass the line search, else the next.
enum class Direction : unsigned char { MinMap, FischerBurmeister, Gradient };

}  // namespace semismooth

template <class P>
void detail::semismooth_newton(const P& problem, const SemismoothOptions& options, Result& result) {
  using namespace semismooth;
  const nonsmooth::detail::Deadline deadline(options.time_limit);
  const Index n = problem.q.size();
  auto newton = newton_of(problem);
  auto principal = principal_of(problem);
  Eigen::VectorXd s(n);
  row_scales(problem, s);
  Eigen::VectorXd z = Eigen::VectorXd::Zero(n);
  Eigen::VectorXd w = problem.q;
  Eigen::VectorXd phi(n), da(n), db(n), step(n), gradient(n), product(n), trial(n), trial_w(n), scratch(n);
  std::vector<Index> rows, rows_before;
  std::vector<double> history;
  const auto merit = [&](const Eigen::VectorXd& at, const Eigen::VectorXd& at_w) {
    double sum = 0.0;
    for (Index i = 0; i < n; ++i) {
      const double value = fischer_phi(s[i] * at[i], at_w[i]);
      sum += value * value;
    }
    return 0.5 * sum;
  };
  const auto newton_direction = [&] {
    bool regular = newton.factorize(da, db);
    if (!regular) {  // singular: sqrt(eps) more of the (negative) diagonal
      scratch = da - 1e-8 * s;
      regular = newton.factorize(scratch, db);
    }
    if (!regular) return false;
    step = -phi;
    newton.solve(step);
    return step.allFinite();
  };
  Status end = Status::IterationLimit;
  std::string_view reason = "max_steps reached";
  for (result.iterations = 0;; ++result.iterations) {
    keep_better(problem, z.cwiseMax(0.0), scratch, result);
    if (result.certificate.residual <= options.tolerance) break;
    rows.clear();
    for (Index i = 0; i < n; ++i) {
      if (s[i] * z[i] > w[i]) rows.push_back(i);
    }
    // A basis is worth solving for when it comes twice, or when it is the first direction anyway.
    bool basis = (options.min_map_first || rows == rows_before) && principal.solve(rows, trial, trial_w);
    if (basis) {
      keep_better(problem, trial.cwiseMax(0.0), scratch, result);
      if (result.certificate.residual <= options.tolerance) break;
    }
    rows_before = rows;
    if (result.iterations >= options.max_steps) break;
    if (deadline.passed()) {
      end = Status::TimeLimit;
      reason = "time_limit reached";
      break;
    }
    for (Index i = 0; i < n; ++i) {
      const double a = s[i] * z[i];
      const double b = w[i];
      const double r = std::hypot(a, b);
      phi[i] = fischer_phi(a, b);
      da[i] = (r > 0.0 ? a / r : std::sqrt(0.5)) - 1.0;  // at the kink: the generalised derivative along (1, 1)
      db[i] = (r > 0.0 ? b / r : std::sqrt(0.5)) - 1.0;
    }
    da = da.cwiseProduct(s);
    scratch = db.cwiseProduct(phi);
    newton.multiply_transposed(scratch, gradient);
    gradient += da.cwiseProduct(phi);
    history.push_back(0.5 * phi.squaredNorm());
    if (static_cast<Index>(history.size()) > options.memory) history.erase(history.begin());
    const double reference = *std::max_element(history.begin(), history.end());
    bool moved = false;
    basis = basis && options.min_map_first;
    if (basis) step = trial - z;
    for (Direction direction = basis ? Direction::MinMap : Direction::FischerBurmeister; !moved;
         direction = static_cast<Direction>(static_cast<int>(direction) + 1)) {
      if (direction == Direction::FischerBurmeister && !newton_direction()) continue;
      if (direction == Direction::Gradient) step = -gradient.cwiseQuotient(s.cwiseProduct(s));
      const double slope = gradient.dot(step);
      if (direction == Direction::Gradient || slope <= -1e-12 * gradient.norm() * step.norm()) {
        newton.multiply(step, product);
        double t = 1.0;
        for (int halving = 0; halving < 50 && !moved; ++halving, t *= 0.5) {
          trial = z + t * step;
          trial_w = w + t * product;
          moved = merit(trial, trial_w) <= reference + options.decrease * t * slope;
        }
      }
      if (direction == Direction::Gradient) break;
    }
    if (!moved || trial == z) {
      end = Status::Stalled;
      reason = "no descent: a stationary point of the merit function, or round-off";
      break;
    }
    z = trial;
    newton.multiply(z, w);
    w += problem.q;
  }
  conclude(problem, options.tolerance, result, end, reason);
}

template void detail::semismooth_newton(const View&, const SemismoothOptions&, Result&);
template void detail::semismooth_newton(const SparseProblem&, const SemismoothOptions&, Result&);

}  // namespace nonsmooth::lcp
