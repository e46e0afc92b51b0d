// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <type_traits>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth {

/// A small pool of std::threads with a static schedule.
///
/// for_each_range(n, grain, body) cuts [0, n) into chunks of `grain` indices (the last may be shorter), and calls
/// body(first, last) once for each chunk. Chunk boundaries depend on n and grain only, chunk c runs on thread
/// c mod size(): whatever body writes into disjoint places, the bits are the same for any number of threads.
/// One thread (the default) runs the chunks in order, in the caller's thread, without any synchronisation.
/// An exception thrown by body is rethrown in the caller (the one of the lowest chunk); chunks of other threads still
/// run. A call from inside a body, or while another thread uses the pool, runs in its own thread.
/// Nothing is allocated by a call. Cost of a call with more than one thread: two barriers, a few
/// microseconds where the workers are still awake, some tens where they have gone to sleep.
class ThreadPool {
 public:
  /// @param threads number of threads in all, the caller's included; 1 to 4096. @throws InvalidArgument.
  explicit ThreadPool(int threads = 1);
  ~ThreadPool();
  ThreadPool(ThreadPool&&) noexcept;
  ThreadPool& operator=(ThreadPool&&) noexcept;

  [[nodiscard]] int size() const noexcept;

  template <class Body>
  void for_each_range(Index n, Index grain, Body&& body) {
    using Function = std::remove_reference_t<Body>;
    if (0 < n && n <= grain) return static_cast<void>(body(Index{0}, n));  // one chunk, inlined: small models live here
    run(
        n, grain, [](void* object, Index first, Index last) { (*static_cast<Function*>(object))(first, last); },
        const_cast<void*>(static_cast<const void*>(std::addressof(body))));
  }

 private:
  using Call = void (*)(void*, Index, Index);
  void run(Index n, Index grain, Call call, void* object);

  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
  int size_ = 1;
};

}  // namespace nonsmooth
