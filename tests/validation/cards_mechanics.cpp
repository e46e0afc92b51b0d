// SPDX-License-Identifier: Apache-2.0
// Mechanisms with contact, finite elements, and balls under the other mechanical schemes.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <problems/mechanics.hpp>

#include "cards.hpp"

namespace nonsmooth::validation {
namespace {

using problems::Beam;
using problems::Model;

/// Contacts whose forecast gap is closed: those of the next step.
double active_next(const Model& m, const State& s) {
  return static_cast<double>(std::count_if(m.contacts.begin(), m.contacts.end(), [&](InteractionHandle contact) {
    return s.y(contact)[0] + 0.5 * m.options.step * s.u(contact)[0] <= 0.0;
  }));
}

/// The last column of a row becomes that of the row before: the contacts that the step to it had.
void shift_last(std::vector<Row>& rows) {
  for (std::size_t k = rows.size(); k-- > 1;) rows[k].back() = rows[k - 1].back();
  rows[0].back() = 0.0;
}

Card woodpecker() {
  return {.name = "WoodPecker",
          .columns = {"y", "v_y", "phi_M", "omega_M", "phi_S", "omega_S"},
          .make = [] { return problems::woodpecker(); },
          .row =
              [](const Model& m, const State& s, Row& row) {
                const auto q = s.q(m.bodies[0]), v = s.v(m.bodies[0]);
                row = {q[0], v[0], q[1], v[1], q[2], v[2]};
              },
          .bounds = {{.tolerance = 1e-9}},
          .reference_microseconds = 94240.0 / 14999.0};
}

Card cam_follower() {
  return {.name = "CamFollower-Rheonomous",
          .columns = {"q", "v", "lambda", "fext", "cam_pos", "cam_vel", "sum"},
          .make = [] { return problems::cam_follower(); },
          .row =
              [](const Model& m, const State& s, Row& row) {
                const double q = s.q(m.bodies[0])[0];
                const auto cam = problems::CamProfile::at(s.t);
                row = {
                    q, s.v(m.bodies[0])[0], s.impulse(m.contacts[0])[0], 0.0, cam.height, cam.velocity, cam.height + q};
              },
          .bounds = {{.tolerance = 1e-8}},
          .reference_microseconds = 34090.0 / 10000.0};
}

Card double_pendulum() {
  return {.name = "DoublePendulumTS",
          .columns = {"q0", "v0", "q1", "v1", "x1", "y1", "x2", "y2", "xd1", "xd2"},
          .make = [] { return problems::double_pendulum(); },
          .row =
              [](const Model& m, const State& s, Row& row) {
                const auto q = s.q(m.bodies[0]), v = s.v(m.bodies[0]);
                const double s0 = std::sin(q[0]), c0 = std::cos(q[0]), s1 = std::sin(q[1]), c1 = std::cos(q[1]);
                row = {q[0], v[0], q[1], v[1], s0, -c0, s0 + s1, -c0 - c1, c0 * v[0], c0 * v[0] + c1 * v[1]};
              },
          .bounds = {{.tolerance = 1e-9}},
          .reference_microseconds = 66420.0 / 10000.0};
}

Card impacting_stick() {
  // Positions of what looks back, t first.
  constexpr std::size_t yn = 8, un = 10, ut = 11, ln = 12, lt = 13, wn = 14;
  return {.name = "ImpactingStick",
          .columns = {"x",  "y",  "phi", "vx", "vy", "omega", "p0", "yn", "yt",   "un",
                      "ut", "ln", "lt",  "wn", "wt", "diss",  "Wn", "Wt", "Ekin", "Epot"},
          .make = [] { return problems::impacting_stick(); },
          .row =
              [](const Model& m, const State& s, Row& row) {
                const auto q = s.q(m.bodies[0]), v = s.v(m.bodies[0]);
                const auto u = s.u(m.contacts[0]), p = s.impulse(m.contacts[0]);
                const double kinetic = 0.5 * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2] / 12.0);
                row = {q[0], q[1], q[2],    v[0],       v[1], v[2], -p[1], s.y(m.contacts[0])[0],
                       0.0,  u[0], u[1],    p[0],       p[1], 0.0,  0.0,   0.0,
                       0.0,  0.0,  kinetic, 10.0 * q[1]};
              },
          .history =
              [](std::vector<Row>& rows) {
                double normal = 0.0, tangential = 0.0;
                for (std::size_t k = 1; k < rows.size(); ++k) {
                  Row& row = rows[k];
                  const Row& before = rows[k - 1];
                  row[wn] = 0.5 * (row[un] + before[un]) * row[ln];
                  row[wn + 1] = 0.5 * (row[ut] + before[ut]) * row[lt];
                  row[wn + 2] = 0.01 * 0.5 * std::abs(row[ut] + before[ut]) * row[ln];
                  row[wn + 3] = normal += row[wn];
                  row[wn + 4] = tangential += row[wn + 1];
                }
                std::fill(rows[0].begin() + yn, rows[0].end(), 0.0);  // outputs and energies start with the first step
              },
          .bounds = {{.tolerance = 1e-9}},
          .reference_microseconds = 8637.0 / 2000.0};
}

