// SPDX-License-Identifier: Apache-2.0
#include "core/train/checkpoints/state_snapshot.h"

#include "core/base/large_memory.h"
#include "core/train/preparation/process_memory.h"

#if defined(__AVX__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <utility>

namespace cannery::train {
namespace {

/// Of a tensor: the cells of several of these fit a core's second cache, and the floats that are
/// taken from them at once leave room in its first.
constexpr std::size_t kPieceBytes = std::size_t{64} << 10U;
constexpr std::size_t kCopiedFloats = 1024;

std::size_t roundedUp(std::size_t bytes)
{
    return (bytes + kLineBytes - 1) / kLineBytes * kLineBytes;
}

/// `to` is aligned to a cache line. Non-temporal stores: the target's lines are not read first, and
/// what the next step needs stays in the caches.
void copyPastCaches(const std::byte* from, std::byte* to, std::size_t size)
{
    std::size_t done = 0;
#if defined(__AVX__)
    for (; done + kLineBytes <= size; done += kLineBytes) {
        const auto* source = reinterpret_cast<const __m256i*>(from + done);
        auto* target = reinterpret_cast<__m256i*>(to + done);
        // Loads may be unaligned: tensors begin anywhere, while targets begin at a cache line.
        const __m256i first = _mm256_loadu_si256(source);
        const __m256i second = _mm256_loadu_si256(source + 1);
        _mm256_stream_si256(target, first);
        _mm256_stream_si256(target + 1, second);
    }
    // Streaming stores are not ordered with others: the writing thread must see them.
    _mm_sfence();
#endif
    std::memcpy(to + done, from + done, size - done);
}

/// As above, of a tensor's content that is not back to back.
void copyCellsPastCaches(const plan::StateTensor& tensor, std::size_t first, std::byte* to,
                         std::size_t size)
{
    alignas(kLineBytes) std::array<std::byte, kCopiedFloats * sizeof(float)> packed;
    for (std::size_t done = 0; done < size; done += packed.size()) {
        const auto some = std::span(packed).first(std::min(packed.size(), size - done));
        tensor.read(first + done, some);
        copyPastCaches(some.data(), to + done, some.size());
    }
}

} // namespace

std::size_t byteCount(std::span<const plan::StateTensor> state)
{
    std::size_t bytes = 0;
    for (const plan::StateTensor& tensor : state) {
        bytes += tensor.byteCount();
    }
    return bytes;
}

void StateSnapshot::Free::operator()(std::byte* memory) const
{
    std::free(memory);
}

bool StateSnapshot::reserve(std::size_t bytes)
{
    // Memory is kept from save to save: the system's pages are mapped once only.
    if (bytes <= m_capacity) {
        return true;
    }
    // Before more is allocated: both at once could exceed the memory.
    m_memory.reset();
    m_capacity = 0;
    // The system promises more memory than it has, and kills processes that use it.
    if (const std::int64_t available = availableBytes();
        available > 0 && bytes > static_cast<std::size_t>(available) / 2) {
        return false;
    }
    m_memory.reset(static_cast<std::byte*>(allocateLarge(bytes)));
    m_capacity = m_memory ? bytes : 0;
    return m_memory != nullptr;
}

/// Assigns every tensor its place in the memory, and lists the pieces to copy: those of tensors
/// that share cells one after the other, while the cells are in the caches.
void StateSnapshot::cut(std::span<const plan::StateTensor> state)
{
    m_pieces.clear();
    std::byte* place = m_memory.get();
    for (std::size_t index = 0; index < state.size(); ++index) {
        const std::size_t size = state[index].byteCount();
        const auto* const begin = state[index].cells.rows > 0
                                      ? reinterpret_cast<const std::byte*>(state[index].cells.data)
                                      : state[index].bytes.data();
        // Cells of a row are apart by the stride, so the piece's place is computed with it.
        const std::size_t step = std::max<std::size_t>(1, state[index].cells.stride);
        for (std::size_t done = 0; done < size; done += kPieceBytes) {
            m_pieces.push_back({.tensor = &state[index],
                                .first = done,
                                .from = begin + done * step,
                                .to = place + done,
                                // The target is always back to back, whatever the source is.
                                .size = std::min(kPieceBytes, size - done)});
        }
        m_tensors[index].bytes = {place, size};
        m_tensors[index].cells = {};
        place += roundedUp(size);
    }
    // Tensors that share cells are neighbours by address.
    std::ranges::sort(m_pieces, std::ranges::less(), &Piece::from);
}

bool StateSnapshot::take(const std::vector<plan::StateTensor>& state, kernels::ThreadPool* pool)
{
    m_tensors.clear();
    // One line more, as the memory itself need not begin at one.
    std::size_t bytes = kLineBytes;
    for (const plan::StateTensor& tensor : state) {
        bytes += roundedUp(tensor.byteCount());
    }
    if (!reserve(bytes)) {
        return false;
    }
    // A copy of the descriptions; the bytes and cells are then pointed at the memory.
    m_tensors = state;
    cut(state);
    const auto copy = [this](std::int64_t piece, int /*worker*/) {
        const Piece& part = m_pieces[static_cast<std::size_t>(piece)];
        if (part.tensor->cells.rows > 0) {
            copyCellsPastCaches(*part.tensor, part.first, part.to, part.size);
        } else {
            copyPastCaches(part.from, part.to, part.size);
        }
    };
    const auto count = static_cast<std::int64_t>(m_pieces.size());
    // Threads copy several pieces at once, as one core does not use the memory's full bandwidth.
    if (pool != nullptr) {
        pool->parallelFor(count, copy);
    } else {
        for (std::int64_t piece = 0; piece < count; ++piece) {
            copy(piece, 0);
        }
    }
    return true;
}

} // namespace cannery::train
