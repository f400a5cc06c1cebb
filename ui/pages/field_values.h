// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QString>
#include <QStringList>

namespace cannery::ui {

struct FieldNode;

/// A field of a message; one without anything in it when it is not there.
const FieldNode& child(const FieldNode& node, const char* name);
/// The text of a field of a message.
QString valueOf(const FieldNode& node, const char* name);
/// The texts of the elements of a list.
QStringList valuesOf(const FieldNode& list);
/// The member of a oneof that is there, else the first; `others` are fields beside the oneof.
const FieldNode& chosen(const FieldNode& node, const QStringList& others = {});
/// What a person calls a field.
QString labelOf(const FieldNode& field);

} // namespace cannery::ui
