// SPDX-License-Identifier: GPL-3.0-only
#include "ui/editing/offer_writer.h"

#include "ui/document/field_node.h"
#include "ui/document/field_schema.h"
#include "ui/editing/feature_edits.h"
#include "ui/editing/field_values.h"
#include "ui/editing/normalizer_facts.h"
#include "ui/models/bucket_boundaries.h"
#include "ui/models/hash_collisions.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace cannery::ui {

namespace {

constexpr int kBuckets = 10;

bool isWholeNumbers(const ColumnFacts& column)
{
    // The table's type decides if it is known; the quantiles only suggest one.
    if (!column.isNumber() || !column.dtype.isEmpty()) {
        return column.isNumber() && column.dtype.startsWith(QLatin1String("int"));
    }
    return column.quantiles.size() == 101 &&
           std::all_of(column.quantiles.begin(), column.quantiles.end(),
                       [](double value) { return value == std::floor(value); });
}

/// Makes the text of a kind of column, field by field as the schema has them.
class OfferWriter
{
public:
    OfferWriter(const OfferSource& source, const QString& kind)
        : m_source(source), m_kind(kind),
          m_schema(messageSchema(QStringLiteral("feature_column[0].") + kind))
    {}

    FeatureOffer offer()
    {
        FeatureOffer offer;
        offer.kind = m_kind;
        QString name;
        // The schema decides which fields are needed, so a new kind is offered without code here.
        const QString fields = write(*m_schema, name, offer.hindrance);
        if (offer.hindrance.isEmpty()) {
            name = freeName(*m_source.root, name);
            const bool isDense = m_schema->gives.dense && !m_schema->gives.ids;
            offer.columns = m_needed;
            offer.columns.append(
                {.name = name,
                 .text = QStringLiteral("{ name: %1 %2 {%3 } }").arg(quoted(name), m_kind, fields),
                 .wide = !isDense,
                 .deep = isDense,
                 .hasSteps = m_hasSteps});
        }
        return offer;
    }

private:
    /// The fields that a column of this kind needs; `name` is what it is best called.
    QString write(const MessageSchema& schema, QString& name, QString& hindrance)
    {
        QString text;
        for (const FieldSchema& field : schema.fields) {
            if (!hindrance.isEmpty()) {
                break;
            }
            const QString value =
                field.kind == FieldSchema::Kind::Message   ? inputs(field, name, hindrance)
                : field.names == FieldNames::Feature       ? rawColumn(field, name, hindrance)
                : field.names == FieldNames::FeatureColumn ? featureColumn(field, name, hindrance)
                                                           : ownValue(field);
            if (!value.isEmpty()) {
                text += ' ' + field.name + ": " + value;
            }
        }
        return text;
    }

    QString rawColumn(const FieldSchema& field, QString& name, QString& hindrance)
    {
        if (!field.isRequired) {
            return {};
        }
        const ColumnFacts* facts = m_source.data->find(m_source.rawColumn);
        if (!facts) {
            hindrance = FeatureOffer::tr("Select a column of the table first.");
            return {};
        }
        const ColumnGives& gives = m_schema->gives;
        if (gives.steps) {
            return listOf(*facts, name, hindrance);
        }
        if (gives.numbers && !facts->isNumber()) {
            hindrance = FeatureOffer::tr("%1 is text, not a number.").arg(facts->name);
        } else if (gives.ids && !gives.numbers && facts->isNumber() && !isWholeNumbers(*facts) &&
                   name.isEmpty()) {
            hindrance = FeatureOffer::tr(
                            "%1 has fractions; only texts and whole numbers can be categories.")
                            .arg(facts->name);
        } else if (m_schema->field("num_buckets") && !facts->isNumber()) {
            hindrance = FeatureOffer::tr("%1 is text; ids are whole numbers.").arg(facts->name);
        } else if (m_schema->field("num_buckets") && facts->minimum.value_or(0) < 0) {
            hindrance =
                FeatureOffer::tr("%1 has negative numbers; ids begin at 0.").arg(facts->name);
        } else if (!name.isEmpty() && !facts->isNumber()) {
            hindrance = FeatureOffer::tr("%1 is text; weights are numbers.").arg(facts->name);
        }
        // The first raw feature names the column; another one is its weight.
        if (name.isEmpty()) {
            name = facts->name;
            m_raw = facts;
        }
        return quoted(facts->name);
    }

