// SPDX-License-Identifier: Apache-2.0
#include "core/data/pipeline/default_value.h"

#include "core/data/data_errors.h"
#include "storage/tabular/number_parser.h"

#include <cmath>
#include <limits>

namespace cannery::data {

namespace {

using storage::NumberStatus;

bool fitsInteger(DType dtype, std::int64_t value)
{
    // Integers are read as 64 bits, so 32 are checked.
    return dtype == DType::Int64 || (value >= std::numeric_limits<std::int32_t>::min() &&
                                     value <= std::numeric_limits<std::int32_t>::max());
}

bool readDefault(std::string_view padded, DType /*dtype*/, float& value)
{
    // NaN and infinity are numbers here: columns decide what they do with them.
    return storage::parseFloat(padded, value) != NumberStatus::NotANumber;
}

bool readDefault(std::string_view padded, DType /*dtype*/, double& value)
{
    return storage::parseDouble(padded, value) != NumberStatus::NotANumber;
}

bool readDefault(std::string_view padded, DType dtype, std::int64_t& value)
{
    if (storage::parseInteger(padded, value) == NumberStatus::Ok) {
        return fitsInteger(dtype, value);
    }
    double number = 0;
    // 9e15 is below 2^53, up to which every integer is a double of its own.
    const bool isWhole = readDefault(padded, dtype, number) && std::abs(number) < 9e15 &&
                         number == std::floor(number);
    value = isWhole ? static_cast<std::int64_t>(number) : 0;
    return isWhole && fitsInteger(dtype, value);
}

template <typename T>
Result<std::vector<DefaultValue>> numberOf(const std::string& column, const std::string& text,
                                           DType dtype)
{
    T value{};
    const storage::PaddedText padded(text);
    if (!readDefault(padded.view(), dtype, value)) {
        return fail(ErrorCode::InvalidArgument, kBadDefault, text, column, name(dtype));
    }
    return std::vector<DefaultValue>{DefaultValue(value)};
}

} // namespace

Result<std::vector<DefaultValue>> defaultValueOf(const std::string& column, const std::string& text,
                                                 DType dtype)
{
    if (dtype == DType::String) {
        return std::vector<DefaultValue>{DefaultValue(text)};
    }
    // An empty default means none for numbers. For texts it is the empty text.
    if (text.empty()) {
        return std::vector<DefaultValue>();
    }
    switch (dtype) {
    case DType::Float32:
        return numberOf<float>(column, text, dtype);
    case DType::Float64:
        return numberOf<double>(column, text, dtype);
    default:
        return numberOf<std::int64_t>(column, text, dtype);
    }
}

} // namespace cannery::data
