// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/operations.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::kernels {

/// Writes what an operation of one step reads; see StepData.
using StepWriter = std::function<void(std::int64_t step, std::byte* destination)>;

/// For profiles: "product".
std::string_view nameOf(const Operation& operation);

/// A plan's step in the making. Layers add operations with the same views of host memory that their
/// passes use on the CPU: each block of the plan's memory has a mirror on the device, and here its
/// addresses are translated. Nothing runs yet; the same calls give the same program.
class AcceleratorProgram
{
public:
    /// Host memory [host, host + bytes) is at `device`.
    void mirror(const void* host, std::int64_t bytes, std::byte* device);
    /// Where addresses on the host are on the device; null stays null. All of them are in a
    /// mirror.
    template <typename T>
    T* at(T* host) const
    {
        return host == nullptr ? nullptr
                               : reinterpret_cast<T*>(const_cast<std::byte*>(translated(host)));
    }
    MatrixView at(MatrixView view) const
    {
        return {at(view.data), view.rows, view.cols, view.stride};
    }
    ConstMatrixView at(ConstMatrixView view) const
    {
        return {at(view.data), view.rows, view.cols, view.stride};
    }

    /// Memory on the device for this program alone, 256-byte aligned; the program's owner provides
    /// it (scratchBytes()) before the first call.
    std::byte* scratch(std::int64_t bytes);
    float* scratchFloats(std::int64_t count)
    {
        return reinterpret_cast<float*>(scratch(count * std::int64_t{sizeof(float)}));
    }

    /// No memory for no columns.
    MatrixView scratchMatrix(std::int64_t rows, std::int64_t cols)
    {
        return {cols == 0 ? nullptr : scratchFloats(rows * cols), rows, cols, cols};
    }

    /// Bytes of every step block, and who fills them before a launch.
    StepData perStep(std::int64_t bytes, StepWriter write);

    /// `label` names the layer or variable in profiles.
    void add(const Operation& operation, std::string_view label = {});
    std::span<const Operation> operations() const { return m_operations; }
    std::span<const std::string> labels() const { return m_labels; }

    // For the program's owner.
    // A program is built twice: the first time, with addresses of nothing, to learn what it needs.
    /// Forgets everything, mirrors included.
    void begin(std::byte* scratch, std::byte* stepBlocks, std::int64_t blockBytes,
               std::int64_t* cursor);
    std::int64_t scratchBytes() const { return m_scratchBytes; }
    std::int64_t stepBytes() const { return m_stepBytes; }
    /// Fills the block of a step, stepBytes() long.
    void writeStep(std::int64_t step, std::byte* block) const;

private:
    struct Mirror
    {
        const std::byte* host = nullptr;
        std::int64_t bytes = 0;
        std::byte* device = nullptr;
    };
    struct Field
    {
        std::int64_t offset = 0;
        StepWriter write;
    };
    const std::byte* translated(const void* host) const;

    std::vector<Mirror> m_mirrors;
    std::vector<Operation> m_operations;
    std::vector<std::string> m_labels;
    std::vector<Field> m_fields;
    std::byte* m_scratch = nullptr;
    std::int64_t m_scratchBytes = 0;
    std::byte* m_stepBlocks = nullptr;
    std::int64_t m_blockBytes = 0;
    std::int64_t m_stepBytes = 0;
    std::int64_t* m_cursor = nullptr;
};

} // namespace cannery::kernels
