// SPDX-License-Identifier: GPL-3.0-or-later
// What is said while initial conditions are made, and how long their parts take.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace multiwalk {

struct PartSeconds {
  std::string part;
  double seconds = 0;
};

/// Says each part when it begins, with the seconds of the part before; how far a part is, when nothing was said for ten
/// seconds; warnings.
class IcProgress {
 public:
  using Say = std::function<void(const std::string&)>;
  explicit IcProgress(Say say);

  /// As a ModelProgress (ic/models/model.hpp).
  void report(const std::string& part, double fraction);
  /// Ends the last part. Says nothing if there was none.
  void finish();
  /// Those that ended, in their order.
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
