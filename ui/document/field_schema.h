// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/field_node.h"

#include <QList>
#include <QString>
#include <QStringList>

#include <optional>

namespace cannery::ui {

/// All that the schema says about one field; the source of forms.
struct FieldSchema : FieldDescription
{
    enum class Kind
    {
        Message,
        Text,
        Integer,
        Number,
        YesNo,
        Choice, ///< one of `choices`
    };

    QString defaultText; ///< empty if there is none
    QString suggested;   ///< a value to begin with where there is no default, in text format
    Kind kind = Kind::Text;
    bool isRequired = false;
    bool wantsNumbers = false; ///< the feature columns that it names must be numbers of one feature
    bool wantsSequences = false; ///< they must have a value for each step of a sequence
    int minCount = 0;            ///< of a list
    std::optional<double> min;
    std::optional<double> max;
    bool exclusive = false; ///< the bounds themselves are excluded
    QStringList choices;

    /// "Default 0.001. Above 0, up to 10."; empty if the schema says neither.
    QString rangeSentence() const;
};

/// What a kind of feature column gives to a model or to another column.
struct ColumnGives
{
    bool numbers = false; ///< of one raw feature: they may be cut into buckets, or weigh rows
    bool dense = false;   ///< as a network reads them
    bool ids = false;     ///< of categories, as a linear model, an embedding or a cross reads them
    bool steps = false;   ///< of these one for each step, as a recurrent network reads them
};

/// How many other layers a layer reads.
enum class LayerReads
{
    One,
    Several,
    None,
};

struct MessageSchema
{
    QString name; ///< "DNNClassifier"
    QString label;
    QString help;
    bool isKindOptional = false; ///< valid without any member of its oneof
    ColumnGives gives;           ///< of a kind of feature column
    LayerReads reads = LayerReads::One;
    QString family;            ///< the heading that a menu lists it under; empty: none
    QList<FieldSchema> fields; ///< in the schema's order

    const FieldSchema* field(const QString& fieldName) const;
    /// The fields that belong to a oneof; empty if there is none.
    QList<FieldSchema> members() const;
};

/// The field at a path ("estimator.dnn_classifier.dropout"); elements need not exist. Empty if the
/// schema has none there. Reads only descriptors; any thread.
std::optional<FieldSchema> fieldSchema(const QString& path);
/// The message at a path; "" is the experiment. Empty if there is no message.
std::optional<MessageSchema> messageSchema(const QString& path);

} // namespace cannery::ui
