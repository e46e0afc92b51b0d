// SPDX-License-Identifier: Apache-2.0
#include "semismooth.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include <internal/deadline.hpp>
#include <internal/sparse_factors.hpp>

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

/// One run: the iterate (z, w), the merit function's terms there and the memory that steps work in.
template <class P>
class Iteration {
 public:
  Iteration(const P& problem, const detail::SemismoothOptions& options, Result& result)
      : problem_(problem),
        options_(options),
        result_(result),
        deadline_(options.time_limit),
        n_(problem.q.size()),
        newton_(newton_of(problem)),
        principal_(detail::principal_of(problem)) {
    detail::row_scales(problem, s_);
  }

  void run() {
    Status end = Status::IterationLimit;
    std::string_view reason = "max_steps reached";
    for (result_.iterations = 0;; ++result_.iterations) {
      if (keep(z_)) break;
      const bool basis = solve_basis();
      if (basis && keep(trial_)) break;
      if (result_.iterations >= options_.max_steps) break;
      if (deadline_.passed()) {
        end = Status::TimeLimit;
        reason = "time_limit reached";
        break;
      }
      linearise();
      if (!move(basis && options_.min_map_first) || trial_ == z_) {
        end = Status::Stalled;
        reason = "no descent: a stationary point of the merit function, or round-off";
        break;
      }
      z_ = trial_;
      newton_.multiply(z_, w_);
      w_ += problem_.q;
    }
    detail::conclude(problem_, options_.tolerance, result_, end, reason);
  }

 private:
  /// The better of result.z and the candidate's nonnegative part; true once it is within the tolerance.
  bool keep(const Eigen::VectorXd& candidate) {
    detail::keep_better(problem_, candidate.cwiseMax(0.0), scratch_, result_);
    return result_.certificate.residual <= options_.tolerance;
  }

  /// The solution of the basis {s z > w} into the trial. False if it was not worth solving for, or is singular.
  bool solve_basis() {
    rows_.clear();
    for (Index i = 0; i < n_; ++i) {
      if (s_[i] * z_[i] > w_[i]) rows_.push_back(i);
    }
    // A basis is worth solving for when it comes twice, or when it is the first direction anyway.
    const bool solved = (options_.min_map_first || rows_ == rows_before_) && principal_.solve(rows_, trial_, trial_w_);
    rows_before_ = rows_;
    return solved;
  }

  /// phi(s z, w), its derivatives by z and w, and the gradient of the merit function.
  void linearise() {
    for (Index i = 0; i < n_; ++i) {
      const double a = s_[i] * z_[i];
      const double b = w_[i];
      const double r = std::hypot(a, b);
      phi_[i] = fischer_phi(a, b);
      da_[i] = (r > 0.0 ? a / r : std::sqrt(0.5)) - 1.0;  // at the kink: the generalised derivative along (1, 1)
      db_[i] = (r > 0.0 ? b / r : std::sqrt(0.5)) - 1.0;
    }
    da_ = da_.cwiseProduct(s_);
    scratch_ = db_.cwiseProduct(phi_);
    newton_.multiply_transposed(scratch_, gradient_);
    gradient_ += da_.cwiseProduct(phi_);
    history_.push_back(0.5 * phi_.squaredNorm());
    if (static_cast<Index>(history_.size()) > options_.memory) history_.erase(history_.begin());
  }

  /// To a trial point that passes the line search, along the first direction that has one. With `basis` the trial is
  /// the basis' solution, and the way to it is the first direction.
  bool move(bool basis) {
    if (basis) step_ = trial_ - z_;
    for (Direction direction = basis ? Direction::MinMap : Direction::FischerBurmeister;;
         direction = static_cast<Direction>(static_cast<int>(direction) + 1)) {
      if (direction == Direction::FischerBurmeister && !newton_direction()) continue;
      if (direction == Direction::Gradient) step_ = -gradient_.cwiseQuotient(s_.cwiseProduct(s_));
      const double slope = gradient_.dot(step_);
      const bool descends = direction == Direction::Gradient || slope <= -1e-12 * gradient_.norm() * step_.norm();
      if (descends && search_along_step(slope)) return true;
      if (direction == Direction::Gradient) return false;
    }
  }

  bool newton_direction() {
    bool regular = newton_.factorize(da_, db_);
    if (!regular) {  // singular: sqrt(eps) more of the (negative) diagonal
      scratch_ = da_ - 1e-8 * s_;
      regular = newton_.factorize(scratch_, db_);
    }
    if (!regular) return false;
    step_ = -phi_;
    newton_.solve(step_);
    return step_.allFinite();
  }

  bool search_along_step(double slope) {
    const double reference = *std::max_element(history_.begin(), history_.end());
    newton_.multiply(step_, product_);
    double t = 1.0;
    for (int halving = 0; halving < 50; ++halving, t *= 0.5) {
      trial_ = z_ + t * step_;
      trial_w_ = w_ + t * product_;
      if (merit(trial_, trial_w_) <= reference + options_.decrease * t * slope) return true;
    }
    return false;
  }

  [[nodiscard]] double merit(const Eigen::VectorXd& z, const Eigen::VectorXd& w) const {
    double sum = 0.0;
    for (Index i = 0; i < n_; ++i) {
      const double value = fischer_phi(s_[i] * z[i], w[i]);
      sum += value * value;
    }
    return 0.5 * sum;
  }

  const P& problem_;
  const detail::SemismoothOptions& options_;
  Result& result_;
  const nonsmooth::detail::Deadline deadline_;
  const Index n_;
  decltype(newton_of(std::declval<const P&>())) newton_;
  decltype(detail::principal_of(std::declval<const P&>())) principal_;
  Eigen::VectorXd s_{n_};
  Eigen::VectorXd z_ = Eigen::VectorXd::Zero(n_), w_ = problem_.q;
  Eigen::VectorXd phi_{n_}, da_{n_}, db_{n_}, gradient_{n_};
  Eigen::VectorXd step_{n_}, product_{n_}, trial_{n_}, trial_w_{n_}, scratch_{n_};
  std::vector<Index> rows_, rows_before_;
  std::vector<double> history_;  // of the merit function
};

}  // namespace semismooth

template <class P>
void detail::semismooth_newton(const P& problem, const SemismoothOptions& options, Result& result) {
  semismooth::Iteration<P>(problem, options, result).run();
}

template void detail::semismooth_newton(const View&, const SemismoothOptions&, Result&);
template void detail::semismooth_newton(const SparseProblem&, const SemismoothOptions&, Result&);

}  // namespace nonsmooth::lcp
