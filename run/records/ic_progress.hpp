// SPDX-License-Identifier: GPL-3.0-or-later
// Messages while initial conditions are made, and how long their parts take.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace multiwalk {

struct PartSeconds {
  std::string part;
  double seconds = 0;
};

/// Reports each part when it begins, with the seconds of the previous part, the progress of a part after ten seconds
/// without a message, and warnings.
class IcProgress {
 public:
  using Say = std::function<void(const std::string&)>;
  explicit IcProgress(Say say);

  /// As a ModelProgress (ic/models/model.hpp).
  void report(const std::string& part, double fraction);
  /// Ends the last part. Does nothing if there was none.
  void finish();
  /// The parts that have ended, in order.
  [[nodiscard]] const std::vector<PartSeconds>& parts() const { return parts_; }

 private:
  void say(const std::string& text);
  /// "" or " (PART took 1.2 s)".
  std::string end_part();

  Say say_;
  std::vector<PartSeconds> parts_;
  std::string part_;
  double began_ = 0, part_began_ = 0, last_said_ = 0;
};

}  // namespace multiwalk
