// SPDX-License-Identifier: Apache-2.0
#include "storage/tabular/text_decoder.h"

#include "storage/tabular/csv/csv_errors.h"

#include <fmt/core.h>

#include <iconv.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <vector>

namespace cannery::storage {

namespace {

constexpr std::size_t kDecoderBytes = std::size_t{64} << 10U;
constexpr std::size_t kOutBytes = 4 * kDecoderBytes;
/// No character of the encodings is longer.
constexpr std::size_t kLongestCharacter = 8;

// A mark: 0xFF, the offset, 0xFE, the value with its number of digits and the encoding, 0xFE.
// Numbers are octal digits from 0xF6 on. None of these bytes occurs in UTF-8, or is a delimiter,
// quote or line end.
constexpr char kMarkBegin = '\xFF';
constexpr char kMarkEnd = '\xFE';
constexpr unsigned char kMarkZero = 0xF6;
constexpr std::size_t kMarkBytes = 48;

void appendOctal(std::string& mark, std::uint64_t number)
{
    // Leading zeros are left out, and 0 has no digit at all.
    for (int shift = 63; shift >= 0; shift -= 3) {
        if (number >> static_cast<unsigned>(shift) != 0) {
            const auto digit =
                static_cast<unsigned char>(number >> static_cast<unsigned>(shift) & 7U);
            mark.push_back(static_cast<char>(kMarkZero + digit));
        }
    }
    mark.push_back(kMarkEnd);
}

/// What is wrong at an offset.
struct TextFault
{
    std::uint64_t value = 0; ///< a byte or code unit
    unsigned digits = 0;     ///< hexadecimal, of that; 0: the text is cut off
};

std::string faultMark(std::uint64_t offset, const TextFault& fault, TextEncoding encoding)
{
    std::string mark(1, kMarkBegin);
    appendOctal(mark, offset);
    appendOctal(mark, fault.value << 8U | fault.digits << 4U | static_cast<unsigned>(encoding));
    return mark;
}

std::optional<std::uint64_t> takeOctal(std::string_view& mark)
{
    std::uint64_t number = 0;
    while (!mark.empty()) {
        const char byte = mark.front();
        mark.remove_prefix(1);
        if (byte == kMarkEnd) {
            return number;
        }
        const unsigned digit = static_cast<unsigned char>(byte) - unsigned(kMarkZero);
        if (digit > 7) {
            return std::nullopt;
        }
        number = number << 3U | digit;
    }
    return std::nullopt;
}

struct CloseConverter
{
    using pointer = iconv_t;
    void operator()(iconv_t converter) const { ::iconv_close(converter); }
};

} // namespace

const char* converterName(TextEncoding encoding, bool isBigEndian)
{
    switch (encoding) {
    case TextEncoding::Latin1:
        return "ISO-8859-1";
    case TextEncoding::Windows1250:
        return "CP1250";
    case TextEncoding::Windows1251:
        return "CP1251";
    case TextEncoding::Windows1252:
        return "CP1252";
    case TextEncoding::Windows1253:
        return "CP1253";
    case TextEncoding::Windows1254:
        return "CP1254";
    case TextEncoding::Windows1257:
        return "CP1257";
    case TextEncoding::Utf16:
        return isBigEndian ? "UTF-16BE" : "UTF-16LE";
    case TextEncoding::Cp949:
        return "CP949";
    case TextEncoding::Gb18030:
        return "GB18030";
    default:
        return "UTF-8";
    }
}

std::string encodingName(TextEncoding encoding)
{
    switch (encoding) {
    case TextEncoding::Latin1:
        return "Latin-1";
    case TextEncoding::Windows1250:
        return "Windows-1250";
    case TextEncoding::Windows1251:
        return "Windows-1251";
    case TextEncoding::Windows1252:
        return "Windows-1252";
    case TextEncoding::Windows1253:
        return "Windows-1253";
    case TextEncoding::Windows1254:
        return "Windows-1254";
    case TextEncoding::Windows1257:
        return "Windows-1257";
    case TextEncoding::Utf16:
        return "UTF-16";
    case TextEncoding::Cp949:
        return "CP949";
    case TextEncoding::Gb18030:
        return "GB18030";
    default:
        return "UTF-8";
    }
}

bool isDecoded(TextEncoding encoding)
{
    return encoding != TextEncoding::Utf8 && encoding != TextEncoding::Latin1;
}

class TextDecoder::Impl
{
public:
    Impl(InflateReader source, std::span<const std::byte> start, TextEncoding encoding)
        : m_source(std::move(source)), m_in(start.begin(), start.end()), m_inEnd(start.size()),
          m_out(kOutBytes + kMarkBytes), m_encoding(encoding),
          m_unit(encoding == TextEncoding::Utf16 ? 2 : 1)
    {
        m_in.resize(std::max(m_in.size(), kDecoderBytes));
    }

