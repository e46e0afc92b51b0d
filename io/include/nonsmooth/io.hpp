// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Everything of Nonsmooth::io.
#include <nonsmooth/io/affine_quasi_vi.hpp>
#include <nonsmooth/io/affine_vi.hpp>
#include <nonsmooth/io/arguments.hpp>
#include <nonsmooth/io/bounds.hpp>
#include <nonsmooth/io/checkpoint.hpp>
#include <nonsmooth/io/csv.hpp>
#include <nonsmooth/io/failure_report.hpp>
#include <nonsmooth/io/fclib_file.hpp>
#include <nonsmooth/io/field_mesh.hpp>
#include <nonsmooth/io/figure.hpp>
#include <nonsmooth/io/nonlinear_mpcc.hpp>
#include <nonsmooth/io/observe.hpp>
#include <nonsmooth/io/panels.hpp>
#include <nonsmooth/io/paraview.hpp>
#include <nonsmooth/io/problem_dump.hpp>
#include <nonsmooth/io/problem_file.hpp>
#include <nonsmooth/io/progress.hpp>
#include <nonsmooth/io/recorder.hpp>
#include <nonsmooth/io/run_file.hpp>
#include <nonsmooth/io/run_series.hpp>
#include <nonsmooth/io/run_writer.hpp>
#include <nonsmooth/io/scene.hpp>
#include <nonsmooth/io/spectrum.hpp>
#include <nonsmooth/io/stop_on_signal.hpp>
#include <nonsmooth/io/table.hpp>
#include <nonsmooth/io/view.hpp>
