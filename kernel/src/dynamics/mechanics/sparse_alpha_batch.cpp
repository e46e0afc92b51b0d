// SPDX-License-Identifier: Apache-2.0
// The nonsmooth generalised-alpha method with sparse matrices.
#include "sparse_alpha_batch.hpp"

#include "dynamics/factors/pattern_values.hpp"
#include "dynamics/factors/sparse_storage.hpp"

namespace nonsmooth {
namespace {

/// A on a pattern that holds its entries.
Eigen::SparseMatrix<double> on_pattern(const SparsePattern& pattern, const Eigen::SparseMatrix<double>& A) {
  Eigen::SparseMatrix<double> result = pattern.zeros();
  for (Index j = 0; j < A.cols(); ++j) {
    for (Eigen::SparseMatrix<double>::InnerIterator entry(A, j); entry; ++entry)
      values_of(result)[pattern.find(entry.row(), j)] += entry.value();
  }
  return result;
}

/// To what differences of sums over elements leave.
bool same_as_transposed(const Eigen::SparseMatrix<double>& A) {
  return (A - Eigen::SparseMatrix<double>(A.transpose())).norm() <= 1e-12 * A.norm();
}

void factor_of_alpha(const std::string& name, const char* what, const Eigen::SparseMatrix<double>& A,
                     VaryingFactor& factor) {
  if (!factor.compute(A))
    throw CallableFailure{std::string(what) + " of " + name + " is singular to working precision"};
}

}  // namespace

bool SparseAlphaBatch::takes(const SystemCandidate& candidate) const {
  return candidate.generalised_alpha && has_sparse_mechanics(candidate.record);
}

void SparseAlphaSystem::prepare(const DiscretisedSystem& given, SystemInputs& inputs) {
  prepare_motion(given, inputs);
  const Index n = given.place().n;
  product.setZero(n);
  const LagrangianLinearSystem* d = given.record.linear_mechanical();
  Eigen::SparseMatrix<double> M, C, K;
  if (d) {
    M = to_sparse(d->mass, n, true), C = to_sparse(d->damping, n, false), K = to_sparse(d->stiffness, n, false);
    Eigen::SparseMatrix<double> all = M.cwiseAbs() + C.cwiseAbs() + K.cwiseAbs();
    pattern = SparsePattern(all);
  } else {
    entries = dynamic_cast<const SparseMechanicalSystem*>(description);
    pattern = entries->pattern();
  }
  for (Eigen::SparseMatrix<double>* matrix : {&mass, &by_v, &by_q, &S, &R, &N}) *matrix = pattern.zeros();
  for (VaryingFactor* factor : {&mass_factor, &S_factor, &N_factor}) *factor = VaryingFactor(pattern);
  if (!d) return;
  mass = on_pattern(pattern, M);
  by_v = on_pattern(pattern, -C);
  by_q = on_pattern(pattern, -K);
  if (!mass_factor.compute(mass)) refuse_alpha_step(given);
  respond(given.place().name, given.h(), inputs.buffer);
  if (!S_factor.is_cholesky() && same_as_transposed(S)) refuse_alpha_step(given);
}

void SparseAlphaSystem::evaluate_mass(const std::string& name, ConstVectorRef q) {
  if (linear) return;
  write_values(name, "mass(q)", pattern, values_of(mass), [&](SparseEntries& M) { entries->mass_entries(q, M); });
  for (Index i = 0; i < mass.cols(); ++i) {
    if (!(mass_factor.diagonal(mass, i) > 0.0))
      throw CallableFailure{"mass(q) of " + name + " returned the diagonal entry " + std::to_string(i) +
                            ", which is not positive"};
  }
  factor_of_alpha(name, "mass(q)", mass, mass_factor);
}

void SparseAlphaSystem::linearise(const std::string& name, double t, ConstVectorRef q) {
  write_values(name, "force_dv", pattern, values_of(by_v),
               [&](SparseEntries& J) { entries->force_dv_entries(t, q, v, J); });
  write_values(name, "force_dq", pattern, values_of(by_q),
               [&](SparseEntries& J) { entries->force_dq_entries(t, q, v, J); });
}

void SparseAlphaSystem::respond(const std::string& name, double h, std::vector<double>& /*buffer*/) {
  const double by_impulse = positions_apart ? 0.0 : 0.5 * h;  // what q moves by W
  responds_apart = positions_apart;
  values_of(R) = values_of(by_v) + by_impulse * values_of(by_q);
  values_of(S) =
      values_of(mass) / weights.of_a - h * weights.gamma * values_of(by_v) - h * h * weights.beta * values_of(by_q);
  values_of(N) = values_of(mass) / weights.of_a + h * (weights.gamma * by_impulse - h * weights.beta) * values_of(by_q);
  constexpr char kWhat[] = "the matrix M (1-alpha_m)/(1-alpha_f) - h gamma dF/dv - h^2 beta dF/dq";
  require_finite(name, kWhat, values_of(S));
  factor_of_alpha(name, kWhat, S, S_factor);
  factor_of_alpha(name, "the matrix of impulses under generalised-alpha", N, N_factor);
}

}  // namespace nonsmooth
