// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <utility>

#include <hdf5.h>

namespace nonsmooth {

/// Owns one identifier of the HDF5 library.
class Hdf5Handle {
 public:
  using Close = herr_t (*)(hid_t);

  Hdf5Handle() = default;
  Hdf5Handle(hid_t id, Close closing) noexcept : id_(id), close_(closing) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  Hdf5Handle(const Hdf5Handle&) = delete;
  Hdf5Handle& operator=(const Hdf5Handle&) = delete;
  ~Hdf5Handle() { close(); }

  [[nodiscard]] bool valid() const noexcept { return id_ >= 0; }
  [[nodiscard]] hid_t id() const noexcept { return id_; }
  /// Gives it up open.
  void release() noexcept { id_ = -1; }
  /// False if the library could not close it, e.g. could not write the last bytes.
  bool close() noexcept { return id_ < 0 || close_(std::exchange(id_, -1)) >= 0; }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

/// While one lives, this thread alone uses HDF5, whose serial library is not safe between threads, and the library
/// prints nothing.
class Hdf5Session {
 public:
  Hdf5Session() : lock_(mutex()) {
    // At exit the library complains on the terminal of memory that it has itself lost on damaged files. This has no
    // effect where the program has used HDF5 before.
    static const herr_t without_exit_report = H5dont_atexit();
    (void)without_exit_report;
    H5Eget_auto2(H5E_DEFAULT, &report_, &report_data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Hdf5Session() { H5Eset_auto2(H5E_DEFAULT, report_, report_data_); }
  Hdf5Session(const Hdf5Session&) = delete;
  Hdf5Session& operator=(const Hdf5Session&) = delete;

 private:
  static std::mutex& mutex() {
    static std::mutex instance;
    return instance;
  }

  std::lock_guard<std::mutex> lock_;
  H5E_auto2_t report_ = nullptr;
  void* report_data_ = nullptr;
};

}  // namespace nonsmooth
