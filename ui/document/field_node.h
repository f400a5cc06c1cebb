// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QList>
#include <QString>
#include <QStringList>

#include <initializer_list>

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

/// What the schema says about a field, whether it is set or not. Texts are translated.
struct FieldDescription
{
    QString name;  ///< "hidden_units"; of an element its `name` or index: "age", "2"
    QString label; ///< "Hidden units"
    QString help;  ///< one sentence
    QString unit;  ///< "rows"; empty if there is none
    QString type;  ///< "int64", "string", the message's or the enum's name
    QString group; ///< the oneof: "kind"; empty if there is none
    bool isRepeated = false;
    bool isExpert = false;   ///< shown only to those who ask for everything
    bool wantsDense = false; ///< the feature columns that it names must be dense numbers
    FieldNames names = FieldNames::Nothing;

    bool operator==(const FieldDescription&) const = default;
};

/// One field of the experiment, independent of protobuf. A repeated field is the whole list; its
/// elements are the children.
struct FieldNode : FieldDescription
{
    QString path; ///< "estimator.dnn_classifier.hidden_units", "feature_column[age]"
    /// The value for display: a string without quotes, a list of scalars as "128, 64", a number as
    /// written; empty for a message.
    QString text;
    bool isMessage = false;    ///< a message or a list of messages
    bool isDefault = false;    ///< not set in the file
    int line = 0;              ///< in the file, 1-based; 0: not set
    QList<FieldNode> children; ///< of a message, and the elements of a repeated field

    /// A child by its name; null if there is none.
    const FieldNode* child(const QString& childName) const;

    /// What names a thing of these kinds in here, each text for itself. Valid as long as this node.
    QList<const FieldNode*> naming(std::initializer_list<FieldNames> kinds) const;
    /// The names themselves, without empty ones.
    QStringList namesOf(std::initializer_list<FieldNames> kinds) const;

    bool operator==(const FieldNode&) const = default;
};

} // namespace cannery::ui
