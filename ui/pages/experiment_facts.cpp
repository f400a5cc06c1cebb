// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/experiment_facts.h"

#include "ui/document/field_node.h"

#include <QHash>
#include <QLocale>
#include <QSet>

#include <array>

namespace cannery::ui {

namespace {

const FieldNode& child(const FieldNode& node, const char* name)
{
    static const FieldNode kNothing;
    const FieldNode* found = node.child(QLatin1String(name));
    return found ? *found : kNothing;
}

QString valueOf(const FieldNode& node, const char* name)
{
    return child(node, name).text;
}

QStringList valuesOf(const FieldNode& list)
{
    QStringList values;
    for (const FieldNode& element : list.children) {
        values.append(element.text);
    }
    return values.isEmpty() && !list.text.isEmpty() ? list.text.split(QLatin1String(", ")) : values;
}

/// The member of a oneof that is there.
const FieldNode& chosen(const FieldNode& node, const QStringList& others = {})
{
    static const FieldNode kNothing;
    const FieldNode* found = nullptr;
    for (const FieldNode& field : node.children) {
        if (others.contains(field.name)) {
            continue;
        }
        if (!field.isDefault) {
            return field;
        }
        found = found ? found : &field;
    }
    return found ? *found : kNothing;
}

QString count(qint64 number)
{
    return QLocale().toString(number);
}

/// Resolves one feature column after the other; sources first.
class FeatureReader
{
    Q_DECLARE_TR_FUNCTIONS(FeatureReader)

public:
    explicit FeatureReader(const FieldNode& columns)
    {
        for (const FieldNode& column : columns.children) {
            m_nodes.insert(valueOf(column, "name"), &column);
        }
        for (const FieldNode& column : columns.children) {
            m_facts.append(read(column, 0));
        }
    }

    QList<FeatureFacts> take() { return std::move(m_facts); }
    const QSet<QString>& referenced() const { return m_referenced; }

private:
    FeatureFacts source(const QString& name, int depth)
    {
        m_referenced.insert(name);
        const FieldNode* node = m_nodes.value(name);
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
        if (const QString key = valueOf(kind, "key"); !key.isEmpty()) {
            facts.sources.append(key);
        }
        readKind(kind, facts, depth);
        return facts;
    }

    void readKind(const FieldNode& kind, FeatureFacts& facts, int depth)
    {
        if (kind.name == QLatin1String("numeric_column")) {
            readNumeric(kind, facts);
        } else if (kind.name == QLatin1String("bucketized_column")) {
            readBuckets(kind, facts, depth);
        } else if (kind.name == QLatin1String("crossed_column")) {
            readCross(kind, facts, depth);
        } else if (kind.name.startsWith(QLatin1String("categorical_column"))) {
            readCategorical(kind, facts);
        } else if (kind.name == QLatin1String("shared_embeddings")) {
            readShared(kind, facts, depth);
        } else {
            readWrapper(kind, facts, depth);
        }
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
            facts.steps.last().detail = tr("%1 numbers").arg(count(facts.width));
        }
    }

    void readBuckets(const FieldNode& kind, FeatureFacts& facts, int depth)
    {
        const FeatureFacts numbers = source(valueOf(kind, "source_column"), depth);
        const QStringList boundaries = valuesOf(child(kind, "boundaries"));
        facts.sources = numbers.sources;
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
        facts.steps.append({tr("hash"), count(facts.width)});
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
            facts.steps.append({tr("hash"), count(facts.width)});
        } else {
            facts.width = valueOf(kind, "num_buckets").toLongLong();
            facts.steps.append({tr("identity"), count(facts.width)});
        }
        if (others > 0) {
            facts.steps.last().detail += tr(" + %1 other").arg(count(others));
        }
    }

    void readWrapper(const FieldNode& kind, FeatureFacts& facts, int depth)
    {
        const FeatureFacts inner = source(valueOf(kind, "categorical_column"), depth);
        facts.sources = inner.sources;
        facts.steps = inner.steps;
        facts.isCross = inner.isCross;
        if (!facts.steps.isEmpty() && inner.width > 0 &&
            facts.steps.last().word == tr("vocabulary")) {
            facts.steps.last().detail = count(inner.width);
        }
        facts.width = inner.width;
        if (kind.name == QLatin1String("embedding_column")) {
            const qint64 dimension = valueOf(kind, "dimension").toLongLong();
            facts.steps.append({tr("embedding"), count(dimension)});
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
            rows = inner.width;
        }
        facts.steps.append({tr("shared embedding"), count(dimension)});
        facts.width = dimension * names.size();
        facts.parameters = rows > 0 ? rows * dimension : -1;
    }

