// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/kernel/relations/couplers.hpp>
#include <nonsmooth/kernel/relations/first_order.hpp>
#include <nonsmooth/kernel/relations/frictional_joints.hpp>
#include <nonsmooth/kernel/relations/joint_coordinates.hpp>
#include <nonsmooth/kernel/relations/joint_stops.hpp>
#include <nonsmooth/kernel/relations/joints.hpp>
#include <nonsmooth/kernel/relations/lagrangian.hpp>
#include <nonsmooth/kernel/relations/planar_coordinates.hpp>
#include <nonsmooth/kernel/relations/shape_pairs.hpp>
