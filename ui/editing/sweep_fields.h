// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/field_edit.h"
#include "ui/document/field_schema.h"

#include <QString>
#include <QStringList>

#include <optional>

namespace cannery::ui {

class ExperimentDocument;

/// Whether the text at a path of the experiment is the field that a parameter of its sweep varies.
bool isSweptField(const QString& path);

/// The field whose values the texts at a path of the sweep are: that of "sweep.parameter[0].field"
/// for "sweep.parameter[0].choice.value". Empty if there is none or it is not known.
std::optional<FieldSchema> sweptFieldOf(const ExperimentDocument& document, const QString& path);

/// "Learning rate, Adagrad, Dnn optimizer": a field by the labels on the way to it, so that two
/// rates differ. The path itself if there is no such field.
QString sweptName(const QString& path);

/// Adds a field to the sweep, with values around the one that it has, so that the sweep is valid at
/// once; the first makes a grid whose runs `metric` compares, or the loss if it is empty.
QList<FieldEdit> sweepEdits(const ExperimentDocument& document, const QString& path,
                            const QString& metric, bool higherIsBetter);

/// The paths of the fields that a sweep may well vary, those of the model and its training first:
/// values, lists and choices of kinds (an optimizer). `root` is the experiment's. Without names of
/// columns and files, which another value rarely fits.
QStringList sweepableFields(const FieldNode& root);

} // namespace cannery::ui
