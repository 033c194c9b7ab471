// SPDX-License-Identifier: GPL-3.0-or-later
// Loops whose pieces are taken by the threads that have nothing else to do.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstddef>
#include <exception>

namespace multiwalk {

/// Calls act(begin, end) for pieces [begin, end) of at most `piece` elements that together are [0, n), and returns when
/// all are done. Within a parallel region, threads that wait at its end take part; outside one, all threads do. Throws
/// what one of the calls threw.
template <class Act>
void in_tasks(std::size_t n, std::size_t piece, Act act) {
  const std::size_t pieces = (n + piece - 1) / piece;
  std::exception_ptr failure;
  const auto part = [&](std::size_t p) {
    try {
      act(p * piece, std::min(n, (p + 1) * piece));
    } catch (...) {
#pragma omp critical(in_tasks)
      failure = std::current_exception();
    }
  };
  if (pieces <= 1) {
    if (pieces == 1) part(0);
  } else if (omp_in_parallel() != 0) {
#pragma omp taskloop grainsize(1) default(shared)
    for (std::size_t p = 0; p < pieces; ++p) part(p);
  } else {
#pragma omp parallel for schedule(dynamic, 1)
    for (std::size_t p = 0; p < pieces; ++p) part(p);
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace multiwalk
