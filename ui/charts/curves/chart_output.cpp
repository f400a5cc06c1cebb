// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/curves/chart_output.h"

#include "ui/charts/curves/chart_canvas.h"
#include "ui/charts/curves/chart_figure.h"
#include "ui/charts/curves/chart_header.h"
#include "ui/charts/curves/chart_plot.h"
#include "ui/models/formats.h"
#include "ui/widgets/dialog.h"
#include "ui/widgets/table_view.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QFileDialog>
#include <QFileInfo>
#include <QHeaderView>
#include <QPointer>
#include <QThreadPool>
#include <QVBoxLayout>

namespace cannery::ui {
namespace {

FigureWords wordsOf(const ChartHeader& header)
{
    return {header.title(), header.tag()};
}

QSize figureSize(const QWidget& shown)
{
    return shown.size().expandedTo({640, 400});
}

} // namespace

ChartOutput::ChartOutput(ChartPlot& plot, const ChartHeader& header, const ChartCanvas& canvas,
                         QWidget& shown)
    : m_plot(plot), m_header(header), m_canvas(canvas), m_shown(shown), m_table(plot)
{}

QImage ChartOutput::image(qreal scale) const
{
    m_plot.content.update();
    return figureImage(m_plot, wordsOf(m_header), figureSize(m_shown), scale);
}

FigureBytes ChartOutput::bytesOf(const QString& file, QString* error) const
{
    m_plot.content.update();
    return figureBytes(m_plot, wordsOf(m_header), figureSize(m_shown),
                       QFileInfo(file).suffix().toLower(), error);
}

bool ChartOutput::write(const QString& file, QString* error) const
{
    const FigureBytes bytes = bytesOf(file, error);
    return bytes && writeFigure(bytes, file, error);
}

void ChartOutput::writeInBackground(const QString& file)
{
    QString error;
    const FigureBytes bytes = bytesOf(file, &error);
    if (!bytes) {
        Q_EMIT written(file, error);
        return;
    }
    QThreadPool::globalInstance()->start([self = QPointer<ChartOutput>(this), bytes, file] {
        QString problem;
        writeFigure(bytes, file, &problem);
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [self, file, problem] {
                if (self) {
                    Q_EMIT self->written(file, problem);
                }
            },
            Qt::QueuedConnection);
    });
}

QAbstractItemModel* ChartOutput::table()
{
    if (m_tableStamp != m_canvas.paintCount()) {
        m_tableStamp = m_canvas.paintCount();
        m_table.refresh();
    }
    return &m_table;
}

void ChartOutput::askFile()
{
    QString name = m_header.tag().isEmpty() ? m_header.title() : m_header.tag();
    name.replace('/', '_');
    auto* dialog = new QFileDialog(m_shown.window(), tr("Save chart"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilters({tr("Picture (*.png)"), tr("Drawing (*.svg)"), tr("Document (*.pdf)"),
                            tr("All values (*.csv)")});
    dialog->setDefaultSuffix(QStringLiteral("png"));
    connect(dialog, &QFileDialog::filterSelected, dialog, [dialog](const QString& filter) {
        dialog->setDefaultSuffix(filter.section(QLatin1String("*."), 1).chopped(1));
    });
    dialog->selectFile(name);
    connect(dialog, &QFileDialog::fileSelected, this, &ChartOutput::writeInBackground);
    dialog->open();
}

void ChartOutput::showTable()
{
    const QString title = m_header.title();
    auto* dialog = new Dialog(title.isEmpty() ? m_header.tag() : title, m_shown.window());
    dialog->setObjectName(QStringLiteral("dialog.chart_values"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setContentWidth(640);
    auto* model = new ChartTableModel(m_plot, dialog);
    dialog->setSentence(model->isOfLongestOnly()
                            ? tr("All points of the longest curve in the visible range, and the "
                                 "values of the others at its steps.")
                            : tr("All points of the visible range."));
    auto* view = new TableView(TableView::Rows::Data, dialog);
    view->setObjectName(QStringLiteral("table.chart_values"));
    view->setAccessibleName(tr("Values of %1").arg(title));
    view->setModel(model);
    view->setMinimumHeight(scaled(320));
    view->horizontalHeader()->setDefaultSectionSize(scaled(110));
    dialog->body()->addWidget(view);
    dialog->addButton(Button::Kind::Plain, tr("Close"), QDialog::Accepted, true);
    // The table keeps a reference to the plot.
    connect(this, &QObject::destroyed, dialog, &QDialog::reject);
    dialog->open();
}

QString readoutText(const QList<ReadoutRow>& rows)
{
    if (rows.isEmpty()) {
        return {};
    }
    QString text = QStringList{ChartOutput::tr("Run"),           ChartOutput::tr("Curve"),
                               ChartOutput::tr("Step"),          ChartOutput::tr("Value"),
                               ChartOutput::tr("Smoothed"),      ChartOutput::tr("Wall clock"),
                               ChartOutput::tr("Since start, s")}
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
