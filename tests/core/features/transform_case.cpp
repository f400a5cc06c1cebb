// SPDX-License-Identifier: Apache-2.0
#include "tests/core/features/transform_case.h"

#include "core/base/check.h"
#include "tests/golden/tables/message_of_table.h"

#include <limits>

namespace cannery::tests {

namespace {

bool isColumn(const QJsonValue& value)
{
    return value.isObject() && value.toObject().contains("type");
}

QString textOf(const QJsonValue& value)
{
    return value.isString() ? value.toString() : QString::number(value.toInteger());
}

QJsonValue reference(const QJsonValue& key, spec::Experiment& experiment)
{
    if (isColumn(key)) {
        return QJsonObject{
            {"column", QString::fromStdString(addColumn(key.toObject(), experiment))}};
    }
    return QJsonObject{{"feature", key}};
}

void addArgument(const QString& name, const QJsonValue& value, spec::Experiment& experiment,
                 QJsonObject& message)
{
    if (isColumn(value)) {
        message[name] = QString::fromStdString(addColumn(value.toObject(), experiment));
    } else if (name == "keys") {
        QJsonArray keys;
        for (const QJsonValue key : value.toArray()) {
            keys.append(reference(key, experiment));
        }
        message["key"] = keys;
    } else if (name == "categorical_columns") {
        QJsonArray handles;
        for (const QJsonValue column : value.toArray()) {
            handles.append(QString::fromStdString(addColumn(column.toObject(), experiment)));
        }
        message[name] = handles;
    } else if (name == "vocabulary_list") {
        QJsonArray words;
        for (const QJsonValue word : value.toArray()) {
            words.append(textOf(word));
            if (!word.isString()) {
                message["dtype"] = "int64";
            }
        }
        message[name] = words;
    } else if (name == "normalizer") {
        message[name] = QJsonObject{{"subtract_divide", value}};
    } else if (name != "type" && name != "initializer") {
        message[name] = value;
    }
}

/// Elements of nested lists in order, and the shape of a row.
void flatten(const QJsonValue& value, int depth, QJsonArray& elements, Shape& shape)
{
    if (!value.isArray()) {
        elements.append(value);
        return;
    }
    const QJsonArray list = value.toArray();
    if (depth > 0 && shape.rank() < depth) {
        shape.dims.push_back(list.size());
    }
    for (const QJsonValue element : list) {
        flatten(element, depth + 1, elements, shape);
    }
}

void fillElements(const QJsonArray& elements, data::FeatureValues& values)
{
    if (values.dtype == DType::String) {
        auto& texts = values.elements.emplace<StringColumn>();
        for (const QJsonValue element : elements) {
            texts.push_back(element.toString().toStdString());
        }
    } else if (isInteger(values.dtype)) {
        auto& numbers = values.elements.emplace<std::vector<std::int64_t>>();
        for (const QJsonValue element : elements) {
            numbers.push_back(element.toInteger());
        }
    } else if (values.dtype == DType::Float64) {
        auto& numbers = values.elements.emplace<std::vector<double>>();
        for (const QJsonValue element : elements) {
            numbers.push_back(numberOf(element));
        }
    } else {
        auto& numbers = values.elements.emplace<std::vector<float>>();
        for (const QJsonValue element : elements) {
            numbers.push_back(static_cast<float>(numberOf(element)));
        }
    }
}

std::int64_t fillDense(const QJsonArray& rows, data::FeatureValues& values)
{
    QJsonArray elements;
    Shape shape;
    flatten(rows, 0, elements, shape);
    values.shape = shape.rank() == 0 ? Shape{1} : shape;
    fillElements(elements, values);
    return rows.size();
}

std::int64_t fillSparse(const QJsonObject& tensor, data::FeatureValues& values)
{
    values.sparse = true;
    const std::int64_t rowCount = tensor["dense_shape"].toArray()[0].toInteger();
    values.rowOffsets.assign(static_cast<std::size_t>(rowCount) + 1, 0);
    for (const QJsonValue index : tensor["indices"].toArray()) {
        ++values.rowOffsets[static_cast<std::size_t>(index.toArray()[0].toInteger()) + 1];
    }
    for (std::size_t row = 1; row < values.rowOffsets.size(); ++row) {
        values.rowOffsets[row] += values.rowOffsets[row - 1];
    }
    fillElements(tensor["values"].toArray(), values);
    return rowCount;
}

} // namespace

std::string addColumn(const QJsonObject& column, spec::Experiment& experiment)
{
    QJsonObject arguments;
    for (auto argument = column.begin(); argument != column.end(); ++argument) {
        addArgument(argument.key(), argument.value(), experiment, arguments);
    }
    const std::string handle = "column" + std::to_string(experiment.feature_column_size());
    const QJsonObject message{{"name", QString::fromStdString(handle)},
                              {column["type"].toString(), arguments}};
    const bool isFilled = fillMessage(message, *experiment.add_feature_column());
    CANNERY_CHECK(isFilled);
    return handle;
}

data::FeatureBatch featureBatch(const QJsonObject& features)
{
    data::FeatureBatch batch;
    for (auto feature = features.begin(); feature != features.end(); ++feature) {
        const QJsonObject described = feature.value().toObject();
        data::FeatureValues values;
        values.name = feature.key().toStdString();
        values.dtype =
            dtypeFromName(described["dtype"].toString().toStdString()).value_or(DType::Invalid);
        batch.rowCount = described.contains("sparse")
                             ? fillSparse(described["sparse"].toObject(), values)
                             : fillDense(described["dense"].toArray(), values);
        batch.features.push_back(std::move(values));
    }
    return batch;
}

} // namespace cannery::tests
