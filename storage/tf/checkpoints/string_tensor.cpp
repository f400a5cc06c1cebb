// SPDX-License-Identifier: Apache-2.0
#include "storage/tf/checkpoints/string_tensor.h"

#include "storage/io/coding.h"
#include "storage/io/crc32c.h"

#include <limits>

namespace cannery::storage::detail {

namespace {

std::uint32_t continueOverLength(std::uint64_t length, std::uint32_t crc)
{
    std::string fixed;
    // As TensorFlow's BundleWriter: 32 bits, unless the length needs more.
    if (length > std::numeric_limits<std::uint32_t>::max()) {
        putFixed(fixed, length);
    } else {
        putFixed(fixed, static_cast<std::uint32_t>(length));
    }
    return crc32c(fixed, crc);
}

} // namespace

std::uint32_t putStringLengths(std::string& bytes, std::span<const std::string> strings)
{
    std::uint32_t crc = 0;
    for (const std::string& text : strings) {
        putVarint(bytes, text.size());
        crc = continueOverLength(text.size(), crc);
    }
    std::string stored;
    putFixed(stored, maskCrc(crc));
    bytes += stored;
    return crc32c(stored, crc);
}

StringTensorProblem getStrings(std::string_view bytes, std::size_t count, std::uint32_t crc,
                               std::vector<std::string>& strings)
{
    std::vector<std::uint64_t> lengths;
    lengths.reserve(count);
    std::uint32_t computed = 0;
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const auto length = getVarint(bytes);
        if (!length || *length > bytes.size() || total + *length > bytes.size()) {
            return StringTensorProblem::Lengths;
        }
        total += *length;
        lengths.push_back(*length);
        computed = continueOverLength(*length, computed);
    }
    if (bytes.size() != total + sizeof(std::uint32_t)) {
        return StringTensorProblem::Lengths;
    }
    const std::string_view stored = bytes.substr(0, sizeof(std::uint32_t));
    if (getFixed<std::uint32_t>(bytes) != maskCrc(computed)) {
        return StringTensorProblem::Checksum;
    }
    if (crc32c(bytes, crc32c(stored, computed)) != crc) {
        return StringTensorProblem::Checksum;
    }
    strings.clear();
    strings.reserve(count);
    for (const std::uint64_t length : lengths) {
        strings.emplace_back(bytes.substr(0, length));
        bytes.remove_prefix(length);
    }
    return StringTensorProblem::None;
}

} // namespace cannery::storage::detail
