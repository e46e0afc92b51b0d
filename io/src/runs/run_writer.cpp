// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/io/run_writer.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <system_error>
#include <utility>

#include <nonsmooth/numerics/error.hpp>

#include "../number.hpp"
#include "../problem_files/hdf5_output.hpp"
#include "appended_set.hpp"
#include "description.hpp"
#include "disk_space.hpp"
#include "layout.hpp"
#include "published_run.hpp"
#include "writer_lock.hpp"

namespace nonsmooth {
namespace {

using problem_files::Hdf5Writer;
using runs::AppendedSet;
using runs::ChunkedType;

constexpr hsize_t kPage = 4096;  // [bytes]
constexpr Index kLeastContacts = 64, kMostContacts = 4096, kEventChunk = 64, kByteChunk = 1 << 16, kEndChunk = 64;
/// From so many numbers a step, and contacts of so many bodies, the time that compressing takes is felt.
constexpr Index kFewNumbers = 4096, kFewBodies = 500;
/// Numbers of a chunk of arrays: 128 kB, which with its planes and its stream stay in the cache of a core.
constexpr Index kTile = 1 << 14;
/// Of the chunks of one data set: readers take up to 2^31.
constexpr Index kLargestChunk = Index{1} << 30;  // [bytes]
/// What the heads and indices of all data sets may take beside chunks.
constexpr std::size_t kHeads = 256 << 10;

/// Of a data set with so many columns, whose chunks have so many rows: about as many as make kTile numbers, in chunks
/// of nearly the same width.
Index columns_of_chunk(Index columns, Index rows) {
  const Index most = std::max<Index>(kTile / rows, 1), chunks = (columns + most - 1) / most;
  return (columns + chunks - 1) / chunks;
}

void require_readable(const RunDescription& description, const RunWriterOptions& options) {
  const Index most = kLargestChunk / runs::widest_row(description);
  if (options.chunk_steps <= std::max<Index>(most, 1)) return;
  throw InvalidArgument("RunWriterOptions::chunk_steps", std::to_string(options.chunk_steps),
                        "0 to " + std::to_string(most) + " of such steps: chunks of at most 2^30 bytes");
}

}  // namespace

void RunWriterOptions::validate() const {
  if (compression < 0 || compression > 9)
    throw InvalidArgument("RunWriterOptions::compression", std::to_string(compression), "0 to 9");
  if (chunk_steps < 0 || chunk_steps > 1'000'000)
    throw InvalidArgument("RunWriterOptions::chunk_steps", std::to_string(chunk_steps), "0 to 1000000");
  if (!(flush_after >= 0.0)) throw InvalidArgument("RunWriterOptions::flush_after", number(flush_after, 6), ">= 0");
}

struct RunWriter::Implementation {
  std::filesystem::path path, begun;  ///< begun: its name until it can be read
  RunWriterOptions options;
  std::array<Index, num_run_arrays> sizes{};
  std::size_t num_columns = 1;  ///< of a description
  std::size_t contact_width = 10;
  std::size_t next_contacts = 0;  ///< added of the step that comes next
  Index chunk_steps = 1, steps = 0, written = 0;
  double t = 0.0;  ///< of the last step written
  double last_t = 0.0;
  Hdf5Handle file;
  runs::WriterLock lock;
  runs::DiskSpace space;
  runs::AppendContext context;
  std::optional<AppendedSet> values, hashes, solvers, contact_values, contact_names, events;
  std::optional<AppendedSet> checkpoint_bytes, checkpoint_index, end;
  std::array<std::optional<AppendedSet>, num_run_arrays> arrays;
  std::vector<double> row;
  bool failed = false, closed = false;
  bool broken = false;  ///< HDF5 could not write what it was given
  std::chrono::steady_clock::time_point last_write = std::chrono::steady_clock::now();

  Implementation(const std::filesystem::path& at, const RunWriterOptions& given)
      : path(at), begun(at.string() + "." + std::to_string(::getpid()) + ".new"), options(given), context{} {}

