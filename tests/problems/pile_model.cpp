// SPDX-License-Identifier: Apache-2.0
#include <problems/pile_model.hpp>

#include <cstddef>
#include <memory>
#include <vector>

namespace nonsmooth::problems {

namespace {

/// Contact with Coulomb friction in space: rows N, T1, T2, no restitution, closed in every step.
class SpatialFriction final : public NonSmoothLaw {
 public:
  explicit SpatialFriction(double mu) : mu_(mu) {}
  [[nodiscard]] LawShape shape(LawUse /*use*/) const override { return {.size = 3}; }
  void block(const LawContext& /*context*/, LawBlock& block) const override {
    block.parts = {{{.kind = SetKind::Coulomb3D, .mu = mu_}, 3}};
  }

 private:
  double mu_;
};

}  // namespace

NonSmoothDynamicalSystem pile_model(const Pile& pile) {
  using Wrench = Eigen::Matrix<double, 6, 1>;
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> handles;
  std::vector<Wrench> positions;
  for (const Pile::Body& body : pile.bodies) {
    Wrench mass, force = Wrench::Zero(), q0 = Wrench::Zero(), v0 = Wrench::Zero();
    mass << Eigen::Vector3d::Constant(body.mass), body.inertia;
    force[2] = -body.mass * pile_gravity;
    q0.head<3>() = body.position;
    v0.head<3>() = body.velocity;
    v0[2] += pile_step * pile_gravity;  // piles.hpp gives the velocity after a free step
    handles.push_back(model.add(LagrangianLinearSystem{.mass = mass.asDiagonal(), .force = force, .q0 = q0, .v0 = v0}));
    positions.push_back(q0);
  }
  const friction::GlobalProblem global = global_problem(pile);
  const Eigen::SparseMatrix<double, Eigen::RowMajor> H = global.H;
  for (std::size_t c = 0; c < pile.contacts.size(); ++c) {
    const Pile::Contact& contact = pile.contacts[c];
    std::vector<SystemHandle> linked;
    std::vector<Index> bodies;
    for (const Index body : {contact.first, contact.second}) {
      if (body < 0) continue;
      linked.push_back(handles[static_cast<std::size_t>(body)]);
      bodies.push_back(body);
    }
    Eigen::MatrixXd jacobian = Eigen::MatrixXd::Zero(3, 6 * static_cast<Index>(bodies.size()));
    Eigen::Vector3d offset = Eigen::Vector3d::Zero();
    for (std::size_t k = 0; k < bodies.size(); ++k) {
      const auto at = 6 * static_cast<Index>(k);
      jacobian.middleCols(at, 6) =
          Eigen::MatrixXd(H.middleRows(3 * static_cast<Index>(c), 3)).middleCols(6 * bodies[k], 6);
      offset -= jacobian.middleCols(at, 6) * positions[static_cast<std::size_t>(bodies[k])];
    }
    model.link(linked, LagrangianLinearRelation{.H = jacobian, .b = Eigen::VectorXd(offset)},
               std::make_shared<const SpatialFriction>(contact.mu));
  }
  return model;
}

}  // namespace nonsmooth::problems
