// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/lcp/interior_point.hpp>

#include <internal/check.hpp>
#include <internal/deadline.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/linear_algebra/factorization.hpp>

#include "principal.hpp"
#include "scaled.hpp"
#include "symmetry.hpp"

namespace nonsmooth::lcp {
namespace {

/// Factors of M_aa + diag(d) with a all rows or some.
class DenseShifted {
 public:
  explicit DenseShifted(const Problem& problem) : M_(problem.M) {}

  bool factorize(const Eigen::VectorXd& d) {
    A_ = M_;
    A_.diagonal() += d;
    return lu_.factorize(A_);
  }
  bool factorize(const std::vector<Index>& rows, double shift) {
    A_ = M_(rows, rows);
    A_.diagonal().array() += shift;
    return lu_.factorize(A_);
  }
  void solve(Eigen::VectorXd& x) const { lu_.solve_in_place(x); }

 private:
  const Eigen::MatrixXd& M_;
  Eigen::MatrixXd A_;
  detail::DenseLu lu_;
};

class SparseShifted {
 public:
  explicit SparseShifted(const SparseProblem& problem) : M_(problem.M), identity_(M_.rows(), M_.cols()) {
    identity_.setIdentity();
    Index i = 0;
    Index j = 0;
    symmetric_ = !detail::find_asymmetry(M_, i, j);
  }

  bool factorize(const Eigen::VectorXd& d) {
    Eigen::SparseMatrix<double> shift = identity_;
    shift.diagonal() = d;
    return factors_of(M_ + shift);
  }
  bool factorize(const std::vector<Index>& rows, double shift) {
    std::vector<int> position(static_cast<std::size_t>(M_.rows()), -1);
    for (std::size_t k = 0; k < rows.size(); ++k) position[static_cast<std::size_t>(rows[k])] = static_cast<int>(k);
    std::vector<Eigen::Triplet<double>> entries;
    for (const Index j : rows) {
      const int col = position[static_cast<std::size_t>(j)];
      entries.emplace_back(col, col, shift);
      for (Eigen::SparseMatrix<double>::InnerIterator it(M_, j); it; ++it) {
        const int row = position[static_cast<std::size_t>(it.row())];
        if (row >= 0) entries.emplace_back(row, col, it.value());
      }
    }
    const Index k = static_cast<Index>(rows.size());
    Eigen::SparseMatrix<double> sub(k, k);
    sub.setFromTriplets(entries.begin(), entries.end());
    return factors_of(sub);
  }
  void solve(Eigen::VectorXd& x) const { (by_cholesky_ ? cholesky_ : lu_).solve_in_place(x); }

 private:
  bool factors_of(const Eigen::SparseMatrix<double>& A) {
    if (!A.coeffs().allFinite()) return false;  // w / z out of range
    by_cholesky_ = symmetric_ && cholesky_.factorize(A);
    return by_cholesky_ || lu_.factorize(A);
  }

  const Eigen::SparseMatrix<double>& M_;
  Eigen::SparseMatrix<double> identity_;
  bool symmetric_ = false;
  bool by_cholesky_ = false;
  SparseFactorization cholesky_{Structure::SymmetricPositiveDefinite};
  SparseFactorization lu_;
};

DenseShifted shifted_of(const Problem& problem) { return DenseShifted(problem); }
SparseShifted shifted_of(const SparseProblem& problem) { return SparseShifted(problem); }

/// The longest t with x + t d >= 0.
double longest_step(const Eigen::VectorXd& x, const Eigen::VectorXd& d) {
  double t = std::numeric_limits<double>::infinity();
  for (Index i = 0; i < x.size(); ++i) {
    if (d[i] < 0.0) t = std::min(t, -x[i] / d[i]);
  }
  return t;
}

template <class P>
class Method {
 public:
  Method(const P& problem, const InteriorPoint& options, Result& result)
      : data_(detail::view(problem)),
        options_(options),
        result_(result),
        n_(problem.q.size()),
        scaled_(problem),
        shifted_(shifted_of(scaled_.own)),
        principal_(detail::principal_of(data_)),
        z_(Eigen::VectorXd::Ones(n_)),
        w_(Eigen::VectorXd::Ones(n_)),
        scratch_(n_),
        full_(n_),
        full_w_(n_) {}

