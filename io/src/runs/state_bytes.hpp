// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <nonsmooth/kernel/state.hpp>

/// The bytes of a checkpoint (docs/runs.md has their layout).
namespace nonsmooth::runs {

/// What a state is of, in words.
struct CheckpointHead {
  std::string version{};      ///< of the library
  std::string simulation{};   ///< kind_of()
  std::string options{};      ///< options_of()
  std::string fingerprint{};  ///< of the model, a line each
};

/// The part of a checkpoint that stays while the model does.
[[nodiscard]] std::string head_bytes(const CheckpointHead& head);
/// A checkpoint: `bytes` becomes it, and keeps its memory.
void write_checkpoint(std::string_view head, const State& state, std::string& bytes);

/// A checkpoint that is read: first whether it is whole and what it is of, then its state. `name` stands for it in
/// messages. Bytes and name have to live as long. All throws FormatError naming the byte and what it is of.
class CheckpointReader {
 public:
  CheckpointReader(std::string_view bytes, std::string_view name);

  [[nodiscard]] const CheckpointHead& head() const noexcept { return head_; }
  /// Of a model with this layout.
  [[nodiscard]] State state(const std::shared_ptr<const Layout>& layout) const;

 private:
  std::string_view bytes_, name_;
  std::size_t state_ = 0;  ///< its first byte
  CheckpointHead head_;
};

}  // namespace nonsmooth::runs
