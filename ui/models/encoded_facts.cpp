// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/encoded_facts.h"

#include "core/reports/preview.pb.h"
#include "ui/models/report_reader.h"

#include <QJsonObject>

#include <algorithm>

namespace cannery::ui {

namespace {

/// One list of a preview: all of it may be megabytes.
reports::Preview partOf(const QJsonObject& preview, const char* list)
{
    const QLatin1String key(list);
    reports::Preview part;
    readAnswer({{key, preview.value(key)}}, part);
    return part;
}

EncodedValueFacts encodedValueOf(const reports::EncodedValue& report)
{
    EncodedValueFacts value;
    if (report.has_weighted()) {
        value.number = static_cast<double>(report.weighted().id());
        value.weight = report.weighted().weight();
    } else if (report.has_step()) {
        value.step = {report.step().numbers().begin(), report.step().numbers().end()};
    } else {
        // Qt writes whole numbers without a fraction, so that they are read as ids.
        value.number = report.has_id() ? static_cast<double>(report.id()) : report.number();
    }
    return value;
}

} // namespace

QList<EncodedInputFacts> encodedInputsFromJson(const QJsonObject& preview)
{
    const reports::Preview part = partOf(preview, "inputs");
    QList<EncodedInputFacts> inputs;
    for (const reports::EncodedInput& input : part.inputs()) {
        inputs.append({.name = QString::fromStdString(input.name()),
                       .column = QString::fromStdString(input.column()),
                       .areIds = input.kind() == "ids",
                       .width = input.width(),
                       .areSteps = input.steps()});
    }
    return inputs;
}

QList<ColumnProblemFacts> columnProblemsFromJson(const QJsonObject& preview)
{
    const reports::Preview part = partOf(preview, "column_problems");
    QList<ColumnProblemFacts> problems;
    for (const reports::ColumnProblem& problem : part.column_problems()) {
        problems.append({.column = QString::fromStdString(problem.column()),
                         .path = QString::fromStdString(problem.path()),
                         .problem = QString::fromStdString(problem.problem())});
    }
    return problems;
}

QList<EncodedCellFacts> encodedRowFromJson(const QJsonObject& row)
{
    reports::EncodedRow report;
    readAnswer(row, report);
    QList<EncodedCellFacts> cells;
    for (const reports::EncodedCell& cell : report.cells()) {
        EncodedCellFacts& facts = cells.emplaceBack();
        facts.name = QString::fromStdString(cell.key());
        for (const reports::EncodedValue& value : cell.values()) {
            facts.values.append(encodedValueOf(value));
        }
    }
    // Their order in the model depends on the estimator; a name is what a person looks for.
    std::sort(cells.begin(), cells.end(),
              [](const EncodedCellFacts& a, const EncodedCellFacts& b) { return a.name < b.name; });
    return cells;
}

} // namespace cannery::ui
