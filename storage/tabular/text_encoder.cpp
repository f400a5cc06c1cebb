// SPDX-License-Identifier: Apache-2.0
#include "storage/tabular/text_encoder.h"

#include "storage/tabular/csv/csv_errors.h"
#include "storage/tabular/text_decoder.h"

#include <iconv.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>

namespace cannery::storage {

namespace {

constexpr ErrorKind kNoEncoder{"csv.no_encoder",
                               "This system cannot write {}. Install the gconv modules of its C "
                               "library, or write UTF-8."};
constexpr ErrorKind kNotInEncoding{"csv.not_in_encoding", "{} cannot be written in {}: \"{}\"."};

/// No character of the encodings is longer.
constexpr std::size_t kMostBytes = 4;

/// The first character of a text, for a message.
std::string_view firstCharacter(std::string_view text)
{
    const auto isInside = [](char byte) {
        return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
    };
    const auto end = std::find_if_not(text.begin() + 1, text.end(), isInside);
    return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

} // namespace

class TextEncoder::Impl
{
public:
    Impl(iconv_t converter, TextEncoding encoding) : m_converter(converter), m_encoding(encoding) {}
    ~Impl() { ::iconv_close(m_converter); }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    Result<std::string> encode(std::string_view text) const
    {
        std::string bytes(text.size() * kMostBytes, '\0');
        char* in = const_cast<char*>(text.data()); // iconv only reads it
        char* out = bytes.data();
        std::size_t left = text.size();
        std::size_t room = bytes.size();
        // iconv stops at the character that the encoding lacks, and leaves `in` there.
        if (::iconv(m_converter, &in, &left, &out, &room) == static_cast<std::size_t>(-1)) {
            return fail(ErrorCode::InvalidArgument, kNotInEncoding,
                        firstCharacter(text.substr(text.size() - left)), encodingName(m_encoding),
                        printable(text.substr(text.size() - left).substr(0, kShown)));
        }
        bytes.resize(bytes.size() - room);
        return bytes;
    }

private:
    static constexpr std::size_t kShown = 40;

    iconv_t m_converter;
    TextEncoding m_encoding;
};

TextEncoder::TextEncoder(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}
TextEncoder::TextEncoder(TextEncoder&&) noexcept = default;
TextEncoder& TextEncoder::operator=(TextEncoder&&) noexcept = default;
TextEncoder::~TextEncoder() = default;

Result<TextEncoder> TextEncoder::create(TextEncoding encoding, bool isBigEndian)
{
    const iconv_t converter = ::iconv_open(converterName(encoding, isBigEndian), "UTF-8");
    if (converter == reinterpret_cast<iconv_t>(-1)) { // NOLINT: the error of iconv_open()
        return fail(ErrorCode::Unimplemented, kNoEncoder, encodingName(encoding));
    }
    return TextEncoder(std::make_unique<Impl>(converter, encoding));
}

Result<std::string> TextEncoder::encode(std::string_view text)
{
    return m_impl->encode(text);
}

} // namespace cannery::storage
