// SPDX-License-Identifier: Apache-2.0
#include "first_order_slopes.hpp"

#include <utility>

#include <nonsmooth/numerics/linear_algebra/factorization.hpp>

#include "model/switched/filippov.hpp"

namespace nonsmooth::events {

FirstOrderSlopes::FirstOrderSlopes(const NonSmoothDynamicalSystem& model) : data_(model) {
  Index first = 0;
  for (const Layout::System& place : model.layout()->systems) {
    if (!place.first_order) continue;
    const auto& record = model.systems()[place.slot];
    if (dynamic_cast<const FilippovProcess*>(record.first_order)) continue;
    System system{.description = FirstOrderSystemEvaluator::of(record), .x = first, .n = place.n};
    const MatrixData& mass = system.description.mass();
    if (!mass.empty()) {
      DenseFactorization factor;
      given_ = given_ && factor.factorize(mass.to_dense(place.n, true));
      system.inverse_mass = Eigen::MatrixXd::Identity(place.n, place.n);
      if (given_) factor.solve_in_place(system.inverse_mass);
    }
    first += place.n;
    systems_.push_back(std::move(system));
  }
}

bool FirstOrderSlopes::operator()(double t, const Eigen::VectorXd& z, const std::vector<signed char>& status,
                                  Eigen::MatrixXd& A) {
  if (!given_) return false;
  data_.evaluate(t);
  if (!data_.matrices_vary && data_.present_stamp() == 0) data_.remember({data_.C, data_.D, data_.P, 1});
  std::unique_ptr<FirstOrderMode>& mode = modes_[status];
  if (!mode) mode = std::make_unique<FirstOrderMode>(data_, status);
  mode->update();
  if (!mode->usable() || (mode->needs_constraint_rate() && data_.matrices_vary)) return false;
  data_.gather(z, x_);
  J_.setZero(data_.n, data_.n);
  for (const System& system : systems_) {
    own_.resize(system.n, system.n);
    const bool differences =
        system.description.differentiate(t, x_.segment(system.x, system.n), own_, [](const auto&, auto&&, auto&&) {});
    if (differences) return given_ = false;
    auto block = J_.block(system.x, system.x, system.n, system.n);
    if (system.inverse_mass.size() > 0) {
      block.noalias() = system.inverse_mass * own_;
    } else {
      block = own_;
    }
  }
  map_ = mode->Sx.topRows(data_.m);
  map_.noalias() += mode->Sg.topRows(data_.m) * J_;
  A = J_;
  A.noalias() += data_.P * map_;
  return true;
}

}  // namespace nonsmooth::events
