// SPDX-License-Identifier: Apache-2.0
// What a scheme and a step length make of each system: its iteration matrix A, factored where it is constant.
#include <algorithm>

#include <internal/decompositions.hpp>
#include <internal/matrix_exponential.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "iteration_matrix.hpp"
#include "system_caches.hpp"

namespace nonsmooth::stages {
namespace {

using iteration_matrix::refuse_singular;
using Matrix = Eigen::MatrixXd;
using SparseMatrix = Eigen::SparseMatrix<double>;

Matrix dense_or_zero(const MatrixData& data, Index n) { return data.to_dense(n); }

/// Of sparse systems that failed: the reason is looked for in full.
constexpr Index kLargestPencil = 500;

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

Index add_time_function(SystemCaches& systems, const VectorData& data, Index system, Index n) {
  if (!data.function()) return -1;
  TimeFunction entry;
  entry.function = data.function();
  entry.system = system;
  entry.before = entry.after = Eigen::VectorXd::Zero(n);
  systems.time_functions.push_back(std::move(entry));
  return static_cast<Index>(systems.time_functions.size()) - 1;
}

/// Rows and columns of prescribed components become the identity's.
void cut_out(Matrix& A, Index component) {
  A.row(component).setZero();
  A.col(component).setZero();
  A(component, component) = 1.0;
}

/// The components that nobody prescribes.
std::vector<Index> free_components(const std::vector<PrescribedVelocity>& prescribed, Index n) {
  std::vector<Index> free;
  for (Index i = 0; i < n; ++i) {
    if (std::none_of(prescribed.begin(), prescribed.end(), [i](const auto& one) { return one.component == i; }))
      free.push_back(i);
  }
  return free;
}

void prepare_diagonal(const LagrangianLinearSystem& d, Index index, const Discretisation& discretisation,
                      SystemCaches& systems) {
  const auto& place = discretisation.system(index);
  const double h = discretisation.h, theta = discretisation.scheme(index).theta;
  const Eigen::VectorXd M = d.mass.to_dense(place.n, true).diagonal();
  const Eigen::VectorXd C = d.damping.to_dense(place.n).diagonal();
  const Eigen::VectorXd K = d.stiffness.to_dense(place.n).diagonal();
  const bool flight = C.isZero(0.0) && K.isZero(0.0);
  Index worst = 0;  // a diagonal matrix is as positive as its least entry is, of those that nobody prescribes
  Eigen::VectorXd relative = (h * theta * C + h * h * theta * theta * K).cwiseQuotient(M);
  for (const PrescribedVelocity& prescribed : d.prescribed) relative[prescribed.component] = 0.0;
  relative.minCoeff(&worst);
  if (relative[worst] < 0.0)
    iteration_matrix::require_positive(place.name, M.segment<1>(worst), C.segment<1>(worst), K.segment<1>(worst),
                                       discretisation.scheme(index), h);
  for (Index i = 0; i < place.n; ++i) {
    const auto z = static_cast<std::size_t>(place.z + i);
    const double inverse = 1.0 / (M[i] + h * theta * C[i] + h * h * theta * theta * K[i]);
    systems.a_inverse[z] = inverse;
    systems.drive[z] = d.force.constant() ? inverse * h * (*d.force.constant())[i] : 0.0;
    systems.rate_z[z] = -inverse * h * (C[i] + h * theta * K[i]);
    systems.rate_q[z] = -inverse * h * K[i];
  }
  if (const Index f = add_time_function(systems, d.force, index, place.n); f >= 0)
    systems.diagonal_functions.push_back(f);
  if (!systems.runs.empty() && systems.runs.back().z + systems.runs.back().count == place.z &&
      systems.runs.back().q + systems.runs.back().count == place.q && systems.runs.back().free_flight == flight &&
      systems.runs.back().theta == theta) {
    systems.runs.back().count += place.n;
  } else {
    systems.runs.push_back({place.q, place.z, place.n, flight, theta});
  }
}

void prepare_dense(const LagrangianLinearSystem& d, Index index, const Discretisation& discretisation,
                   SystemCaches& systems) {
  const auto& place = discretisation.system(index);
  const Scheme& scheme = discretisation.scheme(index);
  const double h = discretisation.h, theta = scheme.theta;
  DenseSystem s;
  s.system = index;
  s.mass = d.mass.to_dense(place.n, true);
  const Matrix C = dense_or_zero(d.damping, place.n), K = dense_or_zero(d.stiffness, place.n);
  if (d.prescribed.empty()) {
    iteration_matrix::require_positive(place.name, s.mass, C, K, scheme, h);
  } else {
    const std::vector<Index> free = free_components(d.prescribed, place.n);
    iteration_matrix::require_positive(place.name, s.mass(free, free), C(free, free), K(free, free), scheme, h);
  }
  const Matrix full = iteration_matrix::of_mechanics(s.mass, C, K, scheme, h);
  Matrix A = full;
  for (const PrescribedVelocity& prescribed : d.prescribed) cut_out(A, prescribed.component);
  s.factor.compute(A);
  if (!(s.factor.rcond() > std::numeric_limits<double>::epsilon())) refuse_singular(place.name);
  // Of z_k: theta C v_{k+1} with v_{k+1} = (z_{k+1} + z_k) / 2 under two steps, where (1-theta) C v_k is apart.
  Matrix rate_z = scheme.two_steps ? Matrix(-h * theta * (C + h * K)) : Matrix(-h * (C + h * theta * K));
  Matrix rate_q = -h * K;
  Matrix identity = h * Matrix::Identity(place.n, place.n);
  for (const PrescribedVelocity& prescribed : d.prescribed) {
    rate_z.row(prescribed.component).setZero();
    rate_q.row(prescribed.component).setZero();
    identity.row(prescribed.component).setZero();
  }
  s.transition_z = s.factor.solve(rate_z);
  s.transition_q = s.factor.solve(rate_q);
  if (scheme.two_steps) {
    s.transition_v = s.factor.solve(Matrix(-h * (1.0 - theta) * C));
    s.base = Eigen::VectorXd::Zero(place.n);
  }
  s.inverse_h = s.factor.solve(identity);
  s.drive = Eigen::VectorXd::Zero(place.n);
  if (d.force.constant()) s.drive = s.inverse_h * *d.force.constant();
  s.time_function = add_time_function(systems, d.force, index, place.n);
  s.scratch = Eigen::VectorXd::Zero(place.n);
  s.has_prescribed = !d.prescribed.empty();
  // A change of a prescribed velocity drives the other components through A: kept in matrix_before.
  if (s.has_prescribed) s.matrix_before = full;
  systems.place[static_cast<std::size_t>(index)] = static_cast<Index>(systems.dense.size());
  systems.dense.push_back(std::move(s));
}

void prepare_dense(const FirstOrderLinearSystem& d, Index index, const Discretisation& discretisation,
                   SystemCaches& systems) {
  const auto& place = discretisation.system(index);
  const Scheme& scheme = discretisation.scheme(index);
  const double h = discretisation.h, theta = scheme.theta;
  DenseSystem s;
  s.system = index;
  s.first_order = true;
  s.mass = d.mass.to_dense(place.n, true);
  s.scratch = Eigen::VectorXd::Zero(place.n);
  s.drive = Eigen::VectorXd::Zero(place.n);
  s.time_function = add_time_function(systems, d.b, index, place.n);
  s.matrix = d.A.function();
  const Matrix A_x = s.matrix ? Matrix() : dense_or_zero(d.A, place.n);
  iteration_matrix::check_singular_mass(place.name, s.mass, s.matrix ? nullptr : &A_x, scheme);
  if (s.matrix) {
    s.matrix_before = s.matrix_after = Matrix::Zero(place.n, place.n);
    if (d.b.constant()) s.drive = *d.b.constant();
  } else if (scheme.hold) {
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
  systems.place[static_cast<std::size_t>(index)] = static_cast<Index>(systems.dense.size());
  systems.dense.push_back(std::move(s));
}

void prepare_sparse(const LagrangianLinearSystem& d, Index index, const Discretisation& discretisation,
                    SystemCaches& systems) {
  const auto& place = discretisation.system(index);
  const Scheme& scheme = discretisation.scheme(index);
  const double h = discretisation.h, theta = scheme.theta;
  SparseSystem s;
  s.system = index;
  const SparseMatrix C = to_sparse(d.damping, place.n, false), K = to_sparse(d.stiffness, place.n, false);
  const SparseMatrix M = to_sparse(d.mass, place.n, true);
  // Undamped, x^T A x is monotone in h^2: where it is positive for one step, it is for every shorter one.
  double& positive_up_to = systems.positive_up_to[static_cast<std::size_t>(index)];
  const bool is_known = h <= positive_up_to;
  if (!is_known && d.prescribed.empty()) iteration_matrix::require_positive(place.name, M, C, K, scheme, h);
  if (!is_known && !d.prescribed.empty()) {  // in full: prescribed components of large systems are few models' own
    const std::vector<Index> free = free_components(d.prescribed, place.n);
    iteration_matrix::require_positive(place.name, Matrix(M)(free, free), Matrix(C)(free, free), Matrix(K)(free, free),
                                       scheme, h);
  }
  if (d.damping.empty()) positive_up_to = std::max(positive_up_to, h);
  s.iteration = iteration_matrix::of_mechanics(M, C, K, scheme, h);
  s.rate_q = -K;
  if (scheme.two_steps) {
    s.rate_z = -theta * (C + h * K);
    s.rate_v = -(1.0 - theta) * C;
  } else {
    s.rate_z = -(C + h * theta * K);
  }
  if (d.damping.empty()) s.rate_z = s.rate_v = SparseMatrix();  // then h theta rate_q
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
  s.time_function = add_time_function(systems, d.force, index, place.n);
  s.scratch = Eigen::VectorXd::Zero(place.n);
  systems.place[static_cast<std::size_t>(index)] = static_cast<Index>(systems.sparse.size());
  systems.sparse.push_back(std::move(s));
}

void prepare_sparse(const FirstOrderLinearSystem& d, Index index, const Discretisation& discretisation,
                    SystemCaches& systems) {
  const auto& place = discretisation.system(index);
  SparseSystem s;
  s.system = index;
  s.first_order = true;
  s.rate_z = to_sparse(d.A, place.n, false);
  s.iteration = to_sparse(d.mass, place.n, true) - discretisation.h * discretisation.scheme(index).theta * s.rate_z;
  s.factor = SparseFactorization(Structure::General, Backend::Automatic);
  if (!s.factor.factorize(s.iteration)) {
    if (place.n <= kLargestPencil) {
      const Matrix A_x = d.A.to_dense(place.n);
      iteration_matrix::check_singular_mass(place.name, d.mass.to_dense(place.n, true), &A_x,
                                            discretisation.scheme(index));
    }
    refuse_singular(place.name);
  }
  s.drive = d.b.constant() ? *d.b.constant() : Eigen::VectorXd::Zero(place.n);
  s.time_function = add_time_function(systems, d.b, index, place.n);
  s.scratch = Eigen::VectorXd::Zero(place.n);
  systems.place[static_cast<std::size_t>(index)] = static_cast<Index>(systems.sparse.size());
  systems.sparse.push_back(std::move(s));
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

/// Systems that a nonlinear input acts on: their factors change with the iterate.
std::vector<char> driven_by_nonlinear_inputs(const NonSmoothDynamicalSystem& model, const Layout& layout) {
  std::vector<char> driven(layout.systems.size(), 0);
  for (const auto& place : layout.interactions) {
    const auto& record = model.interactions()[place.slot];
    if (!std::holds_alternative<std::shared_ptr<const FirstOrderRelation>>(record.relation)) continue;
    for (const std::uint32_t slot : record.systems) driven[static_cast<std::size_t>(layout.system_of_slot[slot])] = 1;
  }
  return driven;
}

void prepare_mechanics(const LagrangianLinearSystem& d, Index i, const Discretisation& discretisation,
                       SystemCaches& systems) {
  auto& kind = systems.kind[static_cast<std::size_t>(i)];
  const Scheme& scheme = discretisation.scheme(i);
  const bool diagonal = d.mass.is_diagonal() && d.damping.is_diagonal() && d.stiffness.is_diagonal();
  if (diagonal && !scheme.two_steps) {
    prepare_diagonal(d, i, discretisation, systems);
    systems.place[static_cast<std::size_t>(i)] = discretisation.system(i).z;
  } else if (wants_sparse(discretisation.system(i).n, {&d.mass, &d.damping, &d.stiffness}) ||
             (diagonal && discretisation.system(i).n >= kSparseFrom)) {
    kind = SystemKind::Sparse;
    prepare_sparse(d, i, discretisation, systems);
  } else {
    kind = SystemKind::Dense;
    prepare_dense(d, i, discretisation, systems);
  }
  for (const PrescribedVelocity& prescribed : d.prescribed) {
    const Index z = discretisation.system(i).z + prescribed.component;
    systems.prescribed.push_back({z, i, prescribed.component, &prescribed.velocity});
    if (kind == SystemKind::Diagonal) systems.a_inverse[static_cast<std::size_t>(z)] = 0.0;
  }
  for (const PrescribedImpulse& load : d.impulses)
    systems.impulsive_loads.push_back({i, load.instant, &load.impulse.value()});
}

void add_feedback(const Feedback& feedback, const Layout::System& place, Index i, SystemCaches& systems) {
  if (!feedback) return;
  systems.feedback_of_system[static_cast<std::size_t>(i)] = static_cast<Index>(systems.feedbacks.size());
  systems.feedbacks.push_back({&feedback, i, Eigen::VectorXd::Zero(place.n)});
}

}  // namespace

void prepare_systems(const NonSmoothDynamicalSystem& model, const Discretisation& discretisation,
                     SystemCaches& systems) {
  const auto count = discretisation.layout->systems.size();
  const auto unknowns = static_cast<std::size_t>(discretisation.layout->num_unknowns);
  systems.kind.assign(count, SystemKind::Diagonal);
  systems.place.assign(count, 0);
  systems.runs.clear();
  systems.dense.clear();
  systems.sparse.clear();
  systems.nonlinear.clear();
  systems.nonlinear_first_order.clear();
  systems.sweeping.clear();
  systems.feedbacks.clear();
  systems.feedback_of_system.assign(count, -1);
  systems.impulsive_loads.clear();
  systems.time_functions.clear();
  systems.diagonal_functions.clear();
  systems.prescribed.clear();
  systems.a_inverse.assign(unknowns, 0.0);
  systems.drive.assign(unknowns, 0.0);
  systems.rate_z.assign(unknowns, 0.0);
  systems.rate_q.assign(unknowns, 0.0);

  const std::vector<char> driven = driven_by_nonlinear_inputs(model, *discretisation.layout);
  for (Index i = 0; i < static_cast<Index>(count); ++i) {
    const auto& description = model.systems()[discretisation.system(i).slot].description;
    auto& kind = systems.kind[static_cast<std::size_t>(i)];
    if (const auto* mechanics = std::get_if<std::shared_ptr<const LagrangianLinearSystem>>(&description)) {
      prepare_mechanics(**mechanics, i, discretisation, systems);
      add_feedback((*mechanics)->feedback, discretisation.system(i), i, systems);
      continue;
    }
    const auto* linear = std::get_if<std::shared_ptr<const FirstOrderLinearSystem>>(&description);
    if (!linear || driven[static_cast<std::size_t>(i)]) {
      prepare_nonlinear(model, i, discretisation, systems);
    } else if (wants_sparse(discretisation.system(i).n, {&(*linear)->mass, &(*linear)->A}) &&
               !discretisation.scheme(i).hold) {
      kind = SystemKind::Sparse;
      prepare_sparse(**linear, i, discretisation, systems);
    } else {
      kind = SystemKind::Dense;
      prepare_dense(**linear, i, discretisation, systems);
    }
    if (linear) add_feedback((*linear)->feedback, discretisation.system(i), i, systems);
    if (const auto* general = std::get_if<std::shared_ptr<const DynamicalSystem>>(&description))
      add_feedback((*general)->feedback(), discretisation.system(i), i, systems);
    if (const auto* first_order = std::get_if<std::shared_ptr<const FirstOrderSystem>>(&description))
      add_feedback((*first_order)->feedback, discretisation.system(i), i, systems);
  }
}

}  // namespace nonsmooth::stages
