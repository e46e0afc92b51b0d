// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nonsmooth/io/run_file.hpp>

namespace nonsmooth {

/// An entry of a RunArray, by what users call it.
struct RunEntry {
  std::string name;  ///< "ball.q1", "ball.v1"; of first order "tank.x1"; "floor.y1", "floor.u1", "floor.p1" (impulse),
                     ///< "floor.percussion1", "floor.f1" (force); of first order "diode.y1", "diode.lambda1"
  RunArray array = RunArray::Positions;
  Index entry = 0;
};

/// All entries of a part, in the order of systems and interactions, counted from 1. A system or interaction without a
/// name is "system 0", "interaction 0"; one whose name another had before it, "name#2".
[[nodiscard]] std::vector<RunEntry> entries_of(const RunPart& part);

/// Columns of the run, then the entries of all its parts, each name once.
[[nodiscard]] std::vector<std::string> series_names(const RunFile& run);

/// Columns and entries of a run by name, read together: each piece of the file once.
class RunSeries {
 public:
  /// The run has to live as long. @throws InvalidArgument: a name that no part has, with those that are near to it.
  RunSeries(const RunFile& run, std::vector<std::string> names);

  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }
  /// The steps [begin, end): a row a step, a column a name; NaN in parts that have it not. @throws what RunFile throws.
  [[nodiscard]] RunRows rows(Index begin, Index end) const;

 private:
  /// Where a name is found in a part.
  struct Place {
    Index column = 0;  ///< of rows()
    RunArray array = RunArray::Positions;
    Index entry = 0;
  };

  const RunFile& run_;
  std::vector<std::string> names_;
  std::vector<Index> columns_;              ///< of rows(), those that are columns of the run
  std::vector<std::vector<Place>> places_;  ///< by part, the others, in the order of their arrays
};

/// One of them, over the steps [begin, end); end = -1: to the last. @throws likewise
[[nodiscard]] std::vector<double> series_of(const RunFile& run, std::string_view name, Index begin = 0, Index end = -1);

}  // namespace nonsmooth
