// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include <nonsmooth/kernel/sliding_bound.hpp>

#include "filippov.hpp"

/// The sliding of two fields on one surface.
namespace nonsmooth {

/// At (t, x), of x' = f_- or f_+ by turns about c = 0, w_i = dc/dt along f_i:
///
///     G = (f_- - f_+) / (w_- - w_+),   f_s = f_+ - w_+ G,   dc/dt along f_s is 0, and grad c . G = 1.
struct SlidingValues {
  Eigen::VectorXd below{}, above{}, normal{};  ///< f_-, f_+, grad c
  Eigen::VectorXd G{}, sliding{};
  double w_below = 0.0, w_above = 0.0;

  [[nodiscard]] bool slides() const noexcept { return w_above < 0.0 && w_below > 0.0; }
};

/// Of a system with one switching function. Nothing is allocated once `values` have their sizes.
void look_at_sliding(const FilippovFields& fields, double t, ConstVectorRef x, SlidingValues& values);

/// What stands in an automaton for the saw-tooth between two of its modes, HybridAutomaton::sliding_interval I > 0: one
/// more mode, which holds c = 0. A side of the tooth takes 2 d / |w_i|, d half the width of the band. The mode is
/// entered where both sides take at most I, and left where one takes more than 2 I: w_+ + d / I or d / I - w_- rises
/// through zero. Of a band without width these are the ends of sliding.
class AutomatonSliding {
 public:
  AutomatonSliding(SlidingLimit limit, double interval);

  /// `own` is the mode's: everything but its name and invariant.
  void field(double t, ConstVectorRef x, VectorRef value) const;
  /// -1: rises through zero where it is left for the mode below, 1: above.
  [[nodiscard]] double leaves(int side, double t, ConstVectorRef x) const;
  /// Where one of the transitions between the two modes is due: x is at an end of the band, or within it, and the
  /// saw-tooth is that fast. `largest`: |x| so far.
  [[nodiscard]] bool begins(double t, ConstVectorRef x, ConstVectorRef largest) const;
  /// x moved to c = 0 along G, which is where the motion that switches is as far from as its tooth is high.
  void land(double t, VectorRef x) const;
  /// x moved back to c = 0 by the shortest way; false where it is on it to round-off of `terms` of c.
  bool settle(double t, VectorRef x) const;

  [[nodiscard]] const std::shared_ptr<const FilippovFields>& fields() const noexcept { return fields_; }
  [[nodiscard]] double band() const noexcept { return band_; }

 private:
  [[nodiscard]] double slowest() const noexcept { return band_ / interval_; }
  const SlidingValues& look(double t, ConstVectorRef x) const;

  std::shared_ptr<const FilippovFields> fields_;
  double band_, interval_;
};

}  // namespace nonsmooth
