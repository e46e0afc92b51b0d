// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Everything of Nonsmooth::numerics.
#include <nonsmooth/numerics/analysis.hpp>
#include <nonsmooth/numerics/any_solver.hpp>
#include <nonsmooth/numerics/certificate.hpp>
#include <nonsmooth/numerics/cone_program.hpp>
#include <nonsmooth/numerics/convolution.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/friction.hpp>
#include <nonsmooth/numerics/lcp.hpp>
#include <nonsmooth/numerics/linear_algebra/block_sparse_matrix.hpp>
#include <nonsmooth/numerics/linear_algebra/factorization.hpp>
#include <nonsmooth/numerics/mcp.hpp>
#include <nonsmooth/numerics/mixed.hpp>
#include <nonsmooth/numerics/mlcp.hpp>
#include <nonsmooth/numerics/mpcc.hpp>
#include <nonsmooth/numerics/nonlinear_map.hpp>
#include <nonsmooth/numerics/outcome.hpp>
#include <nonsmooth/numerics/qp.hpp>
#include <nonsmooth/numerics/relay.hpp>
#include <nonsmooth/numerics/sets.hpp>
#include <nonsmooth/numerics/status.hpp>
#include <nonsmooth/numerics/thread_pool.hpp>
#include <nonsmooth/numerics/types.hpp>
#include <nonsmooth/numerics/vi.hpp>
