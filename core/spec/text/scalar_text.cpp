// SPDX-License-Identifier: Apache-2.0
#include "core/spec/text/scalar_text.h"

#include "core/base/catalog.h"
#include "core/spec/message_access.h"
#include "core/spec/text/text_escapes.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace cannery::spec {

namespace {

using google::protobuf::EnumDescriptor;
using google::protobuf::EnumValueDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

constexpr ErrorKind kWrongType{"spec.wrong_type", "'{0}' must be {1}, not {2}.{3}"};
constexpr ErrorKind kIntegerRange{"spec.integer_range",
                                  "{0} does not fit into '{1}': it must be between {2} and {3}."};
constexpr ErrorKind kNotOneNumber{
    "spec.not_one_number",
    "'{0}' is not one number, as '{1}' takes it: write it without blanks and separators, and with "
    "a point before decimals, such as {2}."};
constexpr ErrorKind kOctal{"spec.octal_number",
                           "'{0}' begins with 0, which makes it octal: write {2} for '{1}'."};
constexpr ErrorKind kUnknownEnum{"spec.unknown_enum", "'{0}' cannot be '{1}'.{2}"};

std::vector<std::string> enumNames(const EnumDescriptor& type)
{
    std::vector<std::string> names;
    for (int i = 0; i < type.value_count(); ++i) {
        names.push_back(type.value(i)->name());
    }
    return names;
}

/// The value as a sentence quotes it.
std::string written(const SyntaxValue& value)
{
    if (value.kind == ScalarKind::String) {
        return "the text " + quotedText(value.text);
    }
    return fmt::format("'{}{}'", value.negative ? "-" : "", value.text);
}

tl::unexpected<Error> wrongType(const SyntaxValue& value, const FieldDescriptor& field)
{
    // A text is the only type for which the cure is certain: the same characters in quotes.
    const bool forgotQuotes = field.cpp_type() == FieldDescriptor::CPPTYPE_STRING;
    const std::string cure = forgotQuotes ? fmt::format(" Put it in quotes: \"{}{}\".",
                                                        value.negative ? "-" : "", value.text)
                                          : "";
    return fail(ErrorCode::InvalidArgument, kWrongType, field.name(), typeName(field),
                written(value), cure);
}

/// The magnitude of a decimal, 0x… or 0… number, or nothing if it is beyond 64 bits.
std::optional<std::uint64_t> magnitude(std::string_view text)
{
    int base = 10;
    if (text.size() > 2 && (text[1] == 'x' || text[1] == 'X')) {
        text.remove_prefix(2);
        base = 16;
    } else if (text.size() > 1 && text[0] == '0') {
        base = 8;
    }
    std::uint64_t number = 0;
    const auto [rest, code] = std::from_chars(text.data(), text.data() + text.size(), number, base);
    if (code != std::errc() || rest != text.data() + text.size()) {
        return std::nullopt;
    }
    return number;
}

template <typename Integer>
Result<Integer> readInteger(const SyntaxValue& value, const FieldDescriptor& field)
{
    if (value.kind != ScalarKind::Integer) {
        return wrongType(value, field);
    }
    using Limits = std::numeric_limits<Integer>;
    const auto number = magnitude(value.text);
    const auto most = static_cast<std::uint64_t>(Limits::max());
    // Two's complement has one negative number more. Of unsigned types, only -0 is left.
    const std::uint64_t limit = !value.negative ? most : (Limits::is_signed ? most + 1 : 0);
    if (!number || *number > limit) {
        return fail(ErrorCode::OutOfRange, kIntegerRange, (value.negative ? "-" : "") + value.text,
                    field.name(), Limits::min(), Limits::max());
    }
    // Negated as unsigned, where it wraps: the magnitude of the least integer has no positive twin.
    return static_cast<Integer>(value.negative ? std::uint64_t{0} - *number : *number);
}

/// Of a positive number too large or too small for a double: whether it is too small. The exponent
/// alone does not say so, as zeros may be written out.
bool isBelowOne(std::string_view digits)
{
    const std::size_t end = std::min(digits.find_first_of("eE"), digits.size());
    std::int64_t exponent = 0;
    // 1e-400 as against 1e400, and 0.000…1 as against 1000…: the place of the first digit counts.
    if (end < digits.size()) {
        const char* const sign = digits.data() + end + 1;
        const char* const begin = sign + (*sign == '+' ? 1 : 0);
        if (std::from_chars(begin, digits.data() + digits.size(), exponent).ec != std::errc()) {
            return *sign == '-'; // an exponent beyond 64 bits outweighs all digits
        }
    }
    const std::string_view mantissa = digits.substr(0, end);
    const auto point = static_cast<std::int64_t>(std::min(mantissa.find('.'), mantissa.size()));
    const auto first = static_cast<std::int64_t>(mantissa.find_first_of("123456789"));
    return exponent < first - point + (first < point ? 1 : 0);
}

Result<double> readDouble(const SyntaxValue& value, const FieldDescriptor& field)
{
    double number = 0;
    if (value.kind == ScalarKind::Identifier) {
        // protobuf prints infinities and NaN as names, and reads them in any case.
        std::string name = value.text;
        std::transform(name.begin(), name.end(), name.begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        if (name == "inf" || name == "infinity") {
            number = std::numeric_limits<double>::infinity();
        } else if (name == "nan") {
            number = std::numeric_limits<double>::quiet_NaN();
        } else {
            return wrongType(value, field);
        }
    } else if (value.kind == ScalarKind::Integer && value.text.size() > 1 && value.text[0] == '0') {
        const auto exact = magnitude(value.text); // hexadecimal or octal
        if (!exact) {
            return wrongType(value, field);
        }
        number = static_cast<double>(*exact);
    } else if (value.kind == ScalarKind::Integer || value.kind == ScalarKind::Float) {
        const std::string digits = value.text.substr(0, value.text.find_first_of("fF"));
        const auto [rest, code] =
            std::from_chars(digits.data(), digits.data() + digits.size(), number);
        // from_chars() leaves the number alone if it is out of range; protobuf's strtod gives 0 or
        // infinity.
        if (code == std::errc::result_out_of_range) {
            number = isBelowOne(digits) ? 0.0 : std::numeric_limits<double>::infinity();
        }
    } else {
        return wrongType(value, field);
    }
    return value.negative ? -number : number;
}

Result<bool> readBool(const SyntaxValue& value, const FieldDescriptor& field)
{
    const std::string& text = value.text;
    const bool name = value.kind == ScalarKind::Identifier && !value.negative;
    if (name && (text == "true" || text == "True" || text == "t")) {
        return true;
    }
    if (name && (text == "false" || text == "False" || text == "f")) {
        return false;
    }
    const auto number = value.kind == ScalarKind::Integer ? magnitude(text) : std::nullopt;
    if (number && *number <= 1 && !value.negative) {
        return *number == 1;
    }
    return wrongType(value, field);
}

Result<const EnumValueDescriptor*> readEnum(const SyntaxValue& value, const FieldDescriptor& field)
{
    const EnumDescriptor& type = *field.enum_type();
    const EnumValueDescriptor* found = nullptr;
    if (value.kind == ScalarKind::Identifier && !value.negative) {
        // Like protobuf, by name or by number.
        found = type.FindValueByName(value.text);
    } else if (value.kind == ScalarKind::Integer) {
        if (const auto number = readInteger<std::int32_t>(value, field)) {
            found = type.FindValueByNumber(*number);
        }
    }
    if (found == nullptr) {
        return fail(ErrorCode::InvalidArgument, kUnknownEnum, field.name(),
                    (value.negative ? "-" : "") + value.text,
                    suggestion(value.text, enumNames(type)));
    }
    return found;
}

} // namespace

std::string typeName(const FieldDescriptor& field)
{
    switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
    case FieldDescriptor::CPPTYPE_INT64:
    case FieldDescriptor::CPPTYPE_UINT32:
    case FieldDescriptor::CPPTYPE_UINT64:
        return "an integer";
    case FieldDescriptor::CPPTYPE_FLOAT:
    case FieldDescriptor::CPPTYPE_DOUBLE:
        return "a number";
    case FieldDescriptor::CPPTYPE_BOOL:
        return "true or false";
    case FieldDescriptor::CPPTYPE_STRING:
        return "a text";
    case FieldDescriptor::CPPTYPE_ENUM:
        return fmt::format("one of {}", fmt::join(enumNames(*field.enum_type()), ", "));
    case FieldDescriptor::CPPTYPE_MESSAGE:
        return "a message";
    }
    return {};
}

