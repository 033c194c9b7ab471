// SPDX-License-Identifier: GPL-3.0-or-later
// Reader of linear power tables, one checked line at a time, and their log-log spline (GSL).
#include "ic/power/power_table.hpp"

#include <gsl/gsl_spline.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>
#include <sstream>

#include "host/base/error.hpp"
#include "host/base/gsl_check.hpp"
#include "host/text/byte_order_mark.hpp"
#include "host/text/plain_number.hpp"

namespace multiwalk {

namespace {

constexpr std::size_t fewest_points = 4;

/// The numbers of a line; `place`: file:line for messages.
std::vector<double> parse_numbers(const std::string& line, const std::string& place) {
  std::vector<double> numbers;
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    const std::optional<double> number = number_in(word);
    if (!number || !std::isfinite(*number)) throw InputError(place + ": '" + word + "' is not a number");
    numbers.push_back(*number);
  }
  return numbers;
}

/// Adds a line's k and value to the table.
void append(PowerTable& table, const std::vector<double>& numbers, const std::string& place) {
  const double k = numbers[0];
  const double value = table.transfer ? numbers[6] : numbers[1];
  if (!(k > 0 && value > 0)) throw InputError(place + ": wavenumber and power must be positive");
  constexpr double rounding = 0.02;  // of values in tables with few digits, whose wavenumbers may repeat
  if (!table.k.empty() && k == table.k.back() && std::fabs(value / table.value.back() - 1) < rounding) return;
  if (!table.k.empty() && k <= table.k.back()) {
    throw InputError(place + ": wavenumbers must rise; sort the table and remove repeated lines");
  }
  table.k.push_back(k);
  table.value.push_back(value);
}

}  // namespace

PowerTable read_power_table(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw InputError(path + ": cannot read the linear power table; check cosmology.transfer_file");
  PowerTable table;
  std::size_t columns = 0;
  std::size_t line_number = 0;
  for (std::string line; std::getline(file, line);) {
    if (line_number == 0) remove_byte_order_mark(line);
    const std::string place = path + ":" + std::to_string(++line_number);
    const std::vector<double> numbers = parse_numbers(line.substr(0, line.find('#')), place);
    if (numbers.empty()) continue;
    if (columns == 0) {
      columns = numbers.size();
      table.transfer = columns == 7 || columns == 13;
      if (columns != 2 && !table.transfer) {
        throw InputError(place + ": " + std::to_string(columns) +
                         " columns; 2 (k, P), or 7 or 13 (CAMB transfer functions) are understood");
      }
    }
    if (numbers.size() != columns) {
      throw InputError(place + ": " + std::to_string(numbers.size()) + " columns where the lines before have " +
                       std::to_string(columns));
    }
    append(table, numbers, place);
  }
  if (file.bad()) throw InputError(path + ": cannot read the linear power table to its end");
  if (table.k.size() < fewest_points) {
    throw InputError(path + ": " + std::to_string(table.k.size()) + " points; a linear power table needs at least " +
                     std::to_string(fewest_points));
  }
  return table;
}

struct LogSpline::Handle {
  explicit Handle(std::size_t n) : spline(gsl_spline_alloc(gsl_interp_cspline, n)) {
    gsl_check(spline, "gsl_spline_alloc");
  }
  ~Handle() { gsl_spline_free(spline); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  gsl_spline* spline;
};

LogSpline::LogSpline(const std::vector<double>& x, const std::vector<double>& y) {
  const auto logarithms = [](std::vector<double> v) {
    std::transform(v.begin(), v.end(), v.begin(), [](double value) { return std::log(value); });
    return v;
  };
  const auto handle = std::make_shared<Handle>(x.size());
  gsl_check(gsl_spline_init(handle->spline, logarithms(x).data(), logarithms(y).data(), x.size()), "gsl_spline_init");
  handle_ = handle;
}

double LogSpline::operator()(double x) const {
  double y = 0;
  gsl_check(gsl_spline_eval_e(handle_->spline, std::log(x), nullptr, &y), "gsl_spline_eval_e");
  return std::exp(y);
}

}  // namespace multiwalk
