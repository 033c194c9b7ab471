// Reasons to end a run at the next step boundary: a signal, a file named `stop`, the wall-clock limit.
#pragma once

#include <string>

namespace multiwalk {

class StopRequest {
 public:
  /// Catches SIGTERM, SIGINT and SIGUSR1 from now on. `wall_limit` in seconds, 0: none.
  StopRequest(std::string run_directory, double wall_limit);
  ~StopRequest();
  StopRequest(const StopRequest&) = delete;
  StopRequest& operator=(const StopRequest&) = delete;

  /// Why to stop now, empty to go on. `step_seconds`: a step may still take so long before the limit.
  [[nodiscard]] std::string reason(double step_seconds) const;

 private:
  std::string stop_file_;
  double wall_limit_;
  double began_;
};

}  // namespace multiwalk
