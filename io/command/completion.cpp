// SPDX-License-Identifier: Apache-2.0
#include <ostream>

#include <nonsmooth/numerics/error.hpp>

#include "completion_scripts.hpp"
#include "subcommands.hpp"

namespace nonsmooth::command {

ExitCode completion(std::string_view shell, const Streams& streams) {
  if (shell == "bash") {
    streams.out << bash_completion;
  } else if (shell == "zsh") {
    streams.out << zsh_completion;
  } else {
    throw InvalidArgument("completion", "'" + std::string(shell) + "'", "bash or zsh");
  }
  return success;
}

}  // namespace nonsmooth::command
