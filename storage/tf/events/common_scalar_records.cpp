// SPDX-License-Identifier: Apache-2.0
#include "storage/tf/events/common_scalar_records.h"

#include "storage/io/crc32c_short.h"

#include <array>
#include <cstring>

namespace cannery::storage::detail {

namespace {

constexpr std::size_t kFrameHeader = 12;
constexpr std::size_t kFrameTrailer = 4;
/// Maximum size of a record's content whose length is recognised as seen before.
constexpr std::uint64_t kMaxContent = 1U << 14U;

// Field number and wire type as one byte, number * 8 + type, in ascending order: wall_time, step,
// summary of an Event; value of a Summary; tag and simple_value of a Value.
constexpr unsigned char kWallTimeKey = 0x09;
constexpr unsigned char kStepKey = 0x10;
constexpr unsigned char kSummaryKey = 0x2a;
constexpr unsigned char kValueKey = 0x0a;
constexpr unsigned char kTagKey = 0x0a;
constexpr unsigned char kSimpleValueKey = 0x15;
constexpr std::size_t kSimpleValueBytes = 1 + sizeof(float);

template <typename T>
T load(const unsigned char* place)
{
    T value{};
    std::memcpy(&value, place, sizeof(T));
    return value;
}

/// A number of one or two bytes; -1 for others, and if it would extend beyond the end.
inline std::ptrdiff_t shortVarint(const unsigned char*& place, const unsigned char* end)
{
    if (end - place < 2) {
        return -1;
    }
    const unsigned first = place[0];
    if (first < 0x80U) {
        ++place;
        return static_cast<std::ptrdiff_t>(first);
    }
    const unsigned second = place[1];
    if (second >= 0x80U) {
        return -1;
    }
    place += 2;
    return static_cast<std::ptrdiff_t>((first & 0x7fU) | (second << 7U));
}

/// False if it is not one, or not a common one (at most eight bytes).
inline bool stepVarint(const unsigned char*& place, const unsigned char* end, std::int64_t& step)
{
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 56 && place < end; shift += 7) {
        const std::uint64_t byte = *place++;
        value |= (byte & 0x7fU) << shift;
        if (byte < 0x80U) {
            step = static_cast<std::int64_t>(value);
            return true;
        }
    }
    return false;
}

/// Calling memcmp() costs more than comparing a tag's bytes.
inline bool isSame(const char* first, const char* second, std::size_t size)
{
    if (size < sizeof(std::uint64_t)) {
        for (std::size_t i = 0; i < size; ++i) {
            if (first[i] != second[i]) {
                return false;
            }
        }
        return true;
    }
    std::uint64_t left = 0;
    std::uint64_t right = 0;
    for (std::size_t i = 0; i + sizeof(left) < size; i += sizeof(left)) {
        std::memcpy(&left, first + i, sizeof(left));
        std::memcpy(&right, second + i, sizeof(right));
        if (left != right) {
            return false;
        }
    }
    std::memcpy(&left, first + size - sizeof(left), sizeof(left));
    std::memcpy(&right, second + size - sizeof(right), sizeof(right));
    return left == right;
}

class CommonReader
{
public:
    CommonReader(ScalarTags& tags, std::uint32_t previous, std::vector<ScalarPoint>& points)
        : m_tags(tags), m_previous(previous), m_points(points)
    {}

    std::uint32_t previous() const { return m_previous; }

