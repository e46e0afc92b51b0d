// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <internal/deadline.hpp>
#include <nonsmooth/numerics/mixed/problem.hpp>
#include <nonsmooth/numerics/thread_pool.hpp>

#include "coloring.hpp"
#include "large_pages.hpp"
#include "mixed/local.hpp"
#include "mixed/local_contact.hpp"
#include "sweeps_blocks.hpp"

namespace nonsmooth::friction::internal {

/// What a sweep did.
struct SweepOutcome {
  double change =
      0.0;  ///< the largest |W_ii (r_new - r_old)| of the blocks visited: it predicts the certificate's error
  double square = 0.0;  ///< the sum of the squares of all of them
  Index skipped = 0;    ///< blocks that rested

  void add(double value) noexcept {
    change = value > change || value != value ? value : change;  // a NaN stays
    square += value * value;
  }
  void add(const SweepOutcome& other) noexcept {
    change = other.change > change || other.change != other.change ? other.change : change;
    square += other.square;
    skipped += other.skipped;
  }
};

/// How one sweep goes over the blocks.
struct SweepPlan {
  double relaxation = 1.0;  ///< r := P_K(r + relaxation (r_local - r))
  bool backward = false;    ///< last visit first
  /// A block whose |W_ii (r_new - r_old)| is at most this rests for some sweeps, longer each time; < 0: none rests.
  double resting_change = -1.0;
  bool four_lanes = true;  ///< four numbers at once where the machine can: the same bits either way
};

/// A private copy of a problem, laid in the order in which its blocks are visited, and the sweeps over it.
///
/// Where all blocks are contacts of one size (Coulomb 2D or 3D) the copy has 32-bit columns and no diagonal blocks, and
/// all that a visit reads but the reactions of others lies in a few streams, in 3D the rows of a block one after the
/// other: a contact that was open needs only its first. In 3D a block W_ij that is the transposed of W_ji to the last
/// bit is stored once, in the row that comes first: a visit that changes r_i by d adds W_ij^T d to a sum of row j while
/// W_ij is in cache, so that a sweep of a symmetric W reads half of it. The sums hold whatever rests and in whichever
/// direction a sweep goes; they are made anew from the reactions now and then, before round-off gathers. Rows share
/// blocks within a chunk of the colouring alone, as chunks may be visited at once. Other problems are swept where they
/// lie, in the same order. The reactions are the copy's own between load() and store(). Keeps its memory.
class Sweeps {
 public:
  Sweeps() = default;
  Sweeps(const Sweeps&) = delete;  // r_ points into storage_
  Sweeps& operator=(const Sweeps&) = delete;

  /// Lays the copy. `order` names the block of each visit, and `coloring` which of them may run at once; null: strictly
  /// one after the other. The problem must stay alive and unchanged.
  /// `share`: symmetric pairs of blocks are stored once.
  void prepare(const mixed::Problem& problem, const std::vector<Index>& order, const Coloring* coloring,
               bool share = true);

  void load(const double* r);            ///< takes the reactions, rows in the problem's order
  void store(double* r) const noexcept;  ///< gives them back
  void wake() noexcept;                  ///< no block rests any more

  /// The copy's reactions, padding and all (it stays 0): for extrapolations over all of them.
  [[nodiscard]] const double* reactions() const noexcept { return r_; }
  /// The same, to be changed before the next sweep.
  [[nodiscard]] double* change_reactions() noexcept {
    sums_hold_ = false;
    return r_;
  }
  [[nodiscard]] Index num_reactions() const noexcept { return num_reactions_; }
  void project() noexcept;  ///< P_K of every block of the reactions

  /// The largest t >= 0 to which r + t direction may go before a block that is inside its set reaches the border, or
  /// one on it the apex.
  [[nodiscard]] double largest_step(const double* direction) const noexcept;

