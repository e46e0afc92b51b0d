// SPDX-License-Identifier: Apache-2.0
#include "exact_dense_batch.hpp"

#include <utility>

#include <nonsmooth/kernel/state.hpp>

namespace nonsmooth {

bool ExactDenseBatch::takes(const SystemCandidate& candidate) const {
  return candidate.exponential && candidate.record.linear_mechanical();
}

void ExactDenseBatch::prepare(const DiscretisedSystem& given) {
  const LagrangianLinearSystem& d = *given.record.linear_mechanical();
  const auto& place = given.place();
  ExactSystem s;
  s.system = given.system;
  s.flow = linear_flow(place.name, d.mass.to_dense(place.n, true), d.damping.to_dense(place.n),
                       d.stiffness.to_dense(place.n), given.h());
  const Eigen::VectorXd force = d.force.constant() ? *d.force.constant() : Eigen::VectorXd::Zero(place.n);
  s.drive_v = s.flow.V0 * force;
  s.drive_q = s.flow.Q0 * force;
  s.time_function = inputs_.add_time_function(d.force, s.system, place.n);
  for (Eigen::VectorXd* scratch : {&s.q_free, &s.z_before, &s.at_start, &s.change}) scratch->setZero(place.n);
  list_.push_back(std::move(s));
}

void ExactDenseBatch::free_state(const StepView& step, Eigen::VectorXd& z_free) {
  for (ExactSystem& s : list_) {
    const auto& place = step.system(s.system);
    const auto v = step.state.unknowns.segment(place.z, place.n);
    const auto q = step.state.positions.segment(place.q, place.n);
    s.z_before = s.drive_v;
    s.z_before.noalias() += s.flow.v_of_v * v;
    s.z_before.noalias() += s.flow.v_of_q * q;
    s.q_free = s.drive_q;
    s.q_free.noalias() += s.flow.q_of_v * v;
    s.q_free.noalias() += s.flow.q_of_q * q;
    if (s.time_function >= 0 || inputs_.feedback_of(s.system)) add_inputs(s);
    s.z_before += v;
    s.q_free += q;
    z_free.segment(place.z, place.n) = s.z_before;
  }
}

void ExactDenseBatch::add_inputs(ExactSystem& s) const {
  s.at_start.setZero();
  s.change.setZero();
  if (s.time_function >= 0) {
    const TimeFunction& f = inputs_.time_function(s.time_function);
    s.at_start = f.before;
    s.change = f.after - f.before;
  }
  if (const Eigen::VectorXd* held = inputs_.feedback_of(s.system)) s.at_start += *held;
  s.z_before.noalias() += s.flow.V0 * s.at_start;
  s.z_before.noalias() += s.flow.V1 * s.change;
  s.q_free.noalias() += s.flow.Q0 * s.at_start;
  s.q_free.noalias() += s.flow.Q1 * s.change;
}

void ExactDenseBatch::predict_positions(const StepView& step, Iterate& iterate) {
  for (ExactSystem& s : list_) {
    const auto& place = step.system(s.system);
    const double weight = step.scheme(s.system).configuration_weight;
    const auto q_before = step.state.positions.segment(place.q, place.n);
    auto q = iterate.q.segment(place.q, place.n);
    q = s.q_free;
    if (!iterate.first) {
      s.change = iterate.z.segment(place.z, place.n) - s.z_before;
      q.noalias() += s.flow.way * s.change;
    }
    iterate.q_middle.segment(place.q, place.n) = q_before + weight * (q - q_before);
  }
}

void ExactDenseBatch::apply_inverse(Index place, MatrixRef b) {
  Eigen::Map<Eigen::MatrixXd> product(inputs_.scratch(b.size()), b.rows(), b.cols());
  product.noalias() = at(place).flow.A_inverse * b;
  b = product;
}

void ExactDenseBatch::commit(const Discretisation& discretisation, Eigen::VectorXd& z, State& state) {
  for (ExactSystem& s : list_) {
    const auto& place = discretisation.system(s.system);
    s.change = z.segment(place.z, place.n) - s.z_before;
    auto q = state.positions.segment(place.q, place.n);
    q = s.q_free;
    q.noalias() += s.flow.way * s.change;
  }
}

}  // namespace nonsmooth
