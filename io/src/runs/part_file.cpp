// SPDX-License-Identifier: Apache-2.0
#include "part_file.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <system_error>
#include <thread>
#include <utility>

#include <unistd.h>

#include <nonsmooth/io/problem_file.hpp>

#include "layout.hpp"
#include "writer_lock.hpp"

namespace nonsmooth::runs {

using problem_files::Hdf5Objects;

namespace {

constexpr std::size_t flags_at = 11;  ///< of the superblock, versions 2 and 3: not 0 while somebody writes

/// How the library opens what has a format of 1.10.
Hdf5Handle latest_format() {
  Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  if (access.valid()) H5Pset_libver_bounds(access.id(), H5F_LIBVER_V110, H5F_LIBVER_V110);
  return access;
}

/// Marks the file of a writer that was killed as closed, as h5clear does, with its length as it is. The library's two
/// properties are those that h5clear sets.
void clear_flags(const std::filesystem::path& path) {
  if (::access(path.c_str(), W_OK) != 0) return;
  const Hdf5Handle access = latest_format();
  const hbool_t yes = true;
  if (!access.valid() || H5Pset(access.id(), "clear_status_flags", &yes) < 0 ||
      H5Pset(access.id(), "skip_eof_check", &yes) < 0) {
    return;
  }
  const Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, access.id()), H5Fclose);
  if (file.valid()) H5Fincrement_filesize(file.id(), 0);  // or else the library would cut off what it never counted
}

}  // namespace

PartFile::PartFile(const std::filesystem::path& path) : name_(path.string()) {
  part.path = path;
  std::error_code error;
  if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error))
    throw FileError(name_ + ": found no regular file, expected a run");
  stream_.open(path, std::ios::binary);
  if (!stream_) throw FileError(name_ + ": cannot be opened for reading");
  peek_ = [this](std::uint64_t address, std::size_t count) {
    std::string bytes(count, '\0');
    stream_.clear();
    stream_.seekg(static_cast<std::streamoff>(address));
    stream_.read(bytes.data(), static_cast<std::streamsize>(count));
    bytes.resize(static_cast<std::size_t>(std::max<std::streamsize>(stream_.gcount(), 0)));
    return bytes;
  };
  open(false);
}

PartFile::PartFile(std::span<const char> bytes, const std::string& name)
    : name_(name), image_(bytes.begin(), bytes.end()) {
  part.path = name;
  peek_ = [this](std::uint64_t address, std::size_t count) {
    if (address >= image_.size()) return std::string();
    return std::string(image_.data() + address, std::min(count, image_.size() - address));
  };
  open(true);
}

PartFile::~PartFile() = default;

void PartFile::open(bool in_memory) {
  if (const std::string head = peek_(0, 8); !problem_files::is_hdf5(head))
    throw FormatError(name_ + ": found " + (head.empty() ? "no byte" : "other first bytes") +
                      ", expected a run of HDF5");
  std::error_code error;
  const std::uint64_t size = in_memory ? image_.size() : std::filesystem::file_size(part.path, error);
  problem_files::require_checksums(name_, peek_, size);
  if (in_memory) {
    const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    constexpr std::size_t increment = 65'536;
    std::vector<char> copy = image_;
    if (!access.valid() || H5Pset_fapl_core(access.id(), increment, false) < 0 ||
        H5Pset_file_image(access.id(), copy.data(), copy.size()) < 0) {
      throw FileError(name_ + ": HDF5 could not be started");
    }
    file_ = Hdf5Handle(H5Fopen("/dev/null/image", H5F_ACC_RDONLY, access.id()), H5Fclose);
  } else {
    const bool marked = is_marked();
    live = marked && is_written(part.path);
    if (marked && !live) clear_flags(part.path);
    open_shared();
  }
  if (!file_.valid()) {
    problem_files::require_whole(name_, peek_, size);
    throw FormatError(name_ + ": found no readable HDF5 file, expected a run");
  }
  objects_.emplace(file_.id(), name_, size, peek_);
  if (live) objects_->grow(size);
  read_head();
  read_model();
  open_sets();
  refresh();
}

