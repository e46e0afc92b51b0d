// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <nonsmooth/kernel/nonsmooth_law.hpp>

namespace nonsmooth {

/// Plastic flow: -ydot in N_C(lambda) for the stress lambda of a relation y = H q + D lambda whose H is minus the
/// strain operator and D the elastic compliance, so that y is minus the plastic strain. A block is one material point,
/// row 0 its mean stress, positive in compression for Drucker-Prager:
///   von Mises       C = {|s| <= yield}, s = lambda without row 0,
///   Drucker-Prager  C = {|s| <= yield + friction lambda_0}, flow with `dilation` in the place of friction.
/// Rows are to be scaled so that the Euclidean norm of s is the equivalent stress. Without compliance: rigid-plastic.
struct PlasticityLaw {
  enum class Surface : unsigned char { VonMises, DruckerPrager };

  Surface surface = Surface::VonMises;
  double yield = 0.0;     ///< >= 0 [unit of lambda]: radius, or cohesion
  double friction = 0.0;  ///< Drucker-Prager, > 0 [-]
  double dilation =
      0.0;         ///< Drucker-Prager, in [0, friction]: |volume| per shear of the flow; friction: associated [-]
  Index rows = 2;  ///< of a block, >= 2
};

[[nodiscard]] std::shared_ptr<const NonSmoothLaw> make_law(const PlasticityLaw& law);

}  // namespace nonsmooth
