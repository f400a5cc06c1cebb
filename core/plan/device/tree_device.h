// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/trees/histogram_table.h"
#include "core/trees/leaf_device.h"
#include "kernels/accelerator/accelerator.h"
#include "kernels/device/thread_pool.h"

#include <cstdint>
#include <memory>
#include <span>

namespace cannery::plan {

/// An accelerator that sums the gradients of leaves. The bins of all rows are there; gradients go
/// up once for each tree, the numbers of a leaf's rows when it is summed, and its sums come down.
/// Must not outlive the accelerator.
class TreeDevice final : public trees::LeafDevice
{
public:
    /// The table and the pool must outlive it. Errors: "gpu.no_room_for_trees", of the
    /// accelerator.
    static Result<std::unique_ptr<TreeDevice>> create(kernels::Accelerator& accelerator,
                                                      const trees::HistogramTable& table,
                                                      kernels::ThreadPool& pool);

    /// Of the accelerator's memory.
    std::int64_t bytes() const { return m_memory->bytes(); }

    std::span<std::uint64_t> gradients() override;
    void beginTree() override { m_hasGradients = false; }
    bool takes(std::int64_t rows) const override;
    void add(std::span<const std::uint32_t> rows) override;
    Result<std::span<const std::int64_t>> finish() override;

private:
    /// Where the parts of the memory begin, in bytes; the bins are first. From the gradients on,
    /// pinned memory has the same.
    struct Places
    {
        explicit Places(const kernels::DeviceBins& table);
        std::int64_t ranges = 0;
        std::int64_t gradients = 0;
        std::int64_t leaf = 0; ///< how many rows it has, and their numbers
        std::int64_t sums = 0;
        std::int64_t end = 0;
    };

    TreeDevice(kernels::Accelerator& accelerator, const kernels::DeviceBins& table,
               kernels::ThreadPool& pool)
        : m_accelerator(accelerator), m_table(table), m_places(table), m_pool(pool)
    {}
    Result<void> begin(const trees::HistogramTable& table);
    Result<void> allocate();
    Result<void> prepare();
    Result<void> uploadTable(const trees::HistogramTable& table);
    std::byte* pinned(std::int64_t place) const
    {
        return m_pinned->data() + place - m_places.gradients;
    }
    void upload(std::int64_t place, std::int64_t bytes);
    void uploadRows(std::span<const std::uint32_t> rows);

    kernels::Accelerator& m_accelerator;
    kernels::DeviceBins m_table;
    Places m_places;
    kernels::ThreadPool& m_pool;
    std::unique_ptr<kernels::AcceleratorMemory> m_memory;
    std::unique_ptr<kernels::AcceleratorMemory> m_pinned;
    std::unique_ptr<kernels::AcceleratorGraph> m_sumOfAll;  ///< of all rows of the table
    std::unique_ptr<kernels::AcceleratorGraph> m_sumOfLeaf; ///< of some
    bool m_hasGradients = false;                            ///< of the present tree
};

} // namespace cannery::plan
