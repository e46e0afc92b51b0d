// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/kernel/systems/differential_variational_inequality.hpp>
#include <nonsmooth/kernel/systems/first_order.hpp>
#include <nonsmooth/kernel/systems/lagrangian.hpp>
#include <nonsmooth/kernel/systems/rigid_body.hpp>
#include <nonsmooth/kernel/systems/sparse_first_order.hpp>
#include <nonsmooth/kernel/systems/sparse_lagrangian.hpp>
#include <nonsmooth/kernel/systems/sweeping_process.hpp>
