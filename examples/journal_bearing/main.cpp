// SPDX-License-Identifier: Apache-2.0
// A journal bearing whose oil cannot pull (t the angle from the widest gap, y along the axis in lengths L of the
// bearing, film H = 1 + e cos t, pressure p in 6 mu U R/c^2):
//   0 <= p  ⟂  -(H^3 p_t)_t - (D/(2 L))^2 (H^3 p_y)_y + H' >= 0,   p = 0 at t = 0, 2 pi and at the ends y = ±1/2.
// Where p = 0 the film is ruptured (cavitation); p > 0 and rupture meet with p_t = 0. For an infinitely long bearing
// p_t = 1/H^2 - H(t_r)/H^3 up to the rupture t_r, which p(t_r) = 0 determines.
#include <cmath>
#include <iostream>
#include <numbers>
#include <string>
#include <vector>

#include <nonsmooth/io.hpp>
#include <nonsmooth/numerics.hpp>
using namespace nonsmooth;

constexpr double e = 0.6, pi = std::numbers::pi;
constexpr Index n = 240, m = 24;  // cells around, and along half of the bearing
constexpr double h = 2.0 * pi / static_cast<double>(n), k = 0.5 / static_cast<double>(m);

double film(double t) { return 1.0 + e * std::cos(t); }
double angle(Index i) { return static_cast<double>(i + 1) * h; }

/// Nodes (i, j) in row j (n - 1) + i, t = (i + 1) h, y = j k; each row times its cell. y = 0 is a plane of symmetry.
lcp::SparseProblem bearing(double diameter_over_length) {
  const int around = n - 1, size = around * m;
  lcp::SparseProblem problem{.M = Eigen::SparseMatrix<double>(size, size), .q = Eigen::VectorXd(size)};
  std::vector<Eigen::Triplet<double>> entries;
  const auto couple = [&entries](int row, int other, bool inside, double conductance) {
    entries.emplace_back(row, row, conductance);
    if (inside) entries.emplace_back(row, other, -conductance);
  };
  for (int j = 0; j < m; ++j) {
    const double width = j == 0 ? k / 2.0 : k;
    for (int i = 0; i < around; ++i) {
      const int row = j * around + i;
      const double t = angle(i), along = std::pow(diameter_over_length / 2.0, 2) * std::pow(film(t), 3) * h / k;
      couple(row, row - 1, i > 0, width * std::pow(film(t - h / 2), 3) / h);
      couple(row, row + 1, i + 1 < around, width * std::pow(film(t + h / 2), 3) / h);
      couple(row, row + around, j + 1 < m, along);
      if (j > 0) couple(row, row - around, true, along);
      problem.q[row] = width * (film(t + h / 2) - film(t - h / 2));
    }
  }
  problem.M.setFromTriplets(entries.begin(), entries.end());
  return problem;
}

/// The long bearing's pressure. With Sommerfeld's angle s, 1 + e cos t = (1 - e^2)/(1 - e cos s), the two integrals are
/// elementary, and the rupture is at 2 (sin s - s cos s) = e (s - sin s cos s), between pi and 3 pi/2.
struct LongBearing {
  double s_rupture = 0.0;
  LongBearing() {
    double low = pi, high = 1.5 * pi;
    for (int step = 0; step < 60; ++step) {
      const double s = s_rupture = 0.5 * (low + high);
      (2.0 * (std::sin(s) - s * std::cos(s)) > e * (s - std::sin(s) * std::cos(s)) ? low : high) = s;
    }
  }
  double pressure(double t) const {
    const double s = 2.0 * std::atan2(std::sqrt(1 - e) * std::sin(t / 2), std::sqrt(1 + e) * std::cos(t / 2));
    if (s > s_rupture) return 0.0;
    const double flow = (1 + e * e / 2) * s - 2 * e * std::sin(s) + e * e / 4 * std::sin(2 * s);
    return std::pow(1 - e * e, -1.5) * (s - e * std::sin(s) - flow / (1 - e * std::cos(s_rupture)));
  }
  double rupture() const {
    return 2.0 * std::atan2(std::sqrt(1 + e) * std::sin(s_rupture / 2), std::sqrt(1 - e) * std::cos(s_rupture / 2));
  }
};

