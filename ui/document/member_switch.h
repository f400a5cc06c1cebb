// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/field_edit.h"

#include <QStringList>

namespace cannery::ui {

class ExperimentDocument;

/// What it takes to choose another member of a oneof.
struct MemberSwitch
{
    QList<FieldEdit> edits;
    QStringList kept; ///< labels of fields that the new member takes over
    QStringList lost; ///< labels of fields that the new member does not have
};

/// Chooses the member `name` of the oneof in the message at `path`. Fields of the present member
/// that are set and that the new one has too are kept: those of the same name and type, otherwise
/// of the same meaning in another part of an estimator ("hidden_units" for "dnn_hidden_units").
/// Fields for which the schema suggests a value get it.
MemberSwitch switchMember(const ExperimentDocument& document, const QString& path,
                          const QString& name);

} // namespace cannery::ui
