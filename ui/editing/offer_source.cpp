// SPDX-License-Identifier: GPL-3.0-only
#include "ui/editing/offer_source.h"

#include "ui/document/field_edit.h"
#include "ui/document/field_node.h"
#include "ui/editing/feature_facts.h"
#include "ui/editing/feature_offers.h"
#include "ui/editing/field_values.h"

#include <QRegularExpression>

#include <algorithm>
#include <utility>

namespace cannery::ui {

namespace {

ColumnGives givesOf(const FieldNode& column)
{
    const auto schema = messageSchema(kindNode(column).path);
    return schema ? schema->gives : ColumnGives();
}

QList<FeatureFacts> featureColumns(const OfferSource& source)
{
    return readFeatureColumns(child(*source.root, "feature_column")).columns;
}

/// The selected column of the table if it can be crossed, otherwise what is made of it and can.
QString crossableOfRaw(const OfferSource& source, const QStringList& names)
{
    if (names.contains(source.rawColumn)) {
        return source.rawColumn;
    }
    for (const FeatureFacts& facts : featureColumns(source)) {
        if (facts.sources == QStringList{source.rawColumn} && names.contains(facts.name)) {
            return facts.name;
        }
    }
    return {};
}

/// The selected feature column if it can be crossed, otherwise what it is made of.
QString crossableOfFeature(const OfferSource& source, const QStringList& names)
{
    if (names.contains(source.featureColumn)) {
        return source.featureColumn;
    }
    for (const FeatureFacts& facts : featureColumns(source)) {
        if (facts.name == source.featureColumn && facts.sources.size() == 1) {
            return facts.sources.first();
        }
    }
    return {};
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

bool hasSteps(const FieldNode& root, const FieldNode& column)
{
    if (givesOf(column).steps) {
        return true;
    }
    // An embedding of a sequence has steps, though its own kind has none.
    const QStringList inner = kindNode(column).namesOf({FieldNames::FeatureColumn});
    return std::any_of(inner.begin(), inner.end(), [&](const QString& name) {
        const FieldNode* made = columnNamed(root, name);
        return made && givesOf(*made).steps;
    });
}

QString vocabularyFileName(const QString& feature, const QString& what)
{
    static const QRegularExpression kUnsafe(QStringLiteral("[^\\w.-]"),
                                            QRegularExpression::UseUnicodePropertiesOption);
    QString stem = feature;
    return stem.replace(kUnsafe, QStringLiteral("_")) + what + QLatin1String(".txt");
}

const FieldNode* inputList(const FieldNode& column)
{
    const FieldNode& kind = kindNode(column);
    for (const FieldNode& field : kind.children) {
        const bool isInputs = field.isMessage && field.name == QLatin1String("key");
        if (field.isRepeated && (isInputs || field.names == FieldNames::FeatureColumn)) {
            return &field;
        }
    }
    return nullptr;
}

QStringList inputNames(const FieldNode& list)
{
    QStringList names;
    for (const FieldNode& input : list.children) {
        names.append(list.isMessage ? chosen(input).text : input.text);
    }
    return names;
}

qint64 valueCount(const OfferSource& source, const QString& name)
{
    const FieldNode* column = columnNamed(*source.root, name);
    if (column && givesIds(*column)) {
        for (const FeatureFacts& facts : featureColumns(source)) {
            if (facts.name == name) {
                // The size of a vocabulary that is in a file, as the engine has found it.
                const bool isFound = facts.width < 0 && source.widths;
                return isFound ? source.widths->value(name, -1) : facts.width;
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
        if (kind && kind->gives.ids && !kind->gives.steps && !isHashed && !isWeighted &&
            !names.contains(name)) {
            names.append(name);
        }
    }
    return names;
}

QStringList crossableInOrder(const OfferSource& source)
{
    QStringList names = crossable(source);
    QStringList selected{crossableOfRaw(source, names), crossableOfFeature(source, names)};
    if (source.isRawLast) {
        std::swap(selected[0], selected[1]);
    }
    // The last one moved is in front: the newer selection.
    for (const QString& name : std::as_const(selected)) {
        if (const qsizetype at = names.indexOf(name); at > 0) {
            names.move(at, 0);
        }
    }
    return names;
}

QString crossHindrance(const OfferSource& source)
{
    const QStringList names = crossable(source);
    const ColumnFacts* raw = source.isRawLast ? source.data->find(source.rawColumn) : nullptr;
    if (raw && crossableOfRaw(source, names).isEmpty()) {
        return FeatureOffer::tr("%1 is a number: add buckets of it, which can be crossed.")
            .arg(raw->name);
    }
    return names.size() < 2 ? FeatureOffer::tr("A cross needs two categorical columns: texts, or "
                                               "numbers in buckets.")
                            : QString();
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
