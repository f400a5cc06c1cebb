// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace cannery::kernels {

/// Copies floats that are `stride` apart: the first, the one `stride` floats after it, and so on,
/// as many as `to` has room for; reads nothing after the last one. In vectors for small strides: a
/// weight with one to three slots beside it.
void copySpaced(const float* from, std::int64_t stride, std::span<std::byte> to);

} // namespace cannery::kernels
