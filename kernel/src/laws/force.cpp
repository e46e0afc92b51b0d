// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/laws/force.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "fixed_law.hpp"
#include "model/equations/differences.hpp"

namespace nonsmooth {
namespace laws {
namespace {

/// Of a force, two roundings of its value: what is no more is no slope.
constexpr double kRounding = 2.0 * std::numeric_limits<double>::epsilon();

/// With a = theta (s h k + d), k = -f_y and d = -f_u: p / h = f_k - theta h k u_k - a (u+ - u_k), as the row
/// u+ + p / (h a) + (theta h k u_k - f_k) / a - u_k = 0 in a box; where a is 0, or rounding of f_k alone, p is known.
template <class Force>
void write_force_block(const Force& law, const LawContext& context, LawBlock& block) {
  if (block.parts.empty()) {
    block.parts = {{box(law.lower(), law.upper()), 1}};
    block.coupling = Eigen::MatrixXd::Zero(1, 1);
    block.offset = Eigen::VectorXd::Zero(1);
  }
  if (context.h == 0.0) return;  // at rest: no force is asked for before there is a place
  const double h = context.h, theta = context.theta, y = context.y[0], u = context.u[0];
  const ForceLaw::Slopes slopes = law.slopes(context.t, y, u);
  const double k = std::max(0.0, -slopes.dy), d = std::max(0.0, -slopes.du);
  double f = (1.0 - theta) * law.force(context.t, y, u) + theta * law.force(context.t + h, y, u);
  f += std::max(0.0, slopes.dy) * theta * h * u;
  if (const double told = f + slopes.dy + slopes.du; !std::isfinite(told)) {
    block.offset[0] = told;  // which fails the step, by name
    return;
  }
  const double a = theta * (context.position * h * k + d);
  BlockSet& set = block.parts[0].set;
  if (a * std::max(1.0, std::abs(u)) > kRounding * std::abs(f)) {
    set.lower = law.lower();
    set.upper = law.upper();
    block.coupling(0, 0) = 1.0 / a;
    block.offset[0] = (theta * h * k * u - f) / a - u;
  } else {
    set.lower = set.upper = std::clamp(f, law.lower(), law.upper());
    block.coupling(0, 0) = 0.0;
    block.offset[0] = 0.0;
  }
}

/// Forces of one class: their functions are called directly.
template <class Derived>
class BatchedForce : public ForceLaw {
 public:
  void blocks(const LawBatch& batch) const final {
    for (Index i = 0; i < batch.size(); ++i)
      write_force_block(static_cast<const Derived&>(batch.law(i)), batch.context(i), batch.block(i));
  }
};

class SpringDamper final : public BatchedForce<SpringDamper> {
 public:
  explicit SpringDamper(const SpringDamperLaw& law) : law_(law) {}
  [[nodiscard]] std::string name() const override { return "SpringDamperLaw"; }
  [[nodiscard]] double force(double, double y, double u) const override {
    return -law_.stiffness * y - law_.damping * u;
  }
  [[nodiscard]] Slopes slopes(double, double, double) const override { return {-law_.stiffness, -law_.damping}; }
  [[nodiscard]] double lower() const override { return law_.lower; }
  [[nodiscard]] double upper() const override { return law_.upper; }
  [[nodiscard]] bool is_passive() const override { return law_.lower <= 0.0 && law_.upper >= 0.0; }
  [[nodiscard]] bool has_stiffness() const override { return law_.stiffness > 0.0; }
  void validate() const override {
    at_least_zero("SpringDamperLaw::stiffness", law_.stiffness);
    at_least_zero("SpringDamperLaw::damping", law_.damping);
    if (law_.stiffness == 0.0 && law_.damping == 0.0)
      throw InvalidArgument("SpringDamperLaw", "no stiffness and no damping", "one of both > 0");
  }

 private:
  SpringDamperLaw law_;
};

class Actuator final : public BatchedForce<Actuator> {
 public:
  explicit Actuator(ActuatorLaw law) : law_(std::move(law)) {}
  [[nodiscard]] std::string name() const override { return "ActuatorLaw"; }
  [[nodiscard]] double force(double t, double y, double u) const override { return law_.force(t, y, u); }
  [[nodiscard]] Slopes slopes(double t, double y, double u) const override {
    if (law_.force_dy && law_.force_du) return {law_.force_dy(t, y, u), law_.force_du(t, y, u)};
    Slopes result = ForceLaw::slopes(t, y, u);
    if (law_.force_dy) result.dy = law_.force_dy(t, y, u);
    if (law_.force_du) result.du = law_.force_du(t, y, u);
    return result;
  }
  [[nodiscard]] double lower() const override { return law_.lower; }
  [[nodiscard]] double upper() const override { return law_.upper; }
  void validate() const override {
    if (!law_.force) throw InvalidArgument("ActuatorLaw::force", "no function", "one of (t, y, u)");
  }

 private:
  ActuatorLaw law_;
};

}  // namespace
}  // namespace laws

ForceLaw::Slopes ForceLaw::slopes(double t, double y, double u) const {
  const double here = force(t, y, u), of_y = differences::step_at(y), of_u = differences::step_at(u);
  const auto slope = [here](double there, double step) {
    const bool rounding = std::abs(there - here) <= laws::kRounding * std::abs(here);
    return rounding ? 0.0 : (there - here) / step;
  };
  return {slope(force(t, y + of_y, u), of_y), slope(force(t, y, u + of_u), of_u)};
}

LawShape ForceLaw::shape(LawUse use) const {
  validate();
  if (!(lower() < upper())) {
    throw InvalidArgument(name(), "lower = " + check::text(lower()) + ", upper = " + check::text(upper()),
                          "lower < upper");
  }
  laws::require_mechanics(use);
  if (use.compliant)
    throw InvalidArgument("law", name() + " on a compliant relation", "a rigid relation: the law is what gives way");
  LawShape shape;
  shape.varies = LawVaries::Step;
  shape.in_forces = true;
  return shape;
}

void ForceLaw::block(const LawContext& context, LawBlock& block) const {
  laws::write_force_block(*this, context, block);
}

double ForceLaw::limited_force(double t, double y, double u) const {
  const double f = force(t, y, u);
  return std::isfinite(f) ? std::clamp(f, lower(), upper()) : f;
}

std::shared_ptr<const NonSmoothLaw> make_law(const SpringDamperLaw& law) {
  return std::make_shared<const laws::SpringDamper>(law);
}
std::shared_ptr<const NonSmoothLaw> make_law(ActuatorLaw law) {
  return std::make_shared<const laws::Actuator>(std::move(law));
}

}  // namespace nonsmooth
