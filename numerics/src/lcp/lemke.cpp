// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/lcp/lemke.hpp>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "lemke_loop.hpp"
#include "linear_algebra/sparse/updated_factors.hpp"

namespace nonsmooth::lcp {
namespace detail {

/// The explicit inverse of the basis.
struct DenseLemke::Basis {
  static constexpr bool dear_rows = false;
  DenseLemke& owner;
  nonsmooth::detail::Buffer::Matrix M, inverse;

  explicit Basis(DenseLemke& lemke)
      : owner(lemke), M(lemke.square(lemke.scaled_)), inverse(lemke.square(lemke.inverse_)) {}

  void reset() { inverse.setIdentity(); }

  bool refactor(const std::vector<Index>& basic) {
    const Index n = owner.q.size();
    auto matrix = owner.square(owner.matrix_);
    for (Index r = 0; r < n; ++r) {
      const Index variable = basic[static_cast<std::size_t>(r)];
      if (variable < n) {
        matrix.col(r).setZero();
        matrix(variable, r) = 1.0;
      } else if (variable < 2 * n) {
        matrix.col(r) = -M.col(variable - n);
      } else {
        matrix.col(r) = -owner.d;
      }
    }
    if (!owner.lu_.factorize(matrix)) return false;
    inverse.setIdentity();
    for (Index j = 0; j < n; ++j) owner.lu_.solve_in_place(inverse.col(j));
    return true;
  }

  void solve_column(Index variable, GrowingVector& out) const {
    const Index n = owner.q.size();
    if (variable < n) {
      out = inverse.col(variable);
    } else {
      out.setZero();
      for (Index j = 0; j < n; ++j) {
        const double factor = M(j, variable - n);
        if (factor != 0.0) out -= factor * inverse.col(j);
      }
    }
  }

  void solve_rhs(GrowingVector& out) const {
    out.setZero();
    for (Index j = 0; j < owner.q.size(); ++j) out += owner.q[j] * inverse.col(j);
  }

  void inverse_row(Index r, GrowingVector& out) const { out = inverse.row(r).transpose(); }

