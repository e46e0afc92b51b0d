// SPDX-License-Identifier: Apache-2.0
// LU of sparse matrices column by column on memory that is kept, beside KLU, which allocates in each call: seconds of
// factors with new values, of factors of another pattern (ordered anew), and of a solve; medians of processor time,
// taken in turns.
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include <benchmarks/timing.hpp>
#include <nonsmooth/numerics/linear_algebra/factorization.hpp>
#include <problems/mixed.hpp>

namespace {

using namespace nonsmooth;
using namespace nonsmooth::benchmarks;
using Sparse = Eigen::SparseMatrix<double>;
using Entries = std::vector<Eigen::Triplet<double, Index>>;

constexpr int kRuns = 15;

Sparse square(Index n, const Entries& entries) {
  Sparse A(n, n);
  A.setFromTriplets(entries.begin(), entries.end());
  return A;
}

double value(std::minstd_rand& random) { return std::uniform_real_distribution<double>(-1.0, 1.0)(random); }

/// Five points of a square, not symmetric: diffusion and transport.
Entries transport(Index side, std::minstd_rand& random) {
  Entries entries;
  const Index n = side * side;
  for (Index i = 0; i < n; ++i) {
    entries.emplace_back(i, i, 4.5);
    for (const Index step : {Index{1}, side}) {
      if (i + step >= n || (step == 1 && (i + 1) % side == 0)) continue;
      entries.emplace_back(i, i + step, -1.0 + 0.3 * value(random));
      entries.emplace_back(i + step, i, -1.0 + 0.3 * value(random));
    }
  }
  return entries;
}

Sparse grid(std::minstd_rand& random) { return square(10'000, transport(100, random)); }

/// [ G  B^T ; -B  0 ] of that G, rows of B with entries at neighbours: contacts of an elastic body.
Sparse saddle(std::minstd_rand& random) {
  Entries entries = transport(60, random);
  constexpr Index n = 3'600, constraints = 200;
  for (Index r = 0; r < constraints; ++r) {
    for (const Index j : {17 * r, 17 * r + 1, 17 * r + 60}) {
      const double b = value(random);
      entries.emplace_back(j, n + r, b);
      entries.emplace_back(n + r, j, -b);
    }
  }
  return square(n + constraints, entries);
}

/// I + D W of the contacts of a pile of disks: the matrix of a semismooth Newton step.
Sparse contacts(std::minstd_rand& random) {
  const mixed::Problem problem = problems::disk_pile(20, 10, 0.5);
  Entries entries;
  const BlockSparseMatrix& W = problem.W;
  for (Index b = 0; b < W.num_block_rows(); ++b) {
    for (Index i = W.offset(b); i < W.offset(b + 1); ++i) {
      const double d = 0.5 + 0.4 * value(random);
      entries.emplace_back(i, i, 1.0);
      for (Index k = W.row_begin(b); k < W.row_begin(b + 1); ++k) {
        const auto block = W.block(b, k);
        for (Index j = 0; j < block.cols(); ++j)
          entries.emplace_back(i, W.offset(W.column(k)) + j, d * block(i - W.offset(b), j));
      }
    }
  }
  return square(W.rows(), entries);
}

/// Most of its blocks have one row: nodes of a circuit behind one another.
Sparse circuit(std::minstd_rand& random) {
  constexpr Index n = 5'000;
  Entries entries;
  for (Index i = 0; i < n; ++i) {
    entries.emplace_back((7 * i) % n, (11 * i) % n, 2.0 + 0.5 * value(random));
    if (i % 10 == 0 && i > 0) entries.emplace_back((7 * i) % n, (11 * (i - 1)) % n, value(random));
    for (int k = 0; k < 3; ++k) {
      const Index j = i + 1 + static_cast<Index>(random() % 40);
      if (j < n) entries.emplace_back((7 * i) % n, (11 * j) % n, value(random));
    }
  }
  return square(n, entries);
}

void lu(benchmark::State& bench, Sparse (*make)(std::minstd_rand&)) {
  std::minstd_rand random(1);
  const Sparse A = make(random);
  Sparse other = A;  // with one entry more
  other.coeffRef(A.rows() / 2, A.rows() / 3) += 1e-3;
  other.makeCompressed();
  SparseFactorization ours, klu(Structure::General, Backend::SuiteSparse);
  const Eigen::MatrixXd b = Eigen::MatrixXd::Ones(A.rows(), 1);
  for (auto _ : bench) {
    std::vector<double> times[2][3];
    for (int run = 0; run <= kRuns; ++run) {
      for (int which = 0; which < 2; ++which) {
        SparseFactorization& factors = which == 0 ? ours : klu;
        bool right = factors.factorize(other);
        double start = cpu_seconds();
        right &= factors.factorize(A);
        const double ordered = cpu_seconds() - start;
        start = cpu_seconds();
        right &= factors.factorize(A);
        const double factored = cpu_seconds() - start;
        Eigen::MatrixXd x = b;
        start = cpu_seconds();
        factors.solve_in_place(x);
        const double solved = cpu_seconds() - start;
        if (!right) return bench.SkipWithError("no factors");
        if (run == 0) continue;
        times[which][0].push_back(factored);
        times[which][1].push_back(ordered);
        times[which][2].push_back(solved);
      }
    }
    const char* const names[] = {"values", "pattern", "solve"};
    for (int k = 0; k < 3; ++k) {
      bench.counters[std::string(names[k]) + "_ms"] = 1e3 * median(times[0][k]);
      bench.counters[std::string(names[k]) + "/KLU"] = median(times[0][k]) / median(times[1][k]);
    }
    bench.counters["rows"] = static_cast<double>(A.rows());
  }
}

BENCHMARK_CAPTURE(lu, grid, grid)->Iterations(1);
BENCHMARK_CAPTURE(lu, saddle, saddle)->Iterations(1);
BENCHMARK_CAPTURE(lu, contacts, contacts)->Iterations(1);
BENCHMARK_CAPTURE(lu, circuit, circuit)->Iterations(1);

}  // namespace

BENCHMARK_MAIN();
