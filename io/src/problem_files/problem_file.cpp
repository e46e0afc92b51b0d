// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/io/problem_file.hpp>

#include <algorithm>
#include <array>
#include <fstream>
#include <new>
#include <ostream>
#include <system_error>

#include <nonsmooth/numerics/error.hpp>

#include "../replaced_file.hpp"
#include "fclib.hpp"
#include "hdf5_file.hpp"
#include "matrix_market.hpp"
#include "mps.hpp"
#include "nl.hpp"
#include "plain_text.hpp"
#include "siconos_text.hpp"

namespace nonsmooth {
namespace {

using problem_files::MarketFile;
using problem_files::MarketFiles;
namespace fs = std::filesystem;

/// Before it is opened: a pipe would keep the reader waiting.
void require_regular(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) throw FileError(path.string() + ": is no regular file");
}

std::string read_whole(const fs::path& path) {
  require_regular(path);
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) throw FileError(path.string() + ": cannot be opened for reading");
  const std::streamoff size = file.tellg();
  if (size < 0) throw FileError(path.string() + ": cannot be read");
  std::string text(static_cast<std::size_t>(size), '\0');
  file.seekg(0);
  file.read(text.data(), size);
  if (!file) throw FileError(path.string() + ": could not be read to the end");
  return text;
}

std::string first_bytes(const fs::path& path) {
  require_regular(path);
  std::ifstream file(path, std::ios::binary);
  if (!file) throw FileError(path.string() + ": cannot be opened for reading");
  std::string bytes(8, '\0');
  file.read(bytes.data(), 8);
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  return bytes;
}

/// NAME.mtx and "_q": NAME_q.mtx.
fs::path beside(const fs::path& path, const char* suffix) {
  fs::path other = path.parent_path() / path.stem();
  other += suffix;
  other += path.extension();
  return other;
}

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
constexpr const char* q_suffix = "_q";
constexpr const char* lower_suffix = "_lower";
constexpr const char* upper_suffix = "_upper";

MarketFile read_beside(const fs::path& path, const char* suffix) {
  const fs::path other = beside(path, suffix);
  if (!fs::exists(other)) return {};
  std::string text = read_whole(other);
  if (text.starts_with(byte_order_mark)) text.erase(0, byte_order_mark.size());
  return {other.string(), std::move(text)};
}

void write_text(const fs::path& path, const std::string& text) {
  replace_file(path, [&](std::ostream& file) { file.write(text.data(), static_cast<std::streamsize>(text.size())); });
}

/// The vectors first, so that the matrix never stands without them; bounds of an earlier problem of this name go.
void write_market_files(const fs::path& path, const MarketFiles& files) {
  write_text(beside(path, q_suffix), files.q.text);
  const std::array<std::pair<const char*, const MarketFile*>, 2> bounds = {
      {{lower_suffix, &files.lower}, {upper_suffix, &files.upper}}};
  for (const auto& [suffix, file] : bounds) {
    std::error_code error;
    if (file->name.empty()) {
      fs::remove(beside(path, suffix), error);
      if (error) throw FileError(beside(path, suffix).string() + ": " + error.message());
    } else {
      write_text(beside(path, suffix), file->text);
    }
  }
  write_text(path, files.matrix.text);
}

ProblemFile require_class(ProblemFile file, const ProblemClass* expected, const std::string& name) {
  if (expected == nullptr || class_of(file.problem) == *expected) return file;
  throw FormatError(name + ": found a problem of class " + std::string(to_string(class_of(file.problem))) +
                    ", expected " + std::string(to_string(*expected)));
}

