// SPDX-License-Identifier: Apache-2.0
// Stage 1: per system, the state without reactions and the factor of its iteration matrix.
#include "plan.hpp"

#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth::stages {
namespace {

using Matrix = Eigen::MatrixXd;
using SparseMatrix = Eigen::SparseMatrix<double>;
constexpr Index kGrain = 2048;  ///< unknowns a chunk: a few microseconds of work

Matrix dense_or_zero(const MatrixData& data, Index n) { return data.to_dense(n); }

SparseMatrix to_sparse(const MatrixData& data, Index n, bool identity_if_empty) {
  if (const auto* s = data.sparse()) return *s;
  SparseMatrix result(n, n);
  if (const auto* d = data.diagonal()) {
    for (Index i = 0; i < n; ++i) result.insert(i, i) = (*d)[i];
  } else if (const auto* dense = data.dense()) {
    result = dense->sparseView();
  } else if (identity_if_empty) {
    result.setIdentity();
  }
  result.makeCompressed();
  return result;
}

Index add_time_function(Plan& plan, const VectorData& data, Index system, Index n) {
  if (!data.function()) return -1;
  TimeFunction entry;
  entry.function = data.function();
  entry.system = system;
  entry.before = entry.after = Eigen::VectorXd::Zero(n);
  plan.time_functions.push_back(std::move(entry));
  return static_cast<Index>(plan.time_functions.size()) - 1;
}

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

/// Rows and columns of prescribed components become the identity's.
void cut_out(Matrix& A, Index component) {
  A.row(component).setZero();
  A.col(component).setZero();
  A(component, component) = 1.0;
}

[[noreturn]] void refuse_singular(const std::string& name) {
  throw InvalidArgument("iteration matrix of " + name, "a singular matrix",
                        "a regular M (+ h theta C + h^2 theta^2 K)");
}

void prepare_diagonal(const LagrangianLinearSystem& d, Index index, Plan& plan) {
  const auto& place = plan.system(index);
  const double h = plan.h, theta = plan.theta;
  const Eigen::VectorXd M = d.mass.to_dense(place.n, true).diagonal();
  const Eigen::VectorXd C = d.damping.to_dense(place.n).diagonal();
  const Eigen::VectorXd K = d.stiffness.to_dense(place.n).diagonal();
  const bool flight = C.isZero(0.0) && K.isZero(0.0);
  for (Index i = 0; i < place.n; ++i) {
    const auto z = static_cast<std::size_t>(place.z + i);
    const double inverse = 1.0 / (M[i] + h * theta * C[i] + h * h * theta * theta * K[i]);
    plan.a_inverse[z] = inverse;
    plan.drive[z] = d.force.constant() ? inverse * h * (*d.force.constant())[i] : 0.0;
    plan.rate_z[z] = -inverse * h * (C[i] + h * theta * K[i]);
    plan.rate_q[z] = -inverse * h * K[i];
  }
  if (const Index f = add_time_function(plan, d.force, index, place.n); f >= 0) plan.diagonal_functions.push_back(f);
  if (!plan.runs.empty() && plan.runs.back().z + plan.runs.back().count == place.z &&
      plan.runs.back().q + plan.runs.back().count == place.q && plan.runs.back().free_flight == flight) {
    plan.runs.back().count += place.n;
  } else {
    plan.runs.push_back({place.q, place.z, place.n, flight});
  }
}

void prepare_dense(const LagrangianLinearSystem& d, Index index, Plan& plan) {
  const auto& place = plan.system(index);
  const double h = plan.h, theta = plan.theta;
  DenseSystem s;
  s.system = index;
  s.mass = d.mass.to_dense(place.n, true);
  const Matrix C = dense_or_zero(d.damping, place.n), K = dense_or_zero(d.stiffness, place.n);
  const Matrix full = s.mass + h * theta * C + h * h * theta * theta * K;
  Matrix A = full;
  for (const PrescribedVelocity& prescribed : d.prescribed) cut_out(A, prescribed.component);
  s.factor.compute(A);
  if (!(s.factor.rcond() > std::numeric_limits<double>::epsilon())) refuse_singular(place.name);
  Matrix rate_z = -h * (C + h * theta * K), rate_q = -h * K;
  Matrix identity = h * Matrix::Identity(place.n, place.n);
  for (const PrescribedVelocity& prescribed : d.prescribed) {
    rate_z.row(prescribed.component).setZero();
    rate_q.row(prescribed.component).setZero();
    identity.row(prescribed.component).setZero();
  }
  s.transition_z = s.factor.solve(rate_z);
  s.transition_q = s.factor.solve(rate_q);
  s.inverse_h = s.factor.solve(identity);
  s.drive = Eigen::VectorXd::Zero(place.n);
  if (d.force.constant()) s.drive = s.inverse_h * *d.force.constant();
  s.time_function = add_time_function(plan, d.force, index, place.n);
  s.scratch = Eigen::VectorXd::Zero(place.n);
  s.dictated = !d.prescribed.empty();
  // A change of a prescribed velocity drives the other components through A: kept in matrix_before.
  if (s.dictated) s.matrix_before = full;
  plan.place[static_cast<std::size_t>(index)] = static_cast<Index>(plan.dense.size());
  plan.dense.push_back(std::move(s));
}

void prepare_dense(const FirstOrderLinearSystem& d, Index index, Plan& plan) {
  const auto& place = plan.system(index);
  const double h = plan.h, theta = plan.theta_first_order;
  DenseSystem s;
  s.system = index;
  s.first_order = true;
  s.mass = d.mass.to_dense(place.n, true);
  s.scratch = Eigen::VectorXd::Zero(place.n);
  s.drive = Eigen::VectorXd::Zero(place.n);
  s.time_function = add_time_function(plan, d.b, index, place.n);
  s.matrix = d.A.function();
  if (s.matrix) {
    s.matrix_before = s.matrix_after = Matrix::Zero(place.n, place.n);
    if (d.b.constant()) s.drive = *d.b.constant();
  } else {
    const Matrix A_x = dense_or_zero(d.A, place.n);
    s.factor.compute(s.mass - h * theta * A_x);
    if (!(s.factor.rcond() > std::numeric_limits<double>::min())) refuse_singular(place.name);
    s.transition_z = s.factor.solve(h * A_x);
    s.inverse_h = s.factor.solve(h * Matrix::Identity(place.n, place.n));
    if (d.b.constant()) s.drive = s.inverse_h * *d.b.constant();
  }
  plan.place[static_cast<std::size_t>(index)] = static_cast<Index>(plan.dense.size());
  plan.dense.push_back(std::move(s));
}

void prepare_sparse(const LagrangianLinearSystem& d, Index index, Plan& plan) {
  const auto& place = plan.system(index);
  const double h = plan.h, theta = plan.theta;
  SparseSystem s;
  s.system = index;
  const SparseMatrix C = to_sparse(d.damping, place.n, false), K = to_sparse(d.stiffness, place.n, false);
  s.iteration = to_sparse(d.mass, place.n, true) + h * theta * C + h * h * theta * theta * K;
  s.rate_z = -(C + h * theta * K);
  s.rate_q = -K;
  SparseMatrix A = s.iteration;
  std::vector<char> cut(static_cast<std::size_t>(place.n), 0);
  for (const PrescribedVelocity& prescribed : d.prescribed) cut[static_cast<std::size_t>(prescribed.component)] = 1;
  A.prune([&cut](Index row, Index column, double) {
    return row == column || (!cut[static_cast<std::size_t>(row)] && !cut[static_cast<std::size_t>(column)]);
  });
  for (Index i = 0; i < place.n; ++i) {
    if (cut[static_cast<std::size_t>(i)]) A.coeffRef(i, i) = 1.0;
  }
  s.factor = SparseFactorization(Structure::General, Backend::Automatic);
  if (!s.factor.factorize(A)) refuse_singular(place.name);
  s.drive = d.force.constant() ? *d.force.constant() : Eigen::VectorXd::Zero(place.n);
  s.time_function = add_time_function(plan, d.force, index, place.n);
  s.scratch = Eigen::VectorXd::Zero(place.n);
  plan.place[static_cast<std::size_t>(index)] = static_cast<Index>(plan.sparse.size());
  plan.sparse.push_back(std::move(s));
}

void prepare_sparse(const FirstOrderLinearSystem& d, Index index, Plan& plan) {
  const auto& place = plan.system(index);
  SparseSystem s;
  s.system = index;
  s.first_order = true;
  s.rate_z = to_sparse(d.A, place.n, false);
  s.iteration = to_sparse(d.mass, place.n, true) - plan.h * plan.theta_first_order * s.rate_z;
  s.factor = SparseFactorization(Structure::General, Backend::Automatic);
  if (!s.factor.factorize(s.iteration)) refuse_singular(place.name);
  s.drive = d.b.constant() ? *d.b.constant() : Eigen::VectorXd::Zero(place.n);
  s.time_function = add_time_function(plan, d.b, index, place.n);
  s.scratch = Eigen::VectorXd::Zero(place.n);
  plan.place[static_cast<std::size_t>(index)] = static_cast<Index>(plan.sparse.size());
  plan.sparse.push_back(std::move(s));
}

void prepare_nonlinear(const DynamicalSystem& d, Index index, Plan& plan) {
  const auto& place = plan.system(index);
  NonlinearSystem s;
  s.system = index;
  s.description = &d;
  s.mass = s.jacobian = s.iteration = Matrix::Zero(place.n, place.n);
  s.force_before = s.force = s.residual = s.w = Eigen::VectorXd::Zero(place.n);
  s.q = Eigen::VectorXd::Zero(place.nq);
  s.factor = Eigen::PartialPivLU<Matrix>(place.n);
  plan.place[static_cast<std::size_t>(index)] = static_cast<Index>(plan.nonlinear.size());
  plan.nonlinear.push_back(std::move(s));
}

/// Kept sparse where a matrix came in sparse and is not small: below this size dense kernels win.
constexpr Index kSparseFrom = 32;

bool wants_sparse(Index n, std::initializer_list<const MatrixData*> matrices) {
  if (n < kSparseFrom) return false;
  for (const MatrixData* data : matrices) {
    if (data->sparse()) return true;
  }
  return false;
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

void prepare_systems(const NonSmoothDynamicalSystem& model, Plan& plan) {
  const auto count = plan.layout->systems.size();
  const auto unknowns = static_cast<std::size_t>(plan.layout->num_unknowns);
  plan.kind.assign(count, SystemKind::Diagonal);
  plan.place.assign(count, 0);
  plan.runs.clear();
  plan.dense.clear();
  plan.sparse.clear();
  plan.nonlinear.clear();
  plan.time_functions.clear();
  plan.diagonal_functions.clear();
  plan.dictated.clear();
  plan.a_inverse.assign(unknowns, 0.0);
  plan.drive.assign(unknowns, 0.0);
  plan.rate_z.assign(unknowns, 0.0);
  plan.rate_q.assign(unknowns, 0.0);
  plan.z_free = plan.z = plan.z_iterate = Eigen::VectorXd::Zero(plan.layout->num_unknowns);
  plan.q_iterate = Eigen::VectorXd::Zero(plan.layout->num_positions);

  for (Index i = 0; i < static_cast<Index>(count); ++i) {
    const auto& description = model.systems()[plan.system(i).slot].description;
    auto& kind = plan.kind[static_cast<std::size_t>(i)];
    if (const auto* linear = std::get_if<std::shared_ptr<const LagrangianLinearSystem>>(&description)) {
      const LagrangianLinearSystem& d = **linear;
      if (d.mass.is_diagonal() && d.damping.is_diagonal() && d.stiffness.is_diagonal()) {
        prepare_diagonal(d, i, plan);
      } else if (wants_sparse(plan.system(i).n, {&d.mass, &d.damping, &d.stiffness})) {
        kind = SystemKind::Sparse;
        prepare_sparse(d, i, plan);
      } else {
        kind = SystemKind::Dense;
        prepare_dense(d, i, plan);
      }
      for (const PrescribedVelocity& prescribed : d.prescribed) {
        const Index z = plan.system(i).z + prescribed.component;
        plan.dictated.push_back({z, i, prescribed.component, &prescribed.velocity});
        if (kind == SystemKind::Diagonal) plan.a_inverse[static_cast<std::size_t>(z)] = 0.0;
      }
    } else if (const auto* general = std::get_if<std::shared_ptr<const DynamicalSystem>>(&description)) {
      kind = SystemKind::Nonlinear;
      prepare_nonlinear(**general, i, plan);
    } else {
      const auto& d = *std::get<std::shared_ptr<const FirstOrderLinearSystem>>(description);
      if (wants_sparse(plan.system(i).n, {&d.mass, &d.A})) {
        kind = SystemKind::Sparse;
        prepare_sparse(d, i, plan);
      } else {
        kind = SystemKind::Dense;
        prepare_dense(d, i, plan);
      }
    }
  }
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
