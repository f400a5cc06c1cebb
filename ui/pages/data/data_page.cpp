// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/data/data_page.h"

#include "ui/document/checked_problems.h"
#include "ui/document/data_edits.h"
#include "ui/document/experiment_document.h"
#include "ui/document/problem_cures.h"
#include "ui/editing/derived_features.h"
#include "ui/editing/document_query.h"
#include "ui/editing/experiment_facts.h"
#include "ui/editing/field_values.h"
#include "ui/editing/remark_list.h"
#include "ui/models/formats.h"
#include "ui/models/tables/rows_preview_model.h"
#include "ui/pages/data/browsed_table.h"
#include "ui/pages/data/components_view.h"
#include "ui/pages/data/data_inspector.h"
#include "ui/pages/data/histogram_header.h"
#include "ui/pages/data/remarks_view.h"
#include "ui/pages/data/split_panel.h"
#include "ui/pages/data/table_change.h"
#include "ui/pages/data/table_trouble_view.h"
#include "ui/pages/data/table_views.h"
#include "ui/pages/page_parts.h"
#include "ui/pages/page_problems.h"
#include "ui/services/projects/project_session.h"
#include "ui/widgets/behaviour/update_throttle.h"
#include "ui/widgets/button.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/label.h"
#include "ui/widgets/link_label.h"
#include "ui/widgets/page_header.h"
#include "ui/widgets/strip.h"
#include "ui/widgets/style/theme.h"

#include <QAction>
#include <QClipboard>
#include <QDir>
#include <QFileInfo>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QItemSelection>
#include <QItemSelectionModel>
#include <QJsonDocument>
#include <QJsonObject>
#include <QScopedValueRollback>
#include <QScrollArea>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace cannery::ui {
namespace {

/// The views in saved states, by TableViews::View.
const QStringList kViewNames{QStringLiteral("rows"), QStringLiteral("components"),
                             QStringLiteral("pictures")};

/// File names without folders: "../../../../tmp/a.csv" helps nobody.
QString fileNames(const QStringList& files)
{
    QStringList names;
    for (const QString& file : files) {
        names.append(QFileInfo(file).fileName());
    }
    return names.join(QLatin1String(", "));
}

} // namespace

DataPage::DataPage(const PageContext& context, QWidget* parent)
    : Page("data", context, parent), m_preview(&DocumentQuery::preview(session())),
      m_remarks(&RemarkList::of(session())), m_views(new TableViews(session())),
      m_rows(&m_views->rows()), m_model(m_rows->model()), m_stack(new QStackedWidget(this)),
      m_empty(new EmptyState(this)), m_inspector(new DataInspector(session(), this)),
      m_copyDetails(new QAction(tr("Copy Details"), this)),
      m_openFile(new QAction(tr("Open in Text Editor"), this)),
      m_changeTable(new QAction(tr("Change Table…"), this)),
      m_joining(std::make_shared<std::atomic_bool>(false))
{
    m_inspector->hide();
    m_copyDetails->setObjectName("action.copy_details");
    connect(m_copyDetails, &QAction::triggered, this, [this] {
        const TableTrouble trouble = troubleNow();
        // The strip shows the problem even where no trouble with the table is known.
        QGuiApplication::clipboard()->setText(trouble.isEmpty() ? m_strip->text()
                                                                : trouble.sentence);
    });
    m_changeTable->setObjectName("action.change_table");
    m_changeTable->setToolTip(tr("Choose another table, or a query, of the database"));
    connect(m_changeTable, &QAction::triggered, this, [this] { changeTable(session(), window()); });
    m_empty->setObjectName("empty.data");
    m_empty->setPicture(EmptyState::Sketch::Table, "table");
    m_empty->setTitle(tr("No data yet"));
    m_empty->setSentence(tr("Drop a CSV file here, or open one, and choose its label."));
    m_empty->setPrimaryAction(action("action.open_data"), tr("Choose File…"));
    m_empty->setPlainAction(action("action.page_home"), tr("Use a Sample"));
    m_stack->addWidget(makeEmptyPage(tr("Data"), m_empty));
    m_stack->addWidget(makeScrollArea(makeContent()));
    makeTrouble();
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(m_stack);
    // At once, but only while the page is visible; the mark in the rail is always seen.
    auto* shown = new UpdateThrottle(
        this, [this] { refresh(); }, UpdateThrottle::kAtOnce);
    const auto changed = [this, shown] {
        refreshMark();
        shown->changed();
    };
    auto* whole = new UpdateThrottle(
        this, [this] { m_rows->setWhole(m_preview->dataFacts()); }, UpdateThrottle::kAtOnce);
    connect(m_preview, &DocumentQuery::changed, whole, &UpdateThrottle::changed);
    connect(m_preview, &DocumentQuery::changed, this, changed);
    connect(&session().project(), &OpenProject::changed, this, [this, changed] {
        if (m_rowsOf != session().project().folder()) {
            m_rowsOf = session().project().folder();
            m_rows->setQuery({}); // the project's own follows with restoreState()
        }
        changed();
    });
    connect(&session().document(), &ExperimentDocument::changed, this, changed);
    connect(&session().document(), &ExperimentDocument::problemsChanged, this,
            &DataPage::refreshProblems);
    connect(&session().tables(), &TableImport::troubleChanged, this, &DataPage::refresh);
    m_rows->setWhole(m_preview->dataFacts());
    refresh();
}

