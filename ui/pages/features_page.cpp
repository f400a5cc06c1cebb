// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/features_page.h"

#include "ui/document/experiment_document.h"
#include "ui/models/formats.h"
#include "ui/pages/document_query.h"
#include "ui/pages/encoded_preview.h"
#include "ui/pages/feature_commands.h"
#include "ui/pages/feature_delegate.h"
#include "ui/pages/feature_editor.h"
#include "ui/pages/feature_list_model.h"
#include "ui/pages/feature_sources.h"
#include "ui/pages/feature_suggestions.h"
#include "ui/pages/page_parts.h"
#include "ui/services/project_session.h"
#include "ui/widgets/button.h"
#include "ui/widgets/card.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/label.h"
#include "ui/widgets/page_header.h"
#include "ui/widgets/split_view.h"
#include "ui/widgets/strip.h"
#include "ui/widgets/table_view.h"
#include "ui/widgets/theme.h"

#include <QAction>
#include <QDropEvent>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QKeyEvent>
#include <QMenu>
#include <QMimeData>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace cannery::ui {

namespace {

/// Widths that only the engine knows, such as that of a file's words.
void fillWidths(ExperimentFacts& facts, const QJsonArray& inputs)
{
    for (const QJsonValue& input : inputs) {
        const QString column = input.toObject().value("column").toString();
        for (FeatureFacts& feature : facts.features) {
            if (feature.width < 0 && feature.name == column) {
                feature.width = input.toObject().value("width").toInteger(-1);
            }
        }
    }
}

} // namespace

FeaturesPage::FeaturesPage(const PageContext& context, QWidget* parent)
    : Page("features", context, parent), m_preview(&DocumentQuery::preview(session())),
      m_commands(new FeatureCommands(session().document(), *context.toaster, this)),
      m_model(new FeatureListModel(this)),
      m_editor(new FeatureEditor(session().document(), *m_commands, this)),
      m_stack(new QStackedWidget(this)), m_empty(new EmptyState(this))
{
    m_editor->hide();
    m_empty->setObjectName("empty.features");
    m_empty->setPicture(EmptyState::Sketch::Boxes, "columns");
    makeActions();
    m_stack->addWidget(makeEmptyPage(tr("Features"), m_empty));
    m_stack->addWidget(makeContent());
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(m_stack);
    connect(m_preview, &DocumentQuery::changed, this, &FeaturesPage::refresh);
    connect(&session(), &ProjectSession::projectChanged, this, &FeaturesPage::refresh);
    connect(&session().document(), &ExperimentDocument::changed, this, &FeaturesPage::refresh);
    connect(&session().document(), &ExperimentDocument::problemsChanged, this,
            &FeaturesPage::refreshProblems);
    connect(m_commands, &FeatureCommands::made, this, [this](const QString& name) {
        m_wanted = name;
        reveal("feature:" + name);
    });
    connect(m_commands, &FeatureCommands::renameRequested, m_editor, &FeatureEditor::editName);
    connect(m_suggestions, &FeatureSuggestions::askingChanged, this, &FeaturesPage::refreshActions);
    refresh();
}

void FeaturesPage::makeActions()
{
    m_add = new QAction(tr("Add Feature Column"), this);
    m_add->setObjectName("action.add_feature_column");
    m_addMenu = new QMenu(this);
    m_addMenu->setObjectName("menu.add_feature_column");
    connect(m_addMenu, &QMenu::aboutToShow, this, [this] {
        m_addMenu->clear();
        m_commands->fillAddMenu(*m_addMenu);
    });
    m_addCross = new QAction(tr("Add Cross"), this);
    m_addCross->setObjectName("action.add_cross");
    connect(m_addCross, &QAction::triggered, m_commands, &FeatureCommands::addCross);
    m_suggest = new QAction(tr("Suggest"), this);
    m_suggest->setObjectName("action.suggest_features");
    connect(m_suggest, &QAction::triggered, this, [this] {
        m_stack->setCurrentIndex(1);
        m_suggestions->ask();
    });
    m_byHand = new QAction(tr("Add by Hand"), this);
    m_byHand->setObjectName("action.add_by_hand");
    connect(m_byHand, &QAction::triggered, this, [this] {
        m_isByHand = true;
        refresh();
        m_sources->setFocus(Qt::OtherFocusReason);
    });
}

