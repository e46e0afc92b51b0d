// SPDX-License-Identifier: Apache-2.0
#include "dual_active_set.hpp"

#include <algorithm>
#include <cmath>

#include <internal/at.hpp>
#include <internal/round_off.hpp>

#include "numbers.hpp"

namespace nonsmooth::vi::detail {
namespace {

/// c, s with c a + s b = length, -s a + c b = 0.
struct Rotation {
  double c = 1.0, s = 0.0, length = 0.0;

  Rotation(double a, double b) : length(std::hypot(a, b)) {
    if (length > 0.0) c = a / length, s = b / length;
  }
};

/// Columns j and k of Q turned as components j and k of Q^T n are.
void turn_columns(Eigen::MatrixXd& Q, Index j, Index k, const Rotation& rotation) {
  for (Index i = 0; i < Q.rows(); ++i) {
    const double a = Q(i, j), b = Q(i, k);
    Q(i, j) = rotation.c * a + rotation.s * b;
    Q(i, k) = -rotation.s * a + rotation.c * b;
  }
}

}  // namespace

DualActiveSet::DualActiveSet(const Eigen::MatrixXd& N, const Eigen::VectorXd& b)
    : N_(N),
      b_(b),
      Q_(Eigen::MatrixXd::Identity(N.rows(), N.rows())),
      R_(Eigen::MatrixXd::Zero(N.rows(), N.rows())),
      active_(at(N.cols()), false) {}

Eigen::VectorXd DualActiveSet::solve(const Eigen::VectorXd& d) const {
  const Index q = num_active();
  Eigen::VectorXd r = d.head(q);
  if (q > 0) R_.topLeftCorner(q, q).triangularView<Eigen::Upper>().solveInPlace(r);
  return r;
}

// Normals have norm 1: what is left of one behind the others is rounding where it is some n eps, which a well-posed
// polyhedron of normals that meet at angles above 1e-10 or so does not come near to.
bool DualActiveSet::depends(const Eigen::VectorXd& d) const {
  const Index n = N_.rows(), q = num_active();
  return q == n || d.tail(n - q).norm() <= 64.0 * static_cast<double>(n) * eps;
}

void DualActiveSet::add(Index row, const Eigen::VectorXd& d) {
  const Index n = N_.rows(), q = num_active();
  Eigen::VectorXd turned = d;
  for (Index k = n - 1; k > q; --k) {
    const Rotation rotation(turned[k - 1], turned[k]);
    if (turned[k] == 0.0) continue;
    turn_columns(Q_, k - 1, k, rotation);
    turned[k - 1] = rotation.length;
    turned[k] = 0.0;
  }
  R_.col(q).head(q + 1) = turned.head(q + 1);
  rows_.push_back(row);
  u_.push_back(0.0);
  active_[at(row)] = true;
}

void DualActiveSet::drop(Index place) {
  const Index q = num_active();
  active_[at(rows_[at(place)])] = false;
  rows_.erase(rows_.begin() + place);
  u_.erase(u_.begin() + place);
  for (Index j = place; j + 1 < q; ++j) {
    R_.col(j).head(j + 2) = R_.col(j + 1).head(j + 2);
    const Rotation rotation(R_(j, j), R_(j + 1, j));
    R_(j, j) = rotation.length;
    R_(j + 1, j) = 0.0;
    turn_columns(Q_, j, j + 1, rotation);
    for (Index k = j + 2; k < q; ++k) {  // the columns that have not moved up yet
      const double a = R_(j, k), b = R_(j + 1, k);
      R_(j, k) = rotation.c * a + rotation.s * b;
      R_(j + 1, k) = -rotation.s * a + rotation.c * b;
    }
  }
}

bool DualActiveSet::add_equalities(Index equalities) {
  Eigen::VectorXd x = Eigen::VectorXd::Zero(N_.rows());
  for (Index i = 0; i < equalities; ++i) {
    const Eigen::VectorXd d = Q_.transpose() * N_.col(i);
    if (!depends(d)) {
      add(i, d);
      correct(x);
      continue;
    }
    const double off = N_.col(i).dot(x) - b_[i];
    // x solves the others to rounding: what remains of a row that follows from them is that of its own terms.
    if (std::abs(off) > 1e3 * eps * (std::abs(b_[i]) + x.norm() * static_cast<double>(N_.rows()))) {
      first_inequality_ = equalities;
      prove(i, solve(d), off > 0.0 ? 1.0 : -1.0);
      return false;
    }
    active_[at(i)] = true;  // follows from the others: never looked at
  }
  equalities_ = num_active();
  first_inequality_ = equalities;
  return true;
}

/// x := the point nearest to it on the active rows.
void DualActiveSet::correct(VectorRef x) const {
  const Index q = num_active();
  if (q == 0) return;
  Eigen::VectorXd s(q);
  for (Index k = 0; k < q; ++k) s[k] = N_.col(rows_[at(k)]).dot(x) - b_[rows_[at(k)]];
  R_.topLeftCorner(q, q).triangularView<Eigen::Upper>().transpose().solveInPlace(s);
  x.noalias() -= Q_.leftCols(q) * s;
}

/// y = sign (e_row - r): its combination of the normals is 0, and r is refined until it is to the last digits.
void DualActiveSet::prove(Index row, const Eigen::VectorXd& r, double sign) {
  const Index n = N_.rows(), q = num_active();
  Eigen::VectorXd refined = r, left(n);
  for (int k = 0; k < 3; ++k) {
    for (Index i = 0; i < n; ++i) {
      long double sum = N_(i, row);
      for (Index j = 0; j < q; ++j) sum -= static_cast<long double>(N_(i, rows_[at(j)])) * refined[j];
      left[i] = static_cast<double>(sum);
    }
    refined += solve(Q_.transpose() * left);
  }
  proof_.setZero(N_.cols());
  proof_[row] = sign;
  for (Index j = 0; j < q; ++j) {
    double entry = -sign * refined[j];
    // Rounding of a zero, on a row whose sign is given.
    if (rows_[at(j)] >= first_inequality_ && entry < 0.0) entry = 0.0;
    proof_[rows_[at(j)]] = entry;
  }
}

Index DualActiveSet::most_violated(ConstVectorRef x, double size, double& violation) const {
  Index worst = -1;
  violation = 0.0;
  for (Index i = first_inequality_; i < N_.cols(); ++i) {
    if (active_[at(i)]) continue;
    const double s = N_.col(i).dot(x) - b_[i];
    // x is y less steps of no more than this size: what rounding leaves in a row.
    if (s > 16.0 * eps * (std::abs(b_[i]) + size) && s > violation) {
      violation = s;
      worst = i;
    }
  }
  return worst;
}

Status DualActiveSet::project(ConstVectorRef y, VectorRef x) {
  const Index n = N_.rows(), most = 50 * (n + N_.cols()) + 100;
  if (!y.allFinite()) return Status::NumericalFailure;
  x = y;
  correct(x);
  const double growth = 1.0 + std::sqrt(static_cast<double>(n)) / 8.0;
  double size = y.norm() * growth;
  for (steps_ = 0;;) {
    size = std::max(size, x.norm() * growth);  // y may be 0, or small beside where the rows lead
    double violation = 0.0;
    const Index row = most_violated(x, size, violation);
    if (row < 0) break;
    double u_row = 0.0;
    for (bool entered = false; !entered;) {
      if (++steps_ > most) return Status::NumericalFailure;
      const Eigen::VectorXd d = Q_.transpose() * N_.col(row);
      const Eigen::VectorXd r = solve(d);
      const Index q = num_active();
      const bool dependent = depends(d);
      double t_1 = infinity;
      Index leaves = -1;
      for (Index k = equalities_; k < q; ++k) {
        if (r[k] > 8.0 * eps && u_[at(k)] < t_1 * r[k]) {
          t_1 = u_[at(k)] / r[k];
          leaves = k;
        }
      }
      const double square = dependent ? 0.0 : d.tail(n - q).squaredNorm();
      const double t_2 = dependent ? infinity : std::max(0.0, N_.col(row).dot(x) - b_[row]) / square;
      if (dependent && leaves < 0) {
        prove(row, r, 1.0);
        return Status::Infeasible;
      }
      const double t = std::min(t_1, t_2);
      for (Index k = 0; k < q; ++k) u_[at(k)] -= t * r[k];
      u_row += t;
      if (!dependent) x.noalias() -= t * (Q_.rightCols(n - q) * d.tail(n - q));
      if (t_2 <= t_1) {
        add(row, d);
        u_.back() = u_row;
        entered = true;
      } else {
        drop(leaves);
      }
    }
  }
  correct(x);  // what the steps have left in the active rows
  return Status::Solved;
}

void DualActiveSet::jacobian(MatrixRef D) const {
  const Index q = num_active();
  D.setIdentity();
  D.noalias() -= Q_.leftCols(q) * Q_.leftCols(q).transpose();
}

}  // namespace nonsmooth::vi::detail
