#pragma once

#include <cstdint>

namespace cannery::train {

/// Resident memory of this process in bytes; 0 where the system does not tell.
std::int64_t residentBytes();

} // namespace cannery::train
