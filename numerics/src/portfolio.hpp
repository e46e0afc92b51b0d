// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include <internal/deadline.hpp>
#include <nonsmooth/numerics/status.hpp>
#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::detail {

/// Of two residuals; one that is not a number gives way to any number.
[[nodiscard]] inline bool is_better(double residual, double best) noexcept {
  return residual < best || (std::isnan(best) && !std::isnan(residual));
}

/// What an automatic choice tries, one algorithm after the other within one budget, and the best certified answer.
template <class Result>
class Portfolio {
 public:
  /// What options.max_iterations, where it is set, does to the count of an attempt.
  enum class Count : unsigned char { Replaced, Capped };

  /// `best` is what attempts compete with; NotRun: nothing yet.
  template <class Options>
  Portfolio(const Options& options, const Deadline& deadline, Result& best, Count count = Count::Replaced)
      : tolerance_(options.tolerance),
        max_iterations_(options.max_iterations),
        count_(count),
        deadline_(deadline),
        best_(best) {}

  [[nodiscard]] bool late() const { return deadline_.passed(); }

  /// An algorithm with what is left of the budget: `usual` of what it counts (0: its default), or what the caller says.
  template <class Options>
  [[nodiscard]] Options within(Options options, Index Options::*count, Index usual = 0) const {
    return limited(std::move(options), count, usual, count_);
  }
  /// The same of a short try, which no caller makes longer: `most` of what it counts (0: no short try, its default).
  template <class Options>
  [[nodiscard]] Options briefly(Options options, Index Options::*count, Index most) const {
    return limited(std::move(options), count, most, most > 0 ? Count::Capped : count_);
  }

  /// Keeps an answer that ends the search or is better. True if it ends it, Solved or Infeasible.
  bool ends(Result&& found) {
    const bool sure = found.status == Status::Solved || found.status == Status::Infeasible;
    if (sure || best_.status == Status::NotRun || is_better(found.certificate.residual, best_.certificate.residual))
      best_ = std::move(found);
    return sure;
  }

  /// The same where algorithms start from the best answer and iterations add up; residuals in the caller's measure,
  /// and no proof but the caller's ends it. True if it is kept.
  bool keep(Result&& found, double residual, double best) {
    const Index iterations = best_.iterations + found.iterations;
    const bool kept = found.status == Status::Solved || is_better(residual, best);
    if (kept) {
      if constexpr (requires { found.decisions; }) std::swap(found.decisions, best_.decisions);
      best_ = std::move(found);
    }
    best_.iterations = iterations;
    return kept;
  }

  /// One more line of Result::decisions.
  void log(std::string_view tier, Index iterations, double residual, std::string_view reason) {
    if (reason.empty()) reason = "the tolerance is met";
    best_.decisions.push_back({.tier = tier, .iterations = iterations, .residual = residual, .reason = reason});
  }

 private:
  template <class Options>
  [[nodiscard]] Options limited(Options options, Index Options::*count, Index usual, Count rule) const {
    options.tolerance = tolerance_;
    options.time_limit = deadline_.remaining();
    if (usual > 0) options.*count = usual;
    if (max_iterations_ > 0)
      options.*count = rule == Count::Capped ? std::min(options.*count, max_iterations_) : max_iterations_;
    return options;
  }

  double tolerance_;
  Index max_iterations_;
  Count count_;
  const Deadline& deadline_;
  Result& best_;
};

}  // namespace nonsmooth::detail
