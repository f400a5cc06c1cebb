// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/data/browsed_table.h"

#include "ui/editing/column_uses.h"
#include "ui/editing/derived_features.h"
#include "ui/models/formats.h"
#include "ui/models/tables/dragged_columns.h"
#include "ui/models/tables/left_out_model.h"
#include "ui/models/tables/rows_preview_model.h"
#include "ui/pages/data/column_menu.h"
#include "ui/pages/data/histogram_header.h"
#include "ui/pages/data/missing_delegate.h"
#include "ui/pages/data/rows_line.h"
#include "ui/services/projects/project_session.h"
#include "ui/services/table_browser.h"
#include "ui/widgets/chip.h"
#include "ui/widgets/style/theme.h"
#include "ui/widgets/table_view.h"

#include <QContextMenuEvent>
#include <QDrag>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QMenu>
#include <QScrollBar>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace cannery::ui {
namespace {

/// The low header, three rows and a scroll bar, in design pixels.
constexpr int kLeastHeight = 140;

QString wordsOf(const QString& doing)
{
    return doing == QLatin1String("filtering") ? BrowsedTable::tr("Filtering…")
           : doing == QLatin1String("reading") ? BrowsedTable::tr("Reading the table…")
                                               : BrowsedTable::tr("Sorting…");
}

} // namespace

BrowsedTable::BrowsedTable(ProjectSession& session, QWidget* parent)
    : QWidget(parent), m_session(&session), m_browser(new TableBrowser(session, this)),
      m_model(new RowsPreviewModel(this)), m_leftOut(new LeftOutModel(this)), m_line(new RowsLine),
      m_stack(new QStackedWidget), m_rows(new TableView(TableView::Rows::Data)),
      m_leftOutRows(new TableView(TableView::Rows::Data)), m_header(new HistogramHeader(m_rows))
{
    makeRows();
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_stack);
    const auto keepRows = [this] { m_stack->setMinimumHeight(scaled(kLeastHeight)); };
    keepRows();
    connect(&themeWatch(), &ThemeWatch::changed, this, keepRows);
    m_line->setUsable(false);
    m_wordsSoon.setSingleShot(true);
    // After the layout: which rows are visible is known only then.
    m_wordsSoon.setInterval(0);
    connect(&m_wordsSoon, &QTimer::timeout, this, &BrowsedTable::updateWords);
    const auto soon = [this] { m_wordsSoon.start(); };
    connect(m_rows->verticalScrollBar(), &QScrollBar::valueChanged, this, soon);
    connect(m_rows->verticalScrollBar(), &QScrollBar::rangeChanged, this, soon);
    connect(m_line, &RowsLine::filterEdited, this,
            [this](const QString& filter) { m_filterCheck = m_browser->checkFilter(filter); });
    connect(m_line, &RowsLine::filterWanted, this, [this](const QString& filter) {
        if (filter != m_asked.filter) {
            ask({filter, m_asked.sort, m_asked.descending});
        }
    });
    connect(m_line, &RowsLine::cancelWanted, this, &BrowsedTable::cancel);
    connect(m_line, &RowsLine::againWanted, this, &BrowsedTable::again);
    connect(m_line, &RowsLine::leftOutToggled, this, &BrowsedTable::showLeftOut);
    connectBrowser();
}

void BrowsedTable::makeRows()
{
    m_rows->setObjectName("table.rows");
    m_rows->setAccessibleName(tr("Rows of the training table"));
    m_rows->setHorizontalHeader(m_header);
    // Measuring all rows would take long and request every page.
    m_header->setResizeContentsPrecision(TableView::kRowsMeasured);
    m_rows->setModel(m_model);
    m_rows->setItemDelegate(new MissingDelegate(m_rows));
    m_rows->verticalHeader()->setObjectName("header.rows");
    m_rows->verticalHeader()->setAccessibleName(tr("Row numbers"));
    m_rows->verticalHeader()->setSectionsClickable(false);
    m_rows->verticalHeader()->setDefaultAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_rows->verticalHeader()->show();
    m_rows->setCornerButtonEnabled(false);
    m_rows->setSelectionBehavior(QAbstractItemView::SelectColumns);
    m_rows->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_rows->installEventFilter(this);
    m_rows->viewport()->installEventFilter(this);
    m_header->viewport()->installEventFilter(this);
    m_leftOutRows->setObjectName("table.left_out");
    m_leftOutRows->setAccessibleName(tr("Rows that were left out"));
    m_leftOutRows->setModel(m_leftOut);
    m_leftOutRows->verticalHeader()->hide();
    m_leftOutRows->horizontalHeader()->setStretchLastSection(true);
    m_stack->addWidget(m_rows);
    m_stack->addWidget(m_leftOutRows);
    connect(m_header, &HistogramHeader::sortClicked, this, &BrowsedTable::sortBy);
    connect(m_header, &HistogramHeader::remarkClicked, this, [this](int column) {
        Q_EMIT remarksWanted(m_model->facts().columns.value(column).name);
    });
    connect(m_header, &HistogramHeader::columnDragged, this, &BrowsedTable::dragColumns);
    connect(m_model, &RowsPreviewModel::pageWanted, this, &BrowsedTable::askPage);
    connect(m_leftOut, &LeftOutModel::moreWanted, this,
            [this](qint64 first) { m_browser->askLeftOut(first, LeftOutModel::kAtOnce); });
}