Card slider_crank() {
  using S = problems::SliderCrank;
  const std::vector<std::string> compared = {
      "t",  "theta1_turns", "theta2", "theta3", "om1", "om2", "om3", "Yc1", "Yc2", "Yc3", "Yc4", "Xs", "Ys",
      "g1", "g2",           "g3",     "g4",     "gd1", "gd2", "gd3", "gd4", "L1",  "L2",  "L3",  "L4", "nact"};
  return {.name = "SliderCrankMoreauJeanOSI",
          .columns = {"theta1_turns", "theta2", "theta3", "om1", "om2", "om3", "Yc1",       "Yc2", "Yc3",
                      "Yc4",          "Xs",     "Ys",     "g1",  "g2",  "g3",  "g4",        "gd1", "gd2",
                      "gd3",          "gd4",    "L1",     "L2",  "L3",  "L4",  "newton_it", "nact"},
          .make = [] { return problems::slider_crank(); },
          .row =
              [](const Model& m, const State& s, Row& row) {
                const auto q = s.q(m.bodies[0]), v = s.v(m.bodies[0]);
                const double pin = S::l1 * std::sin(q[0]) + S::l2 * std::sin(q[1]);
                const double lean = S::a * std::sin(q[2]), top = S::b * std::cos(q[2]);
                row = {q[0] / (2.0 * std::numbers::pi),
                       q[1],
                       q[2],
                       v[0],
                       v[1],
                       v[2],
                       (pin - lean + top - S::b) / S::c,
                       (pin + lean + top - S::b) / S::c,
                       (pin - lean - top + S::b) / S::c,
                       (pin + lean - top + S::b) / S::c,
                       (S::l1 * std::cos(q[0]) + S::l2 * std::cos(q[1]) - S::l2) / S::l1,
                       pin / S::c};
                for (const InteractionHandle corner : m.contacts) row.push_back(s.y(corner)[0]);
                for (const InteractionHandle corner : m.contacts) row.push_back(s.u(corner)[0]);
                for (const InteractionHandle corner : m.contacts) row.push_back(s.impulse(corner)[0]);
                // The last but one is the independent code's count of its Newton iterations: not compared.
                row.insert(row.end(), {0.0, active_next(m, s)});
              },
          .first_row = [](Row& first, const Row&) { std::fill(first.begin() + 16, first.begin() + 20, 0.0); },  // rates
          .history = shift_last,
          .bounds = {{.tolerance = 1e-9, .columns = compared, .until = 0.05},
                     {.tolerance = 1e-6, .columns = compared, .from = 0.05}},
          .reference_microseconds = 290500.0 / 20000.0};
}

