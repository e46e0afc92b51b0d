// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "events/part_of_units.hpp"
#include "filippov/filippov_unit.hpp"

namespace nonsmooth::events {

using filippov::FilippovUnit;

/// All FilippovSystems of a model, each with a mode of its own.
class FilippovPart final : public PartOfUnits<FilippovUnit> {
 public:
  /// @throws InvalidArgument: a FilippovSystem without its fields.
  FilippovPart(const NonSmoothDynamicalSystem& model, const EventDrivenOptions& options);

  using PartOfUnits::units;
  [[nodiscard]] std::vector<FilippovUnit>& units() noexcept { return units_; }
  void rates(double t, const Eigen::VectorXd& z, Eigen::VectorXd& zdot) override;
  /// Guards::probing(): those of surfaces, as users' functions, in 100 places of the longest step so far.
  [[nodiscard]] smooth::Guards::Probing probing(const smooth::DensePolynomial& dense, double least);
  Index probe(double t, const Eigen::VectorXd& z, double* values);
  bool remove_drift(double t, Eigen::VectorXd& z) override;
  void write(double t, const Eigen::VectorXd& z, State& state) override;
  /// r = zdot - rates in its entries.
  void residual(double t, const Eigen::VectorXd& z, const Eigen::VectorXd& zdot, Eigen::VectorXd& r);

  /// As FirstOrderPart's.
  struct Other {
    const FilippovUnit* unit = nullptr;
    const FilippovUnit::Motion* motion = nullptr;
    std::vector<Event> rows{};
  };
  [[nodiscard]] std::vector<Other> others(double t) const;
  void write_other(const Other& other, Eigen::VectorXd& zdot, Eigen::VectorXd& multipliers) const {
    other.unit->write_other(*other.motion, zdot, multipliers);
  }
  /// Behind what the first-order part wrote, with the count of its own numbers last; nothing without systems.
  void append(std::vector<double>& numbers);
  /// Takes its own numbers off the end, and goes on from them.
  void resume(std::vector<double>& numbers);

 private:
  Eigen::VectorXd own_;
};

}  // namespace nonsmooth::events
