// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/home/new_project_dialog.h"

#include "ui/document/field_edit.h"
#include "ui/document/table_files.h"
#include "ui/models/formats.h"
#include "ui/models/tables/column_facts.h"
#include "ui/models/tables/rows_preview_model.h"
#include "ui/pages/table_choice_dialog.h"
#include "ui/services/job_runner.h"
#include "ui/services/pasted_table.h"
#include "ui/services/projects/project_session.h"
#include "ui/services/projects/settings.h"
#include "ui/widgets/label.h"
#include "ui/widgets/link_label.h"
#include "ui/widgets/style/theme.h"
#include "ui/widgets/table_view.h"

#include <QClipboard>
#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QJsonObject>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPointer>
#include <QScrollBar>
#include <QSignalBlocker>

#include <utility>

namespace cannery::ui {
namespace {

constexpr int kRowsInDialog = 4; ///< shown in the dialog

} // namespace

NewProjectDialog::NewProjectDialog(ProjectSession& session, QWidget* parent)
    : Dialog(tr("New Project"), parent), m_session(&session), m_table(new QLineEdit),
      m_label(new QComboBox), m_chosenRows(new LinkLabel({}, TextRole::Label)),
      m_reason(new Label({}, TextRole::Label, Ink::Secondary)),
      m_where(new Label({}, TextRole::Label, Ink::Secondary)),
      m_rows(new TableView(TableView::Rows::Data)), m_preview(new RowsPreviewModel(this))
{
    setObjectName("dialog.new_project");
    setSentence(tr("A project begins with a table and, usually, a column to predict."));
    m_table->setObjectName("field.table");
    m_table->setAccessibleName(tr("Table"));
    m_table->setPlaceholderText(tr("A table, or a folder of TFRecord files"));
    m_label->setObjectName("field.label");
    m_label->setAccessibleName(tr("Label"));
    m_label->setEnabled(false);
    m_reason->setObjectName("label.reason");
    m_reason->setWordWrap(true);
    m_where->setWordWrap(true);
    auto* choose = new Button(Button::Kind::Plain, tr("Choose…"));
    choose->setObjectName("button.choose_table");
    // Enter in the field reads the table; it is not to press the first button of the dialog.
    choose->setAutoDefault(false);
    connect(choose, &QPushButton::clicked, this, &NewProjectDialog::chooseTable);
    auto* line = new QHBoxLayout;
    line->addWidget(m_table, 1);
    line->addWidget(choose);
    auto* pasting = new Button(Button::Kind::Plain, "clipboard", tr("Paste"));
    pasting->setObjectName("button.paste_table");
    pasting->setToolTip(tr("Make a table of the rows copied from a spreadsheet or a CSV file."));
    pasting->setAutoDefault(false);
    connect(pasting, &QPushButton::clicked, this, &NewProjectDialog::paste);
    m_table->installEventFilter(this);
    line->addWidget(pasting);
    body()->addWidget(new Label(tr("Table"), TextRole::Label, Ink::Secondary));
    body()->addLayout(line);
    addChosenRows();
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

NewProjectDialog::~NewProjectDialog()
{
    if (m_session) {
        m_session->jobs().cancel(m_job);
    }
}

void NewProjectDialog::addChosenRows()
{
    m_chosenRows->setObjectName("label.chosen_rows");
    m_chosenRows->setWordWrap(true);
    m_chosenRows->hide();
    connect(m_chosenRows, &QLabel::linkActivated, this, [this] { chooseRows(m_table->text()); });
    body()->addWidget(m_chosenRows);
}

void NewProjectDialog::chooseTable()
{
    auto* dialog = new QFileDialog(this, tr("Choose Table"));
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setObjectName("dialog.table_file");
    dialog->setNameFilter(tableFileFilters());
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
    // The field also loses the focus without another table in it.
    if (table.isEmpty() || table == m_asked) {
        return;
    }
    m_session->tables().ask(table);
}

void NewProjectDialog::showReading(const QString& table, const TableReading& reading)
{
    m_asked = table;
    m_table->setText(table);
    m_label->clear();
    m_label->setEnabled(false);
    m_reason->setText(tr("Reading the table…"));
    showChosenRows(reading.rows);
    readFirstRows(table, reading);
    refreshButton();
}

void NewProjectDialog::chooseRows(const QString& database)
{
    TableReading reading = m_session->tables().askingReading();
    m_asked = database; // losing the focus to the question is no answer to it
    m_reason->clear();
    m_chosenRows->setText(tr("%1 holds several tables. <a href=\"table\">Choose One…</a>")
                              .arg(QFileInfo(database).fileName().toHtmlEscaped()));
    m_chosenRows->show();
    TableChoiceDialog::ask(*m_session, database, reading.rows, this,
                           [this, database, reading](const RowsChoice& rows) mutable {
                               reading.rows = rows;
                               m_session->tables().ask(database, reading);
                           });
}

void NewProjectDialog::showChosenRows(const RowsChoice& rows)
{
    m_chosenRows->setVisible(rows.isMade());
    m_chosenRows->setText(tr("Reads %1. <a href=\"table\">Change…</a>")
                              .arg(rows.words(m_table->text()).toHtmlEscaped()));
}

void NewProjectDialog::readFirstRows(const QString& table, const TableReading& reading)
{
    if (table == m_rowsOf && reading == m_rowsReading) {
        return;
    }
    m_rowsOf = table;
    m_rowsReading = reading;
    m_rows->hide();
    m_session->jobs().cancel(std::exchange(m_job, 0));
    CommandLine command{
        .arguments = {"preview", table, "--first-rows", "--rows", QString::number(kRowsInDialog)},
        .folder = {},
        .machineArguments = {"--json"}};
    if (!reading.delimiter.isEmpty()) {
        command.arguments << "--set"
                          << "data.train.csv.field_delim=" + quoted(reading.delimiter);
    }
    if (!reading.encoding.isEmpty()) {
        command.arguments << "--set"
                          << "data.train.csv.encoding=" + reading.encoding;
    }
    command.arguments << tableOptions(reading.rows);
    m_job = m_session->jobs().run(
        tr("Reading the first rows"), command,
        [dialog = QPointer<NewProjectDialog>(this), table,
         reading](const JobRunner::Outcome& outcome) {
            // Another table, or another way of reading, may have been chosen meanwhile.
            if (dialog && table == dialog->m_rowsOf && reading == dialog->m_rowsReading) {
                dialog->m_job = 0;
                if (outcome.ok) {
                    dialog->showFirstRows(outcome.json.object());
                }
            }
        },
        true);
}

void NewProjectDialog::showFirstRows(const QJsonObject& preview)
{
    m_preview->setFacts(dataFactsFromJson(preview));
    if (m_preview->rowCount() == 0) {
        return;
    }
    m_rows->resizeColumnsToContents();
    // Just as high as its rows, so that it does not scroll within the dialog.
    m_rows->setFixedHeight(m_rows->horizontalHeader()->sizeHint().height() +
                           m_preview->rowCount() * m_rows->rowHeight(0) +
                           m_rows->horizontalScrollBar()->sizeHint().height());
    m_rows->show();
}

void NewProjectDialog::paste()
{
    m_session->tables().paste(QGuiApplication::clipboard()->text(), {});
}

/// A table is pasted as one, anything else into the field.
bool NewProjectDialog::eventFilter(QObject* watched, QEvent* event)
{
    const bool isPaste = event->type() == QEvent::KeyPress &&
                         static_cast<QKeyEvent*>(event)->matches(QKeySequence::Paste);
    if (watched == m_table && isPaste && isTableText(QGuiApplication::clipboard()->text())) {
        paste();
        return true;
    }
    return Dialog::eventFilter(watched, event);
}

void NewProjectDialog::showQuestion()
{
    const LabelQuestion& question = m_session->tables().question();
    const NewFacts& answer = question.answer;
    m_asked = question.table;
    m_table->setText(question.table);
    showChosenRows(question.reading.rows);
    readFirstRows(question.table, question.reading);
    {
        // Filling the list chooses nothing.
        const QSignalBlocker blocker(m_label);
        m_label->clear();
        for (const ColumnFacts& column : answer.table.columns) {
            m_label->addItem(tr("%1, %2").arg(column.name, column.type), column.name);
            m_label->setItemData(m_label->count() - 1, column.reason, Qt::ToolTipRole);
        }
        m_label->addItem(tr("No label: find groups of similar rows"), QString());
        m_label->setCurrentIndex(answer.guess.isEmpty() ? -1 : m_label->findData(answer.guess));
    }
    m_label->setEnabled(true);
    m_label->setFocus();
    const QString rows =
        tr("%1 rows, %2 columns.")
            .arg(formatCount(answer.rows), formatCount(answer.table.columns.size()));
    m_reason->setText(
        answer.guessReason.isEmpty()
            ? rows
            : tr("%1 %2 is suggested: %3.").arg(rows, answer.guess, answer.guessReason));
    m_where->setText(tr("The project is created in %1; the table stays where it is.")
                         .arg(formatPath(m_session->settings().projectsFolder())));
    refreshButton();
}

void NewProjectDialog::create()
{
    const QString label = m_label->currentData().toString();
    m_session->tables().makeAtOnce(
        m_asked, label.isEmpty() ? ProjectChoices::clusters() : ProjectChoices{.label = label},
        m_session->tables().question().reading);
    accept();
}

void NewProjectDialog::refreshButton()
{
    m_create->setEnabled(m_label->isEnabled() && m_label->currentIndex() >= 0);
}

} // namespace cannery::ui
