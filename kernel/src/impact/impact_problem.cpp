// SPDX-License-Identifier: Apache-2.0
#include "impact_problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <internal/check.hpp>
#include <internal/decompositions.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "islands.hpp"
#include "model/impact_matrix.hpp"
#include "multiple_impact.hpp"
#include "poisson_impact.hpp"

namespace nonsmooth::impacts {
namespace {

using Rule = ImpactContact::Rule;

constexpr double gain_noise = 1e-8;       // of the works' terms: a thousand times what Solved allows
constexpr double dependent_rows = 1e-11;  // pivots of bilateral rows, relative: as those of a smooth mode
constexpr double held_to = 1e-9;          // of the largest velocity: bilateral rows beside waves
constexpr double on_cone = 1e-9;          // friction on the boundary, of mu p_N
constexpr double not_hit = 64.0 * std::numeric_limits<double>::epsilon();  // of the largest impulse
// Of the largest velocity before an impact: an approach that is round-off.
constexpr double at_rest = 64.0 * std::numeric_limits<double>::epsilon();

/// Rows of the contacts in their order, checked.
void check_problem(const ImpactProblem& problem) {
  const Index n = problem.u_minus.size();
  check::shape("ImpactProblem::W", problem.W.rows(), problem.W.cols(), n, n);
  check::finite("ImpactProblem::W", ConstMatrixRef(problem.W));
  check::finite("ImpactProblem::u_minus", ConstVectorRef(problem.u_minus));
  if (problem.E.size() > 0) {
    const Index count = std::ssize(problem.contacts);
    check::shape("ImpactProblem::E", problem.E.rows(), problem.E.cols(), count, count);
    check::finite("ImpactProblem::E", ConstMatrixRef(problem.E));
  }
  check::range("ImpactProblem::impulse_step", problem.impulse_step, 0.0, std::numeric_limits<double>::max());
  Index next = 0;
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const ImpactContact& contact = problem.contacts[i];
    const std::string name = "ImpactProblem::contacts[" + std::to_string(i) + "]";
    check::at_least(name + ".size", contact.size, 1);
    if (contact.first != next) {
      throw InvalidArgument(name + ".first", std::to_string(contact.first),
                            std::to_string(next) + ", where the contact before ends");
    }
    next += contact.size;
    if (contact.rule == Rule::Bilateral) continue;
    if (contact.turns ? contact.size < 3 || contact.size > 6 : contact.size > 3) {
      throw InvalidArgument(name + ".size", std::to_string(contact.size),
                            contact.turns ? "3 to 6 rows of a contact that turns" : "1 to 3 rows");
    }
    if (contact.turns && contact.rule != Rule::Newton)
      throw InvalidArgument(name + ".rule", "friction against turning", "Newton's law beside it");
    const double largest = std::numeric_limits<double>::max();
    check::range(name + ".restitution", contact.restitution, 0.0, contact.rule == Rule::Newton ? largest : 1.0);
    check::range(name + ".tangential_restitution", contact.tangential_restitution, -1.0, 1.0);
    check::range(name + ".friction", contact.friction, 0.0, largest);
    check::range(name + ".rolling", contact.rolling, 0.0, largest);
    check::range(name + ".spinning", contact.spinning, 0.0, largest);
    if (contact.rule == Rule::Poisson && contact.size > 1 && contact.tangential_restitution != 0.0) {
      throw InvalidArgument(name + ".tangential_restitution", std::to_string(contact.tangential_restitution),
                            "0: Poisson's law has a restitution of the normal impulse only");
    }
    if (contact.rule == Rule::LiuZhaoBrogliato) {
      check::positive(name + ".stiffness", contact.stiffness);
      check::range(name + ".exponent", contact.exponent, 1.0, largest);
      if (contact.size != 1) {
        throw InvalidArgument(name + ".size", std::to_string(contact.size), "1: this law has no friction");
      }
    }
  }
  check::size("ImpactProblem::u_minus", n, next, "one for each row of the contacts");
}

/// The law of the unilateral contacts of an island, checked to be one; Bilateral where there are none.
Rule law_of(const ImpactProblem& problem, const std::vector<Index>& island) {
  const ImpactContact* law = nullptr;
  const auto contact_of = [&](Index i) -> const ImpactContact& {
    return problem.contacts[static_cast<std::size_t>(i)];
  };
  const auto name = [](Index i) { return "ImpactProblem::contacts[" + std::to_string(i) + "]"; };
  for (const Index i : island) {
    const ImpactContact& contact = contact_of(i);
    if (contact.rule == Rule::Bilateral) continue;
    if (law == nullptr) law = &contact;
    if (law->rule != contact.rule) {
      throw InvalidArgument(name(i) + ".rule", "another law than that of the contacts before",
                            "one impact law for all unilateral contacts that act on one another in an impact");
    }
    if (contact.rule == Rule::LiuZhaoBrogliato && problem.impulse_step > 0.0 && contact.exponent != law->exponent) {
      throw InvalidArgument(name(i) + ".exponent", std::to_string(contact.exponent),
                            "one exponent for all contacts where impulse_step > 0");
    }
  }
  return law == nullptr ? Rule::Bilateral : law->rule;
}

/// W, with an entry wherever E ties two contacts.
Eigen::MatrixXd coupling_of(const ImpactProblem& problem) {
  Eigen::MatrixXd coupling = problem.W;
  for (Index j = 0; j < problem.E.cols(); ++j) {
    for (Index i = 0; i < problem.E.rows(); ++i) {
      const Index a = problem.contacts[static_cast<std::size_t>(i)].first;
      const Index b = problem.contacts[static_cast<std::size_t>(j)].first;
      if (problem.E(i, j) != 0.0) coupling(a, b) = std::sqrt(problem.W(a, a) * problem.W(b, b));
    }
  }
  return coupling;
}

/// True where a contact of the island closes, or a bilateral row moves: by more than round-off of the largest velocity,
/// and than the contact's own threshold.
bool approaches(const ImpactProblem& problem, const std::vector<Index>& island) {
  const double round_off = at_rest * problem.u_minus.lpNorm<Eigen::Infinity>();
  return std::any_of(island.begin(), island.end(), [&](Index i) {
    const ImpactContact& contact = problem.contacts[static_cast<std::size_t>(i)];
    const double least = std::max(round_off, contact.at_rest);
    if (contact.rule != Rule::Bilateral) return problem.u_minus[contact.first] < -least;
    return problem.u_minus.segment(contact.first, contact.size).lpNorm<Eigen::Infinity>() > least;
  });
}

/// The contacts of an island alone, their rows taken together.
ImpactProblem problem_of(const ImpactProblem& problem, const std::vector<Index>& island,
                         const std::vector<Index>& rows) {
  ImpactProblem part;
  part.W = problem.W(rows, rows);
  part.u_minus = problem.u_minus(rows);
  part.impulse_step = problem.impulse_step;
  if (problem.E.size() > 0) part.E = problem.E(island, island);
  Index first = 0;
  for (const Index i : island) {
    part.contacts.push_back(problem.contacts[static_cast<std::size_t>(i)]);
    part.contacts.back().first = first;
    first += part.contacts.back().size;
  }
  return part;
}

BlockSet unilateral(const ImpactContact& contact) {
  BlockSet set;
  set.kind = contact.size == 1 ? SetKind::Orthant : contact.size == 2 ? SetKind::Coulomb2D : SetKind::Coulomb3D;
  set.mu = contact.size == 1 ? 0.0 : contact.friction;
  if (!contact.turns) return set;
  set.kind = SetKind::Rolling;
  set.rolling = contact.size == 4 ? 0.0 : contact.rolling;
  set.spinning = contact.size % 2 == 0 ? contact.spinning : 0.0;
  return set;
}

BlockSet bilateral() {
  BlockSet set;
  set.kind = SetKind::Free;
  return set;
}

void finish(const ImpactProblem& problem, const ContactAnswer& answer, ImpactResult& result) {
  result.status = answer.status;
  result.detail = answer.detail;
  result.u_plus = problem.u_minus + problem.W * result.p;
  result.energy_change = 0.5 * result.p.dot(result.u_plus + problem.u_minus);
}

ImpactResult solve_newton(const ImpactProblem& problem) {
  const ContactAnswer answer = solve_contact_problem(problem.W, before_with_restitution(problem), laws(problem));
  ImpactResult result;
  result.p = answer.lambda;
  finish(problem, answer, result);
  return result;
}

/// Phases of Poisson's law as small dense problems, all of whose modes may be tried.
class DensePhases final : public PhaseSolver {
 public:
  void solve(const mixed::Problem& problem, mixed::Result& result) override {
    answer = solve_contact_problem(problem.W.to_dense(), problem.q, problem.K);
    result = {};
    result.status = answer.status;
    result.r = answer.lambda;
    result.u = answer.w;
  }
  ContactAnswer answer;  ///< of the last phase
};

ImpactResult solve_poisson(const ImpactProblem& problem) {
  PoissonImpact poisson;
  write_problem(problem.W, problem.u_minus, laws(problem), poisson.compression);
  for (const ImpactContact& contact : problem.contacts) poisson.restitution.push_back(contact.restitution);
  DensePhases phases;
  (void)poisson.solve(phases);
  ImpactResult result;
  result.p = poisson.impulses();
  finish(problem, phases.answer, result);
  return result;
}

/// Beside bilateral rows b, which hold all along: p_b = -W_bb^+ (u_b- + W_bc p_c), so that contacts c move by
/// W_cc - W_cb W_bb^+ W_bc from u_c- - W_cb W_bb^+ u_b-.
ImpactResult solve_waves(const ImpactProblem& problem) {
  std::vector<Index> contacts, held;
  ImpactProblem free;
  free.impulse_step = problem.impulse_step;
  for (const ImpactContact& contact : problem.contacts) {
    const bool holds = contact.rule == Rule::Bilateral;
    for (Index r = 0; r < contact.size; ++r) (holds ? held : contacts).push_back(contact.first + r);
    if (holds) continue;
    free.contacts.push_back(contact);
    free.contacts.back().first = std::ssize(contacts) - contact.size;
  }
  if (held.empty()) return solve_multiple_impact(problem);
  FullPivotLu factors;
  factors.set_threshold(dependent_rows);
  factors.compute(problem.W(held, held).eval());
  const Eigen::MatrixXd W_bc = problem.W(held, contacts), given_back = factors.solve(W_bc);
  const Eigen::VectorXd u_held = problem.u_minus(held), stopped = factors.solve(u_held);
  free.W = problem.W(contacts, contacts) - W_bc.transpose() * given_back;
  free.W = (0.5 * (free.W + free.W.transpose())).eval();
  free.u_minus = problem.u_minus(contacts) - W_bc.transpose() * stopped;
  ImpactResult result = solve_multiple_impact(free);
  const Eigen::VectorXd p = result.p;
  result.p.resize(problem.u_minus.size());
  result.p(contacts) = p;
  result.p(held) = -stopped - given_back * p;
  result.u_plus = problem.u_minus + problem.W * result.p;
  result.energy_change = 0.5 * result.p.dot(result.u_plus + problem.u_minus);
  const double moves = result.u_plus(held).lpNorm<Eigen::Infinity>();
  if (result.status == Status::Solved && moves > held_to * problem.u_minus.lpNorm<Eigen::Infinity>()) {
    result.status = Status::NumericalFailure;
    result.detail = "bilateral rows move on: they contradict each other, or nothing pushes them";
  }
  return result;
}

ImpactResult solve_island(const ImpactProblem& problem, Rule law) {
  switch (law) {
    case Rule::LiuZhaoBrogliato:
      return solve_waves(problem);
    case Rule::Poisson:
      return solve_poisson(problem);
    case Rule::Newton:
    case Rule::Bilateral:
      break;
  }
  return solve_newton(problem);
}

/// Where the contacts of an island do more work than they take.
void look_for_gain(const std::vector<Index>& island, const ImpactProblem& problem, ImpactResult& result) {
  double sum = 0.0, terms = 0.0, most = 0.0;
  Index gaining = -1;
  for (const Index i : island) {
    const ImpactContact& contact = problem.contacts[static_cast<std::size_t>(i)];
    const auto rows = Eigen::seqN(contact.first, contact.size);
    const double work = 0.5 * result.p(rows).dot(result.u_plus(rows) + problem.u_minus(rows));
    sum += work;
    terms += 0.5 * result.p(rows).cwiseAbs().dot(result.u_plus(rows).cwiseAbs() + problem.u_minus(rows).cwiseAbs());
    if (work <= most) continue;
    most = work;
    gaining = i;
  }
  if (gaining < 0 || !(sum > gain_noise * terms) || sum <= result.gain) return;
  result.gain = sum;
  result.gaining = gaining;
}

void look_for_gains(const std::vector<std::vector<Index>>& islands, const ImpactProblem& problem,
                    ImpactResult& result) {
  for (const std::vector<Index>& island : islands) look_for_gain(island, problem, result);
}

std::vector<std::vector<Index>> islands_of(const ImpactProblem& problem) {
  std::vector<Index> first;
  for (const ImpactContact& contact : problem.contacts) first.push_back(contact.first);
  return find_islands(coupling_of(problem), first);
}

}  // namespace

