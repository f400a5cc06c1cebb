// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/runs/checkpoint_variables.h"

#include "core/reports/inspection.pb.h"
#include "ui/models/formats.h"
#include "ui/models/report_reader.h"

#include <QCoreApplication>
#include <QJsonObject>
#include <QSet>
#include <QStringList>

#include <algorithm>

namespace cannery::ui {

namespace {

struct InitialTableWords
{
    Q_DECLARE_TR_FUNCTIONS(InitialTable)
};

/// The variable that an optimizer keeps this one for ("…/embedding_weights/Adagrad", or
/// "training/Adagrad/…/embedding_weights/accumulator"); empty if none is.
QString slotOwner(const QString& name, const QSet<QString>& names)
{
    QString owner = name.left(std::max<qsizetype>(0, name.lastIndexOf(u'/')));
    while (!owner.isEmpty() && !names.contains(owner)) {
        const qsizetype scope = owner.indexOf(u'/');
        owner = scope < 0 ? QString() : owner.mid(scope + 1);
    }
    return owner;
}

QString hindranceOf(const CheckpointVariable& variable, const QSet<QString>& names, qint64 rows,
                    qint64 dimension)
{
    if (variable.shape.size() != 2) {
        return InitialTableWords::tr("It is no table of vectors: its shape is %1.")
            .arg(variable.shapeText());
    }
    if (const QString owner = slotOwner(variable.name, names); !owner.isEmpty()) {
        return InitialTableWords::tr("An optimizer keeps it for %1.").arg(owner);
    }
    if (variable.shape[1] != dimension) {
        return InitialTableWords::tr("Its vectors have %1 numbers, not %2.")
            .arg(formatCount(variable.shape[1]), formatCount(dimension));
    }
    if (rows >= 0 && variable.shape[0] != rows) {
        return InitialTableWords::tr("It has %1 vectors, not %2.")
            .arg(formatCount(variable.shape[0]), formatCount(rows));
    }
    return variable.type == QLatin1String("float32")
               ? QString()
               : InitialTableWords::tr("Its numbers are %1, not float32.").arg(variable.type);
}

} // namespace

QString CheckpointVariable::shapeText() const
{
    QStringList sizes;
    for (const qint64 size : shape) {
        sizes.append(formatCount(size));
    }
    return sizes.isEmpty() ? InitialTableWords::tr("a single number")
                           : sizes.join(QStringLiteral(" × "));
}

QList<CheckpointVariable> checkpointVariablesFromJson(const QJsonObject& inspection)
{
    QList<CheckpointVariable> variables;
    reports::InspectedCheckpoint report;
    readAnswer(inspection, report);
    for (const reports::CheckpointTensor& tensor : report.tensors()) {
        variables.append({.name = QString::fromStdString(tensor.name()),
                          .type = QString::fromStdString(tensor.dtype()),
                          .shape = {tensor.shape().dims().begin(), tensor.shape().dims().end()}});
    }
    return variables;
}

QList<InitialTable> initialTables(const QList<CheckpointVariable>& variables, qint64 rows,
                                  qint64 dimension)
{
    QSet<QString> names;
    for (const CheckpointVariable& variable : variables) {
        names.insert(variable.name);
    }
    QList<InitialTable> tables;
    for (const CheckpointVariable& variable : variables) {
        tables.append({variable, hindranceOf(variable, names, rows, dimension)});
    }
    std::stable_partition(tables.begin(), tables.end(),
                          [](const InitialTable& table) { return table.hindrance.isEmpty(); });
    return tables;
}

} // namespace cannery::ui
