// SPDX-License-Identifier: Apache-2.0
// Collections of linear complementarity problems by class, size and seed, for benchmarks: what is tuned on seeds 1-5 is
// reported on seeds 6-20.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nonsmooth/numerics/lcp/problem.hpp>

namespace nonsmooth::problems {

/// M = A A^T + S + D with A uniform in [-5, 5], S skew of the same size (absent where symmetric), D = diag(0..0.3), q
/// uniform in [-500, 500]: a P-matrix. Harker, Pang 1990 [harker1990].
lcp::Problem harker_pang(Index n, std::uint64_t seed, bool symmetric);

/// A dense M-matrix: nonpositive off the diagonal, strictly diagonally dominant by rows; q of both signs.
lcp::Problem m_matrix(Index n, std::uint64_t seed);

/// A game's matrix (0 A; B^T 0) with A, B > 0 and q = -1: copositive, no P-matrix; its solutions are the equilibria of
/// the bimatrix game. Cottle, Pang, Stone 1992, section 1.4 [cottle1992].
lcp::Problem bimatrix_game(Index n, std::uint64_t seed);

struct NamedLcp {
  std::string name;
  lcp::Problem problem;
};

/// One problem a class and size: P, positive definite, positive semidefinite, M, ill-scaled, degenerate, games.
std::vector<NamedLcp> lcp_collection(std::uint64_t seed);

}  // namespace nonsmooth::problems
