// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nonsmooth/io/run_file.hpp>

namespace nonsmooth {

/// Numbers that stay during a run, kept under a path such as "/scene/shapes".
struct RunTable {
  std::string path;
  RunRows rows;
};
/// Texts likewise.
struct RunTexts {
  std::string path;
  std::vector<std::string> texts;
};

/// What a file of a run says before its first step.
struct RunDescription {
  RunAbout about{};
  Index part = 0;  ///< which file of the run
  std::vector<RunSystem> systems{};
  std::vector<RunInteraction> interactions{};
  std::array<Index, num_run_arrays> sizes{};  ///< numbers a step of each RunArray
  /// What each step has a number of; the first is "t" [s]. Behind them the writer counts "contacts", "first_contact",
  /// "events" and "first_event".
  std::vector<std::string> columns{"t"};
  /// Contacts have forces of their own. False: a force is the impulse over the step's "length", and not stored.
  bool contact_forces = false;
  std::vector<RunTable> tables{};
  std::vector<RunTexts> texts{};
};

/// One step, by reference.
struct RunStep {
  std::span<const double> values;  ///< one a column of the description
  std::uint64_t hash = 0;          ///< hash_of() the state; 0: not known
  std::array<std::span<const double>, num_run_arrays> arrays{};
  std::string_view solver{};  ///< at most 32 bytes are kept
  std::span<const ActingContact> contacts{};
  std::span<const RunEvent> events{};
};

struct RunWriterOptions {
  int compression = 1;  ///< 0: none, only checksums; 1 to 9: of zlib. What looks random is stored as it is
  /// Steps a chunk; 0: as many as make about 1 MB, at least 1 and at most 4096. A program that is killed loses at most
  /// the steps of one chunk. At most 10^6, and chunks of at most 2^30 bytes a data set.
  Index chunk_steps = 0;
  /// A chunk that is not full is written all the same where the last one is older [s]. 0: never.
  double flush_after = 5.0;
  bool overwrite = false;  ///< a run of this name that exists is replaced, all its files, once the new one has begun

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// Writes one file of a run, step by step: what Recorder does behind a simulation, for programs whose steps come from
/// elsewhere. The file appears under its name as soon as it can be read, and whatever ends the program, all chunks that
/// were written are there: HDF5's order of single writers, what a row refers to before the row. Space on the disk is
/// taken before it is written to, so that a full disk leaves the file whole.
///
///     RunWriter writer("run.h5", {.about = {.name = "pendulum"}, .systems = {{"ball", 0, 2, 0, 2}},
///                                 .sizes = {2, 2}, .columns = {"t", "kinetic"}});
///     writer.add({.values = {...}, .arrays = {q, v}});
///     writer.close();
class RunWriter {
 public:
  /// @throws FileError: it exists, or cannot be made; InvalidArgument: a description that does not fit itself, chunks
  /// that are too large.
  RunWriter(const std::filesystem::path& path, const RunDescription& description, const RunWriterOptions& options = {});
  ~RunWriter();  ///< closes; what goes wrong then is not told
  RunWriter(RunWriter&&) noexcept;
  RunWriter& operator=(RunWriter&&) noexcept;

  /// @throws FileError, which says what is in the file (no later call writes anything); InvalidArgument: a size that
  /// differs from the description.
  void add(const RunStep& step);
  /// Contacts of the step that is added next, before those of its own list: of one who has them some at a time. @throws
  /// as add()
  void add_contacts(std::span<const ActingContact> contacts);
  /// Bytes of a whole state behind the steps added so far. @throws FileError
  void add_checkpoint(double t, std::span<const char> bytes);
  void flush();  ///< writes the steps added so far, as a chunk that is not full. @throws FileError
  /// Writes what is left, and how the run ended. @throws FileError
  void close(std::string_view end = "closed");

  [[nodiscard]] const std::filesystem::path& path() const;
  [[nodiscard]] Index chunk_steps() const;  ///< steps a chunk
  [[nodiscard]] Index num_steps() const;    ///< added
  [[nodiscard]] Index num_written() const;  ///< of these, in the file
  [[nodiscard]] Index num_whole()
      const;  ///< of these, in chunks that are full, or of a closed file: never written again

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace nonsmooth
