// SPDX-License-Identifier: Apache-2.0
#include <problems/lcp_collections.hpp>

#include <random>
#include <utility>

#include <problems/lcp.hpp>

namespace nonsmooth::problems {

lcp::Problem harker_pang(Index n, std::uint64_t seed, bool symmetric) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> entry(-5.0, 5.0), diagonal(0.0, 0.3), load(-500.0, 500.0);
  const Eigen::MatrixXd A = Eigen::MatrixXd::NullaryExpr(n, n, [&] { return entry(random); });
  lcp::Problem problem{A * A.transpose(), Eigen::VectorXd(n)};
  if (!symmetric) {
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < i; ++j) {
        const double s = entry(random);
        problem.M(i, j) += s;
        problem.M(j, i) -= s;
      }
    }
  }
  for (Index i = 0; i < n; ++i) problem.M(i, i) += diagonal(random);
  for (Index i = 0; i < n; ++i) problem.q[i] = load(random);
  return problem;
}

lcp::Problem m_matrix(Index n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  lcp::Problem problem{Eigen::MatrixXd::NullaryExpr(n, n, [&] { return -uniform(random); }), Eigen::VectorXd(n)};
  for (Index i = 0; i < n; ++i) {
    problem.M(i, i) = 0.0;
    problem.M(i, i) = -problem.M.row(i).sum() * (1.0 + 0.01 * uniform(random)) + 0.01;
  }
  for (Index i = 0; i < n; ++i) problem.q[i] = 2.0 * uniform(random) - 1.0;
  return problem;
}

lcp::Problem bimatrix_game(Index n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> cost(0.1, 10.0);
  const Index rows = (n + 1) / 2, columns = n - rows;
  lcp::Problem problem{Eigen::MatrixXd::Zero(n, n), -Eigen::VectorXd::Ones(n)};
  problem.M.topRightCorner(rows, columns) = Eigen::MatrixXd::NullaryExpr(rows, columns, [&] { return cost(random); });
  problem.M.bottomLeftCorner(columns, rows) = Eigen::MatrixXd::NullaryExpr(columns, rows, [&] { return cost(random); });
  return problem;
}

std::vector<NamedLcp> lcp_collection(std::uint64_t seed) {
  std::vector<NamedLcp> collection;
  for (const Index n : {3, 10, 30, 100, 300}) {
    const std::uint64_t own = seed * 1000 + static_cast<std::uint64_t>(n);
    const auto add = [&](const char* name, lcp::Problem problem) {
      collection.push_back({std::string(name) + ' ' + std::to_string(n), std::move(problem)});
    };
    add("P", harker_pang(n, own, false));
    add("PD", harker_pang(n, own, true));
    add("PSD", random_psd(n, own).problem);
    add("M", m_matrix(n, own));
    add("degenerate PD", random_spd(n, own, 0.4).problem);
    add("rescaled PD", rescaled(random_spd(n, own), own, 6.0).problem);
    if (n <= 30) add("game", bimatrix_game(n, own));
  }
  return collection;
}

}  // namespace nonsmooth::problems
