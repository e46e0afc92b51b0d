// SPDX-License-Identifier: Apache-2.0
#include "runs.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

using namespace nonsmooth;

Motion swing(const Prism& rates, double h, double T, const std::function<Prism(double)>& exact) {
  Tensegrity prism = build(rates, 0.0, 0.0);
  TimeStepping simulation{
      prism.model, {.integrator = MoreauJean{.configuration_weight = 0.5}, .step = h, .newton = {.tolerance = 1e-12}}};
  Motion motion;
  const auto report = simulation.advance_to(T, [&](const State& x) {
    const auto q = x.q(prism.struts[0]);  // where it is says where all are
    const Prism now{q[0], -2.0 * std::atan2(q[4], q[3])}, other = exact(x.t);
    Index slack = 0;
    for (const InteractionHandle one : prism.cables) slack += x.force(one)[0] < 0.0 ? 0 : 1;
    motion.slack = std::max(motion.slack, slack);
    motion.table.record({x.t, now.rho, now.beta, other.beta});
    motion.off = std::max({motion.off, std::abs(now.rho - other.rho), std::abs(now.beta - other.beta)});
  });
  if (!report) throw std::runtime_error(report.message());
  return motion;
}

Fall drop(double h) {
  Tensegrity prism = build({0.0, 0.0}, kHeight + kRadius, kDamping);
  std::vector<BodyShapes> shapes;
  for (const SystemHandle strut : prism.struts)
    shapes.push_back({strut, {{.shape = Capsule{.radius = kRadius, .half_length = 0.5 * kLength}}}});
  const BodyContacts contacts(shapes, {{.shape = HalfSpace{}}},
                              NewtonImpactFrictionLaw{.friction = 0.5, .dimension = 3});
  prism.model.detect(contacts);
  TimeStepping simulation{prism.model, {.step = h}};
  Ledger ledger(simulation);
  Fall fall;
  const double start = ledger.last().energy() + stored_energy();
  double energy = start;
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();
  const auto report = simulation.advance_to(kEnd, [&](const State& x) {
    Shot shot;
    Eigen::Vector3d centre = Eigen::Vector3d::Zero(), v = Eigen::Vector3d::Zero();
    for (std::size_t i = 0; i < 3; ++i) {
      const auto q = x.q(prism.struts[i]);
      const Eigen::Vector3d half =
          Eigen::Quaterniond(q[3], q[4], q[5], q[6]) * Eigen::Vector3d(0.0, 0.0, 0.5 * kLength);
      shot.low[i] = q.head<3>() - half, shot.high[i] = q.head<3>() + half;
      centre += q.head<3>() / 3.0, v += x.v(prism.struts[i]).head<3>() / 3.0;
    }
    const double before = energy;
    energy = ledger.record(x).energy();
    double slack = 0.0;
    for (std::size_t i = 0; i < 9; ++i) {
      const double T = shot.tension[i] = -x.force(prism.cables[i])[0], y = std::max(x.y(prism.cables[i])[0], 0.0);
      energy += 0.5 * kStiffness * y * y;
      slack += T > 0.0 ? 0.0 : 1.0;
      fall.pushing = std::max(fall.pushing, -T);
    }
    Eigen::Vector3d impulse(0.0, 0.0, -3.0 * kMass * kGravity * h);
    for (const SystemHandle strut : prism.struts)
      for (const ContactStepReaction& one : simulation.contact_reactions(strut)) impulse += one.impulse.head<3>();
    fall.inner = std::max(fall.inner, (3.0 * kMass * (v - std::exchange(velocity, v)) - impulse).norm());
    if (fall.lands == 0.0 && impulse[2] > 0.0) fall.lands = x.t;
    fall.gained = std::max(fall.gained, energy - before), fall.lost = start - energy;
    fall.aside = std::max(fall.aside, centre.head<2>().norm());
    fall.slack = std::max(fall.slack, slack);
    for (const ContactBatch& batch : contacts_at(x, contacts))
      for (const DetectedContact& one : batch.contacts) fall.deepest = std::max(fall.deepest, -one.gap);
    if (x.t > kApart * static_cast<double>(fall.shots.size()) - 0.5 * h) fall.shots.push_back(shot);
    fall.table.record({x.t, centre[2], slack, shot.tension[6], shot.tension[0]});
  });
  if (!report) throw std::runtime_error(report.message());
  return fall;
}
