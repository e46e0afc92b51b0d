// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth {

/// The numbers that a scheme is to the batches of systems and to the rows of interactions. The unknown of a step is z,
/// z_k what it was at t_k.
///
/// Mechanics, z_k = v_k or, where the scheme keeps it, the z of the step before:
///
///     M(q*) (z - z_k) = h (theta F(t_{k+1}, q_{k+1}, v_{k+1}) + (1-theta) F_c) + H(q*)^T p,
///     F_c = F(t_k + c h, retract(q_k, c h v_k), v_k),   c = explicit_point,
///     q_{k+1} = retract(q_k, h (position z + (1-position) z_k)),
///     v_{k+1} = velocity z + (1-velocity) z_k,
///     q* = q_k + configuration_weight (q - q_k),        q = q_{k+1} or, explicit, retract(q_k, h v_k).
///
/// First order, z = x:
///
///     M (x_{k+1} - x_k) = h (theta f_{k+1} + (1-theta) f_k) + h (w r_{k+1} + (1-w) r_k),   w = multiplier_weight,
///     y = h(t_{k+1}, g x_{k+1} + (1-g) x_k, lambda_{k+1}),                                 g = relation_weight.
///
/// Feedbacks are those of t_k. Weights are without unit. What the other order alone reads stays at its default.
struct SchemeCoefficients {
  /// Where the rows of gaps are written.
  enum class Level : unsigned char {
    Velocity,       ///< u_{k+1} + e u_k of contacts that are closed, u_{k+1} of joints
    Position,       ///< y_{k+1} + e y_{k-1} of all
    LinearisedGap,  ///< u_{k+1} + y_k / h of all, where contacts close u_{k+1} + e u_k (StewartTrinkle)
    /// Forces at both ends of the step and impulses at its end, in problems of their own (D1MinusLinear): forces at
    /// t_k by the rate of u, forces at t_{k+1} by u_{k+1}-. With theta = 0, configuration_weight = 0, position = 1/2.
    HalfExplicit,
    HalfExplicitRates,  ///< the same with forces at t_{k+1} by the rate of u too
  };

  bool first_order = false;             ///< of first-order systems; otherwise of mechanics
  double theta = 0.5;                   ///< in [0, 1]
  double explicit_point = 0.0;          ///< c in [0, 1]; 0 of first order and of schemes that keep z
  double position = 0.5;                ///< in [0, 1]
  double velocity = 1.0;                ///< in (0, 1]; below 1 for schemes that keep z
  double forecast = 0.5;                ///< in [0, 1]: gaps are looked at at t_k + forecast h; 1 of LinearisedGap
  double configuration_weight = 1.0;    ///< in [0, 1]
  double multiplier_weight = 1.0;       ///< in (0, 1]; 1 of exponential schemes
  double relation_weight = 1.0;         ///< in (0, 1]
  double recovery = 1.0;                ///< in [0, 1]; LinearisedGap: what of y_k < 0, or of a joint's y_k, is taken
  double reach = 2.0;                   ///< >= 0; LinearisedGap: how far contacts are looked for, see StewartTrinkle
  bool explicit_configuration = false;  ///< M and H of mechanics stay where the first iterate of a step has them
  Level level = Level::Velocity;
  /// State::differences keeps z for the next step, which starts from v_k where there is none. Of systems without
  /// prescribed velocities where matrices vary; position has to be 1.
  bool keeps_unknown = false;
  /// First order, constant A: x_{k+1} = e^{A h} x_k + (integral_0^h e^{A s} ds) M^-1 (theta b_{k+1} + (1-theta) b_k +
  /// r_{k+1}) in place of the above. Mechanics, constant M, C and K: the flow of a step, half of the impulse
  /// before it and half behind (ExactLinear); all weights but forecast and configuration_weight at their defaults.
  bool exponential = false;
  /// Mechanics: accelerations of forces by the generalised-alpha method, whose rho theta is, impulses beside them
  /// (GeneralisedAlpha); State::differences keeps (A - a) / h. All other weights at their defaults.
  bool generalised_alpha = false;
};

/// What a scheme may ask about a system before it takes it.
struct SchemeUse {
  bool constant_matrices = false;        ///< linear: M, C and K, or M and A, do not vary
  bool has_prescribed_velocity = false;  ///< of some component
  bool on_manifold = false;              ///< mechanics with nq != nv
};

/// How the error of a motion falls with h, in the norms of graphs: as h^order while nothing jumps. Impacts and switches
/// are of order 1 under every scheme.
struct SchemeOrder {
  Index free = 1;         ///< >= 1; where no reaction acts
  Index constrained = 1;  ///< >= 1; where reactions vary over the step, as those of contacts and joints that turn
};

/// A one-step scheme of time-stepping: what the built-in ones are, and what a user derives from for a new one. It gives
/// coefficients; the batches of systems do the algebra with them, once for all systems of a kind. Immutable: models
/// share it, and several threads may call it at once. All members are called when a model is prepared for a step
/// length, none in a step but `is_same`.
class OneStepIntegrator {
 public:
  virtual ~OneStepIntegrator() = default;
  OneStepIntegrator() = default;
  OneStepIntegrator(const OneStepIntegrator&) = default;
  OneStepIntegrator& operator=(const OneStepIntegrator&) = default;

  [[nodiscard]] virtual std::string name() const { return "a user's OneStepIntegrator"; }  ///< for messages
  /// @throws InvalidArgument for a parameter out of range. Coefficients out of range are refused anyway.
  virtual void validate() const {}
  /// Empty: the system fits. Otherwise what to take instead, and why. Asked for systems of the scheme's order.
  [[nodiscard]] virtual std::string refuses(const SchemeUse& /*system*/) const { return {}; }
  [[nodiscard]] virtual SchemeCoefficients coefficients() const = 0;
  /// The other's coefficients are the same, so that caches made for it stand.
  [[nodiscard]] virtual bool is_same(const OneStepIntegrator& other) const { return this == &other; }
  /// By which AdaptiveTimeStepping judges and chooses steps. One that is too low costs steps; one that is too high lets
  /// through 2^order - 1 times what is allowed.
  [[nodiscard]] virtual SchemeOrder order(const SchemeUse& /*system*/) const { return {}; }
};

}  // namespace nonsmooth
