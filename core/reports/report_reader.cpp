// SPDX-License-Identifier: Apache-2.0
#include "core/reports/json_layout.h"
#include "core/reports/report_json.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace cannery::reports {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using Json = nlohmann::ordered_json;

/// What the parser has come across: `monostate` is null.
using Scalar = std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string>;

/// The field that a value belongs to.
struct Place
{
    Message* message = nullptr;
    const FieldDescriptor* field = nullptr; ///< null: the whole message
    bool isElement = false;                 ///< the value is one of the field's list

    bool takesOne() const { return field == nullptr || !field->is_repeated() || isElement; }
    bool isMessage() const
    {
        return field == nullptr || field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
    }
    const Descriptor& type() const
    {
        return field == nullptr ? *message->GetDescriptor() : *field->message_type();
    }
    Message* messageToFill() const
    {
        return field == nullptr       ? message
               : field->is_repeated() ? message->GetReflection()->AddMessage(message, field)
                                      : message->GetReflection()->MutableMessage(message, field);
    }
};

bool isText(const FieldDescriptor& field)
{
    return field.cpp_type() == FieldDescriptor::CPPTYPE_STRING;
}

bool isReal(const FieldDescriptor& field)
{
    return field.cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE ||
           field.cpp_type() == FieldDescriptor::CPPTYPE_FLOAT;
}

template <typename Value>
void put(const Place& place, Value value,
         void (Reflection::*set)(Message*, const FieldDescriptor*, Value) const,
         void (Reflection::*add)(Message*, const FieldDescriptor*, Value) const)
{
    (place.message->GetReflection()->*(place.field->is_repeated() ? add : set))(
        place.message, place.field, std::move(value));
}

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::optional<double> wordOfReal(const std::string& word)
{
    constexpr double kInfinite = std::numeric_limits<double>::infinity();
    return word == kNotANumber      ? std::optional(kNan)
           : word == kInfinity      ? std::optional(kInfinite)
           : word == kMinusInfinity ? std::optional(-kInfinite)
                                    : std::nullopt;
}

/// Null is a number that JSON does not know: in a list it keeps the others in their places.
std::optional<double> realOf(const Place& place, const Scalar& scalar)
{
    if (std::holds_alternative<std::monostate>(scalar)) {
        return place.isElement ? std::optional(kNan) : std::nullopt;
    }
    if (const auto* number = std::get_if<double>(&scalar)) {
        return *number;
    }
    if (const auto* number = std::get_if<std::int64_t>(&scalar)) {
        return static_cast<double>(*number);
    }
    if (const auto* number = std::get_if<std::uint64_t>(&scalar)) {
        return static_cast<double>(*number);
    }
    const auto* word = std::get_if<std::string>(&scalar);
    return word != nullptr && layoutOf(*place.field).not_finite() ? wordOfReal(*word)
                                                                  : std::nullopt;
}

/// A number without a fraction that a type can hold.
template <typename Integer>
std::optional<Integer> integerOf(const Scalar& scalar)
{
    if (const auto* number = std::get_if<std::int64_t>(&scalar)) {
        return std::in_range<Integer>(*number) ? std::optional(static_cast<Integer>(*number))
                                               : std::nullopt;
    }
    if (const auto* number = std::get_if<std::uint64_t>(&scalar)) {
        return std::in_range<Integer>(*number) ? std::optional(static_cast<Integer>(*number))
                                               : std::nullopt;
    }
    return std::nullopt;
}

template <typename Integer>
bool putInteger(const Place& place, const Scalar& scalar,
                void (Reflection::*set)(Message*, const FieldDescriptor*, Integer) const,
                void (Reflection::*add)(Message*, const FieldDescriptor*, Integer) const)
{
    const std::optional<Integer> number = integerOf<Integer>(scalar);
    if (number) {
        put(place, *number, set, add);
    }
    return number.has_value();
}

