// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/energies.hpp>

#include <string>
#include <vector>

#include <Eigen/SparseCore>

#include <nonsmooth/kernel/model.hpp>
#include <nonsmooth/kernel/sparse_pattern.hpp>
#include <nonsmooth/kernel/systems/sparse_lagrangian.hpp>
#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth {
namespace {

/// x^T A x / 2 of a constant matrix; where it is empty 0, or x^T x / 2.
double half_square(const MatrixData& A, const ConstVectorRef& x, bool identity_if_empty) {
  double sum = 0.0;
  if (const auto* diagonal = A.diagonal()) {
    for (Index i = 0; i < x.size(); ++i) sum += (*diagonal)[i] * x[i] * x[i];
  } else if (const auto* dense = A.dense()) {
    for (Index j = 0; j < x.size(); ++j) sum += x[j] * dense->col(j).dot(x);
  } else if (const auto* sparse = A.sparse()) {
    for (Index j = 0; j < sparse->outerSize(); ++j) {
      for (Eigen::SparseMatrix<double>::InnerIterator entry(*sparse, j); entry; ++entry)
        sum += x[entry.row()] * entry.value() * x[j];
    }
  } else if (identity_if_empty) {
    sum = x.squaredNorm();
  }
  return 0.5 * sum;
}

}  // namespace

struct EnergyMeter::Implementation {
  /// A mechanical system, and M(q) where it is not constant.
  struct Place {
    const MechanicalSystem* system = nullptr;
    const LagrangianLinearSystem* linear = nullptr;
    const SparseMechanicalSystem* sparse = nullptr;
    Index q = 0, nq = 0, z = 0, n = 0;
    Index matrix = 0;  ///< in `matrices`, or in `sparse_matrices`
  };

  std::shared_ptr<const Layout> layout;
  std::vector<std::shared_ptr<const DynamicalSystem>> kept;  ///< what places point to
  std::vector<Place> places;                                 ///< of the systems that are not in what follows
  /// Of linear systems whose matrices are diagonal and whose forces are constant, by unknown or position; else 0.
  Eigen::VectorXd mass, stiffness, force;
  std::vector<Eigen::MatrixXd> matrices;  ///< one a size
  std::vector<Eigen::SparseMatrix<double>> sparse_matrices;

  void prepare(const NonSmoothDynamicalSystem& model);
  [[nodiscard]] Energies of_flat(const ConstVectorRef& positions, const ConstVectorRef& unknowns) const;
  bool is_flat(const LagrangianLinearSystem* linear, const Layout::System& system);
  double kinetic(const Place& place, const ConstVectorRef& q, const ConstVectorRef& v);
};

/// Takes a system into the flat arrays, where it is one of these.
bool EnergyMeter::Implementation::is_flat(const LagrangianLinearSystem* linear, const Layout::System& system) {
  if (linear == nullptr || system.nq != system.n || linear->force.function()) return false;
  const auto flat = [](const MatrixData& matrix) { return matrix.empty() || matrix.diagonal(); };
  if (!flat(linear->mass) || !flat(linear->stiffness)) return false;
  mass.segment(system.z, system.n).setOnes();
  if (const auto* diagonal = linear->mass.diagonal()) mass.segment(system.z, system.n) = *diagonal;
  if (const auto* diagonal = linear->stiffness.diagonal()) stiffness.segment(system.q, system.n) = *diagonal;
  if (const auto* constant = linear->force.constant()) force.segment(system.q, system.n) = *constant;
  return true;
}

void EnergyMeter::Implementation::prepare(const NonSmoothDynamicalSystem& model) {
  layout = model.layout();
  kept.clear();
  places.clear();
  matrices.clear();
  sparse_matrices.clear();
  mass = Eigen::VectorXd::Zero(layout->num_unknowns);
  stiffness = force = Eigen::VectorXd::Zero(layout->num_positions);
  for (const Layout::System& system : layout->systems) {
    const auto& record = model.systems()[system.slot];
    if (record.mechanical == nullptr || is_flat(record.linear_mechanical(), system)) continue;
    kept.push_back(record.description);
    Place place{record.mechanical,
                record.linear_mechanical(),
                dynamic_cast<const SparseMechanicalSystem*>(record.mechanical),
                system.q,
                system.nq,
                system.z,
                system.n};
    if (place.linear == nullptr && place.sparse != nullptr) {
      place.matrix = static_cast<Index>(sparse_matrices.size());
      sparse_matrices.push_back(place.sparse->pattern().zeros());
    } else if (place.linear == nullptr) {
      Index& m = place.matrix;
      while (m < static_cast<Index>(matrices.size()) && matrices[static_cast<std::size_t>(m)].rows() != system.n) ++m;
      if (m == static_cast<Index>(matrices.size())) matrices.emplace_back(system.n, system.n);
    }
    places.push_back(place);
  }
}

