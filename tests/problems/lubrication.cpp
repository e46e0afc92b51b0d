// SPDX-License-Identifier: Apache-2.0
#include <problems/lubrication.hpp>

#include <cmath>
#include <numbers>

#include <problems/reference.hpp>

namespace nonsmooth::problems {

double LongBearing::film(double t) const { return 1.0 + e * std::cos(t); }

double LongBearing::angle(double s) const {
  return 2.0 * std::atan2(std::sqrt(1.0 + e) * std::sin(s / 2.0), std::sqrt(1.0 - e) * std::cos(s / 2.0));
}

double LongBearing::rupture_of_sommerfeld() const {
  return root_between(
      [this](double s) { return 2.0 * (std::sin(s) - s * std::cos(s)) - e * (s - std::sin(s) * std::cos(s)); },
      std::numbers::pi, 1.5 * std::numbers::pi);
}

double LongBearing::pressure(double t) const {
  const double s = 2.0 * std::atan2(std::sqrt(1.0 - e) * std::sin(t / 2.0), std::sqrt(1.0 + e) * std::cos(t / 2.0));
  if (s >= s_rupture) return 0.0;
  const double film_term = s - e * std::sin(s);
  const double flow = (1.0 + e * e / 2.0) * s - 2.0 * e * std::sin(s) + e * e / 4.0 * std::sin(2.0 * s);
  return std::pow(1.0 - e * e, -1.5) * (film_term - flow / (1.0 - e * std::cos(s_rupture)));
}

Discretized long_bearing(Index n, double e) {
  const LongBearing bearing{e};
  const double h = 2.0 * std::numbers::pi / double(n);
  Discretized d{{Eigen::SparseMatrix<double>(n - 1, n - 1), Eigen::VectorXd(n - 1)}, Eigen::VectorXd(n - 1), h};
  std::vector<Eigen::Triplet<double>> entries;
  for (Index i = 0; i + 1 < n; ++i) {
    const double t = double(i + 1) * h;
    const double before = std::pow(bearing.film(t - h / 2), 3) / h, after = std::pow(bearing.film(t + h / 2), 3) / h;
    entries.emplace_back(int(i), int(i), before + after);
    if (i > 0) entries.emplace_back(int(i), int(i - 1), -before);
    if (i + 2 < n) entries.emplace_back(int(i), int(i + 1), -after);
    d.problem.q[i] = bearing.film(t + h / 2) - bearing.film(t - h / 2);
    d.exact[i] = bearing.pressure(t);
  }
  d.problem.M.setFromTriplets(entries.begin(), entries.end());
  return d;
}

lcp::SparseProblem finite_bearing(Index n, Index m, double e, double length_over_diameter) {
  const LongBearing bearing{e};
  const double h = 2.0 * std::numbers::pi / double(n), k = 0.5 / double(m);
  const double ratio = 0.25 / (length_over_diameter * length_over_diameter);
  const Index around = n - 1;
  lcp::SparseProblem problem{Eigen::SparseMatrix<double>(around * m, around * m), Eigen::VectorXd(around * m)};
  std::vector<Eigen::Triplet<double>> entries;
  for (Index j = 0; j < m; ++j) {
    const double width = j == 0 ? k / 2.0 : k;
    for (Index i = 0; i < around; ++i) {
      const int row = int(j * around + i);
      const double t = double(i + 1) * h;
      const double before = width * std::pow(bearing.film(t - h / 2), 3) / h;
      const double after = width * std::pow(bearing.film(t + h / 2), 3) / h;
      const double along = ratio * std::pow(bearing.film(t), 3) * h / k;
      entries.emplace_back(row, row, before + after + along * (j == 0 ? 1.0 : 2.0));
      if (i > 0) entries.emplace_back(row, row - 1, -before);
      if (i + 1 < around) entries.emplace_back(row, row + 1, -after);
      if (j > 0) entries.emplace_back(row, row - int(around), -along);
      if (j + 1 < m) entries.emplace_back(row, row + int(around), -along);
      problem.q[row] = width * (bearing.film(t + h / 2) - bearing.film(t - h / 2));
    }
  }
  problem.M.setFromTriplets(entries.begin(), entries.end());
  return problem;
}

BearingLoad finite_bearing_load(Index n, Index m, ConstVectorRef p) {
  const double h = 2.0 * std::numbers::pi / double(n), k = 0.5 / double(m);
  double along = 0.0, across = 0.0;
  for (Index j = 0; j < m; ++j) {
    for (Index i = 0; i + 1 < n; ++i) {
      const double force = 2.0 * h * (j == 0 ? k / 2.0 : k) * p[j * (n - 1) + i];
      along -= force * std::cos(double(i + 1) * h);
      across += force * std::sin(double(i + 1) * h);
    }
  }
  return {1.0 / (6.0 * std::numbers::pi * std::hypot(along, across)),
          std::atan2(across, along) * 180.0 / std::numbers::pi};
}

std::vector<BearingEntry> raimondi_boyd() {
  return {{1.0, 0.2, 0.631, 74.02}, {1.0, 0.4, 0.264, 63.10}, {1.0, 0.6, 0.121, 50.58}, {1.0, 0.8, 0.0446, 36.24},
          {0.5, 0.2, 2.03, 74.94},  {0.5, 0.4, 0.779, 61.45}, {0.5, 0.6, 0.319, 48.14}, {0.5, 0.8, 0.0923, 33.31},
          {0.25, 0.6, 1.07, 46.72}, {0.25, 0.8, 0.261, 31.04}};
}

}  // namespace nonsmooth::problems
