// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/mlcp/elimination.hpp>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "internal.hpp"
#include "schur.hpp"

namespace nonsmooth::mlcp {

void Elimination::validate() const {
  check::positive("mlcp::Elimination::tolerance", tolerance);
  if (!(condition_limit > 1.0)) {
    throw InvalidArgument("mlcp::Elimination::condition_limit", std::to_string(condition_limit), "more than 1");
  }
  check::at_least("mlcp::Elimination::max_iterations", max_iterations, 0);
  nonsmooth::detail::check_time_limit("mlcp::Elimination::time_limit", time_limit);
}

Result solve(const Problem& problem, const Elimination& options) {
  problem.validate();
  options.validate();
  const Index n = problem.num_free();
  const Index p = problem.num_equalities();
  const Index m = problem.num_constrained();
  const nonsmooth::detail::Deadline deadline(options.time_limit);
  const relay::Problem form = detail::relay_form(problem);
  const relay::View whole = relay::detail::view(form);
  relay::Result result;  // of the whole
  result.z.setZero(form.q.size());
  result.solver = "elimination";
  const auto conclude = [&](Status otherwise, std::string_view reason) {
    relay::detail::conclude(whole, options.tolerance, result, otherwise, reason);
  };
  detail::Schur schur;
  if (n != p || !schur.compute(problem, options.condition_limit)) {
    conclude(Status::NumericalFailure, n != p ? "A is not square" : "A is singular or ill-conditioned");
    return detail::from_relay(problem, std::move(result));
  }
  relay::Result inner;
  if (m > 0) {
    relay::detail::automatic(relay::detail::view(schur.problem), options.tolerance, options.max_iterations,
                             deadline.remaining(), inner);
    result.z.tail(m) = inner.z;
    result.iterations = inner.iterations;
  }
  Eigen::VectorXd u(n);
  schur.recover(problem, result.z.tail(m), u);
  result.z.head(n) = u;
  if (m > 0 && inner.status != Status::Solved) {
    conclude(inner.status, inner.reason);
  } else {
    conclude(Status::Stalled, "A is too ill-conditioned for the tolerance");
  }
  if (inner.status == Status::Solved && !result.ok()) {  // the rows together, from the set that S gave
    relay::Result mended;
    relay::detail::active_set(whole, options.tolerance, 5, deadline.remaining(), result.z, mended);
    if (mended.certificate.residual < result.certificate.residual) result.z = mended.z;
    conclude(Status::Stalled, "the Schur complement is too ill-conditioned for the tolerance");
  }
  if (inner.status == Status::Infeasible && !result.ok()) {
    Eigen::VectorXd y(n + m);
    y.tail(m) = inner.proof;
    schur.extend(problem, inner.proof, u);
    y.head(n) = u;
    if (relay::detail::refine_proof(whole, y)) {
      result.proof = y;
    } else {
      result.status = Status::Stalled;
      result.reason = "the Schur problem is infeasible; round-off hides the proof for the whole";
    }
  }
  return detail::from_relay(problem, std::move(result));
}

namespace detail {

bool Schur::compute(const Problem& given, double condition_limit) {
  const Index n = given.num_free();
  const Index m = given.num_constrained();
  problem.M = given.B;
  problem.q = given.b;
  problem.lower.resize(m);
  problem.upper.resize(m);
  for (Index i = 0; i < m; ++i) {
    problem.lower[i] = lower(given, i);
    problem.upper[i] = upper(given, i);
  }
  if (n == 0) return true;
  rows_ = given.A.cwiseAbs().rowwise().maxCoeff();
  if (!(rows_.minCoeff() > 0.0)) return false;
  rows_ = rows_.cwiseInverse();
  columns_ = (rows_.asDiagonal() * given.A).cwiseAbs().colwise().maxCoeff().transpose();
  if (!(columns_.minCoeff() > 0.0)) return false;
  columns_ = columns_.cwiseInverse();
  lu_.compute(rows_.asDiagonal() * given.A * columns_.asDiagonal());
  if (!(lu_.rcond() * condition_limit >= 1.0)) return false;
  solve(given, given.a, offset);
  if (m == 0) return true;
  gain.resize(n, m);
  for (Index j = 0; j < m; ++j) {
    Eigen::VectorXd column;
    solve(given, given.C.col(j), column);
    gain.col(j) = column;
  }
  problem.M.noalias() -= given.D * gain;
  problem.q.noalias() -= given.D * offset;
  return true;
}

void Schur::solve(const Problem& given, ConstVectorRef right, Eigen::VectorXd& x) const {
  Eigen::VectorXd rest = right;
  x.setZero(right.size());
  for (int pass = 0; pass < 2; ++pass) {
    x += columns_.cwiseProduct(lu_.solve(rows_.cwiseProduct(rest)));
    rest = right - given.A * x;
  }
}

void Schur::recover(const Problem& given, ConstVectorRef v, Eigen::VectorXd& u) const {
  if (u.size() == 0) return;
  u = -offset;
  if (v.size() > 0) u.noalias() -= gain * v;
  Eigen::VectorXd step;
  for (int pass = 0; pass < 2; ++pass) {
    Eigen::VectorXd rest = given.a + given.A * u;
    if (v.size() > 0) rest.noalias() += given.C * v;
    solve(given, rest, step);
    u -= step;
  }
}

void Schur::extend(const Problem& given, ConstVectorRef y_w, Eigen::VectorXd& y) const {
  if (y.size() == 0) return;
  y = -(given.D.transpose() * y_w);
  y = rows_.cwiseProduct(lu_.solve_transposed(columns_.cwiseProduct(y)));
}

}  // namespace detail
}  // namespace nonsmooth::mlcp
