// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The generic block problem u = W r + q with any mixture of sets: everything of its family.
#include <nonsmooth/numerics/mixed/admm.hpp>
#include <nonsmooth/numerics/mixed/fischer_burmeister.hpp>
#include <nonsmooth/numerics/mixed/gauss_seidel.hpp>
#include <nonsmooth/numerics/mixed/natural_newton.hpp>
#include <nonsmooth/numerics/mixed/polyhedral.hpp>
#include <nonsmooth/numerics/mixed/problem.hpp>
#include <nonsmooth/numerics/mixed/proximal_newton.hpp>
#include <nonsmooth/numerics/mixed/registry.hpp>
#include <nonsmooth/numerics/mixed/workspace.hpp>
