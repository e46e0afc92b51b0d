// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "events/mode_part.hpp"
#include "filippov/filippov_unit.hpp"
#include "smooth/guard_roots.hpp"

namespace nonsmooth::events {

using filippov::FilippovUnit;

/// All FilippovSystems of a model, each with a mode of its own.
class FilippovPart final : public ModePart {
 public:
  /// @throws InvalidArgument: a FilippovSystem without its fields.
  FilippovPart(const NonSmoothDynamicalSystem& model, const EventDrivenOptions& options);

  [[nodiscard]] bool empty() const noexcept { return units_.empty(); }
  [[nodiscard]] std::vector<FilippovUnit>& units() noexcept { return units_; }
  void set_window(const TimeWindow& window) noexcept override;
  void rates(double t, const Eigen::VectorXd& z, Eigen::VectorXd& zdot) override;
  [[nodiscard]] Index num_guards() const override;
  void guards(double t, const Eigen::VectorXd& z, double* values) override;
  [[nodiscard]] std::string guard_name(Index guard) const override;
  void guard_starts(double t, const Eigen::VectorXd& z, bool fresh, int* zeros, double* dips) override;
  /// Guards::probing(): those of surfaces, as users' functions, in 100 places of the longest step so far.
  [[nodiscard]] smooth::Guards::Probing probing(const smooth::DensePolynomial& dense, double least);
  Index probe(double t, const Eigen::VectorXd& z, double* values);
  [[nodiscard]] Resolution resolve(double t, Eigen::VectorXd& z, const std::vector<Index>& crossed,
                                   std::vector<Event>& log) override;
  bool remove_drift(double t, Eigen::VectorXd& z) override;
  void write(double t, const Eigen::VectorXd& z, State& state) override;
  /// r = zdot - rates in its entries.
  void residual(double t, const Eigen::VectorXd& z, const Eigen::VectorXd& zdot, Eigen::VectorXd& r);
  void reset();

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
  std::vector<FilippovUnit> units_;
  bool fixed_step_;
  smooth::LongestSoFar longest_step_;
  Eigen::VectorXd own_;
};

}  // namespace nonsmooth::events
