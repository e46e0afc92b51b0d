// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <nonsmooth/kernel/dynamical_system.hpp>
#include <nonsmooth/kernel/relation.hpp>
#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth {

/// What the default derivatives of MechanicalRelation throw where q + w is no move along a manifold: where positions
/// and velocities are of different numbers, and while a RefusingDefaults lives in the thread.
class NeedsRetract : public InvalidArgument {
 public:
  NeedsRetract(const std::string& function, Index nq, Index nv)
      : InvalidArgument(function,
                        "none, with " + std::to_string(nq) + " coordinates and " + std::to_string(nv) + " velocities",
                        "a function of its own: differences along q + w are for as many of both") {}
};

/// Differences along q + w: not where a move of the configuration is another one, and for as many of both only.
void require_plain_moves(const char* function, ConstVectorRef q, Index velocities);

/// While it lives, the defaults throw: tells which derivatives a relation gives.
class RefusingDefaults {
 public:
  RefusingDefaults();
  ~RefusingDefaults();
  RefusingDefaults(const RefusingDefaults&) = delete;
  RefusingDefaults& operator=(const RefusingDefaults&) = delete;

 private:
  bool before_;
};

/// A relation of systems that may have a retract of their own: what the relation leaves to differences is taken along
/// it,
///
///     H e_j = (h(retract(q, s e_j)) - h(q)) / s,      (d/dt H) v = d^2/ds^2 h(t + s, retract(q, s v)) at s = 0,
///
/// the second exact to its differences where retract follows a constant v.
class ManifoldRelation final : public MechanicalRelation {
 public:
  /// A linked system.
  struct Part {
    std::shared_ptr<const MechanicalSystem> system;
    Index nq = 0, n = 0;
  };
  /// Asks the relation once, at positions q, which derivatives it gives.
  ManifoldRelation(std::shared_ptr<const MechanicalRelation> relation, std::vector<Part> parts, ConstVectorRef q);

  [[nodiscard]] const MechanicalRelation& relation() const { return *relation_; }  ///< as it was linked
  [[nodiscard]] Index rows() const override { return relation_->rows(); }
  [[nodiscard]] bool is_gradient(Index row) const override { return relation_->is_gradient(row); }
  [[nodiscard]] double passage_depth() const override { return relation_->passage_depth(); }
  [[nodiscard]] double steepness(Index systems) const override { return relation_->steepness(systems); }
  void h(double t, ConstVectorRef q, VectorRef y) const override { relation_->h(t, q, y); }
  void H(double t, ConstVectorRef q, MatrixRef jacobian) const override;
  void h_t(double t, ConstVectorRef q, VectorRef value) const override { relation_->h_t(t, q, value); }
  void curvature(double t, ConstVectorRef q, ConstVectorRef v, VectorRef value) const override;
  void compliant_h(double t, ConstVectorRef q, ConstVectorRef lambda, VectorRef y) const override {
    relation_->compliant_h(t, q, lambda, y);
  }
  void compliance(double t, ConstVectorRef q, ConstVectorRef lambda, MatrixRef D) const override {
    relation_->compliance(t, q, lambda, D);
  }
  void compliant_H(double t, ConstVectorRef q, ConstVectorRef lambda, MatrixRef jacobian) const override;
  [[nodiscard]] bool is_compliant() const override { return relation_->is_compliant(); }
  [[nodiscard]] bool follows_outputs() const override { return relation_->follows_outputs(); }
  [[nodiscard]] double follows_within() const override { return relation_->follows_within(); }
  [[nodiscard]] bool depends_on_time() const override { return relation_->depends_on_time(); }
  [[nodiscard]] bool is_joint() const override { return relation_->is_joint(); }
  [[nodiscard]] double smallest_feature() const override { return relation_->smallest_feature(); }

 private:
  void retract(VectorRef q, ConstVectorRef w) const;
  template <class Value>
  void differences_along(ConstVectorRef q, MatrixRef jacobian, Value&& value) const;

  std::shared_ptr<const MechanicalRelation> relation_;
  std::vector<Part> parts_;
  bool gives_H_ = false, gives_compliant_H_ = false, gives_curvature_ = false;
};

}  // namespace nonsmooth
