// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <internal/decompositions.hpp>

#include "contact_state.hpp"
#include "events/variation.hpp"
#include "mechanical_model.hpp"

namespace nonsmooth::events {

/// The impact of contacts A without friction that pushed one another, near a state before it, by Newton's law:
///
///     u_A+ = -e u_A-,   v+ = v- - M^-1 H_A^T W^-1 (1 + e) u_A-,   W = H_A M^-1 H_A^T,   q+ = q-.
///
/// Contacts whose rows depend on others' are left out: these hold them too.
class ImpactMap {
 public:
  explicit ImpactMap(MechanicalModel& model) : model_(&model) {}

  /// Those with a percussion at the last impact: contact i has percussion(row); e is the law's, or 0 where the contact
  /// does not rebound at z, behind the impact at t.
  template <class Percussion>
  void find(double t, const Eigen::VectorXd& z, const Percussion& percussion) {
    pushed_.clear();
    model_->evaluate_velocities(t, z);
    for (std::size_t i = 0; i < model_->contacts().size(); ++i) {
      const Contact& one = model_->contact(i);
      if (one.kind != Contact::Kind::Unilateral || !(percussion(one.row) > 0.0)) continue;
      pushed_.push_back({i, one.restitution, model_->u[one.row]});
    }
  }
  [[nodiscard]] bool empty() const noexcept { return pushed_.empty(); }
  /// u_A before it, by which it is known which of them rebound; the linear problem at (t, z).
  void linearise(double t, const Eigen::VectorXd& z);
  /// At the last linearise(), of each set of contacts that W couples the one that approaches fastest: its gap by
  /// (q, v), and the entries that the set moves (those that none moves are with the first).
  [[nodiscard]] std::vector<Variation::Crossing> crossings(const ContactStates& after) const;

  /// At the last linearise(): several that approach and that W does not couple, each with its crossing, of which none
  /// stays closed. Motions beside meet them one after another, and velocities behind are the same in every order.
  [[nodiscard]] bool apart(const ContactStates& after) const;

  /// z after the impact at (t, z) of the k-th of the crossings of contacts that are apart(), without the others.
  void alone(Index k, double t, const Eigen::VectorXd& z, Eigen::VectorXd& after);
  /// z after the impact at (t, z).
  void operator()(double t, const Eigen::VectorXd& z, Eigen::VectorXd& after);
  /// dv+/de of contact `i`, packed, at the last linearise(); zero where it took no part.
  void by_restitution(std::size_t i, Eigen::VectorXd& change);

 private:
  struct Pushed {
    std::size_t contact = 0;
    double restitution = 0.0, u_after = 0.0;
  };
  void solve(double t, const Eigen::VectorXd& z);
  void percussions(Eigen::VectorXd& p) const;

  MechanicalModel* model_;
  std::vector<Pushed> pushed_;
  Eigen::MatrixXd H_, X_, W_;
  Eigen::VectorXd u_, scale_;  ///< scale: of W's rows and columns, to ones on the diagonal
  LuFactors factors_;
};

}  // namespace nonsmooth::events
