// SPDX-License-Identifier: Apache-2.0
#include <problems/relay.hpp>

#include <algorithm>
#include <cmath>
#include <random>

namespace nonsmooth::problems {

namespace {

/// Rows with two bounds; with Mixed also with one, none (free) and equal ones, a fifth of each.
void random_relay_bounds(relay::Problem& problem, std::mt19937_64& random, Bounds kinds) {
  const Index n = problem.M.rows();
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  problem.lower.resize(n);
  problem.upper.resize(n);
  for (Index i = 0; i < n; ++i) {
    problem.lower[i] = 2.0 * uniform(random) - 1.5;
    problem.upper[i] = problem.lower[i] + 0.2 + uniform(random);
    const int kind = kinds == Bounds::Finite ? 0 : int(5.0 * uniform(random));
    if (kind == 1 || kind == 3) problem.upper[i] = infinite;
    if (kind == 2 || kind == 3) problem.lower[i] = -infinite;
    if (kind == 4) problem.upper[i] = problem.lower[i];
  }
}

/// q such that a random z within the bounds solves; a share of the rows is degenerate (at a bound with w = 0).
void plant_relay(Relay& relay, std::mt19937_64& random, double degenerate) {
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  relay::Problem& problem = relay.problem;
  const Index n = problem.M.rows();
  relay.z.setZero(n);
  Eigen::VectorXd w = Eigen::VectorXd::Zero(n);
  for (Index i = 0; i < n; ++i) {
    const double low = problem.lower[i];
    const double high = problem.upper[i];
    const double w_size = uniform(random) < degenerate ? 0.0 : 0.1 + uniform(random);
    const double side = uniform(random);
    if (low == high) {
      relay.z[i] = low;
      w[i] = side - 0.5;
    } else if (low > -infinite && side < 0.35) {
      relay.z[i] = low;
      w[i] = w_size;
    } else if (high < infinite && side > 0.65) {
      relay.z[i] = high;
      w[i] = -w_size;
    } else if (low > -infinite) {
      relay.z[i] = low + (high < infinite ? (high - low) * (0.1 + 0.8 * uniform(random)) : 0.1 + uniform(random));
    } else {
      relay.z[i] = (high < infinite ? high - 0.1 : 0.0) - uniform(random);
    }
  }
  problem.q = w - problem.M * relay.z;
}

}  // namespace

Relay random_relay_spd(Index n, std::uint64_t seed, Bounds kinds, double degenerate) {
  std::mt19937_64 random(seed);
  Relay relay{"spd", {}, Verdict::Solvable, {}, true};
  const Eigen::MatrixXd A = normal_matrix(random, n, n);
  relay.problem.M = A * A.transpose() / double(n) + 0.5 * Eigen::MatrixXd::Identity(n, n);
  random_relay_bounds(relay.problem, random, kinds);
  plant_relay(relay, random, degenerate);
  return relay;
}

Relay random_relay_p(Index n, std::uint64_t seed, Bounds kinds, double degenerate) {
  Relay relay = random_relay_spd(n, seed, kinds);
  std::mt19937_64 random(seed + 1);
  const Eigen::MatrixXd B = normal_matrix(random, n, n) / std::sqrt(double(n));
  relay.name = "p";
  relay.problem.M += B - B.transpose();
  plant_relay(relay, random, degenerate);
  return relay;
}

Relay random_relay_monotone(Index n, std::uint64_t seed, Bounds kinds) {
  std::mt19937_64 random(seed);
  Relay relay{"monotone", {}, Verdict::Solvable, {}, false};
  const Eigen::MatrixXd A = normal_matrix(random, n, std::max<Index>(1, n / 2));
  const Eigen::MatrixXd x = normal_matrix(random, n, 2);
  relay.problem.M = A * A.transpose() / double(n) + x.col(0) * x.col(1).transpose() - x.col(1) * x.col(0).transpose();
  random_relay_bounds(relay.problem, random, kinds);
  plant_relay(relay, random, 0.2);
  return relay;
}

Relay random_relay_any(Index n, std::uint64_t seed, Bounds kinds) {
  std::mt19937_64 random(seed);
  Relay relay{"any", {}, Verdict::Solvable, {}, false};
  relay.problem.M = normal_matrix(random, n, n);
  random_relay_bounds(relay.problem, random, kinds);
  plant_relay(relay, random, 0.0);
  return relay;
}

Relay random_relay_infeasible(Index n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(0.1, 1.0);
  Relay relay{"infeasible", {}, Verdict::Infeasible, {}, false};
  relay.problem.M.resize(n, n);
  random_relay_bounds(relay.problem, random, Bounds::Mixed);
  relay.problem.lower[0] = 0.0;
  relay.problem.upper[0] = infinite;
  Eigen::VectorXd y(n);
  for (Index i = 0; i < n; ++i) {
    const bool below = relay.problem.lower[i] > -infinite;
    const bool above = relay.problem.upper[i] < infinite;
    y[i] = below && above ? 0.0 : (above ? -1.0 : 1.0) * uniform(random);
  }
  y.normalize();
  const Eigen::MatrixXd A = (Eigen::MatrixXd::Identity(n, n) - y * y.transpose()) * normal_matrix(random, n, n);
  relay.problem.M = A * A.transpose();
  if (n == 1) relay.problem.M(0, 0) = 0.0;
  relay.problem.q = normal_matrix(random, n, 1);
  relay.problem.q -= (relay.problem.q.dot(y) + 1.0) * y;
  return relay;
}

Relay rescaled(Relay relay, std::uint64_t seed, double decades) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> exponent(-decades / 4.0, decades / 4.0);
  const Index n = relay.problem.M.rows();
  const Eigen::VectorXd d = Eigen::VectorXd::NullaryExpr(n, [&] { return std::pow(10.0, exponent(random)); });
  relay.problem.M = d.asDiagonal() * relay.problem.M * d.asDiagonal();
  relay.problem.q = relay.problem.q.cwiseProduct(d);
  relay.problem.lower = relay.problem.lower.cwiseQuotient(d);
  relay.problem.upper = relay.problem.upper.cwiseQuotient(d);
  if (relay.z.size() == n) relay.z = relay.z.cwiseQuotient(d);
  relay.name += ", rescaled";
  return relay;
}