bool PartFile::is_marked() const { return peek_(flags_at, 1) != std::string(1, '\0'); }

/// Another reader of a run whose writer was killed has the file to itself while it marks it as closed: some
/// milliseconds.
void PartFile::open_shared() {
  using std::chrono::steady_clock;
  const auto until = steady_clock::now() + std::chrono::seconds(1);
  const Hdf5Handle access = latest_format();
  for (bool again = false;;) {
    const unsigned how = is_marked() ? H5F_ACC_RDONLY | H5F_ACC_SWMR_READ : H5F_ACC_RDONLY;
    file_ = Hdf5Handle(H5Fopen(part.path.c_str(), how, access.id()), H5Fclose);
    if (file_.valid()) return;
    const bool held = is_held(part.path);
    if (held && steady_clock::now() > until) throw FileError(name_ + ": another program has it open");
    if (!held && std::exchange(again, true)) return;
    if (held) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

void PartFile::read_head() {
  if (const std::string found = objects_->text("/", "format", false); found != format)
    objects_->fail("/", found.empty() ? "no format" : "the format '" + found + "'", "'" + std::string(format) + "'");
  if (const std::int64_t found = objects_->version(); found != version)
    objects_->fail("/", "version " + std::to_string(found), std::to_string(version));
  const auto integer = [&](const char* key) {
    const auto value = objects_->integer("/", key);
    if (!value) objects_->fail("/, attribute '" + std::string(key) + "'", "nothing", "an integer");
    return *value;
  };
  number = integer("part");
  if (number < 0 || number > problem_files::largest_size)
    objects_->fail("/", "part " + std::to_string(number), "0, 1...");
  about.run = static_cast<std::uint64_t>(integer("run"));
  about.seed = static_cast<std::uint64_t>(integer("seed"));
  objects_->require_group("/about");
  for (const AboutText& one : about_texts) about.*one.text = objects_->bytes(one.path);
}

void PartFile::read_model() {
  objects_->require_group("/model");
  const std::vector<Index> sizes = objects_->integers("/model/sizes", num_run_arrays, 0, problem_files::largest_size);
  objects_->require_size("/model/sizes", sizes.size(), num_run_arrays);
  std::copy(sizes.begin(), sizes.end(), part.sizes.begin());
  const auto numbers = [&](const std::string& path, Index width, std::size_t names) {
    std::vector<std::int64_t> values = objects_->integer_table(path, width);
    objects_->require_size(path, values.size(), static_cast<Index>(names) * width);
    return values;
  };
  const auto require_inside = [&](const std::string& path, std::size_t i, std::int64_t first, std::int64_t count,
                                  Index size) {
    if (first >= 0 && count >= 0 && first <= size && count <= size - first) return;
    objects_->fail(path,
                   std::to_string(count) + " entries from " + std::to_string(first) + " in row " + std::to_string(i),
                   "some of " + std::to_string(size));
  };
  const std::vector<std::string> systems = split(objects_->bytes("/model/system_names"), '\0');
  const std::vector<std::int64_t> places = numbers("/model/systems", system_numbers, systems.size());
  for (std::size_t i = 0; i < systems.size(); ++i) {
    const std::int64_t* const row = places.data() + i * system_numbers;
    require_inside("/model/systems", i, row[0], row[1], part.sizes[0]);
    require_inside("/model/systems", i, row[2], row[3], part.sizes[1]);
    part.systems.push_back({systems[i], row[0], row[1], row[2], row[3], row[4] != 0});
  }
  const std::vector<std::string> interactions = split(objects_->bytes("/model/interaction_names"), '\0');
  std::vector<std::string> laws = split(objects_->bytes("/model/laws"), '\0');
  objects_->require_size("/model/laws", laws.size(), static_cast<Index>(interactions.size()));
  const std::vector<std::int64_t> rows = numbers("/model/interactions", interaction_numbers, interactions.size());
  const std::vector<Index> begin = objects_->rising("/model/linked_begin", false);
  objects_->require_size("/model/linked_begin", begin.size(), static_cast<Index>(interactions.size()) + 1);
  const std::vector<Index> linked = objects_->integers("/model/linked", 0, 0, static_cast<Index>(systems.size()) - 1);
  objects_->require_size("/model/linked", linked.size(), begin.back());
  for (std::size_t i = 0; i < interactions.size(); ++i) {
    const std::int64_t* const row = rows.data() + i * interaction_numbers;
    const Index size = *std::max_element(part.sizes.begin() + 2, part.sizes.end());
    require_inside("/model/interactions", i, row[0], row[1], size);
    require_inside("/model/interactions", i, row[0] + row[1], row[2], size);
    part.interactions.push_back({interactions[i],
                                 laws[i],
                                 row[0],
                                 row[1],
                                 row[2],
                                 row[3] != 0,
                                 {linked.begin() + begin[i], linked.begin() + begin[i + 1]}});
  }
}

void PartFile::open_sets() {
  const auto set = [&](const char* path, ChunkedType type, Index width) {
    return std::optional<ChunkedSet>(std::in_place, file_.id(), *objects_, path, type, width);
  };
  objects_->require_group("/steps");
  columns = split(objects_->text("/steps/values", "columns"), ' ');
  values_ = set("/steps/values", ChunkedType::Real, static_cast<Index>(columns.size()));
  if (columns.size() < counted_columns.size() + 1 || columns.front() != "t" ||
      !std::equal(counted_columns.begin(), counted_columns.end(), columns.end() - counted_columns.size())) {
    objects_->fail("/steps/values, attribute 'columns'", "other names", "t first, the writer's own last");
  }
  hashes_ = set("/steps/hash", ChunkedType::Natural, 1);
  solvers_ = set("/steps/solver", ChunkedType::Byte, static_cast<Index>(solver_width));
  for (std::size_t a = 0; a < num_run_arrays; ++a) {
    if (part.sizes[a] == 0) continue;
    const std::string path = "/steps/" + std::string(to_string(static_cast<RunArray>(a)));
    arrays_[a] = set(path.c_str(), ChunkedType::Real, part.sizes[a]);
  }
  objects_->require_group("/contacts");
  contact_values_ = set("/contacts/values", ChunkedType::Real, -1);
  if (contact_values_->columns() != contact_numbers && contact_values_->columns() != contact_numbers_with_forces)
    objects_->fail("/contacts/values", std::to_string(contact_values_->columns()) + " columns", "10 or 13");
  contact_names_ = set("/contacts/names", ChunkedType::Integer, contact_names);
  objects_->require_group("/events");
  events_ = set("/events/values", ChunkedType::Real, event_numbers);
  objects_->require_group("/checkpoints");
  checkpoint_bytes_ = set("/checkpoints/bytes", ChunkedType::Byte, 1);
  checkpoint_index_ = set("/checkpoints/index", ChunkedType::Real, checkpoint_numbers);
  end_ = set("/end", ChunkedType::Byte, 1);
}

bool PartFile::refresh() {
  const Index before = part.num_steps;
  const bool was_closed = part.closed, was_live = live;
  if (live) {
    live = is_written(part.path);  // first: what is written until then is seen below
    std::error_code error;
    if (const auto size = std::filesystem::file_size(part.path, error); !error) objects_->grow(size);
    for (std::optional<ChunkedSet>* set : {&values_, &hashes_, &solvers_, &contact_values_, &contact_names_, &events_,
                                           &checkpoint_index_, &checkpoint_bytes_, &end_}) {
      (*set)->refresh(*objects_);
    }
    for (std::optional<ChunkedSet>& set : arrays_) {
      if (set) set->refresh(*objects_);
    }
  }
  count_steps();
  part.end.clear();
  end_->read_bytes(*objects_, 0, end_->rows(), part.end);
  part.closed = end_->rows() > 0;
  return part.num_steps > before || part.closed != was_closed || live != was_live;
}

/// What is whole of a file whose writer was killed, or goes on: a step of which each set has its rows.
void PartFile::count_steps() {
  Index steps = std::min({values_->rows(), hashes_->rows(), solvers_->rows()});
  for (const std::optional<ChunkedSet>& set : arrays_) {
    if (set) steps = std::min(steps, set->rows());
  }
  const auto has = [&](const char* count, const char* first, const ChunkedSet& set) {
    if (!values_->is_readable(*objects_, steps - 1)) return false;
    std::vector<double> row;
    read_columns(0, values_->columns(), steps - 1, steps, row);
    const double end = row[static_cast<std::size_t>(column(first))] + row[static_cast<std::size_t>(column(count))];
    return !(end > static_cast<double>(set.rows()));
  };
  while (steps > part.num_steps && end_->rows() == 0 &&
         !(has("contacts", "first_contact", *contact_values_) && has("contacts", "first_contact", *contact_names_) &&
           has("events", "first_event", *events_))) {
    --steps;
  }
  // The last chunk of a writer that was killed may be half written.
  while (steps > part.num_steps && !live && end_->rows() == 0) {
    const Index last = steps - 1;
    const auto readable = [&](const std::optional<ChunkedSet>& set) {
      return !set || set->is_readable(*objects_, last);
    };
    if (readable(values_) && readable(hashes_) && readable(solvers_) &&
        std::all_of(arrays_.begin(), arrays_.end(), readable)) {
      break;
    }
    steps = values_->chunk_begin(last);
  }
  if (!live && end_->rows() == 0) steps = steps_before_zeros(steps);
  part.num_steps = std::max(part.num_steps, steps);
}

/// Rows of zeros at the end of the last chunk, behind a later t, are what a chunk is filled up with: no steps.
Index PartFile::steps_before_zeros(Index steps) const {
  if (steps <= part.num_steps) return steps;
  const Index begin = std::max(values_->chunk_begin(steps - 1), part.num_steps), width = values_->columns();
  std::vector<double> rows;
  read_columns(0, width, begin, steps, rows);
  const auto is_zero = [&](Index step) {
    const double* const row = rows.data() + (step - begin) * width;
    return std::all_of(row, row + width, [](double x) { return x == 0.0; });
  };
  Index last = steps;
  while (last > begin && is_zero(last - 1)) --last;
  if (last == steps || last == begin) return steps;
  return rows[static_cast<std::size_t>((last - begin - 1) * width)] > 0.0 ? last : steps;
}

Index PartFile::column(std::string_view name) const {
  const auto found = std::find(columns.begin(), columns.end(), name);
  return found == columns.end() ? -1 : found - columns.begin();
}

void PartFile::read_columns(Index first, Index count, Index begin, Index end, std::vector<double>& values) const {
  values_->read(*objects_, begin, end, first, count, values);
}

void PartFile::read_array(RunArray array, Index first, Index count, Index begin, Index end,
                          std::vector<double>& values) const {
  const std::optional<ChunkedSet>& set = arrays_[static_cast<std::size_t>(array)];
  if (set) set->read(*objects_, begin, end, first, count, values);
}

void PartFile::read_hashes(Index begin, Index end, std::vector<std::uint64_t>& values) const {
  hashes_->read(*objects_, begin, end, 0, 1, values);
}

void PartFile::read_solvers(Index begin, Index end, std::vector<std::string>& names) const {
  std::string bytes;
  solvers_->read_bytes(*objects_, begin, end, bytes);
  for (std::size_t i = 0; i < bytes.size(); i += solver_width) {
    std::string name = bytes.substr(i, solver_width);
    name.resize(std::min(name.find('\0'), name.size()));
    names.push_back(std::move(name));
  }
}

std::array<Index, 2> PartFile::rows_of(const char* count_column, const char* first_column, Index step,
                                       const ChunkedSet& set) const {
  std::vector<double> row;
  read_columns(0, values_->columns(), step, step + 1, row);
  const double count = row[static_cast<std::size_t>(column(count_column))];
  const double first = row[static_cast<std::size_t>(column(first_column))];
  const auto rows = static_cast<double>(set.rows());
  if (!(count >= 0.0 && first >= 0.0 && first + count <= rows && std::floor(count) == count &&
        std::floor(first) == first)) {
    objects_->fail("/steps/values, row " + std::to_string(step) + ", " + count_column,
                   std::to_string(count) + " rows of " + set.path() + " from " + std::to_string(first),
                   "some of its " + std::to_string(set.rows()));
  }
  return {static_cast<Index>(first), static_cast<Index>(first + count)};
}

std::vector<ActingContact> PartFile::contacts(Index step) const {
  const auto [begin, end] = rows_of("contacts", "first_contact", step, *contact_values_);
  if (end > contact_names_->rows()) objects_->fail("/contacts/names", "fewer rows", "those of /contacts/values");
  std::vector<double> numbers, length;
  std::vector<std::int64_t> names;
  const Index width = contact_values_->columns();
  contact_values_->read(*objects_, begin, end, 0, width, numbers);
  contact_names_->read(*objects_, begin, end, 0, contact_names, names);
  const Index length_column = column("length");
  if (length_column >= 0) read_columns(length_column, 1, step, step + 1, length);
  std::vector<ActingContact> contacts(static_cast<std::size_t>(end - begin));
  const auto count = static_cast<std::int64_t>(part.systems.size());
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const double* const x = numbers.data() + i * static_cast<std::size_t>(width);
    const std::int64_t* const name = names.data() + i * contact_names;
    const auto vector = [](const double* from) { return Eigen::Vector3d(from[0], from[1], from[2]); };
    ActingContact& contact = contacts[i];
    contact.point = vector(x);
    contact.normal = vector(x + 3);
    contact.gap = x[6];
    contact.impulse = vector(x + 7);
    if (width == contact_numbers_with_forces) {
      contact.force = vector(x + 10);
    } else if (!length.empty() && length.front() > 0.0) {
      contact.force = contact.impulse / length.front();
    }
    if (name[0] < 0 || name[0] >= count || name[1] < -1 || name[1] >= count || name[4] < 1 || name[4] > 6) {
      objects_->fail("/contacts/names, row " + std::to_string(begin + static_cast<Index>(i)), "other numbers",
                     "two of " + std::to_string(count) + " systems, and 1 to 6 rows");
    }
    contact.first = name[0];
    contact.second = name[1];
    contact.source = name[2];
    contact.feature = static_cast<std::uint64_t>(name[3]);
    contact.rows = name[4];
  }
  return contacts;
}

std::vector<RunEvent> PartFile::events(Index step) const {
  const auto [begin, end] = rows_of("events", "first_event", step, *events_);
  std::vector<double> numbers;
  events_->read(*objects_, begin, end, 0, event_numbers, numbers);
  std::vector<RunEvent> events;
  const auto integer = [&](double value) {
    if (!(std::abs(value) <= 1e15)) objects_->fail("/events/values", "a number out of range", "a small integer");
    return static_cast<Index>(value);
  };
  for (const double* x = numbers.data(); x != numbers.data() + numbers.size(); x += event_numbers)
    events.push_back({x[0], integer(x[1]), integer(x[2]), integer(x[3]), x[4], x[5]});
  return events;
}

std::vector<double> PartFile::checkpoint_index() const {
  std::vector<double> rows;
  Index count = checkpoint_index_->rows();
  // The last row of a writer that was killed, or goes on, may be half written.
  if (count > 0 && !part.closed && !checkpoint_index_->is_readable(*objects_, count - 1)) --count;
  checkpoint_index_->read(*objects_, 0, count, 0, checkpoint_numbers, rows);
  const auto bytes = static_cast<double>(checkpoint_bytes_->rows());
  for (std::size_t i = 0; i < rows.size(); i += checkpoint_numbers) {
    const double step = rows[i + 1], first = rows[i + 2], size = rows[i + 3];
    if (!(step >= 0.0 && step <= 1e15 && first >= 0.0 && size >= 0.0 && first + size <= bytes)) {
      objects_->fail("/checkpoints/index, row " + std::to_string(i / checkpoint_numbers), "a place beyond the bytes",
                     "some of " + std::to_string(checkpoint_bytes_->rows()));
    }
  }
  return rows;
}

std::string PartFile::checkpoint(Index first, Index size) const {
  std::string bytes;
  checkpoint_bytes_->read_bytes(*objects_, first, first + size, bytes);
  return bytes;
}

}  // namespace nonsmooth::runs
