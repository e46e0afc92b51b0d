// SPDX-License-Identifier: Apache-2.0
// What the tests of malformed input share: the check of a refusal, and small models that are right but for one thing.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <nonsmooth/kernel.hpp>

namespace nonsmooth::bad_input {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

inline void expect_contains(const std::string& message, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    EXPECT_NE(message.find(part), std::string::npos) << "\"" << part << "\" is not in \"" << message << "\"";
  }
}

/// `call` throws InvalidArgument whose message holds every one of `parts`.
inline void expect_refused(const std::function<void()>& call, const std::vector<std::string>& parts) {
  try {
    call();
    ADD_FAILURE() << "nothing was refused; expected: " << parts.front();
  } catch (const InvalidArgument& error) {
    expect_contains(error.what(), parts);
    EXPECT_FALSE(error.argument().empty());
    EXPECT_FALSE(error.found().empty());
    EXPECT_FALSE(error.expected().empty());
  }
}

inline LagrangianLinearSystem ball() {
  LagrangianLinearSystem system;
  system.mass = {{1.0}};
  system.force = {-9.81};
  system.q0 = {1.0};
  system.v0 = {0.0};
  system.name = "ball";
  return system;
}

inline FirstOrderLinearSystem capacitor() {
  FirstOrderLinearSystem system;
  system.A = {{-1.0}};
  system.x0 = {1.0};
  system.name = "capacitor";
  return system;
}

inline LagrangianLinearRelation height() {
  LagrangianLinearRelation relation;
  relation.H = {{1.0}};
  return relation;
}

inline FirstOrderLinearRelation output() {
  FirstOrderLinearRelation relation;
  relation.C = {{1.0}};
  relation.B = {{1.0}};
  return relation;
}

inline TimeSteppingOptions with_step(double h) {
  TimeSteppingOptions options;
  options.step = h;
  return options;
}

/// A model of one mechanical and one first-order system, for links that must be refused.
class Linking : public testing::Test {
 protected:
  NonSmoothDynamicalSystem model;
  SystemHandle mechanical = model.add(ball());
  SystemHandle electrical = model.add(capacitor());

  template <class AnyRelation>
  void expect_link_refused(const std::vector<SystemHandle>& systems, const AnyRelation& relation, const Law& law,
                           const std::vector<std::string>& parts) {
    const auto before = model.num_interactions();
    expect_refused([&] { model.link(systems, relation, law); }, parts);
    EXPECT_EQ(model.num_interactions(), before) << "a refused link must not stay in the model";
  }
};

}  // namespace nonsmooth::bad_input