QWidget* FeaturesPage::makeContent()
{
    auto* content = new QWidget(this);
    auto* column = makePageColumn(content);
    m_header = new PageHeader(tr("Features"));
    m_header->setObjectName("header.features");
    m_header->addAction(action("action.show_command"), Button::Kind::Quiet);
    m_header->addAction(m_suggest);
    m_header->addAction(m_addCross);
    m_header->addAction(m_add, Button::Kind::Primary);
    connect(m_add, &QAction::triggered, this, [this] {
        auto* button = m_header->findChild<QWidget*>("button.add_feature_column");
        QWidget* under = button && button->isVisible() ? button : m_header;
        m_addMenu->popup(under->mapToGlobal(QPoint(0, under->height())));
    });
    column->addWidget(m_header);
    m_strip = new Strip;
    m_strip->setObjectName("strip.features");
    m_strip->hide();
    column->addWidget(m_strip);
    auto* split = new SplitView(Qt::Horizontal);
    split->setObjectName("split.features");
    m_sourcesSide = makeSources();
    split->addWidget(m_sourcesSide);
    split->addWidget(makeList());
    split->setStretchFactor(1, 1);
    split->setCollapsible(1, false);
    split->setSizes({scaled(190), scaled(800)});
    column->addWidget(split, 1);
    m_encoded = new EncodedPreview;
    auto* card = new Card;
    card->body()->addWidget(makeFittedArea(m_encoded, this, 0.24));
    column->addWidget(card);
    m_problems = new ProblemList;
    connect(m_problems, &ProblemList::activated, action("action.open_text_editor"),
            &QAction::trigger);
    column->addWidget(m_problems);
    return content;
}

QWidget* FeaturesPage::makeSources()
{
    auto* side = new QWidget;
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(0, scaled(8), scaled(12), 0);
    column->setSpacing(scaled(6));
    column->addWidget(new Label(tr("Columns"), TextRole::LabelStrong, Ink::Secondary));
    auto* hint =
        new Label(tr("Drag onto the list, or press Enter."), TextRole::Label, Ink::Secondary);
    hint->setWordWrap(true);
    column->addWidget(hint);
    m_sources = new FeatureSources;
    column->addWidget(m_sources, 1);
    connect(m_sources, &FeatureSources::chosen, m_commands, &FeatureCommands::addFor);
    connect(m_sources, &QListWidget::currentTextChanged, m_commands,
            &FeatureCommands::setRawColumn);
    m_sources->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_sources, &QWidget::customContextMenuRequested, this, [this](const QPoint& position) {
        m_addMenu->popup(m_sources->viewport()->mapToGlobal(position));
    });
    return side;
}

QWidget* FeaturesPage::makeList()
{
    auto* side = new QWidget;
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(scaled(12), 0, 0, 0);
    column->setSpacing(scaled(8));
    m_suggestions =
        new FeatureSuggestions(session().document(), session().jobs(), *m_commands, this);
    column->addWidget(m_suggestions);
    makeTable();
    column->addWidget(m_table, 1);
    return side;
}

void FeaturesPage::makeTable()
{
    m_table = new TableView(TableView::Rows::Features);
    m_table->setObjectName("table.features");
    m_table->setAccessibleName(tr("Feature columns"));
    m_table->setModel(m_model);
    m_table->setItemDelegate(new FeatureDelegate(m_table));
    m_table->verticalHeader()->setVisible(false);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setAcceptDrops(true);
    m_table->viewport()->setAcceptDrops(true);
    m_table->viewport()->installEventFilter(this);
    m_table->installEventFilter(this);
    m_table->setContextMenuPolicy(Qt::CustomContextMenu);
    QHeaderView* header = m_table->horizontalHeader();
    header->setSectionResizeMode(QHeaderView::Fixed);
    header->setSectionResizeMode(FeatureListModel::FeatureColumn, QHeaderView::Stretch);
    header->setHighlightSections(false);
    header->setStretchLastSection(false);
    const auto fit = [this, header] {
        const auto widen = [this, header](int section, int width) {
            m_table->setColumnWidth(section,
                                    std::max(scaled(width), header->sectionSizeHint(section)));
        };
        widen(FeatureListModel::WidthColumn, 84);
        widen(FeatureListModel::ParametersColumn, 104);
        widen(FeatureListModel::SideColumn, 132);
    };
    connect(&themeWatch(), &ThemeWatch::changed, m_table, fit);
    fit();
    // Assistive technology selects a cell without making it the current one.
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            [this] { showFeature(current()); });
    connect(m_table, &QWidget::customContextMenuRequested, this, &FeaturesPage::openMenu);
    connect(m_table, &QTableView::clicked, this, &FeaturesPage::openUseMenu);
}

