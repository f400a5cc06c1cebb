// SPDX-License-Identifier: Apache-2.0
#include "core/base/json_text.h"
#include "core/reports/json_layout.h"
#include "core/reports/report_json.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace cannery::reports {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using Json = nlohmann::ordered_json;

/// Writes the text piece by piece: the library's ordered objects search all earlier members for
/// each key, which wide tables would feel. The library still writes numbers and texts.
class Printer
{
public:
    explicit Printer(int indent) : m_indent(indent) {}

    std::string take() { return std::move(m_text); }

    void value(const Message& message)
    {
        if (isBare(*message.GetDescriptor())) {
            bare(message);
            return;
        }
        open('{');
        members(message);
        close('}');
    }

private:
    void bare(const Message& message)
    {
        const Descriptor& type = *message.GetDescriptor();
        for (int i = 0; i < type.field_count(); ++i) {
            const FieldDescriptor& field = *type.field(i);
            if (field.is_repeated() || isSet(message, field)) {
                valueOf(message, field);
                return;
            }
        }
        m_text += "null";
    }

    void members(const Message& message)
    {
        const Descriptor& type = *message.GetDescriptor();
        const Reflection& access = *message.GetReflection();
        for (int i = 0; i < type.field_count(); ++i) {
            const FieldDescriptor& field = *type.field(i);
            const JsonField& layout = layoutOf(field);
            if (layout.hidden()) {
                continue;
            }
            if (layout.inline_()) {
                if (access.HasField(message, &field)) {
                    members(access.GetMessage(message, &field));
                }
            } else if (field.is_repeated()) {
                if (!layout.if_any() || access.FieldSize(message, &field) > 0) {
                    name(field.name());
                    valueOf(message, field);
                }
            } else if (isSet(message, field)) {
                name(field.name());
                valueOf(message, field);
            } else if (layout.or_null()) {
                name(field.name());
                m_text += "null";
            }
        }
    }

    /// A number or text that cannot be absent is always set.
    static bool isSet(const Message& message, const FieldDescriptor& field)
    {
        return !field.has_presence() || message.GetReflection()->HasField(message, &field);
    }

    void valueOf(const Message& message, const FieldDescriptor& field)
    {
        if (!field.is_repeated()) {
            single(message, field);
        } else if (isObjectList(field)) {
            object(message, field);
        } else {
            const int size = message.GetReflection()->FieldSize(message, &field);
            open('[');
            for (int i = 0; i < size; ++i) {
                next();
                element(message, field, i);
            }
            close(']');
        }
    }

    void object(const Message& message, const FieldDescriptor& field)
    {
        const Reflection& access = *message.GetReflection();
        open('{');
        for (int i = 0; i < access.FieldSize(message, &field); ++i) {
            const Message& entry = access.GetRepeatedMessage(message, &field, i);
            const Descriptor& type = *entry.GetDescriptor();
            name(entry.GetReflection()->GetString(entry, &keyField(type)));
            const FieldDescriptor& value = valueField(type);
            if (value.is_repeated() || isSet(entry, value)) {
                valueOf(entry, value);
            } else {
                m_text += "null";
            }
        }
        close('}');
    }

    void single(const Message& message, const FieldDescriptor& field)
    {
        const Reflection& access = *message.GetReflection();
        switch (field.cpp_type()) {
        case FieldDescriptor::CPPTYPE_INT32:
            return scalar(access.GetInt32(message, &field));
        case FieldDescriptor::CPPTYPE_INT64:
            return scalar(access.GetInt64(message, &field));
        case FieldDescriptor::CPPTYPE_UINT32:
            return scalar(access.GetUInt32(message, &field));
        case FieldDescriptor::CPPTYPE_UINT64:
            return scalar(access.GetUInt64(message, &field));
        case FieldDescriptor::CPPTYPE_DOUBLE:
            return real(access.GetDouble(message, &field), field);
        case FieldDescriptor::CPPTYPE_FLOAT:
            return real(access.GetFloat(message, &field), field);
        case FieldDescriptor::CPPTYPE_BOOL:
            return scalar(access.GetBool(message, &field));
        case FieldDescriptor::CPPTYPE_ENUM:
            return text(enumWord(*access.GetEnum(message, &field)));
        case FieldDescriptor::CPPTYPE_STRING:
            return text(access.GetString(message, &field));
        case FieldDescriptor::CPPTYPE_MESSAGE:
            return value(access.GetMessage(message, &field));
        }
    }

