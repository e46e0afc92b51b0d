// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/loads/given_load.hpp>

#include <utility>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "model/bodies/body_motion.hpp"
#include "model/equations/differences.hpp"
#include "model/guarded.hpp"

namespace nonsmooth {
namespace {

/// The load of a GivenLoad in its own axes.
BodyLoad::Force given(const GivenLoad& load, double t, const BodyLoad::Position& q, const BodyLoad::Velocity& v) {
  BodyLoad::Force value = BodyLoad::Force::Zero();
  call_part("load(t, q, v)", [&] { load.load(t, q, v, value); });
  return value;
}

/// Its force in space and its moment about the centre of mass, in body axes.
BodyLoad::Force in_axes(const GivenLoad& load, const Eigen::Matrix3d& R, const BodyLoad::Velocity& value) {
  const bool turns = load.force_axes == LoadAxes::Body;
  const Eigen::Vector3d first = value.head<3>(), second = value.tail<3>();
  const Eigen::Vector3d of_body = turns ? first : Eigen::Vector3d(R.transpose() * first);
  BodyLoad::Force F;
  F.head<3>() = turns ? Eigen::Vector3d(R * first) : first;
  F.tail<3>() = (load.moment_axes == LoadAxes::Body ? second : Eigen::Vector3d(R.transpose() * second)) +
                rotation::cross(load.point, of_body);
  return F;
}

/// The same of each column.
void add_in_axes(const GivenLoad& load, const Eigen::Matrix3d& R, const BodyLoad::Jacobian& columns,
                 BodyLoad::Jacobian& J) {
  for (Index j = 0; j < 6; ++j) J.col(j) += in_axes(load, R, columns.col(j));
}

void given_dq(const GivenLoad& load, const BodyLoad::Motion& at, const BodyLoad::Velocity& value,
              BodyLoad::Jacobian& columns) {
  if (load.load_dq) {
    call_part("load_dq(t, q, v)", [&] { load.load_dq(at.t, at.q, at.v, columns); });
    return;
  }
  for (Index j = 0; j < 6; ++j) {
    BodyLoad::Velocity w = BodyLoad::Velocity::Zero();
    w[j] = j < 3 ? differences::step_at(at.q[j]) : differences::kStep;
    BodyLoad::Position moved = at.q;
    body_motion::retract(moved, w);
    columns.col(j) = (given(load, at.t, moved, at.v) - value) / w[j];
  }
}

void given_dv(const GivenLoad& load, const BodyLoad::Motion& at, BodyLoad::Jacobian& columns) {
  if (load.load_dv) {
    call_part("load_dv(t, q, v)", [&] { load.load_dv(at.t, at.q, at.v, columns); });
    return;
  }
  const BodyLoad::Force value = given(load, at.t, at.q, at.v);
  for (Index j = 0; j < 6; ++j) {
    BodyLoad::Velocity moved = at.v;
    const double step = differences::step_at(at.v[j]);
    moved[j] += step;
    columns.col(j) = (given(load, at.t, at.q, moved) - value) / step;
  }
}

class GivenBodyLoad final : public BodyLoad {
 public:
  explicit GivenBodyLoad(GivenLoad load) : load_(std::move(load)) {}

  void validate(const std::string& load) const override {
    if (!load_.load) throw InvalidArgument(load + ": GivenLoad::load", "no function", "one of (t, q, v)");
    check::finite(load + ": GivenLoad::point", ConstVectorRef(load_.point));
  }
  void add(const Motion& at, Force& F) const override { F += in_axes(load_, at.R, given(load_, at.t, at.q, at.v)); }
  /// d(R a) = -R [a]x turn, d(R^T a) = [R^T a]x turn.
  void add_dq(const Motion& at, Jacobian& J) const override {
    const Force value = given(load_, at.t, at.q, at.v);
    Jacobian columns = Jacobian::Zero();
    given_dq(load_, at, value, columns);
    add_in_axes(load_, at.R, columns, J);
    if (load_.force_axes == LoadAxes::Body) {
      J.topRightCorner<3, 3>().noalias() -= at.R * rotation::skew(value.head<3>());
    } else {
      J.bottomRightCorner<3, 3>().noalias() +=
          rotation::skew(load_.point) * rotation::skew(at.R.transpose() * value.head<3>());
    }
    if (load_.moment_axes == LoadAxes::Inertial)
      J.bottomRightCorner<3, 3>() += rotation::skew(at.R.transpose() * value.tail<3>());
  }
  void add_dv(const Motion& at, Jacobian& J) const override {
    Jacobian columns = Jacobian::Zero();
    given_dv(load_, at, columns);
    add_in_axes(load_, at.R, columns, J);
  }
  [[nodiscard]] double potential(const Position& q) const override {
    double value = 0.0;
    if (load_.potential) call_part("potential(q)", [&] { value = load_.potential(q); });
    return value;
  }

 private:
  GivenLoad load_;
};

}  // namespace

std::shared_ptr<const BodyLoad> make_load(GivenLoad load) {
  return std::make_shared<const GivenBodyLoad>(std::move(load));
}

}  // namespace nonsmooth
