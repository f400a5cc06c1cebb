// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QList>
#include <QString>

namespace cannery::ui {

/// What the text of a field names.
enum class FieldNames
{
    Nothing,
    Feature,       ///< a raw input
    FeatureColumn, ///< another feature_column, by its name
    Column,        ///< of the table
    File,
};

/// One field of the experiment, independent of protobuf.
struct FieldNode
{
    QString name;  ///< "hidden_units"; for an element its `name` or index: "age", "2"
    QString path;  ///< "estimator.dnn_classifier.hidden_units", "feature_column[age]"
    QString label; ///< from the schema: "Hidden units"
    QString help;  ///< one sentence
    QString unit;  ///< "rows"; empty: none
    /// The value for display: a string without quotes, a list of scalars as "128, 64", a number as
    /// written; empty for a message.
    QString text;
    QString type;            ///< "int64", "string", the message's or the enum's name
    QString group;           ///< the oneof: "kind"; empty: none
    bool isMessage = false;  ///< a message or a list of messages
    bool isRepeated = false; ///< the whole list; its elements are the children
    bool isDefault = false;  ///< not set in the file
    bool isExpert = false;   ///< shown only to those who ask for everything
    bool wantsDense = false; ///< the feature columns that it names must be dense numbers
    FieldNames names = FieldNames::Nothing;
    int line = 0;              ///< in the file, 1-based; 0: not set
    QList<FieldNode> children; ///< of a message, and the elements of a repeated field

    /// A child by its name; null if there is none.
    const FieldNode* child(const QString& childName) const;

    /// What names a file in here, each text for itself. Valid as long as this node.
    QList<const FieldNode*> namedFiles() const;

    bool operator==(const FieldNode&) const = default;
};

} // namespace cannery::ui
