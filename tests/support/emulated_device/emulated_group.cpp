// SPDX-License-Identifier: Apache-2.0
#include "tests/support/emulated_device/emulated_group.h"

#include "kernels/accelerator/bodies/element.h"
#include "tests/support/emulated_device/socket_group.h"
#include "tests/support/emulated_device/thread_group.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

using namespace cannery::kernels;

namespace cannery::tests {

namespace {

/// What members of a group must have in common, before what they tell.
using Header = std::array<std::int64_t, 3>;
constexpr std::int64_t kExchangesParts = 1;
constexpr std::int64_t kGathersParts = 2;
constexpr std::int64_t kGathersSparse = 3;

template <typename T>
void append(std::vector<std::byte>& bytes, std::span<const T> values)
{
    const std::size_t before = bytes.size();
    bytes.resize(before + values.size_bytes());
    if (!values.empty()) {
        std::memcpy(bytes.data() + before, values.data(), values.size_bytes());
    }
}

std::vector<std::byte> begun(const Header& header)
{
    std::vector<std::byte> bytes;
    append<std::int64_t>(bytes, header);
    return bytes;
}

template <typename T>
std::span<const T> takeFrom(std::span<const std::byte>& rest, std::int64_t count)
{
    const auto bytes = static_cast<std::size_t>(count) * sizeof(T);
    const std::span<const T> values(reinterpret_cast<const T*>(rest.data()),
                                    static_cast<std::size_t>(count));
    rest = rest.subspan(bytes);
    return values;
}

template <typename T>
std::span<const T> spanOf(const T* values, std::int64_t count)
{
    return {values, static_cast<std::size_t>(count)};
}

} // namespace

GroupId EmulatedGroup::makeId()
{
    return ThreadGroup::makeId();
}

GroupId EmulatedGroup::makeId(const std::string& folder)
{
    return SocketGroup::makeId(folder);
}

std::shared_ptr<EmulatedGroup> EmulatedGroup::join(const GroupPlace& place)
{
    return SocketGroup::hasMade(place.id) ? SocketGroup::join(place) : ThreadGroup::join(place);
}

std::string EmulatedGroup::gatherSame(GroupRank member, Bytes own, std::vector<Bytes>& all)
{
    if (!gather(member, std::move(own), all)) {
        return kGivenUp;
    }
    const bool areSame = std::ranges::all_of(all, [&](const Bytes& bytes) {
        return std::memcmp(bytes.data(), all.front().data(), sizeof(Header)) == 0;
    });
    if (!areSame) {
        abandon();
        return "the members of a group do different things";
    }
    return "";
}

std::string EmulatedGroup::meet(const ExchangeParts& work)
{
    Bytes bytes = begun({kExchangesParts, work.count, 0});
    append(bytes, spanOf<float>(work.values, work.count));
    std::vector<Bytes> all;
    std::string refusal = gatherSame(work.group, std::move(bytes), all);
    if (refusal.empty()) {
        const bodies::Part own = bodies::partOf(work.count, work.group.rank, work.group.size);
        float* to = work.received;
        for (const Bytes& theirs : all) {
            std::span<const std::byte> rest = std::span(theirs).subspan(sizeof(Header));
            takeFrom<float>(rest, own.begin);
            to = std::ranges::copy(takeFrom<float>(rest, own.end - own.begin), to).out;
        }
    }
    return refusal;
}

std::string EmulatedGroup::meet(const GatherParts& work)
{
    const auto partOf = [&](std::int64_t member) {
        return bodies::partOf(work.count, member, work.group.size);
    };
    const bodies::Part own = partOf(work.group.rank);
    Bytes bytes = begun({kGathersParts, work.count, 0});
    append(bytes, spanOf<float>(work.values + own.begin, own.end - own.begin));
    std::vector<Bytes> all;
    std::string refusal = gatherSame(work.group, std::move(bytes), all);
    if (refusal.empty()) {
        for (std::int64_t member = 0; member < work.group.size; ++member) {
            const bodies::Part part = partOf(member);
            std::span<const std::byte> rest =
                std::span(all[static_cast<std::size_t>(member)]).subspan(sizeof(Header));
            std::ranges::copy(takeFrom<float>(rest, part.end - part.begin),
                              work.values + part.begin);
        }
    }
    return refusal;
}

std::string EmulatedGroup::meet(const GatherSparse& work)
{
    const std::int64_t capacity = work.own.capacity;
    const std::int64_t count = capacity * work.own.cols;
    Bytes bytes = begun({kGathersSparse, capacity, work.own.cols});
    append(bytes, spanOf<std::int64_t>(work.own.count, 1));
    append(bytes, spanOf<float>(work.own.values, count));
    append(bytes, spanOf<std::int32_t>(work.own.rows, capacity));
    std::vector<Bytes> all;
    std::string refusal = gatherSame(work.group, std::move(bytes), all);
    if (refusal.empty()) {
        for (std::size_t member = 0; member < all.size(); ++member) {
            const auto at = static_cast<std::int64_t>(member);
            std::span<const std::byte> rest = std::span(all[member]).subspan(sizeof(Header));
            work.counts[at] = takeFrom<std::int64_t>(rest, 1).front();
            std::ranges::copy(takeFrom<float>(rest, count), work.values + at * count);
            std::ranges::copy(takeFrom<std::int32_t>(rest, capacity), work.rows + at * capacity);
        }
    }
    return refusal;
}

} // namespace cannery::tests
