// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/model.h"
#include "kernels/device/thread_pool.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace cannery::train {

/// Less state than this is saved without copying: the copy and the hand-over to another thread
/// would cost more than they save.
constexpr std::int64_t kLeastBytesBehind = std::int64_t{1} << 20U;

/// A copy of a model's state at one moment. The memory is kept for the next copy, so only the first
/// one waits for the system to provide it. One thread.
class StateSnapshot
{
public:
    /// Copies all tensors with the threads of the pool (null: only the caller), bypassing the
    /// caches, which training needs. False, and nothing is held, if there is not enough memory.
    bool take(const std::vector<plan::StateTensor>& state, kernels::ThreadPool* pool);

    /// The tensors of the copy, in order; their bytes are stored here.
    std::span<const plan::StateTensor> tensors() const { return m_tensors; }

private:
    /// A part of a tensor that one thread copies.
    struct Piece
    {
        const plan::StateTensor* tensor = nullptr;
        std::size_t first = 0; ///< byte of its content
        const std::byte* from = nullptr;
        std::byte* to = nullptr;
        std::size_t size = 0;
    };
    struct Free
    {
        void operator()(std::byte* memory) const;
    };

    bool reserve(std::size_t bytes);
    void cut(std::span<const plan::StateTensor> state);

    std::unique_ptr<std::byte, Free> m_memory;
    std::size_t m_capacity = 0;
    std::vector<plan::StateTensor> m_tensors;
    std::vector<Piece> m_pieces; ///< kept for its memory
};

/// The bytes of all tensors together.
std::size_t byteCount(std::span<const plan::StateTensor> state);

} // namespace cannery::train
