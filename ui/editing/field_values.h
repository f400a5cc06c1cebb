// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QString>
#include <QStringList>

namespace cannery::ui {

struct FieldNode;

/// A field of a message; empty if it is not set.
const FieldNode& child(const FieldNode& node, const char* name);
/// The text of a field of a message.
QString valueOf(const FieldNode& node, const char* name);
/// The texts of the elements of a list.
QStringList valuesOf(const FieldNode& list);
/// The set member of a oneof, otherwise the first; `others` are fields next to the oneof.
const FieldNode& chosen(const FieldNode& node, const QStringList& others = {});
/// The same, whatever the message has beside its oneof.
const FieldNode& chosenKind(const FieldNode& node);
/// The field of an optimizer that decides its learning rate: its schedule's, otherwise its own;
/// empty if none does.
const FieldNode& learningRateOf(const FieldNode& optimizer);
/// The name of a field for display.
QString labelOf(const FieldNode& field);

} // namespace cannery::ui
