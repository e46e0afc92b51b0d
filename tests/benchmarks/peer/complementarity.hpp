// SPDX-License-Identifier: Apache-2.0
#pragma once

// The peer's side of complementarity_peer.cpp. Plain declarations: the peer's headers are C++17, ours C++20.

#include <memory>
#include <string>
#include <vector>

namespace peer {

/// A problem in the peer's own structures, built once; only run() is timed. Matrices are dense, column by column.
class Complementarity {
 public:
  Complementarity(const Complementarity&) = delete;
  Complementarity& operator=(const Complementarity&) = delete;
  virtual ~Complementarity() = default;

  /// The solvers of the class that neither abort nor hang (those that do are named in the source).
  [[nodiscard]] virtual std::vector<std::string> solvers() const = 0;
  /// Solves from zero with the given tolerance of its own test; the answer is in z afterwards. Returns its info.
  virtual int run(const std::string& solver, double tolerance, int max_iterations) = 0;

  std::vector<double> z;

 protected:
  Complementarity() = default;
};

/// w = M z + q, 0 <= z, w.
[[nodiscard]] std::unique_ptr<Complementarity> lcp(const std::vector<double>& M, const std::vector<double>& q);
/// The same with M in triplets, kept sparse.
[[nodiscard]] std::unique_ptr<Complementarity> sparse_lcp(const std::vector<long>& row, const std::vector<long>& column,
                                                          const std::vector<double>& value,
                                                          const std::vector<double>& q);
/// `rows` x (free + constrained): the first rows - constrained are equalities.
[[nodiscard]] std::unique_ptr<Complementarity> mlcp(long free, long constrained, const std::vector<double>& M,
                                                    const std::vector<double>& q);
[[nodiscard]] std::unique_ptr<Complementarity> relay(const std::vector<double>& M, const std::vector<double>& q,
                                                     const std::vector<double>& lower,
                                                     const std::vector<double>& upper);

}  // namespace peer
