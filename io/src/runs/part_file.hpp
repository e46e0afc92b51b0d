// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nonsmooth/io/run_file.hpp>

#include "chunked_set.hpp"

namespace nonsmooth::runs {

/// One file of a run, opened. What reads wants a session of HDF5.
class PartFile {
 public:
  /// @throws FileError where it cannot be opened, FormatError where it is no run, or damaged.
  explicit PartFile(const std::filesystem::path& path);
  /// From a copy in memory, e.g. for fuzzing; `name` stands for the file in messages. Throws likewise.
  PartFile(std::span<const char> bytes, const std::string& name);
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;
  ~PartFile();

  RunPart part;  ///< num_steps as of refresh()
  RunAbout about;
  Index number = 0;                  ///< which part it says it is
  bool live = false;                 ///< somebody writes it
  std::vector<std::string> columns;  ///< of a step

  /// Steps that were written since. True where there are any, or it was closed.
  bool refresh();

  [[nodiscard]] const problem_files::Hdf5Objects& objects() const { return *objects_; }
  [[nodiscard]] Index column(std::string_view name) const;  ///< -1: none

  // Steps, contacts, events of this part.
  void read_columns(Index first, Index count, Index begin, Index end, std::vector<double>& values) const;
  void read_array(RunArray array, Index first, Index count, Index begin, Index end, std::vector<double>& values) const;
  void read_hashes(Index begin, Index end, std::vector<std::uint64_t>& values) const;
  void read_solvers(Index begin, Index end, std::vector<std::string>& names) const;
  [[nodiscard]] std::vector<ActingContact> contacts(Index step) const;
  [[nodiscard]] std::vector<RunEvent> events(Index step) const;
  [[nodiscard]] std::vector<double> checkpoint_index() const;  ///< checkpoint_numbers each
  [[nodiscard]] std::string checkpoint(Index first, Index size) const;

 private:
  void open(bool in_memory);
  [[nodiscard]] bool is_marked() const;  ///< as one that somebody writes
  void open_shared();
  void read_head();
  void read_model();
  void open_sets();
  void count_steps();
  [[nodiscard]] Index steps_before_zeros(Index steps) const;
  [[nodiscard]] Index count_of(const char* column, Index step) const;
  /// Rows that a step refers to in another set: as many as `count_column` says from `first_column` on.
  [[nodiscard]] std::array<Index, 2> rows_of(const char* count_column, const char* first_column, Index step,
                                             const ChunkedSet& set) const;

  std::string name_;
  std::ifstream stream_;
  std::vector<char> image_;
  problem_files::PeekBytes peek_;
  Hdf5Handle file_;
  std::optional<problem_files::Hdf5Objects> objects_;
  std::optional<ChunkedSet> values_, hashes_, solvers_, contact_values_, contact_names_, events_;
  std::optional<ChunkedSet> checkpoint_bytes_, checkpoint_index_, end_;
  std::array<std::optional<ChunkedSet>, num_run_arrays> arrays_;
};

}  // namespace nonsmooth::runs
