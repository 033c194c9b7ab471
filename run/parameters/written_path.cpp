// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/parameters/written_path.hpp"

#include <cstdlib>
#include <regex>

#include "host/base/error.hpp"

namespace multiwalk {

namespace {

std::string value_of(const std::string& variable, const std::string& path) {
  const char* value = std::getenv(variable.c_str());
  if (value != nullptr && *value != '\0') return value;
  throw InputError("the path " + path + " names the environment variable " + variable + ", which is not set");
}

}  // namespace

std::string expanded_path(const std::string& path) {
  std::string expanded, rest = path;
  if (path.starts_with("~")) {
    if (path.size() > 1 && path[1] != '/') {
      throw InputError("the path " + path + ": write the folder of another user in full, or ./" + path +
                       " if this is a name");
    }
    expanded = value_of("HOME", path);
    rest.erase(0, 1);
  }
  static const std::regex variable(R"(\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\}))");
  for (std::size_t dollar = 0; (dollar = rest.find('$')) != std::string::npos;) {
    std::smatch name;
    expanded += rest.substr(0, dollar);
    rest.erase(0, dollar);
    if (!std::regex_search(rest, name, variable, std::regex_constants::match_continuous)) {
      throw InputError("the path " + path + ": $ must begin the name of an environment variable");
    }
    expanded += value_of(name[1].matched ? name[1] : name[2], path);
    rest = name.suffix();
  }
  return expanded + rest;
}

}  // namespace multiwalk
