// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/laws/joint_friction.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

#include "batched_law.hpp"
#include "fixed_law.hpp"
#include "reaction_bounds.hpp"

namespace nonsmooth {
namespace laws {
namespace {

/// What the rows of a joint are to its friction, a specialisation a law: kName, how many are held, how many of those
/// behind them rub together, group by group, check(law), and the bounds of the groups without the preload, of the
/// multipliers of all rows.
template <class Description>
struct JointRows;

/// |N_1| + |N_2| of N = (sum +- difference) / 2.
double both(const Eigen::Vector2d& sum, const Eigen::Vector2d& difference) {
  return 0.5 * ((sum + difference).norm() + (sum - difference).norm());
}

/// 2 / length, or 0: what makes forces of moments.
double per_half(double length) { return length > 0.0 ? 2.0 / length : 0.0; }

using OneBound = std::array<double, 1>;

/// R along the axes x, y, z of the second's frame, M_y, -M_x, moment.
template <>
struct JointRows<HingeFrictionLaw> {
  static constexpr const char* kName = "HingeFrictionLaw";
  static constexpr Index kHeld = 5;
  static constexpr std::array<Index, 1> kRubbing{1};
  static void check(const HingeFrictionLaw& law) {
    at_least_zero("HingeFrictionLaw::radius", law.radius);
    at_least_zero("HingeFrictionLaw::thrust_radius", law.thrust_radius);
    at_least_zero("HingeFrictionLaw::bearing_length", law.bearing_length);
  }
  static OneBound bounds(const HingeFrictionLaw& law, ConstVectorRef r) {
    const Eigen::Vector2d across(r[0], r[1]), turning(r[3], r[4]);
    return {law.friction *
            (law.radius * both(across, per_half(law.bearing_length) * turning) + law.thrust_radius * std::abs(r[2]))};
  }
};

/// R along x, y, then M_z, M_x, M_y, force.
template <>
struct JointRows<SliderFrictionLaw> {
  static constexpr const char* kName = "SliderFrictionLaw";
  static constexpr Index kHeld = 5;
  static constexpr std::array<Index, 1> kRubbing{1};
  static void check(const SliderFrictionLaw& law) {
    at_least_zero("SliderFrictionLaw::bearing_length", law.bearing_length);
    at_least_zero("SliderFrictionLaw::key_radius", law.key_radius);
  }
  static OneBound bounds(const SliderFrictionLaw& law, ConstVectorRef r) {
    const Eigen::Vector2d across(r[0], r[1]), turning(r[4], -r[3]);
    const double keyed = law.key_radius > 0.0 ? std::abs(r[2]) / law.key_radius : 0.0;
    return {law.friction * (both(across, per_half(law.bearing_length) * turning) + keyed)};
  }
};

/// R, then the moment, in the axes of space.
template <>
struct JointRows<BallFrictionLaw> {
  static constexpr const char* kName = "BallFrictionLaw";
  static constexpr Index kHeld = 3;
  static constexpr std::array<Index, 1> kRubbing{3};
  static void check(const BallFrictionLaw& law) { at_least_zero("BallFrictionLaw::radius", law.radius); }
  static OneBound bounds(const BallFrictionLaw& law, ConstVectorRef r) {
    return {law.friction * law.radius * r.head<3>().norm()};
  }
};

/// R along x, y, then M_y, -M_x, the force around the axis and the one along it.
template <>
struct JointRows<CylindricalFrictionLaw> {
  static constexpr const char* kName = "CylindricalFrictionLaw";
  static constexpr Index kHeld = 4;
  static constexpr std::array<Index, 1> kRubbing{2};
  static void check(const CylindricalFrictionLaw& law) {
    at_least_zero("CylindricalFrictionLaw::bearing_length", law.bearing_length);
  }
  static OneBound bounds(const CylindricalFrictionLaw& law, ConstVectorRef r) {
    return {law.friction * both(r.head<2>(), per_half(law.bearing_length) * r.segment<2>(2))};
  }
};

/// R along x, y, then M_y, -M_x, N between the flanks, the force along the thread.
template <>
struct JointRows<ScrewFrictionLaw> {
  static constexpr const char* kName = "ScrewFrictionLaw";
  static constexpr Index kHeld = 5;
  static constexpr std::array<Index, 1> kRubbing{1};
  static void check(const ScrewFrictionLaw& law) {
    at_least_zero("ScrewFrictionLaw::bearing_length", law.bearing_length);
  }
  static OneBound bounds(const ScrewFrictionLaw& law, ConstVectorRef r) {
    return {law.friction * (both(r.head<2>(), per_half(law.bearing_length) * r.segment<2>(2)) + std::abs(r[4]))};
  }
};

/// R along the pins a, n and along e = a x n, M_e, then the moments about a and n. The moment across a pin is M_e e and
/// what the other pin's friction gives it: bearings along a carry (R_n, R_e) and M x a = M_e n - M_n e, those along n
/// (R_a, R_e) and M x n = -M_e a + M_a e.
template <>
struct JointRows<UniversalFrictionLaw> {
  static constexpr const char* kName = "UniversalFrictionLaw";
  static constexpr Index kHeld = 4;
  static constexpr std::array<Index, 2> kRubbing{1, 1};
  static void check(const UniversalFrictionLaw& law) {
    at_least_zero("UniversalFrictionLaw::radius", law.radius);
    at_least_zero("UniversalFrictionLaw::thrust_radius", law.thrust_radius);
    at_least_zero("UniversalFrictionLaw::bearing_length", law.bearing_length);
  }
  static std::array<double, 2> bounds(const UniversalFrictionLaw& law, ConstVectorRef r) {
    const auto pin = [&](const Eigen::Vector2d& across, const Eigen::Vector2d& turning, double along) {
      return law.friction *
             (law.radius * both(across, per_half(law.bearing_length) * turning) + law.thrust_radius * std::abs(along));
    };
    return {pin({r[1], r[2]}, {r[3], -r[5]}, r[0]), pin({r[0], r[2]}, {-r[3], r[4]}, r[1])};
  }
};

/// N, M_y, -M_x, then the forces along x, y and the one around the axis.
template <>
struct JointRows<PlanarJointFrictionLaw> {
  static constexpr const char* kName = "PlanarJointFrictionLaw";
  static constexpr Index kHeld = 3;
  static constexpr std::array<Index, 1> kRubbing{3};
  static void check(const PlanarJointFrictionLaw& law) {
    at_least_zero("PlanarJointFrictionLaw::pad_length", law.pad_length);
  }
  static OneBound bounds(const PlanarJointFrictionLaw& law, ConstVectorRef r) {
    return {law.friction * std::max(std::abs(r[0]), per_half(law.pad_length) * r.segment<2>(1).norm())};
  }
};

/// What the mesh carries, then what it loses.
template <>
struct JointRows<MeshFrictionLaw> {
  static constexpr const char* kName = "MeshFrictionLaw";
  static constexpr Index kHeld = 1;
  static constexpr std::array<Index, 1> kRubbing{1};
  static void check(const MeshFrictionLaw& law) { at_least_zero("MeshFrictionLaw::loss", law.loss); }
  static OneBound bounds(const MeshFrictionLaw& law, ConstVectorRef r) { return {law.loss * std::abs(r[0])}; }
};

/// R, moment.
template <>
struct JointRows<PlanarHingeFrictionLaw> {
  static constexpr const char* kName = "PlanarHingeFrictionLaw";
  static constexpr Index kHeld = 2;
  static constexpr std::array<Index, 1> kRubbing{1};
  static void check(const PlanarHingeFrictionLaw& law) { at_least_zero("PlanarHingeFrictionLaw::radius", law.radius); }
  static OneBound bounds(const PlanarHingeFrictionLaw& law, ConstVectorRef r) {
    return {law.friction * law.radius * r.head<2>().norm()};
  }
};

/// R across the axis, M, force.
template <>
struct JointRows<PlanarSliderFrictionLaw> {
  static constexpr const char* kName = "PlanarSliderFrictionLaw";
  static constexpr Index kHeld = 2;
  static constexpr std::array<Index, 1> kRubbing{1};
  static void check(const PlanarSliderFrictionLaw& law) {
    at_least_zero("PlanarSliderFrictionLaw::bearing_length", law.bearing_length);
  }
  static OneBound bounds(const PlanarSliderFrictionLaw& law, ConstVectorRef r) {
    return {law.friction * std::max(std::abs(r[0]), per_half(law.bearing_length) * std::abs(r[1]))};
  }
};

/// Of an impulse that would move a body by as much as it moves in the step: where bounds count as nothing beside it.
constexpr double kLeastBound = 1e-3;

/// Of the scales of rows of one unit; infinity where nothing moves any of them.
double largest_finite(ConstVectorRef scales) {
  double largest = -1.0;
  for (const double scale : scales) {
    if (std::isfinite(scale)) largest = std::max(largest, scale);
  }
  return largest < 0.0 ? std::numeric_limits<double>::infinity() : largest;
}

/// The held rows are free. Of those behind them one alone is in a box of the bound at the iterate, several are in a
/// ball of it, whose set has the last of the held rows as its first.
template <class Description>
class JointFriction final : public BatchedLaw<JointFriction<Description>>, public LawOfRows, public ReactionBounds {
  using Rows = JointRows<Description>;
  static constexpr std::size_t kGroups = Rows::kRubbing.size();
  static constexpr bool kVector = Rows::kRubbing[0] > 1;
  static_assert(kGroups == 1 || !kVector, "a ball takes the last of the held rows");