void write_given_back(double mu, ConstVectorRef p, ConstVectorRef u, double slack, VectorRef shift) {
  shift[0] = -std::max(0.0, u[0]);  // a wave may end with an approach that it takes for rest
  const Index tangents = u.size() - 1;
  if (tangents == 0) return;
  const auto p_T = p.tail(tangents), u_T = u.tail(tangents);
  const double size = p_T.norm();
  if (size < (1.0 - on_cone) * mu * p[0] - slack) {
    shift.tail(tangents) = -u_T;
  } else if (size > 0.0) {
    shift.tail(tangents) = std::min(0.0, u_T.dot(p_T) / size) / size * p_T - u_T;
  }
}

ProductSet laws(const ImpactProblem& problem) {
  ProductSet sets;
  for (const ImpactContact& contact : problem.contacts) {
    sets.push_back(contact.rule == Rule::Bilateral ? bilateral() : unilateral(contact), contact.size);
  }
  return sets;
}

Eigen::VectorXd before_with_restitution(const ImpactProblem& problem) {
  Eigen::VectorXd b = problem.u_minus;
  for (Index i = 0; i < std::ssize(problem.contacts); ++i) {
    const ImpactContact& contact = problem.contacts[static_cast<std::size_t>(i)];
    if (contact.rule != Rule::Newton) continue;
    if (contact.by_matrix) {
      b[contact.first] += describe::added_restitution(
          problem.E, i, [](Index) { return true; },
          [&](Index j) { return problem.u_minus[problem.contacts[static_cast<std::size_t>(j)].first]; });
    } else {
      b[contact.first] *= 1.0 + contact.restitution;
    }
    b.segment(contact.first + 1, contact.size - 1) *= 1.0 + contact.tangential_restitution;
  }
  return b;
}

