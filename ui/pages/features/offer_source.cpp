// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/features/offer_source.h"

#include "ui/document/field_edit.h"
#include "ui/document/field_node.h"
#include "ui/pages/features/feature_facts.h"
#include "ui/pages/field_values.h"

namespace cannery::ui {

namespace {

ColumnGives givesOf(const FieldNode& column)
{
    const auto schema = messageSchema(kindNode(column).path);
    return schema ? schema->gives : ColumnGives();
}

} // namespace

const FieldNode* columnNamed(const FieldNode& root, const QString& name)
{
    for (const FieldNode& column : child(root, "feature_column").children) {
        if (valueOf(column, "name") == name) {
            return &column;
        }
    }
    return nullptr;
}

const FieldNode& kindNode(const FieldNode& column)
{
    return chosen(column, {QStringLiteral("name")});
}

bool givesIds(const FieldNode& column)
{
    return givesOf(column).ids;
}

bool givesDense(const FieldNode& column)
{
    return givesOf(column).dense;
}

bool givesNumbers(const FieldNode& column)
{
    return givesOf(column).numbers;
}

qint64 valueCount(const OfferSource& source, const QString& name)
{
    const FieldNode* column = columnNamed(*source.root, name);
    if (column && givesIds(*column)) {
        for (const FeatureFacts& facts :
             readFeatureColumns(child(*source.root, "feature_column")).columns) {
            if (facts.name == name) {
                return facts.width;
            }
        }
    }
    const ColumnFacts* facts = source.data->find(name);
    return facts ? facts->distinct : -1;
}

QStringList crossable(const OfferSource& source)
{
    QStringList names;
    for (const ColumnFacts& column : source.data->columns) {
        if (!column.isNumber() && column.use != QLatin1String("label")) {
            names.append(column.name);
        }
    }
    for (const FieldNode& column : child(*source.root, "feature_column").children) {
        const QString name = valueOf(column, "name");
        const auto kind = messageSchema(kindNode(column).path);
        // A number that is hashed or crossed has no categories of its own that could be crossed.
        const bool isHashed = kind && kind->field("hash_bucket_size");
        const bool isWeighted = kind && kind->field("weight_feature_key");
        if (kind && kind->gives.ids && !isHashed && !isWeighted && !names.contains(name)) {
            names.append(name);
        }
    }
    return names;
}

QString crossInput(const OfferSource& source, const QString& name)
{
    const FieldNode* column = columnNamed(*source.root, name);
    const ColumnFacts* raw = source.data->find(name);
    // Of a category, the column of the table: its words need no list.
    const bool isFeature = raw && !raw->isNumber();
    return (column && givesIds(*column) && !isFeature ? "column: " : "feature: ") + quoted(name);
}

} // namespace cannery::ui
