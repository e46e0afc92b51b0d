// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/kernel/loads/follower_force.hpp>
#include <nonsmooth/kernel/loads/given_load.hpp>
#include <nonsmooth/kernel/loads/linear_drag.hpp>
#include <nonsmooth/kernel/loads/point_spring.hpp>
