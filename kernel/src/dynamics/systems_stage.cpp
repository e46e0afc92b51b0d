// SPDX-License-Identifier: Apache-2.0
// Stage 1: per system, the state without reactions and the factor of its iteration matrix.
#include "model/guarded.hpp"
#include "system_caches.hpp"

namespace nonsmooth::stages {
namespace {

using Matrix = Eigen::MatrixXd;
constexpr Index kUnknownGrain = 2048;  ///< unknowns a chunk: a few microseconds of work

/// z_free += A^-1 J of an impulse in (t_k, t_{k+1}].
void apply_impulsive_loads(const StepView& step, SystemCaches& systems, Eigen::VectorXd& z_free) {
  for (const ImpulsiveLoad& load : systems.inputs.impulsive_loads) {
    if (!(load.instant > step.state.t && load.instant <= step.t_next)) continue;
    const auto& place = step.system(load.system);
    if (systems.kind_of(load.system) == SystemKind::Nonlinear) continue;  // in its residual
    Eigen::VectorXd change = *load.impulse;
    apply_inverse(systems, load.system, change);
    z_free.segment(place.z, place.n) += change;
  }
}

void catch_up(const StepView& step, SystemCaches& systems, Eigen::VectorXd& z_free) {
  for (SweepingSystem& s : systems.sweeping) {
    const auto& place = step.system(s.system);
    auto x = z_free.segment(place.z, place.n);
    x = step.state.unknowns.segment(place.z, place.n);
    if (s.description->f) {
      s.f.setZero();
      guarded(place.name, "f(t, x)", [&] { s.description->f(step.state.t, x, s.f); });
      require_finite(place.name, "f(t, x)", s.f);
      x += step.h() * s.f;
    }
    guarded(place.name, "project(t, x)", [&] { s.description->project(step.t_next, x); });
    require_finite(place.name, "project(t, x)", x);
  }
}

/// z_free of the systems with a diagonal A, but for functions of time and feedbacks.
void step_diagonal(const StepView& step, const SystemCaches& systems, Eigen::VectorXd& z_free) {
  const double* v = step.state.unknowns.data();
  const double* q = step.state.positions.data();
  double* free = z_free.data();
  for (const DiagonalRun& run : systems.runs) {
    step.discretisation.threads.for_each_range(run.count, kUnknownGrain, [&](Index first, Index last) {
      const double* const v_run = v + run.z;
      const double* const drive = systems.drive.data() + run.z;
      double* const free_run = free + run.z;
      if (run.free_flight) {
        for (Index i = first; i < last; ++i) free_run[i] = v_run[i] + drive[i];
      } else {
        const double* const q_run = q + run.q;
        const double* const rate_z = systems.rate_z.data() + run.z;
        const double* const rate_q = systems.rate_q.data() + run.z;
        for (Index i = first; i < last; ++i)
          free_run[i] = v_run[i] + drive[i] + rate_z[i] * v_run[i] + rate_q[i] * q_run[i];
      }
    });
  }
}

void add_diagonal_functions(const StepView& step, const SystemCaches& systems, Eigen::VectorXd& z_free) {
  double* free = z_free.data();
  for (const Index index : systems.diagonal_functions) {
    const TimeFunction& f = systems.inputs.time_function(index);
    const auto& place = step.system(f.system);
    const double theta = step.scheme(f.system).theta;
    for (Index i = 0; i < place.n; ++i) {
      free[place.z + i] += systems.a_inverse[static_cast<std::size_t>(place.z + i)] * step.h() *
                           (theta * f.after[i] + (1.0 - theta) * f.before[i]);
    }
  }
}

void add_diagonal_feedbacks(const StepView& step, const SystemCaches& systems, Eigen::VectorXd& z_free) {
  double* free = z_free.data();
  for (const FeedbackValue& feedback : systems.inputs.feedbacks) {
    if (systems.kind_of(feedback.system) != SystemKind::Diagonal) continue;
    const auto& place = step.system(feedback.system);
    for (Index i = 0; i < place.n; ++i)
      free[place.z + i] += systems.a_inverse[static_cast<std::size_t>(place.z + i)] * step.h() * feedback.value[i];
  }
}

void step_sparse(const StepView& step, SparseSystem& s, SystemCaches& systems, Eigen::VectorXd& z_free) {
  const auto& place = step.system(s.system);
  const Scheme& scheme = step.scheme(s.system);
  const double theta = scheme.theta;
  const auto v_k = step.state.unknowns.segment(place.z, place.n);
  auto z = z_free.segment(place.z, place.n);
  z = scheme.two_steps && step.state.has_differences() ? step.state.differences.segment(place.z, place.n) : v_k;
  s.scratch = s.drive;
  if (s.rate_z.size() == 0) {  // undamped: one product with K serves z and q
    if (systems.inputs.buffer.size() < static_cast<std::size_t>(place.n))
      systems.inputs.buffer.resize(static_cast<std::size_t>(place.n));
    Eigen::Map<Eigen::VectorXd> q_theta(systems.inputs.buffer.data(), place.n);
    q_theta = step.state.positions.segment(place.q, place.n) + step.h() * theta * z;
    s.scratch.noalias() += s.rate_q * q_theta;
  } else {
    s.scratch.noalias() += s.rate_z * z;
    if (scheme.two_steps) s.scratch.noalias() += s.rate_v * v_k;
    if (!s.first_order) s.scratch.noalias() += s.rate_q * step.state.positions.segment(place.q, place.n);
  }
  if (s.time_function >= 0) {
    const auto& f = systems.inputs.time_function(s.time_function);
    s.scratch += theta * f.after + (1.0 - theta) * f.before;
  }
  if (const auto* value = systems.inputs.feedback_of(s.system)) s.scratch += *value;
  s.scratch *= step.h();
  apply_inverse(systems, s.system, s.scratch);
  z += s.scratch;
}

/// Sets a prescribed velocity of z_free, and adds what A makes of its change to the rest of the system.
void prescribe(const StepView& step, const PrescribedComponent& d, SystemCaches& systems, Eigen::VectorXd& z_free) {
  const auto& place = step.system(d.system);
  const double value = prescribed_velocity(step, d);
  const double change = value - step.state.unknowns[d.z];
  if (SystemBatch* batch = systems.batch_of(d.system)) {
    batch->follow(step, static_cast<Index>(systems.place_of(d.system)), d, change, z_free);
  } else if (systems.kind_of(d.system) == SystemKind::Sparse) {
    SparseSystem& s = systems.sparse[systems.place_of(d.system)];
    s.scratch = -change * s.iteration.col(d.component);
    apply_inverse(systems, d.system, s.scratch);
    z_free.segment(place.z, place.n) += s.scratch;
  }
  z_free[d.z] = value;
}

}  // namespace

void apply_input(const Discretisation& discretisation, SystemCaches& systems, Index system, MatrixRef b) {
  if (SystemBatch* batch = systems.batch_of(system))
    return batch->apply_input(discretisation, static_cast<Index>(systems.place_of(system)), b);
  apply_inverse(systems, system, b);
  if (discretisation.system(system).first_order)
    b *= discretisation.h * discretisation.scheme(system).multiplier_weight;
}

void apply_inverse(SystemCaches& systems, Index system, MatrixRef b) {
  const auto index = systems.place_of(system);
  switch (systems.kind_of(system)) {
    case SystemKind::Diagonal: {
      const double* inverse = systems.a_inverse.data() + index;
      for (Index j = 0; j < b.cols(); ++j) {
        for (Index i = 0; i < b.rows(); ++i) b(i, j) *= inverse[i];
      }
      return;
    }
    case SystemKind::Batched:
      systems.batch_of(system)->apply_inverse(static_cast<Index>(index), b);
      return;
    case SystemKind::Sparse:
      systems.inputs.cut(system, b);
      systems.sparse[index].factor.solve_in_place(b);
      return;
    case SystemKind::Nonlinear:
      if (systems.nonlinear[index].has_prescribed) systems.inputs.cut(system, b);
      systems.nonlinear[index].factor.solve_in_place(b, systems.inputs.buffer);
      return;
    case SystemKind::NonlinearFirstOrder:
      systems.nonlinear_first_order[index].factor.solve_in_place(b, systems.inputs.buffer);
      return;
    case SystemKind::Sweeping:
      b.setZero();
      return;
  }
}

void free_state(const StepView& step, SystemCaches& systems, Eigen::VectorXd& z_free) {
  systems.inputs.sample(step);
  step_diagonal(step, systems, z_free);
  add_diagonal_functions(step, systems, z_free);
  for (SystemBatch* batch : systems.batches) batch->free_state(step, z_free);
  for (SparseSystem& s : systems.sparse) step_sparse(step, s, systems, z_free);
  add_diagonal_feedbacks(step, systems, z_free);
  if (!systems.inputs.impulsive_loads.empty()) apply_impulsive_loads(step, systems, z_free);
  catch_up(step, systems, z_free);
  // Prescribed velocities last: their change drives what A couples them to.
  for (const PrescribedComponent& d : systems.inputs.prescribed) prescribe(step, d, systems, z_free);
}

}  // namespace nonsmooth::stages