QWidget* DataPage::makeContent()
{
    auto* content = new QWidget(this);
    auto* column = makePageColumn(content);
    m_header = new PageHeader({});
    m_header->setObjectName("header.data");
    m_header->setCrumb(tr("Data"));
    m_header->addAction(action("action.show_command"), Button::Kind::Quiet);
    m_header->addAction(action("action.open_text_editor"));
    m_header->addAction(m_changeTable);
    m_header->addAction(action("action.train"), Button::Kind::Primary);
    connect(m_header, &PageHeader::crumbActivated, this, [this] { selectColumn(-1); });
    column->addWidget(m_header);
    m_strip = new Strip;
    m_strip->setObjectName("strip.data");
    m_strip->hide();
    column->addWidget(m_strip);
    m_remarksView = new RemarksView(context(), content);
    column->addWidget(m_remarksView);
    m_waiting = new LinkLabel({}, TextRole::Body, Ink::Secondary);
    m_waiting->setObjectName("label.waiting");
    column->addWidget(m_waiting);
    connect(m_waiting, &QLabel::linkActivated, this, [this](const QString& link) {
        if (link == "cancel") {
            m_preview->cancel();
            m_rows->cancelReading();
        } else {
            m_preview->askAgain();
            m_rows->readAgain();
        }
    });

    connectTable();
    column->addWidget(m_views, 1);

    m_split = new SplitPanel(session());
    connect(m_remarksView, &RemarksView::splitWanted, m_split, &SplitPanel::choose);
    column->addWidget(m_split);
    m_problems = new ProblemList;
    connectProblems(*m_problems, *this, action("action.open_text_editor"), session().document());
    column->addWidget(m_problems);
    return content;
}

void DataPage::connectTable()
{
    m_table = m_rows->view();
    m_columns = m_rows->header();
    connect(m_columns, &QHeaderView::sectionClicked, this, &DataPage::selectColumn);
    connect(m_rows, &BrowsedTable::remarksWanted, this, &DataPage::revealRemarksOn);
    const auto mark = [this] { m_model->setRemarks(m_remarks->remarks()); };
    connect(m_remarks, &RemarkList::changed, this, mark);
    mark();
    connect(m_table->selectionModel(), &QItemSelectionModel::currentColumnChanged, this,
            [this](const QModelIndex& current) { selectColumn(current.column()); });
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &DataPage::showSelection);
    connect(m_rows, &BrowsedTable::factsChanged, this, &DataPage::refreshFacts);
    connect(m_rows, &BrowsedTable::deriveWanted, this, &DataPage::derive);
    connect(m_inspector, &DataInspector::deriveWanted, this, [this] { derive(selectedColumns()); });
    connect(&m_views->components(), &ComponentsView::columnChosen, this,
            [this](const QString& column) { reveal("column:" + column); });
}

QWidget* DataPage::inspector()
{
    // Of a table that cannot be read there are no columns to inspect.
    return session().project().isOpen() && troubleNow().isEmpty() ? m_inspector : nullptr;
}

QWidget* DataPage::findField()
{
    return m_views->view() != TableViews::Components ? m_rows->filterField() : nullptr;
}

CommandLine DataPage::command() const
{
    return m_views->view() == TableViews::Components
               ? DocumentQuery::components(session()).command()
               : m_preview->command();
}

void DataPage::reveal(const QString& what)
{
    if (what.startsWith(QLatin1String("field:"))) {
        m_inspector->reveal(what.mid(6));
    }
    if (what.startsWith(QLatin1String("column:"))) {
        if (m_model->facts().find(what.mid(7)) != nullptr) {
            select({what.mid(7)});
        }
    }
    if (what.startsWith(QLatin1String("remark:"))) {
        revealRemark(what.mid(7));
    }
}