ProblemFile read_unguarded(const fs::path& path, const ProblemClass* expected) {
  const std::string name = path.string();
  if (problem_files::is_hdf5(first_bytes(path))) return require_class(problem_files::read_hdf5(path), expected, name);
  std::string text = read_whole(path);
  if (text.starts_with(byte_order_mark)) text.erase(0, byte_order_mark.size());
  if (problem_files::is_plain_text(text)) {
    return require_class(problem_files::read_plain_text(text, name), expected, name);
  }
  if (problem_files::is_mps(text)) return require_class(problem_files::read_mps(text, name), expected, name);
  if (problem_files::is_nl(text)) return require_class(problem_files::read_nl(text, name), expected, name);
  if (!problem_files::is_matrix_market(text)) return problem_files::read_siconos_text(text, name, expected);
  return require_class(problem_files::read_matrix_market({.matrix = {name, std::move(text)},
                                                          .q = read_beside(path, q_suffix),
                                                          .lower = read_beside(path, lower_suffix),
                                                          .upper = read_beside(path, upper_suffix)}),
                       expected, name);
}

/// A text may say sizes that its own length allows and this machine does not.
ProblemFile read(const fs::path& path, const ProblemClass* expected) {
  try {
    return read_unguarded(path, expected);
  } catch (const std::bad_alloc&) {
    throw FileError(path.string() + ": needs more memory than there is");
  }
}

ProblemFile read_text(std::string_view text, std::string_view name, const ProblemClass* expected) {
  const std::string file(name);
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  if (problem_files::is_hdf5(text)) throw FormatError(file + ": found HDF5, expected a text");
  if (problem_files::is_plain_text(text)) {
    return require_class(problem_files::read_plain_text(text, name), expected, file);
  }
  if (problem_files::is_mps(text)) return require_class(problem_files::read_mps(text, name), expected, file);
  if (problem_files::is_nl(text)) return require_class(problem_files::read_nl(text, name), expected, file);
  if (!problem_files::is_matrix_market(text)) return problem_files::read_siconos_text(text, name, expected);
  return problem_files::read_matrix_market({.matrix = {file, std::string(text)}});
}

/// NAME_q.mtx would take the place of the vector q of NAME.mtx.
void require_own_name(const fs::path& path) {
  const std::string stem = path.stem().string();
  for (const std::string suffix : {q_suffix, lower_suffix, upper_suffix}) {
    if (!stem.ends_with(suffix)) continue;
    throw InvalidArgument("path", "'" + path.string() + "'",
                          "a name that does not end in " + suffix + ", which is that of a vector beside a matrix");
  }
}

/// What every format gives back: no control characters, and not longer than a title in HDF5 may be.
void require_title(const fs::path& path, std::string_view title) {
  const std::string what = path.string() + ": title";
  if (title.size() > problem_files::longest_title) {
    throw InvalidArgument(what, std::to_string(title.size()) + " bytes",
                          "at most " + std::to_string(problem_files::longest_title));
  }
  for (const char c : title) {
    if ((static_cast<unsigned char>(c) >= ' ' && c != '\x7f') || c == '\t' || c == '\n') continue;
    throw InvalidArgument(what, "the control character " + std::to_string(static_cast<int>(c)),
                          "text in lines without control characters");
  }
}

