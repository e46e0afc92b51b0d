// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/loads/follower_force.hpp>

#include <internal/check.hpp>

#include "model/bodies/rotation.hpp"

namespace nonsmooth {
namespace {

class FollowerForceLoad final : public BodyLoad {
 public:
  explicit FollowerForceLoad(const FollowerForce& load) : load_(load) {}

  void validate(const std::string& load) const override {
    check::finite(load + ": FollowerForce::point", ConstVectorRef(load_.point));
    check::finite(load + ": FollowerForce::force", ConstVectorRef(load_.force));
    check::finite(load + ": FollowerForce::moment", ConstVectorRef(load_.moment));
  }
  void add(const Motion& at, Force& F) const override {
    F.head<3>().noalias() += at.R * load_.force;
    F.tail<3>() += load_.moment + rotation::cross(load_.point, load_.force);
  }
  /// d(R f) = -R [f]x turn.
  void add_dq(const Motion& at, Jacobian& J) const override {
    J.topRightCorner<3, 3>().noalias() -= at.R * rotation::skew(load_.force);
  }
  void add_dv(const Motion&, Jacobian&) const override {}

 private:
  FollowerForce load_;
};

}  // namespace

std::shared_ptr<const BodyLoad> make_load(FollowerForce load) {
  return std::make_shared<const FollowerForceLoad>(load);
}

}  // namespace nonsmooth
