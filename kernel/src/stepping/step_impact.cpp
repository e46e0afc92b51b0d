// SPDX-License-Identifier: Apache-2.0
#include "step_impact.hpp"

#include <algorithm>

#include <internal/round_off.hpp>
#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth::stages {
namespace {

constexpr double kRoundOffOfApproach = 64.0 * eps;  ///< of the largest |u_k| of contacts that might be hit
constexpr double kRoundOffOfImpulse = 64.0 * eps;   ///< of the largest impulse: a contact that was not hit
constexpr double kNoSlip = 1e-8;                    ///< of the largest velocity behind an impact: a contact that sticks

/// How many of a block's rows hold in an impact, the first ones: a joint's, which take any impulse and have no force
/// behind them.
Index held_in_impacts(const ActingRows& acting, const ActiveBlock& block) {
  if (block.model_block < 0 || !block.law->has_jacobian) return 0;
  const InteractionPlan& interaction = acting.relations.interaction_of(*block.law);
  if (interaction.first_order || interaction.compliant || interaction.law->level != LawLevel::Velocity) return 0;
  if (block.set->kind == SetKind::Free) return block.size;
  return block.law->first_held ? 1 : 0;
}

class PhasesOfStep final : public impacts::PhaseSolver {
 public:
  PhasesOfStep(const mixed::Automatic& options, mixed::Workspace& solver) : options_(options), solver_(solver) {}
  void solve(const mixed::Problem& problem, mixed::Result& result) override {
    result.r.setZero(problem.q.size());
    solver_.solve(problem, options_, false, result);
  }

 private:
  const mixed::Automatic& options_;
  mixed::Workspace& solver_;
};

void check_law(const TimeSteppingOptions& options, const PreparedLaw& law, bool at_positions, const std::string& name) {
  const auto refuse = [&](const char* argument, const std::string& found, const char* expected) {
    throw InvalidArgument(argument, found + " with " + law.law->name() + " on " + name, expected);
  };
  if (at_positions)
    refuse("TimeSteppingOptions::integrator", "a scheme at the level of positions",
           "MoreauJean: impacts of this law are about velocities");
  if (options.form == Form::Global)
    refuse("TimeSteppingOptions::form", "Form::Global", "Form::Reduced: the impact is solved by W");
  const BlockSet& set = law.parts.front().set;
  const bool known = (set.kind == SetKind::Orthant && law.size == 1) || set.kind == SetKind::Coulomb2D ||
                     set.kind == SetKind::Coulomb3D;
  if (!known || law.parts.size() != 1 || !law.unilateral || set.mu_2 >= 0.0 || set.cohesion > 0.0 ||
      (law.impact.kind == ImpactRule::Kind::LiuZhaoBrogliato && set.kind != SetKind::Orthant) ||
      law.level != LawLevel::Velocity || law.shifts)
    refuse("law", "a set, a level or a shift of its own",
           "a unilateral law of velocities, with Coulomb's cone or one row");
}

std::string places_of(const impacts::BlockSelection& rows, const ActiveSet& active, const OneStepNSProblem& problem) {
  std::string places;
  for (Index part = 0; part < rows.num_parts(); ++part) {
    if (part > 0) places += ", ";
    places += problem.place(active.blocks[static_cast<std::size_t>(rows.block(part))].row);
  }
  return places;
}

/// Whether contacts approach faster than the forces of the step explain, and faster than rounding.
class Speeds {
 public:
  Speeds(const StepView& step, const ActingRows& acting, const mixed::Problem& problem)
      : step_(step), acting_(acting), problem_(problem) {
    for (const ActiveBlock& block : acting.active.blocks) {
      if (!block.law->impacts || !block.law->has_jacobian) continue;
      const double* const u = acting.u_before(step.state, block);
      double& largest = is_separate(block.law->rule.kind) ? largest_separate_ : largest_;
      for (Index k = 0; k < block.size; ++k) largest = std::max(largest, std::abs(u[k]));
    }
    largest_ = std::max(largest_, largest_separate_);
  }
  [[nodiscard]] bool approaches(const ActiveBlock& block) const {
    if (!block.law->impacts || !block.law->has_jacobian) return false;
    const bool separate = is_separate(block.law->rule.kind);
    const double u = acting_.u_before(step_.state, block)[0];
    const double added = separate ? 0.0 : acting_.added(step_, block, 0);
    return -u >
           std::max(u + added - problem_.q[block.row], kRoundOffOfApproach * (separate ? largest_separate_ : largest_));
  }

