// SPDX-License-Identifier: Apache-2.0
// Disks in a silo, one time step h of rest under gravity: forces travel along chains from disk to disk. At each contact
// (normal N, tangent T), with reactions r, velocities u and W = H M^-1 H^T:
//   u = W r + q,   0 <= r_N  ⟂  u_N >= 0,   |r_T| <= mu r_N,   r_T = -mu r_N u_T / |u_T| where u_T is not 0.
// The problem goes through a file, as if somebody else had sent it; so may any other: example_force_network FILE.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include <nonsmooth/io.hpp>
#include <nonsmooth/numerics.hpp>

#include "silo.hpp"

using namespace nonsmooth;

/// A close packing between two walls, with every twelfth disk missing: forces must find their way around the holes.
Silo fill() {
  Silo silo;
  std::mt19937 random(7);
  for (int row = 0; row < rows; ++row) {
    for (int i = 0; i < columns - row % 2; ++i) {
      const bool loose = row > 0 && row + 1 < rows && random() % 12 == 0;
      if (loose) continue;
      silo.x.push_back(a * (1.0 + 2.0 * i + row % 2));
      silo.y.push_back(a * (1.0 + std::sqrt(3.0) * row));
    }
  }
  const auto size = static_cast<int>(silo.x.size());
  for (int j = 0; j < size; ++j) {
    const double x = silo.x[j], y = silo.y[j];
    if (y < 1.1 * a) silo.contacts.push_back({-1, j, x, 0.0, 0.0, 1.0});
    if (x < 1.1 * a) silo.contacts.push_back({-1, j, 0.0, y, 1.0, 0.0});
    if (x > a * (2.0 * columns - 1.1)) silo.contacts.push_back({-1, j, 2.0 * a * columns, y, -1.0, 0.0});
    for (int i = 0; i < j; ++i) {
      const double dx = x - silo.x[i], dy = y - silo.y[i], distance = std::hypot(dx, dy);
      if (distance < 2.001 * a)
        silo.contacts.push_back({i, j, silo.x[i] + dx / 2, silo.y[i] + dy / 2, dx / distance, dy / distance});
    }
  }
  return silo;
}

/// A v = f + H^T r with v = (v_x, v_y, omega) of each disk: A the masses, f the impulse of the weight in h.
friction::GlobalProblem step(const Silo& silo) {
  const auto size = static_cast<int>(silo.x.size()), count = static_cast<int>(silo.contacts.size());
  friction::GlobalProblem problem;
  std::vector<Eigen::Triplet<double>> A, H;
  problem.f.setZero(3 * size);
  problem.w.setZero(2 * count);
  for (int i = 0; i < size; ++i) {
    for (int k = 0; k < 3; ++k) A.emplace_back(3 * i + k, 3 * i + k, k < 2 ? m : inertia);
    problem.f[3 * i + 1] = -h * m * g;
  }
  for (int c = 0; c < count; ++c) {
    const Contact& contact = silo.contacts[c];
    for (const auto& [body, sign] : {std::pair(contact.first, -1.0), std::pair(contact.second, 1.0)}) {
      if (body < 0) continue;
      H.emplace_back(2 * c, 3 * body, sign * contact.nx);
      H.emplace_back(2 * c, 3 * body + 1, sign * contact.ny);
      H.emplace_back(2 * c + 1, 3 * body, -sign * contact.ny);
      H.emplace_back(2 * c + 1, 3 * body + 1, sign * contact.nx);
      H.emplace_back(2 * c + 1, 3 * body + 2, -a);
    }
    problem.K.push_back({.kind = SetKind::Coulomb2D, .mu = mu}, 2);
  }
  problem.A.resize(3 * size, 3 * size), problem.A.setFromTriplets(A.begin(), A.end());
  problem.H.resize(2 * count, 3 * size), problem.H.setFromTriplets(H.begin(), H.end());
  return problem;
}

