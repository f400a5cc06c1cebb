// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/runs/run_graph.h"

#include "ui/charts/graph_view.h"
#include "ui/models/formats.h"
#include "ui/widgets/label.h"
#include "ui/widgets/style/theme.h"

#include <QCoreApplication>
#include <QHBoxLayout>
#include <QListWidget>
#include <QPointer>
#include <QThreadPool>
#include <QVBoxLayout>

namespace cannery::ui {
namespace {

constexpr int kMostRows = 200;

} // namespace

RunGraphView::RunGraphView(QWidget* parent)
    : QWidget(parent), m_view(new GraphView), m_side(new QWidget),
      m_nothing(new Label({}, TextRole::Body, Ink::Secondary)),
      m_title(new Label({}, TextRole::Strong)),
      m_facts(new Label({}, TextRole::Label, Ink::Secondary)),
      m_foundTitle(new Label({}, TextRole::LabelStrong)),
      m_inputsTitle(new Label({}, TextRole::LabelStrong)),
      m_outputsTitle(new Label({}, TextRole::LabelStrong)),
      m_found(makeList("list.graph_found", tr("Found operations"))),
      m_inputs(makeList("list.graph_inputs", tr("Inputs"))),
      m_outputs(makeList("list.graph_outputs", tr("Outputs")))
{
    setObjectName("run_graph");
    m_view->setObjectName("view.graph");
    for (Label* label : {m_title, m_facts, m_nothing}) {
        label->setWordWrap(true);
    }
    m_facts->setObjectName("label.graph_facts");
    m_nothing->setObjectName("label.no_summaries");
    auto* side = new QVBoxLayout(m_side);
    side->setContentsMargins(0, 0, 0, 0);
    side->setSpacing(scaled(6));
    for (QWidget* widget :
         {static_cast<QWidget*>(m_foundTitle), static_cast<QWidget*>(m_found),
          static_cast<QWidget*>(m_title), static_cast<QWidget*>(m_facts),
          static_cast<QWidget*>(m_inputsTitle), static_cast<QWidget*>(m_inputs),
          static_cast<QWidget*>(m_outputsTitle), static_cast<QWidget*>(m_outputs)}) {
        side->addWidget(widget);
    }
    side->addStretch(1);
    m_side->setFixedWidth(scaled(240));
    connect(&themeWatch(), &ThemeWatch::changed, m_side,
            [this] { m_side->setFixedWidth(scaled(240)); });
    auto* inner = new QHBoxLayout;
    inner->setSpacing(scaled(16));
    inner->addWidget(m_view, 1);
    inner->addWidget(m_side);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_nothing);
    column->addLayout(inner, 1);
    connect(m_view, &GraphView::selectionChanged, this, &RunGraphView::showSelection);
    setFilter({});
    showSelection();
}

QListWidget* RunGraphView::makeList(const char* name, const QString& title)
{
    auto* list = new QListWidget;
    list->setObjectName(QString::fromLatin1(name));
    list->setAccessibleName(title);
    list->setFrameShape(QFrame::NoFrame);
    list->setTextElideMode(Qt::ElideMiddle);
    list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    const auto go = [this](const QListWidgetItem* row) {
        m_view->select(row->data(Qt::UserRole).toInt());
    };
    connect(list, &QListWidget::itemActivated, this, go);
    connect(list, &QListWidget::itemClicked, this, go);
    return list;
}

void RunGraphView::setGraph(const std::shared_ptr<const RunGraph>& graph, const QString& otherwise)
{
    m_nothing->setText(otherwise);
    m_nothing->setVisible(!graph && !otherwise.isEmpty());
    m_view->setVisible(graph != nullptr);
    m_side->setVisible(graph != nullptr);
    // The run is shown again with every report, but its graph is the same and keeps its selection.
    if (graph == m_graph) {
        return;
    }
    m_graph = graph;
    m_view->setGraph(nullptr);
    if (graph) {
        buildOutline();
    }
}

/// In the background: large graphs take a while.
void RunGraphView::buildOutline()
{
    QThreadPool::globalInstance()->start([guard = QPointer<RunGraphView>(this), graph = m_graph] {
        auto outline = std::make_shared<const GraphOutline>(graph);
        // To the application: the view may be gone by then, and only its own thread may look.
        QMetaObject::invokeMethod(
            qApp,
            [guard, graph, outline] {
                // Another run may have been chosen meanwhile.
                if (guard && guard->m_graph == graph) {
                    guard->m_view->setGraph(outline);
                    guard->setFilter(guard->m_filter);
                }
            },
            Qt::QueuedConnection);
    });
}

void RunGraphView::setFilter(const QString& text)
{
    m_filter = text;
    std::vector<int> found;
    if (m_view->outline()) {
        found = m_view->outline()->search(text, kMostRows);
    }
    listItems(*m_found, *m_foundTitle, found.empty() ? tr("Nothing found") : tr("Found: %1"),
              found);
    m_found->setVisible(!found.empty());
    m_foundTitle->setVisible(!text.isEmpty());
}

void RunGraphView::listItems(QListWidget& list, Label& title, const QString& words,
                             const std::vector<int>& items)
{
    list.clear();
    for (std::size_t i = 0; i < items.size() && i < std::size_t(kMostRows); ++i) {
        const GraphItem& item = m_view->outline()->item(items[i]);
        auto* row = new QListWidgetItem(item.name, &list);
        row->setToolTip(m_view->describe(items[i]));
        row->setData(Qt::UserRole, items[i]);
    }
    title.setText(words.contains(QLatin1String("%1")) ? words.arg(formatCount(qint64(items.size())))
                                                      : words);
}

void RunGraphView::showSelection()
{
    const int item = m_view->selected();
    const auto& outline = m_view->outline();
    // Item 0 is the whole graph.
    const bool isOne = outline && item > 0;
    for (QWidget* widget :
         {static_cast<QWidget*>(m_inputsTitle), static_cast<QWidget*>(m_inputs),
          static_cast<QWidget*>(m_outputsTitle), static_cast<QWidget*>(m_outputs)}) {
        widget->setVisible(isOne);
    }
    if (!isOne) {
        m_title->setText({});
        m_title->setVisible(false);
        m_facts->setText(
            outline ? tr("%1 operations. Click one, or walk with the arrow keys. Enter opens and "
                         "folds a scope, Backspace leaves it, F shows everything.")
                          .arg(formatCount(outline->item(0).operations))
                    : QString());
        return;
    }
    m_title->setVisible(true);
    m_title->setText(outline->item(item).name);
    m_facts->setText(m_view->describe(item));
    listItems(*m_inputs, *m_inputsTitle, tr("Inputs: %1"), outline->inputs(item));
    listItems(*m_outputs, *m_outputsTitle, tr("Outputs: %1"), outline->outputs(item));
}

} // namespace cannery::ui
