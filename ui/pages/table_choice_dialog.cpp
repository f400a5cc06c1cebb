// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/table_choice_dialog.h"

#include "ui/models/formats.h"
#include "ui/pages/page_parts.h"
#include "ui/services/job_runner.h"
#include "ui/services/projects/project_session.h"
#include "ui/widgets/label.h"
#include "ui/widgets/style/theme.h"
#include "ui/widgets/table_view.h"

#include <QBoxLayout>
#include <QFileInfo>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QJsonObject>
#include <QLineEdit>
#include <QPointer>

#include <algorithm>
#include <utility>

namespace cannery::ui {
namespace {

constexpr int kWidth = 560;
constexpr int kRowsShown = 8; ///< of a database with more tables

} // namespace

TableChoiceDialog::TableChoiceDialog(ProjectSession& session, const QString& file,
                                     const RowsChoice& current, QWidget* parent)
    : Dialog(tr("Choose a Table"), parent), m_session(&session), m_file(file), m_current(current),
      m_model(new DatabaseTablesModel(this)), m_tables(new TableView), m_query(new QLineEdit),
      m_words(new Label({}, TextRole::Label, Ink::Secondary))
{
    setObjectName("dialog.table_choice");
    setContentWidth(kWidth);
    setSentence(tr("%1 is a database. Its rows are those of one table, or of a query.")
                    .arg(QFileInfo(file).fileName()));
    m_tables->setObjectName("table.tables");
    m_tables->setAccessibleName(tr("Tables"));
    m_tables->setModel(m_model);
    m_tables->setSelectionMode(QAbstractItemView::SingleSelection);
    m_tables->setTabKeyNavigation(false);
    m_tables->horizontalHeader()->setStretchLastSection(true);
    m_tables->setFixedHeight(m_tables->horizontalHeader()->sizeHint().height() +
                             2 * m_tables->verticalHeader()->defaultSectionSize());
    m_words->setObjectName("label.tables");
    m_words->setWordWrap(true);
    m_words->setText(tr("Reading the tables…"));
    m_query->setObjectName("field.query");
    m_query->setAccessibleName(tr("Query"));
    m_query->setPlaceholderText(QStringLiteral("SELECT * FROM … JOIN …"));
    m_query->setText(current.query);
    body()->addWidget(m_tables);
    body()->addWidget(m_words);
    body()->addWidget(new Label(tr("Or the rows of a query"), TextRole::Label, Ink::Secondary));
    body()->addWidget(m_query);
    addButton(Button::Kind::Plain, tr("Cancel"), QDialog::Rejected)->setObjectName("button.cancel");
    m_use = addButton(Button::Kind::Primary, tr("Use This Table"), QDialog::Accepted, true);
    m_use->setObjectName("button.use_table");
    // A table or a query, never both.
    connect(m_query, &QLineEdit::textChanged, this, [this](const QString& query) {
        if (!query.trimmed().isEmpty()) {
            m_tables->clearSelection();
        }
        refreshButton();
    });
    connect(m_tables->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        if (m_tables->selectionModel()->hasSelection()) {
            m_query->clear();
        }
        refreshButton();
    });
    connect(m_tables, &QAbstractItemView::doubleClicked, this, &QDialog::accept);
    refreshButton();
    readTables();
}

TableChoiceDialog::~TableChoiceDialog()
{
    if (m_session) {
        m_session->jobs().cancel(m_job);
    }
}

void TableChoiceDialog::ask(ProjectSession& session, const QString& file, const RowsChoice& current,
                            QWidget* window, std::function<void(const RowsChoice&)> chosen)
{
    // One at a time: the latest database that was opened.
    if (auto* other = window->findChild<TableChoiceDialog*>()) {
        other->reject();
    }
    auto* dialog = new TableChoiceDialog(session, file, current, window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, window,
            [dialog, chosen = std::move(chosen)] { chosen(dialog->choice()); });
    dialog->open();
}

void TableChoiceDialog::readTables()
{
    // By the engine, as the window itself reads no tables.
    const CommandLine command{
        .arguments = {"inspect", m_file}, .folder = {}, .machineArguments = {"--json"}};
    m_job = m_session->jobs().run(
        tr("Reading the tables of %1").arg(QFileInfo(m_file).fileName()), command,
        [dialog = QPointer<TableChoiceDialog>(this)](const JobRunner::Outcome& outcome) {
            if (!dialog || outcome.cancelled) {
                return;
            }
            dialog->m_job = 0;
            if (outcome.ok) {
                dialog->showTables(databaseTablesFromJson(outcome.json.object()));
            } else {
                dialog->m_words->setText(outcome.sentence);
            }
        },
        true);
}

void TableChoiceDialog::showTables(const QList<DatabaseTable>& tables)
{
    m_model->setTables(tables);
    m_words->setText(counted(tables.size(), tr("1 table or view"), tr("%1 tables and views")));
    m_tables->resizeColumnsToContents();
    const int rows = std::min(m_model->rowCount(), kRowsShown);
    m_tables->setFixedHeight(m_tables->horizontalHeader()->sizeHint().height() +
                             rows * m_tables->verticalHeader()->defaultSectionSize() +
                             2 * m_tables->frameWidth());
    const int current = m_model->rowOf(m_current.table);
    // A query that is being written keeps the focus.
    if (m_query->text().isEmpty()) {
        m_tables->selectRow(current >= 0 ? current : m_model->likelyRow());
        m_tables->setFocus();
    }
    refreshButton();
}

RowsChoice TableChoiceDialog::choice() const
{
    const QString query = m_query->text().trimmed();
    const QModelIndexList rows = m_tables->selectionModel()->selectedRows();
    return query.isEmpty() && !rows.isEmpty()
               ? RowsChoice{.table = m_model->nameAt(rows.first().row())}
               : RowsChoice{.query = query};
}

void TableChoiceDialog::refreshButton()
{
    const bool isQuery = !m_query->text().trimmed().isEmpty();
    m_use->setText(isQuery ? tr("Use This Query") : tr("Use This Table"));
    m_use->setEnabled(choice().isMade());
}

} // namespace cannery::ui