 private:
  const StepView& step_;
  const ActingRows& acting_;
  const mixed::Problem& problem_;
  double largest_separate_ = 0.0, largest_ = 0.0;  ///< of contacts of these laws, of all
};

/// @throws InvalidArgument where a contact of an island with an impact has one of these laws and another has not.
void require_one_law(const ActingRows& acting, const OneStepNSProblem& problem, const StepImpact& impact) {
  const std::vector<ActiveBlock>& blocks = acting.active.blocks;
  for (std::size_t island = 0; island + 1 < impact.begin.size(); ++island) {
    if (!impact.hit[island]) continue;
    const ActiveBlock* first = nullptr;
    for (Index m = impact.begin[island]; m < impact.begin[island + 1]; ++m) {
      const ActiveBlock& block = blocks[static_cast<std::size_t>(impact.members[static_cast<std::size_t>(m)])];
      if (!block.law->impacts || !block.law->has_jacobian) continue;
      if (!first) first = &block;
      const ImpactRule::Kind one = first->law->rule.kind, other = block.law->rule.kind;
      if (one == other || !(is_separate(one) || is_separate(other))) continue;
      throw InvalidArgument("law",
                            "an impact of " + problem.place(first->row) + " and " + problem.place(block.row) +
                                ", of different impact laws",
                            "one impact law for all unilateral contacts that act on one another in an impact, where "
                            "PoissonImpactLaw or LiuZhaoBrogliatoImpactLaw is among them");
    }
  }
}

/// The blocks that take part under Poisson's law as a problem of their own, with u- = u_k; false where there is none.
bool write_compression(const StepView& step, const ActingRows& acting, const mixed::Problem& problem,
                       StepImpact& impact) {
  mixed::Problem& compression = impact.poisson.compression;
  impact.rows.clear();
  impact.poisson.restitution.clear();
  compression.K.clear();
  const std::vector<ActiveBlock>& blocks = acting.active.blocks;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (!impact.taking[i] || impact.wave[static_cast<std::size_t>(impact.islands.number(static_cast<Index>(i)))])
      continue;
    const Index held = held_in_impacts(acting, blocks[i]), size = held > 0 ? held : blocks[i].size;
    BlockSet set;
    set.kind = SetKind::Free;
    if (held == 0) set = problem.K[static_cast<Index>(i)];
    impact.rows.add(static_cast<Index>(i), size);
    impact.poisson.restitution.push_back(blocks[i].law->rule.restitution);
    compression.K.push_back(set, size);
  }
  if (impact.rows.num_parts() == 0) return false;
  impact.rows.take(problem.W, compression.W);
  compression.q.resize(compression.K.num_rows());
  for (Index part = 0, at = 0; part < impact.rows.num_parts(); at += impact.rows.size(part++)) {
    const ActiveBlock& block = blocks[static_cast<std::size_t>(impact.rows.block(part))];
    for (Index k = 0; k < impact.rows.size(part); ++k) compression.q[at + k] = acting.u_before(step.state, block)[k];
  }
  return true;
}

/// The friction that the forces of the step may ask of contact i: of its normal force, and against tangential ones
/// [unit of p]. q is that of the step, without a shift.
double friction_of_forces(const StepView& step, const ActingRows& acting, const mixed::Problem& problem, Index i) {
  const ActiveBlock& block = acting.active.blocks[static_cast<std::size_t>(i)];
  const double* const u = acting.u_before(step.state, block);
  const auto W = problem.W.block(i, problem.W.diagonal(i));
  double result = 0.0;
  for (Index k = 0; k < block.size; ++k) {
    const double by_forces = std::abs(problem.q[block.row + k] - u[k]);
    if (W(k, k) > 0.0) result += (k == 0 ? block.set->mu : 1.0) * by_forces / W(k, k);
  }
  return result;
}

