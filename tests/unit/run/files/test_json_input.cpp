// SPDX-License-Identifier: GPL-3.0-or-later
// JSON from unknown sources: one plain line says where it is wrong.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "host/base/error.hpp"
#include "run/files/atomic_file.hpp"
#include "run/files/json_input.hpp"
#include "run/files/json_output.hpp"
#include "tests/support/temporary_directory.hpp"

namespace multiwalk {
namespace {

std::string complaint(const std::string& text) {
  try {
    parse_json(text, "file");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(JsonInput, NamesTheByteInPlainWords) {
  EXPECT_EQ(complaint(""), "file: ends too early, after 0 bytes");
  EXPECT_EQ(complaint("{\"a\":"), "file: ends too early, after 5 bytes");
  EXPECT_EQ(complaint("{\"a\": }"), "file: is not JSON from byte 7 on");
  EXPECT_EQ(complaint("[1, \"\xff\"]"), "file: is not JSON from byte 6 on");
  EXPECT_EQ(complaint("[1e999]"), "file: holds a number that is too large");
}

TEST(JsonInput, RefusesWhatIsTooDeep) {
  const auto nested = [](std::size_t levels) { return std::string(levels, '[') + std::string(levels, ']'); };
  EXPECT_EQ(complaint(nested(64)), "");
  EXPECT_EQ(complaint(nested(66)), "file: lists and objects are nested more than 64 deep");
  EXPECT_NE(complaint(std::string(200000, '[')), "");
  EXPECT_NE(complaint("{\"a\": " + nested(200000) + "}"), "");
}

TEST(JsonInput, WholeNumbersAreWhole) {
  EXPECT_EQ(whole_number(nlohmann::json::parse("18446744073709551615")), 18446744073709551615U);
  EXPECT_EQ(whole_number(7), 7U);
  for (const char* text : {"-1", "1e308", "1.5", "\"1\"", "null"}) {
    EXPECT_THROW(whole_number(nlohmann::json::parse(text)), nlohmann::json::exception) << text;
  }
}

TEST(JsonInput, WrongValuesAreOneLine) {
  const nlohmann::json json{{"a", "text"}};
  EXPECT_EQ(values_from("file", [&] { return json.at("a").get<std::string>(); }), "text");
  const auto refusal = [&](const auto& take) -> std::string {
    try {
      values_from("file", take);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  const std::string end = ": it is damaged or of another version of the program";
  EXPECT_EQ(refusal([&] { static_cast<void>(json.at("bound")); }), "file lacks bound" + end);
  const std::string other = "file has a value of a type that this program does not write" + end;
  EXPECT_EQ(refusal([&] { static_cast<void>(json.at("a").get<int>()); }), other);
  EXPECT_EQ(refusal([&] { static_cast<void>(json.at("a").at("b")); }), other);
  EXPECT_EQ(refusal([&] { static_cast<void>(json.at("a").at(3)); }), other);
}

TEST(JsonInput, SealsAreOfTheValues) {
  const nlohmann::json made = sealed({{"a", 0.1}, {"b", {1, "x", nullptr}}});
  EXPECT_TRUE(is_sealed(nlohmann::json::parse(made.dump(3))));
  nlohmann::json changed = made;
  changed["a"] = 0.2;
  EXPECT_FALSE(is_sealed(changed));
  changed = made;
  changed["c"] = nullptr;
  EXPECT_FALSE(is_sealed(changed));
  changed = made;
  changed.erase("checksum");
  EXPECT_FALSE(is_sealed(changed));
  EXPECT_FALSE(is_sealed(nlohmann::json::array({1})));
}

TEST(WholeFiles, AreOrdinaryFiles) {
  const test::TemporaryDirectory directory;
  ASSERT_EQ(::mkfifo((directory / "pipe").c_str(), 0600), 0);
  EXPECT_THROW(read_whole_file(directory / "pipe"), InputError);
  EXPECT_THROW(read_whole_file(directory.path()), InputError);
  EXPECT_THROW(read_whole_file(directory / "missing"), InputError);
  const std::string text(200000, 'x');
  test::write_bytes(directory / "file", text);
  EXPECT_EQ(read_whole_file(directory / "file"), text);
  std::filesystem::create_symlink("file", directory / "link");
  EXPECT_EQ(read_whole_file(directory / "link"), text);
}

TEST(JsonOutput, ReplacesBytesThatAreNoUtf8) {
  EXPECT_EQ(json_text({{"name", "a\xff"}}), "{\"name\":\"a\xef\xbf\xbd\"}");
  EXPECT_EQ(plain_text("a\xff"), "a\xff");
  EXPECT_EQ(plain_text({"a\xff", 1}), "[\"a\xef\xbf\xbd\",1]");
}

}  // namespace
}  // namespace multiwalk
