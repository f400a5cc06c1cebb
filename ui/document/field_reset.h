// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/field_edit.h"
#include "ui/document/field_schema.h"

#include <functional>

namespace cannery::ui {

class ExperimentDocument;

/// What brings a message back to its defaults: it goes if it need not be there; otherwise its
/// fields go, but for those that say what the model is about: required ones, lists that need
/// elements (back to the schema's suggestion if there is one), what a head takes (the classes, the
/// weights of the rows), and `isLeftOut`. Empty: it is as it was.
QList<FieldEdit> resetEdits(const ExperimentDocument& document, const QString& path,
                            const std::function<bool(const FieldSchema&)>& isLeftOut = {});

} // namespace cannery::ui
