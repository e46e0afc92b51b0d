// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <nonsmooth/kernel/contact_source.hpp>

namespace nonsmooth {

/// The contacts of another source, of which a function drops some and changes the law of others: bodies that pass
/// through one another, surfaces that hold from one side, friction that depends on the place or the time.
///
/// A filter may depend on the time: bodies of such a source do not fall asleep (SleepOptions).
///
///     FilteredContacts(disks, [](const DetectedContact& contact, const BodyView& bodies) {
///       return bodies.t < 1.0 ? contact.law : FilteredContacts::drop;
///     });
class FilteredContacts final : public ContactSource {
 public:
  static constexpr Index drop = -1;
  /// The number of the contact's law in laws(), of as many rows as the contact has, or `drop`. Bodies are where the
  /// source is asked: at the start of a step, and after it where positions are projected. It must depend on its
  /// arguments alone; several threads may call it at once where several simulations run.
  using Filter = std::function<Index(const DetectedContact& contact, const BodyView& bodies)>;

  /// laws(): those of `source`, then `further_laws`.
  /// @throws InvalidArgument: no source, no filter. detect() throws it where the filter gives a number that is none:
  /// a simulation that asks in a step reports that step as failed, with the message.
  FilteredContacts(std::shared_ptr<const ContactSource> source, Filter filter, std::vector<Law> further_laws = {});

  /// What is left of a source without the filters around it: it names the contacts.
  [[nodiscard]] static const ContactSource& under(const ContactSource& source);

  [[nodiscard]] const std::vector<SystemHandle>& bodies() const override { return source_->bodies(); }
  [[nodiscard]] const std::vector<Law>& laws() const override { return laws_; }
  [[nodiscard]] BodySize body_size() const override { return source_->body_size(); }
  [[nodiscard]] int patch_bits() const override { return source_->patch_bits(); }
  [[nodiscard]] std::array<ShapePlace, 2> shapes_of(const DetectedContact& contact) const override {
    return source_->shapes_of(contact);
  }
  [[nodiscard]] std::array<Index, 2> materials_of(const DetectedContact& contact) const override {
    return source_->materials_of(contact);
  }
  /// Of the source, also after one that is not filtered.
  [[nodiscard]] std::vector<std::optional<std::uint64_t>> features_after(
      const ContactSource& before, std::span<const std::uint64_t> features) const override;
  [[nodiscard]] std::vector<DrawnShape> drawn_shapes() const override;
  void detect(const BodyView& bodies, double horizon, std::vector<Index>& scratch,
              ContactBatches& found) const override;
  /// Of the source, before contacts are dropped.
  [[nodiscard]] double passage_depth(const BodyView& bodies, double horizon) const override {
    return source_->passage_depth(bodies, horizon);
  }

 private:
  void filter(const BodyView& bodies, ContactBatch& batch) const;

  std::shared_ptr<const ContactSource> source_;
  Filter filter_;
  std::vector<Law> laws_;
};

}  // namespace nonsmooth
