// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <vector>

namespace nonsmooth::runs {

/// A ring of records between one thread that fills them and one that empties them. Records stay where they are, with
/// the memory that they have. Nobody is woken for every record: the writer looks by itself, and is called when half
/// the ring is full or somebody waits.
template <class Record>
class RecordQueue {
 public:
  explicit RecordQueue(std::size_t size) : ring_(size) {}

  [[nodiscard]] std::vector<Record>& ring() noexcept { return ring_; }  ///< while nothing is in it

  /// The next one to fill, for the thread that fills them; waits where all are full.
  Record& next() {
    wait([this] { return filled() - emptied() < ring_.size(); });
    return ring_[filled() % ring_.size()];
  }
  /// It is filled.
  void push() {
    const std::size_t count = filled_.fetch_add(1) + 1 - emptied();
    if (2 * count >= ring_.size() && !called_.exchange(true)) call();
  }
  /// Waits until all are empty.
  void wait_empty() {
    wait([this] { return filled() == emptied(); });
  }
  /// Waits, in the thread that fills them, until `holds()`: asked again behind each pop().
  template <class Condition>
  void wait(const Condition& holds) {
    if (holds()) return;
    std::unique_lock lock(mutex_);
    called_ = true;
    work_.notify_one();
    room_.wait(lock, holds);
  }
  void close() {
    closed_ = true;
    call();
  }

  /// The oldest one, for the thread that empties them; null where there is none after `patience`, or none is to come.
  Record* oldest(std::chrono::milliseconds patience) {
    if (filled() == emptied() && !closed_) {
      std::unique_lock lock(mutex_);
      work_.wait_for(lock, patience, [this] { return called_.load() || closed_.load(); });
      called_ = false;
    }
    return filled() == emptied() ? nullptr : &ring_[emptied() % ring_.size()];
  }
  void pop() {
    emptied_.fetch_add(1);
    const std::lock_guard lock(mutex_);
    room_.notify_one();
  }
  [[nodiscard]] bool ends() const { return closed_ && filled() == emptied(); }

 private:
  [[nodiscard]] std::size_t filled() const { return filled_.load(); }
  [[nodiscard]] std::size_t emptied() const { return emptied_.load(); }
  void call() {
    const std::lock_guard lock(mutex_);
    called_ = true;
    work_.notify_one();
  }

  std::vector<Record> ring_;
  std::atomic<std::size_t> filled_ = 0, emptied_ = 0;  ///< so many records so far
  std::atomic<bool> closed_ = false, called_ = false;
  std::mutex mutex_;
  std::condition_variable work_, room_;
};

}  // namespace nonsmooth::runs
