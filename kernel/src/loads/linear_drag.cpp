// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/loads/linear_drag.hpp>

#include <limits>

#include <internal/check.hpp>

namespace nonsmooth {
namespace {

class LinearDragLoad final : public BodyLoad {
 public:
  explicit LinearDragLoad(LinearDrag drag) : drag_(drag) {}

  void validate(const std::string& load) const override {
    check::range(load + ": LinearDrag::translation", drag_.translation, 0.0, std::numeric_limits<double>::max());
    check::range(load + ": LinearDrag::rotation", drag_.rotation, 0.0, std::numeric_limits<double>::max());
  }
  void add(const Motion& at, Force& F) const override {
    F.head<3>() -= drag_.translation * at.v.head<3>();
    F.tail<3>() -= drag_.rotation * at.v.tail<3>();
  }
  void add_dq(const Motion&, Jacobian&) const override {}
  void add_dv(const Motion&, Jacobian& J) const override {
    J.diagonal().head<3>().array() -= drag_.translation;
    J.diagonal().tail<3>().array() -= drag_.rotation;
  }
  [[nodiscard]] const LinearDrag* drag() const override { return &drag_; }

 private:
  LinearDrag drag_;
};

}  // namespace

std::shared_ptr<const BodyLoad> make_load(LinearDrag load) { return std::make_shared<const LinearDragLoad>(load); }

}  // namespace nonsmooth
