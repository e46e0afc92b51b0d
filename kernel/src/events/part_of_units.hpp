// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <nonsmooth/numerics/error.hpp>

#include "events/mode_part.hpp"
#include "model/memory.hpp"
#include "smooth/guard_probes.hpp"
#include "smooth/guard_roots.hpp"

namespace nonsmooth::events {

/// A subsystem of systems that share nothing, each a unit with a mode of its own: guards come unit by unit. A unit has
/// set_window, num_guards, guards, guard_name, guard_starts, resolve, reset as ModePart, and remember(memory, ...).
template <class Unit>
class PartOfUnits : public ModePart {
 public:
  PartOfUnits(std::vector<Unit> units, bool fixed_step, std::string kind)
      : units_(std::move(units)), fixed_step_(fixed_step), kind_(std::move(kind)) {}

  [[nodiscard]] bool empty() const noexcept { return units_.empty(); }
  [[nodiscard]] const std::vector<Unit>& units() const noexcept { return units_; }

  void set_window(const TimeWindow& window) noexcept override {
    window_ = window;
    for (Unit& unit : units_) unit.set_window(window);
  }
  [[nodiscard]] Index num_guards() const override {
    Index count = 0;
    for (const Unit& unit : units_) count += unit.num_guards();
    return count;
  }
  void guards(double t, const Eigen::VectorXd& z, double* values) override {
    for (Unit& unit : units_) {
      unit.guards(t, z, values);
      values += unit.num_guards();
    }
  }
  [[nodiscard]] std::string guard_name(Index guard) const override {
    for (const Unit& unit : units_) {
      if (guard < unit.num_guards()) return unit.guard_name(guard);
      guard -= unit.num_guards();
    }
    return kind_;
  }
  void guard_starts(double t, const Eigen::VectorXd& z, bool fresh, int* zeros, double* dips) override {
    for (Unit& unit : units_) {
      unit.guard_starts(t, z, fresh, zeros, dips);
      zeros += unit.num_guards();
      dips += unit.num_guards();
    }
  }
  [[nodiscard]] Resolution resolve(double t, Eigen::VectorXd& z, const std::vector<Index>& crossed,
                                   std::vector<Event>& log) override {
    Index first = 0;
    Resolution worst;
    for (Unit& unit : units_) {
      const Index end = first + unit.num_guards();
      std::vector<Index> own;
      for (const Index guard : crossed)
        if (guard >= first && guard < end) own.push_back(guard - first);
      first = end;
      const Resolution resolution = unit.resolve(t, z, own, log);
      if (worst && !resolution) worst = resolution;
    }
    return worst;
  }
  void reset() {
    longest_step_ = {};
    for (Unit& unit : units_) unit.reset();
  }

 protected:
  /// Guards::probing() of so many functions: as users', in 100 places of the longest step so far.
  [[nodiscard]] smooth::Guards::Probing probing_of(Index count, const smooth::DensePolynomial& dense, double least) {
    if (count == 0) return {};
    const double usual = fixed_step_ ? 0.0 : longest_step_.places(dense.h, dense.h);
    return {.guards = count, .places = std::max(usual, least)};
  }
  /// Behind what other parts wrote, with the count of its own numbers last; nothing without systems.
  template <class... With>
  void append_units(std::vector<double>& numbers, const With&... with) {
    if (units_.empty()) return;
    std::vector<double> own;
    memory::Writer memory(own);
    memory(longest_step_);
    for (Unit& unit : units_) unit.remember(memory, with...);
    numbers.insert(numbers.end(), own.begin(), own.end());
    numbers.push_back(static_cast<double>(own.size()));
  }
  /// Takes its own numbers off the end, and goes on from them.
  template <class... With>
  void resume_units(std::vector<double>& numbers, const With&... with) {
    if (units_.empty() || numbers.empty()) return;
    const auto count = static_cast<std::size_t>(numbers.back());
    numbers.pop_back();
    if (count > numbers.size())
      throw InvalidArgument("State::events", "fewer numbers than the model has", "what a simulation wrote");
    const std::vector<double> own(numbers.end() - static_cast<std::ptrdiff_t>(count), numbers.end());
    numbers.resize(numbers.size() - count);
    memory::Reader memory(own);
    memory(longest_step_);
    for (Unit& unit : units_) unit.remember(memory, with...);
  }

  std::vector<Unit> units_;

 private:
  bool fixed_step_;
  std::string kind_;  ///< "a FilippovSystem"
  smooth::LongestSoFar longest_step_;
};

}  // namespace nonsmooth::events