  /// One sweep. Past the deadline the iterative local solves end at their best iterate. The same bits for any number of
  /// threads.
  SweepOutcome sweep(const SweepPlan& plan, ThreadPool& pool, const detail::Deadline& deadline);

 private:
  enum class Kernel : unsigned char { Planar, Spatial, Blocks };
  struct Planar {
    static constexpr int rows = 2, stride = 2;
    local::Coulomb2D law;
    double q[2];
    double W_NT, W_TN;
  };
  struct Spatial {
    static constexpr int rows = 3, stride = 4;  // a reaction lies in one cache line
    double q[3];
    local::Radial3D law;
  };
  template <class T>
  using Stream = std::vector<T, LargePages<T>>;

  void seat_reactions(Index size);
  struct Row {
    Index begin, shared_end;  // of its blocks; the first ones stand for their transposed ones too
  };
  struct Entry {
    Index position, block;  // of a row: the visit it looks at, the block in W
  };

  template <class Contact>
  void pack(Stream<Contact>& contacts);
  /// Tells shared_ from alone_ among the blocks of a row, whose chunk holds the visits first .. last - 1.
  void sort_out(Index visit, Index first, Index last, bool shares);
  [[nodiscard]] bool prepare_law(Planar& contact, const double* W, double mu) const noexcept;
  [[nodiscard]] bool prepare_law(Spatial& contact, const double* W, double mu) const noexcept;
  [[nodiscard]] double visit(Planar& contact, Index row, double relaxation) noexcept;
  template <class Lanes>
  [[nodiscard]] double visit(Spatial& contact, Index row, double relaxation) noexcept;
  template <class Visit>
  [[nodiscard]] SweepOutcome run(Index first, Index last, const SweepPlan& plan, Visit visit);
  /// Makes the sums of a chunk's rows from its reactions.
  template <class Lanes>
  void renew_sums(Index first, Index last) noexcept;
  template <class Lanes>
  [[nodiscard]] SweepOutcome run_spatial(Index first, Index last, const SweepPlan& plan) noexcept;
  [[nodiscard]] SweepOutcome run_two_lanes(Index first, Index last, const SweepPlan& plan) noexcept;
  [[nodiscard]] SweepOutcome run_four_lanes(Index first, Index last, const SweepPlan& plan) noexcept;
  [[nodiscard]] SweepOutcome run(Index first, Index last, const SweepPlan& plan, const detail::Deadline& deadline);
  [[nodiscard]] bool rests(Index row) noexcept;                    // is the visit left out now?
  void update_rest(Index row, bool at_rest) noexcept;              // what a visit makes of its rests
  [[nodiscard]] Index reaction(std::size_t visit) const noexcept;  // where its reaction begins in r_

  Kernel kernel_ = Kernel::Blocks;
  const mixed::Problem* problem_ = nullptr;
  std::vector<Index> order_, position_;
  std::vector<Index> color_begin_, chunk_begin_;  // as of Coloring; empty: no colours
  Stream<std::int32_t> columns_;                  // of the packed blocks, times the stride of r_
  Stream<Row> rows_;                              // by visit, into columns_
  Stream<double> values_, storage_;
  Stream<double> sums_;                // laid as r_: what the blocks stored in other rows give
  std::vector<Entry> shared_, alone_;  // of one row, while it is packed
  double* r_ = nullptr;                // storage_
  Stream<Planar> planar_;
  Stream<Spatial> spatial_;
  std::vector<local::Radial3D::Mode> modes_;  // by visit, of its last one: a dense copy of what lies in the laws
  std::vector<std::uint8_t> rest_, streak_;   // by visit: sweeps left to skip, the length of its last rest
  std::vector<SweepOutcome> outcomes_;        // by chunk
  SweepsBlocks blocks_;
  Index num_reactions_ = 0;
  bool share_ = true, sums_hold_ = false, renew_ = false;
  int since_renewed_ = 0;  // sweeps
};

}  // namespace nonsmooth::friction::internal