Card disks_in_a_box() {
  Card card{.name = "GranularDisks2D",
            .columns = {},
            .make = [] { return problems::disks_in_a_box(); },
            .row =
                [](const Model& m, const State& s, Row& row) {
                  row.clear();
                  for (const SystemHandle disk : m.bodies) {
                    const auto q = s.q(disk);
                    row.insert(row.end(), q.begin(), q.end());
                  }
                  row.push_back(active_next(m, s));
                },
            // Frictional contacts leave several solutions later: then disks_at_rest.cpp.
            .bounds = {{.tolerance = 1e-8, .until = 0.3}},
            .reference_microseconds = 3536000.0 / 1000.0};
  for (int i = 0; i < 8; ++i) {
    for (const char* name : {"x", "y", "phi"}) card.columns.push_back(name + std::to_string(i));
  }
  card.columns.push_back("nact");
  return card;
}

Card ball_on_beam() {
  constexpr std::size_t lambda = 4, work = 11, u = 14, u_theta = 15;
  return {.name = "ImpactingEBBeam",
          .columns = {"w0", "v0", "p0", "lambda", "Epot", "Ekin", "wend", "vend", "dofmid", "vmid", "Eimp", "qb", "vb",
                      "u", "u_th", "Ekb"},
          .make = [] { return problems::ball_on_beam(); },
          .row =
              [K = Beam{}.stiffness(), M = Beam{}.mass()](const Model& m, const State& s, Row& row) {
                const auto q = s.q(m.bodies[0]), v = s.v(m.bodies[0]);
                const double qb = s.q(m.bodies[1])[0], vb = s.v(m.bodies[1])[0], p = s.impulse(m.contacts[0])[0];
                row = {q[0],
                       v[0],
                       -p,
                       p,
                       0.5 * q.dot(K * q),
                       0.5 * v.dot(M * v),
                       q[200],
                       v[200],
                       q[101],
                       v[101],
                       0.0,
                       qb,
                       vb,
                       s.u(m.contacts[0])[0],
                       0.0,
                       0.5 * vb * vb};
              },
          .history =
              [](std::vector<Row>& rows) {
                for (std::size_t k = 1; k < rows.size(); ++k) {
                  rows[k][u_theta] = 0.5 * (rows[k][u] + rows[k - 1][u]);
                  rows[k][work] = rows[k][u_theta] * rows[k][lambda];
                }
                rows[0][u] = 0.0;  // row 0 holds no relative velocity
              },
          .bounds = {{.tolerance = 1e-7}},
          .reference_microseconds = 176600.0 / 98.0,
          .start = 1e-8};
}

Card position_level_ball() {
  return {.name = "BouncingBallTS-SchatzmanPaoliOSI",
          .columns = {"q0", "v0", "p0", "lambda"},
          .make = [] { return problems::position_level_ball(); },
          .row =
              [](const Model& m, const State& s, Row& row) {
                const double lambda = s.impulse(m.contacts[0])[0] * m.options.step;
                row = {s.q(m.bodies[0])[0], s.v(m.bodies[0])[0], lambda, lambda};
              },
          // The independent code accepts positions within 1e-6 of complementarity: identical up to its row 1352, a
          // known 2e-4 of velocity and multiplier behind it, where bounces are that small.
          .bounds = {{.tolerance = 1e-5, .columns = {"t", "q0"}},
                     {.tolerance = 1e-5, .columns = {"v0", "p0", "lambda"}, .until = 1352 * 5e-3},
                     {.tolerance = 2e-4, .columns = {"v0", "p0", "lambda"}, .from = 1352 * 5e-3}},
          .reference_microseconds = 10350.0 / 2000.0};
}

