// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/io/run_file.hpp>

#include <algorithm>
#include <limits>
#include <system_error>
#include <utility>

#include <nonsmooth/numerics/error.hpp>

#include "layout.hpp"
#include "part_file.hpp"

namespace nonsmooth {

std::string_view to_string(RunArray array) noexcept {
  switch (array) {
    case RunArray::Positions:
      return "positions";
    case RunArray::Unknowns:
      return "unknowns";
    case RunArray::Outputs:
      return "outputs";
    case RunArray::Velocities:
      return "velocities";
    case RunArray::Multipliers:
      return "multipliers";
    case RunArray::Percussions:
      return "percussions";
    case RunArray::Forces:
      return "forces";
  }
  return "unknown";
}

std::filesystem::path run_part_path(const std::filesystem::path& first, Index part) {
  if (part == 0) return first;
  std::filesystem::path path = first;
  return path.replace_filename(first.stem().string() + "." + std::to_string(part) + first.extension().string());
}

struct RunFile::Implementation {
  std::filesystem::path first;  ///< where part 0 lies, or would
  std::vector<std::unique_ptr<runs::PartFile>> files;
  std::vector<RunPart> parts;  ///< as those of files, with their places in the run
  std::vector<std::string> columns;
  std::string in_the_way;  ///< what has the name of the next part, and is none

  explicit Implementation(const std::filesystem::path& path) : first(path) {
    const Hdf5Session session;
    try {
      open(path);
    } catch (...) {
      files.clear();  // while the session lasts
      throw;
    }
  }

  void open(const std::filesystem::path& path) {
    files.push_back(std::make_unique<runs::PartFile>(path));
    if (const Index number = files.front()->number; number > 0) {
      const std::string ending = "." + std::to_string(number);
      std::string stem = path.stem().string();
      if (stem.ends_with(ending)) stem.resize(stem.size() - ending.size());
      first.replace_filename(stem + path.extension().string());
    }
    find_parts();
    list();
  }

  ~Implementation() {
    const Hdf5Session session;
    files.clear();
  }

  /// Files of this run behind the last one. Another of that name ends it.
  bool find_parts() {
    const std::size_t before = files.size();
    in_the_way.clear();
    for (;;) {
      const Index number = files.back()->number + 1;
      const std::filesystem::path path = run_part_path(first, number);
      std::error_code error;
      if (!std::filesystem::exists(path, error)) break;
      std::unique_ptr<runs::PartFile> next;
      try {
        next = std::make_unique<runs::PartFile>(path);
      } catch (const FileError& why) {
        in_the_way =
            path.filename().string() + " is left out, which is no file of this run or damaged (" + why.what() + ")";
        break;
      }
      if (next->about.run != files.front()->about.run) {
        in_the_way = path.filename().string() + " is left out, which is of another run";
        break;
      }
      if (next->number != number)
        next->objects().fail("/", "part " + std::to_string(next->number), std::to_string(number));
      files.push_back(std::move(next));
    }
    return files.size() > before;
  }

  void list() {
    parts.clear();
    columns.clear();
    Index step = 0;
    for (const auto& file : files) {
      parts.push_back(file->part);
      parts.back().first_step = step;
      step += parts.back().num_steps;
      for (const std::string& name : file->columns) {
        if (std::find(columns.begin(), columns.end(), name) == columns.end()) columns.push_back(name);
      }
    }
    if (in_the_way.empty()) return;
    std::string& end = parts.back().end;
    end += (end.empty() ? "" : "; ") + in_the_way;
  }

  [[nodiscard]] Index num_steps() const { return parts.back().first_step + parts.back().num_steps; }

  [[nodiscard]] std::size_t part_of(const char* function, Index step) const {
    if (step < 0 || step >= num_steps()) {
      throw InvalidArgument(std::string("RunFile::") + function, "step " + std::to_string(step),
                            "one of " + std::to_string(num_steps()));
    }
    std::size_t part = parts.size() - 1;
    while (parts[part].first_step > step) --part;
    return part;
  }

