// SPDX-License-Identifier: Apache-2.0
// write_emitted_columns OUTPUT: emits the feature columns of feature_transforms.json and of
// emitted_cases.json as graphs, and writes the encoder's results for the same rows next to them.
// tests/interop/emitted_columns.py runs the graphs in TensorFlow and compares.
#include "core/base/check.h"
#include "core/features/feature_column.h"
#include "core/features/feature_emitter.h"
#include "core/features/feature_encoder.h"
#include "core/features/raw_rows.h"
#include "storage/tf/graphs/graph_def_builder.h"
#include "tests/core/features/transform_case.h"
#include "tests/golden/tables/golden_table.h"

#include <QDir>
#include <QTextStream>

#include <cmath>

using namespace cannery;
using namespace cannery::features;

namespace {

QJsonObject readJson(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QJsonDocument::fromJson(file.readAll()).object()
                                          : QJsonObject();
}

void write(const QString& path, const QByteArray& bytes)
{
    QFile file(path);
    if (file.open(QIODevice::WriteOnly)) {
        file.write(bytes);
    }
}

/// What the experiment says about the raw features of a case.
void describeData(const QJsonObject& row, const data::FeatureBatch& batch,
                  spec::Experiment& experiment)
{
    const QJsonObject defaults = row["defaults"].toObject();
    for (const data::FeatureValues& values : batch.features) {
        if (values.sparse) {
            spec::Feature* feature = experiment.mutable_data()->add_feature();
            feature->set_name(values.name);
            feature->mutable_split()->set_column(values.name);
            feature->mutable_split()->set_dtype(static_cast<spec::DataType::Name>(values.dtype));
        } else if (values.shape != Shape{1}) {
            spec::Feature* feature = experiment.mutable_data()->add_feature();
            feature->set_name(values.name);
            feature->mutable_stack()->set_dtype(static_cast<spec::DataType::Name>(values.dtype));
            for (const std::int64_t dim : values.shape.dims) {
                feature->mutable_stack()->add_shape(dim);
            }
            for (std::int64_t i = 0; i < values.shape.elementCount(); ++i) {
                feature->mutable_stack()->add_columns(values.name + std::to_string(i));
            }
        } else {
            spec::Column* column = experiment.mutable_data()->add_column();
            column->set_name(values.name);
            column->set_dtype(static_cast<spec::DataType::Name>(values.dtype));
            for (const QJsonValue token : row["tokens"].toArray()) {
                column->add_missing_token(token.toString().toStdString());
            }
            const QString name = QString::fromStdString(values.name);
            if (defaults.contains(name)) {
                column->set_default_value(defaults[name].toString().toStdString());
            }
        }
    }
}

QJsonArray numbers(const std::vector<float>& values)
{
    QJsonArray result;
    for (const float value : values) {
        result.append(std::isnan(value) ? QJsonValue("NaN") : QJsonValue(value));
    }
    return result;
}

QJsonArray integers(const std::vector<std::int64_t>& values)
{
    QJsonArray result;
    for (const std::int64_t value : values) {
        result.append(qint64{value});
    }
    return result;
}

QJsonObject encoded(const FeatureColumn& column, const RawRows& rows)
{
    if (column.info().kind == SlotKind::Dense) {
        DenseBlock block;
        CANNERY_CHECK(column.encodeDense(rows, block));
        return {{"dense", numbers(block.values)}, {"width", qint64{block.width}}};
    }
    if (column.info().kind == SlotKind::Sequence) {
        SequenceBlock block;
        CANNERY_CHECK(column.encodeSteps(rows, block));
        return {{"steps", numbers(block.values)},
                {"width", qint64{block.width}},
                {"offsets", integers(block.rowOffsets)}};
    }
    IdRows ids;
    CANNERY_CHECK(column.encodeIds(rows, ids));
    QJsonArray values;
    for (const std::int64_t id : ids.ids) {
        values.append(qint64{id});
    }
    return {
        {"offsets", integers(ids.rowOffsets)}, {"ids", values}, {"weights", numbers(ids.weights)}};
}

QJsonObject described(const storage::GraphDefBuilder& graph, const EmittedFeatures& emitted)
{
    const auto text = [](const std::string& value) { return QString::fromStdString(value); };
    QJsonObject receiver;
    for (const ReceiverTensor& input : emitted.receiver) {
        receiver[text(input.key)] = text(input.tensor.tensor());
    }
    QJsonObject assets;
    for (const storage::GraphAsset& asset : graph.assets()) {
        assets[text(asset.path.tensor())] = text(asset.sourcePath);
    }
    QJsonArray initializers;
    for (const storage::NodeRef& node : graph.tableInitializers()) {
        initializers.append(text(node.node));
    }
    QJsonArray values;
    for (const storage::EmittedValue& value : emitted.slots) {
        values.append(QJsonObject{{"dense", text(value.dense)},
                                  {"step_counts", text(value.stepCounts)},
                                  {"indices", text(value.indices)},
                                  {"ids", text(value.ids)},
                                  {"shape", text(value.denseShape)},
                                  {"weights", text(value.weights)}});
    }
    return {{"receiver", receiver},
            {"assets", assets},
            {"initializers", initializers},
            {"slots", values},
            {"batch_size", text(emitted.batchSize.tensor())}};
}

/// The features of a case after applying the table's missing tokens and defaults.
QJsonObject meantFeatures(const QJsonObject& row)
{
    QJsonObject features = row["features"].toObject();
    const QJsonObject means = row["means"].toObject();
    for (auto meant = means.begin(); meant != means.end(); ++meant) {
        QJsonObject feature = features[meant.key()].toObject();
        feature["dense"] = meant.value();
        features[meant.key()] = feature;
    }
    return features;
}

/// Writes one case to a folder; returns the error, or nothing.
std::string writeCase(const QJsonObject& row, const QString& folder, const QString& files)
{
    spec::Experiment experiment;
    const std::string handle = tests::addColumn(row["column"].toObject(), experiment);
    const data::FeatureBatch batch = tests::featureBatch(meantFeatures(row));
    describeData(row, batch, experiment);
    experiment.mutable_estimator()->mutable_linear_classifier()->add_feature_columns(handle);
    const auto encoder = FeatureEncoder::create(experiment, files.toStdString());
    if (!encoder) {
        return encoder.error().message();
    }
    QJsonArray expected;
    const RawRows rows(batch);
    for (const auto& column : encoder->columns()) {
        expected.append(encoded(*column, rows));
    }
    QJsonObject result{{"case", row}, {"expected", expected}};
    for (const Receiver receiver : {Receiver::Parsing, Receiver::Raw}) {
        const QString kind = receiver == Receiver::Parsing ? "parsing" : "raw";
        storage::GraphDefBuilder graph;
        EmitOptions options{.receiver = receiver, .rawFeatures = {}, .dtypes = {}};
        for (const QJsonValue name : row["receiver"].toArray()) {
            options.rawFeatures.push_back(name.toString().toStdString());
        }
        const auto emitted = emitFeatures(graph, *encoder, options);
        if (!emitted) {
            return emitted.error().message();
        }
        write(folder + "/" + kind + ".pb", QByteArray::fromStdString(graph.serialized()));
        result[kind] = described(graph, *emitted);
    }
    write(folder + "/case.json", QJsonDocument(result).toJson());
    return {};
}

} // namespace

