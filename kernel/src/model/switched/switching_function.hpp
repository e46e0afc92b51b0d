// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <string>

#include <internal/check.hpp>
#include <nonsmooth/kernel/filippov.hpp>
#include <nonsmooth/numerics/error.hpp>

/// Switching functions with the derivatives that their users gave, or differences.
namespace nonsmooth::switching {

/// dc/dx; central differences over eps^(1/3) max(1, |x_k|) where none is given.
void gradient(const SwitchingFunction& surface, double t, ConstVectorRef x, VectorRef result);
/// dc/dt; differences of order 4 over max(1e-3, 1e-6 |t|) within [first, last] where none is given: five
/// places, right for functions of time whose own scale is 0.1 and more.
[[nodiscard]] double rate(const SwitchingFunction& surface, double t, ConstVectorRef x, double first, double last);

/// Asks one of the user's functions where it is linked. @throws InvalidArgument for what it throws
template <class Call>
void ask(const std::string& what, Call&& call) {
  try {
    call();
  } catch (const std::exception& error) {
    throw InvalidArgument(what, std::string("a function that throws at x0: ") + error.what(),
                          "one that can be asked there");
  }
}

inline constexpr double kWrong = 1e-4, kDifferenceError = 1e-6;

/// Given derivatives beside differences that may err by `allowed`; NaN is off by more than anything.
/// @throws InvalidArgument
template <class Given, class Differences>
void compare_within(const std::string& what, const Given& given, const Differences& differences, double allowed) {
  if (!given.allFinite()) throw InvalidArgument(what, "a number that is not finite at x0", "finite numbers");
  const double off = (given - differences).template lpNorm<Eigen::Infinity>();
  if (!(differences.allFinite() && off <= allowed)) {
    throw InvalidArgument(what, "entries that are off by " + check::text(off) + " from differences at x0",
                          "the derivative of the function that is given");
  }
}

/// Given derivatives beside differences. Those that differ by more than kWrong of the larger are wrong: far above what
/// differences of smooth functions leave, 1e-10 and 1e-8; kDifferenceError is what differences over ways of 1e-8 to
/// 1e-5 err by where the derivative itself vanishes; `noise` is what the function's own round-off makes of them.
/// @throws InvalidArgument
template <class Given, class Differences>
void compare(const std::string& what, const Given& given, const Differences& differences, double noise = 0.0) {
  const double size =
      std::max(given.template lpNorm<Eigen::Infinity>(), differences.template lpNorm<Eigen::Infinity>());
  compare_within(what, given, differences, kWrong * size + kDifferenceError + noise);
}

/// Value and gradient at t = 0 and x. @throws InvalidArgument: `what` ends with the function's name
void check_at(const std::string& type, const std::string& what, const SwitchingFunction& surface, ConstVectorRef x);

}  // namespace nonsmooth::switching