    Result<void> open(const std::string& path)
    {
        // Both bytes of a byte order mark, which is not part of the text. Without one,
        // little-endian.
        const auto first = m_inEnd > 1 ? static_cast<unsigned>(m_in[0]) : 0U;
        const auto second = m_inEnd > 1 ? static_cast<unsigned>(m_in[1]) : 0U;
        m_isBigEndian = first == 0xFE && second == 0xFF;
        if (m_unit == 2 && (m_isBigEndian || (first == 0xFF && second == 0xFE))) {
            m_inBegin = 2;
        }
        errno = 0;
        iconv_t opened = ::iconv_open("UTF-8", converterName(m_encoding, m_isBigEndian));
        if (opened == reinterpret_cast<iconv_t>(-1)) { // NOLINT(performance-no-int-to-ptr)
            if (errno == ENOMEM) {
                throw std::bad_alloc(); // as from anywhere else: see memory_guard.h
            }
            return fail(ErrorCode::FailedPrecondition, kNoConverter, path,
                        encodingName(m_encoding));
        }
        m_converter.reset(opened);
        return {};
    }

    Result<std::size_t> read(std::span<std::byte> bytes)
    {
        std::size_t filled = 0;
        while (filled < bytes.size()) {
            if (m_outBegin == m_outEnd) {
                if (m_sourceEnded && m_inBegin == m_inEnd) {
                    break;
                }
                CANNERY_TRY(decodeSome());
                continue;
            }
            const std::size_t count = std::min(bytes.size() - filled, m_outEnd - m_outBegin);
            const auto* from = reinterpret_cast<const std::byte*>(m_out.data() + m_outBegin);
            std::copy_n(from, count, bytes.begin() + static_cast<std::ptrdiff_t>(filled));
            filled += count;
            m_outBegin += count;
        }
        return filled;
    }

private:
    Result<void> decodeSome()
    {
        m_outBegin = 0;
        m_outEnd = 0;
        // Only when no character may be left whole: reading moves what is there to the front.
        if (!m_sourceEnded && m_inEnd - m_inBegin < kLongestCharacter) {
            CANNERY_TRY(readMore());
        }
        while (m_inBegin < m_inEnd && m_outEnd < kOutBytes) {
            const int problem = convert();
            // The output is full, or a character needs bytes that have not been read yet.
            if (problem == E2BIG || (problem == EINVAL && !m_sourceEnded)) {
                break;
            }
            // At the end of the file, the rest is part of a character.
            if (problem == EINVAL) {
                addFault(m_inEnd - m_inBegin, {});
            } else if (problem == EILSEQ) {
                const auto byte = [&](std::size_t i) {
                    return static_cast<std::uint64_t>(m_in[m_inBegin + i]);
                };
                const std::uint64_t value = m_unit == 1     ? byte(0)
                                            : m_isBigEndian ? byte(0) << 8U | byte(1)
                                                            : byte(1) << 8U | byte(0);
                addFault(m_unit, {.value = value, .digits = static_cast<unsigned>(m_unit) * 2});
            } else if (problem != 0) {
                throw std::bad_alloc(); // nothing else can fail
            }
        }
        return {};
    }

    Result<void> readMore()
    {
        std::copy(m_in.begin() + static_cast<std::ptrdiff_t>(m_inBegin),
                  m_in.begin() + static_cast<std::ptrdiff_t>(m_inEnd), m_in.begin());
        m_inOffset += m_inBegin;
        m_inEnd -= m_inBegin;
        m_inBegin = 0;
        const std::span<std::byte> room = std::span(m_in).subspan(m_inEnd);
        CANNERY_TRY_ASSIGN(const std::size_t got, m_source.read(room));
        m_sourceEnded = got < room.size();
        m_inEnd += got;
        return {};
    }