QWidget* FeaturesPage::inspector()
{
    return m_editor;
}

CommandLine FeaturesPage::command() const
{
    return m_preview->command();
}

void FeaturesPage::reveal(const QString& what)
{
    if (const int row = m_model->rowOf(what.section(':', 1)); row >= 0) {
        m_table->selectRow(row);
    }
}

void FeaturesPage::showEvent(QShowEvent* event)
{
    Page::showEvent(event);
    m_preview->setWanted(this, true);
}

void FeaturesPage::hideEvent(QHideEvent* event)
{
    Page::hideEvent(event);
    m_preview->setWanted(this, false);
}

/// Without room for both, the list of feature columns stays; the menu has the columns, too.
void FeaturesPage::resizeEvent(QResizeEvent* event)
{
    Page::resizeEvent(event);
    m_sourcesSide->setVisible(width() >= scaled(640));
}

void FeaturesPage::refresh()
{
    const ExperimentDocument& document = session().document();
    ExperimentFacts facts = ExperimentFacts::of(document.root());
    fillWidths(facts, m_preview->result().value("inputs").toArray());
    const FeatureFacts* shown = current();
    const QString before = m_wanted.isEmpty() && shown ? shown->name : m_wanted;
    const int row = m_table->currentIndex().row();
    m_commands->setData(dataFactsFromJson(m_preview->result()));
    m_sources->setData(m_commands->data());
    m_commands->setRawColumn(m_sources->current());
    m_model->setFeatures(facts.features);
    const bool isEmpty = facts.features.isEmpty();
    m_stack->setCurrentIndex(isEmpty && !m_isByHand && m_suggestions->isHidden() ? 0 : 1);
    refreshEmpty();
    const QString columns =
        counted(facts.features.size(), tr("one feature column"), tr("%1 feature columns"));
    m_header->setSentence(tr("%1 · wide %2 · deep %3")
                              .arg(columns, formatCount(facts.width(FeatureSide::Wide)),
                                   formatCount(facts.width(FeatureSide::Deep))));
    m_encoded->setPreview(m_preview->result());
    m_encoded->parentWidget()->setVisible(!m_preview->result().value("rows").toArray().isEmpty());
    const int wanted = m_model->rowOf(before);
    const int last = static_cast<int>(facts.features.size()) - 1;
    if (!isEmpty) {
        m_table->selectRow(wanted >= 0 ? wanted : std::clamp(row, 0, last));
    } else {
        showFeature(nullptr);
    }
    if (wanted >= 0) {
        m_wanted.clear();
    }
    m_suggestions->refresh();
    refreshActions();
    refreshProblems();
}

void FeaturesPage::refreshEmpty()
{
    if (session().document().isOpen()) {
        m_empty->setTitle(tr("No features yet"));
        m_empty->setSentence(tr("Feature columns define what the model sees of the raw columns."));
        m_empty->setPrimaryAction(m_suggest, tr("Suggest Features"));
        m_empty->setPlainAction(m_byHand);
    } else {
        m_isByHand = false;
        m_empty->setTitle(tr("Nothing is open"));
        m_empty->setSentence(tr("The feature columns of a project appear here once it is open."));
        m_empty->setPrimaryAction(action("action.open_project"));
        m_empty->setPlainAction(action("action.page_home"), tr("Use a Sample"));
    }
}

void FeaturesPage::refreshActions()
{
    setHindrance(m_addCross, m_commands->crossHindrance(),
                 tr("Combine two columns of categories into one."));
    setHindrance(m_suggest, m_suggestions->hindrance(),
                 tr("What a new experiment for this table would have."));
    m_add->setToolTip(tr("Of the selected column, by kind."));
}

void FeaturesPage::refreshProblems()
{
    const QList<ProblemRow> problems = problemsOf(session().document().problems(), "features");
    if (problems.isEmpty()) {
        m_strip->hide();
    } else {
        const bool isError = problems.first().level == ProblemRow::Level::Error;
        m_strip->setMessage(isError ? Strip::Level::Error : Strip::Level::Warning,
                            counted(problems.size(), tr("One issue needs attention."),
                                    tr("%1 issues need attention.")),
                            problems.first().sentence);
        m_strip->setActions({action("action.open_text_editor")});
    }
    m_problems->setProblems(problems.size() > 1 ? problems : QList<ProblemRow>());
    const bool isEmpty = m_model->rowCount() == 0;
    if (isEmpty) {
        setMark({.kind = RailMark::Kind::Empty, .tip = tr("No features yet.")});
    } else if (!problems.isEmpty()) {
        const bool isError = problems.first().level == ProblemRow::Level::Error;
        setMark({.kind = isError ? RailMark::Kind::Error : RailMark::Kind::Warning,
                 .tip = problems.first().sentence});
    } else {
        setMark({.kind = RailMark::Kind::Ready, .tip = tr("The feature columns are ready.")});
    }
}

