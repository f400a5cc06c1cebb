// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/used_memory.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cannery::kernels {

/// Collects what an operation uses; null and empty memory is left out.
class Uses
{
public:
    /// `block`: where numbers of the step are, see usedMemory().
    explicit Uses(StepBlock block) : m_block(block) {}

    template <typename T>
    void read(const T* values, std::int64_t count)
    {
        addBlock(values, count * std::int64_t{sizeof(T)}, false);
    }
    template <typename T>
    void write(T* values, std::int64_t count)
    {
        addBlock(values, count * std::int64_t{sizeof(T)}, true);
    }
    void read(ConstMatrixView view) { addRows(view, false); }
    void write(ConstMatrixView view) { addRows(view, true); }
    void read(const StepData& step, std::int64_t bytes)
    {
        read(step.cursor, 1);
        read(step.blocks + stepOf(step) * step.blockBytes + step.offset, bytes);
    }
    std::int64_t stepOf(const StepData& step) const
    {
        return m_block == StepBlock::OfCursor ? *step.cursor : 0;
    }
    void read(const DeviceIds& ids)
    {
        read(ids.rowOffsets, ids.rows + 1);
        read(ids.ids, ids.capacity);
        read(ids.weights, ids.capacity);
        readIfThere(ids.rowsInUse, sizeof(std::int64_t));
    }
    void readIfThere(const StepData& step, std::int64_t bytes)
    {
        if (step.cursor != nullptr) {
            read(step, bytes);
        }
    }
    void read(const DeviceSparse& sparse) { sparseParts(sparse, false); }
    void write(const DeviceSparse& sparse) { sparseParts(sparse, true); }
    void write(const GradientValues& gradient)
    {
        if (gradient.sparse.rows == nullptr) {
            write(gradient.dense);
            return;
        }
        write(gradient.sparse.values, gradient.sparse.capacity * gradient.sparse.cols);
        read(gradient.sparse.count, 1);
    }
    void read(const GradientValues& gradient)
    {
        if (gradient.sparse.rows == nullptr) {
            read(ConstMatrixView(gradient.dense));
            return;
        }
        read(gradient.sparse.values, gradient.sparse.capacity * gradient.sparse.cols);
        read(gradient.sparse.count, 1);
    }
    void read(const DeviceBatchNorm& parameters, std::int64_t cols)
    {
        read(parameters.gamma, cols);
        read(parameters.beta, cols);
        read(parameters.mean, cols);
        read(parameters.variance, cols);
    }

    std::vector<UsedMemory> found;

private:
    void sparseParts(const DeviceSparse& sparse, bool written)
    {
        addBlock(sparse.rows, sparse.capacity * std::int64_t{sizeof(std::int32_t)}, written);
        addBlock(sparse.values, sparse.capacity * sparse.cols * std::int64_t{sizeof(float)},
                 written);
        addBlock(sparse.count, std::int64_t{sizeof(std::int64_t)}, written);
    }
    void addRows(ConstMatrixView view, bool written)
    {
        if (view.rows > 0 && view.cols > 0) {
            constexpr std::int64_t kFloat{sizeof(float)};
            add({.begin = reinterpret_cast<const std::byte*>(view.data),
                 .bytes = ((view.rows - 1) * view.stride + view.cols) * kFloat,
                 .rowBytes = view.cols * kFloat,
                 .strideBytes = std::max(view.cols, view.stride) * kFloat,
                 .written = written});
        }
    }
    void addBlock(const void* address, std::int64_t bytes, bool written)
    {
        add({static_cast<const std::byte*>(address), bytes, bytes, bytes, written});
    }
    void add(const UsedMemory& used)
    {
        if (used.begin != nullptr && used.bytes > 0) {
            found.push_back(used);
        }
    }

    StepBlock m_block;
};

} // namespace cannery::kernels
