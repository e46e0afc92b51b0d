// SPDX-License-Identifier: Apache-2.0
#include "exact_diagonal_batch.hpp"

#include <algorithm>

#include <nonsmooth/kernel/state.hpp>

#include "linear_flow.hpp"

namespace nonsmooth {
namespace {

constexpr Index kOscillatorGrain = 1024;  ///< oscillators a chunk: a few microseconds of work

}  // namespace

void ExactDiagonalBatch::clear() {
  SystemBatch::clear();
  runs_.clear();
  driven_.clear();
  first_.clear();
}

bool ExactDiagonalBatch::takes(const SystemCandidate& candidate) const {
  const auto* d = candidate.record.linear_mechanical();
  return d && candidate.exponential && d->mass.is_diagonal() && d->damping.is_diagonal() && d->stiffness.is_diagonal();
}

void ExactDiagonalBatch::prepare(const DiscretisedSystem& given) {
  const auto* d = given.record.linear_mechanical();
  const auto unknowns = static_cast<std::size_t>(given.discretisation.layout->num_unknowns);
  for (std::vector<double>* values : {&q_of_q_, &q_of_v_, &v_of_q_, &v_of_v_, &v_of_f_, &q_of_f_, &q_of_slope_,
                                      &a_inverse_, &way_, &drive_v_, &drive_q_, &q_free_, &z_before_})
    values->resize(unknowns, 0.0);
  const auto& place = given.place();
  const double h = given.h();
  const Eigen::VectorXd M = d->mass.to_dense(place.n, true).diagonal();
  const Eigen::VectorXd C = d->damping.to_dense(place.n).diagonal();
  const Eigen::VectorXd K = d->stiffness.to_dense(place.n).diagonal();
  for (Index i = 0; i < place.n; ++i) {
    const auto z = static_cast<std::size_t>(place.z + i);
    const double gamma = 0.5 * C[i] / M[i], kappa = K[i] / M[i];
    const OscillatorFlow flow = oscillator_flow(gamma, kappa, h);
    q_of_q_[z] = -kappa * flow.G1;
    q_of_v_[z] = flow.g;
    v_of_q_[z] = -kappa * flow.g;
    v_of_v_[z] = -2.0 * gamma * flow.g - kappa * flow.G1;
    v_of_f_[z] = flow.g / M[i];
    q_of_f_[z] = flow.G1 / M[i];
    q_of_slope_[z] = flow.G2 / (h * M[i]);
    const double part = impulse_response(place.name, gamma, kappa, h, flow);
    a_inverse_[z] = part / M[i];
    way_[z] = part > 0.0 ? 0.5 * flow.g / part : 0.0;
    const double force = d->force.constant() ? (*d->force.constant())[i] : 0.0;
    drive_v_[z] = v_of_f_[z] * force;
    drive_q_[z] = q_of_f_[z] * force;
  }
  const Input input{given.system, inputs_.add_time_function(d->force, given.system, place.n),
                    static_cast<bool>(given.record.mechanical->feedback())};
  if (input.time_function >= 0 || input.fed) driven_.push_back(input);
  first_.push_back(place.z);
  if (!runs_.empty() && runs_.back().z + runs_.back().count == place.z &&
      runs_.back().q + runs_.back().count == place.q) {
    runs_.back().count += place.n;
  } else {
    runs_.push_back({place.q, place.z, place.n});
  }
}

void ExactDiagonalBatch::free_state(const StepView& step, Eigen::VectorXd& z_free) {
  const double *const v = step.state.unknowns.data(), *const q = step.state.positions.data();
  double* const free = z_free.data();
  for (const Run& run : runs_) {
    const Index to_q = run.q - run.z;
    step.discretisation.threads.for_each_range(run.count, kOscillatorGrain, [&, to_q](Index first, Index last) {
      for (Index i = run.z + first; i < run.z + last; ++i) {
        const auto z = static_cast<std::size_t>(i);
        free[i] = v[i] + (drive_v_[z] + v_of_v_[z] * v[i] + v_of_q_[z] * q[i + to_q]);
        q_free_[z] = q[i + to_q] + (drive_q_[z] + q_of_v_[z] * v[i] + q_of_q_[z] * q[i + to_q]);
      }
    });
  }
  if (!driven_.empty()) add_inputs(step, free);
  for (const Run& run : runs_)
    std::copy(free + run.z, free + run.z + run.count, z_before_.begin() + static_cast<std::ptrdiff_t>(run.z));
}

void ExactDiagonalBatch::add_inputs(const StepView& step, double* free) {
  for (const Input& input : driven_) {
    const auto& place = step.system(input.system);
    const TimeFunction* f = input.time_function < 0 ? nullptr : &inputs_.time_function(input.time_function);
    const Eigen::VectorXd* held = inputs_.feedback_of(input.system);
    const double per_step = 1.0 / step.h();
    for (Index i = 0; i < place.n; ++i) {
      const auto z = static_cast<std::size_t>(place.z + i);
      const double at_start = (f ? f->before[i] : 0.0) + (held ? (*held)[i] : 0.0);
      const double change = f ? f->after[i] - f->before[i] : 0.0;
      free[place.z + i] += v_of_f_[z] * at_start + q_of_f_[z] * per_step * change;
      q_free_[z] += q_of_f_[z] * at_start + q_of_slope_[z] * change;
    }
  }
}

void ExactDiagonalBatch::predict_positions(const StepView& step, Iterate& iterate) {
  const double weight = step.scheme(systems().front()).configuration_weight;
  for (const Index system : systems()) {
    const auto& place = step.system(system);
    for (Index i = 0; i < place.n; ++i) {
      const auto z = static_cast<std::size_t>(place.z + i);
      const double moved = iterate.first ? 0.0 : way_[z] * (iterate.z[place.z + i] - z_before_[z]);
      iterate.q[place.q + i] = q_free_[z] + moved;
      iterate.q_middle[place.q + i] =
          step.state.positions[place.q + i] + weight * (iterate.q[place.q + i] - step.state.positions[place.q + i]);
    }
  }
}

void ExactDiagonalBatch::apply_inverse(Index place, MatrixRef b) {
  const double* inverse = diagonal_inverse(place);
  for (Index j = 0; j < b.cols(); ++j) {
    for (Index i = 0; i < b.rows(); ++i) b(i, j) *= inverse[i];
  }
}

void ExactDiagonalBatch::commit(const Discretisation& discretisation, Eigen::VectorXd& z, State& state) {
  double* const q = state.positions.data();
  const double* const after = z.data();
  for (const Run& run : runs_) {
    const Index to_q = run.q - run.z;
    discretisation.threads.for_each_range(run.count, kOscillatorGrain, [&, to_q](Index first, Index last) {
      for (Index i = run.z + first; i < run.z + last; ++i) {
        const auto k = static_cast<std::size_t>(i);
        q[i + to_q] = q_free_[k] + way_[k] * (after[i] - z_before_[k]);
      }
    });
  }
}

}  // namespace nonsmooth
