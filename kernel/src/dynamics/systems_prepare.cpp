// SPDX-License-Identifier: Apache-2.0
// What a scheme and a step length make of each system: its iteration matrix A, factored where it is constant.
#include <algorithm>
#include <array>

#include <internal/decompositions.hpp>
#include <internal/matrix_exponential.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "dense_batch.hpp"
#include "iteration_matrix.hpp"
#include "system_caches.hpp"

namespace nonsmooth::stages {
namespace {

using iteration_matrix::refuse_singular;
using Matrix = Eigen::MatrixXd;
using SparseMatrix = Eigen::SparseMatrix<double>;

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
  if (const Index f = systems.inputs.add_time_function(d.force, index, place.n); f >= 0)
    systems.diagonal_functions.push_back(f);
  if (!systems.runs.empty() && systems.runs.back().z + systems.runs.back().count == place.z &&
      systems.runs.back().q + systems.runs.back().count == place.q && systems.runs.back().free_flight == flight &&
      systems.runs.back().theta == theta) {
    systems.runs.back().count += place.n;
  } else {
    systems.runs.push_back({place.q, place.z, place.n, flight, theta});
  }
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
    const std::vector<Index> free = iteration_matrix::free_components(d.prescribed, place.n);
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
  s.time_function = systems.inputs.add_time_function(d.force, index, place.n);
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
  s.time_function = systems.inputs.add_time_function(d.b, index, place.n);
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

/// Those of the batches that are of a kind the lists do not hold.
template <class Batch>
std::unique_ptr<SystemBatch> make_batch(SystemInputs& inputs) {
  return std::make_unique<Batch>(inputs);
}
constexpr std::array kMakers{&make_batch<DenseBatch>};

void ask_batches(const SystemCandidate& candidate, SystemCaches& systems) {
  const auto system = static_cast<std::size_t>(candidate.system);
  for (const auto& batch : systems.kinds) {
    const Index place = batch->accept(candidate);
    if (place < 0) continue;
    systems.kind[system] = SystemKind::Batched;
    systems.batch[system] = batch.get();
    systems.place[system] = place;
    return;
  }
}

void prepare_mechanics(const LagrangianLinearSystem& d, const SystemCandidate& candidate, SystemCaches& systems) {
  const Index i = candidate.system;
  const Discretisation& discretisation = candidate.discretisation;
  const bool diagonal = d.mass.is_diagonal() && d.damping.is_diagonal() && d.stiffness.is_diagonal();
  if (diagonal && !candidate.scheme().two_steps) {
    prepare_diagonal(d, i, discretisation, systems);
    systems.place[static_cast<std::size_t>(i)] = candidate.place().z;
    for (const PrescribedVelocity& prescribed : d.prescribed)
      systems.a_inverse[static_cast<std::size_t>(candidate.place().z + prescribed.component)] = 0.0;
  } else if (wants_sparse(candidate.place().n, {&d.mass, &d.damping, &d.stiffness}) ||
             (diagonal && candidate.place().n >= kSparseFrom)) {
    systems.kind[static_cast<std::size_t>(i)] = SystemKind::Sparse;
    prepare_sparse(d, i, discretisation, systems);
  } else {
    ask_batches(candidate, systems);
  }
}

}  // namespace

void prepare_systems(const NonSmoothDynamicalSystem& model, const Discretisation& discretisation,
                     SystemCaches& systems) {
  const auto count = discretisation.layout->systems.size();
  const auto unknowns = static_cast<std::size_t>(discretisation.layout->num_unknowns);
  systems.kind.assign(count, SystemKind::Diagonal);
  systems.place.assign(count, 0);
  systems.batch.assign(count, nullptr);
  systems.inputs.clear(count);
  if (systems.kinds.empty()) {
    for (const auto make : kMakers) systems.kinds.push_back(make(systems.inputs));
  }
  for (const auto& batch : systems.kinds) batch->clear();
  systems.runs.clear();
  systems.sparse.clear();
  systems.nonlinear.clear();
  systems.nonlinear_first_order.clear();
  systems.sweeping.clear();
  systems.diagonal_functions.clear();
  systems.a_inverse.assign(unknowns, 0.0);
  systems.drive.assign(unknowns, 0.0);
  systems.rate_z.assign(unknowns, 0.0);
  systems.rate_q.assign(unknowns, 0.0);

  const std::vector<char> driven = driven_by_nonlinear_inputs(model, *discretisation.layout);
  for (Index i = 0; i < static_cast<Index>(count); ++i) {
    const auto& record = model.systems()[discretisation.system(i).slot];
    const SystemCandidate candidate{record, i, discretisation, driven[static_cast<std::size_t>(i)] != 0};
    systems.inputs.add(record, i, candidate.place());
    if (const auto* mechanics = candidate.as<LagrangianLinearSystem>()) {
      prepare_mechanics(*mechanics, candidate, systems);
      continue;
    }
    const auto* linear = candidate.as<FirstOrderLinearSystem>();
    if (!linear || candidate.has_nonlinear_input) {
      prepare_nonlinear(model, i, discretisation, systems);
    } else if (wants_sparse(candidate.place().n, {&linear->mass, &linear->A}) && !candidate.scheme().hold) {
      systems.kind[static_cast<std::size_t>(i)] = SystemKind::Sparse;
      prepare_sparse(*linear, i, discretisation, systems);
    } else {
      ask_batches(candidate, systems);
    }
  }
  systems.batches.clear();
  for (const auto& batch : systems.kinds) {
    if (!batch->systems().empty()) systems.batches.push_back(batch.get());
  }
}

}  // namespace nonsmooth::stages
