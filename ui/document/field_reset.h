// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/field_edit.h"
#include "ui/document/field_schema.h"

#include <functional>

namespace cannery::ui {

class ExperimentDocument;

/// The edits that return a message to its defaults: the whole message is removed if it is optional;
/// otherwise its fields, except those that say what the model is about: required ones, lists that
/// need elements (these get the schema's suggestion if there is one), what a head takes (classes,
/// weights of the rows), and `isLeftOut`. Empty if nothing would change.
QList<FieldEdit> resetEdits(const ExperimentDocument& document, const QString& path,
                            const std::function<bool(const FieldSchema&)>& isLeftOut = {});

} // namespace cannery::ui
