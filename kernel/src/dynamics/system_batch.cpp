// SPDX-License-Identifier: Apache-2.0
// What batches of several kinds have in common: positions that move by h v.
#include "system_batch.hpp"

#include <nonsmooth/kernel/state.hpp>

namespace nonsmooth {
namespace {

/// v_{k+1} = (q_{k+1} - q_{k-1}) / (2 h) of a scheme of two steps into z, which holds (q_{k+1} - q_k) / h.
void from_differences(const Layout::System& place, Eigen::VectorXd& unknowns, State& state) {
  auto difference = state.differences.segment(place.z, place.n);
  if (!state.has_differences()) difference = state.unknowns.segment(place.z, place.n);
  auto z = unknowns.segment(place.z, place.n);
  for (Index i = 0; i < place.n; ++i) {
    const double backward = difference[i];
    difference[i] = z[i];
    z[i] = 0.5 * (z[i] + backward);
  }
}

}  // namespace

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
    const double theta = scheme.two_steps ? 1.0 : scheme.theta, weight = scheme.configuration_weight;
    if (iterate.first && !scheme.two_steps) {
      q += h * v_k;
    } else {
      q += h * (theta * v + (1.0 - theta) * v_k);
    }
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
    const double theta = scheme.two_steps ? 1.0 : scheme.theta;
    for (Index i = 0; i < place.n; ++i) {
      positions[place.q + i] += h * (theta * after[place.z + i] + (1.0 - theta) * before[place.z + i]);
    }
    if (scheme.two_steps) from_differences(place, z, state);
  }
}

void add_dense_entries(const Eigen::MatrixXd& A, Index offset, std::vector<Eigen::Triplet<double>>& entries) {
  for (Index j = 0; j < A.cols(); ++j) {
    for (Index i = 0; i < A.rows(); ++i) {
      if (A(i, j) != 0.0) entries.emplace_back(static_cast<int>(offset + i), static_cast<int>(offset + j), A(i, j));
    }
  }
}

}  // namespace nonsmooth
