// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <nonsmooth/kernel/examination.hpp>
#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth {

/// Notes `count` steps with it: a new entry, or so many more in the one there is. 0 raises the worst of one there is.
void add_remark(RunRemark::Kind kind, const std::string& subject, double t, double value, RunRemarks& remarks,
                Index count = 1);

}  // namespace nonsmooth
