// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <nonsmooth/kernel/analysis/examine.hpp>

#include "model/prepared_law.hpp"

/// The parts of an examination.
namespace nonsmooth::analysis::detail {

/// A contact that a source found at the state.
struct IslandContact {
  DetectedContact contact;  ///< bodies as systems by number in the layout
  PreparedLaw law;
  bool by_rule = false;  ///< its restitution is a GeneralisedNewtonRule's
  Eigen::MatrixXd H_first, H_second;
  Eigen::VectorXd h_t;
};

/// Systems and what ties them, by number in the layout.
struct Island {
  bool first_order = false;
  std::vector<Index> systems, interactions;
  std::vector<IslandContact> contacts;
};

/// The connected components of the model at the state, in the order of their first systems.
[[nodiscard]] std::vector<Island> find_islands(const NonSmoothDynamicalSystem& model, const State& state);

[[nodiscard]] FirstOrderIsland examine_first_order(const NonSmoothDynamicalSystem& model, const State& state,
                                                   const Island& island, const ExaminationOptions& options);
[[nodiscard]] MechanicalIsland examine_mechanical(const NonSmoothDynamicalSystem& model, const State& state,
                                                  const Island& island, const ExaminationOptions& options);

[[nodiscard]] StepAdvice advise_step(const ModelExamination& found, const ExaminationOptions& options);
/// jump, schemes, recommended, recommended_for and remarks, from the rest.
void examine_schemes(const NonSmoothDynamicalSystem& model, const State& state, const ExaminationOptions& options,
                     ModelExamination& found);

inline const NonSmoothDynamicalSystem::System& system_at(const NonSmoothDynamicalSystem& model, const State& state,
                                                         Index i) {
  return model.systems()[state.layout()->systems[static_cast<std::size_t>(i)].slot];
}
inline const NonSmoothDynamicalSystem::InteractionRecord& interaction_at(const NonSmoothDynamicalSystem& model,
                                                                         const State& state, Index i) {
  return model.interactions()[state.layout()->interactions[static_cast<std::size_t>(i)].slot];
}

/// Eigenvalues of A; empty where they do not converge.
[[nodiscard]] Eigen::VectorXcd rates_of(const Eigen::MatrixXd& A);

}  // namespace nonsmooth::analysis::detail
