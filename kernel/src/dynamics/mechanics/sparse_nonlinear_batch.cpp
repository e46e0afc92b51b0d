// SPDX-License-Identifier: Apache-2.0
#include "sparse_nonlinear_batch.hpp"

#include <algorithm>

#include "dynamics/factors/pattern_values.hpp"

namespace nonsmooth {
namespace {

constexpr char kSingular[] = " is singular to working precision";

}  // namespace

bool SparseNonlinearBatch::takes(const SystemCandidate& candidate) const {
  return dynamic_cast<const SparseMechanicalSystem*>(candidate.record.mechanical) != nullptr;
}

void SparseNonlinearBatch::prepare(const DiscretisedSystem& given) {
  SparseNonlinearSystem s;
  s.NonlinearSystem::prepare(given);
  s.entries = dynamic_cast<const SparseMechanicalSystem*>(given.record.mechanical);
  const SparsePattern& pattern = s.entries->pattern();
  s.mass = s.iteration = pattern.zeros();
  s.jacobian = Eigen::VectorXd::Zero(pattern.num_entries());
  s.factor = VaryingFactor(pattern);
  list_.push_back(std::move(s));
}

void SparseNonlinearSystem::evaluate_mass(const std::string& name, ConstVectorRef q) {
  write_values(name, "mass(q)", entries->pattern(), values_of(mass),
               [&](SparseEntries& M) { entries->mass_entries(q, M); });
}

void SparseNonlinearSystem::require_positive_diagonal(const std::string& name) const {
  for (Index i = 0; i < mass.cols(); ++i) {
    if (!(factor.diagonal(mass, i) > 0.0)) {
      throw CallableFailure{"mass(q) of " + name + " returned the diagonal entry " + std::to_string(i) +
                            ", which is not positive"};
    }
  }
}

void SparseNonlinearSystem::linearise(const std::string& name, double t, ConstVectorRef q, ConstVectorRef v,
                                      double by_v, double by_q) {
  auto A = values_of(iteration);
  A = values_of(mass);
  if (!(by_v > 0.0)) return;
  write_values(name, "force_dv", entries->pattern(), jacobian,
               [&](SparseEntries& J) { entries->force_dv_entries(t, q, v, J); });
  A -= by_v * jacobian;
  write_values(name, "force_dq", entries->pattern(), jacobian,
               [&](SparseEntries& J) { entries->force_dq_entries(t, q, v, J); });
  A -= by_q * jacobian;
}

void SparseNonlinearSystem::prescribe(Index component, double change) {
  double* const values = iteration.valuePtr();
  for (Index k = iteration.outerIndexPtr()[component]; k < iteration.outerIndexPtr()[component + 1]; ++k) {
    const Index i = iteration.innerIndexPtr()[k];
    residual[i] -= change * values[k];
    values[k] = values[factor.transposed(k)] = i == component ? 1.0 : 0.0;
  }
}

void SparseNonlinearSystem::factorise(const std::string& name) {
  constexpr char kWhat[] = "the iteration matrix M - h theta dF/dv - h^2 theta position dF/dq";
  require_finite(name, kWhat, values_of(iteration));
  if (!factor.compute(iteration)) throw CallableFailure{std::string(kWhat) + " of " + name + kSingular};
}

void SparseNonlinearSystem::factorise_mass(const std::string& name) {
  if (!factor.compute(mass)) throw CallableFailure{"mass(q) of " + name + kSingular};
}

void SparseNonlinearBatch::add_iteration_matrix(const Layout::System&, Index place, Index offset,
                                                std::vector<Eigen::Triplet<double>>& entries) const {
  const Eigen::SparseMatrix<double>& A = at(place).iteration;
  for (Index j = 0; j < A.cols(); ++j) {
    for (Eigen::SparseMatrix<double>::InnerIterator entry(A, j); entry; ++entry) {
      if (entry.value() != 0.0) {
        entries.emplace_back(static_cast<int>(offset + entry.row()), static_cast<int>(offset + j), entry.value());
      }
    }
  }
}

void SparseNonlinearBatch::prepare_instants(const NonSmoothDynamicalSystem& model, const Layout& layout,
                                            const std::vector<Index>& first) {
  list_instants(model, layout, first);
  masses_.clear();
  for (const InstantSystem& s : instants_) {
    InstantMass own;
    own.entries = dynamic_cast<const SparseMechanicalSystem*>(s.description);
    own.mass = own.entries->pattern().zeros();
    masses_.push_back(std::move(own));
  }
}

void SparseNonlinearBatch::evaluate_motion(double t, const Eigen::VectorXd& positions, const Eigen::VectorXd& v,
                                           Eigen::VectorXd& F) {
  for (std::size_t i = 0; i < instants_.size(); ++i) {
    const InstantSystem& s = instants_[i];
    InstantMass& own = masses_[i];
    const auto q = positions.segment(s.q, s.nq);
    auto force = F.segment(s.first, s.n);
    force.setZero();
    if (!own.stands) {
      write_values(s.name, "mass(q)", own.entries->pattern(), values_of(own.mass),
                   [&](SparseEntries& M) { own.entries->mass_entries(q, M); });
    }
    guarded(s.name, "force(t, q, v)", [&] { s.description->force(t, q, v.segment(s.first, s.n), force); });
  }
}

Index SparseNonlinearBatch::accelerations(const Eigen::VectorXd& F, Eigen::VectorXd& a) {
  for (std::size_t i = 0; i < instants_.size(); ++i) {
    const InstantSystem& s = instants_[i];
    InstantMass& own = masses_[i];
    if (!own.stands && !own.factor.factorize(own.mass)) return s.system;
    own.stands = s.description->has_constant_mass();
    auto acceleration = a.segment(s.first, s.n);
    acceleration = F.segment(s.first, s.n);
    own.factor.solve_in_place(acceleration);
  }
  return -1;
}

void SparseNonlinearBatch::solve_mass(double* x) const {
  for (std::size_t i = 0; i < instants_.size(); ++i) {
    const InstantSystem& s = instants_[i];
    masses_[i].factor.solve_in_place(Eigen::Map<Eigen::VectorXd>(x + s.first, s.n));
  }
}

void SparseNonlinearBatch::mass_product(ConstVectorRef x, VectorRef product) const {
  for (std::size_t i = 0; i < instants_.size(); ++i) {
    const InstantSystem& s = instants_[i];
    product.segment(s.first, s.n).noalias() = masses_[i].mass * x.segment(s.first, s.n);
  }
}

void SparseNonlinearBatch::masses(MatrixRef M) const {
  for (std::size_t i = 0; i < instants_.size(); ++i) {
    const InstantSystem& s = instants_[i];
    M.block(s.first, s.first, s.n, s.n) = masses_[i].mass;
  }
}

}  // namespace nonsmooth
