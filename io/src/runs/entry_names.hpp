// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::runs {

/// What systems, or interactions, of a part are called, asked for one after the other: "ball", a second one of that
/// name "ball#2"; one without a name by its number, "system 3".
class EntryNames {
 public:
  explicit EntryNames(std::string kind) : kind_(std::move(kind)) {}
  [[nodiscard]] std::string next(const std::string& name) {
    const Index number = number_++;
    if (name.empty()) return kind_ + " " + std::to_string(number);
    const Index seen = ++seen_[name];
    return seen == 1 ? name : name + "#" + std::to_string(seen);
  }

 private:
  std::string kind_;
  Index number_ = 0;
  std::map<std::string, Index> seen_;
};

}  // namespace nonsmooth::runs
