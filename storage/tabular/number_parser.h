// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
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
/// case, and the minus sign of typography. At least kTextPadding bytes before and after the text
/// must be readable.
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

/// Whether a cell says in some spelling that it is not a number: nan, -NaN, nan(0x8), 1.#QNAN.
bool spellsNan(std::string_view text);

/// The text without surrounding spaces and tabs.
std::string_view trimmed(std::string_view text);

} // namespace cannery::storage
