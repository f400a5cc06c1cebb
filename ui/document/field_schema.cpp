// SPDX-License-Identifier: GPL-3.0-only
#include "ui/document/field_schema.h"

#include "core/spec/experiment.pb.h"
#include "core/spec/message_access.h"
#include "core/spec/schema_help.h"
#include "core/spec/text/scalar_text.h"
#include "ui/document/schema_texts.h"
#include "ui/models/formats.h"

#include <QCoreApplication>

#include <algorithm>

namespace cannery::ui {
namespace {

using google::protobuf::FieldDescriptor;

/// From here on, an upper bound only prevents overflow: it is never reached in practice.
constexpr double kOutOfReach = 2147483647;

FieldSchema::Kind kindOf(const FieldDescriptor& field)
{
    switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_MESSAGE:
        return FieldSchema::Kind::Message;
    case FieldDescriptor::CPPTYPE_ENUM:
        return FieldSchema::Kind::Choice;
    case FieldDescriptor::CPPTYPE_BOOL:
        return FieldSchema::Kind::YesNo;
    case FieldDescriptor::CPPTYPE_DOUBLE:
    case FieldDescriptor::CPPTYPE_FLOAT:
        return FieldSchema::Kind::Number;
    case FieldDescriptor::CPPTYPE_STRING:
        return FieldSchema::Kind::Text;
    default:
        return FieldSchema::Kind::Integer;
    }
}

FieldSchema schemaOf(const FieldDescriptor& field)
{
    const spec::FieldHelp help = spec::describeField(field);
    FieldSchema schema;
    describe(field, help, schema);
    schema.defaultText = QString::fromStdString(help.defaultText);
    schema.kind = kindOf(field);
    schema.isRequired = help.required;
    schema.suggested = QString::fromStdString(spec::infoOf(field).suggested());
    schema.wantsNumbers =
        spec::infoOf(field).has_wants() && spec::infoOf(field).wants() == spec::ColumnKind::NUMBERS;
    schema.wantsSequences = spec::infoOf(field).sequences();
    schema.minCount = help.minCount;
    schema.min = help.min;
    schema.max = help.max;
    schema.exclusive = help.exclusive;
    for (const std::string& choice : help.choices) {
        schema.choices << QString::fromStdString(choice);
    }
    return schema;
}

QString shown(double number)
{
    return formatWritten(QString::fromStdString(spec::numberText(number)));
}

QString boundsOf(const FieldSchema& field)
{
    const bool hasMax = field.max && *field.max < kOutOfReach;
    if (field.min && hasMax) {
        return (field.exclusive ? QCoreApplication::translate("FieldSchema", "Between %1 and %2.")
                                : QCoreApplication::translate("FieldSchema", "From %1 to %2."))
            .arg(shown(*field.min), shown(*field.max));
    }
    if (field.min) {
        return (field.exclusive ? QCoreApplication::translate("FieldSchema", "Greater than %1.")
                                : QCoreApplication::translate("FieldSchema", "At least %1."))
            .arg(shown(*field.min));
    }
    if (hasMax) {
        return (field.exclusive ? QCoreApplication::translate("FieldSchema", "Less than %1.")
                                : QCoreApplication::translate("FieldSchema", "At most %1."))
            .arg(shown(*field.max));
    }
    return {};
}

/// The descriptor of the field at a path; null if the schema has none there.
const FieldDescriptor* descriptorAt(const QString& path)
{
    const Result<spec::SpecPath> steps = spec::parsePath(path.toStdString());
    if (!steps) {
        return nullptr;
    }
    const auto field = spec::describePath(spec::Experiment::default_instance(), *steps);
    return field ? *field : nullptr;
}

} // namespace

QString FieldSchema::rangeSentence() const
{
    QStringList sentences;
    // A switch shows its default by its position.
    if (!defaultText.isEmpty() && kind != Kind::YesNo) {
        sentences << QCoreApplication::translate("FieldSchema", "Default %1.").arg(defaultText);
    }
    if (const QString bounds = boundsOf(*this); !bounds.isEmpty()) {
        sentences << bounds;
    }
    return sentences.join(u' ');
}

const FieldSchema* MessageSchema::field(const QString& fieldName) const
{
    const auto found = std::find_if(fields.begin(), fields.end(), [&](const FieldSchema& schema) {
        return schema.name == fieldName;
    });
    return found == fields.end() ? nullptr : &*found;
}

QList<FieldSchema> MessageSchema::members() const
{
    QList<FieldSchema> found;
    std::copy_if(fields.begin(), fields.end(), std::back_inserter(found),
                 [](const FieldSchema& schema) { return !schema.group.isEmpty(); });
    return found;
}

std::optional<FieldSchema> fieldSchema(const QString& path)
{
    const FieldDescriptor* field = descriptorAt(path);
    return field == nullptr ? std::nullopt : std::optional(schemaOf(*field));
}

std::optional<MessageSchema> messageSchema(const QString& path)
{
    const google::protobuf::Descriptor* message = spec::Experiment::descriptor();
    if (!path.isEmpty()) {
        const FieldDescriptor* field = descriptorAt(path);
        message = field == nullptr ? nullptr : field->message_type();
    }
    if (message == nullptr) {
        return std::nullopt;
    }
    const spec::MessageInfo& info = message->options().GetExtension(spec::about);
    MessageSchema schema;
    schema.name = QString::fromStdString(message->name());
    schema.label = schemaText(info.label().empty() ? message->name() : info.label());
    schema.help = schemaText(info.help());
    schema.isKindOptional = info.kind_optional();
    schema.family = schemaText(info.family());
    schema.reads = info.reads() == spec::MessageInfo::SEVERAL ? LayerReads::Several
                   : info.reads() == spec::MessageInfo::NONE  ? LayerReads::None
                                                              : LayerReads::One;
    for (const int given : message->options().GetExtension(spec::column_kind).gives()) {
        schema.gives.numbers |= given == spec::ColumnKind::NUMBERS;
        schema.gives.dense |= given == spec::ColumnKind::DENSE;
        schema.gives.ids |= given == spec::ColumnKind::IDS;
        schema.gives.steps |= given == spec::ColumnKind::SEQUENCE;
    }
    for (int i = 0; i < message->field_count(); ++i) {
        schema.fields << schemaOf(*message->field(i));
    }
    return schema;
}

} // namespace cannery::ui
