// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cannery::storage {

/// Result of parsing a text as a number.
enum class NumberStatus
{
    Ok,
    OutOfRange, ///< a number, but beyond the type: ±infinity for floats, unchanged for integers
    NotANumber,
};

/// The nearest float to a decimal text, as in TensorFlow's strtof: correctly rounded directly to
/// float. Surrounding spaces and a leading plus are allowed; so are inf, infinity and nan in any
/// case. At least kTextPadding bytes before and after the text must be readable.
NumberStatus parseFloat(std::string_view text, float& value);
NumberStatus parseDouble(std::string_view text, double& value);

/// A decimal integer with an optional sign; surrounding spaces are allowed.
NumberStatus parseInteger(std::string_view text, std::int64_t& value);

/// A text with the bytes around it that parseFloat() and parseDouble() may access.
class PaddedText
{
public:
    explicit PaddedText(std::string_view text);
    std::string_view view() const;

private:
    std::string m_buffer;
};

/// A number with a decimal comma, rewritten with a point so that the parsers read it. For one cell
/// at a time; reused, it allocates nothing.
class CommaDecimal
{
public:
    /// The text with its commas as points, with padding, valid until the next call. A text with a
    /// point is no such number: nothing then.
    std::optional<std::string_view> rewritten(std::string_view text);

private:
    std::string m_buffer;
};

/// The text without surrounding spaces and tabs.
std::string_view trimmed(std::string_view text);

} // namespace cannery::storage