ImpactProblem with_given_back(const ImpactProblem& problem, const ImpactResult& solved) {
  ImpactProblem result = problem;
  result.u_minus = before_with_restitution(problem);
  result.E.resize(0, 0);
  const double none = not_hit * solved.p.lpNorm<Eigen::Infinity>();
  for (ImpactContact& contact : result.contacts) {
    const auto rows = Eigen::seqN(contact.first, contact.size);
    const bool separate = contact.rule == Rule::Poisson || contact.rule == Rule::LiuZhaoBrogliato;
    if (separate && solved.p[contact.first] > none) {
      Eigen::VectorXd shift = Eigen::VectorXd::Zero(contact.size);
      write_given_back(contact.friction, solved.p(rows), solved.u_plus(rows), 0.0, shift);
      result.u_minus(rows) += shift;
    }
    if (contact.rule != Rule::Bilateral) contact.rule = Rule::Newton;
    contact.restitution = contact.tangential_restitution = 0.0;
    contact.by_matrix = false;
  }
  return result;
}

void find_gain(const ImpactProblem& problem, ImpactResult& result) {
  result.gain = 0.0;
  result.gaining = -1;
  look_for_gains(islands_of(problem), problem, result);
}

Eigen::VectorXd left_by_solver(const ImpactProblem& problem) {
  Eigen::VectorXd left = Eigen::VectorXd::Zero(problem.u_minus.size());
  const auto by_flow = [](const ImpactContact& contact) { return contact.rule == Rule::LiuZhaoBrogliato; };
  if (problem.impulse_step > 0.0 || std::none_of(problem.contacts.begin(), problem.contacts.end(), by_flow))
    return left;
  std::vector<Index> first;
  for (const ImpactContact& contact : problem.contacts) first.push_back(contact.first);
  for (const std::vector<Index>& island : islands_of(problem)) {
    const std::vector<Index> rows = rows_of_island(island, first, problem.u_minus.size());
    const double speed = problem.u_minus(rows).lpNorm<Eigen::Infinity>();
    for (const Index i : island) {
      const ImpactContact& contact = problem.contacts[static_cast<std::size_t>(i)];
      if (by_flow(contact)) left[contact.first] = 2.0 * left_by_multiple_impact * speed;
    }
  }
  return left;
}