/// p1 is the impulse of impacts, p2 the force at the end of a step, of which there is none before the ball is at rest.
/// It comes to rest at 8.578 s; in the last 50 ms before, where bounces last less than four steps, the reference goes
/// on with other equations: it takes contact forces for one end of each step alone, bounces with half the speed of a
/// step of gravity for ever, and sinks by h^2 g / (2 (1 + e)) a step, 0.6 um. Ours comes to rest there
/// (tests/kernel/schemes/d1_minus_linear.cpp).
Card half_explicit_ball() {
  constexpr double kLastBounces = 8.53;
  return {.name = "BouncingBallTS-D1MinusLinearOSI",
          .columns = {"q0", "v0", "p1_0", "lambda1", "p2_0", "lambda2"},
          .make =
              [] {
                Model m = problems::bouncing_ball();
                m.options.integrator = D1MinusLinear{};
                m.options.step = 5e-4;
                m.steps = 20000;
                return m;
              },
          .row =
              [](const Model& m, const State& s, Row& row) {
                const double p = s.percussion(m.contacts[0])[0], force = s.force(m.contacts[0])[0];
                row = {s.q(m.bodies[0])[0], s.v(m.bodies[0])[0], p, p, force, force};
              },
          .bounds = {{.tolerance = 1e-9, .until = kLastBounces}},
          .reference_microseconds = 111200.0 / 20000.0};
}

/// How far the ball on the compliant floor may be from its reference, whose floor is another one. Unit mass; x is the
/// height over the floor, k = 1 / D the stiffness, w the speed of the first arrival, omega^2 = k.
///
/// Our step has the force k max(0, -x_{k+1}). The reference adds h v_k to the gap at t_{k+1} once more, and its
/// reaction p counts as theta (1 + D) p, not as h theta p. So its force is k' max(0, -(x_{k+1} + h v_k)) with
///
///     1 / k' = D + h theta (1 + D - h),    theta = 1/2.
///
/// Gravity and a force that stands for a step are integrated exactly. So each run is the exact motion on the spring
/// k max(0, -x) under a perturbation r. With s the length of the way in contact, the integral of |r| is at most
///
///     ours:             k h s                               as |x_{k+1} - x| is at most the way in the step,
///     the reference's:  (k - k') int |x| dt + 2 k' h s      as h |v_k| is such a way too; k' <= k.
///
/// s = 2 (d + w h): down to the depth d and back, with a step of flight on both sides. Both runs lose energy, so d is
/// at most the depth on the spring k' without loss. The impulse k' int |x| dt is at most 2 w + g T, where the contact's
/// duration T is less than two thirds of the period of k', as omega w / g > tan(pi / 3). Together,
///
///     V = (k / k' - 1) (2 w + g 4 pi / (3 sqrt(k'))) + 6 k h (d + w h).
///
/// The difference delta of the runs obeys delta'' = -k delta + r while both touch, so that N^2 = delta'^2 + k delta^2
/// has N <= V. While one touches alone, dN/dt <= omega N / 2. This lasts at most |delta| <= V / omega over the speed of
/// the other, which is more than w - 2 V. Afterwards delta' stands, up to the roof. Hence |delta'| <= V; |delta| is at
/// most V / omega in contact, and V (t - take-off) more behind it. Forces differ by k |delta| and by r. The scales are
/// 1 m, w, and the largest force of the reference, k' (d - V / omega) less what the lowest point is missed by: the file
/// has every twelfth step. Beyond the roof the phases differ, and nothing is compared with the reference; our run is
/// compared with the closed form (tests/kernel/contacts/compliant_contact.cpp).
std::vector<Bound> apart_by_compliance(double h, double until) {
  constexpr double g = 9.81, D = 0.01, k = 1.0 / D, omega = 10.0, drop = 0.9;
  const double softer = 1.0 / (D + 0.5 * h * (1.0 + D - h)), w = std::sqrt(2.0 * g * drop);
  const auto depth = [&](double stiffness) {  // stiffness d^2 / 2 = g (drop + d)
    return g / stiffness + std::sqrt(g * g / (stiffness * stiffness) + 2.0 * g * drop / stiffness);
  };
  const double d = depth(softer), fastest = std::sqrt(w * w + g * g / k);
  double V = (k / softer - 1.0) * (2.0 * w + g * 4.0 * std::numbers::pi / (3.0 * std::sqrt(softer))) +
             6.0 * k * h * (d + w * h);
  const double alone = V / (omega * (w - 2.0 * V));  // one touches, the other does not
  V *= std::exp(0.5 * omega * alone);
  const double take_off = w / g + 2.0 / omega * (std::numbers::pi - std::atan(omega * w / g));
  const double position = V / omega + V * (until - take_off + alone);
  const double force = omega * V + (k - softer) * d + 3.0 * k * h * (fastest + V);
  const double largest_force = softer * (depth(k) - V / omega) - 0.5 * softer * (k * d) * (36.0 * h * h);
  const std::string why =
      "the reference's gap has h v_k once too often, and its floor is softer by about h theta (1 + D)";
  return {{.tolerance = 1e-9, .columns = {"q0", "v0", "p0", "lambda_roof"}, .until = 0.428},  // in flight: the same
          {.tolerance = position, .columns = {"t", "q0"}, .until = until, .difference = why},
          {.tolerance = V / w, .columns = {"v0"}, .until = until, .difference = why},
          {.tolerance = force / largest_force, .columns = {"p0", "lambda_roof"}, .until = until, .difference = why}};
}

