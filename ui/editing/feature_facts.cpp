// SPDX-License-Identifier: GPL-3.0-only
#include "ui/editing/feature_facts.h"

#include "ui/document/field_node.h"
#include "ui/editing/field_values.h"
#include "ui/models/formats.h"

#include <QCoreApplication>
#include <QHash>

#include <utility>

namespace cannery::ui {

namespace {

/// Resolves one feature column after another; sources first.
class FeatureReader
{
    Q_DECLARE_TR_FUNCTIONS(FeatureReader)

public:
    explicit FeatureReader(const FieldNode& columns)
    {
        // All names first: a column may refer to one further down.
        for (const FieldNode& column : columns.children) {
            m_nodes.insert(valueOf(column, "name"), &column);
        }
        for (const FieldNode& column : columns.children) {
            m_facts.append(read(column, 0));
        }
    }

    FeatureColumns take() { return {std::move(m_facts), std::move(m_referenced)}; }

private:
    FeatureFacts source(const QString& name, int depth)
    {
        m_referenced.insert(name);
        const FieldNode* node = m_nodes.value(name);
        // A file under edit may have columns that refer to each other in a circle.
        return node && depth < 8 ? read(*node, depth + 1) : FeatureFacts{.name = name};
    }

    FeatureFacts read(const FieldNode& column, int depth)
    {
        const FieldNode& kind = chosen(column, {QStringLiteral("name")});
        FeatureFacts facts;
        facts.name = valueOf(column, "name");
        facts.kind = kind.name;
        facts.kindLabel = kind.label;
        facts.help = kind.help;
        facts.path = column.path;
        readKind(kind, facts, depth);
        return facts;
    }

    /// Most kinds have words of their own here; another one is described as the schema describes
    /// it.
    void readKind(const FieldNode& kind, FeatureFacts& facts, int depth)
    {
        if (const QString key = valueOf(kind, "key"); !key.isEmpty()) {
            facts.sources.append(key);
        }
        if (kind.name.startsWith(QLatin1String("sequence_"))) {
            readSequence(kind, facts);
        } else if (kind.name == QLatin1String("numeric_column")) {
            readNumeric(kind, facts);
        } else if (kind.name == QLatin1String("bucketized_column")) {
            readBuckets(kind, facts, depth);
        } else if (kind.name == QLatin1String("crossed_column")) {
            readCross(kind, facts, depth);
        } else if (kind.name.startsWith(QLatin1String("categorical_column"))) {
            readCategorical(kind, facts);
        } else if (kind.name == QLatin1String("shared_embeddings")) {
            readShared(kind, facts, depth);
        } else if (!child(kind, "categorical_column").name.isEmpty()) {
            readWrapper(kind, facts, depth);
        } else {
            facts.sources.clear();
            facts.steps.append({labelOf(kind), readOther(kind, facts, depth).join(' ')});
        }
    }

    /// What the kind of the same name without "sequence_" does, at each step.
    static void readSequence(const FieldNode& kind, FeatureFacts& facts)
    {
        if (kind.name.endsWith(QLatin1String("numeric_column"))) {
            readNumeric(kind, facts);
        } else {
            readCategorical(kind, facts);
        }
        facts.steps.prepend({tr("each step"), {}});
    }

    /// Where a kind that has no words here comes from; its other values that the file sets.
    QStringList readOther(const FieldNode& message, FeatureFacts& facts, int depth)
    {
        QStringList values;
        for (const FieldNode& field : message.children) {
            if (field.isMessage) {
                values += readOther(field, facts, depth);
            } else if (field.names == FieldNames::Feature) {
                facts.sources += valuesOf(field);
            } else if (field.names == FieldNames::FeatureColumn) {
                for (const QString& name : valuesOf(field)) {
                    facts.sources += source(name, depth).sources;
                }
            } else if (!field.isDefault) {
                values.append(field.text);
            }
        }
        return values;
    }

    static void readNumeric(const FieldNode& kind, FeatureFacts& facts)
    {
        facts.width = 1;
        for (const QString& dimension : valuesOf(child(kind, "shape"))) {
            facts.width *= dimension.toLongLong();
        }
        const QString normalizer = chosen(child(kind, "normalizer")).name;
        if (normalizer.isEmpty()) {
            facts.steps.append({tr("number"), {}});
        } else if (normalizer == QLatin1String("log")) {
            facts.steps.append({tr("log"), {}});
        } else {
            facts.steps.append(
                {tr("normalise"), normalizer == QLatin1String("z_score")   ? tr("z-score")
                                  : normalizer == QLatin1String("min_max") ? tr("min–max")
                                                                           : tr("by hand")});
        }
        if (facts.width > 1) {
            facts.steps.last().detail = tr("%1 numbers").arg(formatCount(facts.width));
        }
    }

