// SPDX-License-Identifier: Apache-2.0
#include "filippov_part.hpp"

#include <algorithm>

#include <nonsmooth/numerics/error.hpp>

#include "model/memory.hpp"

namespace nonsmooth::events {

FilippovPart::FilippovPart(const NonSmoothDynamicalSystem& model, const EventDrivenOptions& options)
    : units_(filippov::filippov_units(model, options)), fixed_step_(options.step > 0.0) {}

void FilippovPart::set_window(const TimeWindow& window) noexcept {
  window_ = window;
  for (FilippovUnit& unit : units_) unit.set_window(window);
}

void FilippovPart::rates(double t, const Eigen::VectorXd& z, Eigen::VectorXd& zdot) {
  for (FilippovUnit& unit : units_) unit.rates(t, z, zdot);
}

void FilippovPart::residual(double t, const Eigen::VectorXd& z, const Eigen::VectorXd& zdot, Eigen::VectorXd& r) {
  own_.resize(z.size());
  for (FilippovUnit& unit : units_) {
    unit.rates(t, z, own_);
    const Index n = unit.fields().n();
    r.segment(unit.z(), n) = zdot.segment(unit.z(), n) - own_.segment(unit.z(), n);
  }
}

Index FilippovPart::num_guards() const {
  Index count = 0;
  for (const FilippovUnit& unit : units_) count += unit.num_guards();
  return count;
}

void FilippovPart::guards(double t, const Eigen::VectorXd& z, double* values) {
  for (FilippovUnit& unit : units_) {
    unit.guards(t, z, values);
    values += unit.num_guards();
  }
}

std::string FilippovPart::guard_name(Index guard) const {
  for (const FilippovUnit& unit : units_) {
    if (guard < unit.num_guards()) return unit.guard_name(guard);
    guard -= unit.num_guards();
  }
  return "a FilippovSystem";
}

void FilippovPart::guard_starts(double t, const Eigen::VectorXd& z, bool fresh, int* zeros, double* dips) {
  for (FilippovUnit& unit : units_) {
    unit.guard_starts(t, z, fresh, zeros, dips);
    zeros += unit.num_guards();
    dips += unit.num_guards();
  }
}

smooth::Guards::Probing FilippovPart::probing(const smooth::DensePolynomial& dense, double least) {
  Index count = 0;
  for (const FilippovUnit& unit : units_) count += unit.num_surface_guards();
  if (count == 0) return {};
  const double usual = fixed_step_ ? 0.0 : longest_step_.places(dense.h, dense.h);
  return {.guards = count, .places = std::max(usual, least)};
}

Index FilippovPart::probe(double t, const Eigen::VectorXd& z, double* values) {
  Index count = 0;
  for (FilippovUnit& unit : units_) {
    unit.surface_guards(t, z, values + count);
    count += unit.num_surface_guards();
  }
  return count;
}

Resolution FilippovPart::resolve(double t, Eigen::VectorXd& z, const std::vector<Index>& crossed,
                                 std::vector<Event>& log) {
  Index first = 0;
  Resolution worst;
  for (FilippovUnit& unit : units_) {
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

bool FilippovPart::remove_drift(double t, Eigen::VectorXd& z) {
  bool moved = false;
  for (FilippovUnit& unit : units_) moved = unit.remove_drift(t, z) || moved;
  return moved;
}

void FilippovPart::write(double t, const Eigen::VectorXd& z, State& state) {
  for (FilippovUnit& unit : units_) unit.write(t, z, state);
}

void FilippovPart::reset() {
  longest_step_ = {};
  for (FilippovUnit& unit : units_) unit.reset();
}

std::vector<FilippovPart::Other> FilippovPart::others(double t) const {
  std::vector<Other> list;
  for (const FilippovUnit& unit : units_) {
    for (const FilippovUnit::Motion& motion : unit.others()) {
      list.push_back({&unit, &motion, {}});
      unit.list_changes(motion, t, EventKind::Switch, list.back().rows);
    }
  }
  return list;
}

void FilippovPart::append(std::vector<double>& numbers) {
  if (units_.empty()) return;
  std::vector<double> own;
  memory::Writer memory(own);
  memory(longest_step_);
  for (FilippovUnit& unit : units_) unit.remember(memory);
  numbers.insert(numbers.end(), own.begin(), own.end());
  numbers.push_back(static_cast<double>(own.size()));
}

void FilippovPart::resume(std::vector<double>& numbers) {
  if (units_.empty() || numbers.empty()) return;
  const auto count = static_cast<std::size_t>(numbers.back());
  numbers.pop_back();
  if (count > numbers.size())
    throw InvalidArgument("State::events", "fewer numbers than the model has", "what a simulation wrote");
  const std::vector<double> own(numbers.end() - static_cast<std::ptrdiff_t>(count), numbers.end());
  numbers.resize(numbers.size() - count);
  memory::Reader memory(own);
  memory(longest_step_);
  for (FilippovUnit& unit : units_) unit.remember(memory);
}

}  // namespace nonsmooth::events
