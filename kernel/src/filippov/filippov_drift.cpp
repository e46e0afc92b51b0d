// SPDX-License-Identifier: Apache-2.0
// A FilippovSystem kept on its surfaces, and what a State gets of it.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <internal/round_off.hpp>

#include "filippov_unit.hpp"

namespace nonsmooth::filippov {

/// x -= N (N^T N)^-1 c, by the rows that do not depend on others. `at_once`: of what is round-off too.
void FilippovUnit::project(double t, Eigen::VectorXd& x, const Meeting& meeting, bool at_once) {
  const auto q = static_cast<Index>(meeting.surfaces.size());
  SurfaceVector c(q);
  for (int pass = 0; pass < 3; ++pass) {
    bool off = false;
    for (Index k = 0; k < q; ++k) {
      const Index j = meeting.surfaces[static_cast<std::size_t>(k)];
      c[k] = surface(j, t, x);
      off = off || (at_once && pass == 0 && c[k] != 0.0) || std::abs(c[k]) > 4.0 * eps * surface_terms(j, t, x);
    }
    if (!off) return;
    std::array<Index, kMostHeld> rows{};
    Index used = 0;
    double system[kMostHeld * (kMostHeld + 1)], copy[kMostHeld * (kMostHeld + 1)];
    double solved[kMostHeld]{};
    for (Index k = 0; k < q; ++k) {  // one more row, as long as the system is regular
      rows[static_cast<std::size_t>(used)] = k;
      const Index count = used + 1;
      for (Index a = 0; a < count; ++a) {
        const Index row = rows[static_cast<std::size_t>(a)];
        const double length = std::max(meeting.lengths[row], std::numeric_limits<double>::min());
        for (Index b = 0; b < count; ++b) {
          const Index column = rows[static_cast<std::size_t>(b)];
          system[a * (count + 1) + b] = meeting.N.col(row).dot(meeting.N.col(column)) / length /
                                        std::max(meeting.lengths[column], std::numeric_limits<double>::min());
        }
        system[a * (count + 1) + count] = c[row] / length;
      }
      std::copy_n(system, count * (count + 1), copy);
      if (!solve_small(copy, count)) continue;
      used = count;
      for (Index a = 0; a < count; ++a) solved[a] = copy[a * (count + 1) + count];
    }
    for (Index a = 0; a < used; ++a) {
      const Index row = rows[static_cast<std::size_t>(a)];
      x -= solved[a] / meeting.lengths[row] * meeting.N.col(row);
    }
  }
}

bool FilippovUnit::remove_drift(double t, Eigen::VectorXd& z) {
  gather(z);
  bool moved = false;
  if (!held_.surfaces.empty()) {
    stage_ = x_;
    evaluate(t, x_, held_);
    project(t, x_, held_, false);
    moved = stage_ != x_;
    if (moved) z.segment(z_, fields_->n()) = x_;
  }
  largest_ = largest_.cwiseMax(x_.cwiseAbs());
  last_x_ = x_;
  return moved;
}

void FilippovUnit::write(double t, const Eigen::VectorXd& z, State& state) {
  if (mode_.signs.empty()) return;
  gather(z);
  const Index p = fields_->num_surfaces(), m = fields_->num_patterns();
  evaluate(t, x_, held_);
  if (!weights(mode_, theta_)) return;
  if (fields_->is_hull()) {
    auto lambda = state.multipliers.segment(place_.row, m + 1);
    auto y = state.outputs.segment(place_.row, m);
    lambda.setZero();
    y.setZero();
    for (Index i = 0; i < theta_.size(); ++i) lambda[held_.pattern[static_cast<std::size_t>(i)]] = theta_[i];
    for (Index j = 0; j < p; ++j) {
      const double c = surface(j, t, x_);
      for (Index i = 0; i < m; ++i) y[i] += i >> j & 1 ? -c : c;
    }
    lambda[m] = y.minCoeff();
    return;
  }
  for (Index j = 0; j < p; ++j) {
    state.outputs[place_.row + j] = -surface(j, t, x_);
    double alpha = 0.0;
    for (Index i = 0; i < theta_.size(); ++i)
      if (held_.pattern[static_cast<std::size_t>(i)] >> j & 1) alpha += theta_[i];
    state.multipliers[place_.row + j] = alpha;
  }
}

}  // namespace nonsmooth::filippov
