// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <nonsmooth/io/affine_quasi_vi.hpp>
#include <nonsmooth/io/affine_vi.hpp>
#include <nonsmooth/io/csv.hpp>
#include <nonsmooth/io/nonlinear_mpcc.hpp>
#include <nonsmooth/numerics/cone_program/problem.hpp>
#include <nonsmooth/numerics/friction/global_problem.hpp>
#include <nonsmooth/numerics/lcp/problem.hpp>
#include <nonsmooth/numerics/mcp/problem.hpp>
#include <nonsmooth/numerics/mixed/problem.hpp>
#include <nonsmooth/numerics/mlcp/problem.hpp>
#include <nonsmooth/numerics/mpcc/sparse_problem.hpp>
#include <nonsmooth/numerics/qp/problem.hpp>
#include <nonsmooth/numerics/relay/problem.hpp>

namespace nonsmooth {

/// A problem of any family that can be stored in a file. Second-order cone, plasticity and generic problems, and
/// friction in reduced form, are mixed::Problem: their sets say which they are. The affine mixed complementarity
/// problem is a relay.
using AnyProblem = std::variant<lcp::Problem, lcp::SparseProblem, relay::Problem, mlcp::Problem, mixed::Problem,
                                friction::GlobalProblem, relay::SparseProblem, mlcp::SparseProblem, qp::Problem,
                                qp::SparseProblem, AffineVi, cone_program::Problem, mcp::Problem, mpcc::Problem,
                                mpcc::SparseProblem, AffineQuasiVi, NonlinearMpcc>;

/// The class of a problem, as the command line and the files name it.
enum class ProblemClass : unsigned char {
  Lcp,                    ///< "lcp"
  Relay,                  ///< "relay": bounds; also a mixed::Problem of boxes alone (sparse)
  Mlcp,                   ///< "mlcp"
  SocLcp,                 ///< "soclcp": second-order cones alone
  Friction,               ///< "friction": Coulomb cones alone, 2D or 3D, reduced form
  Plasticity,             ///< "plasticity": Drucker-Prager or von Mises alone
  Mixed,                  ///< "mixed": anything else in reduced form
  RollingFriction,        ///< "rolling": rolling friction, alone or with Coulomb cones, reduced form
  GlobalFriction,         ///< "global friction": friction::GlobalProblem without rolling friction
  GlobalRollingFriction,  ///< "global rolling": friction::GlobalProblem with it
  Qp,                     ///< "qp": convex quadratic and linear programs
  Vi,                     ///< "vi": AffineVi
  ConeProgram,            ///< "cone program": second-order cones
  Mcp,                    ///< "mcp": nonlinear mixed complementarity
  Mpcc,                   ///< "mpcc": quadratic programs with complementarity constraints; NonlinearMpcc
  Quasi,                  ///< "quasi": AffineQuasiVi
};
[[nodiscard]] std::string_view to_string(ProblemClass problem_class) noexcept;
[[nodiscard]] ProblemClass class_of(const AnyProblem& problem) noexcept;
/// Number of rows: n; for an mlcp p + m; for a global form those of A and of H together; for a program those of its
/// optimality conditions, which its certificates count: one a constraint, two a pair of an mpcc and one an unknown.
[[nodiscard]] Index num_rows_of(const AnyProblem& problem) noexcept;

/// How a file is laid out.
enum class FileFormat : unsigned char {
  SiconosText,   ///< ".dat": the text formats of Siconos's numerics
  MatrixMarket,  ///< ".mtx": a matrix M; the vectors of the problem in files beside it (see write_problem)
  Hdf5,          ///< ".h5", ".hdf5": our own layout, every family, lossless (docs/file_formats.md)
  Text,          ///< ".txt": the same by name in a text, but for what is stored in blocks
  Mps,           ///< ".mps", ".qps": linear and convex quadratic programs
  Nl,            ///< ".nl": AMPL's; programs, complementarity problems and both in one, read only
  Fclib,         ///< ".fclib.h5", ".fclib.hdf5": FCLIB's layout on HDF5, friction (see fclib_file.hpp)
};
[[nodiscard]] std::string_view to_string(FileFormat format) noexcept;

/// A file that is not what its format says: truncated, corrupted, of an unknown class. what() names the file, the place
/// (line and column of a text, path of an HDF5 object), what was found and what was expected.
class FormatError : public FileError {
 public:
  using FileError::FileError;
};

/// What a file holds.
struct ProblemFile {
  AnyProblem problem;
  FileFormat format = FileFormat::SiconosText;
  std::string title{};  ///< trailing remarks of a text, the title of an HDF5 or FCLIB file
  std::vector<std::string> unknown_names{},
      row_names{};                  ///< of a program or an mcp, where the file has them; else empty
  bool maximise = false;            ///< the file maximises: `problem` minimises the negative of its objective
  double objective_constant = 0.0;  ///< of the file's objective, which `problem` does not have

  /// The file's objective where that of `problem` has this value.
  [[nodiscard]] double objective(double value) const noexcept {
    return (maximise ? -value : value) + objective_constant;
  }
};

/// Reads a problem; the format is told by the file's first bytes, the class by its content. Our text begins with
/// "nonsmooth-problem" and names its class, MPS with the name of a section, .nl with a g or b and a digit. A Siconos
/// text does not name its class: every layout is tried, and the one that accounts for every number of the file is
/// taken; where several do, `expected` decides. A Siconos generic text keeps no bounds of its relay blocks: they are
/// read as [-1, 1]. Rolling friction in 2D has the very layout of an old form of plasticity: it is read only where it
/// is `expected`, or where the title begins with the line "class: rolling", as it does when written here. Files of
/// FCLIB are told from our own by their content; read_fclib gives the rest of what they hold. A Matrix Market file
/// NAME.mtx needs NAME_q.mtx beside it; with NAME_lower.mtx or NAME_upper.mtx it is a relay. docs/file_formats.md has
/// every layout. One thread at a time reads or writes HDF5; others wait.
/// @throws FileError where it cannot be opened or read; FormatError where it is malformed, holds no class we know or
/// another than `expected`, or could be several (naming them).
[[nodiscard]] ProblemFile read_problem(const std::filesystem::path& path);
[[nodiscard]] ProblemFile read_problem(const std::filesystem::path& path, ProblemClass expected);

/// The same from memory, e.g. for fuzzing; `name` stands for the file in messages. HDF5 is not read from memory.
[[nodiscard]] ProblemFile read_problem_text(std::string_view text, std::string_view name);
[[nodiscard]] ProblemFile read_problem_text(std::string_view text, std::string_view name, ProblemClass expected);

/// The format that the extension of a path means; FCLIB's is told by two. @throws InvalidArgument naming the extensions
/// there are.
[[nodiscard]] FileFormat format_of(const std::filesystem::path& path);

/// Writes a problem in the format of the path's extension, every double so that it reads back bit for bit; the file
/// appears under its name when it is complete. Matrix Market: M in NAME.mtx, the vectors in NAME_q.mtx and, of a relay,
/// NAME_lower.mtx and NAME_upper.mtx; those of an earlier problem of this name do not stay; a NAME that ends in _q,
/// _lower or _upper is refused, for it is that of a vector. FCLIB: the title goes into its information.
/// @throws FileError, and InvalidArgument where the problem is not valid or the format cannot hold it (an mlcp with
/// bounds in Siconos's text, ...), naming what it cannot hold; and for a title of more than 60000 bytes, or with
/// control characters other than tabs and line ends.
void write_problem(const AnyProblem& problem, const std::filesystem::path& path, std::string_view title = {});

}  // namespace nonsmooth
