// SPDX-License-Identifier: Apache-2.0
#include "law_blocks.hpp"

#include <cmath>
#include <limits>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth::describe {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

BlockSet set_of(SetKind kind) {
  BlockSet set;
  set.kind = kind;
  return set;
}

BlockSet box(double lower, double upper) {
  BlockSet set = set_of(SetKind::Box);
  set.lower = lower;
  set.upper = upper;
  return set;
}

void at_least_zero(const char* argument, double value) {
  check::range(argument, value, 0.0, std::numeric_limits<double>::max());
}

BlockSet coulomb(const char* argument, double friction, Index dimension, const char* dimension_argument) {
  at_least_zero(argument, friction);
  if (dimension != 2 && dimension != 3)
    throw InvalidArgument(dimension_argument, std::to_string(dimension), "2 (rows N, T) or 3 (rows N, T1, T2)");
  BlockSet set = set_of(dimension == 2 ? SetKind::Coulomb2D : SetKind::Coulomb3D);
  set.mu = friction;
  return set;
}

LawBlock block(const ComplementarityLaw& law, bool first_order) {
  check::finite("ComplementarityLaw::y_shift", law.y_shift);
  check::finite("ComplementarityLaw::lambda_shift", law.lambda_shift);
  LawBlock block;
  block.parts = {{law.lambda_shift == 0.0 ? set_of(SetKind::Orthant) : box(-law.lambda_shift, kInfinity), 1}};
  if (law.y_shift != 0.0) block.offset = Eigen::VectorXd::Constant(1, law.y_shift);
  block.level = first_order ? LawBlock::Level::Velocity : LawBlock::Level::Position;
  block.in_forces = !first_order;
  return block;
}

LawBlock block(const NewtonImpactLaw& law, bool) {
  check::range("NewtonImpactLaw::restitution", law.restitution, 0.0, 1.0);
  LawBlock block;
  block.parts = {{set_of(SetKind::Orthant), 1}};
  block.unilateral = block.impacts = true;
  block.restitution = law.restitution;
  return block;
}

LawBlock block(const NewtonImpactFrictionLaw& law, bool) {
  check::range("NewtonImpactFrictionLaw::restitution", law.restitution, 0.0, 1.0);
  check::range("NewtonImpactFrictionLaw::tangential_restitution", law.tangential_restitution, 0.0, 1.0);
  LawBlock block;
  block.parts = {
      {coulomb("NewtonImpactFrictionLaw::friction", law.friction, law.dimension, "NewtonImpactFrictionLaw::dimension"),
       law.dimension}};
  block.size = law.dimension;
  block.unilateral = block.impacts = true;
  block.restitution = law.restitution;
  block.tangential_restitution = law.tangential_restitution;
  return block;
}

LawBlock block(const PoissonImpactLaw& law, bool) {
  check::range("PoissonImpactLaw::restitution", law.restitution, 0.0, 1.0);
  at_least_zero("PoissonImpactLaw::friction", law.friction);
  LawBlock block;
  if (law.dimension == 1) {
    block.parts = {{set_of(SetKind::Orthant), 1}};
  } else {
    block.parts = {{coulomb("PoissonImpactLaw::friction", law.friction, law.dimension, "PoissonImpactLaw::dimension"),
                    law.dimension}};
  }
  block.size = law.dimension;
  block.unilateral = block.impacts = true;
  block.restitution = law.restitution;
  block.impact_rule = LawBlock::ImpactRule::Poisson;
  return block;
}

LawBlock block(const LiuZhaoBrogliatoImpactLaw& law, bool) {
  check::range("LiuZhaoBrogliatoImpactLaw::restitution", law.restitution, 0.0, 1.0);
  check::positive("LiuZhaoBrogliatoImpactLaw::stiffness", law.stiffness);
  check::range("LiuZhaoBrogliatoImpactLaw::exponent", law.exponent, 1.0, std::numeric_limits<double>::max());
  LawBlock block;
  block.parts = {{set_of(SetKind::Orthant), 1}};
  block.unilateral = block.impacts = true;
  block.restitution = law.restitution;
  block.impact_rule = LawBlock::ImpactRule::LiuZhaoBrogliato;
  block.impact_stiffness = law.stiffness;
  block.impact_exponent = law.exponent;
  return block;
}

LawBlock block(const StaticKineticFrictionLaw& law, bool) {
  check::range("StaticKineticFrictionLaw::restitution", law.restitution, 0.0, 1.0);
  check::positive("StaticKineticFrictionLaw::stick_velocity", law.stick_velocity);
  LawBlock block;
  block.parts = {
      {coulomb("StaticKineticFrictionLaw::sliding", law.sliding, law.dimension, "StaticKineticFrictionLaw::dimension"),
       law.dimension}};
  check::range("StaticKineticFrictionLaw::holding", law.holding, law.sliding, std::numeric_limits<double>::max());
  block.size = law.dimension;
  block.unilateral = block.impacts = true;
  block.restitution = law.restitution;
  block.stick = std::make_shared<const StaticKineticFrictionLaw>(law);
  return block;
}

