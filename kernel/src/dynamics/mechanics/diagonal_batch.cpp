// SPDX-License-Identifier: Apache-2.0
#include "diagonal_batch.hpp"

#include <nonsmooth/kernel/state.hpp>

#include "iteration_matrix.hpp"

namespace nonsmooth {
namespace {

constexpr Index kUnknownGrain = 2048;  ///< unknowns a chunk: a few microseconds of work

}  // namespace

void append(const Layout::System& place, bool free_flight, double position, std::vector<DiagonalRun>& runs) {
  if (!runs.empty() && runs.back().z + runs.back().count == place.z && runs.back().q + runs.back().count == place.q &&
      runs.back().free_flight == free_flight && runs.back().position == position) {
    runs.back().count += place.n;
  } else {
    runs.push_back({place.q, place.z, place.n, free_flight, position});
  }
}

void DiagonalBatch::clear() {
  SystemBatch::clear();
  runs_.clear();
  first_.clear();
  time_functions_.clear();
  fed_.clear();
}

bool DiagonalBatch::takes(const SystemCandidate& candidate) const {
  const auto* d = candidate.record.linear_mechanical();
  return d && !candidate.keeps_unknown && d->mass.is_diagonal() && d->damping.is_diagonal() &&
         d->stiffness.is_diagonal();
}

void DiagonalBatch::prepare(const DiscretisedSystem& given) {
  const auto* d = given.record.linear_mechanical();
  const auto unknowns = static_cast<std::size_t>(given.discretisation.layout->num_unknowns);
  for (std::vector<double>* values : {&a_inverse_, &drive_, &rate_z_, &rate_q_}) values->resize(unknowns, 0.0);
  const auto& place = given.place();
  const std::vector<PrescribedVelocity>& velocities = given.record.mechanical->prescribed();
  const Scheme& scheme = given.scheme();
  const double h = given.h(), theta = scheme.theta, position = scheme.position, ahead = scheme.weight_ahead();
  const Eigen::VectorXd M = d->mass.to_dense(place.n, true).diagonal();
  const Eigen::VectorXd C = d->damping.to_dense(place.n).diagonal();
  const Eigen::VectorXd K = d->stiffness.to_dense(place.n).diagonal();
  const bool flight = C.isZero(0.0) && K.isZero(0.0);
  Index worst = 0;  // a diagonal matrix is as positive as its least entry is, of those that nobody prescribes
  Eigen::VectorXd relative = (h * theta * C + h * h * theta * position * K).cwiseQuotient(M);
  for (const PrescribedVelocity& prescribed : velocities) relative[prescribed.component] = 0.0;
  relative.minCoeff(&worst);
  if (relative[worst] < 0.0)
    iteration_matrix::require_positive(place.name, M.segment<1>(worst), C.segment<1>(worst), K.segment<1>(worst),
                                       given.scheme(), h);
  for (Index i = 0; i < place.n; ++i) {
    const auto z = static_cast<std::size_t>(place.z + i);
    const double inverse = 1.0 / (M[i] + h * theta * C[i] + h * h * theta * position * K[i]);
    a_inverse_[z] = inverse;
    drive_[z] = d->force.constant() ? inverse * h * (*d->force.constant())[i] : 0.0;
    rate_z_[z] = -inverse * h * (C[i] + h * ahead * K[i]);
    rate_q_[z] = -inverse * h * K[i];
  }
  for (const PrescribedVelocity& prescribed : velocities)
    a_inverse_[static_cast<std::size_t>(place.z + prescribed.component)] = 0.0;
  if (const Index f = inputs_.add_time_function(d->force, given.system, place.n); f >= 0) time_functions_.push_back(f);
  if (given.record.mechanical->feedback()) fed_.push_back(given.system);
  append(place, flight, position, runs_);
  first_.push_back(place.z);
}

void DiagonalBatch::free_state(const StepView& step, Eigen::VectorXd& z_free) {
  const double* v = step.state.unknowns.data();
  const double* q = step.state.positions.data();
  double* free = z_free.data();
  for (const DiagonalRun& run : runs_) {
    const double *const v_run = v + run.z, *const q_run = q + run.q;
    const double *const drive = drive_.data() + run.z, *const rate_z = rate_z_.data() + run.z;
    const double* const rate_q = rate_q_.data() + run.z;
    double* const free_run = free + run.z;
    const bool free_flight = run.free_flight;
    // By value, as in commit().
    step.discretisation.threads.for_each_range(run.count, kUnknownGrain, [=](Index first, Index last) {
      if (free_flight) {
        for (Index i = first; i < last; ++i) free_run[i] = v_run[i] + drive[i];
      } else {
        for (Index i = first; i < last; ++i)
          free_run[i] = v_run[i] + drive[i] + rate_z[i] * v_run[i] + rate_q[i] * q_run[i];
      }
    });
  }
  if (!time_functions_.empty() || !fed_.empty()) add_inputs(step, free);
}

void DiagonalBatch::add_inputs(const StepView& step, double* free) const {
  for (const Index index : time_functions_) {
    const TimeFunction& f = inputs_.time_function(index);
    const auto& place = step.system(f.system);
    const double theta = step.scheme(f.system).theta;
    for (Index i = 0; i < place.n; ++i) {
      free[place.z + i] += a_inverse_[static_cast<std::size_t>(place.z + i)] * step.h() *
                           (theta * f.after[i] + (1.0 - theta) * f.before[i]);
    }
  }
  for (const Index system : fed_) {
    const Eigen::VectorXd& value = *inputs_.feedback_of(system);
    const auto& place = step.system(system);
    for (Index i = 0; i < place.n; ++i)
      free[place.z + i] += a_inverse_[static_cast<std::size_t>(place.z + i)] * step.h() * value[i];
  }
}

void DiagonalBatch::apply_inverse(Index place, MatrixRef b) {
  const double* inverse = diagonal_inverse(place);
  for (Index j = 0; j < b.cols(); ++j) {
    for (Index i = 0; i < b.rows(); ++i) b(i, j) *= inverse[i];
  }
}

void DiagonalBatch::add_iteration_matrix(const Layout::System& system, Index place, Index offset,
                                         std::vector<Eigen::Triplet<double>>& entries) const {
  const double* inverse = diagonal_inverse(place);
  for (Index i = 0; i < system.n; ++i) {
    const auto row = static_cast<int>(offset + i);
    entries.emplace_back(row, row, inverse[i] > 0.0 ? 1.0 / inverse[i] : 1.0);
  }
}

void DiagonalBatch::commit(const Discretisation& discretisation, Eigen::VectorXd& z, State& state) {
  const double h = discretisation.h;
  double* positions = state.positions.data();
  const double* before = state.unknowns.data();
  const double* after = z.data();
  for (const DiagonalRun& run : runs_) {
    double* const q = positions + run.q;
    const double *const v_before = before + run.z, *const v_after = after + run.z, position = run.position;
    // By value: what a thread may hold a reference to stays in memory.
    discretisation.threads.for_each_range(run.count, kUnknownGrain, [=](Index first, Index last) {
      for (Index i = first; i < last; ++i) q[i] += h * (position * v_after[i] + (1.0 - position) * v_before[i]);
    });
  }
}

}  // namespace nonsmooth
