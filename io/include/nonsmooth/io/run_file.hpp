// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include <nonsmooth/io/csv.hpp>
#include <nonsmooth/kernel/acting_contacts.hpp>
#include <nonsmooth/numerics/types.hpp>

/// Files of runs: every step of a simulation, as a Recorder (recorder.hpp) or a RunWriter (run_writer.hpp) wrote it.
/// docs/runs.md has the layout, object by object.
namespace nonsmooth {

/// What a run says of itself, in words; empty where nothing is said.
struct RunAbout {
  std::string name{};        ///< of the run
  std::string simulation{};  ///< "TimeStepping", "EventDriven", ..., or what a RunWriter's user says
  std::string program{};     ///< that made it
  std::string version{};     ///< of the library that wrote it
  std::string units{};
  std::string options{};  ///< of the simulation, a line each
  std::string notes{};
  std::string fingerprint{};  ///< of the model (checkpoint.hpp)
  std::uint64_t seed = 0;     ///< of the program's random numbers; 0: none
  std::uint64_t run = 0;      ///< the same number in all files of one run, and in no other

  friend bool operator==(const RunAbout&, const RunAbout&) = default;
};

/// A system of a run's model: where its numbers are (Layout::System).
struct RunSystem {
  std::string name{};
  Index q = 0, nq = 0;  ///< in RunArray::Positions
  Index z = 0, n = 0;   ///< in RunArray::Unknowns: v, or x of first order
  bool first_order = false;

  friend bool operator==(const RunSystem&, const RunSystem&) = default;
};

/// An interaction of a run's model (Layout::Interaction).
struct RunInteraction {
  std::string name{};
  std::string law{};        ///< its name
  Index row = 0, rows = 0;  ///< in RunArray::Outputs, Velocities, Multipliers, Percussions, Forces
  Index auxiliary = 0;      ///< rows of the law's own behind these
  bool first_order = false;
  std::vector<Index> systems{};  ///< that it links, by number

  friend bool operator==(const RunInteraction&, const RunInteraction&) = default;
};

/// The arrays of a State, step by step. Those that a run does not have are of size 0: Forces of time-stepping, all that
/// has a row an interaction where nothing is linked, what its recorder left out.
enum class RunArray : unsigned char { Positions, Unknowns, Outputs, Velocities, Multipliers, Percussions, Forces };
inline constexpr std::size_t num_run_arrays = 7;
/// As in files and on the command line: "positions", ...
[[nodiscard]] std::string_view to_string(RunArray array) noexcept;

/// One row a step, row by row.
using RunRows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Something that happened at an instant of a run by events or by finite elements: Event, with numbers for its handles.
struct RunEvent {
  double t = 0.0;          ///< [s]
  Index kind = 0;          ///< EventKind
  Index interaction = -1;  ///< by number in the part's interactions (Transition: in its systems); -1: none
  Index row = 0;           ///< of the interaction, or which user's event, or transition
  double value = 0.0;      ///< see EventKind
  double end = 0.0;        ///< see Event

  friend bool operator==(const RunEvent&, const RunEvent&) = default;
};

/// One file of a run: a revision of its model.
struct RunPart {
  std::filesystem::path path;
  Index first_step = 0, num_steps = 0;  ///< of the run
  /// Its recorder was closed. False: the run goes on, or was killed; what is there is whole.
  bool closed = false;
  /// How it ended, where it was closed: "closed", or what RunWriter::close() was told. Behind it, of the last part,
  /// which file has the name of the next one and is left out, for it is another's or damaged, and why.
  std::string end{};
  std::vector<RunSystem> systems;
  std::vector<RunInteraction> interactions;
  std::array<Index, num_run_arrays> sizes{};  ///< numbers a step of each RunArray
};

/// Where the part k = 0, 1, ... of a run lies: NAME.h5, NAME.1.h5, NAME.2.h5, ...
[[nodiscard]] std::filesystem::path run_part_path(const std::filesystem::path& first, Index part);

/// Where a Recorder writes the problem of the step on which a run failed: NAME.failed.h5, beside NAME.h5.
[[nodiscard]] std::filesystem::path failed_step_path(const std::filesystem::path& first);

/// A run that is read: all its files as one. A step k counts from 0 over all parts; step 0 is the state that the run
/// began with. Only what is asked for is read, chunk by chunk, and nothing of a file is believed before it is checked.
///
///     const RunFile run("pile.h5");
///     const std::vector<double> t = run.times(), energy = run.column("kinetic");
///     for (const ActingContact& contact : run.contacts(run.num_steps() - 1)) ...
///
/// A run that is still being written is read as far as it is written; refresh() looks for more. One that was killed is
/// read up to its last whole chunk, and marked as closed in the file, as far as it may be written, so that other
/// programs open it too.
///
/// Of what follows, all that reads throws FormatError, naming the file, the object, the row, what was found and what
/// was expected; InvalidArgument for a step, column or entry that is not there. Not for several threads at once.
class RunFile {
 public:
  /// The first file of a run, or a later one: the run from there on. @throws FileError where it cannot be opened,
  /// FormatError where it is no run, or damaged.
  explicit RunFile(const std::filesystem::path& path);
  ~RunFile();
  RunFile(RunFile&&) noexcept;
  RunFile& operator=(RunFile&&) noexcept;

