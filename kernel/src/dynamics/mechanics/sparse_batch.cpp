// SPDX-License-Identifier: Apache-2.0
// Linear systems whose matrices stay sparse.
#include "sparse_batch.hpp"

#include <algorithm>

#include <nonsmooth/kernel/state.hpp>

#include "dynamics/factors/sparse_storage.hpp"
#include "iteration_matrix.hpp"

namespace nonsmooth {
namespace {

using iteration_matrix::refuse_singular;
using Matrix = Eigen::MatrixXd;
using SparseMatrix = Eigen::SparseMatrix<double>;

/// Of sparse systems that failed: the reason is looked for in full.
constexpr Index kLargestPencil = 500;

}  // namespace

bool SparseBatch::takes(const SystemCandidate& candidate) const {
  const Index n = candidate.record.n;
  if (const auto* d = candidate.record.linear_mechanical()) return stays_sparse(n, *d);
  const auto* linear = candidate.record.linear_first_order();
  return linear && !candidate.has_nonlinear_input && !candidate.exponential &&
         stays_sparse(n, {&linear->mass, &linear->A});
}

void SparseBatch::prepare(const DiscretisedSystem& given) {
  const auto* mechanics = given.record.linear_mechanical();
  list_.push_back(mechanics ? mechanical(*mechanics, given) : first_order(*given.record.linear_first_order(), given));
}

SparseSystem SparseBatch::mechanical(const LagrangianLinearSystem& d, const DiscretisedSystem& given) {
  const auto& place = given.place();
  const std::vector<PrescribedVelocity>& velocities = given.record.mechanical->prescribed();
  const Scheme& scheme = given.scheme();
  const double h = given.h(), theta = scheme.theta;
  SparseSystem s;
  s.system = given.system;
  const SparseMatrix C = to_sparse(d.damping, place.n, false), K = to_sparse(d.stiffness, place.n, false);
  const SparseMatrix M = to_sparse(d.mass, place.n, true);
  // Undamped, x^T A x is monotone in h^2: where it is positive for one step, it is for every shorter one.
  if (positive_up_to_.size() <= list_.size()) positive_up_to_.resize(list_.size() + 1, 0.0);
  double& positive_up_to = positive_up_to_[list_.size()];
  const bool is_known = h <= positive_up_to;
  if (!is_known && velocities.empty()) iteration_matrix::require_positive(place.name, M, C, K, scheme, h);
  if (!is_known && !velocities.empty()) {  // in full: prescribed components of large systems are few models' own
    const std::vector<Index> free = iteration_matrix::free_components(velocities, place.n);
    iteration_matrix::require_positive(place.name, Matrix(M)(free, free), Matrix(C)(free, free), Matrix(K)(free, free),
                                       scheme, h);
  }
  if (d.damping.empty()) positive_up_to = std::max(positive_up_to, h);
  s.iteration = iteration_matrix::of_mechanics(M, C, K, scheme, h);
  s.rate_q = -K;
  if (scheme.keeps_unknown) {
    s.rate_z = -theta * (C + h * K);
    s.rate_v = -(1.0 - theta) * C;
  } else {
    s.rate_z = -(C + h * scheme.weight_ahead() * K);
  }
  if (d.damping.empty()) s.rate_z = s.rate_v = SparseMatrix();  // then h weight_ahead rate_q
  SparseMatrix A = s.iteration;
  std::vector<char> cut(static_cast<std::size_t>(place.n), 0);
  for (const PrescribedVelocity& prescribed : velocities) cut[static_cast<std::size_t>(prescribed.component)] = 1;
  A.prune([&cut](Index row, Index column, double) {
    return row == column || (!cut[static_cast<std::size_t>(row)] && !cut[static_cast<std::size_t>(column)]);
  });
  for (Index i = 0; i < place.n; ++i) {
    if (cut[static_cast<std::size_t>(i)]) A.coeffRef(i, i) = 1.0;
  }
  s.factor = SparseFactorization(Structure::General, Backend::Automatic);
  if (!s.factor.factorize(A)) refuse_singular(place.name);
  s.drive = d.force.constant() ? *d.force.constant() : Eigen::VectorXd::Zero(place.n);
  s.time_function = inputs_.add_time_function(d.force, s.system, place.n);
  s.scratch = Eigen::VectorXd::Zero(place.n);
  return s;
}

SparseSystem SparseBatch::first_order(const FirstOrderLinearSystem& d, const DiscretisedSystem& given) {
  const auto& place = given.place();
  SparseSystem s;
  s.system = given.system;
  s.first_order = true;
  s.rate_z = to_sparse(d.A, place.n, false);
  s.iteration = to_sparse(d.mass, place.n, true) - given.h() * given.scheme().theta * s.rate_z;
  s.factor = SparseFactorization(Structure::General, Backend::Automatic);
  if (!s.factor.factorize(s.iteration)) {
    if (place.n <= kLargestPencil) {
      const Matrix A_x = d.A.to_dense(place.n);
      iteration_matrix::check_singular_mass(place.name, d.mass.to_dense(place.n, true), &A_x, given.scheme());
    }
    refuse_singular(place.name);
  }
  s.drive = d.b.constant() ? *d.b.constant() : Eigen::VectorXd::Zero(place.n);
  s.time_function = inputs_.add_time_function(d.b, s.system, place.n);
  s.scratch = Eigen::VectorXd::Zero(place.n);
  return s;
}

void SparseBatch::free_state(const StepView& step, Eigen::VectorXd& z_free) {
  for (SparseSystem& s : list_) {
    const auto& place = step.system(s.system);
    const Scheme& scheme = step.scheme(s.system);
    const double theta = scheme.theta;
    const auto v_k = step.state.unknowns.segment(place.z, place.n);
    auto z = z_free.segment(place.z, place.n);
    z = scheme.keeps_unknown && step.state.has_differences() ? step.state.differences.segment(place.z, place.n) : v_k;
    s.scratch = s.drive;
    if (s.rate_z.size() == 0) {  // undamped: one product with K serves z and q
      Eigen::Map<Eigen::VectorXd> q_theta(inputs_.scratch(place.n), place.n);
      q_theta = step.state.positions.segment(place.q, place.n) + step.h() * scheme.weight_ahead() * z;
      s.scratch.noalias() += s.rate_q * q_theta;
    } else {
      s.scratch.noalias() += s.rate_z * z;
      if (scheme.keeps_unknown) s.scratch.noalias() += s.rate_v * v_k;
      if (!s.first_order) s.scratch.noalias() += s.rate_q * step.state.positions.segment(place.q, place.n);
    }
    if (s.time_function >= 0) {
      const auto& f = inputs_.time_function(s.time_function);
      s.scratch += theta * f.after + (1.0 - theta) * f.before;
    }
    if (const auto* value = inputs_.feedback_of(s.system)) s.scratch += *value;
    s.scratch *= step.h();
    inputs_.cut(s.system, s.scratch);
    s.factor.solve_in_place(s.scratch);
    z += s.scratch;
  }
}

void SparseBatch::add_iteration_matrix(const Layout::System& system, Index place, Index offset,
                                       std::vector<Eigen::Triplet<double>>& entries) const {
  const Eigen::SparseMatrix<double>& A = at(place).iteration;
  std::vector<char> cut(static_cast<std::size_t>(system.n), 0);
  for (const PrescribedComponent& one : inputs_.prescribed) {
    if (one.system == system_at(place)) cut[static_cast<std::size_t>(one.component)] = 1;
  }
  const auto add = [&](Index row, Index column, double value) {
    if (value != 0.0) entries.emplace_back(static_cast<int>(offset + row), static_cast<int>(offset + column), value);
  };
  for (Index j = 0; j < system.n; ++j) {
    if (cut[static_cast<std::size_t>(j)]) {
      add(j, j, 1.0);
      continue;
    }
    for (Eigen::SparseMatrix<double>::InnerIterator entry(A, j); entry; ++entry) {
      if (!cut[static_cast<std::size_t>(entry.row())]) add(entry.row(), j, entry.value());
    }
  }
}

}  // namespace nonsmooth
