// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/filtered_contacts.hpp>

#include <algorithm>
#include <string>
#include <utility>

#include <nonsmooth/kernel/drawn_shape.hpp>
#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth {

FilteredContacts::FilteredContacts(std::shared_ptr<const ContactSource> source, Filter filter,
                                   std::vector<Law> further_laws)
    : source_(std::move(source)), filter_(std::move(filter)) {
  if (!source_) throw InvalidArgument("FilteredContacts: source", "a null pointer", "a source of contacts");
  if (!filter_) throw InvalidArgument("FilteredContacts: filter", "no function", "a function");
  laws_ = source_->laws();
  laws_.insert(laws_.end(), further_laws.begin(), further_laws.end());
}

std::vector<std::optional<std::uint64_t>> FilteredContacts::features_after(
    const ContactSource& before, std::span<const std::uint64_t> features) const {
  const ContactSource &own = under(*this), &old = under(before);
  if (&own != &old) return own.features_after(old, features);
  return {features.begin(), features.end()};
}

const ContactSource& FilteredContacts::under(const ContactSource& source) {
  const ContactSource* own = &source;
  while (const auto* const filtered = dynamic_cast<const FilteredContacts*>(own)) own = filtered->source_.get();
  return *own;
}

std::vector<DrawnShape> FilteredContacts::drawn_shapes() const { return source_->drawn_shapes(); }

void FilteredContacts::detect(const BodyView& bodies, double horizon, std::vector<Index>& scratch,
                              ContactBatches& found) const {
  source_->detect(bodies, horizon, scratch, found);
  for (ContactBatch& batch : found) filter(bodies, batch);
}

void FilteredContacts::filter(const BodyView& bodies, ContactBatch& batch) const {
  const Index stride = batch.stride(), rows = batch.rows;
  const bool moving = !batch.h_t.empty();
  // Arrays of other sizes are left to the check of what sources find.
  if (batch.H.size() != static_cast<std::size_t>(batch.size() * stride) ||
      (moving && batch.h_t.size() != static_cast<std::size_t>(batch.size() * rows)))
    return;
  Index kept = 0;
  for (Index i = 0; i < batch.size(); ++i) {
    DetectedContact contact = batch.contacts[static_cast<std::size_t>(i)];
    const Index law = filter_(contact, bodies);
    if (law == drop) continue;
    if (law < 0 || law >= static_cast<Index>(laws_.size())) {
      throw InvalidArgument("FilteredContacts: filter",
                            std::to_string(law) + " for contact " + std::to_string(contact.feature),
                            "0 to " + std::to_string(laws_.size() - 1) + ", a law, or FilteredContacts::drop");
    }
    contact.law = law;
    batch.contacts[static_cast<std::size_t>(kept)] = contact;
    if (kept != i) {
      std::copy_n(batch.H.data() + i * stride, stride, batch.H.data() + kept * stride);
      if (moving) std::copy_n(batch.h_t.data() + i * rows, rows, batch.h_t.data() + kept * rows);
    }
    ++kept;
  }
  batch.contacts.resize(static_cast<std::size_t>(kept));
  batch.H.resize(static_cast<std::size_t>(kept * stride));
  if (moving) batch.h_t.resize(static_cast<std::size_t>(kept * rows));
}

}  // namespace nonsmooth
