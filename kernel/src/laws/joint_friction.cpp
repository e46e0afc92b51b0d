// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/laws/joint_friction.hpp>

#include <algorithm>
#include <cmath>

#include "batched_law.hpp"
#include "fixed_law.hpp"

namespace nonsmooth {
namespace laws {
namespace {

/// What the rows of a joint are to its friction, a specialisation a law: kName, all rows, those that rub (the last),
/// check(law), and the bound without its preload, of the multipliers of all rows.
template <class Description>
struct JointRows;

/// |N_1| + |N_2| of N = (sum +- difference) / 2.
double both(const Eigen::Vector2d& sum, const Eigen::Vector2d& difference) {
  return 0.5 * ((sum + difference).norm() + (sum - difference).norm());
}

/// 2 / length, or 0: what makes forces of moments.
double per_half(double length) { return length > 0.0 ? 2.0 / length : 0.0; }

/// R along the axes x, y, z of the second's frame, M_y, -M_x, moment.
template <>
struct JointRows<HingeFrictionLaw> {
  static constexpr const char* kName = "HingeFrictionLaw";
  static constexpr Index kCount = 6, kRubbing = 1;
  static void check(const HingeFrictionLaw& law) {
    at_least_zero("HingeFrictionLaw::radius", law.radius);
    at_least_zero("HingeFrictionLaw::thrust_radius", law.thrust_radius);
    at_least_zero("HingeFrictionLaw::bearing_length", law.bearing_length);
  }
  static double bound(const HingeFrictionLaw& law, ConstVectorRef r) {
    const Eigen::Vector2d across(r[0], r[1]), turning(r[3], r[4]);
    return law.friction *
           (law.radius * both(across, per_half(law.bearing_length) * turning) + law.thrust_radius * std::abs(r[2]));
  }
};

/// R along x, y, then M_z, M_x, M_y, force.
template <>
struct JointRows<SliderFrictionLaw> {
  static constexpr const char* kName = "SliderFrictionLaw";
  static constexpr Index kCount = 6, kRubbing = 1;
  static void check(const SliderFrictionLaw& law) {
    at_least_zero("SliderFrictionLaw::bearing_length", law.bearing_length);
    at_least_zero("SliderFrictionLaw::key_radius", law.key_radius);
  }
  static double bound(const SliderFrictionLaw& law, ConstVectorRef r) {
    const Eigen::Vector2d across(r[0], r[1]), turning(r[4], -r[3]);
    const double keyed = law.key_radius > 0.0 ? std::abs(r[2]) / law.key_radius : 0.0;
    return law.friction * (both(across, per_half(law.bearing_length) * turning) + keyed);
  }
};

/// R, then the moment, in the axes of space.
template <>
struct JointRows<BallFrictionLaw> {
  static constexpr const char* kName = "BallFrictionLaw";
  static constexpr Index kCount = 6, kRubbing = 3;
  static void check(const BallFrictionLaw& law) { at_least_zero("BallFrictionLaw::radius", law.radius); }
  static double bound(const BallFrictionLaw& law, ConstVectorRef r) {
    return law.friction * law.radius * r.head<3>().norm();
  }
};

/// R along x, y, then M_y, -M_x, the force around the axis and the one along it.
template <>
struct JointRows<CylindricalFrictionLaw> {
  static constexpr const char* kName = "CylindricalFrictionLaw";
  static constexpr Index kCount = 6, kRubbing = 2;
  static void check(const CylindricalFrictionLaw& law) {
    at_least_zero("CylindricalFrictionLaw::bearing_length", law.bearing_length);
  }
  static double bound(const CylindricalFrictionLaw& law, ConstVectorRef r) {
    return law.friction * both(r.head<2>(), per_half(law.bearing_length) * r.segment<2>(2));
  }
};

/// R, moment.
template <>
struct JointRows<PlanarHingeFrictionLaw> {
  static constexpr const char* kName = "PlanarHingeFrictionLaw";
  static constexpr Index kCount = 3, kRubbing = 1;
  static void check(const PlanarHingeFrictionLaw& law) { at_least_zero("PlanarHingeFrictionLaw::radius", law.radius); }
  static double bound(const PlanarHingeFrictionLaw& law, ConstVectorRef r) {
    return law.friction * law.radius * r.head<2>().norm();
  }
};

/// R across the axis, M, force.
template <>
struct JointRows<PlanarSliderFrictionLaw> {
  static constexpr const char* kName = "PlanarSliderFrictionLaw";
  static constexpr Index kCount = 3, kRubbing = 1;
  static void check(const PlanarSliderFrictionLaw& law) {
    at_least_zero("PlanarSliderFrictionLaw::bearing_length", law.bearing_length);
  }
  static double bound(const PlanarSliderFrictionLaw& law, ConstVectorRef r) {
    return law.friction * std::max(std::abs(r[0]), per_half(law.bearing_length) * std::abs(r[1]));
  }
};

/// The held rows are free, the last is in a box of the bound at the iterate; of several, in a ball of it, whose set has
/// the last of the held rows as its first.
template <class Description>
class JointFriction final : public BatchedLaw<JointFriction<Description>> {
  using Rows = JointRows<Description>;