/// Of contact i that slides behind its impact (u_I) with p inside its cone, as a slip that turned has: adds to the
/// shift what the forces of the step do to that slip, so that the step neither holds it nor drives it on. Its normal
/// velocity is held, and friction on the impulse d_N that this takes is against the slip:
///
///     0 = f_N + W_NN d_N + W_NT d_T,    d_T = -mu max(d_N, 0) u_IT / |u_IT|,
///     u_T = u_IT + f_T + W_TN d_N + W_TT d_T,
///
/// f = q - u_k what forces do by themselves; 0 where u_T would turn back. p + d is in the cone as p and d are, where
/// d_N >= 0. Nothing is added where rows of other contacts or joints act on these: they share what the forces ask for,
/// and the step holds u_I.
void brake_by_forces(const StepView& step, const ActingRows& acting, const mixed::Problem& problem, Index i,
                     ConstVectorRef u, double none, VectorRef shift) {
  const ActiveBlock& block = acting.active.blocks[static_cast<std::size_t>(i)];
  const Index tangents = block.size - 1;
  if (tangents == 0 || problem.W.row_begin(i + 1) - problem.W.row_begin(i) > 1) return;
  const double slip = u.tail(tangents).norm();
  if (!(slip > none) || shift.tail(tangents) != -u.tail(tangents)) return;
  const double* const before = acting.u_before(step.state, block);
  const auto W = problem.W.block(i, problem.W.diagonal(i));
  Eigen::Vector3d along = Eigen::Vector3d::Zero(), d = along, by_forces = along;
  for (Index k = 1; k <= tangents; ++k) along[k] = u[k] / slip;
  for (Index k = 0; k <= tangents; ++k) by_forces[k] = problem.q[block.row + k] - before[k];
  const double mu = block.set->mu;
  double response = W(0, 0);  // of u_N to d_N
  if (!(response > 0.0)) return;
  if (by_forces[0] < 0.0) {
    double braked = response;
    for (Index k = 1; k <= tangents; ++k) braked -= mu * W(0, k) * along[k];
    if (braked > 0.0) response = braked;  // else a jam: friction alone would press it on
  }
  d[0] = -by_forces[0] / response;
  for (Index k = 1; k <= tangents; ++k) d[k] = -mu * std::max(d[0], 0.0) * along[k];
  Eigen::Vector3d change = by_forces;
  double left = slip;
  for (Index k = 1; k <= tangents; ++k) {
    for (Index l = 0; l <= tangents; ++l) change[k] += W(k, l) * d[l];
    left += along[k] * change[k];
  }
  for (Index k = 1; k <= tangents; ++k) shift[k] -= left > 0.0 ? change[k] : -u[k];
}

/// The contacts of one island under the law of Liu, Zhao and Brogliato and what holds beside them, with u- = u_k.
void write_waves(const StepView& step, const ActingRows& acting, const mixed::Problem& problem, std::size_t island,
                 StepImpact& impact) {
  impact.rows.clear();
  impact.waves.contacts.clear();
  Index rows = 0;
  for (Index m = impact.begin[island]; m < impact.begin[island + 1]; ++m) {
    const Index i = impact.members[static_cast<std::size_t>(m)];
    if (!impact.taking[static_cast<std::size_t>(i)]) continue;
    const ActiveBlock& block = acting.active.blocks[static_cast<std::size_t>(i)];
    const ImpactRule& rule = block.law->rule;
    const Index held = held_in_impacts(acting, block);
    impacts::ImpactContact contact;
    contact.first = rows;
    contact.size = std::max<Index>(held, 1);
    contact.rule = held > 0 ? impacts::ImpactContact::Rule::Bilateral : impacts::ImpactContact::Rule::LiuZhaoBrogliato;
    contact.restitution = rule.restitution;
    contact.stiffness = rule.stiffness;
    contact.exponent = rule.exponent;
    rows += contact.size;
    impact.rows.add(i, contact.size);
    impact.waves.contacts.push_back(contact);
  }
  impact.rows.take(problem.W, impact.of_waves);
  // Gyroscopic forces over h make W skew in part, and work would depend on the order of impulses.
  const Eigen::MatrixXd W = impact.of_waves.to_dense();
  impact.waves.W = 0.5 * (W + W.transpose());
  impact.waves.u_minus.resize(rows);
  for (Index part = 0, at = 0; part < impact.rows.num_parts(); at += impact.rows.size(part++)) {
    const ActiveBlock& block = acting.active.blocks[static_cast<std::size_t>(impact.rows.block(part))];
    for (Index k = 0; k < impact.rows.size(part); ++k)
      impact.waves.u_minus[at + k] = acting.u_before(step.state, block)[k];
  }
}

}  // namespace

void check_separate_impacts(const TimeSteppingOptions& options, const RelationCaches& relations,
                            const ContactSearch& search) {
  const auto look_at = [&](const PreparedLaw& law, bool at_positions, const std::string& name) {
    if (law.unilateral && is_separate(law.impact.kind)) check_law(options, law, at_positions, name);
  };
  for (const InteractionPlan& interaction : relations.interactions)
    look_at(*interaction.law, interaction.scheme.at_positions(), interaction.name);
  for (const SourcePlan& source : search.sources) {
    for (const PreparedLaw& law : source.prepared) look_at(law, false, source.bodies.name);
  }
}