void write_impact(const ImpactProblem& problem, const ImpactResult& solved, OneStepNSProblem& written) {
  write_problem(problem.W, before_with_restitution(problem), laws(problem), written.reduced);
  write_result(solved.status, "Newton", solved.p, written);
  name_impact(problem, written);
}

void name_impact(const ImpactProblem& problem, OneStepNSProblem& written) {
  written.level = OneStepNSProblem::Level::Impact;
  for (const ImpactContact& contact : problem.contacts) {
    if (contact.rule == Rule::Newton || contact.rule == Rule::Bilateral) continue;
    written.result.certificate = {};
    written.result.solver = contact.rule == Rule::Poisson ? "Poisson" : "LiuZhaoBrogliato";
  }
}

ImpactResult solve_impact(const ImpactProblem& problem) {
  check_problem(problem);
  const std::vector<std::vector<Index>> islands = islands_of(problem);
  std::vector<Index> first;
  for (const ImpactContact& contact : problem.contacts) first.push_back(contact.first);
  ImpactResult result;
  result.status = Status::Solved;
  result.p.setZero(problem.u_minus.size());
  result.u_plus = problem.u_minus;
  for (const auto& island : islands) {
    if (!approaches(problem, island)) continue;
    const Rule law = law_of(problem, island);
    if (island.size() == problem.contacts.size()) {
      result = solve_island(problem, law);
    } else {
      const std::vector<Index> rows = rows_of_island(island, first, problem.u_minus.size());
      const ImpactResult part = solve_island(problem_of(problem, island, rows), law);
      result.p(rows) = part.p;
      result.u_plus(rows) = part.u_plus;
      result.energy_change += part.energy_change;
      result.stored_energy += part.stored_energy;
      result.status = part.status;
      result.detail = part.detail;
    }
    if (result.status != Status::Solved) return result;
  }
  look_for_gains(islands, problem, result);
  return result;
}

}  // namespace nonsmooth::impacts
