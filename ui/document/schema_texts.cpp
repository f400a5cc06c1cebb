// SPDX-License-Identifier: GPL-3.0-only
#include "ui/document/schema_texts.h"

#include "core/spec/message_access.h"
#include "core/spec/schema_help.h"

#include <QCoreApplication>

namespace cannery::ui {

namespace {

FieldNames namesOf(const google::protobuf::FieldDescriptor& field)
{
    switch (spec::infoOf(field).names()) {
    case spec::FieldInfo::FEATURE:
        return FieldNames::Feature;
    case spec::FieldInfo::FEATURE_COLUMN:
        return FieldNames::FeatureColumn;
    case spec::FieldInfo::COLUMN:
        return FieldNames::Column;
    case spec::FieldInfo::FILE:
        return FieldNames::File;
    case spec::FieldInfo::NOTHING:
        break;
    }
    return FieldNames::Nothing;
}

bool wantsDense(const google::protobuf::FieldDescriptor& field)
{
    const spec::FieldInfo& info = spec::infoOf(field);
    return info.has_wants() && info.wants() == spec::ColumnKind::DENSE;
}

} // namespace

QString schemaText(const std::string& text)
{
    return text.empty() ? QString() : QCoreApplication::translate("Schema", text.c_str());
}

void describe(const google::protobuf::FieldDescriptor& field, const spec::FieldHelp& help,
              FieldDescription& description)
{
    description.name = QString::fromStdString(help.name);
    description.label = schemaText(help.label);
    description.help = schemaText(help.help);
    description.unit = schemaText(help.unit);
    description.type = QString::fromStdString(help.type);
    description.group = QString::fromStdString(help.oneofGroup);
    description.isRepeated = help.repeated;
    description.isExpert = help.expert;
    description.wantsDense = wantsDense(field);
    description.names = namesOf(field);
}

} // namespace cannery::ui