ProblemClass class_of_one(const lcp::Problem&) noexcept { return ProblemClass::Lcp; }
ProblemClass class_of_one(const lcp::SparseProblem&) noexcept { return ProblemClass::Lcp; }
ProblemClass class_of_one(const relay::Problem&) noexcept { return ProblemClass::Relay; }
ProblemClass class_of_one(const relay::SparseProblem&) noexcept { return ProblemClass::Relay; }
ProblemClass class_of_one(const mlcp::Problem&) noexcept { return ProblemClass::Mlcp; }
ProblemClass class_of_one(const mlcp::SparseProblem&) noexcept { return ProblemClass::Mlcp; }
ProblemClass class_of_one(const qp::Problem&) noexcept { return ProblemClass::Qp; }
ProblemClass class_of_one(const qp::SparseProblem&) noexcept { return ProblemClass::Qp; }
ProblemClass class_of_one(const AffineVi&) noexcept { return ProblemClass::Vi; }
ProblemClass class_of_one(const AffineQuasiVi&) noexcept { return ProblemClass::Quasi; }
ProblemClass class_of_one(const cone_program::Problem&) noexcept { return ProblemClass::ConeProgram; }
ProblemClass class_of_one(const mcp::Problem&) noexcept { return ProblemClass::Mcp; }
ProblemClass class_of_one(const mpcc::Problem&) noexcept { return ProblemClass::Mpcc; }
ProblemClass class_of_one(const mpcc::SparseProblem&) noexcept { return ProblemClass::Mpcc; }
ProblemClass class_of_one(const NonlinearMpcc&) noexcept { return ProblemClass::Mpcc; }
ProblemClass class_of_one(const friction::GlobalProblem& problem) noexcept {
  return problem.K.count(SetKind::Rolling) > 0 ? ProblemClass::GlobalRollingFriction : ProblemClass::GlobalFriction;
}
ProblemClass class_of_one(const mixed::Problem& problem) noexcept {
  const ProductSet& K = problem.K;
  const Index blocks = K.num_blocks();
  if (blocks == 0) return ProblemClass::Mixed;
  if (K.all(SetKind::Box)) return ProblemClass::Relay;
  if (K.all(SetKind::SecondOrderCone)) return ProblemClass::SocLcp;
  const Index sliding = K.count(SetKind::Coulomb2D) + K.count(SetKind::Coulomb3D);
  if (sliding == blocks) return ProblemClass::Friction;
  if (sliding + K.count(SetKind::Rolling) == blocks) return ProblemClass::RollingFriction;
  if (K.count(SetKind::DruckerPrager) + K.count(SetKind::VonMises) == blocks) return ProblemClass::Plasticity;
  return ProblemClass::Mixed;
}

Index num_rows_of_one(const auto& problem) noexcept { return problem.q.size(); }
Index num_rows_of_one(const mlcp::Problem& problem) noexcept {
  return problem.num_equalities() + problem.num_constrained();
}
Index num_rows_of_one(const mlcp::SparseProblem& problem) noexcept {
  return problem.num_equalities() + problem.num_constrained();
}
Index num_rows_of_one(const friction::GlobalProblem& problem) noexcept { return problem.f.size() + problem.w.size(); }
Index num_rows_of_one(const mcp::Problem& problem) noexcept { return problem.size(); }
Index num_rows_of_one(const AffineQuasiVi& problem) noexcept { return problem.size(); }
Index num_rows_of_one(const qp::Problem& problem) noexcept { return problem.num_rows() + problem.num_unknowns(); }
Index num_rows_of_one(const qp::SparseProblem& problem) noexcept { return problem.num_rows() + problem.num_unknowns(); }
Index num_rows_of_one(const cone_program::Problem& problem) noexcept {
  return problem.num_equations() + problem.num_rows() + problem.num_unknowns();
}
Index num_rows_of_mpcc(const auto& problem) noexcept {
  return problem.num_rows() + 2 * problem.num_pairs() + problem.num_unknowns();
}
Index num_rows_of_one(const mpcc::Problem& problem) noexcept { return num_rows_of_mpcc(problem); }
Index num_rows_of_one(const mpcc::SparseProblem& problem) noexcept { return num_rows_of_mpcc(problem); }
Index num_rows_of_one(const NonlinearMpcc& problem) noexcept { return num_rows_of_mpcc(problem); }

}  // namespace

std::string_view to_string(ProblemClass problem_class) noexcept {
  switch (problem_class) {
    case ProblemClass::Lcp:
      return "lcp";
    case ProblemClass::Relay:
      return "relay";
    case ProblemClass::Mlcp:
      return "mlcp";
    case ProblemClass::SocLcp:
      return "soclcp";
    case ProblemClass::Friction:
      return "friction";
    case ProblemClass::Plasticity:
      return "plasticity";
    case ProblemClass::Mixed:
      return "mixed";
    case ProblemClass::RollingFriction:
      return "rolling";
    case ProblemClass::GlobalFriction:
      return "global friction";
    case ProblemClass::GlobalRollingFriction:
      return "global rolling";
    case ProblemClass::Qp:
      return "qp";
    case ProblemClass::Vi:
      return "vi";
    case ProblemClass::ConeProgram:
      return "cone program";
    case ProblemClass::Mcp:
      return "mcp";
    case ProblemClass::Mpcc:
      return "mpcc";
    case ProblemClass::Quasi:
      return "quasi";
  }
  return "unknown";
}

