// SPDX-License-Identifier: Apache-2.0
#include "tests/core/heads/head_case.h"

#include "tests/golden/tables/message_of_table.h"

#include <QMap>
#include <QTest>

namespace cannery::tests {
namespace {

QJsonObject headFields(QJsonObject description, const QString& reduction)
{
    const QMap<QString, QString> fields{{"BinaryClassHead", "binary_class_head"},
                                        {"MultiClassHead", "multi_class_head"},
                                        {"MultiLabelHead", "multi_label_head"},
                                        {"RegressionHead", "regression_head"},
                                        {"PoissonRegressionHead", "poisson_regression_head"},
                                        {"LogisticRegressionHead", "logistic_regression_head"},
                                        {"MultiHead", "multi_head"}};
    const QString field = fields[description.take("class").toString()];
    if (field == "multi_head") {
        QJsonArray heads;
        for (const QJsonValue head : description["heads"].toArray()) {
            heads.append(headFields(head.toObject(), reduction));
        }
        description["heads"] = heads;
        return {{field, description}};
    }
    description["loss_reduction"] = reduction;
    if (description.contains("weight_column")) {
        description["weight_column"] = QJsonObject{{"feature", description["weight_column"]}};
    }
    if (description.contains("classes_for_class_based_metrics")) {
        QJsonArray classes;
        for (const QJsonValue id : description["classes_for_class_based_metrics"].toArray()) {
            classes.append(id.isString() ? id.toString() : QString::number(id.toInt()));
        }
        description["classes_for_class_based_metrics"] = classes;
    }
    return {{field, description}};
}

} // namespace

spec::Head headMessage(const QJsonObject& description, spec::LossReduction::Kind reduction)
{
    spec::Head message;
    const QString name = reduction == spec::LossReduction::SUM ? "SUM" : "SUM_OVER_BATCH_SIZE";
    return fillMessage(headFields(description, name), message) ? message : spec::Head();
}

Numbers numbersOfRows(const QJsonValue& rows)
{
    const QJsonValue first = rows.toArray()[0];
    return {.values = numbersOf(rows), .width = first.isArray() ? first.toArray().size() : 1};
}

Numbers sideBySide(const std::vector<Numbers>& parts)
{
    Numbers all{.values = {}, .width = 0};
    const std::int64_t rows = parts[0].view().rows;
    for (const Numbers& part : parts) {
        all.width += part.width;
    }
    for (std::int64_t row = 0; row < rows; ++row) {
        for (const Numbers& part : parts) {
            const auto values = part.view().row(row);
            all.values.insert(all.values.end(), values.begin(), values.end());
        }
    }
    return all;
}

Numbers labelsOf(const QJsonObject& tensor, const QStringList& vocabulary, std::int64_t classes)
{
    const auto idOf = [&](const QJsonValue& value) {
        return value.isString() ? static_cast<float>(vocabulary.indexOf(value.toString()))
                                : static_cast<float>(value.toDouble());
    };
    if (tensor.contains("sparse")) {
        const QJsonObject sparse = tensor["sparse"].toObject();
        const auto rows = static_cast<std::size_t>(sparse["dense_shape"][0].toInt());
        Numbers labels{.values = std::vector<float>(rows * static_cast<std::size_t>(classes)),
                       .width = classes};
        const QJsonArray values = sparse["values"].toArray();
        for (int i = 0; i < values.size(); ++i) {
            const int row = sparse["indices"][i][0].toInt();
            labels.values[static_cast<std::size_t>(row * classes) +
                          static_cast<std::size_t>(idOf(values[i]))] = 1.0F;
        }
        return labels;
    }
    if (tensor["dtype"].toString() != "string") {
        return numbersOfRows(tensor["dense"]);
    }
    Numbers labels;
    for (const QJsonValue row : tensor["dense"].toArray()) {
        labels.values.push_back(idOf(row.isArray() ? row.toArray()[0] : row));
    }
    return labels;
}

QStringList vocabularyOf(const QJsonObject& head)
{
    QStringList words;
    for (const QJsonValue word : head["label_vocabulary"].toArray()) {
        words << word.toString();
    }
    return words;
}

void addHeadRows()
{
    QTest::addColumn<QJsonObject>("row");
    int index = 0;
    for (const QJsonValue value : goldenTable("heads")["cases"].toArray()) {
        QTest::newRow(
            qPrintable(QString("%1 %2").arg(index++).arg(value["head"]["class"].toString())))
            << value.toObject();
    }
}

HeadCase headCaseOf(const QJsonObject& row)
{
    HeadCase result;
    const QJsonObject head = row["head"].toObject();
    if (head.contains("heads")) {
        std::vector<Numbers> logits;
        std::vector<Numbers> labels;
        for (const QJsonValue part : head["heads"].toArray()) {
            const QString name = part["name"].toString();
            logits.push_back(numbersOfRows(row["logits"][name]));
            labels.push_back(labelsOf(row["labels"][name].toObject(), vocabularyOf(part.toObject()),
                                      logits.back().width));
        }
        result.logits = sideBySide(logits);
        result.labels = sideBySide(labels);
        return result;
    }
    result.logits = numbersOfRows(row["logits"]);
    result.labels = labelsOf(row["labels"].toObject(), vocabularyOf(head), result.logits.width);
    if (row.contains("features")) {
        result.weights = numbersOfRows(row["features"]["w"]["dense"]);
    }
    return result;
}

} // namespace cannery::tests