    QHash<QString, const FieldNode*> m_nodes;
    QList<FeatureFacts> m_facts;
    QSet<QString> m_referenced;
};

QString sourceSentence(const FieldNode& source, QStringList& files)
{
    files = valuesOf(child(child(source, "csv"), "files"));
    return files.join(QLatin1String(", "));
}

QString inputName(const FieldNode& reference)
{
    const FieldNode& input = chosen(reference);
    return input.text;
}

struct FamilyRow
{
    const char* stem;
    ModelFamily family;
    const char* title;
    const char* className;
};

constexpr std::array<FamilyRow, 4> kFamilies{{
    {"dnn_linear_combined", ModelFamily::WideAndDeep,
     QT_TRANSLATE_NOOP("ExperimentFacts", "Wide & deep"), "DNNLinearCombined"},
    {"dnn", ModelFamily::Dnn, QT_TRANSLATE_NOOP("ExperimentFacts", "DNN"), "DNN"},
    {"linear", ModelFamily::Linear, QT_TRANSLATE_NOOP("ExperimentFacts", "Linear"), "Linear"},
    {"baseline", ModelFamily::Baseline, QT_TRANSLATE_NOOP("ExperimentFacts", "Baseline"),
     "Baseline"},
}};

const FamilyRow* familyOf(const QString& estimator)
{
    for (const FamilyRow& row : kFamilies) {
        if (estimator.startsWith(QLatin1String(row.stem))) {
            return &row;
        }
    }
    return nullptr;
}

/// Which group a field of the estimator stands in.
QString groupOf(const QString& field, ModelFamily family)
{
    if (field.startsWith(QLatin1String("linear_"))) {
        return ExperimentFacts::tr("Wide side");
    }
    if (field.startsWith(QLatin1String("dnn_"))) {
        return ExperimentFacts::tr("Deep side");
    }
    return family == ModelFamily::WideAndDeep ? ExperimentFacts::tr("Both sides")
                                              : ExperimentFacts::tr("Model");
}

QString labelOf(const FieldNode& field)
{
    return field.label.isEmpty() ? field.name : field.label;
}

/// Collects the scalars of messages; a choice stands with its name before its own fields.
class ParameterReader
{
    Q_DECLARE_TR_FUNCTIONS(ParameterReader)

public:
    explicit ParameterReader(QList<ParameterFacts>& parameters) : m_parameters(parameters) {}

    void read(const FieldNode& message, const QString& group)
    {
        for (const FieldNode& field : message.children) {
            readField(field, group);
        }
    }

    void readField(const FieldNode& field, const QString& group)
    {
        if (field.name.endsWith(QLatin1String("feature_columns"))) {
            return;
        }
        if (!field.isMessage) {
            add(group, labelOf(field), shownValue(field), field);
        } else if (!field.isRepeated) {
            const FieldNode& choice = chosen(field);
            const bool isOptimizer = field.name.endsWith(QLatin1String("optimizer"));
            add(group, isOptimizer ? tr("Optimizer") : labelOf(field),
                choice.isMessage ? labelOf(choice) : choice.text, field);
            if (choice.isMessage) {
                read(choice, group);
            }
        }
    }

private:
    /// For a person: yes and no, thousands apart, nothing for "without end".
    static QString shownValue(const FieldNode& field)
    {
        const QString text = valuesOf(field).join(QLatin1String(", "));
        if (field.type == QLatin1String("bool")) {
            return text == QLatin1String("true") ? tr("yes") : tr("no");
        }
        if (field.name == QLatin1String("num_epochs") && text == QLatin1String("0")) {
            return {};
        }
        bool isInteger = false;
        const qint64 number = text.toLongLong(&isInteger);
        return isInteger && !field.name.contains(QLatin1String("seed")) ? count(number) : text;
    }

