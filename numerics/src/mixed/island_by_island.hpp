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
/// number of them. A thread works with a Station of its own, which keeps memory and must change no result. An island
/// that is larger than any before is solved at every station, at once, so that none allocates when it is dealt one no
/// larger than those that were seen. Cost: in a solve whose largest island grew, the others start when it is done.
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
    while (stations_.size() < at_once) {
      stations_.push_back(std::make_unique<Place>());
      largest_ = {};  // it has seen none
    }
    const auto most = static_cast<std::size_t>(problem.W.num_block_rows());  // a block each
    if (ends_.size() < most) ends_.resize(most);
    const auto solve_at = [&](Place& place, Index island) {
      islands_.extract(problem, island, result.r, place.sizes, place.problem, place.found);
      place.residual = solve_one(place.station, std::as_const(place.problem), place.found);
    };
    const auto take = [&](const Place& place, Index island) {
      End& end = ends_[static_cast<std::size_t>(island)];
      islands_.scatter(problem, island, place.found.r, result.r);
      end.residual = place.residual;
      end.status = place.found.status;
      end.solver = place.found.solver;
      end.iterations = place.found.iterations;
      end.proof.resize(0);
      if (end.status == Status::Infeasible && place.found.proof.size() == place.problem.W.rows())
        end.proof = place.found.proof;
    };
    const auto run = [&](Place& place, Index island) {
      solve_at(place, island);
      take(place, island);
    };
    if (at_once == 1) {
      for (Index i = 0; i < count(); ++i) run(*stations_.front(), i);
    } else {
      deal(problem.W);
      for (const Index island : larger_) {
        threads->for_each_range(static_cast<Index>(at_once), 1, [&](Index station, Index) {
          solve_at(*stations_[static_cast<std::size_t>(station)], island);
        });
        take(*stations_.front(), island);
      }
      threads->for_each_range(static_cast<Index>(order_.size()), 1, [&](Index first, Index last) {
        Place& place = *stations_[static_cast<std::size_t>(first) % at_once];  // chunk c runs on thread c mod at_once
        for (Index k = first; k < last; ++k) run(place, order_[static_cast<std::size_t>(k)]);
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
    double residual = 0.0;
  };
  /// What one island came to.
  struct End {
    Status status = Status::NotRun;
    std::string_view solver;
    Index iterations = 0;
    double residual = 0.0;
    Eigen::VectorXd proof;
  };

  /// The largest first: threads take them in turn, but for those that are larger than any before.
  void deal(const BlockSparseMatrix& W) {
    order_.reserve(static_cast<std::size_t>(W.num_block_rows()));
    order_.resize(static_cast<std::size_t>(count()));
    std::iota(order_.begin(), order_.end(), Index{0});
    std::sort(order_.begin(), order_.end(), [this](Index a, Index b) {
      return islands_.size(a) != islands_.size(b) ? islands_.size(a) > islands_.size(b) : a < b;
    });
    larger_.clear();
    auto last = order_.begin();
    for (const Index island : order_) {
      if (outgrows(islands_.extent(W, island)))
        larger_.push_back(island);
      else
        *last++ = island;
    }
    order_.erase(last, order_.end());
  }

  /// True where an island is larger than all before in something, which is noted.
  bool outgrows(const IslandExtent& island) {
    bool larger = false;
    const auto note = [&larger](Index own, Index& largest) {
      larger = larger || own > largest;
      largest = std::max(largest, own);
    };
    note(island.blocks, largest_.blocks);
    note(island.rows, largest_.rows);
    note(island.products, largest_.products);
    note(island.entries, largest_.entries);
    return larger;
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
  std::vector<Index> order_, larger_;
  IslandExtent largest_;  // that every station has solved, in each respect
};

}  // namespace nonsmooth::mixed::internal
