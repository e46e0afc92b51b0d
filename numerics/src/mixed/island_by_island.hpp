// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include <nonsmooth/numerics/thread_pool.hpp>

#include "internal.hpp"
#include "islands.hpp"

namespace nonsmooth::mixed::internal {

/// How much looser the tolerance of an island may be than that of the whole, whose largest |q| is `scale`: a residual
/// is relative to this, as the whole's certificate is. An island's is relative to the whole's as long as that is at
/// most 1000 times its own: bodies at rest among moving ones, but not a contact beside a circuit at a million volts.
[[nodiscard]] inline double looser(double scale, const Problem& island) {
  const double own = island.q.lpNorm<Eigen::Infinity>();
  return own > 0.0 ? std::clamp(scale / own, 1.0, 1e3) : 1.0;
}

/// The islands of a problem, each solved by itself, several at once where there are threads: the same bits for any
/// number of them. A thread works with a Station of its own, which keeps memory and must change no result. Keeps its
/// memory, which grows where islands move from thread to thread.
template <class Station>
class IslandByIsland {
 public:
  /// True where there are several. `same_pattern`: W has the pattern of the last call.
  [[nodiscard]] bool find(const BlockSparseMatrix& W, bool same_pattern) {
    if (!same_pattern || !known_) islands_.find(W);
    known_ = true;
    return islands_.count() > 1;
  }
  void forget() noexcept { known_ = false; }
  [[nodiscard]] Index count() const noexcept { return islands_.count(); }

  /// Calls solve(station, island, found) for each island, `found` with its part of result.r as the start; where solve
  /// returns a residual, it is the island's as the whole has it. r is put together, then the rest of the result:
  /// the most iterations and the worst residual, Infeasible where an island is, with its proof, else the status of the
  /// last island that is not Solved. result.solver is the one that all islands name, or `several`; the certificate is
  /// that of the whole. result.iterations are those of before, and stay in the sum. threads: null for the caller's own.
  template <class Solve>
  void solve(const Problem& problem, ThreadPool* threads, std::string_view several, Result& result, Solve solve_one) {
    const auto at_once = static_cast<std::size_t>(threads ? threads->size() : 1);
    while (stations_.size() < at_once) stations_.push_back(std::make_unique<Place>());
    if (ends_.size() < static_cast<std::size_t>(count())) ends_.resize(static_cast<std::size_t>(count()));
    const auto run = [&](Index island, Place& place) {
      islands_.extract(problem, island, result.r, place.sizes, place.problem, place.found);
      End& end = ends_[static_cast<std::size_t>(island)];
      end.residual = solve_one(place.station, std::as_const(place.problem), place.found);
      islands_.scatter(problem, island, place.found.r, result.r);
      end.status = place.found.status;
      end.solver = place.found.solver;
      end.iterations = place.found.iterations;
      end.proof.resize(0);
      if (end.status == Status::Infeasible && place.found.proof.size() == place.problem.W.rows())
        end.proof = place.found.proof;
    };
    if (at_once == 1) {
      for (Index i = 0; i < count(); ++i) run(i, *stations_.front());
    } else {
      deal();
      threads->for_each_range(count(), 1, [&](Index first, Index last) {
        Place& place = *stations_[static_cast<std::size_t>(first) % at_once];  // chunk c runs on thread c mod at_once
        for (Index k = first; k < last; ++k) run(order_[static_cast<std::size_t>(k)], place);
      });
    }
    merge(problem, several, result);
  }

 private:
  struct Place {
    std::vector<Index> sizes;
    Problem problem;
    Result found;
    Station station;
  };
  /// What one island came to.
  struct End {
    Status status = Status::NotRun;
    std::string_view solver;
    Index iterations = 0;
    double residual = 0.0;
    Eigen::VectorXd proof;
  };

  /// The largest first: threads take them in turn.
  void deal() {
    order_.resize(static_cast<std::size_t>(count()));
    std::iota(order_.begin(), order_.end(), Index{0});
    std::sort(order_.begin(), order_.end(), [this](Index a, Index b) {
      return islands_.size(a) != islands_.size(b) ? islands_.size(a) > islands_.size(b) : a < b;
    });
  }

  void merge(const Problem& problem, std::string_view several, Result& result) {
    Index most_iterations = 0;
    double worst_residual = 0.0;
    Status status = Status::Solved;
    std::string_view solver = ends_.front().solver;
    for (Index i = 0; i < count(); ++i) {
      const End& end = ends_[static_cast<std::size_t>(i)];
      if (solver != end.solver) solver = several;
      most_iterations = std::max(most_iterations, end.iterations);
      worst_residual = std::max(worst_residual, end.residual);
      if (end.status != Status::Solved && status != Status::Infeasible) status = end.status;
      if (end.proof.size() == 0) continue;
      result.proof.setZero(problem.W.rows());
      islands_.scatter(problem, i, end.proof, result.proof);
    }
    result.solver = solver;
    result.iterations += most_iterations;
    result.certificate = certify(problem, result.r, result.u);
    result.certificate.residual = std::max(result.certificate.residual, worst_residual);
    end(result, status,
        status == Status::Solved       ? "island by island"
        : status == Status::Infeasible ? "an island has no solution: see the proof"
                                       : "an island was not solved");
  }

  Islands islands_;
  bool known_ = false;
  std::vector<std::unique_ptr<Place>> stations_;  // by thread
  std::vector<End> ends_;                         // by island
  std::vector<Index> order_;
};

}  // namespace nonsmooth::mixed::internal