  [[nodiscard]] const RunAbout& about() const;
  /// Somebody writes it at this moment (as of opening, or refresh()).
  [[nodiscard]] bool live() const;
  /// Sees steps and parts that were written since; true where there are any.
  bool refresh();

  [[nodiscard]] Index num_steps() const;
  [[nodiscard]] const std::vector<RunPart>& parts() const;
  [[nodiscard]] Index part_of(Index step) const;  ///< by number in parts()

  /// What each step has a number of: "t" [s], "length" [s], "residual", "kinetic" [J]...: docs/runs.md has them all.
  [[nodiscard]] const std::vector<std::string>& columns() const;
  [[nodiscard]] bool has_column(std::string_view name) const;
  /// Of the steps [begin, end); end = -1: to the last. NaN in parts that lack it.
  [[nodiscard]] std::vector<double> column(std::string_view name, Index begin = 0, Index end = -1) const;
  [[nodiscard]] std::vector<double> times() const { return column("t"); }
  /// hash_of() each state.
  [[nodiscard]] std::vector<std::uint64_t> hashes(Index begin = 0, Index end = -1) const;
  /// The algorithm that solved each step's problem; empty where there was none.
  [[nodiscard]] std::vector<std::string> solvers(Index begin = 0, Index end = -1) const;

  /// An array of the steps [begin, end), which are of one part: end - begin rows.
  [[nodiscard]] RunRows rows(RunArray array, Index begin, Index end) const;
  /// One entry of it, over [begin, end) of one part: a coordinate as a function of time. Cost: that of rows().
  [[nodiscard]] std::vector<double> series(RunArray array, Index entry, Index begin, Index end) const;
  [[nodiscard]] Eigen::VectorXd positions(Index step) const { return row(RunArray::Positions, step); }
  [[nodiscard]] Eigen::VectorXd unknowns(Index step) const { return row(RunArray::Unknowns, step); }
  [[nodiscard]] Eigen::VectorXd outputs(Index step) const { return row(RunArray::Outputs, step); }
  [[nodiscard]] Eigen::VectorXd velocities(Index step) const { return row(RunArray::Velocities, step); }
  [[nodiscard]] Eigen::VectorXd multipliers(Index step) const { return row(RunArray::Multipliers, step); }
  [[nodiscard]] Eigen::VectorXd percussions(Index step) const { return row(RunArray::Percussions, step); }
  [[nodiscard]] Eigen::VectorXd forces(Index step) const { return row(RunArray::Forces, step); }
  [[nodiscard]] Eigen::VectorXd row(RunArray array, Index step) const { return rows(array, step, step + 1).row(0); }

  /// As ActingContacts gave them; systems and sources by number in the step's part.
  [[nodiscard]] std::vector<ActingContact> contacts(Index step) const;
  /// That happened since the step before.
  [[nodiscard]] std::vector<RunEvent> events(Index step) const;

  /// States that were kept whole: the step after which each was written, and its bytes (checkpoint.hpp reads them).
  struct Checkpoint {
    Index step = 0;  ///< of the run
    double t = 0.0;  ///< [s]
    Index size = 0;  ///< bytes
  };
  [[nodiscard]] std::vector<Checkpoint> checkpoints() const;
  [[nodiscard]] std::string checkpoint(Index number) const;

  /// Tables and lists of texts that stay during a part (RunDescription), by path in the file: "/scene/shapes".
  [[nodiscard]] bool has(Index part, const std::string& path) const;
  [[nodiscard]] RunRows table(Index part, const std::string& path) const;
  [[nodiscard]] std::vector<std::string> texts(Index part, const std::string& path) const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// The file of the problem on which this run failed, as its Recorder wrote it (RecorderOptions::failed_step). Nothing
/// where there is none, or it is another run's of that name. Cost: the file is read.
[[nodiscard]] std::optional<std::filesystem::path> failed_step_of(const RunFile& run);

}  // namespace nonsmooth
