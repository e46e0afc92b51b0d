// SPDX-License-Identifier: Apache-2.0
// A step beside the same step in two parts: what an adaptive run asks of it.
#pragma once

#include <vector>

#include <nonsmooth/kernel/adaptive_time_stepping.hpp>

#include "dynamics/relations/relation_caches.hpp"

namespace nonsmooth::stages {

/// R = z - z_free by unknown, of the whole step, its parts, and of the impacts that are due where they end; `rate` is
/// R / h of the part before.
struct Reactions {
  Eigen::VectorXd whole, first, second, due, rate;
  std::vector<bool> known;  ///< by system: `rate` is that of a force; false at a start and after an impulse

  void begin(const Layout& layout);
};

/// One step, made twice.
struct ComparedStep {
  double H = 0.0;
  bool bounces = false;  ///< see bounces()
  double late = 0.0;     ///< by how much impacts of Reactions::due are late where the parts end [s]; 0: none is due
  const State& before;
  const State& whole;
  const State& parts;
};

/// The worst of all systems.
struct LocalError {
  double ratio = 0.0;  ///< error over what is allowed: accepted up to 1
  double error = 0.0;  ///< error over its bound
  Index system = -1;   ///< which it is of; -1: no error
  Index order = 1;     ///< the lowest of the systems
  bool event = false;  ///< of some system
  bool finite = true;
};

/// How long contacts have been closed that approach where the parts end, and did not act in the second of them: a
/// scheme of velocities that looks ahead over half a step finds what closes behind that in the next one alone.
[[nodiscard]] double lateness(const RelationCaches& relations, const State& end, double h);
/// A contact that acts moves where the parts begin: e u- of what is left of a sequence of impacts changes the sign
/// of its velocity with each part, however short, without a change of its impulse.
[[nodiscard]] bool bounces(const RelationCaches& relations, const State& before, const State& end);
/// `longest`: AdaptiveOptions::stepping.step. Afterwards `impulsive` says by system whether the second part ended with
/// an impulse, after which there is no rate to compare with.
[[nodiscard]] LocalError compare(const Accuracy& accuracy, double longest, const ComparedStep& step,
                                 const Reactions& reactions, const std::vector<SchemeOrder>& orders,
                                 std::vector<bool>& impulsive);
/// The interaction of a system whose multipliers differ most between the whole step and its parts; empty: none.
[[nodiscard]] std::string interaction_that_differs(const NonSmoothDynamicalSystem& model, Index system,
                                                   const ComparedStep& step);

}  // namespace nonsmooth::stages
