// SPDX-License-Identifier: Apache-2.0
// Two bodies in space whose shapes are linked, each contact an interaction, and what these say where the bodies are.
#pragma once

#include <string>
#include <vector>

#include <nonsmooth/kernel.hpp>

namespace nonsmooth::linked_pair {

struct LinkedPair {
  NonSmoothDynamicalSystem model{};
  std::vector<LinkedContact> contacts{};
  Eigen::VectorXd q{14};  ///< of both bodies, as the links have them

  [[nodiscard]] const MechanicalRelation& relation(const LinkedContact& contact) const {
    return *model.interactions()[contact.interaction.slot].mechanical;
  }
  [[nodiscard]] const std::string& name(const LinkedContact& contact) const {
    return model.interactions()[contact.interaction.slot].name;
  }
  [[nodiscard]] double gap(const LinkedContact& contact) const {
    Eigen::VectorXd y = Eigen::VectorXd::Zero(1);
    relation(contact).h(0.0, q, y);
    return y[0];
  }
  [[nodiscard]] Eigen::MatrixXd H(const LinkedContact& contact) const {
    Eigen::MatrixXd result = Eigen::MatrixXd::Zero(1, 12);
    relation(contact).H(0.0, q, result);
    return result;
  }
};

}  // namespace nonsmooth::linked_pair
