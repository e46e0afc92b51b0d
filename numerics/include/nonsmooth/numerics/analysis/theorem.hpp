// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace nonsmooth::analysis {

/// By which the initial value problem of a model is said to have solutions, one, or none. Its hypotheses were verified.
enum class Theorem : unsigned char {
  NotKnown,
  FeedthroughIsP,           ///< D is a P-matrix [cottle1992]
  PassiveFullRank,          ///< passive after a shift of A, every lambda moves x or meets D + D^T [camlibel2002]
  PassiveMaximalMonotone,   ///< passive after a shift of A [camlibel2014]
  OutputNeverReached,       ///< lambda acts on no derivative of an output [heemels1999]
  NegativeMarkovParameter,  ///< of the one output there is [heemels1999]
  LeadingCoefficientsAreP,  ///< of rows or of columns [heemels1999]
  BoundedIntervals,         ///< every multiplier between two bounds, D = 0 [filippov1988]
  NoUnilateralContact,      ///< bilateral rows at most: an ordinary differential equation
  IndependentConstraints,   ///< of mechanics, without friction, one restitution [ballard2000]
  ContradictingVelocities,  ///< bilateral rows ask for two velocities at once
};

[[nodiscard]] std::string_view to_string(Theorem theorem) noexcept;  ///< its hypotheses; "not known"
/// Its key of docs/references.bib; empty where it needs none.
[[nodiscard]] std::string_view citation(Theorem theorem) noexcept;

}  // namespace nonsmooth::analysis
