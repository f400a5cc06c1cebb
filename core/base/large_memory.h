// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory_resource>

namespace cannery {

/// Where large memory starts: at a cache line.
inline constexpr std::size_t kLineBytes = 64;

/// Memory of at least this many bytes whose content is arbitrary, for std::free(); null: there is
/// none. From a few megabytes on in huge pages, if the system has any: translating an address in a
/// small page may cost as much as what is done there.
void* allocateLarge(std::size_t bytes);

/// The same for containers that may grow large, and for arenas.
std::pmr::memory_resource* largeMemory();

} // namespace cannery
