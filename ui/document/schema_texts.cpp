// SPDX-License-Identifier: GPL-3.0-only
#include "ui/document/schema_texts.h"

#include "core/spec/message_access.h"

#include <QCoreApplication>

namespace cannery::ui {

QString schemaText(const std::string& text)
{
    return text.empty() ? QString() : QCoreApplication::translate("Schema", text.c_str());
}

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

} // namespace cannery::ui
