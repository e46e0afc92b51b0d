// SPDX-License-Identifier: Apache-2.0
// Every reaction of long trusses that hang between their ends, against the equilibrium of their nodes in 113 bits.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include <nonsmooth/kernel.hpp>
#include <problems/quad.hpp>
#include <problems/truss.hpp>

namespace nonsmooth::large_loop_forces_test {
namespace {

using problems::Quad;
using problems::QuadVector;
using problems::Truss;

constexpr std::size_t kBand = 8;  ///< coordinates of two neighbouring pairs of nodes

std::size_t first_of(std::size_t i) { return i + 1 < kBand ? 0 : i + 1 - kBand; }

/// L of a symmetric matrix K = L L^T whose entries (i, j) are 0 where i - j >= kBand, and solutions of K x = w by it.
class BandFactor {
 public:
  explicit BandFactor(std::size_t n) : rows_(n) {}
  Quad& operator()(std::size_t i, std::size_t j) { return rows_[i][i - j]; }  ///< of K until factorize(), i >= j
  void factorize() {
    BandFactor& L = *this;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      for (std::size_t j = first_of(i); j <= i; ++j) {
        for (std::size_t k = first_of(i); k < j; ++k) L(i, j) -= L(i, k) * L(j, k);
        L(i, j) = j < i ? L(i, j) / L(j, j) : problems::root(L(i, i));
      }
    }
  }
  QuadVector solve(QuadVector x) {
    BandFactor& L = *this;
    const std::size_t n = rows_.size();
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = first_of(i); k < i; ++k) x[i] -= L(i, k) * x[k];
      x[i] /= L(i, i);
    }
    for (std::size_t i = n; i-- > 0;) {
      for (std::size_t k = i + 1; k < std::min(n, i + kBand); ++k) x[i] -= L(k, i) * x[k];
      x[i] /= L(i, i);
    }
    return x;
  }

 private:
  std::vector<std::array<Quad, kBand>> rows_;
};

/// What a rod of tension 1 does to the coordinates of free nodes, and W_kk, one for each of its ends that is free: all
/// masses are 1.
struct Rod {
  std::array<std::size_t, 4> at{};
  std::array<Quad, 4> entry{};
  std::size_t size = 0;
  [[nodiscard]] double mobility() const { return 0.5 * static_cast<double>(size); }
};

std::vector<Rod> rods_of(const Truss& truss) {
  std::vector<Rod> result;
  for (const Truss::Rod& rod : truss.rods) {
    const Eigen::Vector2d way = Truss::place(rod.to) - Truss::place(rod.from);
    const Quad length = problems::root(way.squaredNorm());
    Rod& row = result.emplace_back();
    for (const auto& [node, sign] : {std::pair(rod.from, -1.0), std::pair(rod.to, 1.0)}) {
      if (truss.at_end(node)) continue;
      for (const int axis : {0, 1}) {
        row.at[row.size] = static_cast<std::size_t>(2 * node - 4 + axis);
        row.entry[row.size++] = Quad(sign * way[axis]) / length;
      }
    }
  }
  return result;
}

/// Of all impulses that hold each free node against its weight, G r = w, those with the least sum of W_kk r_k^2: with
/// S_kk^2 = W_kk, r = S^-2 G^T x, (G S^-2 G^T) x = w. And the least eigenvalue of G S^-2 G^T, which is that of Ŵ but
/// for its zeros.
struct Exact {
  std::vector<double> impulses;  ///< 0 of rods between two nodes that are held
  double largest = 0.0, least_eigenvalue = 0.0;
};

Exact exact_of(const Truss& truss, double weight) {
  const std::vector<Rod> rods = rods_of(truss);
  const std::size_t n = 4 * static_cast<std::size_t>(truss.bays - 1);
  BandFactor K(n);
  for (const Rod& rod : rods) {
    for (std::size_t a = 0; a < rod.size; ++a) {
      for (std::size_t b = 0; b <= a; ++b)
        K(std::max(rod.at[a], rod.at[b]), std::min(rod.at[a], rod.at[b])) +=
            rod.entry[a] * rod.entry[b] / rod.mobility();
    }
  }
  K.factorize();
  QuadVector w(n, Quad(0));
  for (std::size_t i = 1; i < n; i += 2) w[i] = weight;
  const QuadVector x = K.solve(w);
  Exact result;
  for (const Rod& rod : rods) {
    Quad sum = 0;
    for (std::size_t a = 0; a < rod.size; ++a) sum += rod.entry[a] * x[rod.at[a]];
    result.impulses.push_back(rod.size > 0 ? static_cast<double>(sum / rod.mobility()) : 0.0);
    result.largest = std::max(result.largest, std::abs(result.impulses.back()));
  }
  // What its weight bends it to is nearly its slowest motion: inverse iterations from there on.
  QuadVector mode = x;
  for (int iteration = 0; iteration < 10; ++iteration) {
    Quad square = 0;
    for (const Quad& entry : mode) square += entry * entry;
    for (Quad& entry : mode) entry /= problems::root(square);
    result.least_eigenvalue = static_cast<double>(1 / problems::root(square));
    mode = K.solve(mode);
  }
  return result;
}

/// The impulses of two steps, and how many rows of these were not proven to be independent.
Index expect_exact_impulses(int bays, double dependent_rows) {
  const double h = 1e-3;
  const Truss truss(bays);
  NonSmoothDynamicalSystem model;
  const std::vector<InteractionHandle> rods = truss.hang(model);
  TimeStepping simulation(model, {.step = h, .dependent_rows = dependent_rows});
  const Exact exact = exact_of(truss, h * 9.81);
  // W is known to rounding, which turns its states of stress by eps over the least eigenvalue of what bends: as much
  // of the largest impulse comes into others. A row of Ŵ has up to 17 entries.
  const double tolerance = 17.0 * 2.2e-16 / exact.least_eigenvalue * exact.largest;
  Index unexamined = 0;
  for (int step = 0; step < 2; ++step) {
    const StepReport report = simulation.step();
    EXPECT_TRUE(report) << report.message();
    EXPECT_EQ(report.redundant_rows, bays + 3);
    unexamined = std::max(unexamined, report.unexamined_rows);
    double worst = 0.0;
    for (std::size_t k = 0; k < rods.size(); ++k) {
      if (truss.at_end(truss.rods[k].from) && truss.at_end(truss.rods[k].to)) continue;
      worst = std::max(worst, std::abs(simulation.state().impulse(rods[k])[0] - exact.impulses[k]));
    }
    EXPECT_LE(worst, tolerance) << bays << " bays, step " << step;
  }
  return unexamined;
}

TEST(LargeLoopForces, OfAHeldTrussAreThoseOfLeastSumInEveryRod) {
  EXPECT_EQ(expect_exact_impulses(100, 1e-4), 0);
  EXPECT_EQ(expect_exact_impulses(400, 1e-4), 0);
  EXPECT_EQ(expect_exact_impulses(1000, 1e-4), 4999);  // one rod is left with 5.5e-5 by the others
}

TEST(LargeLoopForces, OfAHeldTrussOfAThousandBaysAreProvenToBeAllWhereLessCountsAsDependent) {
  EXPECT_EQ(expect_exact_impulses(1000, 5e-5), 0);
}

}  // namespace
}  // namespace nonsmooth::large_loop_forces_test
