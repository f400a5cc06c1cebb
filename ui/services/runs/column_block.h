// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "storage/io/guarded_mapping.h"

#include <QtGlobal>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace cannery::ui {

/// Storage for the three columns of a series: in memory while it is small, in a mapped file once it
/// has grown. One thread writes after the published part; another reads the published part.
///
///   file = steps (int64 × capacity), seconds (float × capacity), values (float × capacity)
class ColumnBlock
{
public:
    static constexpr qsizetype kBytesPerPoint = 16;
    /// The capacity of files is a multiple of this, so that each column begins at a page.
    static constexpr qsizetype kFileGranularity = 1024;

    static std::shared_ptr<ColumnBlock> inMemory(qsizetype capacity);
    /// Creates or replaces the file. Null if it cannot be created or the disk has no room for all
    /// of it: later writes cannot fail.
    static std::shared_ptr<ColumnBlock> createFile(const std::string& path, qsizetype capacity);
    /// Null if the file is missing or has another size.
    static std::shared_ptr<ColumnBlock> openFile(const std::string& path, qsizetype capacity);
    ~ColumnBlock();
    ColumnBlock(const ColumnBlock&) = delete;
    ColumnBlock& operator=(const ColumnBlock&) = delete;

    qsizetype capacity() const { return m_capacity; }
    bool isMapped() const { return m_mapping.has_value(); }
    /// Whether reading or writing a mapped block failed. Any thread.
    bool isDamaged() const { return m_mapping && m_mapping->isDamaged(); }

    std::int64_t* steps() { return m_steps; }
    float* seconds() { return m_seconds; }
    float* values() { return m_values; }
    const std::int64_t* steps() const { return m_steps; }
    const float* seconds() const { return m_seconds; }
    const float* values() const { return m_values; }

    /// Evicts the pages of a mapped block; the next access loads them again.
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
