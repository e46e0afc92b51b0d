// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <nonsmooth/io/problem_file.hpp>

/// Files of FCLIB, the collection of frictional contact problems, whole: read_problem gives their problem alone.
/// Source: Acary, Brémond, Koziara, Pérignon, FCLIB: a collection of discrete 3D frictional contact problems, 2014.
namespace nonsmooth {

/// What a file says of its problem, in words. Nothing is said where a text is empty, or the number 0.
struct FclibInfo {
  std::string title{}, description{}, math_info{};
  Index degrees_of_freedom = 0;

  friend bool operator==(const FclibInfo&, const FclibInfo&) = default;
};

/// A solution, or a guess of one, in the rows of the problem: bilateral rows last.
struct FclibSolution {
  Eigen::VectorXd v;     ///< of a global form: one number a row of A; else empty
  Eigen::VectorXd r, u;  ///< one number a row of K; u = 0 in bilateral rows
};

/// The problem is one of
///     local:   u = W r + V l + q, V^T r + R l + s = 0   as mixed::Problem, W, V, V^T and R in one matrix,
///     global:  M v = H r + G l + f, u = H^T v + w, G^T v + b = 0   as friction::GlobalProblem, its H being [H G]^T,
/// where bilateral rows (V, R, s, G, b; seldom there) are blocks of one row, SetKind::Free, after the contacts, and l
/// is the end of r.
struct FclibFile {
  AnyProblem problem;
  FclibInfo info{};
  std::optional<FclibSolution> solution{};
  std::vector<FclibSolution> guesses{};
};

/// Reads fclib_local, fclib_global and fclib_global_rolling, of HDF5's older form, which FCLIB writes, and of its newer
/// one; matrices as triplets in both conventions, by columns and by rows (docs/file_formats.md says which is which).
/// A solution of which a vector was never written is left out, as a guess is.
/// @throws FileError where it cannot be opened or read; FormatError where it is malformed.
[[nodiscard]] FclibFile read_fclib(const std::filesystem::path& path);

/// Writes a problem, matrices as triplets (p: columns, i: rows); the file appears under its name when it is complete.
/// @throws FileError, and InvalidArgument where the problem is not valid, a vector of another size or not finite, or
/// something that FCLIB cannot hold: sets other than plain Coulomb friction of one dimension or rolling friction of one
/// size, the latter in global form alone, and free blocks after them; u != 0 in a bilateral row, a text with a zero in
/// it, degrees of freedom that are no number of 31 bits, more than 1000 guesses.
void write_fclib(const FclibFile& file, const std::filesystem::path& path);

}  // namespace nonsmooth
