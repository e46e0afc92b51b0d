// SPDX-License-Identifier: Apache-2.0
#include "general_batch.hpp"

namespace nonsmooth {

bool GeneralBatch::takes(const SystemCandidate& candidate) const { return candidate.record.mechanical != nullptr; }

void GeneralBatch::prepare(const DiscretisedSystem& given) {
  GeneralSystem s;
  s.NonlinearSystem::prepare(given);
  s.mass = s.jacobian = s.iteration = Eigen::MatrixXd::Zero(given.place().n, given.place().n);
  list_.push_back(std::move(s));
}

void GeneralSystem::evaluate_mass(const std::string& name, ConstVectorRef q) {
  mass.setZero();
  guarded(name, "mass(q)", [&] { description->mass(q, mass); });
  require_finite(name, "mass(q)", mass);
}

void GeneralSystem::require_positive_diagonal(const std::string& name) const {
  if (!(mass.diagonal().minCoeff() > 0.0))
    throw CallableFailure{"mass(q) of " + name + " returned a diagonal entry that is not positive"};
}

void GeneralSystem::linearise(const std::string& name, double t, ConstVectorRef q, ConstVectorRef v, double by_v,
                              double by_q) {
  iteration = mass;
  if (!(by_v > 0.0)) return;
  jacobian.setZero();
  guarded(name, "force_dv", [&] { description->force_dv(t, q, v, jacobian); });
  require_finite(name, "force_dv", jacobian);
  iteration -= by_v * jacobian;
  jacobian.setZero();
  guarded(name, "force_dq", [&] { description->force_dq(t, q, v, jacobian); });
  require_finite(name, "force_dq", jacobian);
  iteration -= by_q * jacobian;
}

void GeneralSystem::prescribe(Index component, double change) {
  residual -= change * iteration.col(component);
  cut_out(iteration, component);
}

void GeneralBatch::add_iteration_matrix(const Layout::System&, Index place, Index offset,
                                        std::vector<Eigen::Triplet<double>>& entries) const {
  add_dense_entries(at(place).iteration, offset, entries);
}

}  // namespace nonsmooth
