// SPDX-License-Identifier: Apache-2.0
#include "prepared_law.hpp"

#include <limits>
#include <string>
#include <utility>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "row_roles.hpp"

namespace nonsmooth {
namespace {

/// The block of a law at a velocity, with nothing else known.
void ask(const PreparedLaw& law, const Eigen::VectorXd& u, LawBlock& block) {
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(law.size), memory = Eigen::VectorXd::Zero(law.memory);
  law.law->block({.use = law.use, .y = zero, .u = u, .multiplier = zero, .memory = memory, .iterate = zero}, block);
}

/// @throws InvalidArgument naming the field and the law.
void check_numbers(const PreparedLaw& law) {
  constexpr double largest = std::numeric_limits<double>::max();
  const auto of = [&law](const char* field) { return std::string(field) + " of " + law.law->name(); };
  check::range(of("ImpactRule::restitution"), law.impact.restitution, 0.0, 1.0);
  check::range(of("ImpactRule::tangential_restitution"), law.impact.tangential_restitution, 0.0, 1.0);
  if (law.impact.kind == ImpactRule::Kind::LiuZhaoBrogliato)
    check::positive(of("ImpactRule::stiffness"), law.impact.stiffness);
  check::range(of("ImpactRule::exponent"), law.impact.exponent, 1.0, largest);
  check::range(of("LawShape::stiffness"), law.stiffness, 0.0, largest);
  check::range(of("LawShape::damping"), law.damping, 0.0, largest);
  check::finite(of("LawBlock::coupling"), ConstMatrixRef(law.coupling));
  check::finite(of("LawBlock::offset"), ConstVectorRef(law.offset));
}

void check_block(const PreparedLaw& law) {
  ProductSet trial;  // the sets' own parameters are checked where sets are known
  bool split = false;
  for (const LawBlock::Part& part : law.parts) {
    trial.push_back(part.set, part.size);
    split = split || trial.num_rows() == law.size;
  }
  const Index rows = law.size + law.auxiliary;
  check::size("LawBlock::parts: rows", trial.num_rows(), rows, "those of the relation and the law's own");
  if (!split) throw InvalidArgument("LawBlock::parts", "a part of both", "rows of the relation, then the law's own");
  if (law.coupling.size() > 0) check::shape("LawBlock::coupling", law.coupling.rows(), law.coupling.cols(), rows, rows);
  if (law.offset.size() > 0) check::size("LawBlock::offset", law.offset.size(), rows, "one a row of the block");
  if (law.unilateral && (law.parts.size() != 1 || law.auxiliary > 0))
    throw InvalidArgument("LawShape::unilateral", "a law of several parts, or with rows of its own",
                          "one set, which acts where the gap in its first row is closed");
  if (law.decides && !law.unilateral)
    throw InvalidArgument("LawShape::decides", "a law that is not unilateral", "a unilateral one: others always act");
  if (law.shifts && law.parts.size() != 1)
    throw InvalidArgument("LawShape::shifts", "a law of several parts", "one set, whose rows are shifted together");
}

}  // namespace

bool PreparedLaw::holds(Index row) const { return is_of_positions() && role_of(*this, row) == RowRole::Bilateral; }

bool PreparedLaw::has_monotone_coupling() const {
  if (coupling.size() == 0) return true;
  const Eigen::MatrixXd symmetric = coupling + coupling.transpose();
  return symmetric.isDiagonal(0.0) && symmetric.diagonal().minCoeff() >= 0.0;
}

LawBlock PreparedLaw::block_that_slides() const {
  LawBlock block = *this;
  if (varies != LawVaries::Slip) return block;
  Eigen::VectorXd u = Eigen::VectorXd::Constant(size, 1e100);  // its square is finite
  u[0] = 0.0;
  ask(*this, u, block);
  return block;
}

namespace describe {

PreparedLaw prepare_law(std::shared_ptr<const NonSmoothLaw> law, LawUse use) {
  if (!law) throw InvalidArgument("NonSmoothLaw", "a null pointer", "a law");
  PreparedLaw result;
  static_cast<LawShape&>(result) = law->shape(use);
  check::within("LawShape::size", result.size, 1, check::most_dense_rows);
  check::within("LawShape::auxiliary", result.auxiliary, 0, check::most_dense_rows);
  check::within("LawShape::memory", result.memory, 0, check::most_dense_rows);
  if (use.first_order && (result.unilateral || result.has_impacts())) {
    throw InvalidArgument("law", "an impact law on a first-order relation",
                          "ComplementarityLaw, RelayLaw or EqualityLaw (impacts need velocities)");
  }
  if (use.compliant && result.has_impacts()) {
    throw InvalidArgument("law", "an impact law on a compliant relation",
                          "ComplementarityLaw (contact), RelayLaw, PlasticityLaw...: a relation with y = h(q, lambda) "
                          "depends on forces, and an impact has none, only an impulse");
  }
  // With a compliance the laws of velocities are about the rate of the whole of y.
  if (use.compliant && result.level == LawLevel::Velocity) result.level = LawLevel::Rate;
  result.law = std::move(law);
  result.use = use;
  ask(result, Eigen::VectorXd::Zero(result.size), result);
  check_block(result);
  check_numbers(result);
  return result;
}

}  // namespace describe
}  // namespace nonsmooth
