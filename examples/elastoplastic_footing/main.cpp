// SPDX-License-Identifier: Apache-2.0
// A long strip footing pressed into clay until the clay flows: plane strain, Tresca's plasticity (SI units).
//   M dv = H^T s dt,    s = (p, (s_xx - s_yy)/2, s_xy) in every triangle,    H = -(area) (strain operator),
//   strain = elastic + plastic,    y = H q + D s = -(area) (plastic strain),
//   -y' in N_C(s),    C = {|(s_1, s_2)| <= c}: no shear stress above the cohesion c, whatever the pressure.
// Prandtl 1920: the clay carries (pi + 2) c and no more. A velocity field of finite elements that keeps the volume of
// each triangle is one of those of the upper bound theorem: what a mesh carries comes down to this from above.
#include <array>
#include <cmath>
#include <iostream>
#include <numbers>
#include <vector>

#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>

#include "picture.hpp"

using namespace nonsmooth;

constexpr double kHalfWidth = 1.0, kCohesion = 20e3, kShear = 100 * kCohesion, kPoisson = 0.3;  // [m], [Pa], [-]
constexpr double kSettlement = 0.08 * kHalfWidth, kTime = 1.0;                                  // [m], [s]

struct Node {
  double x, y, mass;
};
struct Triangle {
  std::array<std::size_t, 3> nodes{};
  Eigen::MatrixXd H{};
  InteractionHandle stress{};
};
/// n squares of four triangles each under half of the footing (the other half is its mirror image), 8 n^2 squares in
/// all. Four triangles that share the centre of a square can flow without a change of volume; two cannot: they lock.
Loading press(Index n) {
  const Index nx = 4 * n, ny = 2 * n;
  const double dx = kHalfWidth / static_cast<double>(n), area = dx * dx / 4.0;
  std::vector<Node> nodes;
  std::vector<Triangle> triangles;
  for (Index j = 0; j <= ny; ++j) {
    for (Index i = 0; i <= nx; ++i) nodes.push_back({dx * static_cast<double>(i), -dx * static_cast<double>(j), 0.0});
  }
  for (Index j = 0; j < ny; ++j) {
    for (Index i = 0; i < nx; ++i) {
      const auto corner = [&](Index a, Index b) { return static_cast<std::size_t>((j + b) * (nx + 1) + i + a); };
      const std::array ring{corner(0, 1), corner(1, 1), corner(1, 0), corner(0, 0)};
      const Node& first = nodes[ring[3]];
      nodes.push_back({first.x + dx / 2, first.y - dx / 2, 0.0});
      for (std::size_t k = 0; k < 4; ++k) triangles.push_back({{ring[k], ring[(k + 1) % 4], nodes.size() - 1}});
    }
  }
  // Slow: a shear wave crosses half the footing twenty times while it settles.
  const double density = kShear * std::pow(kTime / (20 * kHalfWidth), 2), speed = kSettlement / kTime;
  for (const Triangle& t : triangles) {
    for (const auto i : t.nodes) nodes[i].mass += density * area / 3.0;
  }

  // 1. Every node is a system and every triangle links three: a point then knows its neighbours only, and the problem
  //    of a step is sparse. The footing is smooth: under it nodes are moved down and may slip sideways.
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> handles;
  const auto is_footing = [](const Node& p) { return p.y > -1e-9 && p.x < kHalfWidth + 1e-9; };
  const auto still = [](double) { return 0.0; };
  for (const Node& p : nodes) {
    LagrangianLinearSystem node{.mass = Eigen::Vector2d(p.mass, p.mass).asDiagonal(), .q0 = {0.0, 0.0}};
    const bool bottom = p.y < -2 * kHalfWidth + 1e-9, side = p.x < 1e-9 || p.x > 4 * kHalfWidth - 1e-9;
    if (side || bottom) node.prescribed.push_back({0, still});
    if (bottom) node.prescribed.push_back({1, still});
    if (is_footing(p)) node.prescribed.push_back({1, [speed](double) { return -speed; }}), node.v0 = {0.0, -speed};
    handles.push_back(model.add(node));
  }
  // 2. Stress and strain pair up as p (e_xx + e_yy) + s_1 (e_xx - e_yy) + s_2 (2 e_xy): |(s_1, s_2)| is the largest
  //    shear stress in the plane, whose bound is Tresca's law as long as the third stress is the middle one.
  const double bulk = kShear / (1.0 - 2.0 * kPoisson);
  for (Triangle& t : triangles) {
    t.H.resize(3, 6);
    for (std::size_t k = 0; k < 3; ++k) {
      const Node &a = nodes[t.nodes[(k + 1) % 3]], &b = nodes[t.nodes[(k + 2) % 3]];
      const double n_x = (a.y - b.y) / 2, n_y = (b.x - a.x) / 2;  // area times the gradient of node k's shape function
      t.H.middleCols(2 * static_cast<Index>(k), 2) << -n_x, -n_y, -n_x, n_y, -n_y, -n_x;
    }
    t.stress =
        model.link({handles[t.nodes[0]], handles[t.nodes[1]], handles[t.nodes[2]]},
                   LagrangianLinearRelation{
                       .H = t.H, .compliance = Eigen::Vector3d(area / bulk, area / kShear, area / kShear).asDiagonal()},
                   PlasticityLaw{.yield = kCohesion, .rows = 3});
  }

  // 3. theta = 1 damps the waves; what remains is the slow loading.
  TimeStepping simulation{
      model,
      {.integrator = MoreauJean{.theta = 1.0}, .step = kTime / 30, .solver = mixed::Automatic{.tolerance = 1e-6}}};
  Loading curve;
  const auto report = simulation.advance_to(kTime, [&](const State& x) {
    double push = 0.0;  // what the triangles answer at the footing's nodes
    for (const Triangle& t : triangles) {
      const Eigen::VectorXd f = t.H.transpose() * x.force(t.stress);
      for (std::size_t k = 0; k < 3; ++k)
        push += is_footing(nodes[t.nodes[k]]) ? f[2 * static_cast<Index>(k) + 1] : 0.0;
    }
    curve.settlement.push_back(speed * x.t), curve.pressure.push_back(push / (kHalfWidth * kCohesion));
  });
  if (!report) std::cerr << report.message() << '\n';
  for (const Triangle& t : triangles) {
    const auto plastic = simulation.state().y(t.stress);
    Eigen::Vector2d centre = Eigen::Vector2d::Zero();
    for (const auto i : t.nodes) centre += Eigen::Vector2d(nodes[i].x, nodes[i].y) / 3.0;
    curve.zone.x.push_back(centre[0]), curve.zone.y.push_back(centre[1]), curve.zone.radius.push_back(0.17 * dx);
    curve.zone.value.push_back(100.0 * plastic.tail(2).norm() / area);
  }
  return curve;
}