int example(const Arguments& arguments) {
  Bounds bounds;

  // 1. Solve: nobody says where the film ruptures. D/L = 0 makes every plane an infinitely long bearing.
  const auto endless = lcp::solve(bearing(0.0)), square = lcp::solve(bearing(1.0));
  for (const auto& result : {endless, square}) {
    std::cout << result.message() << '\n';
    if (!result) return 1;
  }

  // 2. The long bearing against its closed form. The scheme is of second order, and 2 h^2 ten times what it leaves.
  //    The pressure ends like a parabola, so that the last p > 0 is up to a cell off, and the parabola another.
  const LongBearing exact;
  double worst = 0.0, ruptures_at = 0.0;
  std::vector<double> t, closed_form, middle, endless_p;  // the middle plane
  for (Index i = 0; i + 1 < n; ++i) {
    t.push_back(angle(i)), closed_form.push_back(exact.pressure(angle(i)));
    endless_p.push_back(endless.z[i]), middle.push_back(square.z[i]);
    worst = std::max(worst, std::abs(endless.z[i] - closed_form.back()));
    if (endless.z[i] > 0.0) ruptures_at = angle(i);
  }
  bounds.near("long bearing: worst |p - closed form|", worst, 0.0, 2.0 * h * h);
  bounds.near("long bearing: rupture [rad]", ruptures_at, exact.rupture(), 2.0 * h);

  // 3. L = D against Raimondi and Boyd 1958: Sommerfeld number (R/c)^2 mu N/P = 1/(6 pi |∫∫ p (cos t, sin t)|), and the
  //    angle between the load and the line of centres; three digits, 1 % for the grid of either.
  double along = 0.0, across = 0.0;
  std::vector<double> rupture_t, rupture_y;
  for (Index j = 0; j < m; ++j) {
    double last = 0.0;
    for (Index i = 0; i + 1 < n; ++i) {
      const double p = square.z[j * (n - 1) + i], area = 2.0 * h * (j == 0 ? k / 2.0 : k);
      along -= p * std::cos(angle(i)) * area, across += p * std::sin(angle(i)) * area;
      if (p > 0.0) last = angle(i);
    }
    rupture_t.push_back(last), rupture_y.push_back(static_cast<double>(j) * k);
  }
  bounds.near("L = D: Sommerfeld number", 1.0 / (6.0 * pi * std::hypot(along, across)), 0.121, 0.01 * 0.121);
  bounds.near("L = D: attitude [deg]", std::atan2(across, along) * 180.0 / pi, 50.58, 0.01 * 50.58);
  // Oil leaves at the ends, so that the pressure is below that of the long bearing, node by node.
  double excess = 0.0;
  for (std::size_t i = 0; i < t.size(); ++i) excess = std::max(excess, middle[i] - endless_p[i]);
  bounds.near("L = D: excess over the long bearing", excess, 0.0, 1e-9);

  if (arguments.pictures()) {
    const Axis around{.label = "angle from the widest gap [rad]", .low = 0.0, .high = 2.0 * pi};
    Panel pressure{.x = around, .y = {.label = "pressure / (6 {/Symbol m}UR/c^2)"}};
    pressure.series = {{.x = t, .y = closed_form, .label = "long, closed form"},
                       {.x = t, .y = endless_p, .label = "long", .style = Series::Style::Points},
                       {.x = t, .y = middle, .label = "L = D, middle", .style = Series::Style::Dashed}};
    Panel map{.x = around, .y = {.label = "y/L", .low = 0.0, .high = 0.5}};
    for (const int tenths : {1, 2, 3, 4, 5}) {  // isobars: where p falls below that, linear between nodes
      Series isobar{.label = "p = 0." + std::to_string(tenths)};
      for (Index i = 0; i + 1 < n; ++i) {
        const auto p = [&](Index j) { return j < m ? square.z[j * (n - 1) + i] : 0.0; };
        Index j = 0;
        while (p(j) > 0.1 * tenths) ++j;
        if (j == 0) continue;
        isobar.x.push_back(angle(i));
        isobar.y.push_back(k * (static_cast<double>(j) - (0.1 * tenths - p(j)) / (p(j - 1) - p(j))));
      }
      map.series.push_back(isobar);
    }
    map.series.push_back({.x = rupture_t, .y = rupture_y, .label = "end of film", .style = Series::Style::Guide});
    const Figure figure{.title = "Journal bearing with cavitation, e = 0.6 (below: L = D)",
                        .panels = {pressure, map},
                        .width = 720,
                        .height = 640};
    std::cout << draw(figure, *arguments.pictures() / "journal_bearing").message() << '\n';
  }
  std::cout << bounds.report();
  return bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