    /// Size of the record at `place`, or 0 if it is not a common one.
    std::size_t take(const unsigned char* place, std::size_t available)
    {
        if (available < kFrameHeader) {
            return 0;
        }
        const auto length = load<std::uint64_t>(place);
        if (!isGoodLength(length, load<std::uint32_t>(place + sizeof(length))) ||
            available < kFrameHeader + length + kFrameTrailer) {
            return 0;
        }
        const unsigned char* content = place + kFrameHeader;
        const std::string_view text(reinterpret_cast<const char*>(content), length);
        if (load<std::uint32_t>(content + length) != maskCrc(crc32cShort(text))) {
            return 0;
        }
        const std::size_t before = m_points.size();
        const std::uint32_t previousTag = m_previous;
        if (!takeEvent(content, content + length)) {
            m_points.resize(before);
            m_previous = previousTag;
            return 0;
        }
        return kFrameHeader + length + kFrameTrailer;
    }

private:
    /// Records of one file have few different lengths: the last one's checksum is known.
    bool isGoodLength(std::uint64_t length, std::uint32_t crc)
    {
        if (length == m_length && crc == m_lengthCrc) {
            return true;
        }
        std::array<char, sizeof(length)> bytes{};
        std::memcpy(bytes.data(), &length, sizeof(length));
        if (length > kMaxContent ||
            crc != maskCrc(crc32cShort(std::string_view(bytes.data(), bytes.size())))) {
            return false;
        }
        m_length = length;
        m_lengthCrc = crc;
        return true;
    }

    bool takeEvent(const unsigned char* place, const unsigned char* end)
    {
        double wallTime = 0;
        if (end - place > 9 && *place == kWallTimeKey) {
            wallTime = load<double>(place + 1);
            place += 9;
        }
        std::int64_t step = 0;
        if (place < end && *place == kStepKey && !stepVarint(++place, end, step)) {
            return false;
        }
        if (place == end || *place++ != kSummaryKey || shortVarint(place, end) != end - place) {
            return false;
        }
        while (place < end) {
            if (!takeValue(place, end, wallTime, step)) {
                return false;
            }
        }
        return true;
    }

    bool takeValue(const unsigned char*& place, const unsigned char* end, double wallTime,
                   std::int64_t step)
    {
        if (*place++ != kValueKey) {
            return false;
        }
        const std::ptrdiff_t size = shortVarint(place, end);
        if (size <= 0 || size > end - place || *place != kTagKey) {
            return false;
        }
        const unsigned char* valueEnd = place + size;
        const std::ptrdiff_t tagSize = shortVarint(++place, valueEnd);
        if (tagSize < 0 ||
            valueEnd - place != tagSize + static_cast<std::ptrdiff_t>(kSimpleValueBytes) ||
            place[tagSize] != kSimpleValueKey) {
            return false;
        }
        const std::string_view tag(reinterpret_cast<const char*>(place),
                                   static_cast<std::size_t>(tagSize));
        const std::uint32_t number = find(tag);
        if (number == ScalarTags::kNone) {
            return false;
        }
        m_points.push_back({number, load<float>(place + tagSize + 1), step, wallTime});
        m_previous = number;
        place = valueEnd;
        return true;
    }

    std::uint32_t find(std::string_view tag)
    {
        const std::uint32_t guess = m_tags.follower(m_previous);
        if (guess != ScalarTags::kNone) {
            const std::string& name = m_tags.name(guess);
            if (name.size() == tag.size() && isSame(name.data(), tag.data(), tag.size())) {
                return guess;
            }
        }
        return m_tags.findAfter(m_previous, tag);
    }

    ScalarTags& m_tags;
    std::uint32_t m_previous;
    std::vector<ScalarPoint>& m_points;
    std::uint64_t m_length = ~std::uint64_t{0};
    std::uint32_t m_lengthCrc = 0;
};

} // namespace

std::size_t takeCommonRecords(const CommonRecords& records, ScalarTags& tags,
                              std::uint32_t& previous, std::vector<ScalarPoint>& points)
{
    CommonReader reader(tags, previous, points);
    const auto* begin = reinterpret_cast<const unsigned char*>(records.bytes.data());
    std::size_t taken = 0;
    while (points.size() < records.limit && taken < records.maxBytes) {
        const std::size_t size = reader.take(begin + taken, records.bytes.size() - taken);
        if (size == 0) {
            break;
        }
        taken += size;
    }
    previous = reader.previous();
    return taken;
}

} // namespace cannery::storage::detail