std::string exampleValue(const FieldDescriptor& field)
{
    if (field.has_default_value()) {
        return defaultText(field);
    }
    switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
        return "\"text\"";
    case FieldDescriptor::CPPTYPE_BOOL:
        return "true";
    case FieldDescriptor::CPPTYPE_ENUM:
        return field.enum_type()->value(0)->name();
    default:
        return "1";
    }
}

Result<void> setScalar(const SyntaxValue& value, const FieldDescriptor& field, Message& message)
{
    const Reflection& reflection = *message.GetReflection();
    const bool add = field.is_repeated();
    // Repeated fields have adders in place of setters; both have the same types, so one call serves
    // both.
    const auto set = [&](auto setter, auto adder, auto read) -> Result<void> {
        if (!read) {
            return tl::make_unexpected(std::move(read).error());
        }
        (reflection.*(add ? adder : setter))(&message, &field, std::move(*read));
        return {};
    };
    switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
        return set(&Reflection::SetInt32, &Reflection::AddInt32,
                   readInteger<std::int32_t>(value, field));
    case FieldDescriptor::CPPTYPE_INT64:
        return set(&Reflection::SetInt64, &Reflection::AddInt64,
                   readInteger<std::int64_t>(value, field));
    case FieldDescriptor::CPPTYPE_UINT32:
        return set(&Reflection::SetUInt32, &Reflection::AddUInt32,
                   readInteger<std::uint32_t>(value, field));
    case FieldDescriptor::CPPTYPE_UINT64:
        return set(&Reflection::SetUInt64, &Reflection::AddUInt64,
                   readInteger<std::uint64_t>(value, field));
    case FieldDescriptor::CPPTYPE_DOUBLE:
        return set(&Reflection::SetDouble, &Reflection::AddDouble, readDouble(value, field));
    case FieldDescriptor::CPPTYPE_FLOAT:
        return set(&Reflection::SetFloat, &Reflection::AddFloat, readDouble(value, field));
    case FieldDescriptor::CPPTYPE_BOOL:
        return set(&Reflection::SetBool, &Reflection::AddBool, readBool(value, field));
    case FieldDescriptor::CPPTYPE_ENUM:
        return set(&Reflection::SetEnum, &Reflection::AddEnum, readEnum(value, field));
    case FieldDescriptor::CPPTYPE_STRING:
        if (value.kind != ScalarKind::String) {
            return wrongType(value, field);
        }
        add ? reflection.AddString(&message, &field, value.text)
            : reflection.SetString(&message, &field, value.text);
        return {};
    case FieldDescriptor::CPPTYPE_MESSAGE:
        break;
    }
    return wrongType(value, field);
}

