// SPDX-License-Identifier: GPL-3.0-only
#include "ui/editing/experiment_facts.h"

#include "ui/document/field_node.h"
#include "ui/editing/field_values.h"
#include "ui/models/formats.h"

#include <QSet>

#include <algorithm>
#include <utility>

namespace cannery::ui {

namespace {

QStringList filesOf(const FieldNode& source)
{
    QStringList files;
    for (const FieldNode* file : source.naming({FieldNames::File})) {
        files.append(file->text);
    }
    return files;
}

/// Empty unless the source is a folder of pictures.
QString picturesOf(const FieldNode& source)
{
    const FieldNode& kind = chosen(source);
    const QString path = valueOf(kind, "path");
    if (kind.name != QLatin1String("image_folder") || path.isEmpty()) {
        return {};
    }
    const QString split = valueOf(kind, "split");
    return split.isEmpty() ? path : path + '/' + split;
}

QString inputName(const FieldNode& reference)
{
    const FieldNode& input = chosen(reference);
    return input.text;
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
    facts.trainPictures = picturesOf(child(data, "train"));
    facts.evalPictures = picturesOf(child(data, "eval"));
    facts.label = labelText(child(data, "label"));
    facts.keyColumns = valuesOf(child(data, "key_column"));
}

/// As spec::headOf() reads the arguments.
QString headOf(const FieldNode& estimator)
{
    // The fields distinguish the kinds of heads, so an estimator needs no row here.
    if (const FieldNode* classes = estimator.child("n_classes")) {
        const qint64 count = classes->text.toLongLong();
        return count > 2 ? ExperimentFacts::tr("%1 classes").arg(count)
                         : ExperimentFacts::tr("Yes or no");
    }
    if (estimator.child("label_dimension")) {
        return ExperimentFacts::tr("Number");
    }
    return estimator.child("head") ? ExperimentFacts::tr("Custom head")
                                   : ExperimentFacts::tr("Clusters");
}

/// The learning rate of the network's optimizer, otherwise of the other part's.
QString firstRate(const FieldNode& estimator)
{
    QString found;
    for (const FieldNode& field : estimator.children) {
        const bool isNetwork = field.name.startsWith(QLatin1String("dnn_"));
        if (field.type == QLatin1String("Optimizer") && (found.isEmpty() || isNetwork)) {
            const QString rate = learningRateOf(field).text;
            found = rate.isEmpty() ? found : rate;
        }
    }
    return found;
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

/// The most leaves that a tree can have by its depth, and, where it grows leaf by leaf, by their
/// number: that growth obeys the depth only if it is set.
qint64 leavesOf(const FieldNode& estimator)
{
    constexpr qint64 kCountedDepth = 30;
    const FieldNode& depth = child(estimator, "max_depth");
    const qint64 layers = depth.text.toLongLong();
    const qint64 byDepth = layers > 0 && layers <= kCountedDepth ? qint64{1} << layers : 0;
    const FieldNode* growth = estimator.child("histogram");
    if (growth == nullptr || growth->isDefault) {
        return byDepth;
    }
    const qint64 leaves = valueOf(*growth, "max_leaves").toLongLong();
    return depth.isDefault || byDepth == 0 ? leaves : std::min(leaves, byDepth);
}

void readModel(const FieldNode& root, ExperimentFacts& facts)
{
    const FieldNode& estimator = chosen(child(root, "estimator"));
    facts.estimator = estimator.name;
    if (!facts.hasModel()) {
        return;
    }
    facts.estimatorTitle = labelOf(estimator);
    facts.className = estimator.type;
    facts.estimatorHelp = estimator.help;
    facts.head = headOf(estimator);
    for (const char* name : {"dnn_hidden_units", "hidden_units", "units"}) {
        for (const QString& units : valuesOf(child(estimator, name))) {
            facts.hiddenUnits.append(units.toLongLong());
        }
    }
    // An estimator has one of the two.
    for (const char* name : {"dnn_activation_fn", "activation_fn"}) {
        facts.activation += valueOf(estimator, name);
    }
    facts.dropout =
        valueOf(estimator, "dnn_dropout").toDouble() + valueOf(estimator, "dropout").toDouble();
    facts.cell = valueOf(estimator, "cell_type");
    if (const FieldNode* trees = estimator.child("n_trees")) {
        facts.trees = trees->text.toLongLong();
        facts.leaves = leavesOf(estimator);
    }
    if (const FieldNode* centers = estimator.child("num_clusters")) {
        facts.centers = centers->text.toLongLong();
    }
    facts.weightColumn = inputName(child(estimator, "weight_column"));
    QStringList units;
    for (const qint64 size : facts.hiddenUnits) {
        units.append(QString::number(size));
    }
    facts.recipe = recipeSentence(facts.estimatorTitle, units, firstRate(estimator));
}

void readTraining(const FieldNode& root, ExperimentFacts& facts)
{
    const FieldNode& train = child(root, "train_spec");
    facts.maxSteps = valueOf(train, "max_steps").toLongLong();
    facts.batchSize = valueOf(child(train, "input"), "batch_size").toLongLong();
    const FieldNode& strategy = chosenKind(child(root, "strategy"));
    facts.strategy = strategy.label.isEmpty() ? ExperimentFacts::tr("One device") : strategy.label;
}

/// Marks which side uses a column, and what it costs there.
void placeFeatures(const FieldNode& root, const QSet<QString>& referenced, ExperimentFacts& facts)
{
    const FieldNode& estimator = chosen(child(root, "estimator"));
    QStringList wide;
    QStringList deep;
    for (const FieldNode& field : estimator.children) {
        if (field.names == FieldNames::FeatureColumn) {
            (field.wantsDense ? deep : wide) += valuesOf(field);
        }
    }
    // Two classes share one logit, as in TensorFlow's binary head.
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
        // A linear model has a weight for each input and logit.
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

bool ExperimentFacts::has(FeatureSide side) const
{
    return std::any_of(features.begin(), features.end(), [&](const FeatureFacts& feature) {
        return feature.side == side || feature.side == FeatureSide::Both;
    });
}

QString ExperimentFacts::aim() const
{
    if (centers) {
        return counted(*centers, tr("finds one cluster"), tr("finds %1 clusters"));
    }
    return label.isEmpty() ? QString() : tr("predicts %1").arg(label);
}

QString ExperimentFacts::inputs() const
{
    const qint64 wide = width(FeatureSide::Wide);
    const qint64 deep = width(FeatureSide::Deep);
    return has(FeatureSide::Wide) && has(FeatureSide::Deep)
               ? tr("wide %1 · deep %2").arg(formatCount(wide), formatCount(deep))
               : counted(wide + deep, tr("one input"), tr("%1 inputs"));
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
    return facts;
}

} // namespace cannery::ui
