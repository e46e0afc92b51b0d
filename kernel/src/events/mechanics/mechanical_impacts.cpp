// SPDX-License-Identifier: Apache-2.0
#include "mechanical_impacts.hpp"

#include <algorithm>

#include <internal/disjoint_sets.hpp>
#include <internal/round_off.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "model/guarded.hpp"
#include "problem_origins.hpp"

namespace nonsmooth::events {
namespace {

/// Impacts at one instant, one after the other, before they are said to have no end.
constexpr int kMostInARow = 256;
/// Of the velocities before: an approach below it is what the solver of an impact may leave.
constexpr double kLeftBySolver = 1e-9;

/// Matrices of coefficients on the contacts that take part.
void write_matrix(const std::vector<std::size_t>& taking, const MechanicalModel& model,
                  impacts::ImpactProblem& problem) {
  const Index count = std::ssize(taking);
  for (Index i = 0; i < count; ++i) {
    const Contact& one = model.contact(taking[static_cast<std::size_t>(i)]);
    if (one.matrix < 0) continue;
    if (problem.E.size() == 0) problem.E.setZero(count, count);
    for (Index j = 0; j < count; ++j) {
      const Contact& other = model.contact(taking[static_cast<std::size_t>(j)]);
      if (other.matrix == one.matrix) problem.E(i, j) = model.impact_matrix(one.matrix)(one.in_matrix, other.in_matrix);
    }
  }
}

/// Coefficients by users' functions, among contacts whose bodies contacts and joints connect.
void write_rules(const std::vector<std::size_t>& taking, const MechanicalModel& model,
                 impacts::ImpactProblem& problem) {
  const Index count = std::ssize(taking);
  DisjointSets bodies(std::ssize(model.layout().systems));
  std::vector<Index> body;  // of each contact one that moves; -1: none does
  std::vector<Index> systems;
  for (const std::size_t i : taking) {
    systems.clear();
    model.append_systems(model.contact(i), systems);
    std::erase_if(systems, [&model](Index system) { return model.is_held(system); });
    for (const Index system : systems) bodies.join(systems.front(), system);
    body.push_back(systems.empty() ? -1 : systems.front());
  }
  const auto at = [](Index k) { return static_cast<std::size_t>(k); };
  const auto rule_of = [&](Index k) { return model.contact(taking[at(k)]).coefficients; };
  if (problem.E.size() == 0) problem.E.setZero(count, count);
  for (Index i = 0; i < count; ++i) {
    if (rule_of(i) < 0) continue;
    for (Index j = 0; j < count; ++j) {
      const bool asks = rule_of(j) == rule_of(i) && problem.u_minus[problem.contacts[at(j)].first] < 0.0;
      if (asks && body[at(i)] >= 0 && body[at(j)] >= 0 && bodies.together(body[at(i)], body[at(j)]))
        problem.E(i, j) = model.coefficient(taking[at(i)], taking[at(j)]);
    }
    problem.contacts[at(i)].restitution = problem.E.row(i).maxCoeff();
  }
}

/// The impact on those contacts at the (t, z) that was evaluated last; X = M^-1 H^T of its rows.
impacts::ImpactProblem impact_on(const std::vector<std::size_t>& taking, const MechanicalModel& model,
                                 const MechanicalTolerances& tolerances, double impulse_step, Eigen::MatrixXd& X) {
  impacts::ImpactProblem problem;
  problem.impulse_step = impulse_step;
  bool by_rule = false;
  Index rows = 0;
  for (const std::size_t i : taking) {
    const Contact& one = model.contact(i);
    impacts::ImpactContact entry;
    entry.first = rows;
    entry.size = one.impact_rows;
    entry.rule = one.kind == Contact::Kind::Unilateral ? one.rule : impacts::ImpactContact::Rule::Bilateral;
    entry.restitution = one.restitution;
    entry.tangential_restitution = one.tangential_restitution;
    entry.friction = one.kinetic_friction;
    entry.turns = one.num_turning > 0;
    entry.rolling = one.rolling;
    entry.spinning = one.spinning;
    entry.at_rest = tolerances.velocity(i);
    entry.stiffness = one.impact_stiffness;
    entry.exponent = one.impact_exponent;
    entry.by_matrix = one.matrix >= 0 || one.coefficients >= 0;
    by_rule = by_rule || one.coefficients >= 0;
    rows += entry.size;
    problem.contacts.push_back(entry);
  }
  write_matrix(taking, model, problem);
  Eigen::MatrixXd H(rows, model.num_velocities());
  problem.u_minus.resize(rows);
  for (std::size_t k = 0; k < taking.size(); ++k) {
    const Contact& one = model.contact(taking[k]);
    const impacts::ImpactContact& entry = problem.contacts[k];
    H.middleRows(entry.first, entry.size) = model.H.middleRows(one.row, entry.size);
    problem.u_minus.segment(entry.first, entry.size) = model.u.segment(one.row, entry.size);
  }
  X = H.transpose();
  for (Index k = 0; k < rows; ++k) model.solve_mass(X.col(k));
  problem.W = H * X;
  if (by_rule) write_rules(taking, model, problem);
  return problem;
}

/// As messages name it: TimeStepping tells the same.
const char* name_of_law(const Contact& contact) {
  switch (contact.rule) {
    case impacts::ImpactContact::Rule::Poisson:
      return "Poisson's law";
    case impacts::ImpactContact::Rule::LiuZhaoBrogliato:
      return "the law of Liu, Zhao and Brogliato";
    case impacts::ImpactContact::Rule::Newton:
    case impacts::ImpactContact::Rule::Bilateral:
      break;
  }
  return "Newton's law";
}

/// The impact again, plastic where its sequence ends here; false where it is that already. Poisson's law and Liu, Zhao
/// and Brogliato's give back impulses, also those of contacts that rest: beside contacts that stay these would lift
/// them, though the impacts left out have them rest each time.
bool end_restitution(const Accumulations::Carried& carried, const std::vector<std::size_t>& taking,
                     const Eigen::VectorXd& p, impacts::ImpactProblem& problem) {
  bool again = false;
  for (std::size_t k = 0; k < taking.size(); ++k) {
    impacts::ImpactContact& contact = problem.contacts[k];
    const bool rests = carried.rests[taking[k]] && contact.rule != impacts::ImpactContact::Rule::Newton;
    if (!(carried.stays[taking[k]] || rests) || !(p[contact.first] > 0.0)) continue;
    again = again || contact.restitution > 0.0;
    contact.restitution = 0.0;
    if (problem.E.size() == 0) continue;
    problem.E.row(static_cast<Index>(k)).setZero();
    problem.E.col(static_cast<Index>(k)).setZero();
  }
  return again;
}

}  // namespace

const OneStepNSProblem& MechanicalImpacts::problem() const {
  if (written_) return problem_;
  if (!last_.rubbed.contacts.empty()) {
    last_.rubbed.write(last_.problem, last_.result, last_.taking, model_, problem_);
    written_ = true;
    return problem_;
  }
  impacts::write_impact(last_.problem, last_.result, problem_);
  clear_origins(model_, problem_);
  for (std::size_t k = 0; k < last_.taking.size(); ++k)
    add_origin(model_, model_.contact(last_.taking[k]), last_.problem.contacts[k].size, problem_);
  written_ = true;
  return problem_;
}

MechanicalImpacts::MechanicalImpacts(MechanicalModel& model, const MechanicalTolerances& tolerances,
                                     Accumulations& accumulations, double impulse_step)
    : model_(model),
      tolerances_(tolerances),
      accumulations_(accumulations),
      impulse_step_(impulse_step),
      percussions_(Eigen::VectorXd::Zero(model.num_rows())),
      rounding_(percussions_) {}

void MechanicalImpacts::add_impulse(const Eigen::VectorXd& impulse) {
  if (num_pending_++ == 0) {
    pending_ = impulse;
  } else {
    pending_ += impulse;
  }
}

void MechanicalImpacts::apply_impulses(double t, Eigen::VectorXd& z, std::vector<Event>& log) {
  percussions_.setZero();
  percussion_t_ = t;
  forget_problem();
  acted_ = num_pending_ > 0;
  if (!acted_) return;
  model_.evaluate_dynamics(t, z);
  model_.solve_mass(pending_);
  model_.v += pending_;
  model_.scatter_velocities(z);
  log.insert(log.end(), static_cast<std::size_t>(num_pending_), Event{.kind = EventKind::Impulse, .t = t});
  num_pending_ = 0;
}

bool MechanicalImpacts::moved(std::size_t i) const {
  if (!acted_) return false;
  const Contact& one = model_.contact(i);
  for (Index r = one.row; r < one.row + one.size; ++r) {
    if (model_.H.row(r).dot(pending_) != 0.0) return true;
  }
  return false;
}

std::vector<std::size_t> MechanicalImpacts::taking_part(const std::vector<char>& closed) const {
  std::vector<std::size_t> taking;
  for (std::size_t i = 0; i < closed.size(); ++i) {
    if (closed[i] && !model_.contact(i).bounds_its_force()) taking.push_back(i);  // forces with bounds have no impulses
  }
  return taking;
}

bool MechanicalImpacts::approach(const std::vector<std::size_t>& taking) const {
  return std::any_of(taking.begin(), taking.end(), [this](std::size_t i) {
    const Contact& one = model_.contact(i);
    const double tolerance = tolerances_.velocity(i);
    if (one.kind == Contact::Kind::Unilateral) return model_.u[one.row] < -tolerance;
    return model_.u.segment(one.row, one.size).lpNorm<Eigen::Infinity>() > tolerance;
  });
}

bool MechanicalImpacts::approach_again(const std::vector<std::size_t>& taking) const {
  return std::any_of(taking.begin(), taking.end(), [this](std::size_t i) {
    const Contact& one = model_.contact(i);
    const double by_solver = std::max(kLeftBySolver * tolerances_.speed_before[one.row], rounding_[one.row]);
    const double left = std::max(tolerances_.velocity(i), by_solver);
    return one.kind == Contact::Kind::Unilateral && model_.u[one.row] < -left;
  });
}

std::string MechanicalImpacts::places(const std::vector<std::size_t>& taking) const {
  std::vector<std::string> names;
  for (const std::size_t i : taking) names.push_back(model_.place_of(model_.contact(i)));
  return list_of(names);
}

Resolution MechanicalImpacts::solve(double t, Eigen::VectorXd& z, const std::vector<char>& closed,
                                    std::vector<char>& impacted, std::vector<Event>& log) {
  rounding_.setZero();
  const std::vector<std::size_t> taking = taking_part(closed);
  if (!approach(taking)) return {};
  model_.evaluate_dynamics(t, z);
  for (int count = 0; count < kMostInARow; ++count) {
    if (Resolution collided = collide(t, z, taking, impacted, log); !collided) return collided;
    if (!approach_again(taking)) return {};
  }
  Resolution failed;
  failed.outcome = Resolution::Outcome::Unsolved;
  failed.detail = "impacts at " + places(taking) + " follow one another at one instant, " +
                  std::to_string(kMostInARow) + " so far: each has another contact approach";
  return failed;
}

Resolution MechanicalImpacts::collide(double t, Eigen::VectorXd& z, const std::vector<std::size_t>& taking,
                                      std::vector<char>& impacted, std::vector<Event>& log) {
  Eigen::MatrixXd X;
  impacts::ImpactProblem problem = impact_on(taking, model_, tolerances_, impulse_step_, X);
  const Eigen::VectorXd v_minus = model_.v;
  RubbingImpulses rubbing(model_, taking);
  Accumulations::Carried carried;
  impacts::ImpactResult result;
  for (int round = 0;; ++round) {
    try {
      result = rubbing.solve(problem, X, v_minus, model_.v);
      last_.problem = problem;
      last_.result = result;
      last_.taking = taking;
      last_.rubbed = result.status == Status::Solved ? rubbing.rows(problem) : RubbedRows{};
      written_ = false;
    } catch (const InvalidArgument& refused) {  // laws that cannot act together: known once they do
      result.detail = refused.what();
      result.status = Status::NotRun;
    }
    if (result.status != Status::Solved) {
      Resolution failed;
      failed.outcome = Resolution::Outcome::Unsolved;
      failed.detail = "the impact at " + places(taking) + ": " + result.detail;
      return failed;
    }
    model_.scatter_velocities(z);
    model_.evaluate_velocities(t, z);
    if (round > 0) break;
    carried = accumulations_.find_carried(t, z, problem, taking, log);
    if (!end_restitution(carried, taking, result.p, problem)) break;
  }
  accumulations_.hold_carried(t, z, carried.stays);
  gain_ += result.gain;
  if (result.gain > 0.0) {
    const Contact& most = model_.contact(taking[static_cast<std::size_t>(result.gaining)]);
    gaining_ = model_.place_of(most) + " under " + name_of_law(most);
  }
  const double round_off = 64.0 * eps * result.p.lpNorm<Eigen::Infinity>();
  const Eigen::VectorXd rounding =
      64.0 * eps * (problem.W.cwiseAbs() * result.p.cwiseAbs()) + impacts::left_by_solver(problem);
  for (std::size_t k = 0; k < taking.size(); ++k) {
    const std::size_t i = taking[k];
    const Contact& one = model_.contact(i);
    const impacts::ImpactContact& entry = problem.contacts[k];
    percussions_.segment(one.row, entry.size) += result.p.segment(entry.first, entry.size);
    rounding_.segment(one.row, entry.size) += rounding.segment(entry.first, entry.size);
    const double impulse = result.p[entry.first];
    if (one.kind != Contact::Kind::Unilateral || !(impulse > round_off)) continue;
    if (!impacted[i]) accumulations_.remember_impact(i, t);
    impacted[i] = 1;
    log.push_back(model_.event_of(EventKind::Impact, t, i, impulse));
  }
  rubbing.add_to(percussions_);
  return {};
}

}  // namespace nonsmooth::events
