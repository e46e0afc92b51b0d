// SPDX-License-Identifier: Apache-2.0
// What the tests of the integration of smooth phases share.
#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>
#include <smooth/stepper.hpp>

namespace nonsmooth::smooth {

using Eigen::VectorXd;

class Function final : public RightHandSide {
 public:
  using Call = std::function<void(double, const VectorXd&, VectorXd&)>;
  Function(Index n, Call call) : n_(n), call_(std::move(call)) {}
  [[nodiscard]] Index size() const override { return n_; }
  void operator()(double t, const VectorXd& z, VectorXd& zdot) override { call_(t, z, zdot), ++calls; }
  Index calls = 0;

 private:
  Index n_;
  Call call_;
};

inline std::unique_ptr<Stepper> make(const SmoothIntegrator& method, const ErrorControl& control, RightHandSide& f) {
  return std::visit(
      [&](const auto& chosen) -> std::unique_ptr<Stepper> {
        if constexpr (std::is_same_v<std::decay_t<decltype(chosen)>, GeneralisedAlpha>) {
          return nullptr;
        } else {
          return make_stepper(chosen, control, f);
        }
      },
      method);
}

inline std::string name(const SmoothIntegrator& method) {
  if (const auto* pair = std::get_if<DormandPrince>(&method)) return "Dormand-Prince " + std::to_string(pair->order);
  if (const auto* cvode = std::get_if<Cvode>(&method)) return cvode->method == Cvode::Method::Adams ? "Adams" : "BDF";
  if (std::holds_alternative<Ida>(method)) return "IDA";
  return "Radau IIA";
}

inline const std::vector<SmoothIntegrator> kOneStep{DormandPrince{5}, DormandPrince{8}, RadauIIA{}};

inline std::vector<SmoothIntegrator> all_methods() {
  auto methods = kOneStep;
  if (Cvode::available()) {
    methods.emplace_back(Cvode{Cvode::Method::Adams});
    methods.emplace_back(Cvode{Cvode::Method::Bdf});
  }
  if (Ida::available()) methods.emplace_back(Ida{});
  return methods;
}

/// z = (exp(sin t), 1 / (3 + cos t), sqrt(2 + sin t)): nonlinear, coupled, time scales of order one.
inline VectorXd closed_form(double t) {
  return VectorXd{{std::exp(std::sin(t)), 1.0 / (3.0 + std::cos(t)), std::sqrt(2.0 + std::sin(t))}};
}
inline void closed_form_slope(double t, const VectorXd& z, VectorXd& zdot) {
  zdot[0] = z[0] * std::cos(t) + 0.5 * (z[2] * z[2] - 2.0 - std::sin(t));
  zdot[1] = std::sin(t) * z[1] * z[1];
  zdot[2] = 0.5 * std::cos(t) / z[2] + 0.3 * (z[0] - std::exp(std::sin(t)));
}

inline void run_to(Stepper& stepper, double t) {
  while (stepper.t() < t) ASSERT_EQ(stepper.advance(t), Outcome::Taken) << "at " << stepper.t();
}

}  // namespace nonsmooth::smooth