    void readBuckets(const FieldNode& kind, FeatureFacts& facts, int depth)
    {
        const FeatureFacts numbers = source(valueOf(kind, "source_column"), depth);
        const QStringList boundaries = valuesOf(child(kind, "boundaries"));
        facts.sources = numbers.sources;
        // "number" adds nothing before "buckets"; a normalizer does.
        if (!numbers.steps.isEmpty() && numbers.steps.first().word != tr("number")) {
            facts.steps = numbers.steps;
        }
        facts.steps.append({tr("buckets"), boundaries.join(' ')});
        facts.width = boundaries.size() + 1;
    }

    void readCross(const FieldNode& kind, FeatureFacts& facts, int depth)
    {
        facts.isCross = true;
        for (const FieldNode& key : child(kind, "key").children) {
            const FieldNode& input = chosen(key);
            const QString name = input.text;
            if (input.name == QLatin1String("column")) {
                const FeatureFacts column = source(name, depth);
                const QString last = column.steps.isEmpty() ? QString() : column.steps.last().word;
                facts.sources.append(column.sources.value(0, name) + ' ' + last);
            } else {
                facts.sources.append(name);
            }
        }
        facts.width = valueOf(kind, "hash_bucket_size").toLongLong();
        facts.steps.append({tr("hash"), formatCount(facts.width)});
    }

    static void readCategorical(const FieldNode& kind, FeatureFacts& facts)
    {
        const qint64 others = valueOf(kind, "num_oov_buckets").toLongLong();
        if (kind.name.endsWith(QLatin1String("vocabulary_list"))) {
            const QStringList words = valuesOf(child(kind, "vocabulary_list"));
            facts.width = words.size() + others;
            facts.steps.append({tr("vocabulary"), words.join(QLatin1String(", "))});
        } else if (kind.name.endsWith(QLatin1String("vocabulary_file"))) {
            const qint64 size = valueOf(kind, "vocabulary_size").toLongLong();
            facts.width = size > 0 ? size + others : -1;
            facts.steps.append({tr("vocabulary"), valueOf(kind, "vocabulary_file")});
        } else if (kind.name.endsWith(QLatin1String("hash_bucket"))) {
            facts.width = valueOf(kind, "hash_bucket_size").toLongLong();
            facts.steps.append({tr("hash"), formatCount(facts.width)});
        } else {
            facts.width = valueOf(kind, "num_buckets").toLongLong();
            facts.steps.append({tr("identity"), formatCount(facts.width)});
        }
        if (others > 0) {
            facts.steps.last().detail += tr(" + %1 other").arg(formatCount(others));
        }
    }

    void readWrapper(const FieldNode& kind, FeatureFacts& facts, int depth)
    {
        const FeatureFacts inner = source(valueOf(kind, "categorical_column"), depth);
        facts.sources = inner.sources;
        facts.steps = inner.steps;
        facts.isCross = inner.isCross;
        // A wrapper shows how many words there are, not the words.
        if (!facts.steps.isEmpty() && inner.width > 0 &&
            facts.steps.last().word == tr("vocabulary")) {
            facts.steps.last().detail = formatCount(inner.width);
        }
        facts.width = inner.width;
        if (kind.name == QLatin1String("embedding_column")) {
            const qint64 dimension = valueOf(kind, "dimension").toLongLong();
            facts.steps.append({tr("embedding"), formatCount(dimension)});
            facts.width = dimension;
            facts.parameters = inner.width > 0 ? inner.width * dimension : -1;
        } else if (kind.name == QLatin1String("indicator_column")) {
            facts.steps.append({tr("indicator"), {}});
        } else if (kind.name == QLatin1String("weighted_categorical_column")) {
            facts.steps.append({tr("weighted by"), valueOf(kind, "weight_feature_key")});
        }
    }

    void readShared(const FieldNode& kind, FeatureFacts& facts, int depth)
    {
        const qint64 dimension = valueOf(kind, "dimension").toLongLong();
        const QStringList names = valuesOf(child(kind, "categorical_columns"));
        qint64 rows = -1;
        for (const QString& name : names) {
            const FeatureFacts inner = source(name, depth);
            facts.sources.append(inner.sources);
            // Columns that share an embedding have the same number of categories.
            rows = inner.width;
        }
        facts.steps.append({tr("shared embedding"), formatCount(dimension)});
        facts.width = dimension * names.size();
        facts.parameters = rows > 0 ? rows * dimension : -1;
    }

    QHash<QString, const FieldNode*> m_nodes;
    QList<FeatureFacts> m_facts;
    QSet<QString> m_referenced;
};

} // namespace

FeatureColumns readFeatureColumns(const FieldNode& columns)
{
    return FeatureReader(columns).take();
}

} // namespace cannery::ui
