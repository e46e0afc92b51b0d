// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/mlcp/reformulations.hpp>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/relay/reformulations.hpp>

#include "internal.hpp"
#include "schur.hpp"

namespace nonsmooth::mlcp {
namespace {

As<lcp::Problem> as_lcp(const As<relay::Problem>& outer) {
  relay::AsLcp inner = relay::as_lcp(outer.problem);
  As<lcp::Problem> form;
  form.u_offset = outer.u_offset + outer.u_map * inner.offset;
  form.v_offset = outer.v_offset + outer.v_map * inner.offset;
  form.u_map = outer.u_map * inner.map;
  form.v_map = outer.v_map * inner.map;
  form.problem = std::move(inner.problem);
  return form;
}

}  // namespace

template <class P>
Eigen::VectorXd As<P>::recover_u(ConstVectorRef x) const {
  return u_offset + u_map * x;
}
template <class P>
Eigen::VectorXd As<P>::recover_v(ConstVectorRef x) const {
  return v_offset + v_map * x;
}
template struct As<relay::Problem>;
template struct As<lcp::Problem>;

As<relay::Problem> as_relay(const Problem& problem) {
  problem.validate();
  const Index n = problem.num_free();
  const Index m = problem.num_constrained();
  As<relay::Problem> form;
  form.problem = detail::relay_form(problem);
  const Index size = form.problem.q.size();
  form.u_offset.setZero(n);
  form.v_offset.setZero(m);
  form.u_map = Eigen::MatrixXd::Identity(n, size);
  form.v_map.setZero(m, size);
  form.v_map.rightCols(m).setIdentity();
  return form;
}

As<relay::Problem> as_relay_by_elimination(const Problem& problem) {
  problem.validate();
  const Index n = problem.num_free();
  const Index m = problem.num_constrained();
  if (problem.num_equalities() != n) {
    check::shape("mlcp::Problem::A", problem.num_equalities(), n, n, n);
  }
  if (m == 0) throw InvalidArgument("mlcp::Problem::B", "no rows", "at least one: elimination leaves nothing");
  detail::Schur schur;
  if (!schur.compute(problem, 1e12)) {
    throw InvalidArgument("mlcp::Problem::A", "a singular or ill-conditioned matrix", "a condition below 1e12");
  }
  As<relay::Problem> form;
  form.problem = std::move(schur.problem);
  form.u_offset = n > 0 ? Eigen::VectorXd(-schur.offset) : Eigen::VectorXd(0);
  form.u_map = n > 0 ? Eigen::MatrixXd(-schur.gain) : Eigen::MatrixXd(0, m);
  form.v_offset.setZero(m);
  form.v_map = Eigen::MatrixXd::Identity(m, m);
  return form;
}

As<lcp::Problem> as_lcp_by_elimination(const Problem& problem) { return as_lcp(as_relay_by_elimination(problem)); }

As<lcp::Problem> as_lcp_by_splitting(const Problem& problem) { return as_lcp(as_relay(problem)); }

Problem from_lcp(const lcp::Problem& problem) {
  problem.validate();
  const Index m = problem.q.size();
  Problem form;
  form.A.resize(0, 0);
  form.C.resize(0, m);
  form.D.resize(m, 0);
  form.B = problem.M;
  form.b = problem.q;
  return form;
}

Eigen::VectorXd FromRelay::recover(ConstVectorRef u, ConstVectorRef v) const {
  Eigen::VectorXd z(u.size() + v.size());
  for (std::size_t k = 0; k < free.size(); ++k) z[free[k]] = u[static_cast<Index>(k)];
  for (std::size_t k = 0; k < constrained.size(); ++k) z[constrained[k]] = v[static_cast<Index>(k)];
  return z;
}

FromRelay from_relay(const relay::Problem& problem) {
  problem.validate();
  FromRelay form;
  for (Index i = 0; i < problem.q.size(); ++i) {
    const bool free = problem.lower[i] == -relay::detail::infinity && problem.upper[i] == relay::detail::infinity;
    (free ? form.free : form.constrained).push_back(i);
  }
  form.problem.A = problem.M(form.free, form.free);
  form.problem.C = problem.M(form.free, form.constrained);
  form.problem.D = problem.M(form.constrained, form.free);
  form.problem.B = problem.M(form.constrained, form.constrained);
  form.problem.a = problem.q(form.free);
  form.problem.b = problem.q(form.constrained);
  form.problem.lower = problem.lower(form.constrained);
  form.problem.upper = problem.upper(form.constrained);
  return form;
}

}  // namespace nonsmooth::mlcp
