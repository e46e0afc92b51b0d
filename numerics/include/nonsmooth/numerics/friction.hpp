// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Everything of the family of frictional contact problems.
#include <nonsmooth/numerics/friction/admm.hpp>
#include <nonsmooth/numerics/friction/automatic.hpp>
#include <nonsmooth/numerics/friction/automatic_workspace.hpp>
#include <nonsmooth/numerics/friction/barzilai_borwein.hpp>
#include <nonsmooth/numerics/friction/cone_relaxation.hpp>
#include <nonsmooth/numerics/friction/direct_mcp.hpp>
#include <nonsmooth/numerics/friction/extragradient.hpp>
#include <nonsmooth/numerics/friction/faceted.hpp>
#include <nonsmooth/numerics/friction/fixed_point.hpp>
#include <nonsmooth/numerics/friction/frictionless.hpp>
#include <nonsmooth/numerics/friction/gauss_seidel.hpp>
#include <nonsmooth/numerics/friction/gauss_seidel_newton.hpp>
#include <nonsmooth/numerics/friction/gauss_seidel_schwarz.hpp>
#include <nonsmooth/numerics/friction/global_admm.hpp>
#include <nonsmooth/numerics/friction/global_automatic.hpp>
#include <nonsmooth/numerics/friction/global_interior_point.hpp>
#include <nonsmooth/numerics/friction/global_problem.hpp>
#include <nonsmooth/numerics/friction/global_proximal_newton.hpp>
#include <nonsmooth/numerics/friction/global_registry.hpp>
#include <nonsmooth/numerics/friction/haslinger.hpp>
#include <nonsmooth/numerics/friction/hyperstaticity.hpp>
#include <nonsmooth/numerics/friction/inner_solver.hpp>
#include <nonsmooth/numerics/friction/interior_point.hpp>
#include <nonsmooth/numerics/friction/jacobi.hpp>
#include <nonsmooth/numerics/friction/nesterov.hpp>
#include <nonsmooth/numerics/friction/panagiotopoulos.hpp>
#include <nonsmooth/numerics/friction/pivoting.hpp>
#include <nonsmooth/numerics/friction/planar_lcp.hpp>
#include <nonsmooth/numerics/friction/problem.hpp>
#include <nonsmooth/numerics/friction/proximal_newton.hpp>
#include <nonsmooth/numerics/friction/registry.hpp>
#include <nonsmooth/numerics/friction/semismooth_newton.hpp>
#include <nonsmooth/numerics/friction/switched.hpp>
#include <nonsmooth/numerics/friction/tresca.hpp>
