// SPDX-License-Identifier: Apache-2.0
#include <problems/piles.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <unordered_map>
#include <utility>

#include <Eigen/Geometry>

#include <problems/complementarity.hpp>

namespace nonsmooth::problems {

Pile ball_pile(Index count, std::uint64_t seed, Rest rest) {
  constexpr double radius = 0.1, density = 1000.0, pi = 3.14159265358979323846;
  std::mt19937_64 random(seed);
  const auto side = std::max<Index>(2, std::lround(std::cbrt(static_cast<double>(count))));
  const Eigen::Vector3d spacing(2.0 * radius, std::sqrt(3.0) * radius, 2.0 * radius * std::sqrt(2.0 / 3.0));
  Pile pile;
  std::vector<double> radii;
  for (Index i = 0; i < count; ++i) {
    const Index column = i % side, row = i / side % side, layer = i / (side * side);
    const auto odd = [](Index k) { return static_cast<double>(k % 2); };
    Eigen::Vector3d x(static_cast<double>(column) + 0.5 * odd(row + layer), static_cast<double>(row) + odd(layer) / 3.0,
                      static_cast<double>(layer));
    x = x.cwiseProduct(spacing) + Eigen::Vector3d::Constant(radius);
    for (double& coordinate : x) coordinate += draw(random, -0.05, 0.05) * radius;
    const double a = radius * draw(random, 0.95, 1.05), mass = density * 4.0 / 3.0 * pi * a * a * a;
    Eigen::Vector3d v(0.0, 0.0, -pile_step * pile_gravity);
    if (rest == Rest::Flowing)
      for (double& component : v) component += draw(random, -0.35, 0.35);
    const bool heavy = rest == Rest::Loaded && i >= count - side * side;
    const double m = heavy ? 1000.0 * mass : mass;
    pile.bodies.push_back({x, v, Eigen::Vector3d::Constant(0.4 * m * a * a), m});
    radii.push_back(a);
  }
  const auto friction = [&] { return draw(random, 0.3, 0.8); };
  const auto extent = static_cast<double>(side - 1);
  const Eigen::Vector3d far(extent * spacing[0] + 3.0 * radius, extent * spacing[1] + radius * (2.0 + 1.0 / 1.7320508),
                            0.0);
  const double cell = 2.2 * radius;
  const auto key = [](std::int64_t i, std::int64_t j, std::int64_t k) { return (i << 42) + (j << 21) + k; };
  const auto cell_of = [&](const Eigen::Vector3d& x, int axis) {
    return static_cast<std::int64_t>(x[axis] / cell) + 1;
  };
  std::unordered_map<std::int64_t, std::vector<Index>> cells;
  for (Index i = 0; i < count; ++i) {
    const auto& x = pile.bodies[static_cast<std::size_t>(i)].position;
    cells[key(cell_of(x, 0), cell_of(x, 1), cell_of(x, 2))].push_back(i);
  }
  for (Index i = 0; i < count; ++i) {
    const Eigen::Vector3d& x = pile.bodies[static_cast<std::size_t>(i)].position;
    const double a = radii[static_cast<std::size_t>(i)], near = 0.02 * radius;
    for (int axis = 0; axis < 3; ++axis) {
      const Eigen::Vector3d e = Eigen::Vector3d::Unit(axis);
      if (x[axis] - a < near) pile.contacts.push_back({-1, i, x - a * e, e, friction()});
      if (axis < 2 && far[axis] - x[axis] - a < near) pile.contacts.push_back({-1, i, x + a * e, -e, friction()});
    }
    for (std::int64_t dx = -1; dx <= 1; ++dx)
      for (std::int64_t dy = -1; dy <= 1; ++dy)
        for (std::int64_t dz = -1; dz <= 1; ++dz) {
          const auto found = cells.find(key(cell_of(x, 0) + dx, cell_of(x, 1) + dy, cell_of(x, 2) + dz));
          if (found == cells.end()) continue;
          for (const Index j : found->second) {
            if (j <= i) continue;
            const Eigen::Vector3d d = pile.bodies[static_cast<std::size_t>(j)].position - x;
            const double gap = d.norm() - a - radii[static_cast<std::size_t>(j)];
            if (gap >= 0.0) continue;
            const Eigen::Vector3d normal = d.normalized();
            pile.contacts.push_back({i, j, x + (a + 0.5 * gap) * normal, normal, friction()});
          }
        }
  }
  return pile;
}

Pile brick_wall(Index rows, Index length, std::uint64_t seed, bool pushed) {
  const Eigen::Vector3d size(0.4, 0.2, 0.2);
  const double mass = 2000.0 * size.prod();
  const Eigen::Vector3d square = size.cwiseAbs2();
  const Eigen::Vector3d inertia = mass / 12.0 * (Eigen::Vector3d::Constant(square.sum()) - square);
  std::mt19937_64 random(seed);
  Pile pile;
  for (Index row = 0; row < rows; ++row)
    for (Index i = 0; i < length; ++i) {
      const double bond = row % 2 == 1 ? 0.5 : 0.0;
      const Eigen::Vector3d x((static_cast<double>(i) + bond + draw(random, -0.01, 0.01)) * size[0],
                              draw(random, -0.02, 0.02) * size[1], (static_cast<double>(row) + 0.5) * size[2]);
      Eigen::Vector3d v(0.0, 0.0, -pile_step * pile_gravity);
      if (pushed && row == rows - 1) v += Eigen::Vector3d(0.3, draw(random, -0.05, 0.05), 0.0);
      pile.bodies.push_back({x, v, inertia, mass});
    }
  const Eigen::Vector3d half = 0.5 * size;
  const auto lay = [&](Index below, Index above) {
    const Eigen::Vector3d& top = pile.bodies[static_cast<std::size_t>(above)].position;
    const Eigen::Vector3d& base = below < 0 ? top : pile.bodies[static_cast<std::size_t>(below)].position;
    const Eigen::Vector3d low = top.cwiseMax(base) - half, high = top.cwiseMin(base) + half;
    if (high[0] - low[0] < 0.05 * size[0]) return;
    for (const double x : {low[0], high[0]})
      for (const double y : {low[1], high[1]})
        pile.contacts.push_back(
            {below, above, {x, y, top[2] - half[2]}, Eigen::Vector3d::UnitZ(), draw(random, 0.3, 0.8)});
  };
  for (Index row = 0; row < rows; ++row)
    for (Index i = 0; i < length; ++i) {
      if (row == 0) {
        lay(-1, i);
        continue;
      }
      for (Index j = 0; j < length; ++j) lay((row - 1) * length + j, row * length + i);
    }
  return pile;
}

friction::GlobalProblem global_problem(const Pile& pile) {
  const auto bodies = static_cast<Index>(pile.bodies.size()), contacts = static_cast<Index>(pile.contacts.size());
  friction::GlobalProblem problem;
  std::vector<Eigen::Triplet<double>> A, H;
  problem.f.setZero(6 * bodies);
  for (Index b = 0; b < bodies; ++b) {
    const Pile::Body& body = pile.bodies[static_cast<std::size_t>(b)];
    for (int i = 0; i < 3; ++i) {
      A.emplace_back(6 * b + i, 6 * b + i, body.mass);
      A.emplace_back(6 * b + 3 + i, 6 * b + 3 + i, body.inertia[i]);
      problem.f[6 * b + i] = body.mass * body.velocity[i];
    }
  }
  for (Index c = 0; c < contacts; ++c) {
    const Pile::Contact& contact = pile.contacts[static_cast<std::size_t>(c)];
    Eigen::Matrix3d frame;  // rows N, T1, T2
    frame.row(0) = contact.normal;
    frame.row(1) = contact.normal.unitOrthogonal();
    frame.row(2) = contact.normal.cross(frame.row(1).transpose());
    for (const auto& [body, sign] : {std::pair(contact.first, -1.0), std::pair(contact.second, 1.0)}) {
      if (body < 0) continue;
      const Eigen::Vector3d arm = contact.point - pile.bodies[static_cast<std::size_t>(body)].position;
      for (int i = 0; i < 3; ++i) {
        const Eigen::Vector3d axis = frame.row(i), moment = arm.cross(axis);
        for (int k = 0; k < 3; ++k) {
          H.emplace_back(3 * c + i, 6 * body + k, sign * axis[k]);
          H.emplace_back(3 * c + i, 6 * body + 3 + k, sign * moment[k]);
        }
      }
    }
    problem.K.push_back({.kind = SetKind::Coulomb3D, .mu = contact.mu}, 3);
  }
  problem.A.resize(6 * bodies, 6 * bodies);
  problem.A.setFromTriplets(A.begin(), A.end());
  problem.H.resize(3 * contacts, 6 * bodies);
  problem.H.setFromTriplets(H.begin(), H.end());
  problem.w.setZero(3 * contacts);
  return problem;
}

friction::Problem reduced_problem(const Pile& pile) { return friction::to_reduced(global_problem(pile)); }

}  // namespace nonsmooth::problems
