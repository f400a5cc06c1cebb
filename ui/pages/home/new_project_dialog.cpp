// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/home/new_project_dialog.h"

#include "ui/document/background.h"
#include "ui/models/formats.h"
#include "ui/models/rows_preview_model.h"
#include "ui/services/project_session.h"
#include "ui/services/settings.h"
#include "ui/services/table_lines.h"
#include "ui/widgets/label.h"
#include "ui/widgets/table_view.h"
#include "ui/widgets/theme.h"

#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QScrollBar>
#include <QSignalBlocker>

namespace cannery::ui {
namespace {

constexpr int kRowsInDialog = 4; ///< shown in the dialog

} // namespace

NewProjectDialog::NewProjectDialog(ProjectSession& session, QWidget* parent)
    : Dialog(tr("New Project"), parent), m_session(&session), m_table(new QLineEdit),
      m_label(new QComboBox), m_reason(new Label({}, TextRole::Label, Ink::Secondary)),
      m_where(new Label({}, TextRole::Label, Ink::Secondary)),
      m_rows(new TableView(TableView::Rows::Data)), m_preview(new RowsPreviewModel(this))
{
    setObjectName("dialog.new_project");
    setSentence(tr("A project begins with a table and the column to predict."));
    m_table->setObjectName("field.table");
    m_table->setAccessibleName(tr("Table"));
    m_table->setPlaceholderText(tr("A CSV or TSV file"));
    m_label->setObjectName("field.label");
    m_label->setAccessibleName(tr("Label"));
    m_label->setEnabled(false);
    m_reason->setObjectName("label.reason");
    m_reason->setWordWrap(true);
    m_where->setWordWrap(true);
    auto* choose = new Button(Button::Kind::Plain, tr("Choose…"));
    choose->setObjectName("button.choose_table");
    choose->setAutoDefault(false);
    connect(choose, &QPushButton::clicked, this, &NewProjectDialog::chooseTable);
    auto* line = new QHBoxLayout;
    line->addWidget(m_table, 1);
    line->addWidget(choose);
    body()->addWidget(new Label(tr("Table"), TextRole::Label, Ink::Secondary));
    body()->addLayout(line);
    m_rows->setObjectName("table.first_rows");
    m_rows->setAccessibleName(tr("First rows of the table"));
    m_rows->setModel(m_preview);
    m_rows->setSelectionMode(QAbstractItemView::NoSelection);
    m_rows->hide();
    body()->addWidget(new Label(tr("Predict"), TextRole::Label, Ink::Secondary));
    body()->addWidget(m_label);
    body()->addWidget(m_reason);
    body()->addWidget(m_where);
    body()->addWidget(m_rows);
    addButton(Button::Kind::Plain, tr("Cancel"), QDialog::Rejected)->setObjectName("button.cancel");
    m_create = addButton(Button::Kind::Primary, tr("Create Project"), keepsOpen, true);
    m_create->setObjectName("button.create");
    connect(m_create, &QPushButton::clicked, this, &NewProjectDialog::create);
    connect(m_table, &QLineEdit::editingFinished, this, &NewProjectDialog::ask);
    connect(m_label, &QComboBox::currentIndexChanged, this, &NewProjectDialog::refreshButton);
    connect(m_session, &ProjectSession::failed, this, [this](const QString& sentence) {
        m_reason->setText(sentence);
        m_label->setEnabled(false);
        m_asked.clear();
        refreshButton();
    });
    // The Data page shows which line it is, and the remedies.
    connect(&m_session->tables(), &TableImport::troubleChanged, this, [this] {
        if (!m_session->tables().trouble().isEmpty()) {
            reject();
        }
    });
    connect(this, &QDialog::rejected, &m_session->tables(), &TableImport::cancel);
    refreshButton();
}

void NewProjectDialog::chooseTable()
{
    auto* dialog = new QFileDialog(this, tr("Choose Table"));
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setNameFilter(tr("Tables (*.csv *.tsv *.csv.gz *.txt);;All files (*)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& file) {
        m_table->setText(file);
        ask();
    });
    dialog->open();
}

void NewProjectDialog::ask()
{
    const QString table = m_table->text();
    if (table.isEmpty() || table == m_asked) {
        return;
    }
    m_session->newFromTable(table);
}

void NewProjectDialog::showReading(const QString& table)
{
    m_asked = table;
    m_table->setText(table);
    m_label->clear();
    m_label->setEnabled(false);
    m_reason->setText(tr("Reading the table…"));
    readFirstRows(table);
    refreshButton();
}

/// Shown at once, so that users see whether it is the right table.
void NewProjectDialog::readFirstRows(const QString& table)
{
    if (table == m_rowsOf) {
        return;
    }
    m_rowsOf = table;
    m_rows->hide();
    inBackground(
        m_pool, this, [table] { return readTableLines(table, 1, kRowsInDialog); },
        [this, table](const TableLines& lines) {
            if (table != m_rowsOf || !lines.problem.isEmpty() || lines.lines.size() < 2) {
                return;
            }
            m_preview->setFacts(firstRowsOf(lines));
            m_rows->resizeColumnsToContents();
            m_rows->setFixedHeight(m_rows->horizontalHeader()->sizeHint().height() +
                                   m_preview->rowCount() * m_rows->rowHeight(0) +
                                   m_rows->horizontalScrollBar()->sizeHint().height());
            m_rows->show();
        });
}

void NewProjectDialog::showQuestion()
{
    const LabelQuestion& question = m_session->labelQuestion();
    m_asked = question.table;
    m_table->setText(question.table);
    readFirstRows(question.table);
    {
        const QSignalBlocker blocker(m_label);
        m_label->clear();
        for (const LabelQuestion::Column& column : question.columns) {
            m_label->addItem(tr("%1, %2").arg(column.name, column.type), column.name);
            m_label->setItemData(m_label->count() - 1, column.reason, Qt::ToolTipRole);
        }
        m_label->setCurrentIndex(m_label->findData(question.guess));
    }
    m_label->setEnabled(m_label->count() > 0);
    m_label->setFocus();
    const QString rows = tr("%1 rows, %2 columns.")
                             .arg(formatCount(question.rows), formatCount(question.columns.size()));
    m_reason->setText(question.reason.isEmpty() ? rows : rows + ' ' + question.reason);
    m_where->setText(tr("The project is created in %1; the table stays where it is.")
                         .arg(formatPath(m_session->settings().projectsFolder())));
    refreshButton();
}

void NewProjectDialog::create()
{
    m_session->newFromTable(m_asked, m_label->currentData().toString(),
                            m_session->labelQuestion().reading);
    accept();
}

void NewProjectDialog::refreshButton()
{
    m_create->setEnabled(m_label->isEnabled() && m_label->currentIndex() >= 0);
}

} // namespace cannery::ui
