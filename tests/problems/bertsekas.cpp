// SPDX-License-Identifier: Apache-2.0
#include <problems/bertsekas.hpp>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace nonsmooth::problems {
namespace {

using Eigen::MatrixXd, Eigen::VectorXd;

constexpr Index kPlaces = 5;

/// A term of the cost of a path: weight g(row · flows).
struct Term {
  Index path = 0;
  double weight = 0.0;
  VectorXd row{};
};

/// Costs of the paths of one direction as sums of terms. Path i enters at i and leaves at i + `links`, a place a step
/// the way that is driven; who drives over link k, from place k, began at k, k - 1, ..., k - links + 1.
std::vector<Term> costs_of_loop(Index links, double gamma) {
  const auto began = [](Index place, Index first, Index last) {  // at place - first, ..., place - last
    VectorXd row = VectorXd::Zero(kPlaces);
    for (Index back = first; back <= last; ++back) row[((place - back) % kPlaces + kPlaces) % kPlaces] += 1.0;
    return row;
  };
  std::vector<Term> terms;
  for (Index i = 0; i < kPlaces; ++i) {
    terms.push_back({i, 1.0, began(i, 0, 0)});            // on-ramp
    terms.push_back({i, gamma, began(i, 1, links - 1)});  // who passes there
    terms.push_back({i, 1.0, began(i, 0, 0)});            // off-ramp
    for (Index k = i; k < i + links; ++k) {
      terms.push_back({i, 10.0, began(k, 0, links - 1)});                 // highway
      terms.push_back({i, 2.0 * gamma, began(k, links - 1, links - 1)});  // who leaves at its end
      if (k > i) terms.push_back({i, 1.0, began(k, 1, links - 1)});       // bypass of place k
    }
  }
  return terms;
}

void add_costs(const std::vector<Term>& terms, const VectorXd& flows, VectorXd& costs) {
  for (const Term& term : terms) {
    const double a = term.row.dot(flows);
    costs[term.path] += term.weight * (1.0 + a + a * a);
  }
}

void add_slopes(const std::vector<Term>& terms, const VectorXd& flows, MatrixXd& slopes) {
  for (const Term& term : terms)
    slopes.row(term.path) += term.weight * (1.0 + 2.0 * term.row.dot(flows)) * term.row.transpose();
}

/// The inner road is driven the other way round: path i of it enters at place -i of its own count.
VectorXd turned(const VectorXd& flows) {
  VectorXd other(kPlaces);
  for (Index i = 0; i < kPlaces; ++i) other[(kPlaces - i) % kPlaces] = flows[i];
  return other;
}

struct Ring {
  std::vector<Term> outer, inner;

  explicit Ring(double gamma) : outer(costs_of_loop(3, gamma)), inner(costs_of_loop(2, gamma)) {}

  [[nodiscard]] VectorXd outer_costs(const VectorXd& x) const {
    VectorXd costs = VectorXd::Zero(kPlaces);
    add_costs(outer, x, costs);
    return costs;
  }
  [[nodiscard]] VectorXd inner_costs(const VectorXd& z) const {
    VectorXd costs = VectorXd::Zero(kPlaces);
    add_costs(inner, turned(z), costs);
    return turned(costs);
  }
  [[nodiscard]] MatrixXd outer_slopes(const VectorXd& x) const {
    MatrixXd slopes = MatrixXd::Zero(kPlaces, kPlaces);
    add_slopes(outer, x, slopes);
    return slopes;
  }
  [[nodiscard]] MatrixXd inner_slopes(const VectorXd& z) const {
    MatrixXd own = MatrixXd::Zero(kPlaces, kPlaces), slopes(kPlaces, kPlaces);
    add_slopes(inner, turned(z), own);
    for (Index i = 0; i < kPlaces; ++i) {
      for (Index j = 0; j < kPlaces; ++j) slopes(i, j) = own((kPlaces - i) % kPlaces, (kPlaces - j) % kPlaces);
    }
    return slopes;
  }
};

}  // namespace

Mcp bertsekas_gafni(const VectorXd& demand, double gamma) {
  constexpr Index n = 3 * kPlaces;
  NonlinearMap F{.num_unknowns = n,
                 .num_values = n,
                 .value =
                     [ring = Ring(gamma), demand](ConstVectorRef u, VectorRef f) {
                       const VectorXd x = u.head(kPlaces), z = u.segment(kPlaces, kPlaces), y = u.tail(kPlaces);
                       f << ring.outer_costs(x) - y, ring.inner_costs(z) - y, x + z - demand;
                     },
                 .dense_jacobian =
                     [ring = Ring(gamma)](ConstVectorRef u, MatrixRef J) {
                       const MatrixXd one = MatrixXd::Identity(kPlaces, kPlaces), none = 0.0 * one;
                       J << ring.outer_slopes(u.head(kPlaces)), none, -one,             //
                           none, ring.inner_slopes(u.segment(kPlaces, kPlaces)), -one,  //
                           one, one, none;
                     }};
  Mcp mcp{"bertsekas-gafni", mcp::complementarity(std::move(F), VectorXd::Zero(n)), {}, 0.0};
  mcp.problem.lower.tail(kPlaces).setConstant(-std::numeric_limits<double>::infinity());
  return mcp;
}

Mcp bertsekas_gafni_bounded(const VectorXd& demand, double gamma) {
  NonlinearMap F{
      .num_unknowns = kPlaces,
      .num_values = kPlaces,
      .value = [ring = Ring(gamma), demand](ConstVectorRef x,
                                            VectorRef f) { f = ring.outer_costs(x) - ring.inner_costs(demand - x); },
      .dense_jacobian = [ring = Ring(gamma), demand](
                            ConstVectorRef x,
                            MatrixRef J) { J = ring.outer_slopes(x) + ring.inner_slopes(demand - x); }};
  return {"bertsekas-gafni within bounds",
          {.F = std::move(F), .lower = VectorXd::Zero(kPlaces), .upper = demand, .start = VectorXd::Zero(kPlaces)},
          {},
          0.0};
}

double bertsekas_gafni_equal(double d, double gamma) {
  // Costs as c0 + c1 a + c2 a^2 of one flow a.
  const double outer_0 = 34.0 + 7.0 * gamma, outer_1 = 96.0 + 8.0 * gamma, outer_2 = 280.0 + 10.0 * gamma;
  const double inner_0 = 23.0 + 5.0 * gamma, inner_1 = 43.0 + 5.0 * gamma, inner_2 = 83.0 + 5.0 * gamma;
  const double a = outer_2 - inner_2, b = outer_1 + inner_1 + 2.0 * inner_2 * d;
  const double c = outer_0 - inner_0 - inner_1 * d - inner_2 * d * d;
  return -2.0 * c / (b + std::sqrt(b * b - 4.0 * a * c));
}

}  // namespace nonsmooth::problems
