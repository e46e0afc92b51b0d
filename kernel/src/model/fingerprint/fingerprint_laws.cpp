// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <bit>
#include <cstdint>
#include <limits>

#include <nonsmooth/kernel/laws/force.hpp>

#include "fingerprint_parts.hpp"
#include "laws/nested_cones.hpp"

namespace nonsmooth::fingerprint {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// What differs from a set's defaults.
std::string set_text(const BlockSet& set) {
  constexpr std::array<const char*, 9> names = {
      "Free", "Orthant", "Box", "SecondOrderCone", "Coulomb2D", "Coulomb3D", "DruckerPrager", "VonMises", "Rolling"};
  std::string text = names[static_cast<std::size_t>(set.kind)];
  const BlockSet plain;
  const auto add = [&](const char* name, double BlockSet::*number) {
    if (set.*number != plain.*number) text += std::string(" ") + name + " " + fingerprint::text(set.*number);
  };
  add("mu", &BlockSet::mu);
  add("mu_2", &BlockSet::mu_2);
  add("rolling", &BlockSet::rolling);
  add("spinning", &BlockSet::spinning);
  add("cohesion", &BlockSet::cohesion);
  add("lift", &BlockSet::lift);
  add("radius", &BlockSet::radius);
  add("lower", &BlockSet::lower);
  add("upper", &BlockSet::upper);
  add("unit", &BlockSet::unit);
  return text;
}

std::string block_text(const LawBlock& block) {
  std::string text;
  for (const LawBlock::Part& part : block.parts) {
    text += (text.empty() ? "" : " + ") + set_text(part.set) + " of " + std::to_string(part.size);
    if (part.first_held) text += " first held";
  }
  if (block.coupling.size() > 0) text += " coupling " + matrix_text(block.coupling);
  if (block.offset.size() > 0) text += " offset " + fingerprint::text(block.offset);
  return text;
}

std::string impact_text(const ImpactRule& rule) {
  constexpr std::array<const char*, 5> names = {"None", "Newton", "Poisson", "LiuZhaoBrogliato", "Other"};
  std::string text = names[static_cast<std::size_t>(rule.kind)];
  if (rule.kind == ImpactRule::Kind::None) return text;
  return text + " e " + fingerprint::text(rule.restitution) + " e_T " + fingerprint::text(rule.tangential_restitution) +
         " k " + fingerprint::text(rule.stiffness) + " exponent " + fingerprint::text(rule.exponent);
}

/// Of a law that varies with what a step knows: its block where all of that is 1, but for what it remembers.
std::string probed_text(const PreparedLaw& law, double remembered) {
  return asked([&] {
    const Eigen::VectorXd one = Eigen::VectorXd::Ones(law.size);
    const Eigen::VectorXd memory = Eigen::VectorXd::Constant(law.memory, remembered);
    LawBlock block = law;
    law.law->block({.use = law.use,
                    .h = 1.0,
                    .t = 1.0,
                    .last_step = 1.0,
                    .y = one,
                    .u = one,
                    .multiplier = one,
                    .memory = memory,
                    .iterate = one},
                   block);
    return block_text(block);
  });
}

/// Of a law that varies with slip: the largest u_T at which its block is that at rest, by bisection of the doubles.
std::string stick_text(const PreparedLaw& law) {
  return asked([&]() -> std::string {
    const Eigen::VectorXd none = Eigen::VectorXd::Zero(law.size), memory = Eigen::VectorXd::Zero(law.memory);
    const std::string at_rest = block_text(law);
    const auto sticks = [&](double slip) {
      Eigen::VectorXd u = none;
      u[1] = slip;
      LawBlock block = law;
      law.law->block({.use = law.use, .y = none, .u = u, .multiplier = none, .memory = memory, .iterate = none}, block);
      return block_text(block) == at_rest;
    };
    // Positive doubles are in the order of their bits.
    std::uint64_t low = 0, high = std::bit_cast<std::uint64_t>(1e100);
    if (law.size < 2 || sticks(1e100)) return "whatever the slip";
    while (high - low > 1) {
      const std::uint64_t middle = low + (high - low) / 2;
      (sticks(std::bit_cast<double>(middle)) ? low : high) = middle;
    }
    return fingerprint::text(std::bit_cast<double>(low));
  });
}

}  // namespace

std::string law_text(const PreparedLaw& law) {
  const NonSmoothLaw& own = *law.law;
  const auto flag = [](bool is, const char* name) { return is ? std::string(" ") + name : std::string(); };
  std::string text = own.name() + " (" + class_name(typeid(own)) + ") of " + std::to_string(law.size) + " rows, " +
                     std::to_string(law.auxiliary) + " auxiliary, " + std::to_string(law.memory) +
                     " remembered, level " + std::to_string(static_cast<int>(law.level)) + ", varies " +
                     std::to_string(static_cast<int>(law.varies)) + flag(law.unilateral, "unilateral") +
                     flag(law.decides, "decides") + flag(law.shifts, "shifts") + flag(law.in_forces, "in forces");
  if (law.stiffness != 0.0 || law.damping != 0.0)
    text += " spring " + fingerprint::text(law.stiffness) + " dashpot " + fingerprint::text(law.damping);
  text += ", " + block_text(law) + ", impact " + impact_text(law.impact);
  if (law.varies == LawVaries::Slip)
    text += ", sliding " + block_text(law.block_that_slides()) + ", sticking up to " + stick_text(law);
  if (const NestedConesLaw* levels = nested_cones(own))
    text += ", closed to " + fingerprint::text(levels->data().options.closed);
  if (const ForceLaw* force = own.force_law()) {
    // At two points, so that a spring and a damper show.
    text += ", force at (t, y, u) = (0, 0, 0) " +
            asked([&] { return fingerprint::text(force->force(0.0, 0.0, 0.0)); }) + ", at (0, 1, 0) " +
            asked([&] { return fingerprint::text(force->force(0.0, 1.0, 0.0)); }) + ", at (0, 0, 1) " +
            asked([&] { return fingerprint::text(force->force(0.0, 0.0, 1.0)); });
    if (force->lower() > -kInfinity || force->upper() < kInfinity)
      text += ", limits " + fingerprint::text(force->lower()) + " " + fingerprint::text(force->upper());
  } else if (law.varies == LawVaries::Step || law.varies == LawVaries::Iterate) {
    text += ", where all is 1 " + probed_text(law, 1.0);
    if (law.memory == 0) return text;
    for (const double remembered : {0.0, 1e-9, 1e-6, 1e-3})  // a bond that has opened by less than it can
      text += ", where it remembers " + fingerprint::text(remembered) + " " + probed_text(law, remembered);
  }
  return text;
}

}  // namespace nonsmooth::fingerprint
