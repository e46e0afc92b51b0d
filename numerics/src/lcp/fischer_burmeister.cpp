// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/lcp/fischer_burmeister.hpp>

#include <nonsmooth/numerics/error.hpp>

#include "principal.hpp"

namespace nonsmooth::lcp {
namespace {

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
    lu_.compute(J_);
    return lu_.info() == Eigen::Success;
  }
  void solve(Eigen::VectorXd& x) { x = lu_.solve(x).eval(); }
  void multiply(const Eigen::VectorXd& x, Eigen::VectorXd& out) const { out = p_.M * x; }
  void multiply_transposed(const Eigen::VectorXd& x, Eigen::VectorXd& out) const { out = p_.M.transpose() * x; }

 private:
  const SparseProblem& p_;
  Eigen::SparseMatrix<double> J_;
  Eigen::SparseLU<Eigen::SparseMatrix<double>, Eigen::COLAMDOrdering<int>> lu_;
};

DenseNewton newton_of(const View& problem) { return DenseNewton(problem); }
SparseNewton newton_of(const SparseProblem& problem) { return SparseNewton(problem); }

double phi_of(double a, double b) {
  const double r = std::hypot(a, b);
  // For a + b > 0 the difference cancels: (r^2 - (a+b)^2) / (r + a + b) = -2 a b / (r + a + b).
  return a + b > 0.0 ? -2.0 * a * b / (r + a + b) : r - a - b;
}

template <class P>
void run(const P& problem, const FischerBurmeister& options, Result& result) {
  const Index n = problem.q.size();
  result.solver = "fischer-burmeister";
  auto newton = newton_of(problem);
  auto principal = detail::principal_of(problem);
  Eigen::VectorXd s(n);
  detail::row_scales(problem, s);
  Eigen::VectorXd z = Eigen::VectorXd::Zero(n);
  Eigen::VectorXd w = problem.q;
  Eigen::VectorXd phi(n), da(n), db(n), step(n), gradient(n), product(n), trial(n), trial_w(n), scratch(n);
  std::vector<Index> rows, rows_before;
  const auto merit = [&](const Eigen::VectorXd& at, const Eigen::VectorXd& at_w) {
    double sum = 0.0;
    for (Index i = 0; i < n; ++i) {
      const double value = phi_of(s[i] * at[i], at_w[i]);
      sum += value * value;
    }
    return 0.5 * sum;
  };
  Status end = Status::IterationLimit;
  std::string_view reason = "max_steps reached";
  for (result.iterations = 0;; ++result.iterations) {
    detail::keep_better(problem, z.cwiseMax(0.0), scratch, result);
    if (result.certificate.residual <= options.tolerance) break;
    rows.clear();
    for (Index i = 0; i < n; ++i) {
      if (s[i] * z[i] > w[i]) rows.push_back(i);
    }
    // The same basis twice is worth solving for.
    if (rows == rows_before && principal.solve(rows, trial, trial_w)) {
      detail::keep_better(problem, trial.cwiseMax(0.0), scratch, result);
      if (result.certificate.residual <= options.tolerance) break;
    }
    rows_before = rows;
    if (result.iterations >= options.max_steps) break;
    for (Index i = 0; i < n; ++i) {
      const double a = s[i] * z[i];
      const double b = w[i];
      const double r = std::hypot(a, b);
      phi[i] = phi_of(a, b);
      da[i] = (r > 0.0 ? a / r : std::sqrt(0.5)) - 1.0;  // at the kink: the generalised derivative along (1, 1)
      db[i] = (r > 0.0 ? b / r : std::sqrt(0.5)) - 1.0;
    }
    da = da.cwiseProduct(s);
    scratch = db.cwiseProduct(phi);
    newton.multiply_transposed(scratch, gradient);
    gradient += da.cwiseProduct(phi);
    const double value = 0.5 * phi.squaredNorm();
    bool descent = newton.factorize(da, db);
    if (!descent) {  // singular: sqrt(eps) more of the (negative) diagonal
      scratch = da - 1e-8 * s;
      descent = newton.factorize(scratch, db);
    }
    if (descent) {
      step = -phi;
      newton.solve(step);
      descent = step.allFinite() && gradient.dot(step) <= -1e-12 * gradient.norm() * step.norm();
    }
    if (!descent) step = -gradient.cwiseQuotient(s.cwiseProduct(s));
    bool moved = false;
    for (int attempt = 0; attempt < 2 && !moved; ++attempt) {
      if (attempt == 1) {
        if (!descent) break;
        step = -gradient.cwiseQuotient(s.cwiseProduct(s));
      }
      const double slope = gradient.dot(step);
      newton.multiply(step, product);
      double t = 1.0;
      for (int halving = 0; halving < 50 && !moved; ++halving, t *= 0.5) {
        trial = z + t * step;
        trial_w = w + t * product;
        moved = merit(trial, trial_w) <= value + options.decrease * t * slope;
      }
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
  detail::conclude(problem, options.tolerance, result, end, reason);
}

}  // namespace

void FischerBurmeister::validate() const {
  check::positive("lcp::FischerBurmeister::tolerance", tolerance);
  check::at_least("lcp::FischerBurmeister::max_steps", max_steps, 1);
  check::positive("lcp::FischerBurmeister::decrease", decrease);
  check::range("lcp::FischerBurmeister::decrease", decrease, 0.0, 0.5);
}

void detail::fischer_burmeister(const View& problem, double tolerance, Result& result) {
  result = Result();
  FischerBurmeister options;
  options.tolerance = tolerance;
  run(problem, options, result);
}

Result solve(const Problem& problem, const FischerBurmeister& options) {
  problem.validate();
  options.validate();
  Result result;
  run(detail::view(problem), options, result);
  return result;
}

Result solve(const SparseProblem& problem, const FischerBurmeister& options) {
  problem.validate();
  options.validate();
  Result result;
  run(problem, options, result);
  return result;
}

}  // namespace nonsmooth::lcp
