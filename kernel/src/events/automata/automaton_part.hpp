// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "automaton_unit.hpp"
#include "smooth/guard_probes.hpp"
#include "smooth/guard_roots.hpp"

namespace nonsmooth::events {

/// All HybridAutomata of a model: their guards and transitions. Rates are the first-order part's.
class AutomatonPart final : public ModePart {
 public:
  /// @throws InvalidArgument: a relation whose r acts on an automaton, or whose B is a function of time.
  AutomatonPart(const NonSmoothDynamicalSystem& model, const EventDrivenOptions& options);

  void set_window(const TimeWindow& window) noexcept override;
  void rates(double, const Eigen::VectorXd&, Eigen::VectorXd&) override {}
  [[nodiscard]] Index num_guards() const override;
  void guards(double t, const Eigen::VectorXd& z, double* values) override;
  [[nodiscard]] std::string guard_name(Index guard) const override;
  void guard_starts(double t, const Eigen::VectorXd& z, bool fresh, int* zeros, double* dips) override;
  /// Guards::probing(): all of them, as users' functions, in 100 places of the longest step so far.
  [[nodiscard]] smooth::Guards::Probing probing(const smooth::DensePolynomial& dense, double least);
  Index probe(double t, const Eigen::VectorXd& z, double* values);
  [[nodiscard]] Resolution resolve(double t, Eigen::VectorXd& z, const std::vector<Index>& crossed,
                                   std::vector<Event>& log) override;
  bool remove_drift(double t, Eigen::VectorXd& z) override;
  void write(double, const Eigen::VectorXd&, State&) override {}
  void reset();
  [[nodiscard]] const std::vector<AutomatonUnit>& units() const noexcept { return units_; }

  /// As FirstOrderPart's.
  struct Other {
    const AutomatonUnit* unit = nullptr;
    const AutomatonUnit::Motion* motion = nullptr;
    std::vector<Event> rows{};
  };
  [[nodiscard]] std::vector<Other> others(double t) const;
  void write_other(const Other& other, Eigen::VectorXd& zdot, Eigen::VectorXd& multipliers) const;
  /// As FilippovPart's, with the modes that z has.
  void append(std::vector<double>& numbers, const Eigen::VectorXd& z);
  void resume(std::vector<double>& numbers, const Eigen::VectorXd& z);

 private:
  std::vector<AutomatonUnit> units_;
  Index num_positions_ = 0;
  bool fixed_step_;
  smooth::LongestSoFar longest_step_;
};

}  // namespace nonsmooth::events