void find_impact(const StepView& step, const ActingRows& acting, const OneStepNSProblem& problem, StepImpact& impact) {
  const std::vector<ActiveBlock>& blocks = acting.active.blocks;
  impact.found = false;
  const Speeds speeds(step, acting, problem.reduced);
  const auto separate = [&](const ActiveBlock& block) { return is_separate(block.law->rule.kind); };
  if (std::none_of(blocks.begin(), blocks.end(), separate)) return;
  if (std::none_of(blocks.begin(), blocks.end(), [&](const ActiveBlock& block) { return speeds.approaches(block); }))
    return;
  const auto count = static_cast<Index>(blocks.size());
  const BlockSparseMatrix& W = problem.reduced.W;
  impact.islands.reset(count);
  for (Index i = 0; i < count; ++i) {
    for (Index k = W.row_begin(i); k < W.row_begin(i + 1); ++k) impact.islands.join(i, W.column(k));
  }
  impact.islands.list(impact.begin, impact.members);
  impact.hit.assign(impact.begin.size(), 0);
  impact.own = impact.wave = impact.hit;
  const auto island_of = [&](Index i) { return static_cast<std::size_t>(impact.islands.number(i)); };
  for (Index i = 0; i < count; ++i) {
    const ActiveBlock& block = blocks[static_cast<std::size_t>(i)];
    if (speeds.approaches(block)) impact.hit[island_of(i)] = 1;
    if (separate(block)) impact.own[island_of(i)] = 1;
    if (block.law->rule.kind == ImpactRule::Kind::LiuZhaoBrogliato) impact.wave[island_of(i)] = 1;
  }
  require_one_law(acting, problem, impact);
  impact.taking.assign(blocks.size(), 0);
  for (Index i = 0; i < count; ++i) {
    const ActiveBlock& block = blocks[static_cast<std::size_t>(i)];
    const bool takes =
        impact.hit[island_of(i)] && impact.own[island_of(i)] && (separate(block) || held_in_impacts(acting, block) > 0);
    impact.taking[static_cast<std::size_t>(i)] = takes;
    impact.found = impact.found || takes;
  }
}

bool solve_impact(const TimeSteppingOptions& options, const StepView& step, const ActingRows& acting,
                  StepImpact& impact, ActiveSet& active, OneStepSolver& one_step, std::string& detail) {
  mixed::Problem& problem = one_step.problem.reduced;
  for (ActiveBlock& block : active.blocks) {  // of the iterate before
    if (is_separate(block.law->rule.kind) && block.shift)
      problem.q.segment(block.row, block.size) -= Eigen::Map<const Eigen::VectorXd>(block.shift, block.size);
  }
  impact.shift.setZero(problem.q.size());
  one_step.percussions.setZero(problem.q.size());
  const auto take = [&](ConstVectorRef p, ConstVectorRef u) {  // of the rows that impact.rows selects
    const double none = kRoundOffOfImpulse * p.lpNorm<Eigen::Infinity>();
    for (Index part = 0, at = 0; part < impact.rows.num_parts(); at += impact.rows.size(part++)) {
      ActiveBlock& block = active.blocks[static_cast<std::size_t>(impact.rows.block(part))];
      const Index size = impact.rows.size(part);
      one_step.percussions.segment(block.row, size) = p.segment(at, size);
      if (!is_separate(block.law->rule.kind)) continue;
      if (p[at] > none) {
        const Index i = impact.rows.block(part);
        const auto own_u = u.segment(at, block.size);
        auto shift = impact.shift.segment(block.row, block.size);
        impacts::write_given_back(block.set->mu, p.segment(at, block.size), own_u,
                                  friction_of_forces(step, acting, problem, i), shift);
        brake_by_forces(step, acting, problem, i, own_u, kNoSlip * u.lpNorm<Eigen::Infinity>(), shift);
      }
      block.shift = impact.shift.data() + block.row;
      problem.q.segment(block.row, block.size) += impact.shift.segment(block.row, block.size);
    }
  };
  const auto fail = [&](const Outcome& failed, const std::string& message) {
    static_cast<Outcome&>(one_step.problem.result) = failed;
    detail = "The impact at " + places_of(impact.rows, active, one_step.problem) + ": " + message;
    return false;
  };
  if (write_compression(step, acting, problem, impact)) {
    const mixed::Automatic standard;
    const auto* own = options.solver.get_if<mixed::Automatic>();
    PhasesOfStep solver(own ? *own : standard, impact.solver);
    const bool solved = impact.poisson.solve(solver);
    const GrowingVector& p = impact.poisson.impulses();
    impact.u.resize(p.size());
    impact.poisson.compression.W.multiply_add(p, impact.poisson.compression.q, impact.u);
    take(p, impact.u);
    if (!solved) return fail(impact.poisson.result(), impact.poisson.result().message());
  }
  for (std::size_t island = 0; island + 1 < impact.begin.size(); ++island) {
    if (!impact.hit[island] || !impact.wave[island]) continue;
    write_waves(step, acting, problem, island, impact);
    const impacts::ImpactResult waves = impacts::solve_impact(impact.waves);
    if (waves.p.size() == impact.waves.u_minus.size()) take(waves.p, waves.u_plus);
    if (waves.status == Status::Solved) continue;
    Outcome failed;
    failed.status = waves.status;
    return fail(failed, waves.detail);
  }
  return true;
}

}  // namespace nonsmooth::stages
