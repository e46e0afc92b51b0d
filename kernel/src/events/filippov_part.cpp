// SPDX-License-Identifier: Apache-2.0
#include "filippov_part.hpp"

namespace nonsmooth::events {

FilippovPart::FilippovPart(const NonSmoothDynamicalSystem& model, const EventDrivenOptions& options)
    : PartOfUnits(filippov::filippov_units(model, options), options.step > 0.0, "a FilippovSystem") {}

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

smooth::Guards::Probing FilippovPart::probing(const smooth::DensePolynomial& dense, double least) {
  Index count = 0;
  for (const FilippovUnit& unit : units_) count += unit.num_surface_guards();
  return probing_of(count, dense, least);
}

Index FilippovPart::probe(double t, const Eigen::VectorXd& z, double* values) {
  Index count = 0;
  for (FilippovUnit& unit : units_) {
    unit.surface_guards(t, z, values + count);
    count += unit.num_surface_guards();
  }
  return count;
}

bool FilippovPart::remove_drift(double t, Eigen::VectorXd& z) {
  bool moved = false;
  for (FilippovUnit& unit : units_) moved = unit.remove_drift(t, z) || moved;
  return moved;
}

void FilippovPart::write(double t, const Eigen::VectorXd& z, State& state) {
  for (FilippovUnit& unit : units_) unit.write(t, z, state);
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

void FilippovPart::append(std::vector<double>& numbers) { append_units(numbers); }

void FilippovPart::resume(std::vector<double>& numbers) { resume_units(numbers); }

}  // namespace nonsmooth::events
