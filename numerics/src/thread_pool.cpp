// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/thread_pool.hpp>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth {
namespace {

void pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

/// Spins on a condition for a few microseconds before a thread goes to sleep; true if it came to hold.
template <class Condition>
bool spin(int turns, Condition&& condition) noexcept {
  for (int i = 0; i < turns; ++i) {
    if (condition()) return true;
    pause();
  }
  return condition();
}

}  // namespace

struct ThreadPool::Implementation {
  /// What one call asks for; written by the caller before `generation` moves, read by the workers after.
  struct Job {
    Index n = 0, grain = 1, chunks = 0;
    Call call = nullptr;
    void* object = nullptr;

    void run_chunk(Index chunk) const {
      const Index first = chunk * grain;
      call(object, first, n - first <= grain ? n : first + grain);
    }
  };

  /// What one thread reports; a cache line of its own.
  struct alignas(64) Outcome {
    std::exception_ptr exception;
    Index chunk = 0;
  };

  explicit Implementation(int threads) : size(threads), outcomes(static_cast<std::size_t>(threads)) {
    // A pool larger than the machine would only steal time from the threads it waits for.
    const unsigned cores = std::thread::hardware_concurrency();
    spin_turns = cores != 0 && static_cast<unsigned>(threads) <= cores ? 2000 : 0;
    workers.reserve(static_cast<std::size_t>(threads) - 1);
  }

  void start() {
    for (int t = 1; t < size; ++t) workers.emplace_back([this, t] { work(t); });
  }

  ~Implementation() {
    stop.store(true, std::memory_order_relaxed);
    announce();
    for (std::thread& worker : workers) worker.join();
  }

  void announce() {
    {
      const std::lock_guard lock(mutex);
      generation.fetch_add(1, std::memory_order_release);
    }
    started.notify_all();
  }

  void work(int thread) {
    std::uint64_t seen = 0;
    const auto is_new = [&] { return generation.load(std::memory_order_acquire) != seen; };
    for (;;) {
      if (!spin(spin_turns, is_new)) {
        std::unique_lock lock(mutex);
        started.wait(lock, is_new);
      }
      ++seen;  // the caller waits for all before it announces again, so no generation is missed
      if (stop.load(std::memory_order_relaxed)) return;
      run_share(thread);
      if (pending.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        { const std::lock_guard lock(mutex); }  // the caller is either asleep already or will see pending == 0
        finished.notify_one();
      }
    }
  }

  /// The chunks of one thread, in order; the first exception ends the share and is kept.
  void run_share(int thread) noexcept {
    Outcome& outcome = outcomes[static_cast<std::size_t>(thread)];
    for (Index chunk = thread; chunk < job.chunks; chunk += size) {
      try {
        job.run_chunk(chunk);
      } catch (...) {
        outcome.exception = std::current_exception();
        outcome.chunk = chunk;
        return;
      }
    }
  }

  void wait_for_all() {
    const auto done = [&] { return pending.load(std::memory_order_acquire) == 0; };
    if (spin(spin_turns, done)) return;
    std::unique_lock lock(mutex);
    finished.wait(lock, done);
  }

  /// Every thread's first failing chunk is its lowest, so the lowest of these is the lowest of all.
  void rethrow_lowest() {
    Outcome* lowest = nullptr;
    for (Outcome& outcome : outcomes) {
      if (outcome.exception && (lowest == nullptr || outcome.chunk < lowest->chunk)) lowest = &outcome;
    }
    if (lowest == nullptr) return;
    const std::exception_ptr exception = lowest->exception;
    for (Outcome& outcome : outcomes) outcome.exception = nullptr;
    std::rethrow_exception(exception);
  }

  const int size;
  int spin_turns = 0;
  Job job;
  std::vector<Outcome> outcomes;
  std::vector<std::thread> workers;
  std::mutex mutex;
  std::condition_variable started, finished;
  alignas(64) std::atomic<std::uint64_t> generation{0};
  alignas(64) std::atomic<int> pending{0};
  std::atomic<bool> stop{false};
  std::atomic<bool> busy{false};
};

ThreadPool::ThreadPool(int threads) : size_(threads) {
  check::within("ThreadPool: threads", threads, 1, check::most_threads);
  if (threads == 1) return;
  implementation_ = std::make_unique<Implementation>(threads);
  implementation_->start();
}

ThreadPool::~ThreadPool() = default;

ThreadPool::ThreadPool(ThreadPool&& other) noexcept
    : implementation_(std::move(other.implementation_)), size_(std::exchange(other.size_, 1)) {}

ThreadPool& ThreadPool::operator=(ThreadPool&& other) noexcept {
  if (this == &other) return *this;
  implementation_ = std::move(other.implementation_);
  size_ = std::exchange(other.size_, 1);
  return *this;
}

int ThreadPool::size() const noexcept { return size_; }

void ThreadPool::run(Index n, Index grain, Call call, void* object) {
  if (n < 0) throw InvalidArgument("ThreadPool::for_each_range: n", std::to_string(n), "at least 0");
  if (grain < 1) throw InvalidArgument("ThreadPool::for_each_range: grain", std::to_string(grain), "at least 1");
  if (n == 0) return;
  const Implementation::Job job{n, grain, (n - 1) / grain + 1, call, object};
  // A call from inside a body, or from a second thread, finds the pool busy and runs in its own thread: same chunks,
  // same bits.
  if (!implementation_ || job.chunks == 1 || implementation_->busy.exchange(true, std::memory_order_acquire)) {
    for (Index chunk = 0; chunk < job.chunks; ++chunk) job.run_chunk(chunk);
    return;
  }
  Implementation& pool = *implementation_;
  pool.job = job;
  pool.pending.store(pool.size - 1, std::memory_order_relaxed);
  pool.announce();
  pool.run_share(0);
  pool.wait_for_all();
  struct Release {
    std::atomic<bool>& busy;
    ~Release() { busy.store(false, std::memory_order_release); }
  } const release{pool.busy};
  pool.rethrow_lowest();
}

}  // namespace nonsmooth
