// SPDX-License-Identifier: Apache-2.0
// Whether a matrix of coefficients of restitution may gain energy.
#include <internal/check.hpp>
#include <internal/decompositions.hpp>
#include <nonsmooth/kernel/model_checks.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "model/linked_systems.hpp"
#include "model/relation_evaluator.hpp"

namespace nonsmooth {
namespace {

constexpr double kDependentRows = 1e-12;  ///< of the largest eigenvalue of W

using Model = NonSmoothDynamicalSystem;

/// The normal rows of the contacts, on the unknowns of the model.
Eigen::MatrixXd normal_rows(const Model& model, const State& state, const std::vector<InteractionHandle>& contacts) {
  const Layout& layout = *model.layout();
  Eigen::MatrixXd H = Eigen::MatrixXd::Zero(std::ssize(contacts), layout.num_unknowns);
  for (Index i = 0; i < H.rows(); ++i) {
    const InteractionHandle& contact = contacts[static_cast<std::size_t>(i)];
    const Model::InteractionRecord& record = model.interactions()[layout.at(contact).slot];
    if (!record.mechanical)
      throw InvalidArgument("GeneralisedNewtonImpact::contacts", record.name, "mechanical interactions");
    const std::vector<LinkedSystem> systems = linked_systems(layout, record.systems);
    Index columns = 0;
    for (const LinkedSystem& linked : systems) columns += linked.n;
    Eigen::MatrixXd own(record.rows, columns);
    RelationEvaluator(*record.mechanical).H(state.t, stacked_positions(systems, state.positions), own);
    for (const LinkedSystem& linked : systems)
      H.row(i).segment(linked.z, linked.n) = own.row(0).segment(linked.column, linked.n);
  }
  return H;
}

}  // namespace

double restitution_energy_ratio(const Model& model, const State& state, const GeneralisedNewtonImpact& impact) {
  const Layout& layout = *model.layout();
  if (!state.layout() || state.layout()->revision != layout.revision)
    throw InvalidArgument("restitution_energy_ratio: state", "a state of another revision",
                          "one of the model's present revision");
  const Index count = std::ssize(impact.contacts);
  check::at_least("GeneralisedNewtonImpact::contacts", count, 1);
  const Eigen::MatrixXd& E = impact.restitution;
  check::shape("GeneralisedNewtonImpact::restitution", E.rows(), E.cols(), count, count);
  check::finite("GeneralisedNewtonImpact::restitution", ConstMatrixRef(E));
  const Eigen::MatrixXd H = normal_rows(model, state, impact.contacts);
  Eigen::MatrixXd W = Eigen::MatrixXd::Zero(count, count);
  for (const Layout::System& place : layout.systems) {
    const Eigen::MatrixXd own = H.middleCols(place.z, place.n);
    if (own.isZero(0.0)) continue;
    Eigen::MatrixXd M = Eigen::MatrixXd::Zero(place.n, place.n);
    model.systems()[place.slot].mechanical->mass(state.positions.segment(place.q, place.nq), M);
    const CholeskyFactors factors(M);
    if (!factors.is_positive_definite())
      throw InvalidArgument("restitution_energy_ratio: model", "a mass of " + place.name + " that is not M > 0",
                            "M > 0");
    W += own * factors.inverse() * own.transpose();
  }
  const SymmetricEigen eigen = symmetric_eigen(W);
  if (!(eigen.values[0] > kDependentRows * eigen.values[count - 1]))
    throw InvalidArgument("GeneralisedNewtonImpact::contacts", "contacts whose normal rows depend on one another",
                          "independent ones: else not every approach is possible");
  const Eigen::VectorXd root = eigen.values.cwiseSqrt();
  const Eigen::MatrixXd A = root.cwiseInverse().asDiagonal() * (eigen.V.transpose() * E * eigen.V) * root.asDiagonal();
  const double largest = singular_values(A, false).values[0];
  return largest * largest;
}

}  // namespace nonsmooth
