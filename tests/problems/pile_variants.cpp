// SPDX-License-Identifier: Apache-2.0
#include <problems/pile_variants.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <utility>
#include <vector>

#include <problems/complementarity.hpp>
#include <problems/mixed.hpp>

namespace nonsmooth::problems {

Pile with_masses_apart(Pile pile, double decades, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (Pile::Body& body : pile.bodies) {
    const double factor = std::pow(10.0, draw(random, -0.5 * decades, 0.5 * decades));
    body.mass *= factor;
    body.inertia *= factor;
  }
  return pile;
}

Pile with_friction(Pile pile, double low, double high, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (Pile::Contact& contact : pile.contacts) {
    const double mu = std::exp(draw(random, std::log(low), std::log(high)));
    contact.mu = random() % 8 == 0 ? 0.0 : mu;
  }
  return pile;
}

friction::Problem with_elliptic_friction(friction::Problem problem, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  problem.K = with_sets(problem.K, [&](BlockSet& set) { set.mu_2 = set.mu * draw(random, 0.3, 3.0); });
  return problem;
}

friction::Problem with_cohesion(friction::Problem problem, double most, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  problem.K = with_sets(problem.K, [&](BlockSet& set) {
    const double cohesion = draw(random, 0.0, most);
    if (random() % 2 == 0) set.cohesion = cohesion;
  });
  return problem;
}

friction::Problem with_open_contacts(const friction::Problem& pile) {
  const Index n = pile.W.rows(), contacts = pile.K.num_blocks();
  Eigen::MatrixXd W = Eigen::MatrixXd::Zero(n + 3 * contacts, n + 3 * contacts);
  Eigen::VectorXd q = Eigen::VectorXd::Constant(n + 3 * contacts, 0.1);
  W.topLeftCorner(n, n) = pile.W.to_dense();
  q.head(n) = pile.q;
  std::vector<Block> sets;
  for (Index b = 0; b < contacts; ++b) sets.push_back({pile.K[b], pile.K.size(b)});
  for (Index b = 0; b < contacts; ++b) {
    const Index row = n + 3 * b;
    W.block(row, row, 3, 3) = W.block(3 * b, 3 * b, 3, 3);
    W(row, 3 * b) = W(3 * b, row) = 0.1 * W(row, row);
    sets.push_back({{.kind = SetKind::Coulomb3D, .mu = 0.3}, 3});
  }
  return mixed_from_dense(W, q, sets, false);
}

friction::GlobalProblem global_rolling_problem(const Pile& pile, std::uint64_t seed) {
  const friction::GlobalProblem sliding = global_problem(pile);
  friction::GlobalProblem problem{
      .A = sliding.A, .H = {}, .f = sliding.f, .w = Eigen::VectorXd::Zero(2 * sliding.w.size()), .K = {}};
  std::mt19937_64 random(seed);
  std::vector<Eigen::Triplet<double>> H;
  for (Index column = 0; column < sliding.H.outerSize(); ++column) {
    for (Eigen::SparseMatrix<double>::InnerIterator it(sliding.H, column); it; ++it) {
      const Index contact = it.row() / 3, row = it.row() % 3;
      H.emplace_back(6 * contact + row, column, it.value());
      if (column % 6 >= 3) continue;
      // The rows of the velocity hold +- the axes: axis N turns into row S, T1 and T2 into R1 and R2.
      H.emplace_back(6 * contact + (row == 0 ? 5 : 2 + row), column + 3, it.value());
    }
  }
  problem.H.resize(2 * sliding.H.rows(), sliding.H.cols());
  problem.H.setFromTriplets(H.begin(), H.end());
  for (const Pile::Contact& contact : pile.contacts) {
    const double length = draw(random, 0.0, 0.02);
    problem.K.push_back({.kind = SetKind::Rolling, .mu = contact.mu, .rolling = length, .spinning = 0.5 * length}, 6);
  }
  return problem;
}

friction::Problem disk_packing(Index width, Index layers, std::uint64_t seed, bool flowing) {
  constexpr double radius = 0.1, density = 1000.0, pi = 3.14159265358979323846;
  std::mt19937_64 random(seed);
  struct Disk {
    double x, z, radius;
  };
  std::vector<Disk> disks;
  friction::GlobalProblem problem;
  const Index n = width * layers;
  problem.A.resize(3 * n, 3 * n);
  problem.f.resize(3 * n);
  for (Index i = 0; i < n; ++i) {
    const Index layer = i / width, column = i % width;
    const double a = radius * draw(random, 0.97, 1.03), mass = density * pi * a * a;
    const double x = 2.0 * radius * (static_cast<double>(column) + 0.5 * static_cast<double>(layer % 2));
    disks.push_back(
        {x + radius * draw(random, -0.03, 0.03), radius * (1.0 + std::sqrt(3.0) * static_cast<double>(layer)), a});
    for (int k = 0; k < 3; ++k) {
      const double speed = (k == 1 ? -pile_step * pile_gravity : 0.0) + (flowing ? draw(random, -0.35, 0.35) : 0.0);
      const double inertia = k == 2 ? 0.5 * mass * a * a : mass;
      problem.A.insert(3 * i + k, 3 * i + k) = inertia;
      problem.f[3 * i + k] = inertia * speed;
    }
  }
  std::vector<Eigen::Triplet<double>> H;
  Index rows = 0;
  // The disk `second` touches `first` (-1: the ground) along the normal (nx, nz), which points to it.
  const auto touch = [&](Index first, Index second, double nx, double nz) {
    for (const auto& [disk, sign] : {std::pair(first, -1.0), std::pair(second, 1.0)}) {
      if (disk < 0) continue;
      const double arm = disks[static_cast<std::size_t>(disk)].radius;
      H.emplace_back(rows, 3 * disk, sign * nx);
      H.emplace_back(rows, 3 * disk + 1, sign * nz);
      H.emplace_back(rows + 1, 3 * disk, -sign * nz);
      H.emplace_back(rows + 1, 3 * disk + 1, sign * nx);
      H.emplace_back(rows + 1, 3 * disk + 2, arm);
    }
    problem.K.push_back({.kind = SetKind::Coulomb2D, .mu = draw(random, 0.3, 0.8)}, 2);
    rows += 2;
  };
  for (Index i = 0; i < n; ++i) {
    const Disk& disk = disks[static_cast<std::size_t>(i)];
    if (i < width) touch(-1, i, 0.0, 1.0);
    if (i % width == 0) touch(-1, i, 1.0, 0.0);
    if (i % width == width - 1) touch(-1, i, -1.0, 0.0);
    for (Index j = i + 1; j < std::min(n, i + 2 * width); ++j) {
      const Disk& other = disks[static_cast<std::size_t>(j)];
      const double dx = other.x - disk.x, dz = other.z - disk.z, distance = std::hypot(dx, dz);
      if (distance < 1.03 * (disk.radius + other.radius)) touch(i, j, dx / distance, dz / distance);
    }
  }
  problem.H.resize(rows, 3 * n);
  problem.H.setFromTriplets(H.begin(), H.end());
  problem.w.setZero(rows);
  return friction::to_reduced(problem);
}

}  // namespace nonsmooth::problems