const FeatureFacts* FeaturesPage::current() const
{
    const QModelIndexList rows = m_table->selectionModel()->selectedIndexes();
    return rows.isEmpty() ? nullptr : m_model->at(rows.first().row());
}

void FeaturesPage::showFeature(const FeatureFacts* feature)
{
    m_commands->setFeatureColumn(feature ? feature->name : QString());
    m_editor->setFeature(feature);
    m_encoded->setChosen(feature ? feature->name : QString());
}

bool FeaturesPage::isColumnKey(int key, Qt::KeyboardModifiers modifiers) const
{
    const bool isMove = key == Qt::Key_Up || key == Qt::Key_Down;
    return modifiers == Qt::AltModifier
               ? isMove
               : modifiers == Qt::NoModifier && (key == Qt::Key_Delete || key == Qt::Key_F2 ||
                                                 key == Qt::Key_Return || key == Qt::Key_Enter);
}

bool FeaturesPage::pressKey(int key, Qt::KeyboardModifiers modifiers)
{
    const FeatureFacts* feature = current();
    if (!feature || !isColumnKey(key, modifiers)) {
        return false;
    }
    const QString name = feature->name;
    if (modifiers == Qt::AltModifier) {
        m_commands->move(name, key == Qt::Key_Up ? -1 : 1);
    } else if (key == Qt::Key_Delete) {
        m_commands->remove(name);
    } else if (key == Qt::Key_F2) {
        m_editor->editName();
    } else {
        openUseMenu(m_model->index(m_model->rowOf(name), FeatureListModel::SideColumn));
    }
    return true;
}

/// Whether this was about a column of the table.
bool FeaturesPage::takeDrag(QEvent* event)
{
    auto* drag = static_cast<QDropEvent*>(event);
    if (!drag->mimeData()->hasFormat(FeatureSources::mimeType())) {
        return false;
    }
    drag->setDropAction(Qt::CopyAction);
    drag->accept();
    if (event->type() == QEvent::Drop) {
        m_commands->addFor(QString::fromUtf8(drag->mimeData()->data(FeatureSources::mimeType())));
    }
    return true;
}

bool FeaturesPage::eventFilter(QObject* watched, QEvent* event)
{
    switch (event->type()) {
    case QEvent::DragEnter:
    case QEvent::DragMove:
    case QEvent::Drop:
        if (takeDrag(event)) {
            return true;
        }
        break;
    case QEvent::ShortcutOverride: {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (watched == m_table && isColumnKey(key->key(), key->modifiers())) {
            event->accept();
            return true;
        }
        break;
    }
    case QEvent::KeyPress: {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (watched == m_table && pressKey(key->key(), key->modifiers())) {
            return true;
        }
        break;
    }
    default:
        break;
    }
    return Page::eventFilter(watched, event);
}

void FeaturesPage::openMenu(const QPoint& position)
{
    const QModelIndex index = m_table->indexAt(position);
    const FeatureFacts* feature = index.isValid() ? m_model->at(index.row()) : current();
    if (feature) {
        auto* menu = new QMenu(this);
        menu->setObjectName("menu.feature_column");
        menu->setAttribute(Qt::WA_DeleteOnClose);
        m_commands->fillColumnMenu(*menu, *feature);
        menu->popup(m_table->viewport()->mapToGlobal(position));
    }
}

/// Which side uses the column, below its pill.
void FeaturesPage::openUseMenu(const QModelIndex& index)
{
    const FeatureFacts* feature = m_model->at(index.row());
    if (!feature || index.column() != FeatureListModel::SideColumn) {
        return;
    }
    auto* menu = new QMenu(this);
    menu->setObjectName("menu.use");
    menu->setAttribute(Qt::WA_DeleteOnClose);
    m_commands->fillUseMenu(*menu, *feature);
    menu->popup(m_table->viewport()->mapToGlobal(m_table->visualRect(index).bottomLeft()));
}

} // namespace cannery::ui
