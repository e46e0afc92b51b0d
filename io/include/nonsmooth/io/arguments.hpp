// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth {

/// What every example takes on its command line: --check, --pictures DIR, and options of its own, each with a value.
///
///     const Arguments arguments(argc, argv, {"disks"});        // also takes --disks N
///     const Index disks = arguments.integer("disks", 10000);
class Arguments {
 public:
  /// @throws InvalidArgument: an option that is not known, one without its value or given twice.
  Arguments(int argc, const char* const* argv, const std::vector<std::string>& options = {});

  [[nodiscard]] bool check() const noexcept { return check_; }  ///< --check: quick figures only, no picture
  /// --pictures DIR: where to draw; the folder is made. Nothing is drawn without it.
  [[nodiscard]] const std::optional<std::filesystem::path>& pictures() const noexcept { return pictures_; }
  /// `--OPTION N`, an integer of at least `low`. @throws InvalidArgument otherwise.
  [[nodiscard]] Index integer(const std::string& option, Index otherwise, Index low = 1) const;

 private:
  bool check_ = false;
  std::optional<std::filesystem::path> pictures_;
  std::map<std::string, std::string> values_;
};

}  // namespace nonsmooth
