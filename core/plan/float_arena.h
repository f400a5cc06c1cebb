// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>

namespace cannery::plan {

/// One block of zeroed floats for many buffers, each starting at a cache line: first reserve all of
/// them, then allocate once.
class FloatArena
{
public:
    /// Plans a buffer; returns its offset.
    std::int64_t add(std::int64_t count);
    void allocate();
    /// After allocate().
    float* at(std::int64_t offset) { return m_memory.get() + offset; }
    const float* at(std::int64_t offset) const { return m_memory.get() + offset; }
    std::span<float> span(std::int64_t offset, std::int64_t count)
    {
        return {at(offset), static_cast<std::size_t>(count)};
    }
    std::int64_t size() const { return m_size; }

private:
    struct Free
    {
        void operator()(float* memory) const;
    };
    std::int64_t m_size = 0;
    std::unique_ptr<float, Free> m_memory;
};

} // namespace cannery::plan
