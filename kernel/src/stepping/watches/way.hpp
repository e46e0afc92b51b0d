// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <exception>
#include <new>
#include <optional>
#include <span>
#include <string>

#include "analysis/run_remarks.hpp"
#include "run_watch.hpp"

namespace nonsmooth::stages {

/// The translations of a body stand before its turns: 2 of 3 velocities, 3 of 6.
[[nodiscard]] inline Index translations(Index columns) { return std::min<Index>((columns + 1) / 2, 3); }

/// Some bodies on the straight way from the start of a step to its end, in the scratch of a watch.
class Way {
 public:
  static constexpr int kMostPlaces = 1000;       ///< on the way of one step: what grazes or spins may take more
  static constexpr double kLeastAdvance = 1e-6;  ///< of the way, from place to place
  static constexpr double kLargestTurn = 0.2;  ///< between two places, over which gaps go on along their tangents [rad]
  static constexpr double kTouching = 1e-9;    ///< of the terms of a gap

  /// `bodies`: by their numbers in the layout, as long as this lives.
  Way(const TakenStep& step, SystemCaches& systems, std::span<const Index> bodies, RunWatch::Passages& watch)
      : step_(step), systems_(systems), bodies_(bodies), path_(watch.path), back_(watch.back) {
    path_.t = step.report.t;
    for (const Index body : bodies) {
      const Layout::System& place = step.discretisation.system(body);
      const double weight = step.discretisation.scheme(body).position;
      path_.unknowns.segment(place.z, place.n) = weight * step.state.unknowns.segment(place.z, place.n) +
                                                 (1.0 - weight) * step.solution.z.segment(place.z, place.n);
      if (place.n > translations(place.n)) fastest_turn_ = std::max(fastest_turn_, turn_of(place));
    }
  }

  /// Where they are at s in [0, 1] of the way, with the velocities that they go it with.
  const State& at(double s) {
    for (const Index body : bodies_) {
      const Layout::System& place = step_.discretisation.system(body);
      auto q = path_.positions.segment(place.q, place.nq);
      q = step_.state.positions.segment(place.q, place.nq);
      if (s == 1.0) continue;
      const SystemCaches::Place& own = systems_.at(body);
      auto back = back_.segment(place.z, place.n);
      back = (s - 1.0) * step_.discretisation.h * path_.unknowns.segment(place.z, place.n);
      own.batch->retract(place, own.place, back, q);
    }
    return path_;
  }
  /// Conservative advancement: free_from(s) is how much of the way from s on cannot bring a contact, or nothing where
  /// no more need be known. What is left where there were kMostPlaces: 0 but for then.
  /// Source: Mirtich 1996 [mirtich1996].
  template <class FreeFrom>
  [[nodiscard]] double go_along(FreeFrom free_from) {
    double s = 0.0;
    for (int place = 0; s < 1.0; ++place) {
      if (place == kMostPlaces) return 1.0 - s;
      const std::optional<double> free = free_from(s);
      if (!free) break;
      s += std::max(kLeastAdvance, *free);
    }
    return 0.0;
  }
  /// The longest part of the way on which no body turns by more than kLargestTurn.
  [[nodiscard]] double longest_advance() const {
    const double turn = step_.discretisation.h * fastest_turn_;
    return turn > kLargestTurn ? kLargestTurn / turn : 1.0;
  }

 private:
  [[nodiscard]] double turn_of(const Layout::System& place) const {
    const Index first = translations(place.n);
    return path_.unknowns.segment(place.z + first, place.n - first).norm();
  }

  const TakenStep& step_;
  SystemCaches& systems_;
  std::span<const Index> bodies_;
  State& path_;
  Eigen::VectorXd& back_;
  double fastest_turn_ = 0.0;
};

/// What is told of two bodies.
inline void tell_passage(const std::string& first, const std::string& second, double t, double depth,
                         RunRemarks& noticed) {
  add_remark(RunRemark::Kind::Passage, "the contact of " + first + " and " + second, t, depth, noticed);
}
/// `left`: of the way, of which nothing is known.
inline void tell_unknown_way(const std::string& bodies, double t, double left, RunRemarks& noticed) {
  add_remark(RunRemark::Kind::PassageUnknown, bodies, t, left, noticed);
}
/// Looks at a way by what users give, who may refuse to be asked there: then nothing is said of it.
template <class Look>
void look_or_leave(Look look) {
  try {
    look();
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {
  }
}

}  // namespace nonsmooth::stages