int main(int argc, char** argv)
{
    if (argc != 2) {
        QTextStream(stderr) << "usage: write_emitted_columns OUTPUT\n";
        return 2;
    }
    const QDir output(argv[1]);
    output.mkpath("files");
    const QJsonObject table = tests::goldenTable("feature_transforms");
    const QJsonObject files = table["files"].toObject();
    for (auto file = files.begin(); file != files.end(); ++file) {
        write(output.filePath("files/" + file.key()), file.value().toString().toUtf8());
    }
    QJsonArray cases = table["cases"].toArray();
    const QJsonObject more = readJson(CANNERY_SOURCE_DIR "/tests/core/features/emitted_cases.json");
    for (const QJsonValue row : more["cases"].toArray()) {
        cases.append(row);
    }
    int failures = 0;
    for (int i = 0; i < cases.size(); ++i) {
        const QJsonObject row = cases[i].toObject();
        if (row["output"].toObject().contains("error")) {
            continue;
        }
        const QString folder = output.filePath(QString("case%1").arg(i, 3, 10, QChar('0')));
        output.mkpath(folder);
        const std::string problem = writeCase(row, folder, output.filePath("files"));
        if (!problem.empty()) {
            QTextStream(stderr) << "case " << i << ": " << problem.c_str() << "\n";
            ++failures;
        }
    }
    return failures == 0 ? 0 : 1;
}
