// SPDX-License-Identifier: Apache-2.0
#include "first_order_batch.hpp"

#include "dynamics/mechanics/iteration_matrix.hpp"
#include "model/equations/differences.hpp"

namespace nonsmooth {

bool FirstOrderBatch::takes(const SystemCandidate& candidate) const { return candidate.record.first_order != nullptr; }

void FirstOrderBatch::prepare(const DiscretisedSystem& given) {
  const auto& place = given.place();
  DenseFirstOrderSystem s;
  s.NonlinearFirstOrderSystem::prepare(given);
  s.mass = s.description->mass().to_dense(place.n, true);
  iteration_matrix::check_singular_mass(place.name, s.mass, nullptr, given.scheme());
  s.jacobian = s.iteration = s.inputs = Eigen::MatrixXd::Zero(place.n, place.n);
  list_.push_back(std::move(s));
}

void DenseFirstOrderSystem::evaluate(const std::string& name, double t, ConstVectorRef x, Eigen::VectorXd& value) {
  evaluator(name).f(t, x, value, jacobian);
  require_finite(name, "f(t, x)", value);
}

void DenseFirstOrderSystem::differentiate(const std::string& name, double t, ConstVectorRef x, double weight) {
  evaluator(name).differentiate(t, x, jacobian, [](ConstVectorRef at, MatrixRef result, auto&& rate) {
    differences::jacobian(at, result, rate);
  });
  require_finite(name, "df/dx", jacobian);
  iteration -= weight * jacobian;
}

}  // namespace nonsmooth