void DataPage::revealRemark(const QString& key)
{
    for (const TableRemark& remark : m_remarks->remarks()) {
        if (remark.key() == key && !remark.columns.isEmpty()) {
            select(remark.columns);
        }
    }
    m_remarksView->reveal(key);
}

void DataPage::revealRemarksOn(const QString& column)
{
    if (const QList<TableRemark> remarks = m_model->remarksOn(column); !remarks.isEmpty()) {
        revealRemark(remarks.first().key());
    }
}

QByteArray DataPage::saveState() const
{
    const TableQuery& query = m_rows->query();
    return QJsonDocument(QJsonObject{{"view", kViewNames[m_views->view()]},
                                     {"filter", query.filter},
                                     {"sort", query.sort},
                                     {"descending", query.descending}})
        .toJson(QJsonDocument::Compact);
}

void DataPage::restoreState(const QByteArray& state)
{
    const QJsonObject json = QJsonDocument::fromJson(state).object();
    const qsizetype view = kViewNames.indexOf(json["view"].toString());
    m_views->setView(TableViews::View(std::max<qsizetype>(view, TableViews::Rows)));
    m_rows->setQuery({.filter = json["filter"].toString(),
                      .sort = json["sort"].toString(),
                      .descending = json["descending"].toBool()});
}

void DataPage::showEvent(QShowEvent* event)
{
    Page::showEvent(event);
    // Wanted only while it is shown: reading the whole table takes a processor.
    m_preview->setWanted(this, true);
    m_rows->setWanted(true);
}

void DataPage::hideEvent(QHideEvent* event)
{
    Page::hideEvent(event);
    m_preview->setWanted(this, false);
    m_rows->setWanted(false);
}

void DataPage::refresh()
{
    const bool open = session().document().isOpen();
    m_stack->setCurrentIndex(open ? 1 : 0);
    refreshTrouble();
    const ExperimentFacts facts = ExperimentFacts::of(session().document().root());
    const QString names = fileNames(facts.trainFiles);
    m_header->setTitle(names.isEmpty() ? tr("no file") : names);
    m_changeTable->setVisible(readsDatabase(session().document()));
    m_views->setPictures(
        facts.trainPictures.isEmpty()
            ? QString()
            : QDir(session().project().folder()).absoluteFilePath(facts.trainPictures));
    refreshProblems();
    showSelection(); // what can be made of it depends on the experiment
}

/// Of the rows read so far, until those of the whole table are known.
void DataPage::refreshFacts()
{
    const DataFacts& data = m_model->facts();
    const bool isWhole = !m_preview->dataFacts().isEmpty();
    const QString rows =
        data.isSoFar ? tr("%1 rows so far · %2 columns") : tr("%1 rows · %2 columns · all scanned");
    m_header->setSentence(data.trainRows >= 0 ? rows.arg(formatCount(data.trainRows),
                                                         formatCount(data.columns.size()))
                                              : QString());
    // The inspector shows the same columns with their new facts.
    select(selectedColumns());
    m_views->setVisible(!data.columns.isEmpty());
    const QString waiting = waitingWords();
    m_waiting->setVisible(!isWhole && !waiting.isEmpty());
    m_waiting->setText(waiting);
    m_split->setData(data);
}

QString DataPage::waitingWords() const
{
    const QString link = QStringLiteral(" <a href=\"%1\">%2</a>");
    if (m_preview->isRunning()) {
        return tr("Reading the whole table…") + link.arg("cancel", tr("Cancel"));
    }
    if (!m_preview->error().isEmpty()) {
        return m_model->facts().isEmpty() ? tr("The rows appear here once the table can be read.")
                                          : QString();
    }
    return tr("Not all of the table was read.") + link.arg("again", tr("Continue Reading"));
}

/// As far as the table was read.
qint64 DataPage::unlabelledRows() const
{
    qint64 rows = 0;
    for (const QString& label : columnsOf(session().document(), ColumnUse::Label)) {
        const ColumnFacts* column = m_model->facts().find(label);
        // A row may lack several labels: the largest number is what is surely left out.
        rows = std::max(rows, column == nullptr ? 0 : column->missing);
    }
    return rows;
}

