// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "storage/io/guarded_mapping.h"

#include <QtGlobal>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace cannery::ui {

/// Room for the three columns of a series: in memory while it is small, in a mapped file when it
/// has grown. One thread writes behind what it has published; another reads before it.
///
///   file = steps (int64 × capacity), seconds (float × capacity), values (float × capacity)
class ColumnBlock
{
public:
    static constexpr qsizetype kBytesPerPoint = 16;
    /// Blocks of files have multiples of this, so that each column begins with a page.
    static constexpr qsizetype kFileGranularity = 1024;

    static std::shared_ptr<ColumnBlock> inMemory(qsizetype capacity);
    /// Makes the file, or replaces it. Null when it cannot be made or the disk has no room for all
    /// of it: writing to it later cannot fail.
    static std::shared_ptr<ColumnBlock> createFile(const std::string& path, qsizetype capacity);
    /// Null when the file is missing or has another size.
    static std::shared_ptr<ColumnBlock> openFile(const std::string& path, qsizetype capacity);
    ~ColumnBlock();
    ColumnBlock(const ColumnBlock&) = delete;
    ColumnBlock& operator=(const ColumnBlock&) = delete;

    qsizetype capacity() const { return m_capacity; }
    bool isMapped() const { return m_mapping.has_value(); }
    /// Whether the disk could not give, or take, something of a mapped block. Any thread.
    bool isDamaged() const { return m_mapping && m_mapping->isDamaged(); }

    std::int64_t* steps() { return m_steps; }
    float* seconds() { return m_seconds; }
    float* values() { return m_values; }
    const std::int64_t* steps() const { return m_steps; }
    const float* seconds() const { return m_seconds; }
    const float* values() const { return m_values; }

    /// Takes the pages of a mapped block out of the process; the next look brings them back.
    void release() const;

private:
    ColumnBlock(void* memory, qsizetype capacity,
                std::optional<storage::GuardedMapping> mapping = {});
    static std::shared_ptr<ColumnBlock> map(int descriptor, qsizetype capacity);

    void* m_memory;
    qsizetype m_capacity;
    std::optional<storage::GuardedMapping> m_mapping;
    std::int64_t* m_steps;
    float* m_seconds;
    float* m_values;
};

} // namespace cannery::ui
