// SPDX-License-Identifier: Apache-2.0
// Stage 1: per system, the state without reactions and the factor of its iteration matrix.
#include "plan.hpp"

namespace nonsmooth::stages {
namespace {

using Matrix = Eigen::MatrixXd;
constexpr Index kGrain = 2048;  ///< unknowns a chunk: a few microseconds of work

void evaluate(const Plan& plan, const TimeFunction& entry, double t, Eigen::VectorXd& value) {
  const std::string& who = plan.system(entry.system).name;
  value.setZero();
  guarded(who, "the function of time", [&] { (*entry.function)(t, value); });
  require_finite(who, "the function of time", value);
}

/// b := A^-1 b without allocation once `buffer` has grown (Eigen's own solve makes a temporary).
void solve_in_place(const Eigen::PartialPivLU<Matrix>& factor, MatrixRef b, std::vector<double>& buffer) {
  if (buffer.size() < static_cast<std::size_t>(b.size())) buffer.resize(static_cast<std::size_t>(b.size()));
  Eigen::Map<Matrix> x(buffer.data(), b.rows(), b.cols());
  x.noalias() = factor.permutationP() * b;
  factor.matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(x);
  factor.matrixLU().triangularView<Eigen::Upper>().solveInPlace(x);
  b = x;
}

void apply_rates(const DenseSystem& s, const double* z, const double* q, double* out) {
  const Index n = s.drive.size();
  // Plain loops: at circuit sizes (n = 2..6) a dynamic product costs more than its arithmetic.
  for (Index i = 0; i < n; ++i) out[i] = z[i] + s.drive[i];
  for (Index j = 0; j < n; ++j) {
    const double* column = s.transition_z.data() + j * n;
    for (Index i = 0; i < n; ++i) out[i] += column[i] * z[j];
  }
  if (q) {
    for (Index j = 0; j < n; ++j) {
      const double* column = s.transition_q.data() + j * n;
      for (Index i = 0; i < n; ++i) out[i] += column[i] * q[j];
    }
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
  const auto x = state.unknowns.segment(place.z, place.n);
  s.scratch.noalias() = theta * (s.matrix_after * x) + (1.0 - theta) * (s.matrix_before * x) + s.drive;
  if (s.time_function >= 0) {
    const auto& f = plan.time_functions[static_cast<std::size_t>(s.time_function)];
    s.scratch += theta * f.after + (1.0 - theta) * f.before;
  }
  s.scratch *= plan.h;
  solve_in_place(s.factor, s.scratch, plan.buffer);
  plan.z_free.segment(place.z, place.n) = x + s.scratch;
}

}  // namespace

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
        solve_in_place(plan.dense[index].factor, b, plan.buffer);
      } else {
        plan.sparse[index].factor.solve_in_place(b);
      }
      return;
    case SystemKind::Nonlinear:
      solve_in_place(plan.nonlinear[index].factor, b, plan.buffer);
      return;
  }
}

