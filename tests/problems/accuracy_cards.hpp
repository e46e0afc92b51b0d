// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <nonsmooth/kernel.hpp>

namespace nonsmooth::problems {

/// A motion with impacts or switches whose global error is measured against what an adaptive run was asked for. The
/// reference is the same model by events, with 1e-12 of each step, which knows no step of time-stepping.
struct AccuracyCard {
  std::string name;
  NonSmoothDynamicalSystem model;
  Integrator integrator = MoreauJean{};
  double longest = 0.0;  ///< step of an adaptive run [s]
  double T = 0.0;        ///< and its end, and its span [s]
  Index events = 1;      ///< impacts, switches, changes of stick and slip until T, rounded up
  /// What counts as one in q, v and x: an accuracy eps asks for eps times these.
  double position = 1.0, velocity = 1.0, state = 1.0;
  std::vector<double> instants{};  ///< known beforehand [s]

  [[nodiscard]] AdaptiveOptions asking(double eps) const;
};

/// m dv = -m g dt + dp, 0 <= q ⟂ dp >= 0, e = 0.8, from 1 m: 5 impacts until T = 2 s.
AccuracyCard ball_card();
/// x'' + x in -Sgn(x') from (12, 6), as a first-order system: every half turn takes 2 of the amplitude, until it rests.
AccuracyCard friction_oscillator_card();
/// The woodpecker toy (mechanics.hpp): two turns of its limit cycle.
AccuracyCard woodpecker_card();
/// A voltage-mode buck converter with the elements of Fossas & Olivar 1996 [fossas1996] and a gain of 4: L i' = u E -
/// v, C v' = i - v / R, u = 1 while gain (v - v_ref) is below a sawtooth of period 400 us, 0 above: 10 periods, whose
/// ends are known.
AccuracyCard buck_card();
/// The first three modes of a clamped beam of unit length, mass and first frequency 1 Hz against a stop at its tip with
/// e = 0.5: let go bent, through the stop's side.
AccuracyCard beam_card();

std::vector<AccuracyCard> accuracy_cards();

/// What came of a run: mean over time of |q - q_ref|_inf, of v and x likewise, each over what counts as one; 0 where
/// the model has none. `ok` is false where a run did not end.
struct GlobalError {
  bool ok = false;
  double position = 0.0, velocity = 0.0, state = 0.0;
  AdaptiveSteps steps{};
  std::string message{};

  [[nodiscard]] double worst() const { return std::max({position, velocity, state}); }
};
GlobalError global_error(const AccuracyCard& card, const AdaptiveOptions& options);
/// The same of fixed steps.
GlobalError global_error(const AccuracyCard& card, double step);

}  // namespace nonsmooth::problems