LawBlock block(const CohesiveZoneLaw& law, bool) {
  at_least_zero("CohesiveZoneLaw::strength", law.strength);
  check::positive("CohesiveZoneLaw::opening", law.opening);
  LawBlock block;
  block.parts = {
      {coulomb("CohesiveZoneLaw::friction", law.friction, law.dimension, "CohesiveZoneLaw::dimension"), law.dimension}};
  block.size = law.dimension;
  block.level = LawBlock::Level::Position;
  block.unilateral = block.impacts = true;
  block.bond = std::make_shared<const CohesiveZoneLaw>(law);
  return block;
}

LawBlock block(const SpringDashpotLaw& law, bool) {
  check::positive("SpringDashpotLaw::stiffness", law.stiffness);
  at_least_zero("SpringDashpotLaw::damping", law.damping);
  LawBlock block;
  block.parts = {{set_of(SetKind::Orthant), 1}};
  block.level = LawBlock::Level::Position;
  block.unilateral = true;  // the dashpot does not act at a distance
  block.stiffness = law.stiffness;
  block.damping = law.damping;
  return block;
}

LawBlock block(const EqualityLaw&, bool) {
  LawBlock block;
  block.parts = {{set_of(SetKind::Free), 1}};
  return block;
}

LawBlock block(const RelayLaw& law, bool first_order) {
  if (!(law.lower <= law.upper)) {
    throw InvalidArgument("RelayLaw", "lower = " + std::to_string(law.lower) + ", upper = " + std::to_string(law.upper),
                          "lower <= upper");
  }
  LawBlock block;
  block.parts = {{box(law.lower, law.upper), 1}};
  block.in_forces = !first_order;
  return block;
}

LawBlock block(const NormalConeLaw& law, bool first_order) {
  const Index n = law.A.cols(), faces = law.A.rows();
  if (n < 1 || faces < 1) throw InvalidArgument("NormalConeLaw::A", "an empty matrix", "faces x rows");
  if (!law.A.allFinite()) throw InvalidArgument("NormalConeLaw::A", "an entry that is not finite", "finite entries");
  check::size("NormalConeLaw::b", law.b.size(), faces, "one a row of A");
  check::finite("NormalConeLaw::b", ConstVectorRef(law.b));
  LawBlock block;
  block.size = n;
  block.auxiliary = faces;
  block.parts = {{set_of(SetKind::Free), n}};
  for (Index i = 0; i < faces; ++i) block.parts.push_back({set_of(SetKind::Orthant), 1});
  block.coupling = Eigen::MatrixXd::Zero(n + faces, n + faces);
  block.coupling.topRightCorner(n, faces) = law.A.transpose();
  block.coupling.bottomLeftCorner(faces, n) = -law.A;
  block.offset = Eigen::VectorXd::Zero(n + faces);
  block.offset.tail(faces) = law.b;
  block.in_forces = !first_order;
  return block;
}

LawBlock block(const MixedComplementarityLaw& law, bool) {
  check::within("MixedComplementarityLaw::equalities", law.equalities, 0, check::most_dense_rows);
  check::within("MixedComplementarityLaw::inequalities", law.inequalities, 0, check::most_dense_rows);
  check::at_least("MixedComplementarityLaw: rows", law.equalities + law.inequalities, 1);
  LawBlock block;
  block.size = law.equalities + law.inequalities;
  if (law.equalities > 0) block.parts.push_back({set_of(SetKind::Free), law.equalities});
  for (Index i = 0; i < law.inequalities; ++i) block.parts.push_back({set_of(SetKind::Orthant), 1});
  return block;
}

LawBlock block(const PiecewiseLinearLaw& law, bool first_order) {
  const auto& points = law.points;
  if (points.empty()) throw InvalidArgument("PiecewiseLinearLaw::points", "no point", "at least one");
  for (const auto& [name, slope] :
       {std::pair{"slope_before", law.slope_before}, std::pair{"slope_after", law.slope_after}}) {
    if (!(slope >= 0.0))
      throw InvalidArgument(std::string("PiecewiseLinearLaw::") + name, std::to_string(slope), ">= 0, or infinity");
  }
  struct Segment {
    double lambda, lower, upper, compliance;
  };
  std::vector<Segment> segments;
  const auto compliance = [](double slope) { return std::isinf(slope) ? 0.0 : 1.0 / slope; };
  if (law.slope_before > 0.0) segments.push_back({points.front().first, -kInfinity, 0.0, compliance(law.slope_before)});
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!std::isfinite(points[i].first) || !std::isfinite(points[i].second))
      throw InvalidArgument("PiecewiseLinearLaw::points", "a coordinate that is not finite", "finite points");
    if (i == 0) continue;
    const double run = points[i].first - points[i - 1].first, rise = points[i].second - points[i - 1].second;
    if (!(run >= 0.0 && rise >= 0.0 && run + rise > 0.0)) {
      throw InvalidArgument("PiecewiseLinearLaw::points",
                            "point " + std::to_string(i) + " left of, below or equal to the one before",
                            "a monotone graph: neither coordinate falls, no two points equal");
    }
    if (rise > 0.0) segments.push_back({points[i - 1].first, 0.0, rise, run / rise});
  }
  if (law.slope_after > 0.0) segments.push_back({points.back().first, 0.0, kInfinity, compliance(law.slope_after)});

  const auto count = static_cast<Index>(segments.size());
  LawBlock block;
  block.auxiliary = count;
  block.parts = {{set_of(SetKind::Free), 1}};
  block.coupling = Eigen::MatrixXd::Zero(1 + count, 1 + count);
  block.offset = Eigen::VectorXd::Zero(1 + count);
  block.offset[0] = points.front().second;
  for (Index i = 0; i < count; ++i) {
    const Segment& segment = segments[static_cast<std::size_t>(i)];
    block.parts.push_back({box(segment.lower, segment.upper), 1});
    block.coupling(0, 1 + i) = 1.0;
    block.coupling(1 + i, 0) = -1.0;
    block.coupling(1 + i, 1 + i) = segment.compliance;
    block.offset[1 + i] = segment.lambda;
  }
  block.in_forces = !first_order;
  return block;
}