Card ball_on_compliant_floor() {
  return {.name = "BouncingBallTS-CompliantContact",
          .columns = {"q0", "v0", "p0", "lambda_roof"},
          .make = [] { return problems::ball_on_compliant_floor(5e-4); },
          .row =
              [](const Model& m, const State& s, Row& row) {
                const double roof = s.impulse(m.contacts[0])[0], floor = s.impulse(m.contacts[1])[0];
                row = {s.q(m.bodies[0])[0], s.v(m.bodies[0])[0], floor - roof, roof};
              },
          .bounds = apart_by_compliance(5e-4, 0.96),  // up to the roof, which is met at 0.969 s
          .reference_microseconds = 103200.0 / 20000.0};
}

Card projected_ball() {
  return {.name = "BouncingBallTS-MoreauJeanDirectProjectionOSI",
          .columns = {"q0", "v0", "p1_0", "lambda1", "p0_0", "lambda0"},
          .make = [] { return problems::projected_ball(); },
          .row =
              [](const Model& m, const State& s, Row& row) {
                const double p = s.impulse(m.contacts[0])[0];
                row = {s.q(m.bodies[0])[0], s.v(m.bodies[0])[0], p, p, 0.0, 0.0};
              },
          .history =
              [](std::vector<Row>& rows) {
                // What the projection moved the unit mass by: q less what the velocities make of it (theta = 1/2).
                for (std::size_t k = rows.size(); k-- > 1;) {
                  const Row& before = rows[k - 1];
                  rows[k][5] = rows[k][1] - before[1] - 0.5 * 5e-3 * (rows[k][2] + before[2]);
                  rows[k][6] = rows[k][5];
                }
              },
          .bounds = {{.tolerance = 1e-8, .columns = {"t", "q0", "v0"}}, {.tolerance = 1e-6}},
          .reference_microseconds = 7283.0 / 2000.0};
}

}  // namespace

void add_mechanics_cards(std::vector<Card>& list) {
  list.push_back(woodpecker());
  list.push_back(cam_follower());
  list.push_back(double_pendulum());
  list.push_back(impacting_stick());
  list.push_back(slider_crank());
  list.push_back(disks_in_a_box());
  list.push_back(ball_on_beam());
  list.push_back(position_level_ball());
  list.push_back(half_explicit_ball());
  list.push_back(ball_on_compliant_floor());
  list.push_back(projected_ball());
}

}  // namespace nonsmooth::validation
