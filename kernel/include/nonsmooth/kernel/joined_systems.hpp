// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <nonsmooth/kernel/dynamical_system.hpp>
#include <nonsmooth/kernel/filippov.hpp>
#include <nonsmooth/kernel/hybrid_automaton.hpp>

namespace nonsmooth {

/// A unilateral contact without friction of one of JoinedSystems, with n = grad g, w = n . v, q' = v:
///
///     M v' = F + u + n r,   0 <= r ⟂ g(q) >= 0,   w+ = -e w- where g = 0 and w- < 0, by an impulse along n.
///
/// A rebound with w+^2 < rest_velocity^2, or less than that of w^2 + 2 g r_0 beside the floor, r_0 > 0 the acceleration
/// along n that presses, is none: the contact closes, with g = 0 and w = 0, until r is zero.
struct JoinedContact {
  std::string name = "contact";
  Index system = 0;                                                      ///< its place in the list: a mechanical one
  std::function<double(ConstVectorRef q)> gap{};                         ///< g [m]; required
  std::function<void(ConstVectorRef q, VectorRef gradient)> gradient{};  ///< n, comes in zeroed; none: differences
  double restitution = 0.0;                                              ///< e in [0, 1]
  double rest_velocity = 1e-4;                                           ///< > 0 [m/s]
};

/// Mechanical and first-order systems that a FilippovSystem or a HybridAutomaton reads and acts on: all of them have
/// one state,
///
///     x = (x_1; ..; x_K; w),   x_k = (q_k; v_k) of a mechanical system, the states of a first-order one,
///
///     q_k' = T(q_k) v_k,  M_k(q_k) v_k' = F_k(t, q_k, v_k) + u_k     mechanical
///     M_k x_k' = f_k(t, x_k) + u_k                                   first order
///     w' = a                                                         the switched system's own states, if any
///
/// where (u_1; ..; u_K; a) is what the f of the region or mode that x is in writes. Forces u jump, so that v_k' does
/// and v_k does not, but by resets. Switching functions, guards, invariants and resets are of all of x; so what slides
/// is the whole of it: a force that switches may hold a pendulum on a line of its phase plane.
///
///     const JoinedSystems plant({make_system(LagrangianSystem{.force = weight, .q0 = {1.0}})});
///     const FilippovHandles handles = link_filippov(model, plant.join(FilippovSystem{
///         .switches = {{.value = [](double, ConstVectorRef x) { return x[0] + x[1]; }}},
///         .regions = {{.signs = {1}, .f = [](double, ConstVectorRef, VectorRef u) { u[0] = -1.0; }},
///                     {.signs = {-1}, .f = [](double, ConstVectorRef, VectorRef u) { u[0] = 1.0; }}}}));
///     handles.system                              // x of all, by State::x
///
/// The result is one first-order system to the model: every simulation that takes FilippovSystems or automata takes it,
/// by steps, by events and by elements, and first-order relations link it to more. Relations of mechanics cannot act on
/// its systems. A contact comes in as modes of an automaton, by join() with a JoinedContact: what switches, slides and
/// hits is then one system, by events.
///
/// Jacobians are differences. Cost of x' beside the systems' own: a solve with M a mechanical system, of factors that
/// are kept where M is constant. Copies share what they have; immutable.
class JoinedSystems {
 public:
  /// @throws InvalidArgument: no system, a null one, one that is neither mechanical nor first order, is a
  /// FilippovSystem or an automaton (two that switch: all switching functions into one), has positions on a manifold
  /// (nq != nv: rotations in space), a feedback, prescribed velocities or impulses, a mass that is singular or not
  /// constant of first order.
  explicit JoinedSystems(std::vector<std::shared_ptr<const DynamicalSystem>> systems);

  /// Where the states of systems[k] begin in x: q of a mechanical one, or x_k. @throws InvalidArgument: no such system
  [[nodiscard]] Index state(Index k) const;
  /// Where v of a mechanical one does. @throws InvalidArgument: no such system, one of first order
  [[nodiscard]] Index velocity(Index k) const;
  /// Where u_k begins in what f writes: nv numbers [N] of a mechanical one, n of a first-order one.
  [[nodiscard]] Index input(Index k) const;
  [[nodiscard]] Index num_states() const noexcept { return num_states_; }  ///< of all x_k: where w begins
  [[nodiscard]] Index num_inputs() const noexcept { return num_inputs_; }  ///< of all u_k: where a begins

  /// `own` with x for its state: its x0 is w0 and may be empty; the functions of its regions get x and write (u; a).
  /// @throws InvalidArgument: a Jacobian f_dx is given.
  [[nodiscard]] FilippovSystem join(FilippovSystem own) const;
  [[nodiscard]] HybridAutomaton join(HybridAutomaton own) const;  ///< likewise

  /// The same with a contact: behind the modes of `own` one more for each, "<mode>, <contact>", in which it is closed,
  /// and transitions "<contact> hits", "closes" and "opens". Transitions of `own` with a reset lead to modes in which
  /// it is open, where it closes at once if it has to; where it is closed at x0 and t = 0 it begins so. In the closed
  /// modes g'' = 0 is held, g to the tolerance of the integrator. Of differences in the place of n, g'' is known to
  /// 1e-8.
  /// @throws InvalidArgument likewise; no gap, a system that is not mechanical, restitution outside of [0, 1], a
  /// rest_velocity that is not positive; at x0 a gap that throws, is not finite, or is below zero by more than 1e-9 of
  /// 1 and |q|.
  [[nodiscard]] HybridAutomaton join(HybridAutomaton own, JoinedContact contact) const;
  /// Of one switching function c: its regions as two modes that switch at c = 0 and slide there between them
  /// (HybridAutomaton::sliding_interval with a band of no width), in contact as in free motion.
  /// @throws InvalidArgument likewise; several switching functions.
  [[nodiscard]] HybridAutomaton join(FilippovSystem own, JoinedContact contact) const;

 private:
  class Part;
  class Touch;
  [[nodiscard]] const Part& part(Index k) const;
  template <class Field>
  [[nodiscard]] Field joined(Field own, Index num_own) const;
  [[nodiscard]] ConstantVector initial(const ConstantVector& own) const;

  std::vector<std::shared_ptr<const Part>> parts_;
  Index num_states_ = 0, num_inputs_ = 0;
};

}  // namespace nonsmooth
