// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "stored_matrix.hpp"
#include "text_cursor.hpp"

namespace nonsmooth::problem_files {

/// One matrix of Siconos's texts: storage type, rows, columns, then its values (docs/file_formats.md).
[[nodiscard]] StoredMatrix read_siconos_matrix(Cursor& cursor, std::string_view what);

void append_siconos_matrix(std::string& text, ConstMatrixRef matrix);                      ///< dense
void append_siconos_matrix(std::string& text, const Eigen::SparseMatrix<double>& matrix);  ///< triplets
void append_siconos_matrix(std::string& text, const BlockSparseMatrix& matrix);            ///< sparse-block

/// "a b c\n", every number so that it reads back bit for bit.
void append_vector(std::string& text, ConstVectorRef value);

}  // namespace nonsmooth::problem_files
