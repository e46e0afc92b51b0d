// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/relations/lagrangian.hpp>

#include <limits>
#include <utility>

#include <internal/check.hpp>
#include <internal/decompositions.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "differences.hpp"
#include "manifold_relation.hpp"
#include "model/describe.hpp"

namespace nonsmooth {
namespace {

/// y = H q + b + D lambda.
class LinearMechanicalRelation final : public MechanicalRelation {
 public:
  explicit LinearMechanicalRelation(LagrangianLinearRelation description) : description_(std::move(description)) {
    describe::make_dense(description_.H);
    describe::make_dense(description_.compliance);
    if (description_.b.size() == 0) description_.b = Eigen::VectorXd::Zero(rows());
  }

  [[nodiscard]] Index rows() const override { return description_.H.rows(); }
  void validate(Index n) const override;
  void h(double, ConstVectorRef q, VectorRef y) const override {
    y.noalias() = description_.b.value() + jacobian_matrix() * q;
  }
  void H(double, ConstVectorRef, MatrixRef jacobian) const override { jacobian = jacobian_matrix(); }
  void curvature(double, ConstVectorRef, ConstVectorRef, VectorRef value) const override { value.setZero(); }
  void compliant_h(double t, ConstVectorRef q, ConstVectorRef lambda, VectorRef y) const override {
    h(t, q, y);
    if (is_compliant()) y.noalias() += *description_.compliance.dense() * lambda;
  }
  void compliance(double, ConstVectorRef, ConstVectorRef, MatrixRef D) const override {
    if (is_compliant()) D = *description_.compliance.dense();
  }
  [[nodiscard]] bool is_compliant() const override { return !description_.compliance.empty(); }
  [[nodiscard]] bool depends_on_time() const override { return false; }
  [[nodiscard]] const Eigen::MatrixXd* constant_jacobian() const override { return description_.H.dense(); }
  [[nodiscard]] const LagrangianLinearRelation* linear() const override { return &description_; }

 private:
  [[nodiscard]] const Eigen::MatrixXd& jacobian_matrix() const { return *description_.H.dense(); }

  LagrangianLinearRelation description_;
};

void LinearMechanicalRelation::validate(Index n) const {
  describe::check_constant("LagrangianLinearRelation::H", description_.H, -1, n);
  check::size("LagrangianLinearRelation::b", description_.b.size(), rows(), "one a row of H");
  check::finite("LagrangianLinearRelation::b", ConstVectorRef(description_.b.value()));
  if (!is_compliant()) return;
  describe::check_constant("LagrangianLinearRelation::compliance", description_.compliance, rows(), rows());
  const Eigen::MatrixXd& D = *description_.compliance.dense();
  Eigen::MatrixXd shifted = 0.5 * (D + D.transpose());
  shifted.diagonal().array() += 1e-12 * D.cwiseAbs().maxCoeff() + std::numeric_limits<double>::min();
  if (D.diagonal().minCoeff() < 0.0 || !is_positive_definite(shifted)) {
    throw InvalidArgument("LagrangianLinearRelation::compliance", "a matrix that is not positive semidefinite",
                          "a positive semidefinite matrix: springs give way to forces");
  }
}

class CallableScleronomous final : public MechanicalRelation {
 public:
  explicit CallableScleronomous(ScleronomousRelation description) : description_(std::move(description)) {}

  [[nodiscard]] Index rows() const override { return description_.rows; }
  [[nodiscard]] double smallest_feature() const override { return description_.smallest_feature; }
  void validate(Index) const override {
    check::within("ScleronomousRelation::rows", description_.rows, 1, check::most_dense_rows);
    if (!description_.h) throw InvalidArgument("ScleronomousRelation::h", "no function", "the gap function h(q)");
    check::range("ScleronomousRelation::smallest_feature", description_.smallest_feature, 0.0,
                 std::numeric_limits<double>::max());
  }
  [[nodiscard]] bool depends_on_time() const override { return false; }
  void h(double, ConstVectorRef q, VectorRef y) const override { description_.h(q, y); }
  void H(double t, ConstVectorRef q, MatrixRef jacobian) const override {
    if (description_.H) {
      description_.H(q, jacobian);
    } else {
      MechanicalRelation::H(t, q, jacobian);
    }
  }
  void curvature(double t, ConstVectorRef q, ConstVectorRef v, VectorRef value) const override {
    if (description_.curvature) {
      description_.curvature(q, v, value);
    } else if (description_.H) {
      along_velocity(q, v, value);
    } else {
      MechanicalRelation::curvature(t, q, v, value);
    }
  }

 private:
  /// (H(q + s v) - H(q - s v)) v / (2 s), with a step that balances its error s^2 against rounding eps / s.
  void along_velocity(ConstVectorRef q, ConstVectorRef v, VectorRef value) const;

  ScleronomousRelation description_;
};

class CallableRheonomous final : public MechanicalRelation {
 public:
  explicit CallableRheonomous(RheonomousRelation description) : description_(std::move(description)) {}

  [[nodiscard]] Index rows() const override { return description_.rows; }
  [[nodiscard]] double smallest_feature() const override { return description_.smallest_feature; }
  void validate(Index) const override {
    check::within("RheonomousRelation::rows", description_.rows, 1, check::most_dense_rows);
    if (!description_.h) throw InvalidArgument("RheonomousRelation::h", "no function", "the gap function h(t, q)");
    check::range("RheonomousRelation::smallest_feature", description_.smallest_feature, 0.0,
                 std::numeric_limits<double>::max());
  }
  void h(double t, ConstVectorRef q, VectorRef y) const override { description_.h(t, q, y); }
  void H(double t, ConstVectorRef q, MatrixRef jacobian) const override {
    if (description_.H) {
      description_.H(t, q, jacobian);
    } else {
      MechanicalRelation::H(t, q, jacobian);
    }
  }
  void h_t(double t, ConstVectorRef q, VectorRef value) const override;
  void curvature(double t, ConstVectorRef q, ConstVectorRef v, VectorRef value) const override;

