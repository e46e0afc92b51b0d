// SPDX-License-Identifier: Apache-2.0
#include "collocation.hpp"

#include <cmath>
#include <vector>

namespace nonsmooth::smooth {
namespace {

using Extended = long double;

/// Legendre's polynomials P_n and P_{n-1} at x, by their three-term recurrence; n >= 1.
struct Legendre {
  Legendre(Index n, Extended x) : value(x) {
    for (Index k = 1; k < n; ++k) {
      const auto order = static_cast<Extended>(k);
      const Extended next = ((2 * order + 1) * x * value - order * before) / (order + 1);
      before = value;
      value = next;
    }
  }
  Extended value, before = 1;
};

/// The roots of f in (-1, 1) by halving between the places of a grid that separates them: the nodes of s <= 8 stages
/// lie farther apart than 1 / (2 s^2).
template <class Function>
std::vector<Extended> roots(Index stages, const Function& f) {
  std::vector<Extended> found;
  const Index places = 16 * stages * stages + 1;  // odd, so that no node lies on the grid for being its middle
  Extended left = -1, at_left = f(left);
  for (Index i = 1; i <= places; ++i) {
    const Extended right = -1 + 2 * static_cast<Extended>(i) / static_cast<Extended>(places), at_right = f(right);
    if ((at_left < 0) != (at_right < 0) && i < places) {
      Extended low = left, high = right;
      for (int halving = 0; halving < 64;
           ++halving) {  // to the last bit of numbers of size 1; a root at 0 has no last bit
        const Extended middle = (low + high) / 2;
        ((f(middle) < 0) == (at_left < 0) ? low : high) = middle;
      }
      found.push_back((low + high) / 2);
    }
    left = right;
    at_left = at_right;
  }
  return found;
}

Extended lagrange(const std::vector<Extended>& nodes, std::size_t k, Extended s) {
  Extended value = 1;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (i != k) value *= (s - nodes[i]) / (nodes[k] - nodes[i]);
  return value;
}

std::vector<Extended> on_unit_interval(std::vector<Extended> nodes) {
  for (Extended& node : nodes) node = (1 + node) / 2;
  return nodes;
}

}  // namespace

Collocation::Collocation(FiniteElementFamily family, Index stages) {
  const std::vector<Extended> gauss = roots(stages, [&](Extended x) { return Legendre(stages, x).value; });
  std::vector<Extended> weights;
  for (const Extended x : gauss) {
    const Legendre P(stages, x);
    const Extended slope = static_cast<Extended>(stages) * P.before / (1 - x * x);  // P_n' at a root of P_n
    weights.push_back(1 / ((1 - x * x) * slope * slope));                           // half of those on [-1, 1]
  }
  const std::vector<Extended> quadrature = on_unit_interval(gauss);

  std::vector<Extended> nodes = quadrature;
  ends_at_last_stage = family == FiniteElementFamily::RadauIIA;
  if (ends_at_last_stage) {
    nodes = on_unit_interval(roots(stages, [&](Extended x) {
      const Legendre P(stages, x);
      return P.value - P.before;
    }));
    nodes.push_back(1);
  }

  const auto s = static_cast<Index>(nodes.size());
  c.resize(s);
  b.resize(s);
  A.resize(s, s);
  quadrature_nodes_.resize(s);
  quadrature_weights_.resize(s);
  const auto integral = [&](std::size_t k, Extended end) {
    Extended sum = 0;
    for (std::size_t q = 0; q < quadrature.size(); ++q) sum += weights[q] * lagrange(nodes, k, end * quadrature[q]);
    return static_cast<double>(end * sum);
  };
  for (Index j = 0; j < s; ++j) {
    const auto row = static_cast<std::size_t>(j);
    c[j] = static_cast<double>(nodes[row]);
    b[j] = integral(row, 1);
    quadrature_nodes_[j] = static_cast<double>(quadrature[row]);
    quadrature_weights_[j] = static_cast<double>(weights[row]);
    for (Index k = 0; k < s; ++k) A(j, k) = integral(static_cast<std::size_t>(k), nodes[row]);
  }
}

void Collocation::values(double s, Eigen::VectorXd& l) const {
  l.resize(c.size());
  for (Index k = 0; k < c.size(); ++k) {
    l[k] = 1.0;
    for (Index i = 0; i < c.size(); ++i)
      if (i != k) l[k] *= (s - c[i]) / (c[k] - c[i]);
  }
}

void Collocation::integrals(double s, Eigen::VectorXd& w) const {
  w.setZero(c.size());
  for (Index q = 0; q < quadrature_nodes_.size(); ++q) {
    const double place = s * quadrature_nodes_[q];
    for (Index k = 0; k < c.size(); ++k) {
      double l = 1.0;
      for (Index i = 0; i < c.size(); ++i)
        if (i != k) l *= (place - c[i]) / (c[k] - c[i]);
      w[k] += s * quadrature_weights_[q] * l;
    }
  }
}

}  // namespace nonsmooth::smooth