 public:
  explicit JointFriction(const Description& law) : law_(law) {}
  [[nodiscard]] std::string name() const override { return Rows::kName; }

  [[nodiscard]] LawShape shape(LawUse use) const override {
    const std::string type = std::string(Rows::kName) + "::";
    if constexpr (requires { law_.friction; }) at_least_zero((type + "friction").c_str(), law_.friction);
    at_least_zero((type + "preload").c_str(), law_.preload);
    Rows::check(law_);
    require_mechanics(use);
    LawShape shape;
    shape.size = Rows::kHeld;
    for (const Index rubbing : Rows::kRubbing) shape.size += rubbing;
    shape.varies = LawVaries::Iterate;
    return shape;
  }

  [[nodiscard]] std::vector<RowKinds> row_kinds(LawUse) const override {
    std::vector<RowKinds> rows(static_cast<std::size_t>(Rows::kHeld), RowKinds{RowKind::Held});
    for (const Index rubbing : Rows::kRubbing)
      rows.insert(rows.end(), static_cast<std::size_t>(rubbing), {RowKind::Rubbing});
    return rows;
  }

  void block(const LawContext& context, LawBlock& block) const override {
    if (block.parts.empty()) {
      if constexpr (kVector) {
        block.parts = {{set_of(SetKind::Free), Rows::kHeld - 1},
                       {set_of(SetKind::VonMises), Rows::kRubbing[0] + 1, true}};
      } else {
        block.parts.assign(1 + kGroups, {box(0.0, 0.0), 1});
        block.parts[0] = {set_of(SetKind::Free), Rows::kHeld};
      }
    }
    const auto now = bounds(context.iterate, context.h);
    for (std::size_t g = 0; g < kGroups; ++g) {
      BlockSet& set = block.parts[1 + g].set;
      if constexpr (kVector) {
        set.radius = now[g];
      } else {
        set.upper = now[g];
        set.lower = -now[g];
      }
    }
  }

