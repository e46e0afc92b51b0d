// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <nonsmooth/kernel/filippov.hpp>

#include "model/switched/filippov.hpp"

namespace nonsmooth::events {

/// Where x meets several surfaces of a FilippovSystem at one instant t, a motion that starts in a direction v beside it
/// meets them one after another, in an order that depends on v, with fields between them that the motion itself never
/// has. To first order it is the motion of what the system is there: fields f_i that are constant and surfaces that are
/// planes,
///
///     xi' in F(s, xi) of  f_i = f_i(t, x),  c_j = grad c_j . xi + (c_j)_t s,   xi = v + f_- s for s -> -infinity,
///     dx+ = S(v) = xi - f_+ s for s -> infinity,
///
/// f_- and f_+ the rates before and behind the instant. S(a v) = a S(v) for a > 0, and no more than that; of one
/// surface it is the saltation matrix. Found by EventDriven, which goes through crossings, sliding and entry; NaN where
/// several motions go on there, or one that does not come to the mode behind the instant. Source: Dieci & Lopez 2011
/// [dieci2011] for one surface.
class MeetingMap {
 public:
  /// The instant, with signs of all surfaces and x' before and behind it.
  struct Side {
    std::vector<signed char> signs{};
    Eigen::VectorXd rate{};
  };
  MeetingMap(const FilippovFields& fields, double t, const Eigen::VectorXd& x, Side before, Side behind);

  [[nodiscard]] Eigen::VectorXd operator()(ConstVectorRef direction) const;

 private:
  [[nodiscard]] FilippovSystem local(const Eigen::VectorXd& start, double from) const;
  /// Of the surface k that meets, at (s, xi).
  [[nodiscard]] double surface(Index k, double s, const Eigen::VectorXd& xi) const {
    return gradients_.row(k).dot(xi) + by_time_[k] * s;
  }

  Side before_, behind_;
  std::vector<Index> met_;  ///< surfaces that x is on
  FilippovMeaning meaning_;
  Eigen::MatrixXd gradients_;  ///< by row, of length 1
  Eigen::VectorXd by_time_;    ///< of these, in the unit of time
  Eigen::MatrixXd fields_;     ///< by pattern of the surfaces that meet, over the fastest
  double fastest_ = 0.0;
};

}  // namespace nonsmooth::events
