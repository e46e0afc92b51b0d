// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "contact_set.hpp"
#include "dynamics/relations/relation_caches.hpp"
#include "dynamics/step_view.hpp"

namespace nonsmooth {

struct ImpactRules;

/// What one block that acts has of H and P on one system.
struct ActiveJacobian {
  Index system = 0, n = 0, z = 0, block = 0;
  const double* hu = nullptr;
  Index row_stride = 1, column_stride = 1;
  const double* p = nullptr;  ///< n x size, column-major
  double weight = 1.0;        ///< of z_{k+1} beside z_k in the row
};

/// Sizes of a block's Jacobian blocks, where all of them have these: products of two such blocks are unrolled.
enum class JacobianSizes : unsigned char { Any, TwoByThree, ThreeBySix };

/// One block of the one-step problem, of an interaction or a detected contact.
struct ActiveBlock {
  Index size = 1, row = 0;  ///< row: in the one-step problem
  Index first_jacobian = 0, num_jacobians = 0;
  const BlockPlan* law = nullptr;
  const BlockSet* set = nullptr;             ///< in impulses, as it is in this step
  Index u = 0;                               ///< of u_k: in State::velocities, or in ContactSet::u
  const double* w = nullptr;                 ///< what u_{k+1} has beside H z; null: nothing
  Index model_block = -1;                    ///< or
  const DetectedContact* contact = nullptr;  ///< with bodies as systems
  const double* shift = nullptr;             ///< what the law adds to u+; null: nothing
  std::uint32_t source = 0;                  ///< of the contact
  JacobianSizes sizes = JacobianSizes::Any;
};

/// What tells one block from another: two active sets of the same keys have the same pattern.
struct ActiveKey {
  std::uint64_t identity = 0;  ///< model block, or feature
  std::int32_t source = -1;    ///< of contacts, by position
  std::int32_t size = 0;
  Index first = -1, second = -1;
  friend bool operator==(const ActiveKey&, const ActiveKey&) = default;
};

/// The keys of a step's blocks over those of the step before, compared as they are listed.
class ActiveKeys {
 public:
  void begin() {
    count_ = 0;
    differs_ = false;
  }
  void add(const ActiveKey& key) {
    if (count_ == keys_.size()) keys_.emplace_back();
    ActiveKey& last = keys_[count_++];
    if (last == key) return;
    last = key;
    differ();
  }
  void end() {
    if (count_ == keys_.size()) return;
    keys_.resize(count_);
    differ();
  }
  /// Of which pattern of blocks the last list was: another number for another list than the one before.
  [[nodiscard]] Index pattern() const { return pattern_; }

 private:
  void differ() {
    if (!differs_) ++pattern_;
    differs_ = true;
  }

  std::vector<ActiveKey> keys_;
  std::size_t count_ = 0;
  bool differs_ = false;
  Index pattern_ = 0;
};

/// What acts in a step: model blocks first, then detected contacts; flat arrays.
struct ActiveSet {
  std::vector<ActiveBlock> blocks;
  std::vector<ActiveJacobian> jacobians;
  ActiveKeys keys;      ///< by block
  bool stands = false;  ///< every block acts in every step, and nothing is searched for contacts

  [[nodiscard]] Index rows() const { return blocks.empty() ? 0 : blocks.back().row + blocks.back().size; }
};

/// s of a linearised gap, u+ + s >= 0 or of a joint u+ + s = 0: y / h, of penetration and of joints the part that is
/// recovered. Where a contact with restitution closes it is e u-, if that lets go faster.
[[nodiscard]] inline double rate_of_gap(const BlockPlan& law, double h, double y, double u_before) {
  const bool joint = law.first_held || law.set.kind == SetKind::Free;
  const double rate = (y > 0.0 && !joint ? 1.0 : law.recovery) * y / h;
  const bool bounces = law.restitution > 0.0 && u_before < 0.0 && y + h * u_before <= 0.0;
  return bounces ? std::min(rate, law.restitution * u_before) : rate;
}

/// The rows of a one-step problem and where they come from.
struct ActingRows {
  const RelationCaches& relations;
  const ContactSet& contacts;
  const ActiveSet& active;

  /// u_k of a block.
  [[nodiscard]] const double* u_before(const State& state, const ActiveBlock& block) const {
    return (block.contact ? contacts.u.data() : state.velocities.data()) + block.u;
  }
  /// y_k of row r of a block; of a contact that of its normal row.
  [[nodiscard]] double gap(const State& state, const ActiveBlock& block, Index r) const {
    return block.contact ? block.contact->gap : state.outputs[block.law->row + r];
  }
  /// What the law and the scheme add to u+ in row r of a block.
  [[nodiscard]] double added(const StepView& step, const ActiveBlock& block, Index r) const {
    const BlockPlan& law = *block.law;
    const double u = u_before(step.state, block)[r], shift = block.shift ? block.shift[r] : 0.0;
    if (r >= law.gap_rows) return (r == 0 ? law.restitution : law.tangential_restitution) * u + shift;
    return rate_of_gap(law, step.h(), gap(step.state, block, r), u);
  }
  /// The speed at which row r of a block is to recover from penetration: 0 but for linearised gaps below 0.
  [[nodiscard]] double recovers(const StepView& step, const ActiveBlock& block, Index r) const {
    const BlockPlan& law = *block.law;
    if (r >= law.gap_rows) return 0.0;
    return std::max(0.0, -rate_of_gap(law, step.h(), gap(step.state, block, r), 0.0));
  }
  /// The Jacobian blocks of a block.
  [[nodiscard]] std::span<const ActiveJacobian> jacobians(const ActiveBlock& block) const {
    return {active.jacobians.data() + block.first_jacobian, static_cast<std::size_t>(block.num_jacobians)};
  }
};

namespace stages {

/// Which blocks act in this step; scratch of the interactions and factors of nonlinear systems are written.
void index_sets(const StepView& step, const ContactSearch& search, const ContactSet& contacts, const Joining& joining,
                SystemCaches& systems, RelationCaches& relations, ImpactRules& rules, ActiveSet& active);
/// Block b of the model behind those that act, but for its key.
ActiveBlock& append_block(const StepView& step, const RelationCaches& relations, std::size_t b, ActiveSet& active);
/// Rounding alone may have lifted a contact by this gap > 0: by what its positions lose, and of one that pressed or
/// pulled in the last step by what its reaction lost.
[[nodiscard]] bool is_lifted(double gap, const BlockPlan& block, const StepView& step, const JacobianBlocks& jacobians,
                             InteractionPlan& interaction, SystemCaches& systems);
/// True where all systems of an interaction sleep or are supports at rest (ContactSearch::asleep).
[[nodiscard]] bool all_sleep(std::span<const JacobianBlock> linked, const std::vector<char>& asleep);
/// True if something in the step is nonlinear in its unknowns.
[[nodiscard]] bool needs_newton(const SystemCaches& systems, const RelationCaches& relations, const ActiveSet& active);

}  // namespace stages
}  // namespace nonsmooth
