// SPDX-License-Identifier: Apache-2.0
#include "turning_chain.hpp"

#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include <Eigen/Geometry>

namespace nonsmooth::problems {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

Matrix3d turn_at(ConstVectorRef q, Index i) {
  return Eigen::Quaterniond(q[4 * i], q[4 * i + 1], q[4 * i + 2], q[4 * i + 3]).toRotationMatrix();
}

Matrix3d skew(const Vector3d& a) { return Matrix3d{{0.0, -a[2], a[1]}, {a[2], 0.0, -a[0]}, {-a[1], a[0], 0.0}}; }

/// A - A^T = [axial(A)]x; axial([w]x A) = (tr(A) I - A) w.
Vector3d axial(const Matrix3d& A) { return {A(2, 1) - A(1, 2), A(0, 2) - A(2, 0), A(1, 0) - A(0, 1)}; }

void add(SparseEntries& entries, Index row_body, Index column_body, const Matrix3d& block) {
  for (Index r = 0; r < 3; ++r) {
    for (Index c = 0; c < 3; ++c) entries.add(3 * row_body + r, 3 * column_body + c, block(r, c));
  }
}

}  // namespace

TurningChain::TurningChain(double stiffness, const Matrix3d& inertia, Eigen::Matrix4Xd orientations,
                           Eigen::Matrix3Xd spins)
    : stiffness_(stiffness), inertia_(inertia), orientations_(std::move(orientations)), spins_(std::move(spins)) {
  std::vector<std::vector<Index>> ties;
  for (Index i = 0; i + 1 < count(); ++i) {
    ties.emplace_back();
    for (Index k = 0; k < 6; ++k) ties.back().push_back(3 * i + k);
  }
  pattern_ = SparsePattern::of_elements(3 * count(), ties);
}

double TurningChain::frequency(Index mode) const {
  return 2.0 * std::sqrt(2.0 * stiffness_ / inertia_(2, 2)) *
         std::sin(static_cast<double>(mode) * std::numbers::pi / (2.0 * static_cast<double>(count())));
}

Vector3d TurningChain::momentum(ConstVectorRef q, ConstVectorRef v) const {
  Vector3d sum = Vector3d::Zero();
  for (Index i = 0; i < count(); ++i) sum += turn_at(q, i) * (inertia_ * v.segment<3>(3 * i));
  return sum;
}

double TurningChain::energy(ConstVectorRef q, ConstVectorRef v) const {
  double sum = potential(q);
  for (Index i = 0; i < count(); ++i) sum += 0.5 * v.segment<3>(3 * i).dot(inertia_ * v.segment<3>(3 * i));
  return sum;
}

Eigen::VectorXd TurningChain::initial_position() const { return orientations_.reshaped(); }

Eigen::VectorXd TurningChain::initial_velocity() const { return spins_.reshaped(); }

void TurningChain::mass_entries(ConstVectorRef, SparseEntries& M) const {
  for (Index i = 0; i < count(); ++i) add(M, i, i, inertia_);
}

void TurningChain::force(double, ConstVectorRef q, ConstVectorRef v, VectorRef F) const {
  Matrix3d here = turn_at(q, 0);
  for (Index i = 0; i < count(); ++i) {
    const Vector3d spin = v.segment<3>(3 * i);
    F.segment<3>(3 * i) += (inertia_ * spin).cross(spin);
    if (i + 1 == count()) break;
    const Matrix3d next = turn_at(q, i + 1), A = here.transpose() * next;
    F.segment<3>(3 * i) += stiffness_ * axial(A);
    F.segment<3>(3 * i + 3) -= stiffness_ * axial(A);  // -axial(A) = axial(A^T), in the axes of the next: A^T a = a
    here = next;
  }
}

void TurningChain::force_dq_entries(double, ConstVectorRef q, ConstVectorRef, SparseEntries& J) const {
  for (Index i = 0; i + 1 < count(); ++i) {
    const Matrix3d A = turn_at(q, i).transpose() * turn_at(q, i + 1);
    const Matrix3d own = stiffness_ * (A.trace() * Matrix3d::Identity() - A);  // of A exp(w) and exp(-w) A
    add(J, i, i, -own);
    add(J, i, i + 1, own.transpose());
    add(J, i + 1, i, own);
    add(J, i + 1, i + 1, -own.transpose());
  }
}

void TurningChain::force_dv_entries(double, ConstVectorRef, ConstVectorRef v, SparseEntries& J) const {
  for (Index i = 0; i < count(); ++i) {
    const Vector3d spin = v.segment<3>(3 * i);
    add(J, i, i, skew(inertia_ * spin) - skew(spin) * inertia_);
  }
}

void TurningChain::retract(VectorRef q, ConstVectorRef w) const {
  for (Index i = 0; i < count(); ++i) {
    const Vector3d way = w.segment<3>(3 * i);
    const double angle = way.norm();
    const Eigen::Quaterniond turn(Eigen::AngleAxisd(angle, angle > 0.0 ? Vector3d(way / angle) : Vector3d::UnitX()));
    const Eigen::Quaterniond moved =
        (Eigen::Quaterniond(q[4 * i], q[4 * i + 1], q[4 * i + 2], q[4 * i + 3]) * turn).normalized();
    q.segment<4>(4 * i) << moved.w(), moved.x(), moved.y(), moved.z();
  }
}

double TurningChain::potential(ConstVectorRef q) const {
  double sum = 0.0;
  for (Index i = 0; i + 1 < count(); ++i)
    sum += 0.5 * stiffness_ * (turn_at(q, i) - turn_at(q, i + 1)).squaredNorm();  // 3 - tr(R_i^T R_{i+1})
  return sum;
}

TurningChain twisted_chain(double stiffness, const Matrix3d& inertia, const Eigen::VectorXd& angles,
                           const Eigen::Vector4d& frame) {
  const Eigen::Quaterniond all(frame[0], frame[1], frame[2], frame[3]);
  Eigen::Matrix4Xd orientations(4, angles.size());
  for (Index i = 0; i < angles.size(); ++i) {
    const Eigen::Quaterniond Q = all * Eigen::AngleAxisd(angles[i], Vector3d::UnitZ());
    orientations.col(i) << Q.w(), Q.x(), Q.y(), Q.z();
  }
  return {stiffness, inertia, std::move(orientations), Eigen::Matrix3Xd::Zero(3, angles.size())};
}

}  // namespace nonsmooth::problems
