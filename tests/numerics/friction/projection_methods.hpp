// SPDX-License-Identifier: Apache-2.0
#pragma once

// The projection, gradient and threshold methods of the friction family under one interface, and planted problems.

#include <cmath>
#include <functional>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include <nonsmooth/numerics/friction/barzilai_borwein.hpp>
#include <nonsmooth/numerics/friction/cone_relaxation.hpp>
#include <nonsmooth/numerics/friction/extragradient.hpp>
#include <nonsmooth/numerics/friction/fixed_point.hpp>
#include <nonsmooth/numerics/friction/haslinger.hpp>
#include <nonsmooth/numerics/friction/jacobi.hpp>
#include <nonsmooth/numerics/friction/nesterov.hpp>
#include <nonsmooth/numerics/friction/panagiotopoulos.hpp>
#include <nonsmooth/numerics/friction/tresca.hpp>

#include <problems/mixed.hpp>

namespace nonsmooth::problems {

/// What every options struct of these methods has.
struct MethodOptions {
  double tolerance = 1e-10;
  friction::Measure measure = friction::Measure::Certificate;
  Index max_iterations = 0;  ///< 0: the method's default
  double time_limit = std::numeric_limits<double>::infinity();
  Eigen::VectorXd start{};
};

struct Method {
  std::string name;
  std::function<friction::Result(const friction::Problem&, const MethodOptions&)> solve;

  friend void PrintTo(const Method& method, std::ostream* out) { *out << method.name; }
};

template <class Options>
Method method(std::string name, Options options = {}) {
  return {std::move(name), [options](const friction::Problem& problem, const MethodOptions& common) {
            Options own = options;
            own.tolerance = common.tolerance;
            own.measure = common.measure;
            if (common.max_iterations != 0) own.max_iterations = common.max_iterations;
            own.time_limit = common.time_limit;
            own.start = common.start;
            return friction::solve(problem, own);
          }};
}

/// Every method with its defaults, then the variants that have code of their own.
inline std::vector<Method> projection_methods() {
  using namespace friction;
  using Outer = ConeRelaxation::Outer;
  return {method<Jacobi>("Jacobi"),
          method<Nesterov>("Nesterov"),
          method<BarzilaiBorwein>("BarzilaiBorwein"),
          method<FixedPoint>("FixedPoint"),
          method<Extragradient>("Extragradient"),
          method<Tresca>("Tresca"),
          method<Haslinger>("Haslinger"),
          method<Panagiotopoulos>("Panagiotopoulos"),
          method<ConeRelaxation>("ConeRelaxation"),
          method<FixedPoint>("FixedPointSolodovTseng", {.rule = StepRule::SolodovTseng}),
          method<Extragradient>("ExtragradientSolodovTseng", {.rule = StepRule::SolodovTseng}),
          method<Haslinger>("HaslingerProximalNewton", {.inner = InnerSolver::ProximalNewton}),
          method<Haslinger>("HaslingerGaussSeidel", {.inner = InnerSolver::GaussSeidel}),
          method<ConeRelaxation>("ConeRelaxationAnderson", {.outer = Outer::Anderson, .inner = InnerSolver::Admm})};
}

enum class Delassus { Symmetric, Unsymmetric, RankDeficient, Separate };

/// `contacts` Coulomb contacts of 2 or 3 rows. W = G G^T + I / 2, the same plus a skew part of a fifth of it, or G G^T
/// of two thirds of the rank, or I plus a twentieth of the first: bodies that hardly couple. (r, u) planted over all
/// modes, q = u - W r.
inline PlantedMixed planted_contacts(Index contacts, Index dimension, double mu, Delassus matrix, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  const BlockSet set{.kind = dimension == 2 ? SetKind::Coulomb2D : SetKind::Coulomb3D, .mu = mu};
  const std::vector<Block> blocks(static_cast<std::size_t>(contacts), Block{set, dimension});
  const Index n = contacts * dimension;
  Eigen::MatrixXd W = random_spd(n, 0.5, random);
  if (matrix == Delassus::Separate) {
    W = Eigen::MatrixXd::Identity(n, n) + 0.05 * W;
  } else if (matrix != Delassus::Symmetric) {
    Eigen::MatrixXd G(n, matrix == Delassus::RankDeficient ? 2 * n / 3 : n);
    for (double& entry : G.reshaped()) entry = normal(random) / std::sqrt(static_cast<double>(n));
    if (matrix == Delassus::RankDeficient)
      W = G * G.transpose();
    else
      W += 0.2 * (G - G.transpose());
  }
  PlantedMixed planted;
  planted.r.resize(n);
  planted.u.resize(n);
  for (Index k = 0; k < contacts; ++k)
    plant(blocks[static_cast<std::size_t>(k)], random, planted.r.segment(k * dimension, dimension),
          planted.u.segment(k * dimension, dimension));
  planted.problem = mixed_from_dense(W, planted.u - W * planted.r, blocks);
  return planted;
}

}  // namespace nonsmooth::problems
