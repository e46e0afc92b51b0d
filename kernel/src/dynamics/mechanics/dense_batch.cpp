// SPDX-License-Identifier: Apache-2.0
// Linear systems whose A is a dense matrix: factored once, but for a time-varying A_x, which is factored each step.
#include "dense_batch.hpp"

#include <internal/matrix_exponential.hpp>
#include <nonsmooth/kernel/state.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "iteration_matrix.hpp"
#include "model/guarded.hpp"

namespace nonsmooth {
namespace {

using iteration_matrix::refuse_singular;
using Matrix = Eigen::MatrixXd;

/// out += M v for a square matrix. Plain loops: at circuit sizes (n = 2..6) a dynamic product costs more than its
/// arithmetic.
void add_product(const Eigen::MatrixXd& M, const double* v, double* out) {
  const Index n = M.rows();
  for (Index j = 0; j < M.cols(); ++j) {
    const double* column = M.data() + j * n;
    for (Index i = 0; i < n; ++i) out[i] += column[i] * v[j];
  }
}

}  // namespace

bool DenseBatch::takes(const SystemCandidate& candidate) const {
  return candidate.record.linear_mechanical() ||
         (candidate.record.linear_first_order() && !candidate.has_nonlinear_input);
}

void DenseBatch::prepare(const DiscretisedSystem& given) {
  const auto* mechanics = given.record.linear_mechanical();
  list_.push_back(mechanics ? mechanical(*mechanics, given) : first_order(*given.record.linear_first_order(), given));
}

DenseSystem DenseBatch::mechanical(const LagrangianLinearSystem& d, const DiscretisedSystem& given) {
  const auto& place = given.place();
  const std::vector<PrescribedVelocity>& velocities = given.record.mechanical->prescribed();
  const Scheme& scheme = given.scheme();
  const double h = given.h(), theta = scheme.theta;
  DenseSystem s;
  s.system = given.system;
  s.mass = d.mass.to_dense(place.n, true);
  const Matrix C = d.damping.to_dense(place.n), K = d.stiffness.to_dense(place.n);
  if (velocities.empty()) {
    iteration_matrix::require_positive(place.name, s.mass, C, K, scheme, h);
  } else {
    const std::vector<Index> free = iteration_matrix::free_components(velocities, place.n);
    iteration_matrix::require_positive(place.name, s.mass(free, free), C(free, free), K(free, free), scheme, h);
  }
  const Matrix full = iteration_matrix::of_mechanics(s.mass, C, K, scheme, h);
  Matrix A = full;
  for (const PrescribedVelocity& prescribed : velocities) cut_out(A, prescribed.component);
  s.factor.compute(A);
  if (!(s.factor.rcond() > std::numeric_limits<double>::epsilon())) refuse_singular(place.name);
  // Of z_k: theta C v_{k+1} with v_{k+1} of z and z_k where the scheme keeps z, and (1-theta) C v_k apart.
  Matrix rate_z =
      scheme.keeps_unknown ? Matrix(-h * theta * (C + h * K)) : Matrix(-h * (C + h * scheme.weight_ahead() * K));
  Matrix rate_q = -h * K;
  Matrix identity = h * Matrix::Identity(place.n, place.n);
  for (const PrescribedVelocity& prescribed : velocities) {
    rate_z.row(prescribed.component).setZero();
    rate_q.row(prescribed.component).setZero();
    identity.row(prescribed.component).setZero();
  }
  s.transition_z = s.factor.solve(rate_z);
  s.transition_q = s.factor.solve(rate_q);
  if (scheme.keeps_unknown) {
    s.transition_v = s.factor.solve(Matrix(-h * (1.0 - theta) * C));
    s.base = Eigen::VectorXd::Zero(place.n);
  }
  s.inverse_h = s.factor.solve(identity);
  s.drive = Eigen::VectorXd::Zero(place.n);
  if (d.force.constant()) s.drive = s.inverse_h * *d.force.constant();
  s.time_function = inputs_.add_time_function(d.force, s.system, place.n);
  s.scratch = Eigen::VectorXd::Zero(place.n);
  if (!velocities.empty()) s.iteration = full;
  return s;
}

DenseSystem DenseBatch::first_order(const FirstOrderLinearSystem& d, const DiscretisedSystem& given) {
  const auto& place = given.place();
  const Scheme& scheme = given.scheme();
  const double h = given.h(), theta = scheme.theta;
  DenseSystem s;
  s.system = given.system;
  s.first_order = true;
  s.mass = d.mass.to_dense(place.n, true);
  s.scratch = Eigen::VectorXd::Zero(place.n);
  s.drive = Eigen::VectorXd::Zero(place.n);
  s.time_function = inputs_.add_time_function(d.b, s.system, place.n);
  s.matrix = d.A.function();
  const Matrix A_x = s.matrix ? Matrix() : d.A.to_dense(place.n);
  iteration_matrix::check_singular_mass(place.name, s.mass, s.matrix ? nullptr : &A_x, scheme);
  if (s.matrix) {
    s.matrix_before = s.matrix_after = Matrix::Zero(place.n, place.n);
    if (d.b.constant()) s.drive = *d.b.constant();
  } else if (scheme.exponential) {
    s.factor.compute(s.mass);
    if (!(s.factor.rcond() > std::numeric_limits<double>::epsilon())) refuse_singular(place.name);
    // e^([M^-1 A, M^-1; 0, 0] h) = [e^(M^-1 A h), integral of e^(M^-1 A s) ds M^-1; 0, I].
    Matrix augmented = Matrix::Zero(2 * place.n, 2 * place.n);
    augmented.topLeftCorner(place.n, place.n) = h * s.factor.solve(A_x);
    augmented.topRightCorner(place.n, place.n) = h * s.factor.inverse();
    const Matrix exponential = matrix_exponential(augmented);
    s.transition_z = exponential.topLeftCorner(place.n, place.n) - Matrix::Identity(place.n, place.n);
    s.inverse_h = exponential.topRightCorner(place.n, place.n);
    if (d.b.constant()) s.drive = s.inverse_h * *d.b.constant();
  } else {
    s.factor.compute(s.mass - h * theta * A_x);
    if (iteration_matrix::is_singular(s.mass - h * theta * A_x)) refuse_singular(place.name);
    iteration_matrix::require_orientation(place.name, s.mass, A_x, theta, h);
    s.transition_z = s.factor.solve(h * A_x);
    s.inverse_h = s.factor.solve(h * Matrix::Identity(place.n, place.n));
    if (d.b.constant()) s.drive = s.inverse_h * *d.b.constant();
  }
  return s;
}

void DenseBatch::free_state(const StepView& step, Eigen::VectorXd& z_free) {
  for (DenseSystem& s : list_) {
    if (s.matrix) {
      step_varying(step, s, z_free);
    } else {
      step_constant(step, s, z_free);
    }
  }
}

void DenseBatch::step_constant(const StepView& step, DenseSystem& s, Eigen::VectorXd& z_free) const {
  const double* v = step.state.unknowns.data();
  const auto& place = step.system(s.system);
  const Scheme& scheme = step.scheme(s.system);
  const double theta = scheme.theta;
  const double* z = v + place.z;
  double* const out = z_free.data() + place.z;
  if (scheme.keeps_unknown) {
    s.base = step.state.has_differences() ? step.state.differences.segment(place.z, place.n)
                                          : step.state.unknowns.segment(place.z, place.n);
    z = s.base.data();
  }
  for (Index i = 0; i < place.n; ++i) out[i] = z[i] + s.drive[i];
  add_product(s.transition_z, z, out);
  if (!s.first_order) add_product(s.transition_q, step.state.positions.data() + place.q, out);
  if (scheme.keeps_unknown) add_product(s.transition_v, v + place.z, out);
  if (const auto* value = inputs_.feedback_of(s.system)) add_product(s.inverse_h, value->data(), out);
  if (s.time_function >= 0) {
    const auto& f = inputs_.time_function(s.time_function);
    for (Index j = 0; j < place.n; ++j) {
      const double value = theta * f.after[j] + (1.0 - theta) * f.before[j];
      if (value == 0.0) continue;
      const double* column = s.inverse_h.data() + j * place.n;
      for (Index i = 0; i < place.n; ++i) out[i] += column[i] * value;
    }
  }
}

void DenseBatch::step_varying(const StepView& step, DenseSystem& s, Eigen::VectorXd& z_free) {
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
  s.iteration = s.mass - step.h() * theta * s.matrix_after;
  s.factor.compute(s.iteration);
  const auto pivots = s.factor.matrix().diagonal().array();
  if ((pivots == 0.0).any() || !pivots.isFinite().all())
    throw CallableFailure{"the iteration matrix M - h theta A(t) of " + place.name + " is singular"};
  const auto x = step.state.unknowns.segment(place.z, place.n);
  s.scratch = s.drive;
  s.scratch.noalias() += theta * s.matrix_after * x;
  s.scratch.noalias() += (1.0 - theta) * s.matrix_before * x;
  if (s.time_function >= 0) {
    const auto& f = inputs_.time_function(s.time_function);
    s.scratch += theta * f.after + (1.0 - theta) * f.before;
  }
  if (const auto* value = inputs_.feedback_of(s.system)) s.scratch += *value;
  s.scratch *= step.h();
  s.factor.solve_in_place(s.scratch, inputs_.buffer);
  z_free.segment(place.z, place.n) = x + s.scratch;
}

void DenseBatch::apply_input(const Discretisation& discretisation, Index place, MatrixRef b) {
  const DenseSystem& s = at(place);
  if (!discretisation.scheme(s.system).exponential) return SystemBatch::apply_input(discretisation, place, b);
  Eigen::Map<Matrix> product(inputs_.scratch(b.size()), b.rows(), b.cols());
  product.noalias() = s.inverse_h * b;
  b = product;
}

void DenseBatch::add_iteration_matrix(const Layout::System&, Index place, Index offset,
                                      std::vector<Eigen::Triplet<double>>& entries) const {
  const DenseSystem& s = at(place);
  if (s.product.size() == 0) s.product = s.factor.reconstructed();
  add_dense_entries(s.product, offset, entries);
}

}  // namespace nonsmooth
