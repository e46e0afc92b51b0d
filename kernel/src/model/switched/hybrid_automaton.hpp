// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nonsmooth/kernel/dynamical_system.hpp>
#include <nonsmooth/kernel/hybrid_automaton.hpp>

#include "sliding_field.hpp"

/// What a HybridAutomaton is to the stages and to event-driven simulation.
namespace nonsmooth {

/// A description that was checked, modes by number, with a mode more for each pair that may slide
/// (HybridAutomaton::sliding_interval). Functions get what they write zeroed.
class AutomatonFields {
 public:
  /// @throws InvalidArgument as make_system()
  explicit AutomatonFields(HybridAutomaton automaton);

  [[nodiscard]] const HybridAutomaton& automaton() const noexcept { return automaton_; }
  [[nodiscard]] Index n() const noexcept { return n_; }  ///< without the mode
  [[nodiscard]] Index start() const noexcept { return start_; }
  [[nodiscard]] Index num_modes() const noexcept { return static_cast<Index>(automaton_.modes.size()); }
  [[nodiscard]] const AutomatonMode& mode(Index m) const { return automaton_.modes[static_cast<std::size_t>(m)]; }
  [[nodiscard]] const AutomatonTransition& transition(Index k) const {
    return automaton_.transitions[static_cast<std::size_t>(k)];
  }
  /// Transitions from a mode, in their order.
  [[nodiscard]] const std::vector<Index>& leaving(Index m) const { return leaving_[static_cast<std::size_t>(m)]; }
  [[nodiscard]] Index to(Index k) const { return to_[static_cast<std::size_t>(k)]; }
  [[nodiscard]] std::string transition_name(Index k) const;
  /// The mode that a number of a state means; -1: none.
  [[nodiscard]] Index mode_of(double number) const noexcept;

  void field(Index m, double t, ConstVectorRef x, VectorRef value) const;

  /// What slides in a mode; null: it is one of the user's.
  [[nodiscard]] const AutomatonSliding* sliding(Index m) const {
    const Index k = m - num_own_;
    return k >= 0 ? sliding_[static_cast<std::size_t>(k)].get() : nullptr;
  }
  /// The mode that (t, x) next to the surface of a sliding one is in, by the sign of c.
  [[nodiscard]] Index beside(Index sliding_mode, double t, ConstVectorRef x) const;
  /// The sliding mode that may begin where a transition is due; -1: none.
  [[nodiscard]] Index sliding_at(Index k) const { return sliding_at_[static_cast<std::size_t>(k)]; }

 private:
  [[nodiscard]] Index find_mode(const std::string& argument, const std::string& name) const;
  void check_start() const;
  void check_other(Index m, const Eigen::VectorXd& x) const;
  struct Pair {
    Index below = 0, above = 0;  ///< modes that a sliding one stands between
  };
  void add_sliding_modes();
  void add_sliding_mode(const Pair& pair, SlidingLimit limit);
  void add_transitions_of(Index sliding_mode);
  void add_transition(AutomatonTransition transition);

  HybridAutomaton automaton_;
  Index n_, start_ = 0, num_own_ = 0;  ///< num_own_: modes of the user's
  std::vector<std::shared_ptr<const AutomatonSliding>> sliding_;
  std::vector<Pair> pairs_;  ///< by sliding mode
  std::vector<Index> sliding_at_;
  std::vector<Index> to_;
  std::vector<std::vector<Index>> leaving_;
};

/// (x; m)' = (f_m(t, x); 0), with a Jacobian in every mode: by f_dx, or forward differences over sqrt(eps) max(1,
/// |x_k|); its column of the mode is zero. A number that is no mode has x' = 0: differences of an integrator's may move
/// m far, where the scale of their steps is, and what they find for it is multiplied by changes of m, which are none. A
/// state that has one at an instant is refused (AutomatonUnit).
class AutomatonProcess final : public FirstOrderDynamicalSystem {
 public:
  explicit AutomatonProcess(std::shared_ptr<const AutomatonFields> fields) : fields_(std::move(fields)) {}
  [[nodiscard]] std::string name() const override { return fields_->automaton().name; }
  [[nodiscard]] Eigen::VectorXd initial_state() const override;
  void f(double t, ConstVectorRef x, VectorRef value) const override;
  bool f_dx(double t, ConstVectorRef x, MatrixRef jacobian) const override;
  [[nodiscard]] const std::shared_ptr<const AutomatonFields>& fields() const noexcept { return fields_; }

 private:
  std::shared_ptr<const AutomatonFields> fields_;
};

}  // namespace nonsmooth