relay::SparseProblem sparse(const relay::Problem& problem) {
  return {problem.M.sparseView(), problem.q, problem.lower, problem.upper};
}

double independent_residual(const relay::Problem& problem, const Eigen::VectorXd& z) {
  long double error = 0.0L;
  long double scale = 0.0L;
  long double magnitude = 0.0L;
  for (Index i = 0; i < z.size(); ++i) {
    long double w = problem.q[i];
    long double sum = std::abs(problem.q[i]);
    long double reference = problem.q[i];
    long double row = 0.0L;
    for (Index j = 0; j < z.size(); ++j) {
      const long double m = problem.M(i, j);
      w += m * z[j];
      sum += std::abs(m * z[j]);
      reference += m * std::clamp(0.0, problem.lower[j], problem.upper[j]);
      row = std::max(row, std::abs(m));
    }
    const long double s = problem.M(i, i) > 0.0 ? problem.M(i, i) : (row > 0.0L ? row : 1.0L);
    const bool equality = problem.lower[i] == -infinite && problem.upper[i] == infinite;
    const long double target =
        std::clamp<long double>(static_cast<long double>(z[i]) - w / s, problem.lower[i], problem.upper[i]);
    error = std::max(error, equality ? std::abs(w) : std::abs(s * (z[i] - target)));
    scale = std::max({scale, std::abs(static_cast<long double>(problem.q[i])), std::abs(reference)});
    magnitude = std::max(magnitude, sum);
  }
  if (!z.allFinite()) return infinite;
  if (error == 0.0L) return 0.0;
  return static_cast<double>(error / std::max(scale, 64.0L * 0x1p-52L * magnitude));
}

}  // namespace nonsmooth::problems
