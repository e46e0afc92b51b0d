// SPDX-License-Identifier: Apache-2.0
// Stage 1: per system, the state without reactions and the factor of its iteration matrix.
#include "model/guarded.hpp"
#include "system_caches.hpp"

namespace nonsmooth::stages {
namespace {

using Matrix = Eigen::MatrixXd;
constexpr Index kUnknownGrain = 2048;  ///< unknowns a chunk: a few microseconds of work

void evaluate(const StepView& step, const TimeFunction& entry, double t, Eigen::VectorXd& value) {
  const std::string& who = step.system(entry.system).name;
  value.setZero();
  guarded(who, "the function of time", [&] { (*entry.function)(t, value); });
  require_finite(who, "the function of time", value);
}

/// out += M v for a square matrix. Plain loops: at circuit sizes (n = 2..6) a dynamic product costs more than its
/// arithmetic.
void add_product(const Matrix& M, const double* v, double* out) {
  const Index n = M.rows();
  for (Index j = 0; j < M.cols(); ++j) {
    const double* column = M.data() + j * n;
    for (Index i = 0; i < n; ++i) out[i] += column[i] * v[j];
  }
}

void step_time_varying(const StepView& step, DenseSystem& s, SystemCaches& systems, Eigen::VectorXd& z_free) {
  const auto& place = step.system(s.system);
  const double theta = step.scheme(s.system).theta;
  const auto evaluate_matrix = [&](double t, Matrix& value) {
    value.setZero();
    guarded(place.name, "A(t)", [&] { (*s.matrix)(t, value); });
    require_finite(place.name, "A(t)", value);
  };
  if (s.t_matrix_after == step.state.t) {
    s.matrix_before.swap(s.matrix_after);
  } else {
    evaluate_matrix(step.state.t, s.matrix_before);
  }
  s.t_matrix_after = std::numeric_limits<double>::quiet_NaN();  // should the callable fail, nothing is cached
  evaluate_matrix(step.t_next, s.matrix_after);
  s.t_matrix_after = step.t_next;
  s.factor.compute(s.mass - step.h() * theta * s.matrix_after);
  const auto pivots = s.factor.matrix().diagonal().array();
  if ((pivots == 0.0).any() || !pivots.isFinite().all())
    throw CallableFailure{"the iteration matrix M - h theta A(t) of " + place.name + " is singular"};
  const auto x = step.state.unknowns.segment(place.z, place.n);
  s.scratch = s.drive;
  s.scratch.noalias() += theta * s.matrix_after * x;
  s.scratch.noalias() += (1.0 - theta) * s.matrix_before * x;
  if (s.time_function >= 0) {
    const auto& f = systems.time_functions[static_cast<std::size_t>(s.time_function)];
    s.scratch += theta * f.after + (1.0 - theta) * f.before;
  }
  if (const auto* value = feedback_of(systems, s.system)) s.scratch += *value;
  s.scratch *= step.h();
  s.factor.solve_in_place(s.scratch, systems.buffer);
  z_free.segment(place.z, place.n) = x + s.scratch;
}

/// z_free += A^-1 J of an impulse in (t_k, t_{k+1}].
void apply_impulsive_loads(const StepView& step, SystemCaches& systems, Eigen::VectorXd& z_free) {
  for (const ImpulsiveLoad& load : systems.impulsive_loads) {
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

void sample_feedbacks(const StepView& step, SystemCaches& systems) {
  for (FeedbackValue& feedback : systems.feedbacks) {
    const std::string& who = step.system(feedback.system).name;
    feedback.value.setZero();
    guarded(who, "the feedback", [&] { (*feedback.function)(step.state, feedback.value); });
    require_finite(who, "the feedback", feedback.value);
  }
}

/// Each function of time at both ends of the step.
void sample_time_functions(const StepView& step, SystemCaches& systems) {
  for (TimeFunction& f : systems.time_functions) {
    if (f.t_after == step.state.t) {
      f.before.swap(f.after);
    } else {
      evaluate(step, f, step.state.t, f.before);
    }
    f.t_after = std::numeric_limits<double>::quiet_NaN();  // should the callable fail, nothing is cached
    evaluate(step, f, step.t_next, f.after);
    f.t_after = step.t_next;
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
    const TimeFunction& f = systems.time_functions[static_cast<std::size_t>(index)];
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
  for (const FeedbackValue& feedback : systems.feedbacks) {
    if (systems.kind_of(feedback.system) != SystemKind::Diagonal) continue;
    const auto& place = step.system(feedback.system);
    for (Index i = 0; i < place.n; ++i)
      free[place.z + i] += systems.a_inverse[static_cast<std::size_t>(place.z + i)] * step.h() * feedback.value[i];
  }
}

/// z_free of a system whose transition over h is known.
void step_dense(const StepView& step, const SystemCaches& systems, DenseSystem& s, Eigen::VectorXd& z_free) {
  const double* v = step.state.unknowns.data();
  const auto& place = step.system(s.system);
  const Scheme& scheme = step.scheme(s.system);
  const double theta = scheme.theta;
  const double* z = v + place.z;
  double* const out = z_free.data() + place.z;
  if (scheme.two_steps) {
    s.base = step.state.has_differences() ? step.state.differences.segment(place.z, place.n)
                                          : step.state.unknowns.segment(place.z, place.n);
    z = s.base.data();
  }
  for (Index i = 0; i < place.n; ++i) out[i] = z[i] + s.drive[i];
  add_product(s.transition_z, z, out);
  if (!s.first_order) add_product(s.transition_q, step.state.positions.data() + place.q, out);
  if (scheme.two_steps) add_product(s.transition_v, v + place.z, out);
  if (const auto* value = feedback_of(systems, s.system)) add_product(s.inverse_h, value->data(), out);
  if (s.time_function >= 0) {
    const auto& f = systems.time_functions[static_cast<std::size_t>(s.time_function)];
    for (Index j = 0; j < place.n; ++j) {
      const double value = theta * f.after[j] + (1.0 - theta) * f.before[j];
      if (value == 0.0) continue;
      const double* column = s.inverse_h.data() + j * place.n;
      for (Index i = 0; i < place.n; ++i) out[i] += column[i] * value;
    }
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
    if (systems.buffer.size() < static_cast<std::size_t>(place.n))
      systems.buffer.resize(static_cast<std::size_t>(place.n));
    Eigen::Map<Eigen::VectorXd> q_theta(systems.buffer.data(), place.n);
    q_theta = step.state.positions.segment(place.q, place.n) + step.h() * theta * z;
    s.scratch.noalias() += s.rate_q * q_theta;
  } else {
    s.scratch.noalias() += s.rate_z * z;
    if (scheme.two_steps) s.scratch.noalias() += s.rate_v * v_k;
    if (!s.first_order) s.scratch.noalias() += s.rate_q * step.state.positions.segment(place.q, place.n);
  }
  if (s.time_function >= 0) {
    const auto& f = systems.time_functions[static_cast<std::size_t>(s.time_function)];
    s.scratch += theta * f.after + (1.0 - theta) * f.before;
  }
  if (const auto* value = feedback_of(systems, s.system)) s.scratch += *value;
  s.scratch *= step.h();
  apply_inverse(systems, s.system, s.scratch);
  z += s.scratch;
}

/// Sets a prescribed velocity of z_free, and adds what A makes of its change to the rest of the system.
void prescribe(const StepView& step, const PrescribedComponent& d, SystemCaches& systems, Eigen::VectorXd& z_free) {
  const auto& place = step.system(d.system);
  double value = 0.0;
  guarded(place.name, "the prescribed velocity", [&] { value = (*d.velocity)(step.t_next); });
  if (!std::isfinite(value)) {
    throw CallableFailure{"the prescribed velocity of " + place.name + " returned a number that is not finite"};
  }
  const double change = value - step.state.unknowns[d.z];
  const auto index = systems.place_of(d.system);
  if (systems.kind_of(d.system) == SystemKind::Dense) {
    DenseSystem& s = systems.dense[index];
    s.scratch = -change * s.matrix_before.col(d.component);
    apply_inverse(systems, d.system, s.scratch);
    z_free.segment(place.z, place.n) += s.scratch;
  } else if (systems.kind_of(d.system) == SystemKind::Sparse) {
    SparseSystem& s = systems.sparse[index];
    s.scratch = -change * s.iteration.col(d.component);
    apply_inverse(systems, d.system, s.scratch);
    z_free.segment(place.z, place.n) += s.scratch;
  }
  z_free[d.z] = value;
}

}  // namespace

const Eigen::VectorXd* feedback_of(const SystemCaches& systems, Index system) {
  if (systems.feedbacks.empty()) return nullptr;
  const Index index = systems.feedback_of_system[static_cast<std::size_t>(system)];
  return index < 0 ? nullptr : &systems.feedbacks[static_cast<std::size_t>(index)].value;
}

void apply_input(const Discretisation& discretisation, SystemCaches& systems, Index system, MatrixRef b) {
  const Scheme& scheme = discretisation.scheme(system);
  if (scheme.hold) {
    const DenseSystem& s = systems.dense[systems.place_of(system)];
    if (systems.buffer.size() < static_cast<std::size_t>(b.size()))
      systems.buffer.resize(static_cast<std::size_t>(b.size()));
    Eigen::Map<Matrix> product(systems.buffer.data(), b.rows(), b.cols());
    product.noalias() = s.inverse_h * b;
    b = product;
    return;
  }
  apply_inverse(systems, system, b);
  if (discretisation.system(system).first_order) b *= discretisation.h * scheme.multiplier_weight;
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
    case SystemKind::Dense:
    case SystemKind::Sparse:
      for (const PrescribedComponent& d : systems.prescribed) {
        if (d.system == system) b.row(d.component).setZero();
      }
      if (systems.kind_of(system) == SystemKind::Dense) {
        systems.dense[index].factor.solve_in_place(b, systems.buffer);
      } else {
        systems.sparse[index].factor.solve_in_place(b);
      }
      return;
    case SystemKind::Nonlinear:
      if (systems.nonlinear[index].has_prescribed) {
        for (const PrescribedComponent& d : systems.prescribed) {
          if (d.system == system) b.row(d.component).setZero();
        }
      }
      systems.nonlinear[index].factor.solve_in_place(b, systems.buffer);
      return;
    case SystemKind::NonlinearFirstOrder:
      systems.nonlinear_first_order[index].factor.solve_in_place(b, systems.buffer);
      return;
    case SystemKind::Sweeping:
      b.setZero();
      return;
  }
}

void free_state(const StepView& step, SystemCaches& systems, Eigen::VectorXd& z_free) {
  sample_feedbacks(step, systems);
  sample_time_functions(step, systems);
  step_diagonal(step, systems, z_free);
  add_diagonal_functions(step, systems, z_free);
  for (DenseSystem& s : systems.dense) {
    if (s.matrix) {
      step_time_varying(step, s, systems, z_free);
    } else {
      step_dense(step, systems, s, z_free);
    }
  }
  for (SparseSystem& s : systems.sparse) step_sparse(step, s, systems, z_free);
  add_diagonal_feedbacks(step, systems, z_free);
  if (!systems.impulsive_loads.empty()) apply_impulsive_loads(step, systems, z_free);
  catch_up(step, systems, z_free);
  // Prescribed velocities last: their change drives what A couples them to.
  for (const PrescribedComponent& d : systems.prescribed) prescribe(step, d, systems, z_free);
}

}  // namespace nonsmooth::stages
