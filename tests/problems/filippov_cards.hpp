// SPDX-License-Identifier: Apache-2.0
#pragma once

// Four models of the validation as FilippovSystems, with their motions in closed form, and two ways to run such systems
// that are here to be compared with: a smoothed right-hand side, and a switched one with a sliding band.

#include <string>
#include <vector>

#include <nonsmooth/kernel/filippov.hpp>
#include <nonsmooth/kernel/systems/first_order.hpp>

namespace nonsmooth::problems {

/// A FilippovSystem and its motion at instants that lie equally far apart, the last at the end of the run. Fields come
/// with their Jacobians, switching functions with their gradients.
struct FilippovCard {
  std::string name;
  FilippovSystem system;
  std::vector<double> instants;        ///< ascending, > 0 [s]
  std::vector<Eigen::VectorXd> exact;  ///< x there, to 1e-12 of its size and better
};

/// SimpleExampleRelay: x' = -2 Sgn x row by row, from (1, -1): x = 0 from 1/2 on.
FilippovCard simple_relay_card();

/// RelayOscillatorWithSliding (`relay_oscillator` of models.hpp): x' = A x + B l, l in -Sgn x_0, from (0, 1/2, 0). On
/// x_0 = 0 it slides while |x_1| < 1, with l = -x_1. The motion is one of linear modes, each a power series; where a
/// mode ends is found by bisection.
FilippovCard relay_oscillator_card();

/// Zhuravlev (`unfolded_ball` of first_order.hpp): a ball that bounces, without impacts. Its surfaces x_0 = 0 and x_1 =
/// 0 are crossed alone, infinitely often, up to 1.8715 s; from there on it rests at their crossing.
FilippovCard unfolded_ball_card();

/// StepSystem (`gene_network` of first_order.hpp): two genes with four thresholds. Both slide in the end, each along
/// its own upper one.
FilippovCard gene_network_card();

/// All four, in this order.
std::vector<FilippovCard> filippov_cards();

/// x' = sum_i f_i(x) prod_j w_ij with alpha_j = (1 + tanh(c_j / width)) / 2 in the place of the step functions: a
/// smooth system, stiff where the motion slides, which differs from the inclusion by O(width). What is smoothed is the
/// multi-affine set. Fields of weight 0 are not asked. @throws InvalidArgument: width <= 0.
FirstOrderSystem smoothed(const FilippovSystem& system, double width);

/// The switched model with a sliding band (Acary & Brogliato 2008 [acarybrogliato2008], the algorithm for switched
/// right-hand sides; Leine, van Campen, de Kraker & van den Steen 1998), by the classical Runge-Kutta method with a
/// fixed step h. Where |c_j| > eta_j, alpha_j is 0 or 1. Within the band it is what leads to the middle in the time tau
/// = 2 h,
///
///     c_j' = -c_j / tau where fields to both sides lead towards the surface, else the side's own field,
///
/// eta_j = tau max(|c_j'+|, |c_j'-|), so that x' is continuous at the edges of bands that attract. Several surfaces:
/// one alpha each, row after row until none changes. Order 1, whatever order the method has in smooth phases.
class SwitchedModel {
 public:
  /// @throws InvalidArgument: h <= 0.
  SwitchedModel(FilippovSystem system, double h);
  /// The state after `steps` further steps.
  const Eigen::VectorXd& advance(Index steps);

 private:
  void rates(double t, ConstVectorRef x, VectorRef value);

  FilippovSystem system_;
  double h_ = 0.0;
  Index taken_ = 0;
  Eigen::VectorXd x_, trial_, field_, gradient_, alpha_;
  Eigen::MatrixXd stages_;
};

}  // namespace nonsmooth::problems