  void begin(const RunDescription& description);
  void create();
  void open_sets(const RunDescription& description);
  void add_array(std::optional<AppendedSet>& set, std::span<const double> numbers);
  void add_contacts(std::span<const ActingContact> contacts);
  void reserve_room(std::initializer_list<const std::optional<AppendedSet>*> sets);
  void write_steps();
  void close_all();
  [[noreturn]] void fail(const std::string& why);
  template <class Write>
  void guarded(Write write);
};

void RunWriter::Implementation::create() {
  const int descriptor = ::open(begun.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) throw FileError(path.string() + ": cannot be made: " + std::strerror(errno));
  ::close(descriptor);
  const Hdf5Handle properties(H5Pcreate(H5P_FILE_CREATE), H5Pclose), access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  // Metadata in pages: a write that crosses a page of the system can be cut in two where the writer is killed.
  context.check(properties.valid() && access.valid() && H5Pset_obj_track_times(properties.id(), false) >= 0 &&
                H5Pset_file_space_strategy(properties.id(), H5F_FSPACE_STRATEGY_PAGE, false, 1) >= 0 &&
                H5Pset_file_space_page_size(properties.id(), kPage) >= 0 &&
                H5Pset_libver_bounds(access.id(), H5F_LIBVER_V110, H5F_LIBVER_V110) >= 0);
  file = Hdf5Handle(H5Fcreate(begun.c_str(), H5F_ACC_TRUNC, properties.id(), access.id()), H5Fclose);
  context.check(file.valid());
  context.file = file.id();
  lock = runs::WriterLock(begun);
  space = runs::DiskSpace(lock.descriptor(), path);
}

void RunWriter::Implementation::open_sets(const RunDescription& description) {
  Hdf5Writer writer(file.id(), path.string());
  for (const char* group : {"/steps", "/contacts", "/events", "/checkpoints"}) writer.group(group);
  const auto columns = static_cast<Index>(num_columns + runs::counted_columns.size());
  const auto list = [](auto begin, auto last) {
    std::string text;
    for (; begin != last; ++begin) text += (text.empty() ? "" : " ") + std::string(*begin);
    return text;
  };
  values.emplace(context, "/steps/values", ChunkedType::Real, columns, chunk_steps, false);
  writer.attribute("/steps/values", "columns",
                   list(description.columns.begin(), description.columns.end()) + " " +
                       list(runs::counted_columns.begin(), runs::counted_columns.end()));
  hashes.emplace(context, "/steps/hash", ChunkedType::Natural, 1, chunk_steps, false);
  solvers.emplace(context, "/steps/solver", ChunkedType::Byte, static_cast<Index>(runs::solver_width), chunk_steps,
                  false);
  for (std::size_t a = 0; a < num_run_arrays; ++a) {
    if (sizes[a] == 0) continue;
    const Index rows = sizes[a] > kTile ? 1 : chunk_steps;
    arrays[a].emplace(context, "/steps/" + std::string(to_string(static_cast<RunArray>(a))), ChunkedType::Real,
                      sizes[a], rows, false, sizes[a] > kFewNumbers, columns_of_chunk(sizes[a], rows));
  }
  const Index contacts = std::clamp<Index>(2 * static_cast<Index>(description.systems.size()) * chunk_steps,
                                           kLeastContacts, kMostContacts);
  const Index numbers = description.contact_forces ? runs::contact_numbers_with_forces : runs::contact_numbers;
  contact_width = static_cast<std::size_t>(numbers);
  const bool many = static_cast<Index>(description.systems.size()) > kFewBodies;
  contact_values.emplace(context, "/contacts/values", ChunkedType::Real, numbers, contacts, true, many);
  writer.attribute("/contacts/values", "columns",
                   list(runs::contact_columns.begin(), runs::contact_columns.begin() + numbers));
  contact_names.emplace(context, "/contacts/names", ChunkedType::Integer, runs::contact_names, contacts, true, many);
  writer.attribute("/contacts/names", "columns",
                   list(runs::contact_name_columns.begin(), runs::contact_name_columns.end()));
  events.emplace(context, "/events/values", ChunkedType::Real, runs::event_numbers, kEventChunk, false);
  writer.attribute("/events/values", "columns", list(runs::event_columns.begin(), runs::event_columns.end()));
  checkpoint_bytes.emplace(context, "/checkpoints/bytes", ChunkedType::Byte, 1, kByteChunk, false);
  checkpoint_index.emplace(context, "/checkpoints/index", ChunkedType::Real, runs::checkpoint_numbers, 1, false);
  end.emplace(context, "/end", ChunkedType::Byte, 1, kEndChunk, false);
}

void RunWriter::Implementation::begin(const RunDescription& description) {
  sizes = description.sizes;
  num_columns = description.columns.size();
  chunk_steps = options.chunk_steps > 0 ? options.chunk_steps : runs::chosen_chunk_steps(description);
  row.resize(num_columns + runs::counted_columns.size());
  context.level = options.compression;
  context.encoder.set_level(options.compression);
  context.check = [this](bool good) {
    if (good) return;
    broken = true;
    throw FileError(path.string() + ": could not be written");
  };
  context.reserve = [this](std::size_t bytes) {
    hsize_t size = 0;
    context.check(H5Fget_filesize(file.id(), &size) >= 0);
    try {
      space.reserve(size + bytes + kHeads);
    } catch (const FileError&) {
      broken = broken || context.raised;  // closed, it would have rows that were never written
      throw;
    }
  };
  runs::require_regular_file(path);
  if (!options.overwrite) runs::require_new_run(path, description.part);
  const Hdf5Session session;
  std::vector<std::filesystem::path> old_parts;
  if (options.overwrite) old_parts = runs::parts_to_replace(path, description.part);
  try {
    create();
    context.reserve(runs::described_bytes(description) + kHeads);
    Hdf5Writer writer(file.id(), path.string());
    runs::write_description(writer, description);
    open_sets(description);
    context.check(H5Fflush(file.id(), H5F_SCOPE_GLOBAL) >= 0 && H5Fstart_swmr_write(file.id()) >= 0);
    runs::publish_run(begun, path, options.overwrite, old_parts);
  } catch (...) {
    ::unlink(begun.c_str());
    close_all();
    throw;
  }
}

/// Closes everything. What could not be written is left open: the library would try again, and the file is whole as it
/// was last flushed.
void RunWriter::Implementation::close_all() {
  closed = true;
  const auto leave = [this](std::optional<AppendedSet>& set) {
    if (set && broken) set->abandon();
    set.reset();
  };
  for (std::optional<AppendedSet>* set : {&values, &hashes, &solvers, &contact_values, &contact_names, &events,
                                          &checkpoint_bytes, &checkpoint_index, &end}) {
    leave(*set);
  }
  for (std::optional<AppendedSet>& set : arrays) leave(set);
  if (broken) {
    file.release();
  } else {
    broken = !file.close();
    space.give_back();
  }
  lock = {};
}

void RunWriter::Implementation::fail(const std::string& why) {
  failed = true;
  throw FileError(why + "; " + std::to_string(written) + " steps" +
                  (written > 0 ? ", to t = " + number(t, 6) + "," : "") + " are in the file");
}

void RunWriter::Implementation::add_contacts(std::span<const ActingContact> contacts) {
  if (contacts.empty()) return;
  std::array<double*, runs::contact_numbers_with_forces> x{};
  std::array<std::int64_t*, runs::contact_names> names{};
  for (std::size_t j = 0; j < contact_width; ++j) x[j] = contact_values->grow<double>(j, contacts.size());
  for (std::size_t j = 0; j < names.size(); ++j) names[j] = contact_names->grow<std::int64_t>(j, contacts.size());
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const ActingContact& one = contacts[i];
    for (std::size_t k = 0; k < 3; ++k) {
      const auto c = static_cast<Index>(k);
      x[k][i] = one.point[c];
      x[3 + k][i] = one.normal[c];
      x[7 + k][i] = one.impulse[c];
      if (x[10] != nullptr) x[10 + k][i] = one.force[c];
    }
    x[6][i] = one.gap;
    names[0][i] = one.first;
    names[1][i] = one.second;
    names[2][i] = one.source;
    names[3][i] = static_cast<std::int64_t>(one.feature);
    names[4][i] = one.rows;
  }
  contact_values->added(contacts.size());
  contact_names->added(contacts.size());
  next_contacts += contacts.size();
}

