// SPDX-License-Identifier: Apache-2.0
#include "gnuplot.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

extern char** environ;

namespace nonsmooth {

GnuplotRun run_gnuplot(const std::filesystem::path& script) {
  GnuplotRun run;
  std::array<int, 2> channel{};
  if (pipe2(channel.data(), O_CLOEXEC) != 0) return run;

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, channel[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, channel[1], STDERR_FILENO);
  std::string program = "gnuplot";
  std::string file = std::filesystem::absolute(script).string();  // absolute: never taken for an option
  const std::array<char*, 3> arguments{program.data(), file.data(), nullptr};
  pid_t child = 0;
  const int error = posix_spawnp(&child, "gnuplot", &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(channel[1]);
  run.found = error == 0;
  if (run.found) {
    std::array<char, 1024> buffer{};
    ssize_t count = 0;
    while ((count = read(channel[0], buffer.data(), buffer.size())) > 0 || (count < 0 && errno == EINTR)) {
      if (count > 0) run.output.append(buffer.data(), static_cast<std::size_t>(count));
    }
    int status = 0;
    pid_t waited = 0;
    while ((waited = waitpid(child, &status, 0)) < 0 && errno == EINTR) {
    }
    run.success = waited == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  close(channel[0]);
  return run;
}

}  // namespace nonsmooth
