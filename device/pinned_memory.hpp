// Page-locked host memory for standard containers: copies from it to a device run asynchronously.
#pragma once

#include <memory_resource>

namespace multiwalk {

/// The resource every device copies from. Throws Error when the system has no more lockable memory. Each allocation is
/// slow (about a millisecond): reserve.
std::pmr::memory_resource* pinned_memory();

}  // namespace multiwalk