/// Room for all of these: none of them is written where one would not fit.
void RunWriter::Implementation::reserve_room(std::initializer_list<const std::optional<AppendedSet>*> sets) {
  std::size_t bytes = kHeads;
  for (const std::optional<AppendedSet>* set : sets) bytes += *set ? (*set)->room() : 0;
  context.reserve(bytes);
}

/// Rows in the order in which they refer to one another, those that refer last.
void RunWriter::Implementation::write_steps() {
  reserve_room({&contact_values, &contact_names, &events, &arrays[0], &arrays[1], &arrays[2], &arrays[3], &arrays[4],
                &arrays[5], &arrays[6], &solvers, &hashes, &values});
  const bool between_steps = next_contacts == 0;  // or rows of the next step would not follow one another
  contact_values->write(between_steps);
  contact_names->write(between_steps);
  events->write(true);
  for (std::optional<AppendedSet>& set : arrays) {
    if (set) set->write(false);
  }
  solvers->write(false);
  hashes->write(false);
  values->write(false);
  context.raised = false;
  written = steps;
  t = last_t;
  last_write = std::chrono::steady_clock::now();
}

template <class Write>
void RunWriter::Implementation::guarded(Write write) {
  if (failed) throw FileError(path.string() + ": could not be written before");
  if (closed) throw FileError(path.string() + ": is closed");
  const Hdf5Session session;
  try {
    write();
  } catch (const FileError& error) {
    fail(error.what());
  }
}