void BrowsedTable::dragColumns()
{
    const QStringList columns = selectedColumns();
    if (columns.isEmpty()) {
        return;
    }
    Chip picture(columnWords(columns), false);
    picture.resize(picture.sizeHint());
    auto* drag = new QDrag(this);
    drag->setMimeData(dragOfColumns(columns));
    drag->setPixmap(picture.grab());
    drag->exec(Qt::CopyAction);
}

void BrowsedTable::connectBrowser()
{
    connect(m_browser, &TableBrowser::stateChanged, this, &BrowsedTable::followState);
    connect(m_browser, &TableBrowser::rowsCame, this, &BrowsedTable::takeRows);
    connect(m_browser, &TableBrowser::failed, this, &BrowsedTable::takeFailure);
    connect(m_browser, &TableBrowser::extentChanged, this, &BrowsedTable::takeExtent);
    connect(m_browser, &TableBrowser::leftOutCame, this,
            [this](int, const QList<LeftOutRow>& rows, qint64 first) {
                m_leftOut->append(rows, first);
                m_leftOutRows->resizeColumnsToContents();
            });
    connect(m_browser, &TableBrowser::statisticsCame, this, [this](int, const DataFacts& facts) {
        m_soFar = facts;
        // The facts of the whole table end the request.
        m_statistics = facts.isSoFar ? m_statistics : 0;
        updateFacts();
    });
    connect(m_browser, &TableBrowser::progressed, this,
            [this](int request, const QString& doing, double share) {
                if (request == m_queryRequest) {
                    m_line->setWork(wordsOf(doing), share);
                }
            });
    connect(m_browser, &TableBrowser::filterChecked, this,
            [this](int request, const QString& sentence) {
                if (request == m_filterCheck) {
                    m_line->setFilterProblem(sentence);
                }
            });
}

QTableView* BrowsedTable::view() const
{
    return m_rows;
}

QWidget* BrowsedTable::filterField() const
{
    return m_line->filterField();
}

void BrowsedTable::setWanted(bool wanted)
{
    m_browser->setWanted(wanted);
}

void BrowsedTable::setWhole(const DataFacts& whole)
{
    m_whole = whole;
    updateFacts();
}

/// Statistics are asked for first, so that the pass that finds the rows takes them as well.
void BrowsedTable::followState()
{
    // Answers to the helper before this one are not waited for.
    m_pages.clear();
    m_queryRequest = 0;
    m_statistics = 0;
    m_soFar = {};
    m_wasCancelled = false;
    const TableBrowser::State state = m_browser->state();
    m_line->setUsable(state == TableBrowser::State::Ready);
    m_line->setLeftOut(0);
    if (state == TableBrowser::State::Ready) {
        m_statistics = m_browser->askStatistics();
        // After a change of the reading, the column may be gone or have another name.
        const bool isSortable =
            m_asked.sort.isEmpty() || m_browser->columns().find(m_asked.sort) != nullptr;
        ask({m_line->filter(), isSortable ? m_asked.sort : QString(), m_asked.descending});
        m_filterCheck = m_browser->checkFilter(m_line->filter());
    } else if (state != TableBrowser::State::Starting) {
        m_model->endPages();
    }
    updateFacts();
    updateWords();
}

/// The whole table's facts, unless they are of other columns than the rows: then it is read anew.
void BrowsedTable::updateFacts()
{
    const DataFacts& counted = m_soFar.isEmpty() ? m_browser->columns() : m_soFar;
    const bool isOutdated = !counted.isEmpty() && !counted.hasColumnsOf(m_whole);
    const DataFacts& facts = isOutdated ? counted : m_whole;
    const bool isOther = !facts.hasColumnsOf(m_model->facts());
    keepSelection([&] { m_model->setFacts(facts); });
    if (isOther) {
        m_rows->resizeColumnsToContents();
    }
    Q_EMIT factsChanged();
}