  void update(Index r, const GrowingVector& column) {
    const Index n = owner.q.size();
    for (Index j = 0; j < n; ++j) {
      const double pivot = inverse(r, j) / column[r];
      if (pivot == 0.0) continue;
      inverse.col(j) -= pivot * column;
      inverse(r, j) = pivot;
    }
  }
};

LemkeEnd DenseLemke::run(const View& problem, ConstVectorRef covering, Index max_pivots, Index refactor_every,
                         bool scale, const nonsmooth::detail::Deadline& deadline) {
  const Index n = problem.q.size();
  q.resize(n);
  D.resize(n);
  work_.resize(n);
  auto M = square(scaled_);
  M = problem.M;
  if (scale) {
    nonsmooth::detail::scale_symmetrically(
        [&](VectorRef weights, VectorRef largest) {
          largest.setZero();
          for (Index j = 0; j < n; ++j) {
            for (Index i = 0; i < n; ++i) {
              const double value = std::abs(M(i, j)) * weights[i] * weights[j];
              largest[i] = std::max(largest[i], value);
              largest[j] = std::max(largest[j], value);
            }
          }
        },
        D, work_);
    for (Index j = 0; j < n; ++j) M.col(j) = M.col(j).cwiseProduct(D) * D[j];
  } else {
    D.setOnes();
  }
  q = problem.q.cwiseProduct(D);
  q_scale = q.cwiseAbs().maxCoeff();
  if (q_scale > 0.0) q /= q_scale;
  d.resize(n);
  if (covering.size() == n) {
    d = covering;
  } else {
    d.setOnes();
  }
  Basis basis(*this);
  return lemke_loop(basis, q, d, max_pivots, refactor_every, deadline, state);
}

void DenseLemke::extract(VectorRef z) const {
  const Index n = q.size();
  z.setZero();
  for (Index r = 0; r < n; ++r) {
    const Index variable = state.basic[static_cast<std::size_t>(r)];
    if (variable >= n && variable < 2 * n) z[variable - n] = state.x[r] * q_scale * D[variable - n];
  }
}

bool DenseLemke::polish(VectorRef z) {
  const Index n = q.size();
  rows_.clear();
  for (const Index variable : state.basic) {
    if (variable >= n && variable < 2 * n) rows_.push_back(variable - n);
  }
  std::sort(rows_.begin(), rows_.end());
  const auto M = square(scaled_);
  if (!lu_.factorize_principal(M, rows_)) return false;
  z.setZero();
  for (int pass = 0; pass < 2; ++pass) {
    work_ = q;
    for (const Index j : rows_) work_ += z[j] * M.col(j);
    step_.resize(n);
    for (std::size_t k = 0; k < rows_.size(); ++k) step_[static_cast<Index>(k)] = -work_[rows_[k]];
    lu_.solve_in_place(step_.head(static_cast<Index>(rows_.size())));
    for (std::size_t k = 0; k < rows_.size(); ++k) z[rows_[k]] += step_[static_cast<Index>(k)];
  }
  z = z.cwiseMax(0.0).cwiseProduct(D) * q_scale;
  return z.allFinite();
}

namespace {

template <class P>
void conclude_any_run(const P& problem, double tolerance, LemkeEnd end, const LemkeState& state, ConstVectorRef scaling,
                      Result& result) {
  result.iterations = state.pivots;
  switch (end) {
    case LemkeEnd::Complementary:
      conclude(problem, tolerance, result, Status::Stalled, "the final basis is too ill-conditioned for the tolerance");
      return;
    case LemkeEnd::Limit:
      conclude(problem, tolerance, result, Status::IterationLimit, "max_pivots reached");
      return;
    case LemkeEnd::TimeLimit:
      conclude(problem, tolerance, result, Status::TimeLimit, "time_limit reached");
      return;
    case LemkeEnd::Breakdown:
      conclude(problem, tolerance, result, Status::NumericalFailure, "a basis became singular");
      return;
    case LemkeEnd::Ray:
      break;
  }
  conclude(problem, tolerance, result, Status::Stalled, "a secondary ray, which proves nothing for this matrix");
  if (result.status == Status::Solved) return;
  // Entries at round-off of the largest are zeros of the exact ray.
  Eigen::VectorXd ray = state.ray;
  const double zero = 1e-12 * ray.maxCoeff();
  for (Index i = 0; i < ray.size(); ++i) {
    if (ray[i] <= zero) ray[i] = 0.0;
  }
  Eigen::VectorXd y = scaling.cwiseProduct(ray);  // D M D y' <= 0 is M^T (D y') <= 0
  const double largest = y.maxCoeff();
  if (largest > 0.0) y /= largest;
  if (!prove_infeasible(problem, y)) return;
  nonsmooth::detail::end_infeasible("a secondary ray gives a proof that no point is feasible", y, result);
}

}  // namespace

void conclude_run(const View& problem, double tolerance, LemkeEnd end, const LemkeState& state, ConstVectorRef scaling,
                  Result& result) {
  conclude_any_run(problem, tolerance, end, state, scaling, result);
}

void conclude_run(const SparseProblem& problem, double tolerance, LemkeEnd end, const LemkeState& state,
                  ConstVectorRef scaling, Result& result) {
  conclude_any_run(problem, tolerance, end, state, scaling, result);
}

}  // namespace detail

namespace {

using detail::LemkeEnd;

Index pivot_limit(const Lemke& options, Index n) { return options.max_pivots > 0 ? options.max_pivots : 50 * n + 1000; }

void check_covering(const Lemke& options, Index n) {
  if (options.covering.size() == 0) return;
  check::size("lcp::Lemke::covering", options.covering.size(), n, "one a row of M");
}

/// The sparse basis: factors, updated in between.
class SparseBasis {
 public:
  static constexpr bool dear_rows = true;

  SparseBasis(const Eigen::SparseMatrix<double>& M, const Eigen::VectorXd& q, const Eigen::VectorXd& d)
      : M_(M), q_(q), d_(d) {}

  void reset() { factors_.reset(); }

  bool refactor(const std::vector<Index>& basic) {
    const Index n = q_.size();
    entries_.clear();
    for (Index r = 0; r < n; ++r) {
      const Index variable = basic[static_cast<std::size_t>(r)];
      const int column = static_cast<int>(r);
      if (variable < n) {
        entries_.emplace_back(static_cast<int>(variable), column, 1.0);
      } else if (variable < 2 * n) {
        for (Eigen::SparseMatrix<double>::InnerIterator it(M_, variable - n); it; ++it) {
          entries_.emplace_back(static_cast<int>(it.row()), column, -it.value());
        }
      } else {
        for (Index i = 0; i < n; ++i) entries_.emplace_back(static_cast<int>(i), column, -d_[i]);
      }
    }
    Eigen::SparseMatrix<double> matrix(n, n);
    matrix.setFromTriplets(entries_.begin(), entries_.end());
    return factors_.factorize(matrix);
  }

  void solve_column(Index variable, GrowingVector& out) {
    const Index n = q_.size();
    out.setZero();
    if (variable < n) {
      out[variable] = 1.0;
    } else {
      for (Eigen::SparseMatrix<double>::InnerIterator it(M_, variable - n); it; ++it) out[it.row()] = -it.value();
    }
    factors_.solve_in_place(out);
  }

