// SPDX-License-Identifier: Apache-2.0
#include <json.hpp>

#include <cstdlib>
#include <limits>

#include <gtest/gtest.h>

#include <text.hpp>

#include "helpers.hpp"

namespace nonsmooth::command::json_test {
namespace {

using command_test::Json;

TEST(Json, TheCheckerOfTheseTestsIsStrict) {
  for (const char* valid : {"{}", R"({"a": [1, -0.5e-3, {"b": null}], "c": "x\u0001\"\n"})", R"({"a": true})"}) {
    EXPECT_TRUE(Json::object(valid)) << valid;
  }
  for (const char* invalid : {"", "{", "{}{}", "[1]", R"({"a": nan})", R"({"a": 1,})", R"({"a": 01})", R"({"a": 1.})",
                              "{\"a\": \"\n\"}", R"({"a": "\x"})", R"({'a': 1})", R"({"a" 1})", R"({"a": })"}) {
    EXPECT_FALSE(Json::object(invalid)) << invalid;
  }
}

TEST(Json, StringsEscapeWhatTheyMust) {
  EXPECT_EQ(json_string("plain"), "\"plain\"");
  EXPECT_EQ(json_string("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(json_string(std::string_view("\0\n\x1b\x7f", 4)), R"("\u0000\u000a\u001b\u007f")");
  EXPECT_EQ(json_string("gr\xC3\xB6\xC3\x9F\x65 \xE2\x9F\x82 \xF0\x9F\x98\x80"),
            "\"gr\xC3\xB6\xC3\x9F\x65 \xE2\x9F\x82 \xF0\x9F\x98\x80\"");
}

// The ill-formed sequences of Unicode 15, section 3.9, table 3-7: one U+FFFD for each byte that starts no character.
TEST(Json, BytesThatAreNotUtf8BecomeTheReplacementCharacter) {
  const std::string replacement = "\xEF\xBF\xBD";
  EXPECT_EQ(json_string("a\xFF\x62"), "\"a" + replacement + "b\"");
  EXPECT_EQ(json_string("\xC3"), "\"" + replacement + "\"");                                      // cut short
  EXPECT_EQ(json_string("\xC0\xAF"), "\"" + replacement + replacement + "\"");                    // overlong
  EXPECT_EQ(json_string("\xED\xA0\x80"), "\"" + replacement + replacement + replacement + "\"");  // a surrogate
  EXPECT_EQ(utf8_character("\xF4\x90\x80\x80", 0), 0u);                                           // above U+10FFFF
  EXPECT_EQ(utf8_character("\xF4\x8F\xBF\xBF", 0), 4u);
  EXPECT_EQ(utf8_character("\xE0\x9F\xBF", 0), 0u);  // overlong
  EXPECT_EQ(utf8_character("\xE0\xA0\x80", 0), 3u);
}

TEST(Json, NumbersReadBackAndNonFiniteOnesAreNull) {
  EXPECT_EQ(json_number(0.1), "0.1");
  EXPECT_EQ(json_number(-1e-300), "-1e-300");
  EXPECT_EQ(json_number(std::numeric_limits<double>::quiet_NaN()), "null");
  EXPECT_EQ(json_number(-std::numeric_limits<double>::infinity()), "null");
  for (const double value : {1.0 / 3.0, 6.02e23, 5e-324, std::numeric_limits<double>::max()}) {
    EXPECT_EQ(std::strtod(json_number(value).c_str(), nullptr), value);
  }
}

TEST(Json, ObjectsKeepTheOrderOfTheirMembers) {
  const std::string line =
      JsonObject().add("b", "x").add("a", 1.5).add("c", Index{7}).add("d", false).add_raw("e", "null").text();
  EXPECT_EQ(line, R"({"b": "x", "a": 1.5, "c": 7, "d": false, "e": null})");
  EXPECT_TRUE(Json::object(line));
}

TEST(Text, PrintableIsOneLineWithoutControlCharacters) {
  EXPECT_EQ(printable("a\nb\t\x1b[31m\xFF\xC2\x85 \xC3\xB6"), "a\\nb\\t\\x1b[31m\\xff\\xc2\\x85 \xC3\xB6");
  EXPECT_EQ(width("\xC3\xB6\xE2\x9F\x82x"), 3u);
}

}  // namespace
}  // namespace nonsmooth::command::json_test