void BrowsedTable::ask(const TableQuery& query)
{
    // Sorting takes long; the helper should not finish what nobody waits for.
    m_browser->cancel(m_queryRequest);
    m_asked = query;
    m_queryRequest = m_browser->askRows(query, 0, m_model->pageRows());
    m_wordsSoon.start();
}

void BrowsedTable::setQuery(const TableQuery& query)
{
    m_line->setFilter(query.filter);
    if (query != m_asked && m_browser->state() == TableBrowser::State::Ready) {
        ask(query);
        m_filterCheck = m_browser->checkFilter(query.filter);
    }
    m_asked = query;
}

/// The first click sorts, the second turns it round, the third returns to the file's order.
void BrowsedTable::sortBy(int column, bool reversed)
{
    const QString& name = m_model->facts().columns[column].name;
    if (m_asked.sort != name) {
        ask({m_asked.filter, name, reversed});
    } else if (reversed || !m_asked.descending) {
        ask({m_asked.filter, name, !m_asked.descending});
    } else {
        ask({m_asked.filter, {}, false});
    }
}

void BrowsedTable::takeRows(int request, const TablePage& page)
{
    if (request == m_queryRequest) {
        m_queryRequest = 0;
        m_pages.clear();
        // The same query after a restart of the helper keeps the scroll position.
        const bool isSame = m_query == m_asked && m_model->isPaged();
        const int at = isSame ? m_rows->verticalScrollBar()->value() : 0;
        m_query = m_asked;
        keepSelection([&] {
            m_model->beginPages(m_query);
            // Without a filter, more rows may be known by now than when the page was made.
            m_model->setTotal(m_query.isPlain() ? std::max(page.total, m_browser->rows())
                                                : page.total);
            m_model->setPage(page);
        });
        m_rows->verticalScrollBar()->setValue(at);
        m_header->viewport()->update();
        Q_EMIT factsChanged();
    } else if (m_pages.remove(request) > 0) {
        m_model->setPage(page);
    }
    updateWords();
}

void BrowsedTable::takeFailure(int request, const QString& sentence, bool cancelled)
{
    if (request == m_queryRequest) {
        m_queryRequest = 0;
        if (cancelled) {
            updateWords();
        } else if (m_asked.filter != m_query.filter) {
            m_line->setFilterProblem(sentence);
            updateWords();
        } else {
            m_line->setFailure(sentence, tr("Try Again"));
        }
    } else if (request == m_statistics) {
        m_statistics = 0;
        m_wasCancelled = cancelled;
        updateWords();
    } else if (m_pages.contains(request)) {
        m_model->dropPage(m_pages.take(request));
    }
}

/// Rows are added in few large steps while the table is read: each lays out the header of all rows.
void BrowsedTable::takeExtent()
{
    const qint64 rows = m_browser->rows();
    const bool isMuch = rows >= 2LL * m_model->rowCount() || m_browser->isWhole();
    if (m_model->isPaged() && m_query.isPlain() && isMuch) {
        keepSelection([&] { m_model->setTotal(rows); });
    }
    m_line->setLeftOut(m_browser->leftOutRows());
    updateWords();
}

void BrowsedTable::askPage(qint64 first)
{
    const int request = m_browser->askRows(m_query, first, m_model->pageRows());
    if (request != 0) {
        m_pages.insert(request, first);
    } else {
        m_model->dropPage(first);
    }
}

void BrowsedTable::showLeftOut(bool shown)
{
    if (shown) {
        m_leftOut->reset(m_browser->leftOutRows());
    }
    m_stack->setCurrentWidget(shown ? m_leftOutRows : m_rows);
}

void BrowsedTable::cancelReading()
{
    m_browser->cancel(m_statistics);
}

void BrowsedTable::readAgain()
{
    if (m_browser->state() == TableBrowser::State::Failed) {
        m_browser->startAgain();
    } else if (!m_browser->isWhole() && m_statistics == 0) {
        m_wasCancelled = false;
        m_statistics = m_browser->askStatistics();
        updateWords();
    }
}

void BrowsedTable::cancel()
{
    m_browser->cancel(m_queryRequest != 0 ? m_queryRequest : m_statistics);
    if (m_queryRequest != 0) {
        m_asked = m_query; // the rows shown stay
    }
}

void BrowsedTable::again()
{
    if (m_wasCancelled || m_browser->state() == TableBrowser::State::Failed) {
        readAgain();
    } else {
        ask(m_asked);
    }
}

void BrowsedTable::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    m_wordsSoon.start();
}

void BrowsedTable::hideEvent(QHideEvent* event)
{
    QWidget::hideEvent(event);
    m_wordsSoon.start();
}