 public:
  explicit JointFriction(const Description& law) : law_(law) {}
  [[nodiscard]] std::string name() const override { return Rows::kName; }

  [[nodiscard]] LawShape shape(LawUse use) const override {
    const std::string type = std::string(Rows::kName) + "::";
    at_least_zero((type + "friction").c_str(), law_.friction);
    at_least_zero((type + "preload").c_str(), law_.preload);
    Rows::check(law_);
    require_mechanics(use);
    LawShape shape;
    shape.size = Rows::kCount;
    shape.varies = LawVaries::Iterate;
    return shape;
  }

  void block(const LawContext& context, LawBlock& block) const override {
    if (block.parts.empty()) {
      constexpr Index held = Rows::kCount - Rows::kRubbing;
      if constexpr (Rows::kRubbing == 1) {
        block.parts = {{set_of(SetKind::Free), held}, {box(0.0, 0.0), 1}};
      } else {
        block.parts = {{set_of(SetKind::Free), held - 1}, {set_of(SetKind::VonMises), Rows::kRubbing + 1, true}};
      }
    }
    BlockSet& set = block.parts[1].set;
    const double now = bound(context);
    if constexpr (Rows::kRubbing == 1) {
      set.upper = now;
      set.lower = -now;
    } else {
      set.radius = now;
    }
  }

  /// What sticks within both bounds, the one that was taken and its own, is the solution whatever the bound.
  [[nodiscard]] double newton_error(double tolerance, const LawContext& context, const LawBlock& block) const override {
    const BlockSet& set = block.parts[1].set;
    const double taken = Rows::kRubbing == 1 ? set.upper : set.radius, own = bound(context);
    const double friction = context.iterate.tail<Rows::kRubbing>().norm();
    if (friction < taken && friction <= own) return 0.0;
    return std::abs(own - taken) / (tolerance * std::max(own, 1e-3));
  }

 private:
  /// As an impulse.
  [[nodiscard]] double bound(const LawContext& context) const {
    return Rows::bound(law_, context.iterate) + context.h * law_.preload;
  }

  Description law_;
};

}  // namespace
}  // namespace laws

std::shared_ptr<const NonSmoothLaw> make_law(const HingeFrictionLaw& law) {
  return std::make_shared<const laws::JointFriction<HingeFrictionLaw>>(law);
}
std::shared_ptr<const NonSmoothLaw> make_law(const SliderFrictionLaw& law) {
  return std::make_shared<const laws::JointFriction<SliderFrictionLaw>>(law);
}
std::shared_ptr<const NonSmoothLaw> make_law(const BallFrictionLaw& law) {
  return std::make_shared<const laws::JointFriction<BallFrictionLaw>>(law);
}
std::shared_ptr<const NonSmoothLaw> make_law(const CylindricalFrictionLaw& law) {
  return std::make_shared<const laws::JointFriction<CylindricalFrictionLaw>>(law);
}
std::shared_ptr<const NonSmoothLaw> make_law(const PlanarHingeFrictionLaw& law) {
  return std::make_shared<const laws::JointFriction<PlanarHingeFrictionLaw>>(law);
}
std::shared_ptr<const NonSmoothLaw> make_law(const PlanarSliderFrictionLaw& law) {
  return std::make_shared<const laws::JointFriction<PlanarSliderFrictionLaw>>(law);
}

}  // namespace nonsmooth
