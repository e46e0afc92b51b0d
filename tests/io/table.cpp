// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <locale>
#include <sstream>

#include <nonsmooth/io/csv.hpp>
#include <nonsmooth/io/table.hpp>
#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth::table_test {
namespace {

template <class Call>
std::string complaint(Call call) {
  try {
    call();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "no exception";
}

TEST(Table, KeepsWhatWasRecordedBeforeAnError) {
  Table table{"t", "q"};
  table.record({0.0, 1.0});
  table.record({0.5, 2.0});
  EXPECT_EQ(complaint([&] { table.record({1.0}); }),
            "Table::record: found 1 numbers, expected 2, one a column: 't', 'q'");
  EXPECT_EQ(table.num_rows(), 2);
  EXPECT_EQ(table.column("q"), (std::vector<double>{1.0, 2.0}));
  EXPECT_EQ(table.column(0), (std::vector<double>{0.0, 0.5}));
}

TEST(Table, NamesWhatIsWrong) {
  EXPECT_EQ(complaint([] { Table table(std::vector<std::string>{}); }),
            "Table::names: found no column, expected at least one");
  EXPECT_EQ(complaint([] { Table table{"t", "q", "t"}; }), "Table::names: found 't' twice, expected names that differ");
  EXPECT_EQ(complaint([] {
              Table table{"t", ""};
            }),
            "Table::names: found an empty name at column 1, expected a name for each column");
  const Table table{"t", "q"};
  EXPECT_EQ(complaint([&] { (void)table.column("v"); }), "Table::column: found 'v', expected one of 't', 'q'");
  EXPECT_EQ(complaint([&] { (void)table.column(Index{2}); }), "Table::column: found 2, expected 0 to 1");
}

TEST(Csv, GivesTheSameBitsBack) {
  Table table{"t [s]", "a, \"quoted\"\nname"};
  const double tiny = std::numeric_limits<double>::denorm_min(), huge = std::numeric_limits<double>::max();
  table.record({0.1, 1.0 / 3.0});
  table.record({tiny, -huge});
  table.record({-0.0, std::numeric_limits<double>::infinity()});
  table.record({std::numeric_limits<double>::quiet_NaN(), 1e-300});
  std::stringstream stream;
  write_csv(table, stream);
  const Table back = read_csv(stream);
  EXPECT_EQ(back.names(), table.names());
  ASSERT_EQ(back.num_rows(), 4);
  for (Index j = 0; j < 2; ++j) {
    for (std::size_t i = 0; i < 4; ++i) {
      const double a = table.column(j)[i], b = back.column(j)[i];
      EXPECT_TRUE((std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b))) << a << ' ' << b;
    }
  }
}

TEST(Csv, WritesSeventeenDigitsWithAPoint) {
  Table table{"t"};
  table.record({0.1});
  std::ostringstream stream;
  write_csv(table, stream);
  EXPECT_EQ(stream.str(), "t\n0.10000000000000001\n");
}

TEST(Csv, NamesTheBadRecord) {
  const auto read = [](const char* text) {
    return complaint([&] {
      std::istringstream stream(text);
      (void)read_csv(stream);
    });
  };
  EXPECT_EQ(read(""), "CSV: found an empty file, expected a line of names");
  EXPECT_EQ(read("a,b\n1,2\n3\n"), "CSV record 3: found 1 cells, expected 2");
  EXPECT_EQ(read("a\n1x\n"), "CSV record 2: found '1x', expected a number");
  EXPECT_EQ(read("\"a\n"), "CSV record 1: found an open quote at the end, expected a closing one");
  EXPECT_THROW((void)read_csv(std::filesystem::path("/no such folder/file.csv")), FileError);
  EXPECT_THROW(write_csv(Table{"a"}, std::filesystem::path("/no such folder/file.csv")), FileError);
}

}  // namespace
}  // namespace nonsmooth::table_test
