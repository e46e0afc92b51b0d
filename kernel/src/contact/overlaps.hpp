// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include <nonsmooth/kernel/contact_source.hpp>

namespace nonsmooth {

/// The pairs of shapes that overlap by more than the tolerance of one of their contacts, as interpenetrations() lists
/// them. @throws what ContactSource::shapes_of() throws.
[[nodiscard]] std::vector<Interpenetration> overlaps_of(
    const ContactSource& source, const ContactBatches& found,
    const std::function<double(const DetectedContact& contact)>& tolerance);

}  // namespace nonsmooth
