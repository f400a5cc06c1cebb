// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/curves/chart_card_private.h"
#include "ui/charts/curves/chart_figure.h"
#include "ui/models/formats.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QFileInfo>
#include <QThreadPool>

namespace cannery::ui {

QSize ChartCard::Private::figureSize() const
{
    return card.size().expandedTo({640, 400});
}

QImage ChartCard::toImage(qreal scale) const
{
    m_private->plot.update();
    return figureImage(m_private->plot, {m_private->title, m_private->tag}, m_private->figureSize(),
                       scale);
}

bool ChartCard::exportTo(const QString& file, QString* error) const
{
    m_private->plot.update();
    const FigureBytes bytes =
        figureBytes(m_private->plot, {m_private->title, m_private->tag}, m_private->figureSize(),
                    QFileInfo(file).suffix().toLower(), error);
    return bytes && writeFigure(bytes, file, error);
}

void ChartCard::exportInBackground(const QString& file)
{
    QString error;
    m_private->plot.update();
    const FigureBytes bytes =
        figureBytes(m_private->plot, {m_private->title, m_private->tag}, m_private->figureSize(),
                    QFileInfo(file).suffix().toLower(), &error);
    if (!bytes) {
        Q_EMIT exported(file, error);
        return;
    }
    QThreadPool::globalInstance()->start([card = QPointer<ChartCard>(this), bytes, file] {
        QString problem;
        writeFigure(bytes, file, &problem);
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [card, file, problem] {
                if (card) {
                    Q_EMIT card->exported(file, problem);
                }
            },
            Qt::QueuedConnection);
    });
}

QString ChartCard::valuesAsText() const
{
    const QList<ReadoutRow> rows = readout();
    if (rows.isEmpty()) {
        return {};
    }
    QString text = QStringList{tr("Run"),      tr("Curve"),      tr("Step"),          tr("Value"),
                               tr("Smoothed"), tr("Wall clock"), tr("Since start, s")}
                       .join('\t') +
                   '\n';
    for (const ReadoutRow& row : rows) {
        const QDateTime wall = QDateTime::fromMSecsSinceEpoch(qint64(row.wallTime * 1000));
        text += QStringList{row.run,
                            row.label,
                            QString::number(row.step),
                            formatExact(row.value),
                            row.smoothed ? QString::number(*row.smoothed, 'g', 9) : QString(),
                            row.wallTime > 0 ? wall.toString(Qt::ISODateWithMs) : QString(),
                            QString::number(row.sinceStart, 'f', 3)}
                    .join('\t') +
                '\n';
    }
    return text;
}

} // namespace cannery::ui
