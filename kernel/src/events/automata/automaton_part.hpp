// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "automaton_unit.hpp"
#include "events/part_of_units.hpp"

namespace nonsmooth::events {

/// All HybridAutomata of a model: their guards and transitions. Rates are the first-order part's.
class AutomatonPart final : public PartOfUnits<AutomatonUnit> {
 public:
  /// @throws InvalidArgument: a relation whose r acts on an automaton, or whose B is a function of time.
  AutomatonPart(const NonSmoothDynamicalSystem& model, const EventDrivenOptions& options);

  void rates(double, const Eigen::VectorXd&, Eigen::VectorXd&) override {}
  /// Guards::probing(): all of them, as users' functions, in 100 places of the longest step so far.
  [[nodiscard]] smooth::Guards::Probing probing(const smooth::DensePolynomial& dense, double least);
  Index probe(double t, const Eigen::VectorXd& z, double* values);
  bool remove_drift(double t, Eigen::VectorXd& z) override;
  void write(double, const Eigen::VectorXd&, State&) override {}

  [[nodiscard]] std::vector<AutomatonUnit>& units() noexcept { return units_; }
  using PartOfUnits::units;
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
  Index num_positions_ = 0;
};

}  // namespace nonsmooth::events
