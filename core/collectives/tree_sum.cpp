// SPDX-License-Identifier: Apache-2.0
#include "core/collectives/vector_sum.h"

#include <algorithm>
#include <bit>
#include <functional>

namespace cannery::collectives {

namespace {

/// Up to this many values a message's latency matters more than its length.
constexpr std::size_t kShortMessage = 16 * 1024;
constexpr int kGatherStage = 32;
constexpr int kJoinStage = 64;

int stageOf(int distance)
{
    return std::countr_zero(static_cast<unsigned>(distance));
}

void add(std::span<float> target, std::span<const float> values)
{
    std::transform(target.begin(), target.end(), values.begin(), target.begin(), std::plus<>());
}

class TreeSum
{
public:
    TreeSum(MessageExchange& group, std::span<float> scratch) : m_group(group), m_scratch(scratch)
    {}

    /// The sum over ranks [first, first + count), of which this is one.
    void run(std::span<float> values, int first, int count, int depth = 0)
    {
        if (count == 1) {
            return;
        }
        // Powers of two need no joining.
        if (std::has_single_bit(static_cast<unsigned>(count))) {
            if (values.size() <= kShortMessage) {
                addWhole(values, first, count);
            } else {
                addHalves(values, first, count, 1);
            }
            return;
        }
        // The largest power of two below the number, and the rest.
        const int left = static_cast<int>(std::bit_floor(static_cast<unsigned>(count - 1)));
        const int right = count - left;
        const int local = m_group.rank() - first;
        const bool isLeft = local < left;
        run(values, isLeft ? first : first + left, isLeft ? left : right, depth + 1);
        const int stage = kJoinStage + depth;
        const std::span<float> other = m_scratch.first(values.size());
        if (isLeft) {
            // Each rank on the right serves the left ranks that are equal to it modulo `right`.
            const int partner = first + left + local % right;
            exchange(partner, stage, local < right ? values : std::span<float>(), other);
        } else {
            const int own = local - left;
            for (int peer = own; peer < left; peer += right) {
                exchange(first + peer, stage, values, peer == own ? other : std::span<float>());
            }
        }
        // The left half is always added first, so that all ranks have the same bits.
        add(values, other);
    }

private:
    /// Sends values to a peer while receiving others from it.
    void exchange(int peer, int stage, std::span<const float> out, std::span<float> in)
    {
        const Message message{.peer = peer,
                              .stage = stage,
                              .out = std::as_bytes(out),
                              .in = std::as_writable_bytes(in)};
        m_group.transfer({&message, 1});
    }

    /// Recursive doubling, for short messages: every rank adds whole vectors.
    void addWhole(std::span<float> values, int first, int count)
    {
        const int local = m_group.rank() - first;
        // In each round the partner is twice as far.
        for (int distance = 1; distance < count; distance *= 2) {
            const std::span<float> other = m_scratch.first(values.size());
            exchange(first + (local ^ distance), stageOf(distance), values, other);
            add(values, other);
        }
    }

    /// Recursive halving with doubling distances, for long ones: ranks add parts, then gather them.
    /// Adds the same pairs.
    void addHalves(std::span<float> values, int first, int count, int distance)
    {
        if (distance == count) {
            return;
        }
        const int local = m_group.rank() - first;
        const int peer = first + (local ^ distance);
        const std::size_t half = values.size() / 2;
        const bool isLow = (local & distance) == 0;
        const std::span<float> kept = isLow ? values.first(half) : values.subspan(half);
        const std::span<float> given = isLow ? values.subspan(half) : values.first(half);
        const std::span<float> other = m_scratch.first(kept.size());
        // The half that the other one keeps goes there, and its other half comes.
        exchange(peer, stageOf(distance), given, other);
        add(kept, other);
        addHalves(kept, first, count, distance * 2);
        // The finished halves are exchanged on the way back.
        exchange(peer, kGatherStage + stageOf(distance), kept, given);
    }

    MessageExchange& m_group;
    std::span<float> m_scratch;
};

} // namespace

void sumAsTree(MessageExchange& group, std::span<float> values, std::vector<float>& scratch)
{
    scratch.resize(std::max(scratch.size(), values.size()));
    TreeSum(group, scratch).run(values, 0, group.size());
}

} // namespace cannery::collectives
