// SPDX-License-Identifier: Apache-2.0
// HDF5 files that were damaged: cut short, a byte changed, data that contradict one another.
#include <cstring>
#include <fstream>
#include <sstream>

#include "problem_files.hpp"

namespace nonsmooth::problem_files_hdf5_test {
namespace {

using namespace nonsmooth::problem_files_test;

class DamagedHdf5 : public Files {
 protected:
  [[nodiscard]] std::string bytes_of(const AnyProblem& problem) const {
    write_problem(problem, file("p.h5"), "a title");
    std::ifstream stream(file("p.h5"), std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
  }
  void write(const std::string& bytes) const {
    std::ofstream stream(file("p.h5"), std::ios::binary);
    stream << bytes;
  }
  [[nodiscard]] std::string refusal(const std::string& bytes) const {
    write(bytes);
    const std::string text = complaint<FormatError>([&] { (void)read_problem(file("p.h5")); });
    const std::string path = file("p.h5").string();
    return text.starts_with(path) ? text.substr(path.size()) : text;
  }
  /// The bytes with one list of 8-byte numbers, which is there once, replaced.
  template <class Number>
  [[nodiscard]] static std::string with(std::string bytes, const std::vector<Number>& from,
                                        const std::vector<Number>& to) {
    const auto raw = [](const std::vector<Number>& list) {
      std::string text(list.size() * sizeof(Number), '\0');
      std::memcpy(text.data(), list.data(), text.size());
      return text;
    };
    const std::size_t at = bytes.find(raw(from));
    EXPECT_NE(at, std::string::npos);
    if (at != std::string::npos) bytes.replace(at, raw(to).size(), raw(to));
    return bytes;
  }
};

using Integers = std::vector<std::int64_t>;
using Reals = std::vector<double>;

TEST_F(DamagedHdf5, IsRefusedWhereverItIsCut) {
  const std::string bytes = bytes_of(sparse_lcp());
  for (std::size_t size = 8; size < bytes.size(); size += 29) {
    write(bytes.substr(0, size));
    EXPECT_THROW((void)read_problem(file("p.h5")), FormatError) << size << " bytes of " << bytes.size();
  }
}

// Every head has a checksum, so a changed bit is noticed there; among the data it gives another number or a refusal.
TEST_F(DamagedHdf5, IsRefusedOrReadWithAnyByteChanged) {
  const std::string bytes = bytes_of(sparse_lcp());
  std::size_t refused = 0;
  for (std::size_t at = 8; at < bytes.size(); at += 3) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 0x10);
    write(changed);
    try {
      const ProblemFile back = read_problem(file("p.h5"));
      EXPECT_EQ(num_rows_of(back.problem), 3);
    } catch (const FormatError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, bytes.size() / 6);
}

TEST_F(DamagedHdf5, NamesTheObjectThatContradictsTheOthers) {
  // Columns 0, 1, 2 of sparse_lcp() hold rows 0 2 | 1 | 0 2.
  const std::string sparse = bytes_of(sparse_lcp());
  const Integers pointers = {0, 2, 3, 5}, indices = {0, 2, 1, 0, 2};
  EXPECT_EQ(refusal(with(sparse, pointers, {0, 2, 1, 5})), ", /M/pointers: found 1 at entry 2, expected at least 2");
  EXPECT_EQ(refusal(with(sparse, pointers, {0, 2, 3, 4})), ", /M/indices: found 5 entries, expected 4");
  EXPECT_EQ(refusal(with(sparse, pointers, {0, 2, 3, std::int64_t{1} << 60})),
            ", /M/pointers: found 1152921504606846976 at entry 3, expected 0 to 2147483647");
  EXPECT_EQ(refusal(with(sparse, indices, {0, 3, 1, 0, 2})), ", /M/indices: found 3 at entry 1, expected 0 to 2");
  EXPECT_EQ(refusal(with(sparse, indices, {0, -1, 1, 0, 2})), ", /M/indices: found -1 at entry 1, expected 0 to 2");
  EXPECT_EQ(refusal(with(sparse, indices, {2, 0, 1, 0, 2})),
            ", /M/indices: found indices that do not rise in column 0, expected rising indices");
  const Reals q = {0.1, -third, -0.0};
  EXPECT_EQ(refusal(with(sparse, q, {0.1, std::numeric_limits<double>::quiet_NaN(), 0.0})),
            ", /q: found NaN at entry 1, expected numbers");
  EXPECT_EQ(refusal(with(sparse, q, {0.1, infinity, 0.0})),
            ", /q: found an infinity at entry 1, expected finite numbers");

  const std::string dense = bytes_of(some_mlcp(2, 5, 1));
  EXPECT_EQ(refusal(with(dense, Integers{2, 5}, {2, 4})), ", /A/values: found 10 entries, expected 8");
  EXPECT_EQ(refusal(with(dense, Integers{2, 5}, {-2, -5})),
            ", /A/shape: found -2 at entry 0, expected 0 to 2147483647");
  EXPECT_TRUE(contains(refusal(with(dense, Integers{2, 5}, {5, 2})), "mlcp::Problem"));
}

TEST_F(DamagedHdf5, NamesTheBlocksThatContradictTheOthers) {
  const std::string cones = bytes_of(soc_cones());
  const Integers indices = {0, 1, 1, 2, 2};  // of blocks of 3, 1, 4 rows: 9 + 3 + 1 + 4 + 16 = 33 values
  EXPECT_EQ(refusal(with(cones, indices, {1, 0, 1, 2, 2})),
            ", /W/indices: found other indices in block row 0, expected rising indices with the diagonal block among "
            "them");
  EXPECT_EQ(refusal(with(cones, indices, {0, 1, 0, 2, 2})),
            ", /W/indices: found other indices in block row 1, expected rising indices with the diagonal block among "
            "them");
  EXPECT_EQ(refusal(with(cones, indices, {0, 2, 1, 2, 2})),
            ", /W/values: found 33 entries, expected those of the blocks");
  EXPECT_TRUE(contains(refusal(with(cones, Reals{third, 1.0, 0.0}, {third, -1.0, 0.0})), "mu"));
}

TEST_F(DamagedHdf5, RefusesALibraryFileOfAnotherKind) {
  EXPECT_TRUE(contains(refusal("\211HDF\r\n\032\n"),
                       "found 8 bytes, expected 48 of the superblock alone: the file was cut off"));
  EXPECT_TRUE(contains(refusal("\211HDF\r\n\032\n" + std::string(100, '\0')), "found another head of the file"));
}

TEST_F(DamagedHdf5, OlderFilesLackTheLaterParametersOfSets) {
  const std::string older = bytes_of(friction_problem(3));  // what needs none of them is written without
  const std::string later =
      bytes_of(some_blocks({{.kind = SetKind::Rolling, .mu = 0.1, .rolling = 0.1, .spinning = 0.1, .cohesion = 0.1},
                            {.kind = SetKind::Coulomb3D, .mu = 0.1, .mu_2 = 0.2},
                            {.kind = SetKind::Box, .unit = 0.5}},
                           {6, 3, 1}));
  for (const char* name : {"mu_2", "rolling", "spinning", "cohesion", "unit"}) {
    EXPECT_EQ(older.find(name), std::string::npos) << name;
    EXPECT_NE(later.find(name), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace nonsmooth::problem_files_hdf5_test