/// A long row is written at once; no step refers to it yet.
void RunWriter::Implementation::add_array(std::optional<AppendedSet>& set, std::span<const double> numbers) {
  if (!set) return;
  if (set->takes_rows()) {
    guarded([&] { set->write_row(numbers); });
  } else {
    set->append(numbers);
  }
}

RunWriter::RunWriter(const std::filesystem::path& path, const RunDescription& description,
                     const RunWriterOptions& options) {
  options.validate();
  runs::check_description(description);
  require_readable(description, options);
  implementation_ = std::make_unique<Implementation>(path, options);
  implementation_->begin(description);
}

RunWriter::~RunWriter() {
  if (!implementation_) return;
  try {
    close();
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): what is in the file is whole
  }
}
RunWriter::RunWriter(RunWriter&&) noexcept = default;
RunWriter& RunWriter::operator=(RunWriter&&) noexcept = default;

void RunWriter::add(const RunStep& step) {
  Implementation& own = *implementation_;
  const auto require = [](const char* field, std::size_t found, std::size_t expected) {
    if (found != expected) {
      throw InvalidArgument(std::string("RunStep::") + field, std::to_string(found) + " numbers",
                            std::to_string(expected));
    }
  };
  require("values", step.values.size(), own.num_columns);
  for (std::size_t a = 0; a < num_run_arrays; ++a)
    require("arrays", step.arrays[a].size(), static_cast<std::size_t>(own.sizes[a]));
  if (own.failed || own.closed) own.guarded([] {});
  std::copy(step.values.begin(), step.values.end(), own.row.begin());
  double* const counted = own.row.data() + own.num_columns;
  own.add_contacts(step.contacts);
  counted[0] = static_cast<double>(own.next_contacts);
  counted[1] = static_cast<double>(static_cast<std::size_t>(own.contact_values->end()) - own.next_contacts);
  own.next_contacts = 0;
  counted[2] = static_cast<double>(step.events.size());
  counted[3] = static_cast<double>(own.events->end());
  for (const RunEvent& one : step.events) {
    const std::array<double, runs::event_numbers> x = {one.t,
                                                       static_cast<double>(one.kind),
                                                       static_cast<double>(one.interaction),
                                                       static_cast<double>(one.row),
                                                       one.value,
                                                       one.end};
    own.events->append(std::span<const double>(x));
  }
  for (std::size_t a = 0; a < num_run_arrays; ++a) own.add_array(own.arrays[a], step.arrays[a]);
  std::array<char, runs::solver_width> solver{};
  std::copy_n(step.solver.data(), std::min(step.solver.size(), solver.size()), solver.data());
  own.solvers->append_bytes({solver.data(), solver.size()});
  own.hashes->append(std::span<const std::uint64_t>(&step.hash, 1));
  own.values->append(std::span<const double>(own.row));
  ++own.steps;
  own.last_t = step.values.front();
  if (own.contact_values->is_full()) {  // at once, while they are in the cache: no step refers to them yet
    own.guarded([&] {
      own.contact_values->write_full();
      own.contact_names->write_full();
    });
  }
  const auto age = [&own] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - own.last_write).count();
  };
  if (own.values->waiting() >= own.chunk_steps || (own.options.flush_after > 0.0 && age() > own.options.flush_after)) {
    flush();
  }
}