    /// Converts as much as possible; 0, or the reason why it stopped.
    int convert()
    {
        char* in = reinterpret_cast<char*>(m_in.data()) + m_inBegin;
        std::size_t inLeft = m_inEnd - m_inBegin;
        char* out = m_out.data() + m_outEnd;
        std::size_t outLeft = kOutBytes - m_outEnd;
        errno = 0;
        const std::size_t outcome = ::iconv(m_converter.get(), &in, &inLeft, &out, &outLeft);
        const int problem = outcome == static_cast<std::size_t>(-1) ? errno : 0;
        // Also after a fault: iconv() has converted everything before it.
        m_outEnd = kOutBytes - outLeft;
        m_inBegin = m_inEnd - inLeft;
        return problem;
    }

    /// A mark instead of the next bytes. Only the first of faults side by side has its place: a
    /// file in another encoding must not grow many times larger.
    void addFault(std::size_t bytes, const TextFault& fault)
    {
        const std::uint64_t offset = m_inOffset + m_inBegin;
        const bool isBeside = offset == m_faultEnd && offset > 0;
        const std::string mark =
            isBeside ? std::string(1, kMarkBegin) : faultMark(offset, fault, m_encoding);
        std::copy(mark.begin(), mark.end(), m_out.begin() + static_cast<std::ptrdiff_t>(m_outEnd));
        m_outEnd += mark.size();
        m_inBegin += bytes;
        m_faultEnd = offset + bytes;
    }

    InflateReader m_source;
    std::unique_ptr<void, CloseConverter> m_converter;
    std::vector<std::byte> m_in;
    std::size_t m_inBegin = 0;    ///< of what is not converted yet
    std::size_t m_inEnd;          ///< of what has been read
    std::uint64_t m_inOffset = 0; ///< of m_in in the file
    std::uint64_t m_faultEnd = 0; ///< offset after the last fault
    std::vector<char> m_out;      ///< with room for a mark at its end
    std::size_t m_outBegin = 0;   ///< of what has not been handed out
    std::size_t m_outEnd = 0;
    TextEncoding m_encoding;
    std::size_t m_unit; ///< bytes of a code unit
    bool m_isBigEndian = false;
    bool m_sourceEnded = false;
};

TextDecoder::TextDecoder(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}
TextDecoder::TextDecoder(TextDecoder&&) noexcept = default;
TextDecoder& TextDecoder::operator=(TextDecoder&&) noexcept = default;
TextDecoder::~TextDecoder() = default;

Result<TextDecoder> TextDecoder::create(InflateReader source, std::span<const std::byte> start,
                                        TextEncoding encoding, const std::string& path)
{
    auto impl = std::make_unique<Impl>(std::move(source), start, encoding);
    CANNERY_TRY(impl->open(path));
    return TextDecoder(std::move(impl));
}

Result<std::size_t> TextDecoder::read(std::span<std::byte> bytes)
{
    return m_impl->read(bytes);
}

std::optional<std::string> describeFault(std::string_view mark)
{
    if (!mark.starts_with(kMarkBegin)) {
        return std::nullopt;
    }
    mark.remove_prefix(1);
    const std::optional<std::uint64_t> offset = takeOctal(mark);
    const std::optional<std::uint64_t> packed = offset ? takeOctal(mark) : std::nullopt;
    const auto encoding = static_cast<TextEncoding>(packed.value_or(0) & 15U);
    if (!packed || !isDecoded(encoding)) {
        return std::nullopt;
    }
    const auto digits = static_cast<int>(*packed >> 4U & 15U);
    return digits == 0
               ? fmt::format("{} (the file ends inside a character at offset {})",
                             encodingName(encoding), *offset)
               : fmt::format("{} ({} 0x{:0{}X} at offset {})", encodingName(encoding),
                             digits == 2 ? "byte" : "code unit", *packed >> 8U, digits, *offset);
}

std::string withoutMarks(std::string_view text)
{
    std::string shown;
    bool inMark = false;
    for (const char byte : text) {
        // Bytes of marks are beyond those that UTF-8 uses.
        const bool isOfMark = static_cast<unsigned char>(byte) >= kMarkZero;
        if (!isOfMark) {
            shown.push_back(byte);
        } else if (!inMark) {
            shown += "\uFFFD";
        }
        inMark = isOfMark;
    }
    return shown;
}

} // namespace cannery::storage