/// Solves and says how, and how unique the forces are.
friction::Result solve_and_tell(const friction::Problem& problem) {
  auto result = friction::solve(problem, friction::Automatic{.tolerance = 1e-10, .hyperstaticity = true});
  std::cout << result.message() << '\n';
  for (const auto& decision : result.decisions)
    std::cout << "  " << decision.tier << ": " << decision.iterations << " iterations, residual " << decision.residual
              << '\n';
  if (result.hyperstaticity)
    std::cout << "  reactions are one of a family of dimension " << result.hyperstaticity->nullspace_dimension << '\n';
  return result;
}

/// A problem of somebody else, in any format that read_problem() knows. Files say nothing of places: what is drawn is
/// which share of the contacts carries more than a multiple of the mean normal force.
int example_file(const std::string& path, const Arguments& arguments) {
  const AnyProblem any = read_problem(path).problem;
  const auto* const global = std::get_if<friction::GlobalProblem>(&any);
  const auto* const reduced = std::get_if<friction::Problem>(&any);
  if (global == nullptr && (reduced == nullptr || !friction::supports(reduced->K)))
    throw InvalidArgument(path, "a problem of class " + std::string(to_string(class_of(any))), "a friction problem");
  const friction::Problem problem = global != nullptr ? friction::to_reduced(*global) : *reduced;
  const auto result = solve_and_tell(problem);
  std::vector<double> forces;
  for (Index b = 0; b < problem.K.num_blocks(); ++b)
    if (problem.K[b].kind != SetKind::Free) forces.push_back(result.r[problem.K.offset(b)]);
  std::sort(forces.rbegin(), forces.rend());
  double mean = 0.0;
  for (const double force : forces) mean += force / static_cast<double>(forces.size());
  std::cout << "  " << forces.size() << " contacts, mean normal impulse " << mean << '\n';
  if (arguments.pictures() && mean > 0.0)
    std::cout << distribution(forces, path, *arguments.pictures() / "forces_of_file").message() << '\n';
  return result ? 0 : 1;
}

int example(const Arguments& arguments) {
  Bounds bounds;

  // 1. The problem, through a file that other programs read too.
  const Silo silo = fill();
  const friction::GlobalProblem dynamics = step(silo);
  write_problem(friction::to_reduced(dynamics), "silo.dat");
  const auto file = read_problem("silo.dat", ProblemClass::Friction);

  // 2. Solve.
  const auto result = solve_and_tell(std::get<friction::Problem>(file.problem));
  if (!result || !result.hyperstaticity) return 1;

  // 3. Floor and walls carry the weight but for the few disks that roll into a hole; the floor alone carries less
  //    (Janssen's effect). Newton's law of them all: what is not carried is gained as momentum.
  const double weight = h * m * g * static_cast<double>(silo.x.size());
  double floor = 0.0, walls = 0.0, momentum = 0.0, moving = 0.0;
  for (std::size_t c = 0; c < silo.contacts.size(); ++c) {
    const Contact& contact = silo.contacts[c];
    const double N = result.r[2 * static_cast<Index>(c)], T = result.r[2 * static_cast<Index>(c) + 1];
    if (contact.first < 0) (contact.ny > 0.5 ? floor : walls) += N * contact.ny + T * contact.nx;
  }
  const Eigen::VectorXd v = friction::velocities(dynamics, result.r);
  for (Index i = 0; i < v.size(); i += 3) {
    momentum += m * v[i + 1];
    if (v.segment<2>(i).norm() > 1e-6 * h * g) moving += 1.0;
  }
  bounds.near("(carried - momentum) / weight", (floor + walls - momentum) / weight, 1.0, 1e-12);  // sums of 900 terms
  bounds.near("share of the disks that move", moving / static_cast<double>(silo.x.size()), 0.0, 0.02);
  bounds.near("share of the floor", floor / weight, 0.725, 0.225);  // 0.98 for mu = 0: the walls would carry nothing

  if (arguments.pictures())
    std::cout << picture(silo, result.r, *arguments.pictures() / "force_network").message() << '\n';
  std::cout << bounds.report();
  return bounds.hold() ? 0 : 1;
}

/// With the name of a problem file first, that one instead of the silo.
int main(int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return run_example(argc, argv, {}, example);
  const std::string path = argv[1];
  return run_example(argc - 1, argv + 1, {}, [&](const Arguments& arguments) { return example_file(path, arguments); });
}
