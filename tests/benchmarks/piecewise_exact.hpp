// SPDX-License-Identifier: Apache-2.0
#pragma once

// Exact motions of switched linear circuits whose phases are written out by hand: the reference that event-driven
// simulation is compared with, and made without it.

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include <Eigen/Core>

namespace nonsmooth::benchmarks {

/// A circuit as zdot = A_phase z (constants and sinusoids are states of their own), long double, by Taylor series on
/// steps so short that |A| h <= 1/2. A phase ends where one of its guards row.z falls to zero, or at an instant at
/// which `switched` says which phase follows.
class PiecewiseExact {
 public:
  using Real = long double;
  using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
  using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
  struct Guard {
    Vector row;
    int next = 0;
  };
  struct Phase {
    Matrix A;
    std::vector<Guard> guards{};
    std::vector<Eigen::Index> zero{};  ///< states that are zero throughout it
  };

  std::vector<Phase> phases;
  Vector z;
  int phase = 0;
  Real t = 0;
  std::vector<Real> switches{};

  /// To `end`, guards looked at every `sample`: shorter than a phase.
  void advance(Real end, Real sample) {
    while (t < end) {
      const Phase& now = phases[static_cast<std::size_t>(phase)];
      const Real h = std::min(sample, end - t);
      const Vector after = flow(now.A, h, z);
      Real first = h;
      const Guard* crossed = nullptr;
      for (const Guard& guard : now.guards) {
        if (guard.row.dot(after) >= 0) continue;
        // Zero by a crossing just made, to round-off: counts only if it falls.
        if (guard.row.dot(z) <= 0 && guard.row.dot(now.A * z) >= 0) continue;
        Real low = 0, high = first;
        if (crossed != nullptr && guard.row.dot(flow(now.A, high, z)) >= 0) continue;
        for (int k = 0; k < 70; ++k) {
          const Real middle = (low + high) / 2;
          (guard.row.dot(flow(now.A, middle, z)) < 0 ? high : low) = middle;
        }
        first = high;
        crossed = &guard;
      }
      z = crossed == nullptr ? after : flow(now.A, first, z);
      t = first >= end - t ? end : t + first;
      if (crossed == nullptr) continue;
      switches.push_back(t);
      enter(crossed->next);
    }
  }
  void enter(int next) {
    phase = next;
    for (const Eigen::Index i : phases[static_cast<std::size_t>(phase)].zero) z[i] = 0;
  }

 private:
  static Vector flow(const Matrix& A, Real h, Vector x) {
    const Real norm = A.cwiseAbs().rowwise().sum().maxCoeff();
    const int steps = 1 + static_cast<int>(2 * norm * h);
    const Real step = h / steps;
    for (int s = 0; s < steps; ++s) {
      Vector term = x;
      for (int k = 1; k <= 18; ++k) {
        term = step / static_cast<Real>(k) * (A * term);
        x += term;
      }
    }
    return x;
  }
};

}  // namespace nonsmooth::benchmarks
