// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/export_facts.h"

#include "core/reports/export.pb.h"
#include "ui/models/report_reader.h"

#include <QStringList>

namespace cannery::ui {

namespace {

QString shapeText(const reports::Shape& shape)
{
    QStringList parts;
    for (const qint64 size : shape.dims()) {
        parts.append(size < 0 ? QStringLiteral("batch") : QString::number(size));
    }
    return '[' + parts.join(QLatin1String(", ")) + ']';
}

template <typename Tensors>
QList<TensorFacts> tensorsOf(const Tensors& tensors)
{
    QList<TensorFacts> list;
    for (const reports::SignatureTensor& tensor : tensors) {
        list.append({.name = QString::fromStdString(tensor.name()),
                     .type = QString::fromStdString(tensor.dtype()),
                     .shape = shapeText(tensor.shape())});
    }
    return list;
}

} // namespace

ExportFacts exportFactsFromJson(const QJsonObject& json)
{
    reports::Export report;
    readAnswer(json, report);
    const reports::Verification& check = report.verification();
    ExportFacts facts{.path = QString::fromStdString(report.path()),
                      .bytes = static_cast<qint64>(report.bytes()),
                      .verifiedRows = static_cast<int>(check.rows()),
                      .equalRows = static_cast<int>(check.equal()),
                      .maxDifference = check.max_difference()};
    for (const reports::Signature& signature : report.signatures()) {
        facts.signatures.append({.name = QString::fromStdString(signature.name()),
                                 .method = QString::fromStdString(signature.method()),
                                 .inputs = tensorsOf(signature.inputs()),
                                 .outputs = tensorsOf(signature.outputs())});
    }
    return facts;
}

} // namespace cannery::ui
