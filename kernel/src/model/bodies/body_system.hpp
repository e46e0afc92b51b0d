// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <nonsmooth/kernel/systems/rigid_body.hpp>

#include "body_motion.hpp"
#include "model/equations/fixed_lu.hpp"

namespace nonsmooth {

/// @throws InvalidArgument for a null pointer and what a load's validate() refuses; `type` is the body's.
void check_loads(const std::string& type, const std::vector<AnyBodyLoad>& loads);

/// What bodies in space and in the plane have in common: M = diag(m I, J), `translations` components of v before those
/// of `turns`, and what their loads are together. The class of a kind adds, in these fixed sizes, what the batch of
/// such bodies asks: Position, move(), loads() and their Jacobians, gyroscopic().
template <class Description, int translations, int turns>
class BodySystem : public MechanicalSystem {
 public:
  static constexpr int kTranslations = translations, kTurns = turns, kVelocities = translations + turns;
  using Velocity = Eigen::Matrix<double, kVelocities, 1>;
  using Jacobian = Eigen::Matrix<double, kVelocities, kVelocities>;
  using Turn = Eigen::Matrix<double, turns, 1>;
  using Inertia = Eigen::Matrix<double, turns, turns>;

  BodySystem(Description body, Inertia inertia)
      : body_(std::move(body)), inertia_(std::move(inertia)), inverse_inertia_(inverse_of(inertia_)) {
    for (const AnyBodyLoad& load : body_.loads) {
      const LinearDrag* drag = load.pointer()->drag();
      couples_ = couples_ || drag == nullptr;
      if (drag == nullptr) continue;
      drag_.translation += drag->translation;
      drag_.rotation += drag->rotation;
    }
  }

  [[nodiscard]] std::string name() const override { return body_.name; }
  void mass(ConstVectorRef, MatrixRef M) const override {
    M.diagonal().template head<translations>().setConstant(body_.mass);
    M.template bottomRightCorner<turns, turns>() = inertia_;
  }
  [[nodiscard]] Eigen::VectorXd velocity_lengths() const override {
    Velocity lengths = Velocity::Ones();
    lengths.template tail<turns>() = (inertia_.diagonal() / body_.mass).cwiseSqrt();
    return lengths;
  }
  [[nodiscard]] bool has_constant_mass() const override { return true; }
  [[nodiscard]] const std::vector<PrescribedVelocity>& prescribed() const override { return body_.prescribed; }
  [[nodiscard]] const std::vector<PrescribedImpulse>& impulses() const override { return body_.impulses; }
  [[nodiscard]] const Feedback& feedback() const override { return body_.feedback; }

  [[nodiscard]] const Description& body() const noexcept { return body_; }
  [[nodiscard]] const Inertia& inertia() const noexcept { return inertia_; }  ///< J, symmetric
  [[nodiscard]] const Inertia& inverse_inertia() const noexcept { return inverse_inertia_; }
  /// Some load has a Jacobian of more than a drag's: translation and rotation hang together.
  [[nodiscard]] bool couples() const noexcept { return couples_; }
  /// Sums of all drags: what dF/dv of loads is where they do not couple.
  [[nodiscard]] const LinearDrag& drag() const noexcept { return drag_; }
  [[nodiscard]] Velocity divided_by_mass(const Velocity& F) const {  ///< M^-1 F
    Velocity result;
    result << F.template head<translations>() / body_.mass, inverse_inertia_ * F.template tail<turns>();
    return result;
  }

 protected:
  Description body_;

 private:
  Inertia inertia_, inverse_inertia_;
  LinearDrag drag_;
  bool couples_ = false;
};

}  // namespace nonsmooth
