// SPDX-License-Identifier: Apache-2.0
#include "storage/tabular/encoding_guess.h"

#include "core/base/utf8.h"
#include "storage/io/kept_files.h"
#include "storage/tabular/text_bytes.h"
#include "storage/tabular/text_stream.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace cannery::storage {

namespace {

constexpr std::size_t kSampleBytes = std::size_t{1} << 20U;
/// A character may break off at the end of a sample.
constexpr std::size_t kMostOfCharacter = 3;
/// Bytes without a character in windows1252.
constexpr std::string_view kUndefined = "\x81\x8D\x8F\x90\x9D";

/// Whether the bytes are the beginning of one character in UTF-8.
bool breaksOff(std::string_view bytes)
{
    const auto isAbove = [](char byte, unsigned least) {
        return static_cast<unsigned char>(byte) >= least;
    };
    return bytes.size() <= kMostOfCharacter && isAbove(bytes.front(), 0xC2U) &&
           std::all_of(bytes.begin(), bytes.end(), [&](char byte) { return isAbove(byte, 0x80U); });
}

} // namespace

std::optional<TextEncoding> guessEncoding(std::string_view text)
{
    const std::size_t invalid = findInvalidUtf8(text);
    if (invalid == std::string_view::npos || breaksOff(text.substr(invalid)) ||
        text.find_first_of(kUndefined) != std::string_view::npos) {
        return std::nullopt;
    }
    std::size_t runs = 0;
    std::size_t single = 0;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = at;
        while (end < text.size() && static_cast<unsigned char>(text[end]) >= 0x80U) {
            ++end;
        }
        runs += end > at ? 1 : 0;
        single += end == at + 1 ? 1 : 0;
        at = end + 1;
    }
    return single * 5 >= runs * 4 ? std::optional(TextEncoding::Windows1252) : std::nullopt;
}

std::optional<TextEncoding> guessEncodingOf(const std::string& path)
{
    const KeptFiles files({path}, 0, KeptFiles::Archives::TheirTable);
    Result<ByteSource> bytes = files.open(0);
    if (!bytes) {
        return std::nullopt;
    }
    Result<TextStream> stream = TextStream::open(std::move(*bytes), TextEncoding::Utf8, path);
    if (!stream) {
        return std::nullopt;
    }
    std::vector<char> sample(kSampleBytes);
    const Result<std::size_t> got = stream->read(std::as_writable_bytes(std::span(sample)));
    if (!got || stream->encoding() != TextEncoding::Utf8) {
        return std::nullopt;
    }
    const std::string_view text(sample.data(), *got);
    return isAscii(text) ? std::nullopt : guessEncoding(text);
}

} // namespace cannery::storage
