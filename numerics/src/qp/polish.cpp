// SPDX-License-Identifier: Apache-2.0
#include "polish.hpp"

#include "scaled.hpp"

namespace nonsmooth::qp::detail {
namespace {

constexpr double polish_regularisation = 1e-9;  // rho and delta of the scaled program
constexpr Index most_points = 12;  // proximal points: each takes 1e-9 over the least eigenvalue of the error

}  // namespace

template <class P>
void certify_start(const P& problem, nonsmooth::detail::Buffer& scratch, Result& result) {
  const Index n = problem.num_unknowns();
  result.x.resize(n);
  for (Index j = 0; j < n; ++j) result.x[j] = clamp(0.0, lower(problem, j), upper(problem, j));
  result.y.setZero(problem.num_rows());
  certify_result(problem, scratch, result);
}

template <class P>
void polish(const P& problem, ConstVectorRef from_x, ConstVectorRef from_y, nonsmooth::detail::Buffer& scratch,
            Result& result) {
  const Index n = problem.num_unknowns(), m = problem.num_rows();
  if (!from_x.allFinite() || !from_y.allFinite()) return;
  const Scaled<P> scaled(problem);
  Quasidefinite<P> system(scaled.own);
  Eigen::VectorXd x = from_x.cwiseQuotient(scaled.columns);
  Eigen::VectorXd y = scaled.objective * from_y.cwiseQuotient(scaled.rows);
  Eigen::VectorXd p = Eigen::VectorXd::Constant(n, polish_regularisation),
                  r = Eigen::VectorXd::Constant(m, polish_regularisation);
  Eigen::VectorXd target = Eigen::VectorXd::Zero(m);
  for (Index j = 0; j < n; ++j) {
    if (from_x[j] == lower(problem, j) || from_x[j] == upper(problem, j)) p[j] = infinity;
  }
  for (Index i = 0; i < m; ++i) {
    if (row_lower(problem, i) == row_upper(problem, i) || y[i] != 0.0)
      target[i] = y[i] > 0.0 ? row_lower(scaled.own, i) : row_upper(scaled.own, i);
    else
      r[i] = infinity;
  }
  if (!target.allFinite() || !system.factorize(p, r)) return;
  Eigen::VectorXd s(n);
  for (Index k = 0; k < most_points; ++k) {
    Eigen::VectorXd f = -(scaled.own.Q * x + scaled.own.c), g = target;
    if (m > 0) {
      f.noalias() += scaled.own.A.transpose() * y;
      g.noalias() -= scaled.own.A * x;
    }
    system.solve(f, g);
    x += f;
    y -= g;
    if (!x.allFinite() || !y.allFinite()) return;
    Eigen::VectorXd own_x = scaled.x(x);
    for (Index j = 0; j < n; ++j) {
      own_x[j] = std::isfinite(p[j]) ? clamp(own_x[j], lower(problem, j), upper(problem, j)) : from_x[j];
    }
    if (!keep_better(problem, own_x, scaled.y(y), s, scratch, result) && k > 2) return;
  }
}

template void certify_start(const Problem&, nonsmooth::detail::Buffer&, Result&);
template void certify_start(const SparseProblem&, nonsmooth::detail::Buffer&, Result&);
template void polish(const Problem&, ConstVectorRef, ConstVectorRef, nonsmooth::detail::Buffer&, Result&);
template void polish(const SparseProblem&, ConstVectorRef, ConstVectorRef, nonsmooth::detail::Buffer&, Result&);

}  // namespace nonsmooth::qp::detail