void BrowsedTable::updateWords()
{
    if (m_browser->state() == TableBrowser::State::Failed) {
        m_line->setFailure(m_browser->error(), tr("Try Again"));
        return;
    }
    if (!m_model->isPaged()) {
        m_line->setWords({});
        return;
    }
    if (m_queryRequest != 0) {
        return; // its progress is shown
    }
    const qint64 total = m_query.isPlain() ? m_browser->rows() : m_model->rowCount();
    const int first = m_rows->rowAt(0);
    const int last = m_rows->rowAt(m_rows->viewport()->height() - 1);
    const bool isSoFar = m_query.isPlain() && !m_browser->isWhole();
    // Another view of the rows does not show those that this one would.
    const QString few = total == 0 ? tr("no rows") : tr("%1 rows").arg(formatCount(total));
    QString words = isVisible() && total > 0 ? tr("%1–%2 of %3") : few;
    if (isVisible() && total > 0) {
        words =
            words.arg(formatCount(std::max(0, first) + 1),
                      formatCount(last < 0 ? m_model->rowCount() : last + 1), formatCount(total));
    }
    if (isSoFar) {
        words = tr("%1 so far").arg(words);
    }
    if (isSoFar && m_wasCancelled) {
        m_line->setFailure(words, tr("Continue Reading"));
    } else {
        m_line->setWords(words, isSoFar && m_statistics != 0);
    }
}

QStringList BrowsedTable::selectedColumns() const
{
    QStringList names;
    for (const QModelIndex& column : m_rows->selectionModel()->selectedColumns()) {
        names << m_model->facts().columns.value(column.column()).name;
    }
    return names;
}

void BrowsedTable::keepSelection(const std::function<void()>& change)
{
    // By name: a reset of the model forgets the selection.
    const QStringList names = selectedColumns();
    const QModelIndex current = m_rows->currentIndex();
    const int row = current.row();
    const int column = current.column();
    const int scrolled = m_rows->verticalScrollBar()->value();
    change();
    QItemSelection selection;
    const QList<ColumnFacts>& columns = m_model->facts().columns;
    for (int i = 0; i < columns.size() && m_model->rowCount() > 0; ++i) {
        if (names.contains(columns[i].name)) {
            selection.select(m_model->index(0, i), m_model->index(m_model->rowCount() - 1, i));
        }
    }
    if (!selection.isEmpty()) {
        m_rows->selectionModel()->select(selection, QItemSelectionModel::ClearAndSelect);
    }
    if (column >= 0 && !m_rows->currentIndex().isValid() && m_model->rowCount() > 0) {
        const int nearest = std::min(row, m_model->rowCount() - 1);
        m_rows->selectionModel()->setCurrentIndex(m_model->index(nearest, column),
                                                  QItemSelectionModel::NoUpdate);
        m_rows->verticalScrollBar()->setValue(scrolled); // the current cell may be elsewhere
    }
}

void BrowsedTable::openMenu(int column, const QPoint& globalPosition)
{
    if (column < 0 || column >= m_model->columnCount() ||
        m_browser->state() != TableBrowser::State::Ready) {
        return;
    }
    const ColumnFacts& facts = m_model->facts().columns[column];
    const QStringList selected = selectedColumns();
    auto* menu = new QMenu(this);
    menu->setObjectName("menu.column");
    menu->setAttribute(Qt::WA_DeleteOnClose);
    // On a selected column, the menu is for all that are selected.
    const QStringList columns = selected.contains(facts.name) ? selected : QStringList{facts.name};
    std::function<void()> remarks;
    if (!m_model->remarksOn(facts.name).isEmpty()) {
        remarks = [this, name = facts.name] { Q_EMIT remarksWanted(name); };
    }
    fillColumnMenu(*menu, *m_session, facts, columns, m_asked,
                   derivedOffer(m_session->document(), columns, m_model->facts(),
                                m_model->cellsSeen(columns.first())),
                   {.sort = [this](const TableQuery& query) { ask(query); },
                    .beginFilter = [this](const QString& text) { m_line->beginFilter(text); },
                    .showRemarks = remarks,
                    .derive = [this, columns] { Q_EMIT deriveWanted(columns); }});
    menu->popup(globalPosition);
}

bool BrowsedTable::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() != QEvent::ContextMenu) {
        return QWidget::eventFilter(watched, event);
    }
    const auto* asked = static_cast<QContextMenuEvent*>(event);
    const bool byKey = asked->reason() == QContextMenuEvent::Keyboard;
    const int column =
        byKey ? m_rows->currentIndex().column()
              : m_rows->columnAt(m_rows->viewport()->mapFromGlobal(asked->globalPos()).x());
    const QPoint cell = m_rows->visualRect(m_rows->currentIndex()).bottomLeft();
    openMenu(column, byKey ? m_rows->viewport()->mapToGlobal(cell) : asked->globalPos());
    return true;
}

} // namespace cannery::ui
