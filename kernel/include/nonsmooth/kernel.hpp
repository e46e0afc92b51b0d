// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/kernel/analysis/examine.hpp>
#include <nonsmooth/kernel/contact_source.hpp>
#include <nonsmooth/kernel/disk_contacts.hpp>
#include <nonsmooth/kernel/dynamical_system.hpp>
#include <nonsmooth/kernel/dynamics.hpp>
#include <nonsmooth/kernel/equilibria.hpp>
#include <nonsmooth/kernel/event_driven.hpp>
#include <nonsmooth/kernel/examination.hpp>
#include <nonsmooth/kernel/integrators.hpp>
#include <nonsmooth/kernel/interaction.hpp>
#include <nonsmooth/kernel/laws.hpp>
#include <nonsmooth/kernel/ledger.hpp>
#include <nonsmooth/kernel/model.hpp>
#include <nonsmooth/kernel/model_checks.hpp>
#include <nonsmooth/kernel/nonsmooth_law.hpp>
#include <nonsmooth/kernel/one_step_ns_problem.hpp>
#include <nonsmooth/kernel/possible_steps.hpp>
#include <nonsmooth/kernel/relation.hpp>
#include <nonsmooth/kernel/simulation.hpp>
#include <nonsmooth/kernel/smooth_integrators.hpp>
#include <nonsmooth/kernel/state.hpp>
#include <nonsmooth/kernel/time_stepping.hpp>
#include <nonsmooth/kernel/workspace.hpp>
#include <nonsmooth/numerics.hpp>
