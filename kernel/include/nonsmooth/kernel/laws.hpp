// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/kernel/laws/cohesive_zone.hpp>
#include <nonsmooth/kernel/laws/complementarity.hpp>
#include <nonsmooth/kernel/laws/force.hpp>
#include <nonsmooth/kernel/laws/graphs.hpp>
#include <nonsmooth/kernel/laws/impact.hpp>
#include <nonsmooth/kernel/laws/joint_friction.hpp>
#include <nonsmooth/kernel/laws/plasticity.hpp>
#include <nonsmooth/kernel/laws/shockley.hpp>
#include <nonsmooth/kernel/laws/spring_dashpot.hpp>
#include <nonsmooth/kernel/laws/static_kinetic_friction.hpp>
