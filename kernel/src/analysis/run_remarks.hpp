// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <nonsmooth/kernel/examination.hpp>
#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth {

/// Notes `count` steps with it: a new entry, or so many more in the one there is. 0 raises the worst of one there is.
void add_remark(RunRemark::Kind kind, const std::string& subject, double t, double value, RunRemarks& remarks,
                Index count = 1);
/// An entry of no step so far, for add_remark() to count in, which takes `subject` as its own: nothing is allocated
/// where the list has room for one more. Nothing changes where there is one.
void begin_remark(RunRemark::Kind kind, std::string&& subject, double t, RunRemarks& remarks);

}  // namespace nonsmooth