void RunWriter::add_contacts(std::span<const ActingContact> contacts) {
  Implementation& own = *implementation_;
  if (own.failed || own.closed) own.guarded([] {});
  own.add_contacts(contacts);
}

void RunWriter::add_checkpoint(double t, std::span<const char> bytes) {
  Implementation& own = *implementation_;
  own.guarded([&] {
    if (own.written < own.steps) own.write_steps();
    const std::array<double, runs::checkpoint_numbers> row = {t, static_cast<double>(own.steps),
                                                              static_cast<double>(own.checkpoint_bytes->end()),
                                                              static_cast<double>(bytes.size())};
    own.checkpoint_bytes->append_bytes({bytes.data(), bytes.size()});
    own.checkpoint_index->append(std::span<const double>(row));
    own.reserve_room({&own.checkpoint_bytes, &own.checkpoint_index});
    own.checkpoint_bytes->write(true);
    own.checkpoint_index->write(true);
    own.context.raised = false;
  });
}

void RunWriter::flush() {
  Implementation& own = *implementation_;
  own.guarded([&] {
    if (own.written < own.steps) own.write_steps();
  });
}

void RunWriter::close(std::string_view ending) {
  Implementation& own = *implementation_;
  if (own.closed) return;
  std::string why;
  const Hdf5Session session;
  try {
    if (!own.failed) {
      if (own.written < own.steps) own.write_steps();
      own.end->append_bytes(ending.empty() ? "closed" : ending);
      own.end->write(false);
    }
  } catch (const FileError& error) {
    own.failed = true;
    why = error.what();
  }
  const bool was_broken = own.broken;
  own.close_all();
  if (own.broken && !was_broken) why = own.path.string() + ": could not be written to the end";
  if (!why.empty()) own.fail(why);
}

const std::filesystem::path& RunWriter::path() const { return implementation_->path; }
Index RunWriter::chunk_steps() const { return implementation_->chunk_steps; }
Index RunWriter::num_steps() const { return implementation_->steps; }
Index RunWriter::num_written() const { return implementation_->written; }
Index RunWriter::num_whole() const {
  const Implementation& own = *implementation_;
  return own.closed ? own.written : own.steps - own.values->waiting();
}

}  // namespace nonsmooth
