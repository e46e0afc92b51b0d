// SPDX-License-Identifier: Apache-2.0
#include <problems/obstacle.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <problems/reference.hpp>

namespace nonsmooth::problems {

Discretized string_over_hill(Index n) {
  const auto psi = [](double x) { return std::cos(3.0 * x) - 0.5; };
  const auto slope = [](double x) { return -3.0 * std::sin(3.0 * x); };
  const double a = root_between([&](double x) { return psi(x) + slope(x) * (1.0 - x); }, 0.0, 0.3);
  const double h = 2.0 / double(n + 1);
  Discretized d{{Eigen::SparseMatrix<double>(n, n), Eigen::VectorXd(n)}, Eigen::VectorXd(n), h};
  std::vector<Eigen::Triplet<double>> entries;
  for (Index i = 0; i < n; ++i) {
    const double x = -1.0 + double(i + 1) * h;
    entries.emplace_back(int(i), int(i), 2.0);
    if (i > 0) entries.emplace_back(int(i), int(i - 1), -1.0);
    if (i + 1 < n) entries.emplace_back(int(i), int(i + 1), -1.0);
    // A u = 0 off the hill with u = z + psi, u = 0 at the ends.
    d.problem.q[i] = 2.0 * psi(x) - (i > 0 ? psi(x - h) : 0.0) - (i + 1 < n ? psi(x + h) : 0.0);
    d.exact[i] = std::abs(x) <= a ? 0.0 : -slope(a) * (1.0 - std::abs(x)) - psi(x);
  }
  d.problem.M.setFromTriplets(entries.begin(), entries.end());
  return d;
}

Eigen::SparseMatrix<double> five_points(Index m) {
  Eigen::SparseMatrix<double> A(m * m, m * m);
  std::vector<Eigen::Triplet<double>> entries;
  for (Index j = 0; j < m; ++j) {
    for (Index i = 0; i < m; ++i) {
      const int row = int(j * m + i), up = int(m);
      entries.emplace_back(row, row, 4.0);
      if (i > 0) entries.emplace_back(row, row - 1, -1.0);
      if (i + 1 < m) entries.emplace_back(row, row + 1, -1.0);
      if (j > 0) entries.emplace_back(row, row - up, -1.0);
      if (j + 1 < m) entries.emplace_back(row, row + up, -1.0);
    }
  }
  A.setFromTriplets(entries.begin(), entries.end());
  return A;
}

Discretized membrane_over_ball(Index m) {
  const double a = root_between([](double r) { return r * r * std::log(2.0 / r) - 1.0 + r * r; }, 0.1, 0.95);
  const double A = a * a / std::sqrt(1.0 - a * a), B = std::sqrt(1.0 - a * a) + A * std::log(a);
  const auto psi = [](double r) {
    const double edge = 0.9, height = std::sqrt(1.0 - edge * edge);
    return r <= edge ? std::sqrt(1.0 - r * r) : height - edge / height * (r - edge);
  };
  const auto u = [&](double r) { return r <= a ? psi(r) : -A * std::log(r) + B; };
  const double h = 4.0 / double(m + 1);
  Discretized d{{five_points(m), Eigen::VectorXd(m * m)}, Eigen::VectorXd(m * m), h};
  for (Index j = 0; j < m; ++j) {
    for (Index i = 0; i < m; ++i) {
      const auto radius = [h](Index k, Index l) {
        return std::hypot(-2.0 + double(k + 1) * h, -2.0 + double(l + 1) * h);
      };
      const auto inside = [m](Index k) { return k >= 0 && k < m; };
      const auto known = [&](Index k, Index l) {  // u - z: psi inside, u itself on the boundary
        return inside(k) && inside(l) ? psi(radius(k, l)) : u(radius(k, l));
      };
      d.problem.q[j * m + i] =
          4.0 * known(i, j) - known(i - 1, j) - known(i + 1, j) - known(i, j - 1) - known(i, j + 1);
      d.exact[j * m + i] = u(radius(i, j)) - psi(radius(i, j));
    }
  }
  return d;
}

Discretized torsion_disk(Index n, double c) {
  const double h = 1.0 / double(n), elastic = std::min(1.0, 2.0 / c);
  Discretized d{{Eigen::SparseMatrix<double>(n, n), Eigen::VectorXd(n)}, Eigen::VectorXd(n), h};
  std::vector<Eigen::Triplet<double>> entries;
  for (Index i = 0; i < n; ++i) {
    const double r = double(i) * h, outer = (double(i) + 0.5), inner = std::max(double(i) - 0.5, 0.0);
    entries.emplace_back(int(i), int(i), outer + inner);
    if (i > 0) entries.emplace_back(int(i), int(i - 1), -inner);
    if (i + 1 < n) entries.emplace_back(int(i), int(i + 1), -outer);
    // w = f - A u = A z + f - A d with d = 1 - r: the cell's load less the flux of the cone, h (outer - inner).
    const double load = i > 0 ? c * r * h : c * h * h / 8.0;
    d.problem.q[i] = load - h * (outer - inner);
    const double u = r >= elastic ? 1.0 - r : 1.0 - elastic + c * (elastic * elastic - r * r) / 4.0;
    d.exact[i] = 1.0 - r - u;
  }
  d.problem.M.setFromTriplets(entries.begin(), entries.end());
  return d;
}

double torsion_disk_torque(double c) {
  constexpr double pi = std::numbers::pi;
  return c <= 2.0 ? pi * c / 4.0 : 2.0 * pi / 3.0 * (1.0 - 2.0 / (c * c * c));
}

Discretized torsion_square(Index m, double c) {
  const double h = 1.0 / double(m + 1);
  const auto distance = [m, h](Index k, Index l) {
    return h * double(std::min(std::min(k + 1, m - k), std::min(l + 1, m - l)));
  };
  Discretized d{{five_points(m), Eigen::VectorXd(m * m)}, {}, h};
  for (Index j = 0; j < m; ++j) {
    for (Index i = 0; i < m; ++i) {
      d.problem.q[j * m + i] = c * h * h - 4.0 * distance(i, j) + distance(i - 1, j) + distance(i + 1, j) +
                               distance(i, j - 1) + distance(i, j + 1);
    }
  }
  return d;
}

}  // namespace nonsmooth::problems
