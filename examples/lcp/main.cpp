// SPDX-License-Identifier: Apache-2.0
// Two linear complementarity problems, with the numerics library alone:  w = M z + q,  0 <= z  ⟂  w >= 0.
//
// (a) M = [2 -1; -1 2], q = (-1, 1):  z = (1/2, 0), w = (0, 1/2).
// (b) A string of tension 1 over [0, 1] (length unit 1), its ends fixed, pressed by a load f onto a table at depth d:
//        z = u + d >= 0,   w = -z'' + f >= 0,   z w = 0,   z(0) = z(1) = d.
//     It touches the table on [a, 1 - a], a = sqrt(2 d / f), and outside z = f (x - a)^2 / 2. The table carries
//     f (1 - 2 a). Here f = 32, d = 1: a = 1/4, and the table carries 16.
#include <nonsmooth/numerics.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <string_view>
#include <vector>

using namespace nonsmooth;

int main(int argc, char** argv) {
  if (argc > 2 || (argc == 2 && argv[1] != std::string_view("--check"))) {
    std::cerr << "Usage: example_lcp [--check]\n";
    return argv[1] == std::string_view("--help") ? 0 : 2;
  }
  bool hold = true;
  const auto near = [&hold](std::string_view what, double value, double expected, double tolerance) {
    const bool ok = std::abs(value - expected) <= tolerance;
    hold = hold && ok;
    std::cerr << what << ": " << value << ", expected " << expected << (ok ? "  ok\n" : "  OUTSIDE\n");
  };

  // 1. A dense problem: the algorithm is picked, the answer certified.
  const lcp::Problem small{.M = Eigen::Matrix2d{{2.0, -1.0}, {-1.0, 2.0}}, .q = Eigen::Vector2d{-1.0, 1.0}};
  const auto result = lcp::solve(small);
  if (!result) std::cerr << result.message() << '\n';
  near("z_0 of the small problem", result.z[0], 0.5, 1e-10);  // the default tolerance
  near("w_1 of the small problem", result.w[1], 0.5, 1e-10);

  // 2. A sparse one: second differences on n inner points.
  const Index n = 1000;
  const double f = 32.0, d = 1.0, h = 1.0 / static_cast<double>(n + 1);
  std::vector<Eigen::Triplet<double>> entries;
  for (Index i = 0; i < n; ++i) {
    entries.emplace_back(i, i, 2.0 / (h * h));
    if (i > 0) entries.emplace_back(i, i - 1, -1.0 / (h * h));
    if (i + 1 < n) entries.emplace_back(i, i + 1, -1.0 / (h * h));
  }
  lcp::SparseProblem string{.M = Eigen::SparseMatrix<double>(n, n), .q = Eigen::VectorXd::Constant(n, f)};
  string.M.setFromTriplets(entries.begin(), entries.end());
  string.q[0] -= d / (h * h);
  string.q[n - 1] -= d / (h * h);
  const auto contact = lcp::solve(string, lcp::PrimalDualActiveSet{.tolerance = 1e-9});
  if (!contact) std::cerr << contact.message() << '\n';

  // 3. Does it hold? The scheme is exact for parabolas, so that only the edges of the contact, known to one cell, err:
  // z by less than f h^2 there, the force on the table by less than 2 f h. 5 % of f move a by 0.006 = 6 h.
  double edge = 1.0, worst = 0.0, force = 0.0;
  const bool print = argc == 1;  // columns x, u, pressure; --check leaves them out
  for (Index i = 0; i < n; ++i) {
    const double x = static_cast<double>(i + 1) * h, gap = std::max(0.25 - std::min(x, 1.0 - x), 0.0);
    worst = std::max(worst, std::abs(contact.z[i] - 16.0 * gap * gap));
    force += contact.w[i] * h;
    if (contact.w[i] > 0.5 * f) edge = std::min(edge, x);
    if (print) std::cout << x << ' ' << contact.z[i] - d << ' ' << contact.w[i] << '\n';
  }
  std::cerr << "string: " << contact.solver << ", " << contact.iterations << " steps, residual "
            << contact.certificate.residual << '\n';
  near("edge of the contact", edge, 0.25, 2.0 * h);
  near("worst |z - closed form|", worst, 0.0, f * h * h);
  near("force on the table", force, 16.0, 2.0 * f * h);
  return result && contact && hold ? 0 : 1;
}