  [[nodiscard]] std::size_t checked_part(const char* function, Index part) const {
    if (part >= 0 && part < static_cast<Index>(parts.size())) return static_cast<std::size_t>(part);
    throw InvalidArgument(std::string("RunFile::") + function, "part " + std::to_string(part),
                          "one of " + std::to_string(parts.size()));
  }

  /// Calls read(file, begin, end) with steps of each part, for those of the run in [begin, end).
  template <class Read>
  void over_parts(const char* function, Index begin, Index end, Read read) const {
    if (end == -1) end = num_steps();
    if (begin < 0 || end < begin || end > num_steps()) {
      throw InvalidArgument(std::string("RunFile::") + function,
                            "steps " + std::to_string(begin) + " to " + std::to_string(end),
                            "some of " + std::to_string(num_steps()));
    }
    const Hdf5Session session;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const Index low = std::max(begin, parts[p].first_step) - parts[p].first_step;
      const Index high = std::min(end - parts[p].first_step, parts[p].num_steps);
      if (low < high) read(*files[p], low, high);
    }
  }

  /// Columns [entry, entry + count) of an array; count = -1: all.
  [[nodiscard]] std::vector<double> read_array(const char* function, RunArray array, Index entry, Index count,
                                               Index begin, Index end, Index& width) const {
    std::vector<double> values;
    width = 0;
    if (begin == end && parts.empty()) return values;
    const std::size_t part = part_of(function, begin);
    const RunPart& own = parts[part];
    if (end < begin || end > own.first_step + own.num_steps) {
      throw InvalidArgument(std::string("RunFile::") + function,
                            "steps " + std::to_string(begin) + " to " + std::to_string(end),
                            "some of one part, which ends at " + std::to_string(own.first_step + own.num_steps));
    }
    const Index size = own.sizes[static_cast<std::size_t>(array)];
    if (count >= 0 && (entry < 0 || entry >= size)) {
      throw InvalidArgument(std::string("RunFile::") + function, "entry " + std::to_string(entry),
                            "one of the " + std::to_string(size) + " " + std::string(to_string(array)));
    }
    width = count < 0 ? size : count;
    const Hdf5Session session;
    files[part]->read_array(array, entry, width, begin - own.first_step, end - own.first_step, values);
    return values;
  }
};

RunFile::RunFile(const std::filesystem::path& path) : implementation_(std::make_unique<Implementation>(path)) {}
RunFile::~RunFile() = default;
RunFile::RunFile(RunFile&&) noexcept = default;
RunFile& RunFile::operator=(RunFile&&) noexcept = default;

const RunAbout& RunFile::about() const { return implementation_->files.front()->about; }
bool RunFile::live() const { return implementation_->files.back()->live; }

bool RunFile::refresh() {
  const Hdf5Session session;
  bool more = false;
  for (const auto& file : implementation_->files) {
    if (file->live) more = file->refresh() || more;
  }
  more = implementation_->find_parts() || more;
  implementation_->list();
  return more;
}

Index RunFile::num_steps() const { return implementation_->num_steps(); }
const std::vector<RunPart>& RunFile::parts() const { return implementation_->parts; }
Index RunFile::part_of(Index step) const { return static_cast<Index>(implementation_->part_of("part_of", step)); }
const std::vector<std::string>& RunFile::columns() const { return implementation_->columns; }

bool RunFile::has_column(std::string_view name) const {
  return std::find(columns().begin(), columns().end(), name) != columns().end();
}

std::vector<double> RunFile::column(std::string_view name, Index begin, Index end) const {
  if (!has_column(name)) {
    std::string names;
    for (const std::string& one : columns()) names += (names.empty() ? "" : ", ") + one;
    throw InvalidArgument("RunFile::column", "'" + std::string(name) + "'", "one of " + names);
  }
  std::vector<double> values;
  implementation_->over_parts("column", begin, end, [&](const runs::PartFile& file, Index low, Index high) {
    if (const Index column = file.column(name); column >= 0) {
      file.read_columns(column, 1, low, high, values);
    } else {
      values.resize(values.size() + static_cast<std::size_t>(high - low), std::numeric_limits<double>::quiet_NaN());
    }
  });
  return values;
}