    /// Where nothing stands for something.
    static QString wordForZero(const FieldNode& field)
    {
        return field.name == QLatin1String("threads") ? tr("one per core") : QString();
    }

    void add(const QString& group, const QString& label, const QString& value,
             const FieldNode& field)
    {
        if (value.isEmpty() || (field.isExpert && field.isDefault)) {
            return;
        }
        const bool isWord = value == QLatin1String("0") && !wordForZero(field).isEmpty();
        m_parameters.append({.group = group,
                             .label = label,
                             .value = isWord ? wordForZero(field) : value,
                             .unit = isWord ? QString() : field.unit,
                             .help = field.help,
                             .path = field.path,
                             .isChanged = !field.isDefault});
    }

    QList<ParameterFacts>& m_parameters;
};

QString splitSentence(const FieldNode& split)
{
    const FieldNode& kind = chosen(split);
    if (kind.name == QLatin1String("fraction")) {
        const double share = valueOf(kind, "eval_fraction").toDouble();
        const QString seed = valueOf(kind, "seed");
        return ExperimentFacts::tr("%1 % held back at random, seed %2")
            .arg(QLocale().toString(100 * (share > 0 ? share : 0.2), 'g', 4),
                 seed.isEmpty() ? QStringLiteral("0") : seed);
    }
    if (kind.name == QLatin1String("by_column")) {
        return ExperimentFacts::tr("rows marked by %1").arg(valueOf(kind, "column"));
    }
    return {};
}

QString labelText(const FieldNode& label)
{
    const FieldNode& kind = chosen(label);
    if (kind.children.isEmpty()) {
        return kind.text;
    }
    if (const QString column = valueOf(kind, "column"); !column.isEmpty()) {
        return column;
    }
    return valuesOf(child(kind, "column")).join(QLatin1String(", "));
}

void readData(const FieldNode& data, ExperimentFacts& facts)
{
    sourceSentence(child(data, "train"), facts.trainFiles);
    sourceSentence(child(data, "eval"), facts.evalFiles);
    const FieldNode& split = child(data, "split");
    facts.split = facts.evalFiles.isEmpty() ? splitSentence(split) : QString();
    facts.label = labelText(child(data, "label"));
    facts.keyColumns = valuesOf(child(data, "key_column"));
}

QString headOf(const QString& estimator, qint64 classes)
{
    if (estimator.endsWith(QLatin1String("regressor"))) {
        return ExperimentFacts::tr("Number");
    }
    if (!estimator.endsWith(QLatin1String("classifier"))) {
        return ExperimentFacts::tr("Custom head");
    }
    return classes > 2 ? ExperimentFacts::tr("%1 classes").arg(classes)
                       : ExperimentFacts::tr("Yes or no");
}

QString firstRate(const QList<ParameterFacts>& parameters)
{
    for (const char* part : {"dnn_optimizer", "optimizer"}) {
        for (const ParameterFacts& parameter : parameters) {
            if (parameter.path.endsWith(QLatin1String("learning_rate")) &&
                parameter.path.contains(QLatin1String(part))) {
                return parameter.value;
            }
        }
    }
    return {};
}

QString recipeSentence(const QString& title, const QStringList& units, const QString& rate)
{
    QStringList parts{title};
    if (!units.isEmpty()) {
        parts.append(units.join('-'));
    }
    if (!rate.isEmpty()) {
        parts.append(ExperimentFacts::tr("lr %1").arg(rate));
    }
    return parts.join(QStringLiteral(" · "));
}

void readModel(const FieldNode& root, ExperimentFacts& facts)
{
    const FieldNode& estimator = chosen(child(root, "estimator"));
    facts.estimator = estimator.name;
    const FamilyRow* family = familyOf(estimator.name);
    if (!family) {
        return;
    }
    facts.family = family->family;
    facts.estimatorTitle = estimatorTitle(estimator.name);
    QString last = estimator.name.section('_', -1);
    last.replace(0, 1, last.at(0).toUpper());
    facts.className = QLatin1String(family->className) + last;
    facts.estimatorHelp = estimator.help;
    const qint64 classes = valueOf(estimator, "n_classes").toLongLong();
    facts.head = headOf(estimator.name, classes);
    for (const char* name : {"dnn_hidden_units", "hidden_units"}) {
        for (const QString& units : valuesOf(child(estimator, name))) {
            facts.hiddenUnits.append(units.toLongLong());
        }
    }
    for (const char* name : {"dnn_activation_fn", "activation_fn"}) {
        facts.activation += valueOf(estimator, name);
    }
    facts.dropout =
        valueOf(estimator, "dnn_dropout").toDouble() + valueOf(estimator, "dropout").toDouble();
    facts.weightColumn = inputName(child(estimator, "weight_column"));
    ParameterReader reader(facts.parameters);
    for (const FieldNode& field : estimator.children) {
        reader.readField(field, groupOf(field.name, facts.family));
    }
}