bool putEnum(const Place& place, const Scalar& scalar)
{
    const auto* word = std::get_if<std::string>(&scalar);
    const google::protobuf::EnumDescriptor& type = *place.field->enum_type();
    for (int i = 0; word != nullptr && i < type.value_count(); ++i) {
        if (enumWord(*type.value(i)) == *word) {
            put<const google::protobuf::EnumValueDescriptor*>(
                place, type.value(i), &Reflection::SetEnum, &Reflection::AddEnum);
            return true;
        }
    }
    return false;
}

/// Whether the field can hold the value, which it then does.
bool putScalar(const Place& place, const Scalar& scalar)
{
    switch (place.field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
        return putInteger<std::int32_t>(place, scalar, &Reflection::SetInt32,
                                        &Reflection::AddInt32);
    case FieldDescriptor::CPPTYPE_INT64:
        return putInteger<std::int64_t>(place, scalar, &Reflection::SetInt64,
                                        &Reflection::AddInt64);
    case FieldDescriptor::CPPTYPE_UINT32:
        return putInteger<std::uint32_t>(place, scalar, &Reflection::SetUInt32,
                                         &Reflection::AddUInt32);
    case FieldDescriptor::CPPTYPE_UINT64:
        return putInteger<std::uint64_t>(place, scalar, &Reflection::SetUInt64,
                                         &Reflection::AddUInt64);
    case FieldDescriptor::CPPTYPE_ENUM:
        return putEnum(place, scalar);
    default:
        break;
    }
    const std::optional<double> real = isReal(*place.field) ? realOf(place, scalar) : std::nullopt;
    const auto* text = isText(*place.field) ? std::get_if<std::string>(&scalar) : nullptr;
    const auto* truth = place.field->cpp_type() == FieldDescriptor::CPPTYPE_BOOL
                            ? std::get_if<bool>(&scalar)
                            : nullptr;
    if (real && place.field->cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE) {
        put<double>(place, *real, &Reflection::SetDouble, &Reflection::AddDouble);
    } else if (real) {
        put<float>(place, static_cast<float>(*real), &Reflection::SetFloat, &Reflection::AddFloat);
    } else if (text != nullptr) {
        put<std::string>(place, *text, &Reflection::SetString, &Reflection::AddString);
    } else if (truth != nullptr) {
        put<bool>(place, *truth, &Reflection::SetBool, &Reflection::AddBool);
    }
    return real || text != nullptr || truth != nullptr;
}

/// Follows the parser through a text with a stack of the messages, lists and objects that are open.
class Reader
{
public:
    explicit Reader(Message& report) : m_report(&report) {}

    bool null() { return scalar({}); }
    bool boolean(bool value) { return scalar(value); }
    bool number_integer(std::int64_t value) { return scalar(value); }
    bool number_unsigned(std::uint64_t value) { return scalar(value); }
    bool number_float(double value, const std::string&) { return scalar(value); }
    bool string(std::string& value) { return scalar(std::move(value)); }
    static bool binary(Json::binary_t&) { return true; }

    bool start_object(std::size_t)
    {
        return open(m_left > 0 ? std::nullopt : objectAt(nextPlace()));
    }
    bool start_array(std::size_t) { return open(m_left > 0 ? std::nullopt : listAt(nextPlace())); }
    bool end_object() { return close(); }
    bool end_array() { return close(); }
    bool key(std::string& value)
    {
        m_key = std::move(value);
        return true;
    }
    static bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&)
    {
        return false;
    }