LawBlock block(const PlasticityLaw& law, bool) {
  at_least_zero("PlasticityLaw::yield", law.yield);
  check::within("PlasticityLaw::rows", law.rows, 2, check::most_dense_rows);
  LawBlock block;
  BlockSet set = set_of(SetKind::VonMises);
  if (law.surface == PlasticityLaw::Surface::VonMises) {
    set.radius = law.yield;
  } else {
    check::positive("PlasticityLaw::friction", law.friction);
    check::range("PlasticityLaw::dilation", law.dilation, 0.0, law.friction);
    set.kind = SetKind::DruckerPrager;
    set.mu = law.friction;
    set.lift = law.friction - law.dilation;  // 0: associated flow
    set.cohesion = law.yield / law.friction;
  }
  block.parts = {{set, law.rows}};
  block.size = law.rows;
  block.level = LawBlock::Level::Rate;
  block.in_forces = true;
  return block;
}

LawBlock block(const ShockleyLaw& law, bool) {
  check::positive("ShockleyLaw::saturation", law.saturation);
  check::positive("ShockleyLaw::thermal", law.thermal);
  LawBlock block;
  block.parts = {{set_of(SetKind::Free), 1}};
  block.coupling = Eigen::MatrixXd::Zero(1, 1);
  block.offset = Eigen::VectorXd::Zero(1);
  block.shockley = std::make_shared<const ShockleyLaw>(law);
  return block;
}

LawBlock block(const std::shared_ptr<const NonSmoothLaw>& law, bool) {
  if (!law) throw InvalidArgument("NonSmoothLaw", "a null pointer", "a law");
  LawBlock block;
  block.size = law->block_size();
  check::within("NonSmoothLaw::block_size", block.size, 1, check::most_dense_rows);
  block.parts = {{law->set(), block.size}};
  block.unilateral = block.impacts = law->unilateral();
  block.custom = law;
  return block;
}

}  // namespace

LawBlock block_of(const Law& law, bool first_order) {
  LawBlock result = std::visit([first_order](const auto& known) { return block(known, first_order); }, law);
  ProductSet trial;  // the sets' own parameters are checked where sets are known
  for (const LawBlock::Part& part : result.parts) trial.push_back(part.set, part.size);
  return result;
}

void check_law_fits(const LawBlock& block, const Law& law, bool first_order, bool compliant) {
  if (first_order) {
    if (std::holds_alternative<SpringDashpotLaw>(law) || std::holds_alternative<PlasticityLaw>(law)) {
      throw InvalidArgument("law", "a law of forces and displacements on a first-order relation",
                            "a mechanical relation, or ComplementarityLaw, RelayLaw, PiecewiseLinearLaw...");
    }
    if (block.unilateral || block.impacts) {
      throw InvalidArgument("law", "an impact law on a first-order relation",
                            "ComplementarityLaw, RelayLaw or EqualityLaw (impacts need velocities)");
    }
    return;
  }
  if (std::holds_alternative<ShockleyLaw>(law)) {
    throw InvalidArgument("law", "ShockleyLaw on a mechanical relation",
                          "a first-order relation: it knows no velocity");
  }
  if (compliant && block.impacts) {
    throw InvalidArgument("law", "an impact law on a compliant relation",
                          "ComplementarityLaw (contact), RelayLaw, PlasticityLaw...: a relation with y = h(q, lambda) "
                          "depends on forces, and an impact has none, only an impulse");
  }
  if (std::holds_alternative<ComplementarityLaw>(law) && !compliant) {
    throw InvalidArgument("law", "ComplementarityLaw on a mechanical relation",
                          "NewtonImpactLaw (restitution 0 for a plastic contact), or a compliance: positions do not "
                          "jump, velocities do");
  }
}

}  // namespace nonsmooth::describe
