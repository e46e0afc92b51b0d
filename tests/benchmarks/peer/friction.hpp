// SPDX-License-Identifier: Apache-2.0
#pragma once

// The peer's side of friction_peer.cpp. Plain declarations: the peer's headers are C++17, ours C++20.

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace peer {

/// A problem in the peer's own structures, built once; only run() is timed. Some of its solvers hang, crash or are not
/// re-entrant: call run() in a child process.
class Friction {
 public:
  Friction(const Friction&) = delete;
  Friction& operator=(const Friction&) = delete;
  virtual ~Friction() = default;

  /// The solvers of the class; the first is its default.
  [[nodiscard]] virtual std::vector<std::string> solvers() const = 0;
  /// Solves from zero with the given tolerance of its own test; the reactions are in r afterwards. Returns its info.
  virtual int run(const std::string& solver, double tolerance) = 0;

  std::vector<double> r;

 protected:
  Friction() = default;
};

/// A square matrix of dimension x dimension blocks (each column by column) in compressed block rows.
struct Blocks {
  std::vector<std::size_t> row_begin, column;
  std::vector<double> values;
};

/// Coefficients of the contacts. Rolling friction where `rolling` is not empty: rows (N, T1, T2, R1, R2) or (N, T, R).
struct Coefficients {
  std::vector<double> mu, rolling;
};

/// u = W r + q, rows (N, T1[, T2]) a contact without rolling.
[[nodiscard]] std::unique_ptr<Friction> friction(int dimension, const Blocks& W, const std::vector<double>& q,
                                                 const Coefficients& coefficients);

struct Triplets {
  int rows = 0, columns = 0;
  std::vector<int> row, column;
  std::vector<double> value;
};

/// A v = f + H^T r, u = H v + w, in space.
[[nodiscard]] std::unique_ptr<Friction> global_friction(int dimension, const Triplets& A, const Triplets& H,
                                                        const std::vector<double>& f, const std::vector<double>& w,
                                                        const Coefficients& coefficients);

}  // namespace peer
