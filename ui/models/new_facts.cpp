// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/new_facts.h"

#include "core/reports/given.h"
#include "core/reports/new.pb.h"
#include "core/reports/preview.pb.h"
#include "ui/models/report_reader.h"
#include "ui/models/tables/column_report.h"

#include <QJsonObject>

namespace cannery::ui {

namespace {

template <typename Notes>
QHash<QString, QString> notesByColumn(const Notes& notes)
{
    QHash<QString, QString> byColumn;
    for (const reports::ColumnNote& note : notes) {
        byColumn.insert(QString::fromStdString(note.column()),
                        QString::fromStdString(note.remark()));
    }
    return byColumn;
}

void takeModel(const reports::FirstModel& model, NewFacts& facts)
{
    for (const reports::ModelKind& kind : model.kinds()) {
        facts.kinds.append({.family = QString::fromStdString(kind.family()),
                            .estimator = QString::fromStdString(kind.estimator()),
                            .loss = reports::given(kind.has_loss(), kind.loss())});
    }
    facts.chosen = QString::fromStdString(model.chosen());
    facts.guessLoss = reports::given(model.has_guess_loss(), model.guess_loss());
    facts.seconds = reports::given(model.has_estimated_seconds(), model.estimated_seconds());
}

} // namespace

NewFacts newFactsFromJson(const QJsonObject& answer)
{
    reports::NewExperiment report;
    readAnswer(answer, report);
    NewFacts facts;
    facts.guess = QString::fromStdString(report.label().guess());
    facts.confidence = report.label().confidence();
    facts.guessReason = QString::fromStdString(report.label().reason());
    facts.task = QString::fromStdString(report.task());
    if (report.problems_size() > 0) {
        facts.problem = QString::fromStdString(report.problems(0).sentence());
    }
    facts.rows = static_cast<qint64>(report.rows());
    facts.text = QByteArray::fromStdString(report.experiment_text());
    const reports::StartingFacts& starting = report.starting();
    facts.leftOut = notesByColumn(starting.left_out());
    facts.taken = notesByColumn(starting.taken());
    facts.warnings = notesByColumn(starting.warnings());
    takeModel(starting.model(), facts);
    reports::Preview columns;
    columns.mutable_columns()->Swap(report.mutable_columns());
    facts.table = dataFactsOf(columns);
    return facts;
}

} // namespace cannery::ui
