// SPDX-License-Identifier: Apache-2.0
#include "core/train/state_snapshot.h"

#include "core/train/process_memory.h"

#if defined(__AVX__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace cannery::train {
namespace {

constexpr std::size_t kSnapshotAlignment = 64;
constexpr std::size_t kPieceBytes = std::size_t{1} << 20U;

std::size_t roundedUp(std::size_t bytes)
{
    return (bytes + kSnapshotAlignment - 1) / kSnapshotAlignment * kSnapshotAlignment;
}

/// `to` is aligned to a cache line. Non-temporal stores: the target's lines are not read first, and
/// what the next step needs stays in the caches.
void copyPastCaches(const std::byte* from, std::byte* to, std::size_t size)
{
    std::size_t done = 0;
#if defined(__AVX__)
    for (; done + kSnapshotAlignment <= size; done += kSnapshotAlignment) {
        const auto* source = reinterpret_cast<const __m256i*>(from + done);
        auto* target = reinterpret_cast<__m256i*>(to + done);
        const __m256i first = _mm256_loadu_si256(source);
        const __m256i second = _mm256_loadu_si256(source + 1);
        _mm256_stream_si256(target, first);
        _mm256_stream_si256(target + 1, second);
    }
    _mm_sfence();
#endif
    std::memcpy(to + done, from + done, size - done);
}

} // namespace

std::size_t byteCount(std::span<const plan::StateTensor> state)
{
    std::size_t bytes = 0;
    for (const plan::StateTensor& tensor : state) {
        bytes += tensor.bytes.size();
    }
    return bytes;
}

void StateSnapshot::Free::operator()(std::byte* memory) const
{
    std::free(memory);
}

bool StateSnapshot::reserve(std::size_t bytes)
{
    if (bytes <= m_capacity) {
        return true;
    }
    m_memory.reset();
    m_capacity = 0;
    // The system promises more memory than it has, and kills processes that use it.
    if (const std::int64_t available = availableBytes();
        available > 0 && bytes > static_cast<std::size_t>(available) / 2) {
        return false;
    }
    m_memory.reset(static_cast<std::byte*>(std::aligned_alloc(kSnapshotAlignment, bytes)));
    m_capacity = m_memory ? bytes : 0;
    return m_memory != nullptr;
}

/// Assigns every tensor its place in the memory, and lists the pieces to copy.
void StateSnapshot::cut()
{
    m_pieces.clear();
    std::byte* place = m_memory.get();
    for (plan::StateTensor& tensor : m_tensors) {
        const std::span<std::byte> source = tensor.bytes;
        for (std::size_t done = 0; done < source.size(); done += kPieceBytes) {
            m_pieces.push_back({.from = source.data() + done,
                                .to = place + done,
                                .size = std::min(kPieceBytes, source.size() - done)});
        }
        tensor.bytes = {place, source.size()};
        place += roundedUp(source.size());
    }
}

bool StateSnapshot::take(std::vector<plan::StateTensor> state, kernels::ThreadPool* pool)
{
    m_tensors.clear();
    std::size_t bytes = kSnapshotAlignment;
    for (const plan::StateTensor& tensor : state) {
        bytes += roundedUp(tensor.bytes.size());
    }
    if (!reserve(bytes)) {
        return false;
    }
    m_tensors = std::move(state);
    cut();
    const auto copy = [this](std::int64_t piece, int /*worker*/) {
        const Piece& part = m_pieces[static_cast<std::size_t>(piece)];
        copyPastCaches(part.from, part.to, part.size);
    };
    const auto count = static_cast<std::int64_t>(m_pieces.size());
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
