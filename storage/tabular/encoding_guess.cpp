// SPDX-License-Identifier: Apache-2.0
#include "storage/tabular/encoding_guess.h"

#include "core/base/utf8.h"
#include "storage/io/cached_files.h"
#include "storage/tabular/text_bytes.h"
#include "storage/tabular/text_stream.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace cannery::storage {

namespace {

constexpr std::size_t kSampleBytes = std::size_t{1} << 20U;
/// A character may break off at the end of a sample.
constexpr std::size_t kMostOfCharacter = 3;

/// Whether the bytes are the beginning of one character in UTF-8.
bool breaksOff(std::string_view bytes)
{
    const auto isAbove = [](char byte, unsigned least) {
        return static_cast<unsigned char>(byte) >= least;
    };
    return bytes.size() <= kMostOfCharacter && isAbove(bytes.front(), 0xC2U) &&
           std::all_of(bytes.begin(), bytes.end(), [&](char byte) { return isAbove(byte, 0x80U); });
}

/// The bytes of a text that are not ASCII.
struct HighBytes
{
    std::array<std::size_t, 256> counts{};
    std::size_t all = 0;
    std::size_t runs = 0;     ///< of such bytes alone
    std::size_t latin = 0;    ///< runs beside letters of ASCII, or of one byte
    std::size_t odd = 0;      ///< other runs of 3, 5, … bytes: not of characters of two bytes
    std::size_t accented = 0; ///< 0xDC to 0xDF behind a byte above

    explicit HighBytes(std::string_view text)
    {
        std::size_t length = 0;
        bool followsLetter = false; // the run does
        unsigned before = 0;
        for (const char character : text) {
            const auto byte = static_cast<unsigned char>(character);
            if (byte >= 0x80U) {
                followsLetter = length == 0 ? isLetter(before) : followsLetter;
                ++counts[byte];
                ++all;
                ++length;
                accented += byte >= 0xDCU && byte <= 0xDFU && before >= 0xE0U ? 1 : 0;
            } else if (length > 0) {
                end(length, followsLetter || isLetter(byte));
                length = 0;
            }
            before = byte;
        }
        if (length > 0) {
            end(length, followsLetter);
        }
    }

    /// The part of all that are among these.
    double share(std::string_view bytes) const
    {
        std::size_t sum = 0;
        for (const char byte : bytes) {
            sum += counts[static_cast<unsigned char>(byte)];
        }
        return static_cast<double>(sum) / static_cast<double>(all);
    }

private:
    static bool isLetter(unsigned byte)
    {
        return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
    }

    void end(std::size_t length, bool isBesideLetter)
    {
        ++runs;
        const bool isLatin = isBesideLetter || length == 1;
        latin += isLatin ? 1 : 0;
        odd += !isLatin && length % 2 == 1 ? 1 : 0;
    }
};

/// Letters of Central Europe are signs in the West, or letters that are rare there.
bool isCentral(const HighBytes& high)
{
    constexpr std::string_view kPolish = "\xB3\xB9\x9C\x9F\xBF\xA3\x8C\xAF";
    constexpr std::string_view kCzech = "\x9A\x9E\x9D\xF8\xEC\xF9\x8A\x8E\xF2";
    constexpr std::string_view kCarons = "\x9A\x9E\x8A\x8E";
    constexpr std::string_view kHungarian = "\xF5\xFB";
    const bool isHungarian = high.share(kHungarian) > 0.05 && high.share("\xE1") > 0.1 &&
                             high.share("\xE3\xEA\xE8\xE0") == 0;
    return high.share(kPolish) > 0.25 || (high.share(kCarons) > 0 && high.share(kCzech) > 0.25) ||
           isHungarian;
}

std::optional<TextEncoding> guessLatin(const HighBytes& high)
{
    constexpr std::string_view kTurkish = "\xFD\xFE\xF0\xDD\xDE\xD0";
    /// Iceland has the former as well, but these, too.
    constexpr std::string_view kIcelandic = "\xE1\xE6\xED\xFA";
    constexpr std::string_view kUndefined = "\x81\x8D\x8F\x90\x9D";
    if (high.share(kTurkish) > 0.3 && high.share(kIcelandic) == 0) {
        return TextEncoding::Windows1254;
    }
    if (isCentral(high)) {
        return TextEncoding::Windows1250;
    }
    return high.share(kUndefined) == 0 ? std::optional(TextEncoding::Windows1252) : std::nullopt;
}

/// Where Cyrillic has capitals, Greek has vowels with accents, which stand behind small letters.
std::optional<TextEncoding> guessOtherScript(const HighBytes& high)
{
    std::size_t letters = 0;
    for (std::size_t byte = 0xC0; byte < high.counts.size(); ++byte) {
        letters += high.counts[byte];
    }
    if (letters * 10 < high.all * 9) {
        return std::nullopt;
    }
    return high.accented * 33 > high.all ? TextEncoding::Windows1253 : TextEncoding::Windows1251;
}

/// UTF-16 without a byte order mark: every other byte of its digits, delimiters and Latin letters
/// is 0.
bool isWide(std::string_view text)
{
    constexpr std::size_t kFewestCharacters = 4;
    std::size_t high = 0;
    for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
        if (text[i] == '\0') {
            return false;
        }
        high += text[i + 1] == '\0' ? 1 : 0;
    }
    return text.size() >= 2 * kFewestCharacters && high * 20 >= text.size() * 9;
}

} // namespace

std::optional<TextEncoding> guessEncoding(std::string_view text)
{
    const std::size_t invalid = findInvalidUtf8(text);
    if (invalid == std::string_view::npos || breaksOff(text.substr(invalid))) {
        return std::nullopt;
    }
    const HighBytes high(text);
    if (high.latin * 2 >= high.runs) {
        return guessLatin(high);
    }
    return high.odd * 4 >= high.runs ? guessOtherScript(high) : std::nullopt;
}

std::optional<TextEncoding> guessEncodingOf(const std::string& path)
{
    const CachedFiles files({path}, 0, CachedFiles::Archives::TheirTable);
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
    if (isWide(text)) {
        return TextEncoding::Utf16;
    }
    return isAscii(text) ? std::nullopt : guessEncoding(text);
}

} // namespace cannery::storage