  /// What sticks within both bounds, the one that was taken and its own, is the solution whatever the bound.
  [[nodiscard]] double newton_error(double tolerance, const LawContext& context, const LawBlock& block) const override {
    const auto now = bounds(context.iterate, context.h);
    double worst = 0.0;
    Index row = Rows::kHeld;
    for (std::size_t g = 0; g < kGroups; ++g) {
      const BlockSet& set = block.parts[1 + g].set;
      const double taken = kVector ? set.radius : set.upper, own = now[g], difference = std::abs(own - taken);
      const Index rows = Rows::kRubbing[g];
      const double friction = context.iterate.segment(row, rows).norm();
      const double scale = largest_finite(context.multiplier_scale.segment(row, rows));
      row += rows;
      if (difference > 0.0 && !(friction < taken && friction <= own))
        worst = std::max(worst, difference / (tolerance * std::max(own, kLeastBound * scale)));
    }
    return worst;
  }

  [[nodiscard]] Index num_held() const override { return Rows::kHeld; }
  [[nodiscard]] std::span<const Index> rubbing() const override { return Rows::kRubbing; }
  [[nodiscard]] double bound(Index g, ConstVectorRef lambda, double preloads) const override {
    return bounds(lambda, preloads)[static_cast<std::size_t>(g)];
  }

 private:
  [[nodiscard]] auto bounds(ConstVectorRef multipliers, double preloads) const {
    auto result = Rows::bounds(law_, multipliers);
    for (double& bound : result) bound += preloads * law_.preload;
    return result;
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
std::shared_ptr<const NonSmoothLaw> make_law(const ScrewFrictionLaw& law) {
  return std::make_shared<const laws::JointFriction<ScrewFrictionLaw>>(law);
}
std::shared_ptr<const NonSmoothLaw> make_law(const UniversalFrictionLaw& law) {
  return std::make_shared<const laws::JointFriction<UniversalFrictionLaw>>(law);
}
std::shared_ptr<const NonSmoothLaw> make_law(const PlanarJointFrictionLaw& law) {
  return std::make_shared<const laws::JointFriction<PlanarJointFrictionLaw>>(law);
}
std::shared_ptr<const NonSmoothLaw> make_law(const MeshFrictionLaw& law) {
  return std::make_shared<const laws::JointFriction<MeshFrictionLaw>>(law);
}
std::shared_ptr<const NonSmoothLaw> make_law(const PlanarHingeFrictionLaw& law) {
  return std::make_shared<const laws::JointFriction<PlanarHingeFrictionLaw>>(law);
}
std::shared_ptr<const NonSmoothLaw> make_law(const PlanarSliderFrictionLaw& law) {
  return std::make_shared<const laws::JointFriction<PlanarSliderFrictionLaw>>(law);
}

}  // namespace nonsmooth