  void run() {
    detail::keep_better(data_, Eigen::VectorXd::Zero(n_), scratch_, result_);
    Status end = Status::IterationLimit;
    std::string_view reason = "max_steps reached";
    if (scaled_.finite) {
      iterate(end, reason);
    } else {
      end = Status::NumericalFailure;
      reason = "M and q leave the range of double";
    }
    // No answer: the growth of z may still say why.
    if (scaled_.finite && proof_.size() == 0 && end != Status::TimeLimit &&
        !detail::within(data_, options_.tolerance, result_.z, result_.certificate)) {
      prove();
    }
    const Eigen::VectorXd proof = proof_;
    detail::conclude(data_, options_.tolerance, result_, end, reason);
    if (result_.status != Status::Solved && proof.size() == n_) {
      nonsmooth::detail::end_infeasible("the direction in which z grows proves that no point is feasible", proof,
                                        result_);
    }
  }

 private:
  void iterate(Status& end, std::string_view& reason) {
    const Eigen::VectorXd& q = scaled_.own.q;
    Eigen::VectorXd r(n_), d(n_), dz(n_), dw(n_), rhs(n_);
    const auto direction = [&] {  // M dz - dw = r and w dz + z dw = rhs
      dz = rhs.cwiseQuotient(z_) + r;
      shifted_.solve(dz);
      dw = (rhs - w_.cwiseProduct(dz)).cwiseQuotient(z_);
    };
    double best_mu = std::numeric_limits<double>::infinity();
    start();
    double best_residual = best_mu;
    int idle = 0;
    for (result_.iterations = 0;; ++result_.iterations) {
      if (finished()) return;
      if (result_.iterations >= options_.max_steps) return;
      if (deadline_.passed()) {
        end = Status::TimeLimit;
        reason = "time_limit reached";
        return;
      }
      const double mu = z_.dot(w_) / static_cast<double>(n_);
      if (z_.maxCoeff() > 1e8 && prove()) return;
      r = w_ - q;
      r.noalias() -= scaled_.own.M * z_;
      d = w_.cwiseQuotient(z_);
      if (!shifted_.factorize(d)) {
        end = Status::NumericalFailure;
        reason = "M + diag(w / z) became singular: M is not monotone, or round-off";
        return;
      }
      rhs = -z_.cwiseProduct(w_);
      direction();
      const double affine = std::min({1.0, longest_step(z_, dz), longest_step(w_, dw)});
      const double ahead = (z_ + affine * dz).dot(w_ + affine * dw) / static_cast<double>(n_);
      const double sigma = std::pow(std::clamp(ahead / mu, 0.0, 1.0), 3);
      rhs = (sigma * mu - z_.array() * w_.array() - dz.array() * dw.array()).matrix();
      direction();
      if (!dz.allFinite() || !dw.allFinite()) {
        end = Status::NumericalFailure;
        reason = "a number overflowed";
        return;
      }
      const double share = std::max(options_.boundary, 1.0 - mu);
      const double t = std::min(1.0, share * std::min(longest_step(z_, dz), longest_step(w_, dw)));
      z_ += t * dz;
      w_ += t * dw;
      // Twelve steps in which neither mu nor the residual comes below half of its least: outside the class, or
      // infeasible. (mu grows first where z is far larger than q.)
      const double now = z_.dot(w_) / static_cast<double>(n_);
      const double residual = r.cwiseAbs().maxCoeff();
      if (now < 0.5 * best_mu || (residual > 1e-12 && residual < 0.5 * best_residual)) {
        best_mu = std::min(best_mu, now);
        best_residual = std::min(best_residual, residual);
        idle = 0;
      } else if (++idle >= 12 || t < 1e-13) {
        end = Status::Stalled;
        reason = "no progress: M is not monotone, or no point is feasible, or round-off";
        finished();
        return;
      }
    }
  }

  /// z = w = 1 in scaled units; where M x = -q has a solution larger than that, z as large as x: from far below, the
  /// many steps that z needs to grow would end at the boundary. Without a solution x of M + delta I grows like 1/delta.
  void start() {
    double size[2] = {0.0, 0.0};
    for (int k = 0; k < 2; ++k) {
      if (!shifted_.factorize(Eigen::VectorXd::Constant(n_, k == 0 ? 1e-9 : 1e-10))) return;
      Eigen::VectorXd x = -scaled_.own.q;
      shifted_.solve(x);
      size[k] = x.cwiseAbs().maxCoeff();
    }
    if (std::isfinite(size[1]) && size[1] < 2.0 * size[0]) z_.setConstant(std::max(1.0, size[1]));
  }

