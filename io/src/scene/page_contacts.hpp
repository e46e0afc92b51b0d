// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <nonsmooth/io/run_file.hpp>

#include "page_bodies.hpp"
#include "page_data.hpp"

namespace nonsmooth::scene {

/// The contacts of a page's frames.
struct PageContacts {
  double largest = 0.0;  ///< force [N]
  double typical = 0.0;  ///< nine of ten are smaller [N]
  Index most_found = 0;  ///< in a frame, before the smallest were left out
};

/// Adds, for each step, the contacts whose forces are the largest, `most` at most, and says how large forces are. A
/// force is that of the contact, or its impulse over the step's length where it has none.
[[nodiscard]] PageContacts add_contacts(const RunFile& run, const PageBodies& bodies, const PageBox& box,
                                        const std::vector<Index>& steps, Index most, PageData& data);

}  // namespace nonsmooth::scene
