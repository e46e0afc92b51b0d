// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/lcp/lemke.hpp>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "lemke_loop.hpp"
#include "relay/sparse_lemke.hpp"

namespace nonsmooth::lcp {
namespace detail {

/// The explicit inverse of the basis.
struct DenseLemke::Basis {
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

PivotEnd DenseLemke::run(const View& problem, ConstVectorRef covering, Index max_pivots, Index refactor_every,
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

/// Certifies result.z and sets the status as the pivots ended; y: what may be a proof, of a ray.
template <class P>
void conclude_pivots(const P& problem, double tolerance, PivotEnd end, Eigen::VectorXd y, Result& result) {
  const relay::detail::Unsolved otherwise = relay::detail::unsolved(end);
  conclude(problem, tolerance, result, otherwise.status, otherwise.reason);
  if (end == PivotEnd::Ray && result.status != Status::Solved && prove_infeasible(problem, y))
    nonsmooth::detail::end_infeasible("a secondary ray gives a proof that no point is feasible", y, result);
}

}  // namespace

void conclude_run(const View& problem, double tolerance, PivotEnd end, const LemkeState& state, ConstVectorRef scaling,
                  Result& result) {
  result.iterations = state.pivots;
  Eigen::VectorXd y;
  if (end == PivotEnd::Ray) {
    // Entries at round-off of the largest are zeros of the exact ray.
    const double zero = 1e-12 * state.ray.maxCoeff();
    y = state.ray.unaryExpr([zero](double entry) { return entry <= zero ? 0.0 : entry; });
    y = scaling.cwiseProduct(y);  // D M D y' <= 0 is M^T (D y') <= 0
    const double largest = y.maxCoeff();
    if (largest > 0.0) y /= largest;
  }
  conclude_pivots(problem, tolerance, end, std::move(y), result);
}

}  // namespace detail

namespace {

using detail::PivotEnd;

void check_covering(const Lemke& options, Index n) {
  if (options.covering.size() == 0) return;
  check::size("lcp::Lemke::covering", options.covering.size(), n, "one a row of M");
}

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
  const PivotEnd end =
      lemke.run(view, options.covering, relay::detail::pivot_limit(options.max_pivots, n), options.refactor_every,
                options.equilibrate, nonsmooth::detail::Deadline(options.time_limit));
  Eigen::VectorXd z(n);
  Eigen::VectorXd w(n);
  lemke.extract(z);
  detail::keep_better(view, z, w, result);
  if (end == PivotEnd::Complementary && lemke.polish(z)) {
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
  const relay::SparseProblem boxed{problem.M, problem.q, Eigen::VectorXd::Zero(n),
                                   Eigen::VectorXd::Constant(n, relay::detail::infinity)};
  relay::Result found;
  const relay::detail::SparsePivoting pivoting = relay::detail::pivot(boxed,
                                                                      {.tolerance = options.tolerance,
                                                                       .max_pivots = options.max_pivots,
                                                                       .refactor_every = options.refactor_every,
                                                                       .equilibrate = options.equilibrate,
                                                                       .time_limit = options.time_limit},
                                                                      options.covering, found);
  Result result;
  result.solver = "lemke";
  result.iterations = found.iterations;
  result.z = found.z;
  detail::conclude_pivots(problem, options.tolerance, pivoting.end, pivoting.ray, result);
  return result;
}

}  // namespace nonsmooth::lcp
