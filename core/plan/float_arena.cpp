// SPDX-License-Identifier: Apache-2.0
#include "core/plan/float_arena.h"

#include "core/base/check.h"
#include "core/base/large_memory.h"

#include <cstdlib>
#include <cstring>

namespace cannery::plan {

namespace {

constexpr std::int64_t kLineFloats = kLineBytes / sizeof(float);

} // namespace

std::int64_t FloatArena::add(std::int64_t count)
{
    CANNERY_CHECK(m_memory == nullptr);
    const std::int64_t offset = m_size;
    m_size += (count + kLineFloats - 1) / kLineFloats * kLineFloats;
    return offset;
}

void FloatArena::allocate()
{
    // At least one line, so that at() of an empty arena is a valid pointer.
    const std::size_t bytes = static_cast<std::size_t>(m_size + kLineFloats) * sizeof(float);
    m_memory.reset(static_cast<float*>(allocateLarge(bytes)));
    CANNERY_CHECK(m_memory != nullptr);
    std::memset(m_memory.get(), 0, bytes);
}

void FloatArena::Free::operator()(float* memory) const
{
    std::free(memory);
}

} // namespace cannery::plan
