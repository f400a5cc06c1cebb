// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QString>
#include <QStringList>

namespace cannery::ui {

struct FieldNode;

/// Whether the text at a path of the experiment is the field that a parameter of its sweep varies.
bool isSweptField(const QString& path);

/// The paths of the fields that a sweep may well vary, those of the model and its training first:
/// values, lists and choices of kinds (an optimizer). `root` is the experiment's. Without names of
/// columns and files, which another value rarely fits.
QStringList sweepableFields(const FieldNode& root);

} // namespace cannery::ui
