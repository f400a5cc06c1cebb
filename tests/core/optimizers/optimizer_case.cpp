// SPDX-License-Identifier: Apache-2.0
#include "tests/core/optimizers/optimizer_case.h"

#include "core/optimizers/optimizer_catalog.h"
#include "tests/golden/tables/message_of_table.h"

#include <QMap>
#include <QStringList>

namespace cannery::tests {

using optimizers::Optimizer;

namespace {

/// Optimizers of TensorFlow that Cannery does not have.
const QStringList kOutside{
    "v1 AdadeltaOptimizer",        "v1 AdagradOptimizer",  "v1 AdamOptimizer",   "v1 FtrlOptimizer",
    "v1 GradientDescentOptimizer", "v1 MomentumOptimizer", "v1 RMSPropOptimizer"};
/// Those of compat.v1.train, where the name of a class ends in this.
const QMap<QString, QString> kFieldsOfV1{
    {"ProximalAdagradOptimizer", "proximal_adagrad"},
    {"ProximalGradientDescentOptimizer", "proximal_gradient_descent"}};

} // namespace

std::vector<QJsonObject> optimizerCases()
{
    QJsonArray cases = goldenTable("optimizers")["cases"].toArray();
    for (const QJsonValue value : goldenTable("further_optimizers")["cases"].toArray()) {
        cases.append(value);
    }
    std::vector<QJsonObject> rows;
    for (const QJsonValue value : cases) {
        QJsonObject row = value.toObject();
        if (kOutside.contains(row["api"].toString() + " " + row["class"].toString())) {
            continue;
        }
        if (row.contains("moving_average_decay")) {
            QJsonObject given = row["arguments"].toObject();
            given["moving_average_decay"] = row["moving_average_decay"];
            row["arguments"] = given;
        }
        rows.push_back(row);
    }
    return rows;
}

Result<std::unique_ptr<Optimizer>> optimizerOf(const QString& className, QJsonObject arguments)
{
    QJsonObject fields;
    for (const char* name : {"clipnorm", "clipvalue", "global_clipnorm", "decay"}) {
        if (arguments.contains(name)) {
            fields[name] = arguments.take(name);
        }
    }
    if (arguments.contains("moving_average_decay")) {
        fields["moving_average_decay"] = arguments.take("moving_average_decay");
    }
    fields[kFieldsOfV1.value(className, className.toLower())] = arguments;
    spec::Optimizer message;
    if (!fillMessage(fields, message)) {
        return fail(ErrorCode::Internal, ErrorKind{"test.fields", "The fields do not fit."});
    }
    return optimizers::makeOptimizer(message, 0);
}

OptimizerState initialState(const Optimizer& optimizer, std::int64_t width,
                            std::vector<float> weights)
{
    OptimizerState state{.width = width, .weights = std::move(weights), .slots = {}};
    for (std::size_t slot = 0; slot < optimizer.slots().size(); ++slot) {
        const optimizers::SlotSpec& spec = optimizer.slots()[slot];
        state.slots[slot].assign(state.weights.size(), spec.initialValue);
        if (spec.startsAsWeight) {
            state.slots[slot] = state.weights;
        }
    }
    return state;
}

} // namespace cannery::tests