void readTraining(const FieldNode& root, ExperimentFacts& facts)
{
    const FieldNode& train = child(root, "train_spec");
    facts.maxSteps = valueOf(train, "max_steps").toLongLong();
    facts.batchSize = valueOf(child(train, "input"), "batch_size").toLongLong();
    ParameterReader reader(facts.parameters);
    const QString group = ExperimentFacts::tr("Training");
    for (const FieldNode& field : train.children) {
        if (field.name != QLatin1String("input") && field.name != QLatin1String("hook")) {
            reader.readField(field, group);
        }
    }
    reader.read(child(train, "input"), group);
    reader.read(child(root, "run_config"), ExperimentFacts::tr("Run"));
    const FieldNode& strategy = chosen(child(root, "strategy"));
    facts.strategy = strategy.label.isEmpty() ? ExperimentFacts::tr("One device") : strategy.label;
}

/// Marks which half takes a column, and what it costs there.
void placeFeatures(const FieldNode& root, const QSet<QString>& referenced, ExperimentFacts& facts)
{
    const FieldNode& estimator = chosen(child(root, "estimator"));
    const bool linear = facts.family == ModelFamily::Linear;
    const QStringList plainColumns = valuesOf(child(estimator, "feature_columns"));
    const QStringList wide = valuesOf(child(estimator, "linear_feature_columns")) +
                             (linear ? plainColumns : QStringList());
    const QStringList deep =
        valuesOf(child(estimator, "dnn_feature_columns")) + (linear ? QStringList() : plainColumns);
    const qint64 classes = valueOf(estimator, "n_classes").toLongLong();
    const qint64 logits = classes > 2 ? classes : 1;
    for (FeatureFacts& feature : facts.features) {
        const bool isWide = wide.contains(feature.name);
        const bool isDeep = deep.contains(feature.name);
        feature.side = isWide && isDeep                    ? FeatureSide::Both
                       : isWide                            ? FeatureSide::Wide
                       : isDeep                            ? FeatureSide::Deep
                       : referenced.contains(feature.name) ? FeatureSide::Source
                                                           : FeatureSide::Unused;
        if (isWide && feature.width > 0 && feature.parameters < 0) {
            feature.parameters = feature.width * logits;
        }
    }
}

} // namespace

qint64 ExperimentFacts::width(FeatureSide side) const
{
    qint64 sum = 0;
    for (const FeatureFacts& feature : features) {
        if ((feature.side == side || feature.side == FeatureSide::Both) && feature.width > 0) {
            sum += feature.width;
        }
    }
    return sum;
}

int ExperimentFacts::crossCount() const
{
    int count = 0;
    for (const FeatureFacts& feature : features) {
        count += feature.isCross && feature.side != FeatureSide::Source ? 1 : 0;
    }
    return count;
}

ExperimentFacts ExperimentFacts::of(const FieldNode& root)
{
    ExperimentFacts facts;
    readData(child(root, "data"), facts);
    readModel(root, facts);
    readTraining(root, facts);
    FeatureReader features(child(root, "feature_column"));
    facts.features = features.take();
    placeFeatures(root, features.referenced(), facts);
    QStringList units;
    for (const qint64 size : facts.hiddenUnits) {
        units.append(QString::number(size));
    }
    if (facts.hasModel()) {
        facts.recipe = recipeSentence(facts.estimatorTitle, units, firstRate(facts.parameters));
    }
    return facts;
}

QString estimatorTitle(const QString& estimator)
{
    const FamilyRow* family = familyOf(estimator);
    return family ? QCoreApplication::translate("ExperimentFacts", family->title) : estimator;
}

} // namespace cannery::ui