std::vector<std::uint64_t> RunFile::hashes(Index begin, Index end) const {
  std::vector<std::uint64_t> values;
  implementation_->over_parts("hashes", begin, end, [&](const runs::PartFile& file, Index low, Index high) {
    file.read_hashes(low, high, values);
  });
  return values;
}

std::vector<std::string> RunFile::solvers(Index begin, Index end) const {
  std::vector<std::string> names;
  implementation_->over_parts("solvers", begin, end, [&](const runs::PartFile& file, Index low, Index high) {
    file.read_solvers(low, high, names);
  });
  return names;
}

RunRows RunFile::rows(RunArray array, Index begin, Index end) const {
  Index width = 0;
  const std::vector<double> values = implementation_->read_array("rows", array, 0, -1, begin, end, width);
  return Eigen::Map<const RunRows>(values.data(), end - begin, width);
}

std::vector<double> RunFile::series(RunArray array, Index entry, Index begin, Index end) const {
  Index width = 0;
  return implementation_->read_array("series", array, entry, 1, begin, end, width);
}

std::vector<ActingContact> RunFile::contacts(Index step) const {
  const std::size_t part = implementation_->part_of("contacts", step);
  const Hdf5Session session;
  return implementation_->files[part]->contacts(step - implementation_->parts[part].first_step);
}

std::vector<RunEvent> RunFile::events(Index step) const {
  const std::size_t part = implementation_->part_of("events", step);
  const Hdf5Session session;
  return implementation_->files[part]->events(step - implementation_->parts[part].first_step);
}

std::vector<RunFile::Checkpoint> RunFile::checkpoints() const {
  std::vector<Checkpoint> checkpoints;
  const Hdf5Session session;
  for (std::size_t p = 0; p < implementation_->files.size(); ++p) {
    const std::vector<double> rows = implementation_->files[p]->checkpoint_index();
    for (std::size_t i = 0; i < rows.size(); i += runs::checkpoint_numbers) {
      // Behind the first `steps` of the part; before them all, the last of the part before.
      checkpoints.push_back({implementation_->parts[p].first_step + static_cast<Index>(rows[i + 1]) - 1, rows[i],
                             static_cast<Index>(rows[i + 3])});
    }
  }
  return checkpoints;
}

std::string RunFile::checkpoint(Index number) const {
  const Hdf5Session session;
  Index left = number;
  for (const auto& file : implementation_->files) {
    const std::vector<double> rows = file->checkpoint_index();
    const auto count = static_cast<Index>(rows.size()) / runs::checkpoint_numbers;
    if (left >= 0 && left < count) {
      const double* const row = rows.data() + left * runs::checkpoint_numbers;
      return file->checkpoint(static_cast<Index>(row[2]), static_cast<Index>(row[3]));
    }
    left -= count;
  }
  throw InvalidArgument("RunFile::checkpoint", std::to_string(number),
                        "one of the run's, of which there are " + std::to_string(number - left));
}

bool RunFile::has(Index part, const std::string& path) const {
  const std::size_t number = implementation_->checked_part("has", part);
  const Hdf5Session session;
  const std::size_t end = path.rfind('/');
  if (end == std::string::npos) return false;
  const problem_files::Hdf5Objects& objects = implementation_->files[number]->objects();
  return (end == 0 || objects.exists(path.substr(0, end))) && objects.exists(path);
}

RunRows RunFile::table(Index part, const std::string& path) const {
  const std::size_t number = implementation_->checked_part("table", part);
  const Hdf5Session session;
  implementation_->files[number]->objects().begin_anew();
  return implementation_->files[number]->objects().table(path);
}

std::vector<std::string> RunFile::texts(Index part, const std::string& path) const {
  const std::size_t number = implementation_->checked_part("texts", part);
  const Hdf5Session session;
  implementation_->files[number]->objects().begin_anew();
  return runs::split(implementation_->files[number]->objects().bytes(path), '\0');
}

}  // namespace nonsmooth