int example(const Arguments& arguments) {
  const Loading coarse = press(2), fine = press(3);
  const double exact = std::numbers::pi + 2.0, limit_coarse = coarse.pressure.back(), limit = fine.pressure.back();
  if (arguments.pictures())
    std::cout << picture(coarse, fine, exact, *arguments.pictures() / "elastoplastic_footing").message() << '\n';

  // 4. Bounds. From below the upper bound theorem. From above: past its edge the mesh lets the footing's velocity fall
  //    to that of the next node along one square, dx = 1/n, as under a footing half a square wider: (1 + 1/(2 n)).
  //    The excess being of order dx, 3 q(3) - 2 q(2) is free of it; (1/(2 n))^2, the square at n = 3, is left.
  Bounds bounds;
  bounds.within("pressure it carries / cohesion, 128 triangles", limit_coarse, exact, exact * (1 + 1.0 / 4));
  bounds.within("pressure it carries / cohesion, 288 triangles", limit, exact, exact * (1 + 1.0 / 6));
  bounds.near("the two extrapolated to fine meshes", 3 * limit - 2 * limit_coarse, exact, exact / 36);
  // It flows: the last tenth of the settlement adds less than a hundredth of the load.
  bounds.near("last tenth of the settlement adds", limit - fine.pressure[fine.pressure.size() - 4], 0.0, exact / 100);
  std::cout << bounds.report();
  return bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
