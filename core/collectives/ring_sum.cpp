// SPDX-License-Identifier: Apache-2.0
#include "core/collectives/vector_sum.h"

#include <algorithm>
#include <array>
#include <functional>

namespace cannery::collectives {

namespace {

/// Beyond those of trees. Neighbours are never two rounds apart, so a few stages suffice.
constexpr int kRingStage = 128;
constexpr int kRingStages = 64;

} // namespace

void sumAroundRing(MessageExchange& group, std::span<float> values, std::vector<float>& scratch)
{
    const int size = group.size();
    const int next = (group.rank() + 1) % size;
    const int previous = (group.rank() + size - 1) % size;
    // Any whole number is a part's.
    const auto part = [&](int number) {
        const auto index = static_cast<std::size_t>((number % size + size) % size);
        const auto count = static_cast<std::size_t>(size);
        const std::size_t begin = values.size() * index / count;
        return values.subspan(begin, values.size() * (index + 1) / count - begin);
    };
    const auto pass = [&](int round, std::span<const float> out, std::span<float> in) {
        const int stage = kRingStage + round % kRingStages;
        const std::array<Message, 2> messages{
            Message{.peer = next, .stage = stage, .out = std::as_bytes(out)},
            Message{.peer = previous, .stage = stage, .in = std::as_writable_bytes(in)}};
        group.transfer(messages);
    };
    scratch.resize(std::max(scratch.size(), values.size() / static_cast<std::size_t>(size) + 1));
    for (int round = 0; round < size - 1; ++round) {
        const std::span<float> sum = part(group.rank() - round - 1);
        const std::span<float> received = std::span(scratch).first(sum.size());
        pass(round, part(group.rank() - round), received);
        std::transform(sum.begin(), sum.end(), received.begin(), sum.begin(), std::plus<>());
    }
    for (int round = 0; round < size - 1; ++round) {
        pass(size - 1 + round, part(group.rank() + 1 - round), part(group.rank() - round));
    }
}

} // namespace cannery::collectives
