// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace cannery::storage {

/// A part of a file in the address space. A page that the disk cannot supply, or that the file no
/// longer has, does not crash the process: it becomes zeros, and isDamaged() returns true. Readers
/// check that before they trust what they read. The memory may be used from any thread.
class GuardedMapping
{
public:
    enum class Access
    {
        Read,
        ReadAndWrite, ///< writes reach the file
    };
    /// `offset`: of a page. Nothing if the system has no room, or cannot map such files.
    static std::optional<GuardedMapping> map(int descriptor, std::uint64_t offset, std::size_t size,
                                             Access access);
    GuardedMapping(GuardedMapping&& other) noexcept;
    GuardedMapping& operator=(GuardedMapping&& other) noexcept;
    ~GuardedMapping();

    std::byte* begin() const { return m_begin; }
    std::size_t size() const { return m_size; }
    bool isDamaged() const;
    /// Whether any mapping of the process ever was: a quick check for all of them.
    static bool isAnyDamaged();

private:
    struct Guard;
    struct Guards;
    GuardedMapping(std::byte* begin, std::size_t size, Guard& guard)
        : m_begin(begin), m_size(size), m_guard(&guard)
    {}

    std::byte* m_begin;
    std::size_t m_size;
    Guard* m_guard;
};

} // namespace cannery::storage
