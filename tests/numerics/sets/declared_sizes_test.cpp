// SPDX-License-Identifier: Apache-2.0
// Sizes and counts that overflow, or that no memory holds: an exception that names the argument, before anything is
// allocated, and objects that stay what they say they are.
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/friction.hpp>
#include <nonsmooth/numerics/linear_algebra/block_sparse_matrix.hpp>
#include <nonsmooth/numerics/mixed.hpp>
#include <nonsmooth/numerics/mixed/admm.hpp>
#include <nonsmooth/numerics/mixed/polyhedral.hpp>
#include <nonsmooth/numerics/sets.hpp>
#include <nonsmooth/numerics/thread_pool.hpp>

namespace nonsmooth::declared_sizes_test {
namespace {

constexpr Index largest = std::numeric_limits<Index>::max();
const std::vector<Index> too_large = {Index{1} << 31, Index{1} << 62, largest};
const std::vector<Index> below_one = {0, -1, -(Index{1} << 31), -(Index{1} << 62), std::numeric_limits<Index>::min()};

/// `call` throws InvalidArgument that names `argument`.
template <class Call>
void expect_size_refused(const std::string& argument, Call&& call) {
  try {
    call();
    ADD_FAILURE() << argument << " was not refused";
  } catch (const InvalidArgument& error) {
    EXPECT_NE(error.argument().find(argument), std::string::npos) << error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << argument << ": " << error.what();
  }
}

TEST(DeclaredSizes, OfAProductOfSets) {
  for (const Index size : below_one) {
    ProductSet K;
    expect_size_refused("ProductSet::push_back: size", [&] { K.push_back({}, size); });
    EXPECT_EQ(K.num_blocks(), 0);
  }
  // Nothing is allocated by row: any size is one, and a sum that an Index does not hold is none.
  for (const Index size : too_large) {
    ProductSet K;
    K.push_back({}, size);
    EXPECT_EQ(K.num_rows(), size);
    expect_size_refused("ProductSet::push_back: size", [&] { K.push_back({}, largest - size + 1); });
    EXPECT_EQ(K.num_blocks(), 1);
    EXPECT_EQ(K.num_rows(), size);
    if (size == largest) continue;
    K.push_back({}, largest - size);
    EXPECT_EQ(K.num_rows(), largest);
  }
  ProductSet K;
  for (const Index blocks : {Index{-1}, Index{1} << 62, largest})
    expect_size_refused("ProductSet::reserve: blocks", [&] { K.reserve(blocks); });
}

TEST(DeclaredSizes, OfABlockSparseMatrix) {
  const auto lay = [](BlockSparseMatrix& W, const std::vector<Index>& sizes) {
    W.begin_pattern(sizes);
    for (std::size_t i = 0; i < sizes.size(); ++i) W.next_row();
    W.end_pattern();
  };
  const auto refused = [&](const std::vector<Index>& sizes) {
    BlockSparseMatrix W;
    expect_size_refused("BlockSparseMatrix::", [&] { lay(W, sizes); });
    EXPECT_EQ(W.rows(), 0);
    lay(W, {2, 1});  // it can be used as before
    EXPECT_EQ(W.rows(), 3);
    EXPECT_EQ(W.entries().size(), 5);
  };
  for (const Index size : below_one) {
    refused({size});
    refused({1, size});
  }
  // The square of 2^31 is 2^62 doubles, 2^65 bytes; that of 2^32 is 0 in 64 bits.
  for (const Index size : too_large) {
    refused({size});
    refused({size, size});
    refused({1, size});
    refused({size, 1, 2});
  }
  refused({Index{1} << 32});
  refused({Index{1} << 29, Index{1} << 30});
}

TEST(DeclaredSizes, OfProblemsWhoseSetsAreLargerThanTheirMatrix) {
  mixed::Problem mixed;
  mixed.W.begin_pattern({1});
  mixed.W.next_row();
  mixed.W.end_pattern();
  *mixed.W.values(0) = 1.0;
  mixed.q = Eigen::VectorXd::Constant(1, -1.0);
  friction::GlobalProblem global;
  global.A.resize(3, 3);
  global.A.setIdentity();
  global.H.resize(3, 3);
  global.H.setIdentity();
  global.f = global.w = Eigen::Vector3d(-1.0, 0.0, 0.0);
  for (const Index size : too_large) {
    mixed.K.clear();
    mixed.K.push_back({}, size);
    expect_size_refused("mixed::Problem::K", [&] { (void)mixed::solve(mixed); });
    global.K.clear();
    global.K.push_back({}, size);
    expect_size_refused("friction::GlobalProblem", [&] { (void)friction::solve(global, friction::GlobalAutomatic{}); });
  }
}

TEST(DeclaredSizes, OfThreadsMemoriesAndFacets) {
  for (const int threads : {std::numeric_limits<int>::max(), 1 << 20, 0, -1, std::numeric_limits<int>::min()})
    expect_size_refused("ThreadPool: threads", [&] { const ThreadPool pool(threads); });
  const auto refused = [](const std::string& argument, auto options, auto member) {
    for (const Index count : {Index{1} << 31, Index{1} << 62, largest, Index{-1}, std::numeric_limits<Index>::min()}) {
      options.*member = count;
      expect_size_refused(argument, [&] { options.validate(); });
    }
  };
  refused("friction::Admm::memory", friction::Admm{}, &friction::Admm::memory);
  refused("friction::BarzilaiBorwein::memory", friction::BarzilaiBorwein{}, &friction::BarzilaiBorwein::memory);
  refused("friction::ConeRelaxation::memory", friction::ConeRelaxation{}, &friction::ConeRelaxation::memory);
  refused("friction::Haslinger::memory", friction::Haslinger{}, &friction::Haslinger::memory);
  refused("friction::Panagiotopoulos::memory", friction::Panagiotopoulos{}, &friction::Panagiotopoulos::memory);
  refused("friction::Faceted::facets", friction::Faceted{}, &friction::Faceted::facets);
  refused("mixed::Admm::memory", mixed::Admm{}, &mixed::Admm::memory);
  refused("mixed::Polyhedral::facets", mixed::Polyhedral{}, &mixed::Polyhedral::facets);
  friction::GaussSeidel sweeps{.colored = true};
  for (const int threads : {std::numeric_limits<int>::max(), 0, -1}) {
    sweeps.num_threads = threads;
    expect_size_refused("friction::GaussSeidel::num_threads", [&] { sweeps.validate(); });
  }
}

}  // namespace
}  // namespace nonsmooth::declared_sizes_test
