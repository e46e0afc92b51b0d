// SPDX-License-Identifier: Apache-2.0
// Stage 1: per system, the state without reactions and the factor of its iteration matrix.
#include "stepping/plan.hpp"

namespace nonsmooth::stages {
namespace {

using Matrix = Eigen::MatrixXd;
constexpr Index kUnknownGrain = 2048;  ///< unknowns a chunk: a few microseconds of work

void evaluate(const Plan& plan, const TimeFunction& entry, double t, Eigen::VectorXd& value) {
  const std::string& who = plan.system(entry.system).name;
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

void step_time_varying(const State& state, double t_next, double theta, DenseSystem& s, Plan& plan) {
  const auto& place = plan.system(s.system);
  const auto evaluate_matrix = [&](double t, Matrix& value) {
    value.setZero();
    guarded(place.name, "A(t)", [&] { (*s.matrix)(t, value); });
    require_finite(place.name, "A(t)", value);
  };
  if (s.t_matrix_after == state.t) {
    s.matrix_before.swap(s.matrix_after);
  } else {
    evaluate_matrix(state.t, s.matrix_before);
  }
  s.t_matrix_after = std::numeric_limits<double>::quiet_NaN();  // should the callable fail, nothing is cached
  evaluate_matrix(t_next, s.matrix_after);
  s.t_matrix_after = t_next;
  s.factor.compute(s.mass - plan.h * theta * s.matrix_after);
  const auto pivots = s.factor.matrix().diagonal().array();
  if ((pivots == 0.0).any() || !pivots.isFinite().all())
    throw CallableFailure{"the iteration matrix M - h theta A(t) of " + place.name + " is singular"};
  const auto x = state.unknowns.segment(place.z, place.n);
  s.scratch = s.drive;
  s.scratch.noalias() += theta * s.matrix_after * x;
  s.scratch.noalias() += (1.0 - theta) * s.matrix_before * x;
  if (s.time_function >= 0) {
    const auto& f = plan.time_functions[static_cast<std::size_t>(s.time_function)];
    s.scratch += theta * f.after + (1.0 - theta) * f.before;
  }
  if (const auto* value = feedback_of(plan, s.system)) s.scratch += *value;
  s.scratch *= plan.h;
  s.factor.solve_in_place(s.scratch, plan.buffer);
  plan.z_free.segment(place.z, place.n) = x + s.scratch;
}

/// z_free += A^-1 J of an impulse in (t_k, t_{k+1}].
void apply_kicks(double t, double t_next, Plan& plan) {
  for (const Kick& kick : plan.kicks) {
    if (!(kick.instant > t && kick.instant <= t_next)) continue;
    const auto& place = plan.system(kick.system);
    if (plan.kind[static_cast<std::size_t>(kick.system)] == SystemKind::Nonlinear) continue;  // in its residual
    Eigen::VectorXd change = *kick.impulse;
    apply_inverse(plan, kick.system, change);
    plan.z_free.segment(place.z, place.n) += change;
  }
}

void catch_up(const State& state, double t_next, Plan& plan) {
  for (SweepingSystem& s : plan.sweeping) {
    const auto& place = plan.system(s.system);
    auto x = plan.z_free.segment(place.z, place.n);
    x = state.unknowns.segment(place.z, place.n);
    if (s.description->f) {
      s.f.setZero();
      guarded(place.name, "f(t, x)", [&] { s.description->f(state.t, x, s.f); });
      require_finite(place.name, "f(t, x)", s.f);
      x += plan.h * s.f;
    }
    guarded(place.name, "project(t, x)", [&] { s.description->project(t_next, x); });
    require_finite(place.name, "project(t, x)", x);
  }
}

void sample_feedbacks(const State& state, Plan& plan) {
  for (FeedbackValue& feedback : plan.feedbacks) {
    const std::string& who = plan.system(feedback.system).name;
    feedback.value.setZero();
    guarded(who, "the feedback", [&] { (*feedback.function)(state, feedback.value); });
    require_finite(who, "the feedback", feedback.value);
  }
}

/// Each function of time at both ends of the step.
void sample_time_functions(double t, double t_next, Plan& plan) {
  for (TimeFunction& f : plan.time_functions) {
    if (f.t_after == t) {
      f.before.swap(f.after);
    } else {
      evaluate(plan, f, t, f.before);
    }
    f.t_after = std::numeric_limits<double>::quiet_NaN();  // should the callable fail, nothing is cached
    evaluate(plan, f, t_next, f.after);
    f.t_after = t_next;
  }
}

/// z_free of the systems with a diagonal A, but for functions of time and feedbacks.
void step_diagonal(const State& state, Plan& plan) {
  const double* v = state.unknowns.data();
  const double* q = state.positions.data();
  double* free = plan.z_free.data();
  for (const DiagonalRun& run : plan.runs) {
    plan.threads.for_each_range(run.count, kUnknownGrain, [&](Index first, Index last) {
      const double* const v_run = v + run.z;
      const double* const drive = plan.drive.data() + run.z;
      double* const free_run = free + run.z;
      if (run.free_flight) {
        for (Index i = first; i < last; ++i) free_run[i] = v_run[i] + drive[i];
      } else {
        const double* const q_run = q + run.q;
        const double* const rate_z = plan.rate_z.data() + run.z;
        const double* const rate_q = plan.rate_q.data() + run.z;
        for (Index i = first; i < last; ++i)
          free_run[i] = v_run[i] + drive[i] + rate_z[i] * v_run[i] + rate_q[i] * q_run[i];
      }
    });
  }
}

void add_diagonal_functions(Plan& plan) {
  double* free = plan.z_free.data();
  for (const Index index : plan.diagonal_functions) {
    const TimeFunction& f = plan.time_functions[static_cast<std::size_t>(index)];
    const auto& place = plan.system(f.system);
    const double theta = plan.schemes[static_cast<std::size_t>(f.system)].theta;
    for (Index i = 0; i < place.n; ++i) {
      free[place.z + i] += plan.a_inverse[static_cast<std::size_t>(place.z + i)] * plan.h *
                           (theta * f.after[i] + (1.0 - theta) * f.before[i]);
    }
  }
}

void add_diagonal_feedbacks(Plan& plan) {
  double* free = plan.z_free.data();
  for (const FeedbackValue& feedback : plan.feedbacks) {
    if (plan.kind[static_cast<std::size_t>(feedback.system)] != SystemKind::Diagonal) continue;
    const auto& place = plan.system(feedback.system);
    for (Index i = 0; i < place.n; ++i)
      free[place.z + i] += plan.a_inverse[static_cast<std::size_t>(place.z + i)] * plan.h * feedback.value[i];
  }
}

/// z_free of a system whose transition over h is known.
void step_dense(const State& state, DenseSystem& s, Plan& plan) {
  const double* v = state.unknowns.data();
  const auto& place = plan.system(s.system);
  const Scheme& scheme = plan.schemes[static_cast<std::size_t>(s.system)];
  const double theta = scheme.theta;
  const double* z = v + place.z;
  double* const out = plan.z_free.data() + place.z;
  if (scheme.two_steps) {
    s.base = state.has_differences() ? state.differences.segment(place.z, place.n)
                                     : state.unknowns.segment(place.z, place.n);
    z = s.base.data();
  }
  for (Index i = 0; i < place.n; ++i) out[i] = z[i] + s.drive[i];
  add_product(s.transition_z, z, out);
  if (!s.first_order) add_product(s.transition_q, state.positions.data() + place.q, out);
  if (scheme.two_steps) add_product(s.transition_v, v + place.z, out);
  if (const auto* value = feedback_of(plan, s.system)) add_product(s.inverse_h, value->data(), out);
  if (s.time_function >= 0) {
    const auto& f = plan.time_functions[static_cast<std::size_t>(s.time_function)];
    for (Index j = 0; j < place.n; ++j) {
      const double value = theta * f.after[j] + (1.0 - theta) * f.before[j];
      if (value == 0.0) continue;
      const double* column = s.inverse_h.data() + j * place.n;
      for (Index i = 0; i < place.n; ++i) out[i] += column[i] * value;
    }
  }
}

void step_sparse(const State& state, SparseSystem& s, Plan& plan) {
  const auto& place = plan.system(s.system);
  const Scheme& scheme = plan.schemes[static_cast<std::size_t>(s.system)];
  const double theta = scheme.theta;
  const auto v_k = state.unknowns.segment(place.z, place.n);
  auto z = plan.z_free.segment(place.z, place.n);
  z = scheme.two_steps && state.has_differences() ? state.differences.segment(place.z, place.n) : v_k;
  s.scratch = s.drive;
  if (s.rate_z.size() == 0) {  // undamped: one product with K serves z and q
    if (plan.buffer.size() < static_cast<std::size_t>(place.n)) plan.buffer.resize(static_cast<std::size_t>(place.n));
    Eigen::Map<Eigen::VectorXd> q_theta(plan.buffer.data(), place.n);
    q_theta = state.positions.segment(place.q, place.n) + plan.h * theta * z;
    s.scratch.noalias() += s.rate_q * q_theta;
  } else {
    s.scratch.noalias() += s.rate_z * z;
    if (scheme.two_steps) s.scratch.noalias() += s.rate_v * v_k;
    if (!s.first_order) s.scratch.noalias() += s.rate_q * state.positions.segment(place.q, place.n);
  }
  if (s.time_function >= 0) {
    const auto& f = plan.time_functions[static_cast<std::size_t>(s.time_function)];
    s.scratch += theta * f.after + (1.0 - theta) * f.before;
  }
  if (const auto* value = feedback_of(plan, s.system)) s.scratch += *value;
  s.scratch *= plan.h;
  apply_inverse(plan, s.system, s.scratch);
  z += s.scratch;
}

/// Sets a prescribed velocity of z_free, and adds what A makes of its change to the rest of the system.
void prescribe(const State& state, double t_next, const Dictated& d, Plan& plan) {
  const auto& place = plan.system(d.system);
  double value = 0.0;
  guarded(place.name, "the prescribed velocity", [&] { value = (*d.velocity)(t_next); });
  if (!std::isfinite(value)) {
    throw CallableFailure{"the prescribed velocity of " + place.name + " returned a number that is not finite"};
  }
  const double change = value - state.unknowns[d.z];
  const auto index = static_cast<std::size_t>(plan.place[static_cast<std::size_t>(d.system)]);
  if (plan.kind[static_cast<std::size_t>(d.system)] == SystemKind::Dense) {
    DenseSystem& s = plan.dense[index];
    s.scratch = -change * s.matrix_before.col(d.component);
    apply_inverse(plan, d.system, s.scratch);
    plan.z_free.segment(place.z, place.n) += s.scratch;
  } else if (plan.kind[static_cast<std::size_t>(d.system)] == SystemKind::Sparse) {
    SparseSystem& s = plan.sparse[index];
    s.scratch = -change * s.iteration.col(d.component);
    apply_inverse(plan, d.system, s.scratch);
    plan.z_free.segment(place.z, place.n) += s.scratch;
  }
  plan.z_free[d.z] = value;
}

}  // namespace

const Eigen::VectorXd* feedback_of(const Plan& plan, Index system) {
  if (plan.feedbacks.empty()) return nullptr;
  const Index index = plan.feedback_of_system[static_cast<std::size_t>(system)];
  return index < 0 ? nullptr : &plan.feedbacks[static_cast<std::size_t>(index)].value;
}

void apply_input(Plan& plan, Index system, MatrixRef b) {
  const Scheme& scheme = plan.schemes[static_cast<std::size_t>(system)];
  if (scheme.hold) {
    const DenseSystem& s = plan.dense[static_cast<std::size_t>(plan.place[static_cast<std::size_t>(system)])];
    if (plan.buffer.size() < static_cast<std::size_t>(b.size())) plan.buffer.resize(static_cast<std::size_t>(b.size()));
    Eigen::Map<Matrix> product(plan.buffer.data(), b.rows(), b.cols());
    product.noalias() = s.inverse_h * b;
    b = product;
    return;
  }
  apply_inverse(plan, system, b);
  if (plan.system(system).first_order) b *= plan.h * scheme.multiplier_weight;
}

void apply_inverse(Plan& plan, Index system, MatrixRef b) {
  const auto index = static_cast<std::size_t>(plan.place[static_cast<std::size_t>(system)]);
  switch (plan.kind[static_cast<std::size_t>(system)]) {
    case SystemKind::Diagonal: {
      const double* inverse = plan.a_inverse.data() + plan.system(system).z;
      for (Index j = 0; j < b.cols(); ++j) {
        for (Index i = 0; i < b.rows(); ++i) b(i, j) *= inverse[i];
      }
      return;
    }
    case SystemKind::Dense:
    case SystemKind::Sparse:
      for (const Dictated& d : plan.dictated) {
        if (d.system == system) b.row(d.component).setZero();
      }
      if (plan.kind[static_cast<std::size_t>(system)] == SystemKind::Dense) {
        plan.dense[index].factor.solve_in_place(b, plan.buffer);
      } else {
        plan.sparse[index].factor.solve_in_place(b);
      }
      return;
    case SystemKind::Nonlinear:
      if (plan.nonlinear[index].dictated) {
        for (const Dictated& d : plan.dictated) {
          if (d.system == system) b.row(d.component).setZero();
        }
      }
      plan.nonlinear[index].factor.solve_in_place(b, plan.buffer);
      return;
    case SystemKind::NonlinearFirstOrder:
      plan.nonlinear_first_order[index].factor.solve_in_place(b, plan.buffer);
      return;
    case SystemKind::Sweeping:
      b.setZero();
      return;
  }
}

void free_state(const State& state, double t_next, Plan& plan) {
  sample_feedbacks(state, plan);
  sample_time_functions(state.t, t_next, plan);
  step_diagonal(state, plan);
  add_diagonal_functions(plan);
  for (DenseSystem& s : plan.dense) {
    if (s.matrix) {
      step_time_varying(state, t_next, plan.schemes[static_cast<std::size_t>(s.system)].theta, s, plan);
    } else {
      step_dense(state, s, plan);
    }
  }
  for (SparseSystem& s : plan.sparse) step_sparse(state, s, plan);
  add_diagonal_feedbacks(plan);
  if (!plan.kicks.empty()) apply_kicks(state.t, t_next, plan);
  catch_up(state, t_next, plan);
  // Prescribed velocities last: their change drives what A couples them to.
  for (const Dictated& d : plan.dictated) prescribe(state, t_next, d, plan);
}

}  // namespace nonsmooth::stages
