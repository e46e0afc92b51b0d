// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/vi/moving_set.hpp>

#include <utility>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth::vi {

MovingSet::MovingSet(const ConvexSet& K) : MovingSet(K.size(), [K](ConstVectorRef) { return K; }) {}

MovingSet::MovingSet(const Translated& set)
    : MovingSet(set.K.size(), [set](ConstVectorRef x) -> ConvexSet {
        Eigen::VectorXd by(x.size());
        if (const std::optional<NotFinite> found = evaluate(set.m, x, by))
          throw InvalidArgument("vi::Translated::m", found->message(set.m), "finite numbers");
        return Shifted{set.K, by};
      }) {
  set.m.validate();
  check::size("vi::Translated::m: num_unknowns", set.m.num_unknowns, set.K.size(), "one a row of K");
  check::size("vi::Translated::m: num_values", set.m.num_values, set.K.size(), "one a row of K");
}

MovingSet::MovingSet(const UserMovingSet& set)
    : MovingSet(set.size, [set](ConstVectorRef x) -> ConvexSet {
        const Eigen::VectorXd at = x;
        return UserSet{.size = set.size,
                       .project = [set, at](ConstVectorRef y, VectorRef z) { set.project(at, y, z); },
                       .accuracy = set.accuracy};
      }) {
  if (!set.project) throw InvalidArgument("vi::UserMovingSet::project", "no callable", "one");
  if (!(set.accuracy > 0.0 && set.accuracy <= 1e-2))
    throw InvalidArgument("vi::UserMovingSet::accuracy", check::text(set.accuracy), "a number in (0, 0.01]");
}

MovingSet::MovingSet(Index size, std::function<ConvexSet(ConstVectorRef x)> at) : size_(size), at_(std::move(at)) {
  check::at_least("vi::MovingSet: size", size_, 1);
  if (!at_) throw InvalidArgument("vi::MovingSet: at", "no callable", "one");
}

ConvexSet MovingSet::at(ConstVectorRef x) const {
  check::size("vi::MovingSet::at: x", x.size(), size_, "one a row of the set");
  check::finite("vi::MovingSet::at: x", x);
  ConvexSet K = at_ ? at_(x) : ConvexSet();
  check::size("vi::MovingSet::at: K(x)", K.size(), size_, "rows");
  return K;
}

}  // namespace nonsmooth::vi