  /// Tries the iterate and the basis it points to; true if one is within the tolerance.
  bool finished() {
    scaled_.unscale(z_, full_);
    detail::keep_better(data_, full_, scratch_, result_);
    rows_.clear();
    for (Index i = 0; i < n_; ++i) {
      if (z_[i] > w_[i]) rows_.push_back(i);  // scaled: the diagonal is near 1
    }
    for (Index i = 0; i < n_; ++i) {
      if (!(z_[i] > w_[i])) full_[i] = 0.0;
    }
    detail::keep_better(data_, full_, scratch_, result_);
    if (result_.certificate.residual <= options_.tolerance) return true;
    if (rows_ != rows_before_) {  // a basis that still changes is not worth factors
      rows_before_ = rows_;
      return false;
    }
    if (principal_.solve(rows_, full_, full_w_)) {
      detail::keep_better(data_, full_.cwiseMax(0.0), scratch_, result_);
      if (result_.certificate.residual <= options_.tolerance) return true;
    }
    return refined();
  }

  /// Proximal steps on the basis from the iterate.
  bool refined() {
    if (rows_.empty() || !shifted_.factorize(rows_, 1e-8)) return false;
    Eigen::VectorXd from = Eigen::VectorXd::Zero(n_);
    for (const Index i : rows_) from[i] = z_[i];
    for (int pass = 0; pass < 4; ++pass) {
      full_w_ = scaled_.own.q;
      full_w_.noalias() += scaled_.own.M * from;
      Eigen::VectorXd step = -full_w_(rows_);
      shifted_.solve(step);
      for (std::size_t k = 0; k < rows_.size(); ++k) from[rows_[k]] += step[static_cast<Index>(k)];
      if (!from.allFinite()) return false;
      scaled_.unscale(from, full_);
      detail::keep_better(data_, full_, scratch_, result_);
    }
    return result_.certificate.residual <= options_.tolerance;
  }

  /// z / |z| tends to a y >= 0 with M^T y <= 0, q·y <= 0 where a monotone problem is infeasible.
  bool prove() {
    const double size = z_.maxCoeff();
    if (!std::isfinite(size)) return false;
    for (const double zero : {1e-12, 1e-9, 1e-6}) {
      Eigen::VectorXd y = z_ / size;
      std::vector<Index> rows;
      for (Index i = 0; i < n_; ++i) {
        if (y[i] <= zero) {
          y[i] = 0.0;
        } else {
          rows.push_back(i);
        }
      }
      for (int pass = 0; pass < 3; ++pass) {
        full_ = scaled_.D.cwiseProduct(y);
        full_ /= full_.maxCoeff();
        if (detail::prove_infeasible(data_, full_)) {
          proof_ = full_;
          return true;
        }
        // Towards the kernel of M_aa: (M_aa + delta I)^-1 delta y, and of M_aa^T alike where M is monotone.
        if (rows.empty() || !shifted_.factorize(rows, 1e-10)) break;
        Eigen::VectorXd part = 1e-10 * y(rows);
        shifted_.solve(part);
        if (!part.allFinite()) break;
        for (std::size_t k = 0; k < rows.size(); ++k) y[rows[k]] = std::max(0.0, part[static_cast<Index>(k)]);
        if (!(y.maxCoeff() > 0.0)) break;
      }
    }
    return false;
  }

  decltype(detail::view(std::declval<const P&>())) data_;
  const InteriorPoint& options_;
  Result& result_;
  Index n_;
  detail::Scaled<P> scaled_;
  decltype(shifted_of(std::declval<const P&>())) shifted_;
  decltype(detail::principal_of(detail::view(std::declval<const P&>()))) principal_;
  nonsmooth::detail::Deadline deadline_{options_.time_limit};
  Eigen::VectorXd z_, w_, scratch_, full_, full_w_, proof_;
  std::vector<Index> rows_, rows_before_;
};

template <class P>
Result run(const P& problem, const InteriorPoint& options) {
  problem.validate();
  options.validate();
  Result result;
  result.solver = "interior point";
  Method<P>(problem, options, result).run();
  return result;
}

}  // namespace

void InteriorPoint::validate() const {
  check::positive("lcp::InteriorPoint::tolerance", tolerance);
  check::at_least("lcp::InteriorPoint::max_steps", max_steps, 1);
  check::range("lcp::InteriorPoint::boundary", boundary, std::numeric_limits<double>::min(), std::nextafter(1.0, 0.0));
  nonsmooth::detail::check_time_limit("lcp::InteriorPoint::time_limit", time_limit);
}

Result solve(const Problem& problem, const InteriorPoint& options) { return run(problem, options); }
Result solve(const SparseProblem& problem, const InteriorPoint& options) { return run(problem, options); }

}  // namespace nonsmooth::lcp
