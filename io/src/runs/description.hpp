// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/io/run_writer.hpp>

#include "../problem_files/hdf5_output.hpp"

/// What a file of a run says before its first step.
namespace nonsmooth::runs {

/// @throws InvalidArgument: a description that does not fit itself, by the field.
void check_description(const RunDescription& description);
/// Attributes of the file, /about, /model, and the tables and texts of the user.
void write_description(problem_files::Hdf5Writer& writer, const RunDescription& description);
/// Bytes that it takes on the disk, but for the heads of its data sets.
[[nodiscard]] std::size_t described_bytes(const RunDescription& description);

/// Steps a chunk where nobody says how many: as make about 1 MB, at least 1 and at most 4096.
[[nodiscard]] Index chosen_chunk_steps(const RunDescription& description);
/// Of the data set of steps that is widest [bytes].
[[nodiscard]] Index widest_row(const RunDescription& description);

}  // namespace nonsmooth::runs