private:
    /// What is open: a message's members, a list, or the members of an object that is a list.
    struct Open
    {
        Message* message;
        const FieldDescriptor* list; ///< null for the message's members
    };

    bool open(std::optional<Open> opened)
    {
        if (opened) {
            m_open.push_back(*opened);
        } else {
            ++m_left;
        }
        return true;
    }

    bool close()
    {
        if (m_left > 0) {
            --m_left;
        } else {
            m_open.pop_back();
        }
        return true;
    }

    bool scalar(const Scalar& value)
    {
        if (m_left == 0) {
            putAt(nextPlace(), value);
        }
        return true;
    }

    /// Where the next value belongs; nothing if the report does not know it.
    std::optional<Place> nextPlace()
    {
        if (m_open.empty()) {
            return Place{m_report};
        }
        const Open& open = m_open.back();
        if (open.list == nullptr) {
            return memberOf(*open.message);
        }
        if (!isObjectList(*open.list)) {
            return Place{open.message, open.list, true};
        }
        Message& entry = *open.message->GetReflection()->AddMessage(open.message, open.list);
        const Descriptor& type = *entry.GetDescriptor();
        entry.GetReflection()->SetString(&entry, &keyField(type), m_key);
        return Place{&entry, &valueField(type)};
    }

    /// By m_key, also among the members of messages that stand inline.
    std::optional<Place> memberOf(Message& message)
    {
        const Descriptor& type = *message.GetDescriptor();
        const FieldDescriptor* field = type.FindFieldByName(m_key);
        if (field != nullptr && !layoutOf(*field).inline_() && !layoutOf(*field).hidden()) {
            return Place{&message, field};
        }
        for (int i = 0; i < type.field_count(); ++i) {
            if (layoutOf(*type.field(i)).inline_() && knows(*type.field(i)->message_type())) {
                return memberOf(*message.GetReflection()->MutableMessage(&message, type.field(i)));
            }
        }
        return std::nullopt;
    }

    bool knows(const Descriptor& type) const
    {
        const FieldDescriptor* field = type.FindFieldByName(m_key);
        if (field != nullptr && !layoutOf(*field).inline_()) {
            return !layoutOf(*field).hidden();
        }
        for (int i = 0; i < type.field_count(); ++i) {
            if (layoutOf(*type.field(i)).inline_() && knows(*type.field(i)->message_type())) {
                return true;
            }
        }
        return false;
    }

    static bool putAt(const std::optional<Place>& place, const Scalar& value)
    {
        if (!place || !place->takesOne()) {
            return false;
        }
        if (!place->isMessage()) {
            return putScalar(*place, value);
        }
        const bool isNull = std::holds_alternative<std::monostate>(value);
        if (!isBare(place->type()) || (isNull && !place->isElement)) {
            return false;
        }
        Message& bare = *place->messageToFill();
        for (int i = 0; i < bare.GetDescriptor()->field_count() && !isNull; ++i) {
            const FieldDescriptor& field = *bare.GetDescriptor()->field(i);
            if (putAt(Place{&bare, &field}, value)) {
                return true;
            }
            bare.GetReflection()->ClearField(&bare, &field); // of what was tried inside
        }
        return isNull;
    }

    static std::optional<Open> objectAt(const std::optional<Place>& place)
    {
        if (!place || !place->isMessage()) {
            return std::nullopt;
        }
        if (!place->takesOne()) {
            return isObjectList(*place->field) ? std::optional(Open{place->message, place->field})
                                               : std::nullopt;
        }
        return isBare(place->type()) ? insideBare(*place, &objectAt)
                                     : std::optional(Open{place->messageToFill(), nullptr});
    }

    static std::optional<Open> listAt(const std::optional<Place>& place)
    {
        if (!place) {
            return std::nullopt;
        }
        if (!place->takesOne()) {
            return isObjectList(*place->field) ? std::nullopt
                                               : std::optional(Open{place->message, place->field});
        }
        return place->isMessage() && isBare(place->type()) ? insideBare(*place, &listAt)
                                                           : std::nullopt;
    }

    static std::optional<Open> insideBare(const Place& place,
                                          std::optional<Open> (*find)(const std::optional<Place>&))
    {
        Message& bare = *place.messageToFill();
        for (int i = 0; i < bare.GetDescriptor()->field_count(); ++i) {
            const FieldDescriptor& field = *bare.GetDescriptor()->field(i);
            if (const auto found = find(Place{&bare, &field})) {
                return found;
            }
            bare.GetReflection()->ClearField(&bare, &field); // of what was tried inside
        }
        return std::nullopt;
    }

    Message* m_report;
    std::vector<Open> m_open;
    std::size_t m_left = 0; ///< open values that the report does not know
    std::string m_key;
};

} // namespace

bool readReport(std::string_view json, Message& report)
{
    report.Clear();
    Reader reader(report);
    return Json::sax_parse(json, &reader);
}

} // namespace cannery::reports
