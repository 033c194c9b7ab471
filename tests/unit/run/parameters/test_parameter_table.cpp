// SPDX-License-Identifier: GPL-3.0-or-later
// The table of parameters: a row for each key, with a member of its own, and its values for other files.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <type_traits>

#include "run/parameters/parameter_table.hpp"

namespace multiwalk {
namespace {

TEST(ParameterTable, DataHaveNoSyntax) {
  Parameters p = parse_parameters(
      "[model]\nkind = \"plummer\"\n[output]\nimages = false\ntimes = [0.5, 1]\n[run]\ntitle = \"A 'b'\"", "test.toml");
  std::map<std::string_view, ParameterData> data;
  for (const ParameterKey& key : parameter_keys(p))
    if (const auto value = parameter_data(key)) data[key.name] = *value;
  EXPECT_EQ(std::get<std::string>(data.at("model.kind")), "plummer");
  EXPECT_EQ(std::get<std::string>(data.at("run.title")), "A 'b'");
  EXPECT_EQ(std::get<std::string>(data.at("force.softening")), "auto");
  EXPECT_EQ(std::get<std::int64_t>(data.at("output.images")), 0);
  EXPECT_EQ(std::get<std::int64_t>(data.at("model.particles")), 32768);
  EXPECT_EQ(std::get<double>(data.at("time.eta")), p.time.eta);
  EXPECT_EQ(std::get<std::vector<double>>(data.at("output.times")), (std::vector<double>{0.5, 1}));
  EXPECT_FALSE(data.contains("output.redshifts"));
  EXPECT_FALSE(data.contains("cost.machine_price"));
}

TEST(ParameterTable, EchoAndHelpShowEveryKey) {
  const std::string echo = to_toml(Parameters{});
  EXPECT_GT(parameter_table().size(), 100U);
  for (const ParameterKey& row : parameter_table()) {
    const std::string line = (format_parameter(row).empty() ? "\n# " : "\n") + std::string(row.key()) + " = ";
    EXPECT_NE(echo.find(line), std::string::npos) << row.name;
    EXPECT_FALSE(row.help.empty()) << row.name;
  }
}

TEST(ParameterTable, EachKeyHasAMemberOfItsOwn) {
  Parameters parameters;
  std::set<const void*> members;
  const auto rows = parameter_keys(parameters);
  for (const ParameterKey& row : rows) {
    if (const auto* choice = std::get_if<Choice>(&row.field)) {
      if (row.name == "cosmology.transfer") continue;  // a word of other keys
      const std::size_t other = (choice->get() + 1) % choice->words.names.size();
      choice->set(other);
      EXPECT_EQ(choice->get(), other) << row.name;
      const auto changes = parameter_changes(parse_parameters("", "test"), parameters);
      ASSERT_EQ(changes.size(), 1U) << row.name;
      EXPECT_EQ(changes[0].key, row.name);
      parameters = {};
    } else {
      const auto address = [](const auto& field) -> const void* {
        if constexpr (std::is_pointer_v<std::remove_cvref_t<decltype(field)>>) return field;
        return nullptr;
      };
      EXPECT_TRUE(members.insert(std::visit(address, row.field)).second) << row.name;
    }
  }
  EXPECT_GT(members.size(), 100U);
}

}  // namespace
}  // namespace multiwalk
