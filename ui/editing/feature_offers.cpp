// SPDX-License-Identifier: GPL-3.0-only
#include "ui/editing/feature_offers.h"

#include "ui/document/field_node.h"
#include "ui/document/field_schema.h"
#include "ui/editing/field_values.h"
#include "ui/editing/offer_writer.h"
#include "ui/models/formats.h"
#include "ui/models/hash_collisions.h"

#include <algorithm>

namespace cannery::ui {

namespace {

/// With more different values than this, people no longer read a vocabulary.
constexpr qint64 kFewValues = 50;

bool areWordsKnown(const ColumnFacts& column)
{
    return !column.binLabels.isEmpty() && column.binLabels.size() >= column.distinct;
}

bool modelHasSide(const FieldNode& root, bool isDense)
{
    const QList<ColumnList> lists = columnLists(root);
    return std::any_of(lists.begin(), lists.end(),
                       [&](const ColumnList& list) { return list.isDense == isDense; });
}

NewColumn plainColumn(const QString& name, const QString& kind, bool wide, bool deep)
{
    return {.name = name,
            .text = QStringLiteral("{ name: %1 %2 }").arg(quoted(name), kind),
            .wide = wide,
            .deep = deep};
}

} // namespace

std::optional<NewColumn> crossOf(const OfferSource& source, const QStringList& inputs)
{
    if (inputs.size() < 2) {
        return std::nullopt;
    }
    // As double: a few columns of many values exceed any integer.
    double pairs = 1;
    QString keys;
    for (const QString& input : inputs) {
        keys += QStringLiteral("key { %1 } ").arg(crossInput(source, input));
        pairs *= double(std::max<qint64>(1, valueCount(source, input)));
    }
    const QString name = freeName(*source.root, inputs.join(QLatin1String("_x_")));
    return plainColumn(name,
                       QStringLiteral("crossed_column { %1hash_bucket_size: %2 }")
                           .arg(keys)
                           .arg(suggestedBuckets(pairs)),
                       true, false);
}

QList<FeatureOffer> featureOffers(const OfferSource& source)
{
    QList<FeatureOffer> offers;
    const auto schema = messageSchema(QStringLiteral("feature_column[0]"));
    for (const FieldSchema& kind : schema ? schema->members() : QList<FieldSchema>()) {
        FeatureOffer offer = offerOf(source, kind.name);
        offer.label = kind.label;
        offer.help = kind.help;
        offers.append(offer);
    }
    return offers;
}

QList<FeatureOffer> denseOffers(const OfferSource& source)
{
    QList<FeatureOffer> offers;
    const auto schema = messageSchema(QStringLiteral("feature_column[0]"));
    for (const FieldSchema& kind : schema ? schema->members() : QList<FieldSchema>()) {
        const auto member = messageSchema(QStringLiteral("feature_column[0].") + kind.name);
        const FieldSchema* inner = member ? member->field("categorical_column") : nullptr;
        if (!inner || !member->gives.dense || member->gives.ids) {
            continue;
        }
        // Of the selected feature column alone, not of the table's column.
        OfferSource only = source;
        only.rawColumn.clear();
        only.isRawLast = false;
        FeatureOffer offer = offerOf(only, kind.name);
        offer.label = kind.label;
        offer.help = kind.help;
        if (offer.hindrance.isEmpty()) {
            offers.append(offer);
        }
    }
    return offers;
}

QList<NewColumn> sensibleColumns(const OfferSource& source)
{
    const FieldNode& root = *source.root;
    const ColumnFacts* raw = source.data->find(source.rawColumn);
    if (!raw) {
        return {};
    }
    const bool hasWide = modelHasSide(root, false);
    const bool hasDeep = modelHasSide(root, true);
    const QString key = quoted(raw->name);
    if (raw->isNumber()) {
        const QString name = freeName(root, raw->name);
        // Numbers that are all equal cannot be normalized: their deviation is 0.
        const bool isFlat = raw->deviation && !(*raw->deviation > 0);
        QString fields = "key: " + key;
        if (raw->missing > 0 && raw->median) {
            // Without it, a missing number is an error.
            fields += " default_value: " + formatExact(*raw->median);
        }
        fields += isFlat ? QString() : QStringLiteral(" normalizer { z_score {} }");
        return {
            plainColumn(name, "numeric_column { " + fields + " }", hasWide && !hasDeep, hasDeep)};
    }
    const bool isFew = raw->distinct >= 0 && raw->distinct <= kFewValues && areWordsKnown(*raw);
    const auto count = double(raw->distinct > 0 ? raw->distinct : kUnknownCount);
    const QString name = freeName(root, raw->name);
    QList<NewColumn> columns;
    columns.append(
        isFew ? plainColumn(name,
                            QStringLiteral("categorical_column_with_vocabulary_list { key: %1 "
                                           "vocabulary_list: %2 }")
                                .arg(key, quotedList(raw->binLabels)),
                            hasWide, false)
              : plainColumn(name,
                            QStringLiteral("categorical_column_with_hash_bucket { key: %1 "
                                           "hash_bucket_size: %2 }")
                                .arg(key)
                                .arg(suggestedBuckets(count)),
                            hasWide, false));
    if (hasDeep) {
        const QString wrapped = freeName(root, name + (isFew ? "_indicator" : "_embedding"));
        columns.append(
            isFew ? plainColumn(wrapped,
                                QStringLiteral("indicator_column { categorical_column: %1 }")
                                    .arg(quoted(name)),
                                false, true)
                  : plainColumn(wrapped,
                                QStringLiteral("embedding_column { categorical_column: %1 "
                                               "dimension: %2 }")
                                    .arg(quoted(name))
                                    .arg(embeddingSize(count)),
                                false, true));
    }
    return columns;
}

QList<NewColumn> sensibleColumns(const OfferSource& source, FeatureSide side)
{
    QList<NewColumn> columns = sensibleColumns(source);
    if (side == FeatureSide::Wide) {
        // What makes the first one dense is for a network.
        columns = columns.mid(0, 1);
        for (NewColumn& column : columns) {
            column.wide = true;
            column.deep = false;
        }
    } else if (side == FeatureSide::Deep) {
        for (NewColumn& column : columns) {
            column.wide = false;
        }
    }
    return columns;
}

} // namespace cannery::ui