    /// The feature that cuts the cells of a column into a list.
    QString listOf(const ColumnFacts& facts, QString& name, QString& hindrance)
    {
        const QList<ColumnList> lists = columnLists(*m_source.root);
        if (std::none_of(lists.begin(), lists.end(),
                         [](const ColumnList& list) { return list.isSteps; })) {
            hindrance = FeatureOffer::tr("Only recurrent networks read sequences.");
            return {};
        }
        for (const FieldNode& feature : child(child(*m_source.root, "data"), "feature").children) {
            const FieldNode& split = child(feature, "split");
            if (valueOf(split, "column") == facts.name) {
                name = valueOf(feature, "name");
                m_list = name;
                m_hasSteps = true;
                m_pieceType = valueOf(split, "dtype");
                hindrance = listHindrance(facts, name, valueOf(split, "separator"));
                return quoted(name);
            }
        }
        hindrance = FeatureOffer::tr("%1 has one value per row; split its cells into a list first.")
                        .arg(facts.name);
        return {};
    }

    /// Why the kind cannot read a list; empty if it can.
    QString listHindrance(const ColumnFacts& facts, const QString& name, const QString& separator)
    {
        const bool isWhole = m_pieceType.startsWith(QLatin1String("int"));
        const bool isText = m_pieceType.isEmpty() || m_pieceType == QLatin1String("string");
        if (isText && (!m_schema->gives.ids || m_schema->field("num_buckets"))) {
            return FeatureOffer::tr("%1 is a list of texts, not of numbers.").arg(name);
        }
        if (m_schema->gives.ids && !isText && !isWhole) {
            return FeatureOffer::tr("%1 is a list of numbers with fractions; only texts and whole "
                                    "numbers can be categories.")
                .arg(name);
        }
        for (const QString& cell : facts.binLabels) {
            for (const QString& piece : cell.split(separator, Qt::SkipEmptyParts)) {
                if (!m_pieces.contains(piece)) {
                    m_pieces << piece;
                }
            }
        }
        const bool areKnown = !m_pieces.isEmpty() && facts.binLabels.size() >= facts.distinct;
        return m_schema->field("vocabulary_list") && !areKnown
                   ? FeatureOffer::tr("Not all values of %1 are known; use a hash bucket.")
                         .arg(name)
                   : QString();
    }

    QString featureColumn(const FieldSchema& field, QString& name, QString& hindrance)
    {
        const bool isWrap = m_schema->gives.dense && !m_schema->gives.ids;
        const auto fits = [&](const FieldNode& column) {
            // Sequences can be wrapped for a network, nothing else.
            if (!isWrap && hasSteps(*m_source.root, column)) {
                return false;
            }
            return field.wantsNumbers ? givesNumbers(column)
                   : field.wantsDense ? givesDense(column)
                                      : givesIds(column) && !givesDense(column);
        };
        const auto isOfRaw = [&](const FieldNode& column) {
            return !m_source.rawColumn.isEmpty() &&
                   valueOf(kindNode(column), "key") == m_source.rawColumn;
        };
        const ColumnFacts* raw = rawAlone(field);
        QStringList found;
        const FieldNode* selected = columnNamed(*m_source.root, m_source.featureColumn);
        if (selected && fits(*selected) && (!raw || isOfRaw(*selected))) {
            found.append(m_source.featureColumn);
        }
        for (const FieldNode& column : child(*m_source.root, "feature_column").children) {
            const QString other = valueOf(column, "name");
            // Columns that share a table have as many ids.
            const bool isAlike =
                field.isRepeated && (found.isEmpty() || valueCount(m_source, other) ==
                                                            valueCount(m_source, found.first()));
            if (fits(column) && !found.contains(other) && (isOfRaw(column) || isAlike)) {
                found.append(other);
            }
        }
        if (raw && found.isEmpty()) {
            return columnOf(*raw, field, name, hindrance);
        }
        const int least = field.isRepeated ? std::max(field.minCount, 1) : 1;
        if (found.size() < least) {
            hindrance =
                field.wantsNumbers ? FeatureOffer::tr("Select a numeric feature column first.")
                : least > 1 ? FeatureOffer::tr("This needs %1 categorical columns.").arg(least)
                            : FeatureOffer::tr("Select a categorical feature column first.");
            return {};
        }
        name = found.first() + suffix();
        m_inner = found.first();
        const FieldNode* inner = columnNamed(*m_source.root, m_inner);
        m_hasSteps = inner && hasSteps(*m_source.root, *inner);
        return field.isRepeated ? quotedList(found.mid(0, least)) : quoted(found.first());
    }

    /// The column of the table that a single feature column shall be one of; null for any.
    const ColumnFacts* rawAlone(const FieldSchema& field) const
    {
        // Weights are a column of the table beside the feature column.
        return m_source.isRawLast && !field.isRepeated && !m_schema->field("weight_feature_key")
                   ? m_source.data->find(m_source.rawColumn)
                   : nullptr;
    }

