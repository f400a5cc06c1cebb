// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/guided/guided_page.h"

#include "ui/document/field_schema.h"
#include "ui/editing/guided_columns_model.h"
#include "ui/editors/tile_gallery.h"
#include "ui/models/formats.h"
#include "ui/pages/guided/guided_section.h"
#include "ui/pages/model/estimator_choice.h"
#include "ui/pages/page_parts.h"
#include "ui/services/projects/project_session.h"
#include "ui/services/projects/settings.h"
#include "ui/widgets/button.h"
#include "ui/widgets/label.h"
#include "ui/widgets/link_label.h"
#include "ui/widgets/strip.h"
#include "ui/widgets/table_view.h"

#include <QFileInfo>
#include <QLineEdit>
#include <QSignalBlocker>

namespace cannery::ui {
namespace {

/// An estimate, not more precise than it is.
QString durationWords(double seconds)
{
    return seconds < 1 ? GuidedPage::tr("less than a second")
                       : GuidedPage::tr("about %1").arg(formatDuration(seconds));
}

QString kindTitle(const ModelKindFacts& kind)
{
    const auto schema = fieldSchema(QStringLiteral("estimator.") + kind.estimator);
    return schema ? schema->label : kind.estimator;
}

} // namespace

QString GuidedPage::labelHindrance() const
{
    if (!m_run.hasTable()) {
        return tr("Choose a table first.");
    }
    return m_run.label().isEmpty() && !m_run.areClusters()
               ? tr("Choose the column to predict first.")
               : m_run.labelProblem();
}

// Everything together: an answer changes what can be asked below it.
void GuidedPage::refresh()
{
    refreshTable();
    refreshQuestion();
    refreshColumns();
    refreshModel();
    refreshTrain();
    refreshProblem();
}

void GuidedPage::refreshTable()
{
    const QString file = m_run.chosenRows().words(m_run.table());
    // A path that is being typed is not emptied.
    if (!m_table->hasFocus() || !m_run.table().isEmpty()) {
        m_table->setText(m_run.table()); // whole: it is read again when the field is left
    }
    const QString size =
        tr("%1, %2").arg(counted(m_run.rows(), tr("one row"), tr("%1 rows")),
                         counted(m_run.facts().columns.size(), tr("one column"), tr("%1 columns")));
    const QString words = m_run.isReading()  ? tr("Reading %1…").arg(file)
                          : m_run.hasTable() ? tr("%1: %2.").arg(file, size)
                                             : QString();
    m_tableWords->setText(m_run.hasTable() && m_run.chosenRows().isMade()
                              ? tr("%1 <a href=\"table\">Change…</a>").arg(words.toHtmlEscaped())
                              : words.toHtmlEscaped());
    m_tableWords->setVisible(!m_tableWords->text().isEmpty());
    GuidedSection* section = m_sections[Table];
    section->setSummary(m_run.hasTable() ? tr("%1: %2").arg(file, size) : tr("none yet"));
    section->setAnswered(m_run.hasTable());
    section->setContinueHindrance(m_run.hasTable()    ? QString()
                                  : m_run.isReading() ? tr("The table is being read.")
                                                      : tr("Choose a table first."));
}

void GuidedPage::refreshQuestion()
{
    if (m_shownTable != m_run.table() || m_labels->rowCount() == 0) {
        m_shownTable = m_run.table();
        // A reset moves the current row, which would choose a label.
        const QSignalBlocker blocker(m_labelView->selectionModel());
        m_labels->setFacts(m_run.facts());
        m_columns->setFacts(m_run.facts());
        m_labelView->resizeColumnsToContents();
    }
    const int row = m_labels->rowOf(m_run.label());
    if (row >= 0 && m_labelView->currentIndex().row() != row) {
        m_labelView->selectRow(row);
    }
    if (m_run.areClusters()) {
        m_labelView->clearSelection();
        m_labelView->setCurrentIndex({});
    }
    QStringList words;
    const ColumnFacts* label = m_run.facts().find(m_run.label());
    if (!m_run.labelProblem().isEmpty()) {
        words << m_run.labelProblem();
    } else if (label != nullptr && !m_run.task().isEmpty()) {
        if (m_run.label() == m_run.guess()) {
            words << tr("Proposed: %1.").arg(m_run.guessReason());
        }
        words << taskWords(*label, m_run.task());
    } else if (m_run.areClusters()) {
        words << tr("Nothing is predicted: each row gets the number of its group, among the rows "
                    "most like it.");
    }
    m_labelWords->setText(words.join(u' '));
    m_labelWords->setInk(m_run.labelProblem().isEmpty() ? Ink::Text : Ink::Error);
    m_labelWords->setVisible(!words.isEmpty());
    m_clusters->setVisible(m_run.hasTable() && !m_run.areClusters());
    GuidedSection* section = m_sections[Question];
    section->setHindrance(m_run.hasTable() ? QString() : tr("Choose a table first."));
    section->setSummary(m_run.areClusters()       ? tr("groups of similar rows")
                        : m_run.label().isEmpty() ? QString()
                        : m_run.task().isEmpty()  ? m_run.label()
                                                  : tr("%1: %2").arg(m_run.label(), m_run.task()));
    section->setAnswered(!m_run.task().isEmpty());
    section->setContinueHindrance(labelHindrance());
}

void GuidedPage::refreshColumns()
{
    m_columns->setLabel(m_run.label());
    m_columns->setRemarks(m_run.leftOut(), m_run.remarks(), m_run.warnings());
    m_columns->setUnwanted({m_run.unwanted().begin(), m_run.unwanted().end()});
    auto* view = findChild<TableView*>("table.guided_columns");
    view->resizeColumnsToContents();
    const int used = m_columns->usedCount();
    const auto others = m_columns->rowCount() - used;
    m_columnWords->setText(
        m_run.warnings().isEmpty()
            ? tr("Columns without information are left out. Uncheck those that you will not "
                 "know when you predict.")
            : tr("A column marked below predicts the answer almost by itself: uncheck it if it "
                 "is only known afterwards."));
    GuidedSection* section = m_sections[Columns];
    section->setHindrance(labelHindrance());
    section->setSummary(
        m_run.task().isEmpty()
            ? QString()
            : tr("%1, %2").arg(counted(used, tr("one column"), tr("%1 columns")),
                               others == 0 ? tr("none left out") : tr("%1 left out").arg(others)));
    section->setAnswered(!m_run.task().isEmpty() && used > 0);
    section->setContinueHindrance(labelHindrance());
}

QString GuidedPage::modelWords() const
{
    if (m_run.areClusters()) {
        return tr("The number of groups can be changed once the project is created.");
    }
    const ModelKindFacts* chosen = m_run.kind(m_run.chosen());
    // Numbers are compared only once all models have been tried.
    if (m_run.isTrying() || chosen == nullptr) {
        return tr(
            "Models are being tried on some of the rows and judged on rows that they have not "
            "learned from…");
    }
    if (!chosen->loss) {
        return tr("The usual choice for a table of this size; nothing was tried.");
    }
    QStringList others;
    for (const ModelKindFacts& kind : m_run.kinds()) {
        if (kind.loss && kind.family != chosen->family) {
            others << tr("%1: %2").arg(kindTitle(kind), formatNumber(*kind.loss));
        }
    }
    if (m_run.guessLoss()) {
        others << tr("guessing without any column: %1").arg(formatNumber(*m_run.guessLoss()));
    }
    const QString lead = m_run.isOwnChoice() ? tr("Your choice. On rows that it had not learned "
                                                  "from, its error (loss) was %1.")
                                             : tr("Proposed, because its error (loss) was smallest "
                                                  "on rows that it had not learned from: %1.");
    return tr("%1 For comparison: %2. Smaller is better.")
        .arg(lead.arg(formatNumber(*chosen->loss)), others.join(tr("; ")));
}

void GuidedPage::refreshModel()
{
    QList<TileGallery::Tile> tiles;
    for (const ModelKindFacts& kind : m_run.kinds()) {
        const auto schema = fieldSchema(QStringLiteral("estimator.") + kind.estimator);
        tiles.append({.id = kind.family,
                      .title = kindTitle(kind),
                      .sentence = schema ? schema->help : QString(),
                      .help = kind.estimator,
                      .sketch = EstimatorChoice::sketchOf(kind.estimator)});
    }
    m_kinds->setTiles(tiles);
    m_kinds->setCurrent(m_run.chosen());
    m_modelWords->setText(modelWords());
    const ModelKindFacts* chosen = m_run.kind(m_run.chosen());
    const bool isKnown = chosen != nullptr && !m_run.isTrying();
    GuidedSection* section = m_sections[Model];
    section->setHindrance(labelHindrance());
    section->setSummary(isKnown            ? kindTitle(*chosen)
                        : m_run.isTrying() ? tr("trying models…")
                                           : QString());
    section->setAnswered(isKnown);
    section->setContinueHindrance(labelHindrance());
}

void GuidedPage::refreshTrain()
{
    const ModelKindFacts* chosen = m_run.kind(m_run.chosen());
    const bool isReady = chosen != nullptr && !m_run.isTrying();
    const QString hindrance = m_run.isBeginning()           ? tr("The project is being created.")
                              : !labelHindrance().isEmpty() ? labelHindrance()
                              : !isReady                    ? tr("Models are still being tried.")
                                                            : QString();
    setHindrance(m_train, hindrance);
    QStringList words;
    if (isReady) {
        words << (m_run.areClusters()
                      ? tr("%1 finds groups of similar rows.").arg(kindTitle(*chosen))
                      : tr("%1 is trained to predict %2.").arg(kindTitle(*chosen), m_run.label()));
        if (m_run.seconds()) {
            words << tr("This takes %1 on this machine, estimated from a short trial.")
                         .arg(durationWords(*m_run.seconds()));
        }
        words << tr("A project is created in %1; the table stays where it is, and everything can "
                    "be changed afterwards.")
                     .arg(formatPath(session().settings().projectsFolder()));
    } else {
        words << hindrance;
    }
    m_trainWords->setText(words.join(u' '));
    GuidedSection* section = m_sections[Train];
    section->setHindrance(labelHindrance());
    section->setSummary(!isReady || !m_run.seconds() ? QString() : durationWords(*m_run.seconds()));
}

void GuidedPage::refreshProblem()
{
    if (m_run.problem().isEmpty()) {
        m_strip->hide();
    } else if (!m_run.undecided().isEmpty()) {
        m_strip->setMessageWithLinks(
            Strip::Level::Warning, {},
            tr("%1 <a href=\"table\">Choose One…</a>").arg(m_run.problem().toHtmlEscaped()));
    } else if (m_run.needsRemedy()) {
        m_strip->setMessageWithLinks(Strip::Level::Error, tr("The table cannot be read."),
                                     tr("%1 <a href=\"remedy\">Show the line and the remedies</a>")
                                         .arg(m_run.problem().toHtmlEscaped()));
    } else {
        m_strip->setMessage(Strip::Level::Error, {}, m_run.problem());
    }
}

} // namespace cannery::ui