  void solve_rhs(GrowingVector& out) {
    out = q_;
    factors_.solve_in_place(out);
  }

  void solve_vector(GrowingVector& x) { factors_.solve_in_place(x); }

  void inverse_row(Index r, GrowingVector& out) {  // B^-T e_r
    out.setZero();
    out[r] = 1.0;
    factors_.solve_transposed_in_place(out);
  }

  void update(Index r, const GrowingVector& column) { factors_.exchange(r, column); }

 private:
  const Eigen::SparseMatrix<double>& M_;
  const Eigen::VectorXd& q_;
  const Eigen::VectorXd& d_;
  nonsmooth::detail::UpdatedFactors factors_;
  std::vector<Eigen::Triplet<double>> entries_;
};

}  // namespace

void Lemke::validate() const {
  check::positive("lcp::Lemke::tolerance", tolerance);
  check::at_least("lcp::Lemke::max_pivots", max_pivots, 0);
  check::at_least("lcp::Lemke::refactor_every", refactor_every, 1);
  for (Index i = 0; i < covering.size(); ++i) check::positive("lcp::Lemke::covering", covering[i]);
  nonsmooth::detail::check_time_limit("lcp::Lemke::time_limit", time_limit);
}

Result solve(const Problem& problem, const Lemke& options) {
  problem.validate();
  options.validate();
  const Index n = problem.q.size();
  check_covering(options, n);
  Result result;
  result.solver = "lemke";
  detail::DenseLemke lemke;
  const View view = detail::view(problem);
  const LemkeEnd end = lemke.run(view, options.covering, pivot_limit(options, n), options.refactor_every,
                                 options.equilibrate, nonsmooth::detail::Deadline(options.time_limit));
  Eigen::VectorXd z(n);
  Eigen::VectorXd w(n);
  lemke.extract(z);
  detail::keep_better(view, z, w, result);
  if (end == LemkeEnd::Complementary && lemke.polish(z)) {
    detail::keep_better(view, z, w, result);
  }
  detail::conclude_run(view, options.tolerance, end, lemke.state, lemke.D, result);
  return result;
}

Result solve(const SparseProblem& problem, const Lemke& options) {
  problem.validate();
  options.validate();
  const Index n = problem.q.size();
  check_covering(options, n);
  Result result;
  result.solver = "lemke";
  Eigen::VectorXd D = Eigen::VectorXd::Ones(n);
  Eigen::SparseMatrix<double> M = problem.M;
  M.makeCompressed();
  if (options.equilibrate) {
    Eigen::VectorXd work(n);
    nonsmooth::detail::scale_symmetrically(
        [&](VectorRef weights, VectorRef largest) {
          largest.setZero();
          for (Index j = 0; j < n; ++j) {
            for (Eigen::SparseMatrix<double>::InnerIterator it(M, j); it; ++it) {
              const double value = std::abs(it.value()) * weights[it.row()] * weights[j];
              largest[it.row()] = std::max(largest[it.row()], value);
              largest[j] = std::max(largest[j], value);
            }
          }
        },
        D, work);
    M = D.asDiagonal() * M * D.asDiagonal();
  }
  Eigen::VectorXd q = problem.q.cwiseProduct(D);
  const double q_scale = q.cwiseAbs().maxCoeff();
  if (q_scale > 0.0) q /= q_scale;
  Eigen::VectorXd d = Eigen::VectorXd::Ones(n);
  if (options.covering.size() == n) d = options.covering;
  SparseBasis basis(M, q, d);
  detail::LemkeState state;
  const LemkeEnd end = detail::lemke_loop(basis, q, d, pivot_limit(options, n), options.refactor_every,
                                          nonsmooth::detail::Deadline(options.time_limit), state);
  Eigen::VectorXd z(n);
  Eigen::VectorXd w(n);
  const auto unscale = [&] {
    z.setZero();
    for (Index r = 0; r < n; ++r) {
      const Index variable = state.basic[static_cast<std::size_t>(r)];
      if (variable >= n && variable < 2 * n) z[variable - n] = std::max(0.0, state.x[r]) * q_scale * D[variable - n];
    }
    detail::keep_better(problem, z, w, result);
  };
  unscale();
  if (end == LemkeEnd::Complementary && state.pivots > 0 && basis.refactor(state.basic)) {
    basis.solve_rhs(state.x);
    unscale();
  }
  detail::conclude_run(problem, options.tolerance, end, state, D, result);
  return result;
}

}  // namespace nonsmooth::lcp
