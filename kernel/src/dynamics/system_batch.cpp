// SPDX-License-Identifier: Apache-2.0
// What batches of several kinds have in common: positions that move by h v.
#include "system_batch.hpp"

#include <nonsmooth/kernel/state.hpp>

namespace nonsmooth {
void keep_unknown(const Layout::System& place, double velocity, Eigen::VectorXd& unknowns, State& state) {
  auto difference = state.differences.segment(place.z, place.n);
  if (!state.has_differences()) difference = state.unknowns.segment(place.z, place.n);
  auto z = unknowns.segment(place.z, place.n);
  for (Index i = 0; i < place.n; ++i) {
    const double backward = difference[i];
    difference[i] = z[i];
    z[i] = velocity * z[i] + (1.0 - velocity) * backward;
  }
}

void SystemBatch::predict_positions(const StepView& step, Iterate& iterate) {
  const double h = step.h();
  for (const Index system : members_) {
    const auto& place = step.system(system);
    if (place.first_order) continue;
    const Scheme& scheme = step.scheme(system);
    const auto v_k = step.state.unknowns.segment(place.z, place.n);
    const auto v = iterate.z.segment(place.z, place.n);
    auto q = iterate.q.segment(place.q, place.nq);
    auto middle = iterate.q_middle.segment(place.q, place.nq);
    q = step.state.positions.segment(place.q, place.nq);
    const double position = scheme.position, weight = scheme.configuration_weight;
    if (iterate.first) {
      q += h * v_k;
    } else {
      q += h * (position * v + (1.0 - position) * v_k);
    }
    if (scheme.explicit_configuration && !iterate.first) continue;
    middle = q;
    if (weight != 1.0) middle += (1.0 - weight) * (step.state.positions.segment(place.q, place.nq) - q);
  }
}

void SystemBatch::apply_input(const Discretisation& discretisation, Index place, MatrixRef b) {
  apply_inverse(place, b);
  const Index system = system_at(place);
  if (discretisation.system(system).first_order)
    b *= discretisation.h * discretisation.scheme(system).multiplier_weight;
}

void SystemBatch::commit(const Discretisation& discretisation, Eigen::VectorXd& z, State& state) {
  const double h = discretisation.h;
  double* positions = state.positions.data();
  const double* before = state.unknowns.data();
  const double* after = z.data();
  for (const Index system : members_) {
    const auto& place = discretisation.system(system);
    if (place.first_order) continue;
    const Scheme& scheme = discretisation.scheme(system);
    const double position = scheme.position;
    for (Index i = 0; i < place.n; ++i) {
      positions[place.q + i] += h * (position * after[place.z + i] + (1.0 - position) * before[place.z + i]);
    }
    if (scheme.keeps_unknown) keep_unknown(place, scheme.velocity, z, state);
  }
}

void add_dense_entries(ConstMatrixRef A, Index offset, std::vector<Eigen::Triplet<double>>& entries) {
  for (Index j = 0; j < A.cols(); ++j) {
    for (Index i = 0; i < A.rows(); ++i) {
      if (A(i, j) != 0.0) entries.emplace_back(static_cast<int>(offset + i), static_cast<int>(offset + j), A(i, j));
    }
  }
}

}  // namespace nonsmooth
