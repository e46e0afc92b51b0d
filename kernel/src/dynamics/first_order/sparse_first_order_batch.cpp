// SPDX-License-Identifier: Apache-2.0
#include "sparse_first_order_batch.hpp"

#include "dynamics/factors/pattern_values.hpp"
#include "dynamics/mechanics/iteration_matrix.hpp"
#include "model/equations/sparse_values.hpp"

namespace nonsmooth {

bool SparseFirstOrderBatch::takes(const SystemCandidate& candidate) const {
  return dynamic_cast<const SparseFirstOrderDynamicalSystem*>(candidate.record.first_order) != nullptr;
}

void SparseFirstOrderBatch::prepare(const DiscretisedSystem& given) {
  SparseNonlinearFirstOrderSystem s;
  s.NonlinearFirstOrderSystem::prepare(given);
  s.entries = dynamic_cast<const SparseFirstOrderDynamicalSystem*>(given.record.first_order);
  const SparsePattern& pattern = s.entries->pattern();
  const std::string& name = given.place().name;
  check_pattern("SparseFirstOrderDynamicalSystem", pattern, given.place().n, "initial_state");
  s.mass = s.iteration = pattern.zeros();
  values_of(s.mass) = mass_on_pattern("SparseFirstOrderDynamicalSystem::mass of " + name, s.entries->mass(), pattern);
  iteration_matrix::check_singular_mass(name, s.mass, given.scheme());
  s.jacobian = s.inputs = Eigen::VectorXd::Zero(pattern.num_entries());
  s.factor = VaryingFactor(pattern);
  list_.push_back(std::move(s));
}

void SparseNonlinearFirstOrderSystem::evaluate(const std::string& name, double t, ConstVectorRef x,
                                               Eigen::VectorXd& value) const {
  FirstOrderSystemEvaluator{name, nullptr, description}.f(t, x, value);
  require_finite(name, "f(t, x)", value);
}

void SparseNonlinearFirstOrderSystem::add_input(const std::string& name, const std::string& relation,
                                                ConstMatrixRef J) {
  const SparsePattern& pattern = entries->pattern();
  for (Index j = 0; j < J.cols(); ++j) {
    for (Index i = 0; i < J.rows(); ++i) {
      if (J(i, j) == 0.0) continue;
      const Index place = pattern.find(i, j);
      if (place < 0) {
        throw CallableFailure{"g_dx of " + relation + " has an entry at (" + std::to_string(i) + ", " +
                              std::to_string(j) + ") of " + name + ", outside of its pattern"};
      }
      inputs[place] += J(i, j);
    }
  }
}

void SparseNonlinearFirstOrderSystem::begin_iteration(double h) { values_of(iteration) = values_of(mass) - h * inputs; }

void SparseNonlinearFirstOrderSystem::differentiate(const std::string& name, double t, ConstVectorRef x,
                                                    double weight) {
  write_values(name, "f_dx(t, x)", entries->pattern(), jacobian,
               [&](SparseEntries& J) { entries->f_dx_entries(t, x, J); });
  values_of(iteration) -= weight * jacobian;
}

void SparseNonlinearFirstOrderSystem::factorise(const std::string& name) {
  constexpr char kWhat[] = "the iteration matrix M - h theta df/dx";
  require_finite(name, kWhat, values_of(iteration));
  if (!factor.compute(iteration))
    throw CallableFailure{std::string(kWhat) + " of " + name + " is singular to working precision"};
}

}  // namespace nonsmooth
