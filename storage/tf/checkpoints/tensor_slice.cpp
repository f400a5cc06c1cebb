// SPDX-License-Identifier: Apache-2.0
#include "storage/tf/checkpoints/tensor_slice.h"

#include <array>

namespace cannery::storage::detail {

namespace {

/// U(v): the number of bytes, then the number big-endian without leading zeros.
void putUnsigned(std::string& key, std::uint64_t value)
{
    std::string digits;
    for (; value != 0; value >>= 8U) {
        digits.insert(digits.begin(), static_cast<char>(value));
    }
    key.push_back(static_cast<char>(digits.size()));
    key += digits;
}

/// S(s): 00 and ff are escaped, the end is 00 01.
void putString(std::string& key, std::string_view text)
{
    for (const char c : text) {
        key.push_back(c);
        if (c == '\0') {
            key.push_back('\xff');
        } else if (c == '\xff') {
            key.push_back('\0');
        }
    }
    key.push_back('\0');
    key.push_back('\1');
}

/// I(v): the shortest two's complement of 7 bits per byte, big-endian, with a header of as many
/// ones as there are bytes XORed into its first two bytes.
void putSigned(std::string& key, std::int64_t value)
{
    constexpr std::array<std::uint16_t, 11> kHeaders{0,      0x8000, 0xc000, 0xe000, 0xf000, 0xf800,
                                                     0xfc00, 0xfe00, 0xff00, 0xff80, 0xffc0};
    std::size_t length = 1;
    while (length < 10 && 7 * length - 1 < 63 &&
           (value < -(std::int64_t{1} << (7 * length - 1)) ||
            value >= (std::int64_t{1} << (7 * length - 1)))) {
        ++length;
    }
    std::string bytes(length, value < 0 ? '\xff' : '\0');
    auto rest = static_cast<std::uint64_t>(value);
    for (std::size_t i = length; i-- > 0 && length - i <= 8; rest >>= 8U) {
        bytes[i] = static_cast<char>(rest);
    }
    bytes[0] = static_cast<char>(bytes[0] ^ static_cast<char>(kHeaders[length] >> 8U));
    if (length > 1) {
        bytes[1] = static_cast<char>(bytes[1] ^ static_cast<char>(kHeaders[length] & 0xffU));
    }
    key += bytes;
}

} // namespace

std::string sliceKey(std::string_view name, const std::vector<SliceExtent>& extents)
{
    std::string key;
    putUnsigned(key, 0);
    putString(key, name);
    putUnsigned(key, extents.size());
    for (const SliceExtent& extent : extents) {
        putSigned(key, extent.start);
        putSigned(key, extent.length);
    }
    return key;
}

bool resolveExtents(const Shape& shape, std::vector<SliceExtent>& extents)
{
    if (extents.size() != shape.dims.size()) {
        return false;
    }
    for (std::size_t i = 0; i < extents.size(); ++i) {
        const std::int64_t dim = shape.dims[i];
        SliceExtent& extent = extents[i];
        if (extent.length < 0) {
            extent = {0, dim};
        }
        if (extent.start < 0 || extent.start > dim || extent.length > dim - extent.start) {
            return false;
        }
    }
    return true;
}

bool overlap(const std::vector<SliceExtent>& first, const std::vector<SliceExtent>& second)
{
    for (std::size_t i = 0; i < first.size(); ++i) {
        if (first[i].start + first[i].length <= second[i].start ||
            second[i].start + second[i].length <= first[i].start) {
            return false;
        }
    }
    return true;
}

} // namespace cannery::storage::detail
