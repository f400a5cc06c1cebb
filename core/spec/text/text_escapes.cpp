// SPDX-License-Identifier: Apache-2.0
#include "core/spec/text/text_escapes.h"

#include <array>
#include <cstdint>
#include <fmt/core.h>
#include <utility>

namespace cannery::spec {

namespace {

constexpr std::array<std::pair<char, char>, 11> kSimpleEscapes{{{'n', '\n'},
                                                                {'r', '\r'},
                                                                {'t', '\t'},
                                                                {'a', '\a'},
                                                                {'b', '\b'},
                                                                {'f', '\f'},
                                                                {'v', '\v'},
                                                                {'\\', '\\'},
                                                                {'?', '?'},
                                                                {'\'', '\''},
                                                                {'"', '"'}}};

int digitOf(char c, int base)
{
    int digit = base;
    if (c >= '0' && c <= '9') {
        digit = c - '0';
    } else if (c >= 'a' && c <= 'f') {
        digit = c - 'a' + 10;
    } else if (c >= 'A' && c <= 'F') {
        digit = c - 'A' + 10;
    }
    return digit < base ? digit : -1;
}

/// Reads between `least` and `most` digits at `at`, which moves past them.
std::optional<std::uint32_t> readDigits(std::string_view text, std::size_t& at, int base, int least,
                                        int most)
{
    std::uint32_t value = 0;
    int count = 0;
    while (count < most && at < text.size() && digitOf(text[at], base) >= 0) {
        value = value * static_cast<std::uint32_t>(base) +
                static_cast<std::uint32_t>(digitOf(text[at], base));
        ++at;
        ++count;
    }
    if (count < least) {
        return std::nullopt;
    }
    return value;
}

bool appendUtf8(std::string& out, std::uint32_t codePoint)
{
    // Halves of a surrogate pair are not characters by themselves.
    if (codePoint > 0x10FFFFU || (codePoint >= 0xD800U && codePoint < 0xE000U)) {
        return false;
    }
    const auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
    if (codePoint < 0x80U) {
        put(codePoint);
    } else if (codePoint < 0x800U) {
        put(0xC0U | (codePoint >> 6U));
        put(0x80U | (codePoint & 0x3FU));
    } else if (codePoint < 0x10000U) {
        put(0xE0U | (codePoint >> 12U));
        put(0x80U | ((codePoint >> 6U) & 0x3FU));
        put(0x80U | (codePoint & 0x3FU));
    } else {
        put(0xF0U | (codePoint >> 18U));
        put(0x80U | ((codePoint >> 12U) & 0x3FU));
        put(0x80U | ((codePoint >> 6U) & 0x3FU));
        put(0x80U | (codePoint & 0x3FU));
    }
    return true;
}

/// `\uD83D\uDE00`: a surrogate pair.
std::optional<std::uint32_t> readSurrogates(std::string_view text, std::size_t& at,
                                            std::uint32_t high)
{
    if (text.substr(at, 2) != "\\u") {
        return std::nullopt;
    }
    at += 2;
    const auto low = readDigits(text, at, 16, 4, 4);
    if (!low || *low < 0xDC00U || *low > 0xDFFFU) {
        return std::nullopt;
    }
    return 0x10000U + ((high - 0xD800U) << 10U) + (*low - 0xDC00U);
}

/// One escape; `at` is after the backslash and moves past the escape.
bool appendEscape(std::string& out, std::string_view text, std::size_t& at)
{
    if (at >= text.size()) {
        return false;
    }
    const char c = text[at];
    for (const auto& [letter, byte] : kSimpleEscapes) {
        if (c == letter) {
            out += byte;
            ++at;
            return true;
        }
    }
    std::optional<std::uint32_t> value;
    if (digitOf(c, 8) >= 0) {
        value = readDigits(text, at, 8, 1, 3);
    } else if (c == 'x' || c == 'X') {
        value = readDigits(text, ++at, 16, 1, 2);
    } else if (c == 'u' || c == 'U') {
        const int digits = c == 'u' ? 4 : 8;
        value = readDigits(text, ++at, 16, digits, digits);
        if (value && *value >= 0xD800U && *value < 0xDC00U) {
            value = readSurrogates(text, at, *value);
        }
        return value && appendUtf8(out, *value);
    }
    // Octal and hexadecimal escapes give one byte.
    if (!value || *value > 0xFFU) {
        return false;
    }
    out += static_cast<char>(*value);
    return true;
}

} // namespace

std::optional<std::string> unescape(std::string_view inside, std::size_t& badOffset)
{
    std::string out;
    out.reserve(inside.size());
    for (std::size_t at = 0; at < inside.size();) {
        if (inside[at] != '\\') {
            out += inside[at++];
            continue;
        }
        badOffset = at++;
        if (!appendEscape(out, inside, at)) {
            return std::nullopt;
        }
    }
    return out;
}

std::string quotedText(std::string_view bytes)
{
    std::string out;
    out.reserve(bytes.size() + 2);
    out += '"';
    for (const char c : bytes) {
        // As protobuf's printer: what a terminal could act upon is escaped, UTF-8 is not.
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (c == '\n') {
            out += "\\n";
        } else if (c == '\r') {
            out += "\\r";
        } else if (c == '\t') {
            out += "\\t";
        } else if (byte < 0x20U || byte == 0x7FU) {
            out += fmt::format("\\{:03o}", byte);
        } else {
            out += c;
        }
    }
    out += '"';
    return out;
}

} // namespace cannery::spec