 private:
  RheonomousRelation description_;
};

class CallableCompliant final : public MechanicalRelation {
 public:
  explicit CallableCompliant(CompliantRelation description) : description_(std::move(description)) {}

  [[nodiscard]] Index rows() const override { return description_.rows; }
  void validate(Index) const override {
    check::within("CompliantRelation::rows", description_.rows, 1, check::most_dense_rows);
    if (!description_.h) throw InvalidArgument("CompliantRelation::h", "no function", "the gap function h(q, lambda)");
  }
  void h(double, ConstVectorRef q, VectorRef y) const override {
    description_.h(q, Eigen::VectorXd::Zero(description_.rows), y);
  }
  void compliant_h(double, ConstVectorRef q, ConstVectorRef lambda, VectorRef y) const override {
    description_.h(q, lambda, y);
  }
  void compliant_H(double t, ConstVectorRef q, ConstVectorRef lambda, MatrixRef jacobian) const override;
  void compliance(double t, ConstVectorRef q, ConstVectorRef lambda, MatrixRef D) const override {
    if (description_.D) {
      description_.D(q, lambda, D);
    } else {
      MechanicalRelation::compliance(t, q, lambda, D);
    }
  }
  [[nodiscard]] bool is_compliant() const override { return true; }

 private:
  CompliantRelation description_;
};

void CallableScleronomous::along_velocity(ConstVectorRef q, ConstVectorRef v, VectorRef value) const {
  require_plain_moves("ScleronomousRelation::curvature", q, v.size());
  const double speed = v.lpNorm<Eigen::Infinity>();
  value.setZero();
  if (speed == 0.0) return;
  const Index m = description_.rows, n = v.size();
  const double s = std::cbrt(std::numeric_limits<double>::epsilon()) * (1.0 + q.lpNorm<Eigen::Infinity>()) / speed;
  differences::Scratch scratch(m * n + n);
  auto at = scratch.vector(n), entries = scratch.vector(m * n);
  Eigen::Map<Eigen::MatrixXd> jacobian(entries.data(), m, n);
  for (const double side : {1.0, -1.0}) {
    at = q + side * s * v;
    jacobian.setZero();
    description_.H(at, jacobian);
    value.noalias() += (side / (2.0 * s)) * jacobian.lazyProduct(v);
  }
}

void CallableRheonomous::h_t(double t, ConstVectorRef q, VectorRef value) const {
  if (description_.h_t) {
    description_.h_t(t, q, value);
    return;
  }
  // Centred: h is smooth in time to both sides, and the error of the velocity goes into the motion.
  const double s = std::cbrt(std::numeric_limits<double>::epsilon()) * std::max(1.0, std::abs(t));
  differences::Scratch scratch(2 * rows());
  auto before = scratch.vector(rows()), after = scratch.vector(rows());
  before.setZero();
  after.setZero();
  description_.h(t - s, q, before);
  description_.h(t + s, q, after);
  value = (after - before) / (2.0 * s);
}

void CallableRheonomous::curvature(double t, ConstVectorRef q, ConstVectorRef v, VectorRef value) const {
  if (!description_.H || !description_.h_t) {
    MechanicalRelation::curvature(t, q, v, value);
    return;
  }
  require_plain_moves("RheonomousRelation::curvature", q, v.size());
  // Centred difference of the velocity H v + h_t along the motion: rounding is divided by s, not by s^2.
  const double speed = std::max(1.0, v.lpNorm<Eigen::Infinity>());
  const double s = std::cbrt(std::numeric_limits<double>::epsilon()) * (1.0 + q.lpNorm<Eigen::Infinity>()) / speed;
  const Index m = description_.rows, n = v.size();
  differences::Scratch scratch(m * n + n + m);
  auto at = scratch.vector(n), entries = scratch.vector(m * n), drift = scratch.vector(m);
  Eigen::Map<Eigen::MatrixXd> jacobian(entries.data(), m, n);
  value.setZero();
  for (const double side : {1.0, -1.0}) {
    at = q + side * s * v;
    jacobian.setZero();
    drift.setZero();
    description_.H(t + side * s, at, jacobian);
    description_.h_t(t + side * s, at, drift);
    value.noalias() += (side / (2.0 * s)) * (jacobian.lazyProduct(v) + drift);
  }
}

void CallableCompliant::compliant_H(double, ConstVectorRef q, ConstVectorRef lambda, MatrixRef jacobian) const {
  if (description_.H) {
    description_.H(q, lambda, jacobian);
  } else {
    require_plain_moves("CompliantRelation::H", q, jacobian.cols());
    differences::jacobian(q, jacobian, [&](ConstVectorRef at, VectorRef y) { description_.h(at, lambda, y); });
  }
}

}  // namespace

std::shared_ptr<const MechanicalRelation> make_relation(LagrangianLinearRelation relation) {
  return std::make_shared<const LinearMechanicalRelation>(std::move(relation));
}
std::shared_ptr<const MechanicalRelation> make_relation(ScleronomousRelation relation) {
  return std::make_shared<const CallableScleronomous>(std::move(relation));
}
std::shared_ptr<const MechanicalRelation> make_relation(RheonomousRelation relation) {
  return std::make_shared<const CallableRheonomous>(std::move(relation));
}
std::shared_ptr<const MechanicalRelation> make_relation(CompliantRelation relation) {
  return std::make_shared<const CallableCompliant>(std::move(relation));
}

}  // namespace nonsmooth
