// SPDX-License-Identifier: Apache-2.0
// Whether a matrix of coefficients of restitution may gain energy.
#include <internal/check.hpp>
#include <internal/decompositions.hpp>
#include <nonsmooth/kernel/model_checks.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "mechanical_rows.hpp"
#include "model/equations/relation_evaluator.hpp"
#include "model/linked_systems.hpp"
#include "model/prepared_law.hpp"
#include "row_basis.hpp"

namespace nonsmooth {
namespace {

constexpr double kDependentRows = 1e-12;        ///< of the largest entry of H M^-1 H^T
constexpr double kDependentConstraint = 1e-10;  ///< of a row of G: less is left of one that depends on the others

using Model = NonSmoothDynamicalSystem;

/// H of an interaction of mechanics, on the unknowns of the model.
Eigen::MatrixXd rows_of(const Model& model, const State& state, const Layout::Interaction& place) {
  const Layout& layout = *model.layout();
  const Model::InteractionRecord& record = model.interactions()[place.slot];
  const std::vector<LinkedSystem> systems = linked_systems(layout, record.systems);
  Index columns = 0;
  for (const LinkedSystem& linked : systems) columns += linked.n;
  Eigen::MatrixXd own(record.rows, columns), H = Eigen::MatrixXd::Zero(record.rows, layout.num_unknowns);
  RelationEvaluator(*record.mechanical).H(state.t, stacked_positions(systems, state.positions), own);
  for (const LinkedSystem& linked : systems) H.middleCols(linked.z, linked.n) = own.middleCols(linked.column, linked.n);
  return H;
}

/// The normal rows of the contacts.
Eigen::MatrixXd normal_rows(const Model& model, const State& state, const std::vector<InteractionHandle>& contacts) {
  const Layout& layout = *model.layout();
  Eigen::MatrixXd H(std::ssize(contacts), layout.num_unknowns);
  for (Index i = 0; i < H.rows(); ++i) {
    const Layout::Interaction& place = layout.at(contacts[static_cast<std::size_t>(i)]);
    const Model::InteractionRecord& record = model.interactions()[place.slot];
    if (!record.mechanical)
      throw InvalidArgument("GeneralisedNewtonImpact::contacts", record.name, "mechanical interactions");
    H.row(i) = rows_of(model, state, place).row(0);
  }
  return H;
}

/// Rows G of what no impact changes, G (v+ - v-) = 0: joints and prescribed velocities, independent ones.
Eigen::MatrixXd constraint_rows(const Model& model, const State& state) {
  const Layout& layout = *model.layout();
  analysis::detail::RowBasis basis(Eigen::VectorXd::Ones(layout.num_unknowns));
  Eigen::VectorXd coefficients;
  for (const Layout::Interaction& place : layout.interactions) {
    const Model::InteractionRecord& record = model.interactions()[place.slot];
    if (!record.mechanical || record.mechanical->is_compliant()) continue;
    const Eigen::MatrixXd own = rows_of(model, state, place);
    for (Index r = 0; r < own.rows(); ++r) {
      if (role_of(*record.law, r % record.law->size) == RowRole::Bilateral)
        (void)basis.joins(own.row(r).transpose(), kDependentConstraint, coefficients);
    }
  }
  for (const Layout::System& place : layout.systems) {
    const auto* system = model.systems()[place.slot].mechanical;
    if (!system) continue;
    for (const PrescribedVelocity& prescribed : system->prescribed()) {
      const auto row = Eigen::VectorXd::Unit(layout.num_unknowns, place.z + prescribed.component);
      (void)basis.joins(row, kDependentConstraint, coefficients);
    }
  }
  return basis.rows();
}

/// R M^-1 R^T.
Eigen::MatrixXd compliance_of(const Model& model, const State& state, const Eigen::MatrixXd& R) {
  Eigen::MatrixXd W = Eigen::MatrixXd::Zero(R.rows(), R.rows());
  for (const Layout::System& place : model.layout()->systems) {
    const Eigen::MatrixXd own = R.middleCols(place.z, place.n);
    if (own.isZero(0.0)) continue;
    Eigen::MatrixXd M = Eigen::MatrixXd::Zero(place.n, place.n);
    model.systems()[place.slot].mechanical->mass(state.positions.segment(place.q, place.nq), M);
    const CholeskyFactors factors(M);
    if (!factors.is_positive_definite())
      throw InvalidArgument("restitution_energy_ratio: model", "a mass of " + place.name + " that is not M > 0",
                            "M > 0");
    W += own * factors.inverse() * own.transpose();
  }
  return W;
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
  const Eigen::MatrixXd G = constraint_rows(model, state);
  Eigen::MatrixXd R(count + G.rows(), H.cols());
  R << H, G;
  const Eigen::MatrixXd all = compliance_of(model, state, R);
  Eigen::MatrixXd W = all.topLeftCorner(count, count);
  if (G.rows() > 0) {
    const CholeskyFactors factors(all.bottomRightCorner(G.rows(), G.rows()));
    W -= all.topRightCorner(count, G.rows()) * factors.inverse() * all.bottomLeftCorner(G.rows(), count);
  }
  const SymmetricEigen eigen = symmetric_eigen(W);
  if (!(eigen.values[0] > kDependentRows * all.topLeftCorner(count, count).diagonal().maxCoeff()))
    throw InvalidArgument("GeneralisedNewtonImpact::contacts",
                          "contacts whose normal rows depend on one another or on joints and prescribed velocities",
                          "independent ones: else not every approach is possible");
  const Eigen::VectorXd root = eigen.values.cwiseSqrt();
  const Eigen::MatrixXd A = root.cwiseInverse().asDiagonal() * (eigen.V.transpose() * E * eigen.V) * root.asDiagonal();
  const double largest = singular_values(A, false).values[0];
  return largest * largest;
}

}  // namespace nonsmooth
