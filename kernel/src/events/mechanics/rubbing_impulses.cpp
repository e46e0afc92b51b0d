// SPDX-License-Identifier: Apache-2.0
#include "rubbing_impulses.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <Eigen/Eigenvalues>

#include <internal/round_off.hpp>

#include "problem_origins.hpp"

namespace nonsmooth::events {
namespace {

constexpr int kMostRubbingTurns = 4000;
constexpr int kMostShifts = 60;
constexpr double kImpulsesRepeat = 1e-13;  ///< of the largest bound, or of what moves joints as fast as they move

}  // namespace

RubbingImpulses::RubbingImpulses(const MechanicalModel& model, const std::vector<std::size_t>& taking)
    : model_(model), impulses_(Eigen::VectorXd::Zero(model.num_rows())) {
  for (const std::size_t i : taking) {
    const Contact& one = model.contact(i);
    for (Index r = 0; r < one.impact_rows; ++r) rows_.push_back(one.row + r);
  }
  for (std::size_t i = 0; i < model.contacts().size(); ++i) {
    const Contact& one = model.contact(i);
    if (one.kind != Contact::Kind::Rubbing) continue;
    Group group;
    group.number = i;
    group.contact = &one;
    group.H = model.H.middleRows(one.row, one.size);
    group.u_minus = model.u.segment(one.row, one.size);
    group.X = group.H.transpose();
    for (Index k = 0; k < one.size; ++k) model.solve_mass(group.X.col(k));
    group.impulse.setZero(one.size);
    group.mobility = group.H * group.X;
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> axes(group.mobility);
    const double largest = axes.eigenvalues().maxCoeff();
    group.axes = axes.eigenvectors();
    group.along = axes.eigenvalues().cwiseMax(64.0 * eps * largest);
    if (largest > 0.0) groups_.push_back(std::move(group));
  }
}

impacts::ImpactResult RubbingImpulses::solve(const impacts::ImpactProblem& problem, const Eigen::MatrixXd& X,
                                             const Eigen::VectorXd& v_minus, Eigen::VectorXd& v_plus) {
  impacts::ImpactResult result = impacts::solve_impact(problem);
  if (result.status != Status::Solved) return result;
  v_plus = v_minus + X * result.p;
  if (groups_.empty()) return result;
  const impacts::ImpactProblem known = impacts::with_given_back(problem, result);
  impacts::ImpactProblem pushed_on = known;
  Eigen::VectorXd pushed = Eigen::VectorXd::Zero(v_minus.size()), push(problem.u_minus.size());
  const auto look_at_push = [&] {
    for (Index k = 0; k < push.size(); ++k) push[k] = model_.H.row(rows_[static_cast<std::size_t>(k)]).dot(pushed);
  };
  impulses_.setZero();
  for (Group& group : groups_) group.impulse.setZero();
  for (int round = 0; round < kMostRubbingTurns; ++round) {
    for (std::size_t k = 0; k < rows_.size(); ++k) impulses_[rows_[k]] = result.p[static_cast<Index>(k)];
    double largest = 0.0;
    const double change = turn(v_minus, v_plus, pushed, largest);
    look_at_push();
    if (change <= kImpulsesRepeat * largest) {
      if (pushed.isZero(0.0)) return result;
      result.u_plus = problem.u_minus + push + problem.W * result.p;
      result.energy_change = 0.5 * result.p.dot(result.u_plus + problem.u_minus);
      impacts::find_gain(problem, result);
      return result;
    }
    pushed_on.u_minus = known.u_minus + push;
    impacts::ImpactResult next = impacts::solve_impact(pushed_on);
    result.status = next.status;
    result.detail = std::move(next.detail);
    result.p = std::move(next.p);
    if (result.status != Status::Solved) return result;
    v_plus = v_minus + pushed + X * result.p;
  }
  result.status = Status::IterationLimit;
  result.detail = "no impulse of the friction in joints repeats";
  return result;
}

/// tau = -(W + s)^-1 u, s = 0 where that is short enough, else s > 0 with |tau| = bound by Newton's method on 1 /
/// |tau|, which is concave and nearly linear in s: it comes from below, and does not pass the solution.
Eigen::VectorXd RubbingImpulses::Group::impulse_on(const Eigen::VectorXd& u, double bound) const {
  if (!(bound > 0.0)) return Eigen::VectorXd::Zero(u.size());
  const Eigen::VectorXd on_axes = axes.transpose() * u;
  double s = 0.0;
  Eigen::VectorXd tau = -on_axes.cwiseQuotient(along);
  for (int iteration = 0; iteration < kMostShifts; ++iteration) {
    const double size = tau.norm();
    if (size <= bound * (1.0 + 4.0 * eps)) break;
    const double slope = tau.cwiseAbs2().cwiseQuotient((along.array() + s).matrix()).sum();
    s += (size / bound - 1.0) * size * size / slope;
    tau = -on_axes.cwiseQuotient((along.array() + s).matrix());
  }
  return axes * tau;
}

double RubbingImpulses::turn(const Eigen::VectorXd& v_minus, Eigen::VectorXd& v_plus, Eigen::VectorXd& pushed,
                             double& largest) {
  double change = 0.0;
  for (Group& group : groups_) {
    const Contact& one = *group.contact;
    const double bound = one.bound_by(impulses_, 0.0);
    const Eigen::VectorXd gained = v_plus - v_minus, u_plus = group.u_minus + group.H * gained;
    const Eigen::VectorXd impulse = group.impulse_on(u_plus - group.mobility * group.impulse, bound);
    const Eigen::VectorXd moved = group.X * (impulse - group.impulse);
    change = std::max(change, (impulse - group.impulse).norm());
    const double terms = group.u_minus.norm() + (group.H.cwiseAbs() * gained.cwiseAbs()).norm();
    largest = std::max({largest, bound, terms / group.along.maxCoeff()});
    group.impulse = impulse;
    impulses_.segment(one.row, one.size) = impulse;
    pushed += moved;
    v_plus += moved;
  }
  return change;
}

RubbedRows RubbingImpulses::rows(const impacts::ImpactProblem& problem) const {
  RubbedRows result;
  const Index own = problem.u_minus.size();
  Index all = own;
  for (const Group& group : groups_) all += group.contact->size;
  result.bounds.resize(std::ssize(groups_));
  result.u_minus.resize(all - own);
  result.impulse.resize(all - own);
  result.W.resize(all, all);
  result.W.topLeftCorner(own, own) = problem.W;
  Index at = own;
  for (const Group& group : groups_) {
    const Contact& one = *group.contact;
    result.bounds[std::ssize(result.contacts)] = one.bound_by(impulses_, 0.0);
    result.contacts.push_back(group.number);
    result.u_minus.segment(at - own, one.size) = group.u_minus;
    result.impulse.segment(at - own, one.size) = group.impulse;
    for (Index k = 0; k < own; ++k)
      result.W.block(k, at, 1, one.size).noalias() = model_.H.row(rows_[static_cast<std::size_t>(k)]) * group.X;
    Index row = own;
    for (const Group& other : groups_) {
      result.W.block(row, at, other.contact->size, one.size).noalias() = other.H * group.X;
      row += other.contact->size;
    }
    result.W.block(at, 0, one.size, own) = result.W.block(0, at, own, one.size).transpose();
    at += one.size;
  }
  return result;
}

void RubbedRows::write(const impacts::ImpactProblem& problem, const impacts::ImpactResult& solved,
                       const std::vector<std::size_t>& taking, const MechanicalModel& model,
                       OneStepNSProblem& written) const {
  const ProductSet laws = impacts::laws(problem);
  Eigen::VectorXd q(W.rows()), r(W.rows());
  q << impacts::before_with_restitution(problem), u_minus;
  r << solved.p, impulse;
  std::vector<Index> order;
  ProductSet sets;
  clear_origins(model, written);
  const auto add = [&](std::size_t contact, const BlockSet& set, Index size) {
    sets.push_back(set, size);
    add_origin(model, model.contact(contact), size, written);
  };
  const auto take = [&](Index first, Index size) {
    for (Index k = 0; k < size; ++k) order.push_back(first + k);
  };
  Index row = problem.u_minus.size();
  std::size_t rubs = 0;
  const auto add_rubbing = [&] {
    const std::size_t i = contacts[rubs];
    const Contact& one = model.contact(i);
    BlockSet set;
    set.kind = one.lead() > 0 ? SetKind::VonMises : SetKind::Box;
    const double bound = bounds[static_cast<Index>(rubs++)];
    (one.lead() > 0 ? set.radius : set.upper) = bound;
    if (one.lead() == 0) set.lower = -bound;
    take(row, one.size);
    row += one.size;
    add(i, set, one.size + one.lead());
  };
  for (std::size_t k = 0; k < taking.size(); ++k) {
    const std::size_t i = taking[k];
    while (rubs < contacts.size() && contacts[rubs] < i) add_rubbing();
    const impacts::ImpactContact& entry = problem.contacts[k];
    take(entry.first, entry.size);
    if (rubs < contacts.size() && contacts[rubs] == i + 1 && model.contact(i + 1).lead() > 0) {
      add_rubbing();
    } else {
      add(i, laws[static_cast<Index>(k)], entry.size);
    }
  }
  while (rubs < contacts.size()) add_rubbing();
  impacts::write_problem(W(order, order), q(order), sets, written.reduced);
  impacts::write_result(solved.status, "Newton", r(order), written);
  impacts::name_impact(problem, written);
}

void RubbingImpulses::add_to(Eigen::VectorXd& percussions) const {
  for (const Group& group : groups_) percussions.segment(group.contact->row, group.contact->size) += group.impulse;
}

}  // namespace nonsmooth::events
