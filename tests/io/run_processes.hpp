// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>
#include <cstdio>
#include <exception>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace nonsmooth::run_files_test {

/// A number that a child process and its parent see.
class SharedCount {
 public:
  SharedCount()
      : value_(static_cast<volatile long*>(
            ::mmap(nullptr, sizeof(long), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {
    *value_ = 0;
  }
  ~SharedCount() { ::munmap(const_cast<long*>(value_), sizeof(long)); }
  SharedCount(const SharedCount&) = delete;
  SharedCount& operator=(const SharedCount&) = delete;
  void set(long value) { *value_ = value; }
  [[nodiscard]] long get() const { return *value_; }

 private:
  volatile long* value_;
};

/// Starts a child that runs `work` and ends with what it returns.
template <class Work>
pid_t start_child(Work work) {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child != 0) return child;
  int code = 99;
  try {
    code = work();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "child: %s\n", error.what());
  }
  ::_exit(code);
}

/// The exit code of a child; -1 where a signal ended it.
inline int end_of(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace nonsmooth::run_files_test
