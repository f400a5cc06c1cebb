// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/feature_offers.h"

#include "ui/document/field_node.h"
#include "ui/document/field_schema.h"
#include "ui/models/hash_collisions.h"
#include "ui/pages/field_values.h"

#include <algorithm>
#include <cmath>

namespace cannery::ui {

namespace {

/// With more different values than this, a vocabulary is no longer read by people.
constexpr qint64 kFewValues = 50;
constexpr int kBuckets = 10;
constexpr qint64 kUnknownCount = 1000;

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

ColumnGives givesOf(const FieldNode& column)
{
    const auto schema = messageSchema(kindNode(column).path);
    return schema ? schema->gives : ColumnGives();
}

bool isWholeNumbers(const ColumnFacts& column)
{
    return column.isNumber() && column.quantiles.size() == 101 &&
           std::all_of(column.quantiles.begin(), column.quantiles.end(),
                       [](double value) { return value == std::floor(value); });
}

bool areWordsKnown(const ColumnFacts& column)
{
    return !column.binLabels.isEmpty() && column.binLabels.size() >= column.distinct;
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
        const QString fields = write(*m_schema, name, offer.hindrance);
        if (offer.hindrance.isEmpty()) {
            name = freeName(*m_source.root, name);
            offer.columns = {
                {.name = name,
                 .text =
                     QStringLiteral("{ name: %1 %2 {%3 } }").arg(quoted(name), m_kind, fields)}};
            const bool isDense = m_schema->gives.dense && !m_schema->gives.ids;
            offer.columns.first().wide = !isDense;
            offer.columns.first().deep = isDense;
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
        if (gives.numbers && !facts->isNumber()) {
            hindrance = FeatureOffer::tr("%1 is text, not a number.").arg(facts->name);
        } else if (gives.ids && !gives.numbers && facts->isNumber() && !isWholeNumbers(*facts) &&
                   name.isEmpty()) {
            hindrance =
                FeatureOffer::tr("%1 has fractions; only texts and whole numbers are categories.")
                    .arg(facts->name);
        } else if (m_schema->field("num_buckets") && !facts->isNumber()) {
            hindrance = FeatureOffer::tr("%1 is text; ids are whole numbers.").arg(facts->name);
        } else if (m_schema->field("num_buckets") && facts->minimum.value_or(0) < 0) {
            hindrance =
                FeatureOffer::tr("%1 has negative numbers; ids begin at 0.").arg(facts->name);
        } else if (!name.isEmpty() && !facts->isNumber()) {
            hindrance = FeatureOffer::tr("%1 is text; weights are numbers.").arg(facts->name);
        }
        if (name.isEmpty()) {
            name = facts->name;
            m_raw = facts;
        }
        return quoted(facts->name);
    }

    QString featureColumn(const FieldSchema& field, QString& name, QString& hindrance)
    {
        const auto fits = [&](const FieldNode& column) {
            return field.wantsNumbers ? givesNumbers(column)
                   : field.wantsDense ? givesDense(column)
                                      : givesIds(column) && !givesDense(column);
        };
        QStringList found;
        const FieldNode* selected = columnNamed(*m_source.root, m_source.featureColumn);
        if (selected && fits(*selected)) {
            found.append(m_source.featureColumn);
        }
        for (const FieldNode& column : child(*m_source.root, "feature_column").children) {
            const QString other = valueOf(column, "name");
            const QString key = valueOf(kindNode(column), "key");
            const bool isOfRaw = !m_source.rawColumn.isEmpty() && key == m_source.rawColumn;
            // Columns that share a table have as many ids.
            const bool isAlike =
                field.isRepeated && (found.isEmpty() || valueCount(m_source, other) ==
                                                            valueCount(m_source, found.first()));
            if (fits(column) && !found.contains(other) && (isOfRaw || isAlike)) {
                found.append(other);
            }
        }
        const int least = field.isRepeated ? std::max(field.minCount, 1) : 1;
        if (found.size() < least) {
            hindrance =
                field.wantsNumbers ? FeatureOffer::tr("Select a numeric feature column first.")
                : least > 1 ? FeatureOffer::tr("This needs %1 columns of categories.").arg(least)
                            : FeatureOffer::tr("Select a feature column of categories first.");
            return {};
        }
        name = found.first() + suffix();
        m_inner = found.first();
        return field.isRepeated ? quotedList(found.mid(0, least)) : quoted(found.first());
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
        QStringList names = crossable(m_source);
        for (const QString& first : {m_source.featureColumn, m_source.rawColumn}) {
            if (const qsizetype at = names.indexOf(first); at > 0) {
                names.move(at, 0);
            }
        }
        names = names.mid(0, field.minCount);
        if (names.size() < field.minCount) {
            hindrance =
                FeatureOffer::tr("This needs %1 columns of categories.").arg(field.minCount);
            return {};
        }
        name = names.join(QLatin1String("_x_"));
        QStringList blocks;
        m_pairs = 1;
        for (const QString& input : std::as_const(names)) {
            blocks.append("{ " + crossInput(m_source, input) + " }");
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
        if (field.name == QLatin1String("dtype") && isIds && m_raw && m_raw->isNumber()) {
            return QStringLiteral("int64");
        }
        if (field.isRepeated && field.minCount > 0) {
            return field.kind == FieldSchema::Kind::Number ? boundaries() : words();
        }
        if (!field.isRequired) {
            return {};
        }
        if (field.names == FieldNames::File) {
            return QStringLiteral("\"\"");
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
        QStringList words = m_raw ? m_raw->binLabels : QStringList();
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
        const NumberDistribution numbers = normalizedNumbers(m_source, m_inner);
        QList<double> cuts = quantileBoundaries(numbers, kBuckets);
        return boundariesField(cuts.isEmpty() ? QList<double>{0} : cuts);
    }

    const OfferSource& m_source;
    QString m_kind;
    std::optional<MessageSchema> m_schema;
    const ColumnFacts* m_raw = nullptr;
    QString m_inner;
    double m_pairs = 0;
};

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

std::optional<NewColumn> crossOf(const OfferSource& source, const QStringList& inputs)
{
    if (inputs.size() < 2) {
        return std::nullopt;
    }
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
        FeatureOffer offer = OfferWriter(source, kind.name).offer();
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
        OfferSource only = source;
        only.rawColumn.clear();
        FeatureOffer offer = OfferWriter(only, kind.name).offer();
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
        const bool isFlat = raw->deviation && !(*raw->deviation > 0);
        QString fields = "key: " + key;
        if (raw->missing > 0 && raw->median) {
            // Without it, a missing number is an error.
            fields += " default_value: " + boundariesText({*raw->median});
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

NumberDistribution normalizedNumbers(const OfferSource& source, const QString& numericColumn)
{
    const FieldNode* column = columnNamed(*source.root, numericColumn);
    const ColumnFacts* facts =
        column ? source.data->find(valueOf(kindNode(*column), "key")) : nullptr;
    if (!facts || !facts->isNumber()) {
        return {};
    }
    const NumberDistribution raw = NumberDistribution::of(*facts);
    const FieldNode& kind = chosen(child(kindNode(*column), "normalizer"));
    const auto value = [&](const char* field, std::optional<double> otherwise) {
        const QString text = valueOf(kind, field);
        return text.isEmpty() ? otherwise.value_or(std::nan("")) : text.toDouble();
    };
    double subtract = value("subtract", 0);
    double divide = value("divide", 1);
    if (kind.name.isEmpty()) {
        return raw;
    }
    if (kind.name == QLatin1String("z_score")) {
        subtract = value("mean", facts->mean);
        divide = value("stddev", facts->deviation);
    } else if (kind.name == QLatin1String("min_max")) {
        subtract = value("min", facts->minimum);
        divide = value("max", facts->maximum) - subtract;
    }
    const bool isLog = kind.name == QLatin1String("log");
    const double offset = isLog ? value("offset", 1) : 0;
    return raw.mapped(
        [=](double x) { return ((isLog ? std::log(x + offset) : x) - subtract) / divide; });
}

} // namespace cannery::ui