std::string_view to_string(FileFormat format) noexcept {
  switch (format) {
    case FileFormat::SiconosText:
      return "Siconos text";
    case FileFormat::MatrixMarket:
      return "Matrix Market";
    case FileFormat::Hdf5:
      return "HDF5";
    case FileFormat::Fclib:
      return "FCLIB";
    case FileFormat::Text:
      return "text";
    case FileFormat::Mps:
      return "MPS";
    case FileFormat::Nl:
      return "nl";
  }
  return "unknown";
}

ProblemClass class_of(const AnyProblem& problem) noexcept {
  return std::visit([](const auto& one) { return class_of_one(one); }, problem);
}

Index num_rows_of(const AnyProblem& problem) noexcept {
  return std::visit([](const auto& one) { return num_rows_of_one(one); }, problem);
}

FclibFile read_fclib(const fs::path& path) {
  try {
    return problem_files::read_fclib_image(read_whole(path), path.string());
  } catch (const std::bad_alloc&) {
    throw FileError(path.string() + ": needs more memory than there is");
  }
}

void write_fclib(const FclibFile& file, const fs::path& path) {
  std::visit([](const auto& value) { value.validate(); }, file.problem);
  write_complete(path, [&](const fs::path& partial) { problem_files::write_fclib_file(file, partial); });
}

ProblemFile read_problem(const fs::path& path) { return read(path, nullptr); }
ProblemFile read_problem(const fs::path& path, ProblemClass expected) { return read(path, &expected); }

ProblemFile read_problem_text(std::string_view text, std::string_view name) { return read_text(text, name, nullptr); }
ProblemFile read_problem_text(std::string_view text, std::string_view name, ProblemClass expected) {
  return read_text(text, name, &expected);
}

FileFormat format_of(const fs::path& path) {
  const auto lower_case = [](std::string text) {
    for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return text;
  };
  const std::string extension = lower_case(path.extension().string());
  if ((extension == ".h5" || extension == ".hdf5") && lower_case(path.stem().extension().string()) == ".fclib") {
    return FileFormat::Fclib;
  }
  if (extension == ".dat") return FileFormat::SiconosText;
  if (extension == ".txt") return FileFormat::Text;
  if (extension == ".mps" || extension == ".qps") return FileFormat::Mps;
  if (extension == ".mtx") return FileFormat::MatrixMarket;
  if (extension == ".h5" || extension == ".hdf5") return FileFormat::Hdf5;
  throw InvalidArgument("path", "'" + path.string() + "'",
                        "an extension .txt, .dat, .mtx, .mps, .qps, .h5, .hdf5, .fclib.h5 or .fclib.hdf5");
}

void write_problem(const AnyProblem& problem, const fs::path& path, std::string_view title) {
  const FileFormat format = format_of(path);
  std::visit([](const auto& value) { value.validate(); }, problem);
  require_title(path, title);
  if (format == FileFormat::MatrixMarket) require_own_name(path);
  switch (format) {
    case FileFormat::SiconosText:
      return write_text(path, problem_files::siconos_text_of(problem, title));
    case FileFormat::MatrixMarket:
      return write_market_files(path, problem_files::matrix_market_of(problem, title));
    case FileFormat::Hdf5:
      return write_complete(path, [&](const fs::path& partial) { problem_files::write_hdf5(problem, partial, title); });
    case FileFormat::Text:
      return write_text(path, problem_files::plain_text_of(problem, title));
    case FileFormat::Mps:
      return write_text(path, problem_files::mps_of(problem, title));
    case FileFormat::Nl:  // format_of knows no extension that means it
      break;
    case FileFormat::Fclib:
      return write_fclib({.problem = problem, .info = {.title = std::string(title)}}, path);
  }
}

}  // namespace nonsmooth
