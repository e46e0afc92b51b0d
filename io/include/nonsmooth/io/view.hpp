// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include <nonsmooth/io/run_file.hpp>

namespace nonsmooth {

struct ViewOptions {
  std::string title{};  ///< empty: the run's name, or the file's
  Index frames = 1000;  ///< at most, >= 2; evenly over time, the first and the last step among them
  /// Of the page, > 0: where it would be larger, fewer contacts a frame are shown, 200 at least, and then fewer frames,
  /// two at least; the page says so.
  double megabytes = 60.0;
  Index contacts_a_frame = 4000;  ///< of the largest forces, >= 0; the page says where there are more
  /// three.js of revision 111 or so, to be put into the page; empty: where Debian's libjs-three has it.
  std::filesystem::path three{};

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// What became of a page.
struct ViewReport {
  Index frames = 0, steps = 0;  ///< shown, of so many recorded
  std::uintmax_t bytes = 0;
  std::string left_out{};  ///< or not shown as it is, in words; empty: nothing
};

/// Writes a run as one page that fetches nothing: bodies with their shapes, contact forces, plots of energy and
/// residual with a cursor that follows the time; of runs without bodies the plots alone. A run of several revisions is
/// one page: bodies, systems and interactions go on by name, shapes are there while their revision has them. Positions
/// are rounded to 16 bits of the box that nearly all of the run fills, quaternions likewise: to 1.5e-5 of it; a body
/// that leaves the box stands at its side, one without a finite position is not drawn, and page and report name both.
/// The page appears under its name when it is complete; an older one stays until then.
/// @throws FileError where the page cannot be written or three.js is not found; InvalidArgument, where `page` is a file
/// of the run too; what reading throws.
ViewReport write_view(const RunFile& run, const std::filesystem::path& page, const ViewOptions& options = {});

}  // namespace nonsmooth