void free_state(const State& state, double t_next, Plan& plan) {
  for (TimeFunction& f : plan.time_functions) {
    if (f.t_after == state.t) {
      f.before.swap(f.after);
    } else {
      evaluate(plan, f, state.t, f.before);
    }
    f.t_after = std::numeric_limits<double>::quiet_NaN();  // should the callable fail, nothing is cached
    evaluate(plan, f, t_next, f.after);
    f.t_after = t_next;
  }

  const double* v = state.unknowns.data();
  const double* q = state.positions.data();
  double* free = plan.z_free.data();
  for (const DiagonalRun& run : plan.runs) {
    plan.threads.for_each_range(run.count, kGrain, [&](Index first, Index last) {
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
  for (const Index index : plan.diagonal_functions) {
    const TimeFunction& f = plan.time_functions[static_cast<std::size_t>(index)];
    const auto& place = plan.system(f.system);
    for (Index i = 0; i < place.n; ++i) {
      free[place.z + i] += plan.a_inverse[static_cast<std::size_t>(place.z + i)] * plan.h *
                           (plan.theta * f.after[i] + (1.0 - plan.theta) * f.before[i]);
    }
  }
  for (DenseSystem& s : plan.dense) {
    const auto& place = plan.system(s.system);
    const double theta = s.first_order ? plan.theta_first_order : plan.theta;
    if (s.matrix) {
      step_time_varying(state, t_next, theta, s, plan);
      continue;
    }
    apply_rates(s, v + place.z, s.first_order ? nullptr : q + place.q, free + place.z);
    if (s.time_function >= 0) {
      const auto& f = plan.time_functions[static_cast<std::size_t>(s.time_function)];
      for (Index j = 0; j < place.n; ++j) {
        const double value = theta * f.after[j] + (1.0 - theta) * f.before[j];
        if (value == 0.0) continue;
        const double* column = s.inverse_h.data() + j * place.n;
        for (Index i = 0; i < place.n; ++i) free[place.z + i] += column[i] * value;
      }
    }
  }
  for (SparseSystem& s : plan.sparse) {
    const auto& place = plan.system(s.system);
    const double theta = s.first_order ? plan.theta_first_order : plan.theta;
    s.scratch = s.drive;
    s.scratch.noalias() += s.rate_z * state.unknowns.segment(place.z, place.n);
    if (!s.first_order) s.scratch.noalias() += s.rate_q * state.positions.segment(place.q, place.n);
    if (s.time_function >= 0) {
      const auto& f = plan.time_functions[static_cast<std::size_t>(s.time_function)];
      s.scratch += theta * f.after + (1.0 - theta) * f.before;
    }
    s.scratch *= plan.h;
    apply_inverse(plan, s.system, s.scratch);
    plan.z_free.segment(place.z, place.n) = state.unknowns.segment(place.z, place.n) + s.scratch;
  }
  // Prescribed velocities last: their change drives what A couples them to.
  for (const Dictated& d : plan.dictated) {
    const auto& place = plan.system(d.system);
    double value = 0.0;
    guarded(place.name, "the prescribed velocity", [&] { value = (*d.velocity)(t_next); });
    if (!std::isfinite(value)) {
      throw CallableFailure{"the prescribed velocity of " + place.name + " returned a number that is not finite"};
    }
    const double change = value - v[d.z];
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
    free[d.z] = value;
  }
}

void linearise_systems(const State& state, double t_next, bool first, Plan& plan) {
  const double h = plan.h, theta = plan.theta;
  for (NonlinearSystem& s : plan.nonlinear) {
    const auto& place = plan.system(s.system);
    const auto v_k = state.unknowns.segment(place.z, place.n);
    const auto q_k = state.positions.segment(place.q, place.nq);
    const auto v = plan.z_iterate.segment(place.z, place.n);
    const auto q = plan.q_iterate.segment(place.q, place.nq);
    s.mass.setZero();
    guarded(place.name, "mass(q)", [&] { s.description->mass(q, s.mass); });
    require_finite(place.name, "mass(q)", s.mass);
    if (!(s.mass.diagonal().minCoeff() > 0.0)) {
      throw CallableFailure{"mass(q) of " + place.name + " returned a diagonal entry that is not positive"};
    }
    const auto force = [&](double t, ConstVectorRef at_q, ConstVectorRef at_v, Eigen::VectorXd& value) {
      value.setZero();
      guarded(place.name, "force(t, q, v)", [&] { s.description->force(t, at_q, at_v, value); });
      require_finite(place.name, "force(t, q, v)", value);
    };
    if (first) force(state.t, q_k, v_k, s.force_before);
    force(t_next, q, v, s.force);

    s.iteration = s.mass;
    if (theta > 0.0) {
      s.jacobian.setZero();
      guarded(place.name, "force_dv", [&] { s.description->force_dv(t_next, q, v, s.jacobian); });
      require_finite(place.name, "force_dv", s.jacobian);
      s.iteration -= h * theta * s.jacobian;
      s.jacobian.setZero();
      guarded(place.name, "force_dq", [&] { s.description->force_dq(t_next, q, v, s.jacobian); });
      require_finite(place.name, "force_dq", s.jacobian);
      s.iteration -= h * h * theta * theta * s.jacobian;
    }
    s.factor.compute(s.iteration);
    // Residual of M (v - v_k) = h (theta F + (1-theta) F_k) + H^T r, without r.
    s.residual.noalias() = s.mass * (v - v_k);
    s.residual -= h * (theta * s.force + (1.0 - theta) * s.force_before);
    s.w = s.residual;
    solve_in_place(s.factor, s.w, plan.buffer);
    require_finite(place.name, "the iteration matrix M - h theta dF/dv - h^2 theta^2 dF/dq (singular?)", s.w);
    plan.z_free.segment(place.z, place.n) = v - s.w;
  }
}

void predict_positions(const State& state, bool first, Plan& plan) {
  const double h = plan.h, theta = plan.theta;
  for (Index i = 0; i < static_cast<Index>(plan.layout->systems.size()); ++i) {
    const auto& place = plan.system(i);
    if (place.first_order) continue;
    const auto v_k = state.unknowns.segment(place.z, place.n);
    const auto v = plan.z_iterate.segment(place.z, place.n);
    auto q = plan.q_iterate.segment(place.q, place.nq);
    q = state.positions.segment(place.q, place.nq);
    if (plan.kind[static_cast<std::size_t>(i)] == SystemKind::Nonlinear) {
      NonlinearSystem& s = plan.nonlinear[static_cast<std::size_t>(plan.place[static_cast<std::size_t>(i)])];
      if (first) {
        s.w = h * v_k;
      } else {
        s.w = h * (theta * v + (1.0 - theta) * v_k);
      }
      guarded(place.name, "retract(q, w)", [&] { s.description->retract(q, s.w); });
    } else if (first) {
      q += h * v_k;
    } else {
      q += h * (theta * v + (1.0 - theta) * v_k);
    }
  }
}

}  // namespace nonsmooth::stages