Result<void> checkTypedNumber(std::string_view text, const FieldDescriptor& field)
{
    const bool isNumber = field.cpp_type() != FieldDescriptor::CPPTYPE_STRING &&
                          field.cpp_type() != FieldDescriptor::CPPTYPE_BOOL &&
                          field.cpp_type() != FieldDescriptor::CPPTYPE_ENUM &&
                          field.cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE;
    if (!isNumber) {
        return {};
    }
    // Only what looks like one number in another notation: "1,000" or "0,07", not names or lists.
    const bool isOfDigits =
        text.find_first_not_of("+-0123456789.eE,;' \t") == std::string_view::npos;
    if (isOfDigits && text.find_first_of(",;' \t") != std::string_view::npos) {
        const bool isWhole = typeName(field) == "an integer";
        return fail(ErrorCode::InvalidArgument, kNotOneNumber, text, field.name(),
                    isWhole ? "1000" : "0.07");
    }
    // A sign is not a digit; "--5" is left to the parser.
    const std::string_view digits = text.substr(text.find_first_not_of('-') == 1 ? 1 : 0);
    if (digits.size() > 1 && digits[0] == '0' &&
        digits.find_first_not_of("0123456789") == std::string_view::npos) {
        const std::size_t first = std::min(digits.find_first_not_of('0'), digits.size() - 1);
        return fail(
            ErrorCode::InvalidArgument, kOctal, text, field.name(),
            fmt::format("{}{}", digits.size() < text.size() ? "-" : "", digits.substr(first)));
    }
    return {};
}

