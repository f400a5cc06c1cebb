// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/experiment_facts.h"

#include "ui/document/field_node.h"
#include "ui/pages/field_values.h"

#include <QLocale>
#include <QSet>

#include <array>
#include <utility>

namespace cannery::ui {

namespace {

QStringList filesOf(const FieldNode& source)
{
    return valuesOf(child(child(source, "csv"), "files"));
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
    facts.trainFiles = filesOf(child(data, "train"));
    facts.evalFiles = filesOf(child(data, "eval"));
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
    FeatureColumns features = readFeatureColumns(child(root, "feature_column"));
    facts.features = std::move(features.columns);
    placeFeatures(root, features.referenced, facts);
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