    /// A column of the table that has no fitting feature column: a number gets one.
    QString columnOf(const ColumnFacts& raw, const FieldSchema& field, QString& name,
                     QString& hindrance)
    {
        if (!field.wantsNumbers) {
            hindrance = FeatureOffer::tr("%1 has no categorical feature column yet; add one first.")
                            .arg(raw.name);
            return {};
        }
        const FeatureOffer number = offerOf(m_source, QStringLiteral("numeric_column"));
        hindrance = number.hindrance;
        if (!hindrance.isEmpty()) {
            return {};
        }
        m_needed = number.columns;
        // Only what is made of it is used.
        m_needed.first().wide = m_needed.first().deep = false;
        m_raw = &raw;
        name = m_needed.first().name + suffix();
        return quoted(m_needed.first().name);
    }

    QString suffix() const
    {
        QString word = m_kind;
        word.remove(QLatin1String("_column"));
        return '_' + (word == QLatin1String("bucketized") ? QStringLiteral("buckets") : word);
    }

    QString inputs(const FieldSchema& field, QString& name, QString& hindrance)
    {
        if (!field.isRepeated || field.minCount < 1) {
            return {};
        }
        hindrance = crossHindrance(m_source);
        const QStringList names = crossableInOrder(m_source).mid(0, field.minCount);
        if (hindrance.isEmpty() && names.size() < field.minCount) {
            hindrance = FeatureOffer::tr("This needs %1 categorical columns.").arg(field.minCount);
        }
        if (!hindrance.isEmpty()) {
            return {};
        }
        name = names.join(QLatin1String("_x_"));
        QStringList blocks;
        m_pairs = 1;
        for (const QString& input : names) {
            blocks.append("{ " + crossInput(m_source, input) + " }");
            // As double: the product of a few large columns is beyond qint64.
            m_pairs *= double(std::max<qint64>(1, valueCount(m_source, input)));
        }
        return '[' + blocks.join(QLatin1String(", ")) + ']';
    }

    QString ownValue(const FieldSchema& field) const
    {
        const bool isIds = m_schema->gives.ids;
        const qint64 known = m_raw               ? m_raw->distinct
                             : m_inner.isEmpty() ? -1
                                                 : valueCount(m_source, m_inner);
        const double count = m_pairs > 0 ? m_pairs : double(known > 0 ? known : kUnknownCount);
        const bool isWhole =
            m_raw ? m_raw->isNumber() : m_pieceType.startsWith(QLatin1String("int"));
        if (field.name == QLatin1String("dtype") && isIds && isWhole) {
            return QStringLiteral("int64");
        }
        if (field.isRepeated && field.minCount > 0) {
            return field.kind == FieldSchema::Kind::Number ? boundaries() : words();
        }
        if (!field.isRequired) {
            return {};
        }
        if (!m_list.isEmpty() && !field.suggested.isEmpty()) {
            return field.suggested;
        }
        if (field.names == FieldNames::File) {
            return quoted(vocabularyFileName(m_raw              ? m_raw->name
                                             : m_list.isEmpty() ? m_inner
                                                                : m_list));
        }
        if (field.name == QLatin1String("dimension")) {
            return QString::number(embeddingSize(count));
        }
        if (field.name == QLatin1String("num_buckets")) {
            const double most = m_raw ? m_raw->maximum.value_or(0) : 0;
            return QString::number(qint64(most) + 1);
        }
        return QString::number(suggestedBuckets(count));
    }

    QString words() const
    {
        QStringList words = m_raw ? m_raw->binLabels : m_pieces;
        for (const ValueRows& value :
             m_raw&& words.isEmpty() ? m_raw->values : QList<ValueRows>()) {
            words.append(value.value);
        }
        if (words.isEmpty() && m_raw && isWholeNumbers(*m_raw)) {
            for (const double value : m_raw->quantiles) {
                const QString word = QString::number(qint64(value));
                if (words.isEmpty() || words.last() != word) {
                    words.append(word);
                }
            }
        }
        return quotedList(words);
    }

    QString boundaries() const
    {
        const NumberDistribution numbers = m_needed.isEmpty() ? normalizedNumbers(m_source, m_inner)
                                                              : NumberDistribution::of(*m_raw);
        QList<double> cuts = quantileBoundaries(numbers, kBuckets);
        return boundariesField(cuts.isEmpty() ? QList<double>{0} : cuts);
    }

    const OfferSource& m_source;
    QString m_kind;
    std::optional<MessageSchema> m_schema;
    const ColumnFacts* m_raw = nullptr;
    QString m_inner;
    bool m_hasSteps = false;
    QString m_list;            ///< the feature that a sequence reads
    QString m_pieceType;       ///< of its elements
    QStringList m_pieces;      ///< the values of a list that are known
    QList<NewColumn> m_needed; ///< made with it, before it
    double m_pairs = 0;
};

} // namespace

FeatureOffer offerOf(const OfferSource& source, const QString& kind)
{
    return OfferWriter(source, kind).offer();
}

} // namespace cannery::ui