/// Of the systems in the flat arrays.
Energies EnergyMeter::Implementation::of_flat(const ConstVectorRef& positions, const ConstVectorRef& unknowns) const {
  return {.kinetic = 0.5 * (mass.array() * unknowns.array().square()).sum(),
          .potential = ((0.5 * stiffness.array() * positions.array() - force.array()) * positions.array()).sum()};
}

double EnergyMeter::Implementation::kinetic(const Place& place, const ConstVectorRef& q, const ConstVectorRef& v) {
  if (place.linear) return half_square(place.linear->mass, v, true);
  double sum = 0.0;
  if (place.sparse) {
    Eigen::SparseMatrix<double>& M = sparse_matrices[static_cast<std::size_t>(place.matrix)];
    Eigen::Map<Eigen::VectorXd> values(M.valuePtr(), M.nonZeros());
    values.setZero();
    SparseEntries entries(place.sparse->pattern(), values);
    place.sparse->mass_entries(q, entries);
    for (Index j = 0; j < M.outerSize(); ++j) {
      for (Eigen::SparseMatrix<double>::InnerIterator entry(M, j); entry; ++entry)
        sum += v[entry.row()] * entry.value() * v[j];
    }
  } else {
    Eigen::MatrixXd& M = matrices[static_cast<std::size_t>(place.matrix)];
    M.setZero();
    place.system->mass(q, M);
    for (Index j = 0; j < v.size(); ++j) sum += v[j] * M.col(j).dot(v);
  }
  return 0.5 * sum;
}

EnergyMeter::EnergyMeter() : implementation_(std::make_unique<Implementation>()) {}
EnergyMeter::~EnergyMeter() = default;
EnergyMeter::EnergyMeter(EnergyMeter&&) noexcept = default;
EnergyMeter& EnergyMeter::operator=(EnergyMeter&&) noexcept = default;

Energies EnergyMeter::of(const NonSmoothDynamicalSystem& model, const State& state) {
  Implementation& own = *implementation_;
  if (own.layout != model.layout()) own.prepare(model);
  if (!state.layout() || state.layout()->revision != own.layout->revision)
    throw InvalidArgument("EnergyMeter::of", "a state of another revision of the model", "one of the present revision");
  Energies sum = own.of_flat(state.positions, state.unknowns);
  for (const Implementation::Place& place : own.places) {
    const auto q = state.positions.segment(place.q, place.nq);
    const auto v = state.unknowns.segment(place.z, place.n);
    sum.kinetic += own.kinetic(place, q, v);
    if (place.linear == nullptr) {
      sum.potential += place.system->potential(q);
      continue;
    }
    sum.potential += half_square(place.linear->stiffness, q, false);
    if (const auto* force = place.linear->force.constant()) sum.potential -= force->dot(q);
  }
  return sum;
}

bool EnergyMeter::prepare(const NonSmoothDynamicalSystem& model) {
  Implementation& own = *implementation_;
  if (own.layout != model.layout()) own.prepare(model);
  return own.places.empty();
}

Energies EnergyMeter::of_arrays(const ConstVectorRef& positions, const ConstVectorRef& unknowns) const {
  const Implementation& own = *implementation_;
  if (!own.layout || !own.places.empty())
    throw InvalidArgument("EnergyMeter::of_arrays", own.layout ? "a model of other systems" : "no model",
                          "one that prepare() said true of");
  if (positions.size() != own.force.size() || unknowns.size() != own.mass.size())
    throw InvalidArgument(
        "EnergyMeter::of_arrays",
        std::to_string(positions.size()) + " positions, " + std::to_string(unknowns.size()) + " unknowns",
        std::to_string(own.force.size()) + " and " + std::to_string(own.mass.size()));
  return own.of_flat(positions, unknowns);
}

}  // namespace nonsmooth