void addDefaultElement(Message& message, const FieldDescriptor& field)
{
    const Reflection& reflection = *message.GetReflection();
    switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
        return reflection.AddInt32(&message, &field, 0);
    case FieldDescriptor::CPPTYPE_INT64:
        return reflection.AddInt64(&message, &field, 0);
    case FieldDescriptor::CPPTYPE_UINT32:
        return reflection.AddUInt32(&message, &field, 0);
    case FieldDescriptor::CPPTYPE_UINT64:
        return reflection.AddUInt64(&message, &field, 0);
    case FieldDescriptor::CPPTYPE_DOUBLE:
        return reflection.AddDouble(&message, &field, 0);
    case FieldDescriptor::CPPTYPE_FLOAT:
        return reflection.AddFloat(&message, &field, 0);
    case FieldDescriptor::CPPTYPE_BOOL:
        return reflection.AddBool(&message, &field, false);
    case FieldDescriptor::CPPTYPE_ENUM:
        return reflection.AddEnum(&message, &field, field.enum_type()->value(0));
    case FieldDescriptor::CPPTYPE_STRING:
        return reflection.AddString(&message, &field, std::string());
    case FieldDescriptor::CPPTYPE_MESSAGE:
        reflection.AddMessage(&message, &field);
        return;
    }
}

std::string numberText(double number)
{
    // fmt would keep the sign of a NaN, which a file cannot tell from "nan".
    if (std::isnan(number)) {
        return "nan";
    }
    return fmt::format("{}", number);
}

std::string scalarText(const Message& message, const FieldDescriptor& field, int index)
{
    const Reflection& reflection = *message.GetReflection();
    const auto get = [&](auto getter, auto elementGetter) {
        return index < 0 ? (reflection.*getter)(message, &field)
                         : (reflection.*elementGetter)(message, &field, index);
    };
    switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
        return std::to_string(get(&Reflection::GetInt32, &Reflection::GetRepeatedInt32));
    case FieldDescriptor::CPPTYPE_INT64:
        return std::to_string(get(&Reflection::GetInt64, &Reflection::GetRepeatedInt64));
    case FieldDescriptor::CPPTYPE_UINT32:
        return std::to_string(get(&Reflection::GetUInt32, &Reflection::GetRepeatedUInt32));
    case FieldDescriptor::CPPTYPE_UINT64:
        return std::to_string(get(&Reflection::GetUInt64, &Reflection::GetRepeatedUInt64));
    case FieldDescriptor::CPPTYPE_DOUBLE:
        return numberText(get(&Reflection::GetDouble, &Reflection::GetRepeatedDouble));
    case FieldDescriptor::CPPTYPE_FLOAT:
        return fmt::format("{}", get(&Reflection::GetFloat, &Reflection::GetRepeatedFloat));
    case FieldDescriptor::CPPTYPE_BOOL:
        return get(&Reflection::GetBool, &Reflection::GetRepeatedBool) ? "true" : "false";
    case FieldDescriptor::CPPTYPE_ENUM:
        return get(&Reflection::GetEnum, &Reflection::GetRepeatedEnum)->name();
    case FieldDescriptor::CPPTYPE_STRING:
        return quotedText(get(&Reflection::GetString, &Reflection::GetRepeatedString));
    case FieldDescriptor::CPPTYPE_MESSAGE:
        break;
    }
    return {};
}

std::string defaultText(const FieldDescriptor& field)
{
    if (!field.has_default_value()) {
        return {};
    }
    // The prototype has every default, so scalarText() prints it like a set value.
    const Message* prototype = google::protobuf::MessageFactory::generated_factory()->GetPrototype(
        field.containing_type());
    return scalarText(*prototype, field, -1);
}

} // namespace cannery::spec
