// SPDX-License-Identifier: Apache-2.0
#include <problems/mcp.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include <problems/obstacle.hpp>
#include <problems/random_matrices.hpp>

namespace nonsmooth::problems {

namespace {

/// The quadratics of Kojima and Shindo with what differs in Josephy's.
NonlinearMap quadratics(double second_x3, double third_x4, double third) {
  return {.num_unknowns = 4,
          .num_values = 4,
          .value =
              [=](ConstVectorRef x, VectorRef f) {
                const double a = x[0] * x[0], b = x[0] * x[1], c = x[1] * x[1];
                f << 3.0 * a + 2.0 * b + 2.0 * c + x[2] + 3.0 * x[3] - 6.0,
                    2.0 * a + x[0] + c + second_x3 * x[2] + 2.0 * x[3] - 2.0,
                    3.0 * a + b + 2.0 * c + 2.0 * x[2] + third_x4 * x[3] - third,
                    a + 3.0 * c + 2.0 * x[2] + 3.0 * x[3] - 3.0;
              },
          .dense_jacobian =
              [=](ConstVectorRef x, MatrixRef J) {
                J << 6.0 * x[0] + 2.0 * x[1], 2.0 * x[0] + 4.0 * x[1], 1.0, 3.0,  //
                    4.0 * x[0] + 1.0, 2.0 * x[1], second_x3, 2.0,                 //
                    6.0 * x[0] + x[1], x[0] + 4.0 * x[1], 2.0, third_x4,          //
                    2.0 * x[0], 6.0 * x[1], 2.0, 3.0;
              }};
}

const Eigen::VectorXd& kojima_first() {
  static const Eigen::VectorXd x{{std::sqrt(6.0) / 2.0, 0.0, 0.0, 0.5}};
  return x;
}

/// Marginal costs c + (factor q)^(1/beta), factor 1/L or L as the source has it.
Mcp nash_cournot(const char* name, Eigen::VectorXd c, Eigen::VectorXd beta, double factor, double gamma,
                 Eigen::VectorXd solution) {
  const Index n = c.size();
  const double demand = std::pow(5000.0, 1.0 / gamma);
  NonlinearMap F{
      .num_unknowns = n,
      .num_values = n,
      .value =
          [=](ConstVectorRef q, VectorRef f) {
            const double Q = q.sum(), price = demand * std::pow(Q, -1.0 / gamma);
            for (Index i = 0; i < n; ++i)
              f[i] = c[i] + std::pow(factor * q[i], 1.0 / beta[i]) - price + q[i] * price / (gamma * Q);
          },
      .dense_jacobian =
          [=](ConstVectorRef q, MatrixRef J) {
            const double Q = q.sum(), price = demand * std::pow(Q, -1.0 / gamma), slope = price / (gamma * Q);
            for (Index i = 0; i < n; ++i) {
              for (Index j = 0; j < n; ++j) J(i, j) = slope - (1.0 + 1.0 / gamma) * q[i] * slope / Q;
              J(i, i) += slope + factor / beta[i] * std::pow(factor * q[i], 1.0 / beta[i] - 1.0);
            }
          },
  };
  Mcp mcp{name, mcp::complementarity(std::move(F), Eigen::VectorXd::Constant(n, 10.0)), {std::move(solution)}, 1e-4};
  mcp.problem.lower.setConstant(1e-6);  // at 0 neither price nor all the slopes of cost exist
  return mcp;
}

}  // namespace

Mcp kojima_shindo() {
  return {"kojima-shindo",
          mcp::complementarity(quadratics(10.0, 9.0, 9.0)),
          {kojima_first(), Eigen::VectorXd{{1.0, 0.0, 3.0, 0.0}}},
          0.0};
}

Mcp josephy() { return {"josephy", mcp::complementarity(quadratics(3.0, 3.0, 1.0)), {kojima_first()}, 0.0}; }

Mcp mathiesen(double b) {
  constexpr double alpha = 0.75;
  NonlinearMap F{.num_unknowns = 4,
                 .num_values = 4,
                 .value =
                     [=](ConstVectorRef x, VectorRef f) {
                       const double income = x[2] + b * x[3];
                       f << -x[1] + x[2] + x[3], x[0] - alpha * income / x[1],
                           1.0 - x[0] - (1.0 - alpha) * income / x[2], b - x[0];
                     },
                 .dense_jacobian =
                     [=](ConstVectorRef x, MatrixRef J) {
                       const double income = x[2] + b * x[3];
                       J << 0.0, -1.0, 1.0, 1.0,                                                            //
                           1.0, alpha * income / (x[1] * x[1]), -alpha / x[1], -alpha * b / x[1],           //
                           -1.0, 0.0, (1.0 - alpha) * b * x[3] / (x[2] * x[2]), -(1.0 - alpha) * b / x[2],  //
                           -1.0, 0.0, 0.0, 0.0;
                     }};
  Mcp mcp{"mathiesen", mcp::complementarity(std::move(F), Eigen::VectorXd::Ones(4)), {}, 0.0};
  mcp.problem.lower << 0.0, 1e-6, 1e-6, 0.0;  // prices that F divides by
  return mcp;
}

double distance_to_mathiesen(double b, const Eigen::VectorXd& x) {
  const Eigen::VectorXd ray = b < 0.75 ? Eigen::VectorXd{{3.0, 1.0, 2.0}} : Eigen::VectorXd{{1.0, 1.0, 0.0}};
  const Eigen::VectorXd prices = x.tail(3);
  const double t = prices.dot(ray) / ray.squaredNorm();
  return std::max(std::abs(x[0] - std::min(b, 0.75)), (prices - t * ray).cwiseAbs().maxCoeff() / t);
}

Mcp nash_cournot_5() {
  return nash_cournot("nash-cournot of 5", Eigen::VectorXd{{10.0, 8.0, 6.0, 4.0, 2.0}},
                      Eigen::VectorXd{{1.2, 1.1, 1.0, 0.9, 0.8}}, 1.0 / 5.0, 1.1,
                      Eigen::VectorXd{{36.9325, 41.8181, 43.7066, 42.6592, 39.1790}});
}

Mcp nash_cournot_10() {
  return nash_cournot(
      "nash-cournot of 10", Eigen::VectorXd{{5.0, 3.0, 8.0, 5.0, 1.0, 3.0, 7.0, 4.0, 6.0, 3.0}},
      Eigen::VectorXd{{1.2, 1.0, 0.9, 0.6, 1.5, 1.0, 0.7, 1.1, 0.95, 0.75}}, 10.0, 1.2,
      Eigen::VectorXd{{7.4415, 4.0978, 2.5906, 0.9354, 17.9490, 4.0978, 1.3047, 5.5901, 3.2222, 1.6771}});
}

Mcp billups(double start) {
  NonlinearMap F{.num_unknowns = 1,
                 .num_values = 1,
                 .value = [](ConstVectorRef x, VectorRef f) { f[0] = (x[0] - 1.0) * (x[0] - 1.0) - 1.01; },
                 .dense_jacobian = [](ConstVectorRef x, MatrixRef J) { J(0, 0) = 2.0 * (x[0] - 1.0); }};
  return {"billups",
          mcp::complementarity(std::move(F), Eigen::VectorXd{{start}}),
          {Eigen::VectorXd{{1.0 + std::sqrt(1.01)}}},
          0.0};
}

mcp::Problem as_mcp(const relay::Problem& problem) {
  const Index n = problem.q.size();
  return {.F = {.num_unknowns = n,
                .num_values = n,
                .value = [M = problem.M, q = problem.q](ConstVectorRef x, VectorRef f) { f = M * x + q; },
                .dense_jacobian = [M = problem.M](ConstVectorRef, MatrixRef J) { J = M; }},
          .lower = problem.lower,
          .upper = problem.upper};
}

mcp::Problem as_mcp(const Eigen::SparseMatrix<double>& M, const Eigen::VectorXd& q) {
  return mcp::complementarity({.num_unknowns = q.size(),
                               .num_values = q.size(),
                               .value = [M, q](ConstVectorRef x, VectorRef f) { f = M * x + q; },
                               .jacobian = [M](ConstVectorRef, Eigen::SparseMatrix<double>& J) { J = M; }});
}

namespace {

/// F = A x + g(x) entry by entry, with A sparse; g and its slope of (row, x).
template <class G, class Slope>
NonlinearMap sparse_map(const Eigen::SparseMatrix<double>& A, const G& g, const Slope& slope) {
  const Index n = A.rows();
  return {.num_unknowns = n,
          .num_values = n,
          .value =
              [A, g, n](ConstVectorRef x, VectorRef f) {
                f = A * x;
                for (Index i = 0; i < n; ++i) f[i] += g(i, x[i]);
              },
          .jacobian =
              [A, slope, n](ConstVectorRef x, Eigen::SparseMatrix<double>& J) {
                J = A;
                for (Index i = 0; i < n; ++i) J.coeffRef(i, i) += slope(i, x[i]);
              }};
}

Eigen::SparseMatrix<double> tridiagonal(Index n, double diagonal, double beside) {
  std::vector<Eigen::Triplet<double>> entries;
  for (Index i = 0; i < n; ++i) {
    entries.emplace_back(int(i), int(i), diagonal);
    if (i > 0) entries.emplace_back(int(i), int(i - 1), beside);
    if (i + 1 < n) entries.emplace_back(int(i), int(i + 1), beside);
  }
  Eigen::SparseMatrix<double> A(n, n);
  A.setFromTriplets(entries.begin(), entries.end());
  return A;
}

mcp::Problem bratu(const Eigen::SparseMatrix<double>& A, double weight, double ceiling) {
  const Index n = A.rows();
  return {.F = sparse_map(
              A, [weight](Index, double u) { return -weight * std::exp(u); },
              [weight](Index, double u) { return -weight * std::exp(u); }),
          .lower = Eigen::VectorXd::Zero(n),
          .upper = Eigen::VectorXd::Constant(n, ceiling)};
}

}  // namespace

Mcp bratu_1d(Index n, double lambda, double ceiling) {
  const double h = 1.0 / double(n + 1);
  double theta = 1.0;
  for (int i = 0; i < 200; ++i) theta = std::sqrt(2.0 * lambda) * std::cosh(theta / 4.0);  // contracts on this branch
  Eigen::VectorXd u(n);
  for (Index i = 0; i < n; ++i)
    u[i] = -2.0 * std::log(std::cosh((double(i + 1) * h - 0.5) * theta / 2.0) / std::cosh(theta / 4.0));
  Mcp mcp{"bratu 1D", bratu(tridiagonal(n, 2.0, -1.0), lambda * h * h, ceiling), {}, h * h};
  if (u.maxCoeff() < ceiling) mcp.solutions.push_back(u);
  return mcp;
}

Mcp bratu_2d(Index m, double lambda, double ceiling) {
  const double h = 1.0 / double(m + 1);
  return {"bratu 2D", bratu(five_points(m), lambda * h * h, ceiling), {}, 0.0};
}

Mcp random_monotone_mcp(Index n, std::uint64_t seed, Bounds kinds, double degenerate) {
  Relay linear = random_relay_p(n, seed, kinds, degenerate);
  Random random(seed + 7);
  const Eigen::VectorXd c = entries(random, n, 1).cwiseMax(0.0), e = entries(random, n, 1).cwiseMax(0.0);
  const auto g = [c, e](Index i, double x) { return c[i] * x * x * x + e[i] * std::expm1(0.5 * x); };
  const Eigen::MatrixXd M = linear.problem.M;
  Eigen::VectorXd q = linear.problem.q;
  for (Index i = 0; i < n; ++i) q[i] -= g(i, linear.z[i]);
  return {"strongly monotone",
          {.F = {.num_unknowns = n,
                 .num_values = n,
                 .value =
                     [=](ConstVectorRef x, VectorRef f) {
                       f = M * x + q;
                       for (Index i = 0; i < n; ++i) f[i] += g(i, x[i]);
                     },
                 .dense_jacobian =
                     [=](ConstVectorRef x, MatrixRef J) {
                       J = M;
                       for (Index i = 0; i < n; ++i)
                         J(i, i) += 3.0 * c[i] * x[i] * x[i] + 0.5 * e[i] * std::exp(0.5 * x[i]);
                     }},
           .lower = linear.problem.lower,
           .upper = linear.problem.upper},
          {linear.z},
          0.0};
}

Mcp rescaled(Mcp mcp, std::uint64_t seed, double decades) {
  const Index n = mcp.problem.size();
  Random random(seed);
  const auto units = [&] {
    Eigen::VectorXd d(n);
    for (Index i = 0; i < n; ++i) d[i] = std::pow(10.0, uniform(random, -0.5 * decades, 0.5 * decades));
    return d;
  };
  const Eigen::VectorXd rows = units(), columns = units();  // x = columns y
  const NonlinearMap F = mcp.problem.F;
  mcp.problem.F.value = [=](ConstVectorRef y, VectorRef f) {
    F.value(columns.cwiseProduct(y), f);
    f = rows.cwiseProduct(f);
  };
  mcp.problem.F.dense_jacobian = [=](ConstVectorRef y, MatrixRef J) {
    F.dense_jacobian(columns.cwiseProduct(y), J);
    J = rows.asDiagonal() * J * columns.asDiagonal();
  };
  mcp.problem.F.sizes = columns.cwiseInverse();
  mcp.problem.lower = mcp.problem.lower.cwiseQuotient(columns);
  mcp.problem.upper = mcp.problem.upper.cwiseQuotient(columns);
  for (Eigen::VectorXd& x : mcp.solutions) x = x.cwiseQuotient(columns);
  mcp.name += ", rescaled";
  return mcp;
}

Mcp random_any_mcp(Index n, std::uint64_t seed, Bounds kinds) {
  Relay linear = random_relay_any(n, seed, kinds);
  const Eigen::MatrixXd M = linear.problem.M;
  Eigen::VectorXd q = linear.problem.q;
  for (Index i = 0; i < n; ++i) q[i] -= std::sin(2.0 * linear.z[i]);
  return {"any",
          {.F = {.num_unknowns = n,
                 .num_values = n,
                 .value =
                     [=](ConstVectorRef x, VectorRef f) {
                       f = M * x + q;
                       for (Index i = 0; i < n; ++i) f[i] += std::sin(2.0 * x[i]);
                     },
                 .dense_jacobian =
                     [=](ConstVectorRef x, MatrixRef J) {
                       J = M;
                       for (Index i = 0; i < n; ++i) J(i, i) += 2.0 * std::cos(2.0 * x[i]);
                     }},
           .lower = linear.problem.lower,
           .upper = linear.problem.upper},
          {linear.z},
          0.0};
}

Mcp sparse_chain(Index n, std::uint64_t seed) {
  Random random(seed);
  const Eigen::SparseMatrix<double> A = tridiagonal(n, 2.5, -1.0);
  Eigen::VectorXd x(n), w(n);
  for (Index i = 0; i < n; ++i) {
    const bool active = uniform(random, 0.0, 1.0) < 0.5;
    x[i] = active ? 0.0 : uniform(random, 0.1, 2.0);
    w[i] = active ? uniform(random, 0.1, 2.0) : 0.0;
  }
  const Eigen::VectorXd q = w - A * x - x.cwiseProduct(x).cwiseProduct(x);
  return {"sparse chain",
          mcp::complementarity(sparse_map(
              A, [q](Index i, double z) { return z * z * z + q[i]; }, [](Index, double z) { return 3.0 * z * z; })),
          {x},
          0.0};
}

Mcp logarithms() {
  const Eigen::VectorXd a{{0.5, 3.0, 20.0}};
  NonlinearMap F{.num_unknowns = 3,
                 .num_values = 3,
                 .value =
                     [a](ConstVectorRef x, VectorRef f) {
                       for (Index i = 0; i < 3; ++i) f[i] = std::log(x[i] / a[i]);
                     },
                 .dense_jacobian = [](ConstVectorRef x, MatrixRef J) { J.diagonal() = x.cwiseInverse(); }};
  Mcp mcp{"logarithms", mcp::complementarity(std::move(F), Eigen::VectorXd::Ones(3)), {a}, 0.0};
  mcp.problem.lower.setConstant(1e-8);
  return mcp;
}

double independent_residual(const mcp::Problem& problem, const Eigen::VectorXd& x) {
  const Index n = problem.size();
  Eigen::VectorXd f(n), point = Eigen::VectorXd::Zero(n);
  const auto size_at = [&](const Eigen::VectorXd& where) {
    problem.F.value(where.cwiseMax(problem.lower).cwiseMin(problem.upper), f);
    return static_cast<long double>(f.cwiseAbs().maxCoeff());
  };
  long double scale = problem.scale;
  if (!(scale > 0.0L)) {
    const long double at_zero = size_at(point);
    const long double at_start = problem.start.size() > 0 ? size_at(problem.start) : at_zero;
    for (const long double size : {at_zero, at_start}) {
      if (std::isfinite(static_cast<double>(size)) && size > 0.0L) scale = scale > 0.0L ? std::min(scale, size) : size;
    }
  }
  Eigen::MatrixXd J(n, n);
  if (evaluate(problem.F, x, f) || evaluate_jacobian(problem.F, x, f, problem.lower, problem.upper, J)) return infinite;
  long double largest = 0.0L;
  for (Index i = 0; i < n; ++i) {
    long double terms = std::abs(static_cast<long double>(f[i]));
    for (Index j = 0; j < n; ++j) terms += std::abs(static_cast<long double>(J(i, j)) * x[j]);
    largest = std::max(largest, terms);
  }
  scale = std::max(scale, 64.0L * 0x1p-52L * largest);
  long double worst = 0.0L;
  for (Index i = 0; i < n; ++i) {
    long double s = J(i, i);
    for (Index j = 0; J(i, i) <= 0.0 && j < n; ++j) {
      if (problem.lower[j] < problem.upper[j]) s = std::max<long double>(s, std::abs(J(i, j)));
    }
    s = std::max(s, scale / (problem.F.sizes.size() > 0 ? problem.F.sizes[i] : 1.0));
    if (!(s > 0.0L)) s = 1.0L;
    const long double low = problem.lower[i], high = problem.upper[i], at = x[i];
    const long double projected = std::min(std::max(at - f[i] / s, low), high);
    // (at - projected) s loses f where nothing is clipped.
    const bool clipped = projected == low || projected == high;
    worst = std::max(worst, clipped ? std::abs(s * (at - projected)) : std::abs(static_cast<long double>(f[i])));
  }
  return worst == 0.0L ? 0.0 : static_cast<double>(worst / scale);
}

}  // namespace nonsmooth::problems
