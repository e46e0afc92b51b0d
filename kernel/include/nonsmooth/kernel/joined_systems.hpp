// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <nonsmooth/kernel/dynamical_system.hpp>
#include <nonsmooth/kernel/filippov.hpp>
#include <nonsmooth/kernel/hybrid_automaton.hpp>

namespace nonsmooth {

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
/// by steps, by events and by elements, and first-order relations link it to more. Contacts and other relations of
/// mechanics cannot act on its systems; a floor under one is a mode of an automaton, or a region.
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

 private:
  class Part;
  [[nodiscard]] const Part& part(Index k) const;
  template <class Field>
  [[nodiscard]] Field joined(Field own, Index num_own) const;
  [[nodiscard]] ConstantVector initial(const ConstantVector& own) const;

  std::vector<std::shared_ptr<const Part>> parts_;
  Index num_states_ = 0, num_inputs_ = 0;
};

}  // namespace nonsmooth
