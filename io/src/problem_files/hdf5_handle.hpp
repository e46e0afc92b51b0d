// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <mutex>
#include <string_view>
#include <utility>

#include <hdf5.h>

#include <nonsmooth/numerics/sets.hpp>

namespace nonsmooth::problem_files {

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

inline constexpr std::string_view hdf5_format = "nonsmooth-problem";
/// Files say the least version that holds their problem: 2 has global forms and the later parameters of sets.
inline constexpr int hdf5_first_version = 1, hdf5_last_version = 2;

/// The names of SetKind in files, in its order.
inline constexpr std::array<std::string_view, 9> set_kind_names = {
    "free",           "orthant",   "box",    "second-order-cone", "coulomb-2d", "coulomb-3d",
    "drucker-prager", "von-mises", "rolling"};
struct LaterParameter {
  const char* path;
  double BlockSet::*entry;
};
/// The parameters of sets that came with version 2; a list that is not there has the default of BlockSet.
inline constexpr std::array<LaterParameter, 5> later_parameters = {{{"/K/mu_2", &BlockSet::mu_2},
                                                                    {"/K/rolling", &BlockSet::rolling},
                                                                    {"/K/spinning", &BlockSet::spinning},
                                                                    {"/K/cohesion", &BlockSet::cohesion},
                                                                    {"/K/unit", &BlockSet::unit}}};
inline constexpr std::size_t set_kind_width = 24;  ///< bytes of a name in a file, padded with zeros

}  // namespace nonsmooth::problem_files
