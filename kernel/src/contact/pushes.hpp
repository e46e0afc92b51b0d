// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "broad_phase.hpp"

namespace nonsmooth {

/// What a contact of w = u_N + s without reactions hands on of the changes of velocity a that contacts may ask of its
/// bodies: -w of its own, and a - w of what one of them has.
[[nodiscard]] inline double handed_on(double w, double first, double second) {
  return std::max(-w, std::max(first, second) - std::max(w, 0.0));
}

/// How fast contacts may push the bodies of a source within a step (BodyView::push), body by body: a of each is at
/// least the speed of its own, which the ground may ask of it, and what is handed on by pairs that may meet, each of
/// the least w that it may have by its gap, a depth counting as none, and its approach: recovery of a depth and
/// restitution may make w less, which is left out, as is what other sources push. Pairs are found again among balls
/// widened by what bodies got, until nobody gets more: what is pushed by nobody looks no farther for others that are
/// fast. Where a few rounds do not do, all get what the fastest has. Kept in memory of the source, two numbers a body.
class Pushes {
 public:
  /// A pair that may meet; second = -1: the ground.
  struct Meeting {
    Index first, second;
    double w;  ///< or more, but for recovery of a depth and restitution
  };

  Pushes(std::vector<Index>& memory, Index begin, Index count) : memory_(memory), begin_(begin), count_(count) {
    broad_phase::make_room(memory_, end());
  }
  [[nodiscard]] Index end() const { return begin_ + 2 * count_; }

  /// `speed`: of the body's fastest point, or 0 where contacts do not push.
  void start(Index body, double speed) {
    broad_phase::keep_number(memory_, begin_ + 2 * body, speed);
    broad_phase::keep_number(memory_, begin_ + 2 * body + 1, kSlack * speed);
  }
  /// Balls are widened for the fastest of all, each by radius_of(body) at most, the least of the body's own; `way`: by
  /// how much for a speed of 1. What is handed on in a pile then goes through it at once.
  template <class RadiusOf>
  void widen_little(double way, RadiusOf radius_of) {
    const double most = kSlack * fastest();
    for (Index b = 0; b < count_; ++b)
      broad_phase::keep_number(memory_, begin_ + 2 * b + 1, std::max(widest(b), std::min(most, radius_of(b) / way)));
  }
  /// a of a body; of the ground 0.
  [[nodiscard]] double of(Index body) const { return body < 0 ? 0.0 : number(2 * body); }
  /// What the ball of its shapes is to be widened for.
  [[nodiscard]] double widest(Index body) const { return body < 0 ? 0.0 : number(2 * body + 1); }

  /// Pairs that find() finds among balls as wide as widest() says, after widen() where that changed; meeting(p, o) of a
  /// pair.
  template <class Find, class Widen, class MeetingOf>
  broad_phase::Pairs find_pairs(Find find, Widen widen, MeetingOf meeting) {
    for (int round = 0;; ++round) {
      const broad_phase::Pairs pairs = find();
      if (round == kMostRounds || !spread(pairs, meeting)) return pairs;
      const double most = fastest();
      for (Index b = 0; b < count_; ++b) {
        if (round + 1 == kMostRounds) broad_phase::keep_number(memory_, begin_ + 2 * b, most);
        broad_phase::keep_number(memory_, begin_ + 2 * b + 1, std::max(widest(b), kSlack * of(b)));
      }
      widen();
    }
  }

 private:
  static constexpr double kSlack = 1.25;  ///< what a body may get more before pairs are found again
  static constexpr int kMostRounds = 8, kMostPasses = 8;

  [[nodiscard]] double number(Index i) const { return broad_phase::number_at(memory_, begin_ + i); }
  [[nodiscard]] double fastest() const {
    double most = 0.0;
    for (Index b = 0; b < count_; ++b) most = std::max(most, of(b));
    return most;
  }
  /// To and fro along the pairs, so that few passes do for a chain. True where a body got more than its ball is for, or
  /// passes did not do.
  template <class MeetingOf>
  bool spread(broad_phase::Pairs pairs, MeetingOf meeting) {
    bool changed = true, wider = false;
    for (int pass = 0; pass < kMostPasses && changed; ++pass) {
      changed = false;
      for (Index k = 0; k < pairs.end - pairs.begin; ++k) {
        const Index pair = memory_[static_cast<std::size_t>(pass % 2 == 0 ? pairs.begin + k : pairs.end - 1 - k)];
        const Meeting at = meeting(broad_phase::first_of_pair(pair), broad_phase::second_of_pair(pair));
        const double through = handed_on(at.w, of(at.first), of(at.second));
        for (const Index body : {at.first, at.second}) {
          if (body < 0 || !(through > of(body))) continue;
          broad_phase::keep_number(memory_, begin_ + 2 * body, through);
          changed = true;
          wider = wider || through > widest(body);
        }
      }
    }
    return wider || changed;
  }

  std::vector<Index>& memory_;
  Index begin_, count_;
};

}  // namespace nonsmooth