void DataPage::refreshProblems()
{
    refreshTrouble();
    const QList<ProblemRow> problems = problemsOf(session().document().problems().all(), "data");
    if (!m_preview->error().isEmpty() && problems.isEmpty()) {
        const ProblemRow problem{.id = m_preview->errorId(), .sentence = m_preview->error()};
        m_strip->setMessage(Strip::Level::Error,
                            m_model->facts().isEmpty()
                                ? tr("The table cannot be read.")
                                : tr("Some facts about the table are missing."),
                            pageWords(problem));
        QAction* cure = cureAction(problem, *m_strip, session().document(), unlabelledRows());
        cure =
            isAboutChosenTable(session().document(), m_preview->errorId()) ? m_changeTable : cure;
        m_strip->setActions(
            {action("action.open_text_editor"), cure != nullptr ? cure : m_copyDetails});
        m_problems->setProblems({});
    } else if (const ProblemRow first = problems.value(0);
               isAboutChosenTable(session().document(), first.id, first.path)) {
        m_strip->setMessage(Strip::Level::Error, tr("The table is not chosen yet."),
                            tr("The file is a database, which may hold several."));
        m_strip->setActions({action("action.open_text_editor"), m_changeTable});
        m_problems->setProblems(problems.size() > 1 ? problems : QList<ProblemRow>());
    } else {
        showProblems(problems, *m_strip, *m_problems, *this, action("action.open_text_editor"),
                     session().document(), unlabelledRows());
    }
    refreshMark();
}

void DataPage::refreshMark()
{
    const QList<ProblemRow> problems = problemsOf(session().document().problems().all(), "data");
    if (const TableTrouble trouble = troubleNow(); !trouble.isEmpty()) {
        setMark({.kind = RailMark::Kind::Error, .tip = trouble.words()});
    } else if (!session().document().isOpen()) {
        setMark({.kind = RailMark::Kind::Empty, .tip = tr("No data yet.")});
    } else if (!problems.isEmpty()) {
        setMark(markOf(problems));
    } else if (!m_preview->error().isEmpty()) {
        setMark({.kind = RailMark::Kind::Error, .tip = m_preview->error()});
    } else {
        setMark({.kind = RailMark::Kind::Ready, .tip = tr("The data is ready.")});
    }
}

void DataPage::selectColumn(int column)
{
    m_columns->setCurrentColumn(column);
    if (column < 0) {
        m_table->clearSelection();
    } else if (m_table->selectionModel()->selectedColumns().isEmpty()) {
        m_table->selectColumn(column);
    }
    showSelection();
}

QStringList DataPage::selectedColumns() const
{
    const DataFacts& facts = m_model->facts();
    QStringList names;
    for (const QModelIndex& column : m_table->selectionModel()->selectedColumns()) {
        // While a table is read again, the selection may name columns that are gone.
        if (column.column() < facts.columns.size()) {
            names << facts.columns[column.column()].name;
        }
    }
    return names;
}

/// Those of the columns that are there, otherwise the first column.
void DataPage::select(const QStringList& columns)
{
    const DataFacts& facts = m_model->facts();
    QItemSelection selection;
    int first = -1;
    for (int i = 0; i < facts.columns.size(); ++i) {
        if (columns.contains(facts.columns[i].name)) {
            selection.select(m_model->index(0, i), m_model->index(m_model->rowCount() - 1, i));
            first = first < 0 ? i : first;
        }
    }
    if (first < 0) {
        selectColumn(facts.columns.isEmpty() ? -1 : 0);
        return;
    }
    // Selecting reports each change on its own, and each would fill the inspector.
    {
        const QScopedValueRollback once(m_isSelecting, true);
        m_table->selectionModel()->select(selection, QItemSelectionModel::ClearAndSelect);
    }
    m_columns->setCurrentColumn(first);
    showSelection();
}

void DataPage::showSelection()
{
    if (m_isSelecting) {
        return; // shown at the end
    }
    const QStringList columns = selectedColumns();
    m_columns->viewport()->update();
    m_inspector->setColumns(m_model->facts(), columns,
                            derivedOffer(session().document(), columns, m_model->facts(),
                                         m_model->cellsSeen(columns.value(0))));
}

void DataPage::derive(const QStringList& columns)
{
    ExperimentDocument& document = session().document();
    const DataFacts& facts = m_model->facts();
    const QStringList cells = m_model->cellsSeen(columns.value(0));
    // Computed again: the experiment may have changed since the button was shown.
    const auto offer = derivedOffer(document, columns, facts, cells);
    if (!offer || !offer->hindrance.isEmpty()) {
        return;
    }
    const QString title =
        offer->isStack() ? tr("Stack %1 columns into %2").arg(columns.size()).arg(offer->feature)
                         : tr("Split %1 at “%2”").arg(offer->feature, offer->separator);
    document.apply(title, deriveEdits(document.text().toUtf8(), *offer, facts, cells));
}

} // namespace cannery::ui