    void element(const Message& message, const FieldDescriptor& field, int i)
    {
        const Reflection& access = *message.GetReflection();
        switch (field.cpp_type()) {
        case FieldDescriptor::CPPTYPE_INT32:
            return scalar(access.GetRepeatedInt32(message, &field, i));
        case FieldDescriptor::CPPTYPE_INT64:
            return scalar(access.GetRepeatedInt64(message, &field, i));
        case FieldDescriptor::CPPTYPE_UINT32:
            return scalar(access.GetRepeatedUInt32(message, &field, i));
        case FieldDescriptor::CPPTYPE_UINT64:
            return scalar(access.GetRepeatedUInt64(message, &field, i));
        case FieldDescriptor::CPPTYPE_DOUBLE:
            return real(access.GetRepeatedDouble(message, &field, i), field);
        case FieldDescriptor::CPPTYPE_FLOAT:
            return real(access.GetRepeatedFloat(message, &field, i), field);
        case FieldDescriptor::CPPTYPE_BOOL:
            return scalar(access.GetRepeatedBool(message, &field, i));
        case FieldDescriptor::CPPTYPE_ENUM:
            return text(enumWord(*access.GetRepeatedEnum(message, &field, i)));
        case FieldDescriptor::CPPTYPE_STRING:
            return text(access.GetRepeatedString(message, &field, i));
        case FieldDescriptor::CPPTYPE_MESSAGE:
            return value(access.GetRepeatedMessage(message, &field, i));
        }
    }

    void real(double number, const FieldDescriptor& field)
    {
        if (std::isfinite(number) || !layoutOf(field).not_finite()) {
            scalar(number);
        } else {
            text(std::isnan(number) ? kNotANumber : number > 0 ? kInfinity : kMinusInfinity);
        }
    }

    template <typename Value>
    void scalar(Value value)
    {
        m_text += jsonText(Json(value));
    }

    void text(const std::string& text)
    {
        const bool isPlain = std::all_of(text.begin(), text.end(), [](char character) {
            return character >= ' ' && character <= '~' && character != '"' && character != '\\';
        });
        if (isPlain) {
            m_text.append(1, '"').append(text).append(1, '"');
        } else {
            m_text += jsonText(Json(text));
        }
    }

    void name(const std::string& name)
    {
        next();
        text(name);
        m_text += m_indent < 0 ? ":" : ": ";
    }

    void open(char bracket)
    {
        m_text += bracket;
        ++m_level;
        m_isFirst = true;
    }

    void next()
    {
        if (!std::exchange(m_isFirst, false)) {
            m_text += ',';
        }
        newLine();
    }

    void close(char bracket)
    {
        --m_level;
        if (!std::exchange(m_isFirst, false)) {
            newLine();
        }
        m_text += bracket;
    }

    void newLine()
    {
        if (m_indent >= 0) {
            m_text += '\n';
            m_text.append(static_cast<std::size_t>(m_indent) * m_level, ' ');
        }
    }

    int m_indent;
    std::size_t m_level = 0;
    bool m_isFirst = false; ///< nothing stands yet in what was opened last
    std::string m_text;
};

} // namespace

std::string reportJson(const Message& report, int indent)
{
    Printer printer(indent);
    printer.value(report);
    return printer.take();
}

} // namespace cannery::reports
