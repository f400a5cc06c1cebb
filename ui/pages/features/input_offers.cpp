// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/features/input_offers.h"

#include "ui/document/field_node.h"
#include "ui/editing/feature_facts.h"
#include "ui/editing/feature_offers.h"
#include "ui/editing/field_values.h"
#include "ui/models/formats.h"

#include <QHash>

#include <algorithm>
#include <utility>

namespace cannery::ui {

namespace {

const FieldNode& columnsOf(const OfferSource& source)
{
    return child(*source.root, "feature_column");
}

/// Of a column with weights, the one that has them: it decides what it may share a table with.
const FieldNode& weighed(const OfferSource& source, const FieldNode& column)
{
    const FieldNode* at = &column;
    // A damaged experiment may lead in a circle.
    for (int depth = 0; depth < 8 && !child(kindNode(*at), "weight_feature_key").name.isEmpty();
         ++depth) {
        const FieldNode* inner =
            columnNamed(*source.root, valueOf(kindNode(*at), "categorical_column"));
        if (!inner) {
            break;
        }
        at = inner;
    }
    return *at;
}

QString uncrossable(const FieldNode& column)
{
    const QString name = valueOf(column, "name");
    const FieldNode& kind = kindNode(column);
    if (const QString inner = valueOf(kind, "categorical_column"); !inner.isEmpty()) {
        return child(kind, "weight_feature_key").name.isEmpty()
                   ? FeatureOffer::tr("%1 is dense: cross %2, which it is made of.")
                         .arg(name, inner)
                   : FeatureOffer::tr("A cross has no weights: cross %1 instead of %2.")
                         .arg(inner, name);
    }
    if (givesNumbers(column)) {
        return FeatureOffer::tr("%1 is a number: add buckets of it, which can be crossed.")
            .arg(name);
    }
    if (const QString key = valueOf(kind, "key"); !key.isEmpty()) {
        return FeatureOffer::tr("%1 is hashed already: cross the column %2 of the table.")
            .arg(name, key);
    }
    return inputList(column) && givesIds(column)
               ? FeatureOffer::tr("%1 is a cross itself: add its inputs.").arg(name)
               : FeatureOffer::tr("%1 has no categories that could be crossed.").arg(name);
}

/// Why a column cannot share a table with another one; empty if it can. `counts`: of ids.
QString unlike(const OfferSource& source, const QHash<QString, qint64>& counts,
               const FieldNode& column, const FieldNode* other)
{
    const QString name = valueOf(column, "name");
    if (!givesIds(column)) {
        return FeatureOffer::tr("%1 has no categories.").arg(name);
    }
    if (!other) {
        return {};
    }
    const QString otherName = valueOf(*other, "name");
    const FieldNode& kind = kindNode(weighed(source, column));
    const FieldNode& otherKind = kindNode(weighed(source, *other));
    if (kind.name != otherKind.name) {
        return FeatureOffer::tr("%1 is of the kind “%2”, %3 of the kind “%4”.")
            .arg(name, labelOf(kind), otherName, labelOf(otherKind));
    }
    const qint64 count = counts.value(name, -1);
    const qint64 otherCount = counts.value(otherName, -1);
    // The number of ids is unknown until the table has been read: then nothing is ruled out.
    if (count >= 0 && otherCount >= 0 && count != otherCount) {
        return FeatureOffer::tr("%1 has %2 ids, but %3 has %4.")
            .arg(name, formatCount(count), otherName, formatCount(otherCount));
    }
    return {};
}

QHash<QString, qint64> idCounts(const OfferSource& source)
{
    QHash<QString, qint64> counts;
    for (const FeatureFacts& facts : readFeatureColumns(columnsOf(source)).columns) {
        counts.insert(facts.name, facts.width >= 0 || !source.widths
                                      ? facts.width
                                      : source.widths->value(facts.name, -1));
    }
    return counts;
}

QList<NameOffer> sorted(QList<NameOffer> offers)
{
    // What can be used first; the rest stays visible with its reason.
    std::stable_partition(offers.begin(), offers.end(),
                          [](const NameOffer& offer) { return offer.hindrance.isEmpty(); });
    return offers;
}

} // namespace

QList<NameOffer> crossInputOffers(const OfferSource& source, const QString& cross)
{
    QStringList names = crossable(source);
    names.removeAll(cross);
    QList<NameOffer> offers;
    for (const QString& name : std::as_const(names)) {
        offers.append({name, {}});
    }
    for (const FieldNode& column : columnsOf(source).children) {
        const QString name = valueOf(column, "name");
        if (name != cross && !names.contains(name)) {
            names.append(name);
            offers.append({name, uncrossable(column)});
        }
    }
    for (const ColumnFacts& raw : source.data->columns) {
        if (!names.contains(raw.name) && raw.use != QLatin1String("label")) {
            offers.append({raw.name, FeatureOffer::tr(
                                         "%1 is a number: add buckets of it, which can be crossed.")
                                         .arg(raw.name)});
        }
    }
    return offers;
}

QList<NameOffer> memberOffers(const OfferSource& source, const QString& group)
{
    const FieldNode* node = columnNamed(*source.root, group);
    const FieldNode* list = node ? inputList(*node) : nullptr;
    const QStringList members = list ? inputNames(*list) : QStringList();
    // The first member decides what the others must be like.
    const FieldNode* first = columnNamed(*source.root, members.value(0));
    const QHash<QString, qint64> counts = idCounts(source);
    QList<NameOffer> offers;
    for (const FieldNode& column : columnsOf(source).children) {
        const QString name = valueOf(column, "name");
        if (name != group) {
            offers.append({name, unlike(source, counts, column, first)});
        }
    }
    return sorted(offers);
}

} // namespace cannery::ui
