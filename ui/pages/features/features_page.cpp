// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/features/features_page.h"

#include "ui/actions/action_registry.h"
#include "ui/document/checked_problems.h"
#include "ui/document/experiment_document.h"
#include "ui/editing/document_query.h"
#include "ui/editing/feature_list_model.h"
#include "ui/editing/field_values.h"
#include "ui/editing/offer_source.h"
#include "ui/models/encoded_facts.h"
#include "ui/models/formats.h"
#include "ui/pages/features/encoded_preview.h"
#include "ui/pages/features/feature_commands.h"
#include "ui/pages/features/feature_editor.h"
#include "ui/pages/features/feature_sides.h"
#include "ui/pages/features/feature_sources.h"
#include "ui/pages/features/feature_suggestions.h"
#include "ui/pages/features/feature_table.h"
#include "ui/pages/features/template_menu.h"
#include "ui/pages/page_parts.h"
#include "ui/pages/page_problems.h"
#include "ui/services/projects/project_session.h"
#include "ui/widgets/button.h"
#include "ui/widgets/card.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/label.h"
#include "ui/widgets/page_header.h"
#include "ui/widgets/split_view.h"
#include "ui/widgets/strip.h"
#include "ui/widgets/style/theme.h"

#include <QAction>
#include <QItemSelectionModel>
#include <QMenu>
#include <QScopedValueRollback>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace cannery::ui {

namespace {

/// Widths that only the engine can find, such as that of a file's words.
QHash<QString, qint64> foundWidths(const QJsonObject& preview)
{
    QHash<QString, qint64> widths;
    for (const EncodedInputFacts& input : encodedInputsFromJson(preview)) {
        widths.insert(input.column, input.width);
    }
    return widths;
}

void fillWidths(ExperimentFacts& facts, const QHash<QString, qint64>& widths)
{
    for (FeatureFacts& feature : facts.features) {
        if (feature.width < 0) {
            feature.width = widths.value(feature.name, -1);
        }
    }
}

/// By the path of the field that is wrong.
QHash<QString, QString> foundProblems(const QJsonObject& preview)
{
    QHash<QString, QString> problems;
    for (const ColumnProblemFacts& one : columnProblemsFromJson(preview)) {
        problems.insert(one.path, one.problem);
    }
    return problems;
}

/// What the estimator has to use columns with, and none.
QList<FeatureSide> sidesOf(const FieldNode& root)
{
    QList<FeatureSide> sides;
    for (const ColumnList& list : columnLists(root)) {
        const FeatureSide side = list.isDense ? FeatureSide::Deep : FeatureSide::Wide;
        if (!sides.contains(side)) {
            sides.append(side);
        }
    }
    return sides.isEmpty() ? sides : sides + QList<FeatureSide>{FeatureSide::Unused};
}

} // namespace

FeaturesPage::FeaturesPage(const PageContext& context, QWidget* parent)
    : Page("features", context, parent), m_preview(&DocumentQuery::preview(session())),
      m_commands(new FeatureCommands(session().document(), *context.toaster, this)),
      m_model(new FeatureListModel(this)),
      m_editor(new FeatureEditor(session(), *m_commands, this)),
      m_templates(new TemplateMenu(session().settings(), session().document(), *m_commands,
                                   *context.toaster, this)),
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
    connect(&session().project(), &OpenProject::changed, this, &FeaturesPage::refresh);
    connect(&session().document(), &ExperimentDocument::changed, this, &FeaturesPage::refresh);
    connect(&session().document(), &ExperimentDocument::problemsChanged, this,
            &FeaturesPage::refreshProblems);
    // The column appears with the next reading of the document; until then its name is remembered.
    connect(m_commands, &FeatureCommands::made, this, [this](const QString& name) {
        m_wanted = name;
        m_commands->setFeatureColumn(name);
        reveal("feature:" + name);
    });
    connect(m_commands, &FeatureCommands::renameRequested, m_editor, &FeatureEditor::editName);
    connect(m_suggestions, &FeatureSuggestions::askingChanged, this, &FeaturesPage::refreshActions);
    refresh();
}

void FeaturesPage::makeActions()
{
    m_addMenu = new QMenu(this);
    m_addMenu->setObjectName("menu.add_feature_column");
    connect(m_addMenu, &QMenu::aboutToShow, this, [this] {
        m_addMenu->clear();
        m_commands->fillAddMenu(*m_addMenu);
    });
    connect(action("action.add_feature_column"), &QAction::triggered, this,
            [this] { openBelow("button.add_feature_column", *m_addMenu); });
    connect(action("action.feature_templates"), &QAction::triggered, this,
            [this] { openBelow("button.feature_templates", *m_templates->menu()); });
    connect(action("action.add_cross"), &QAction::triggered, this, [this] {
        comeForward();
        m_commands->addCross();
    });
    connect(action("action.suggest_features"), &QAction::triggered, this, [this] {
        comeForward();
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

void FeaturesPage::comeForward()
{
    if (!isVisible()) {
        Q_EMIT navigate(id());
    }
}

// The button may be hidden in a narrow window, or the action come from the menu.
void FeaturesPage::openBelow(const char* button, QMenu& menu)
{
    comeForward();
    auto* found = m_header->findChild<QWidget*>(QLatin1String(button));
    QWidget* under = found && found->isVisible() ? found : m_header;
    menu.popup(under->mapToGlobal(QPoint(0, under->height())));
}

QWidget* FeaturesPage::makeContent()
{
    auto* content = new QWidget(this);
    auto* column = makePageColumn(content);
    m_header = new PageHeader(tr("Features"));
    m_header->setObjectName("header.features");
    m_header->addAction(action("action.suggest_features"), Button::Kind::Plain, tr("Suggest"));
    m_header->addAction(action("action.feature_templates"), Button::Kind::Plain, tr("Templates"));
    m_header->addAction(action("action.add_cross"));
    m_header->addAction(action("action.add_feature_column"), Button::Kind::Primary,
                        tr("Add Feature Column"));
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
    m_encodedCard = new Card;
    m_encodedCard->body()->addWidget(makeFittedArea(m_encoded, this, 0.24));
    column->addWidget(m_encodedCard);
    m_problems = new ProblemList;
    connectProblems(*m_problems, *this, action("action.open_text_editor"), session().document());
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
    connect(m_sources, &FeatureSources::chosen, m_commands,
            qOverload<const QString&>(&FeatureCommands::addFor));
    connect(m_sources, &QListWidget::currentTextChanged, m_commands,
            &FeatureCommands::setRawColumn);
    // One that is current already is chosen again by a press.
    const auto choose = [this] {
        if (!m_isRefreshing && !m_sources->selectedItems().isEmpty()) {
            m_commands->setRawLast(true);
        }
    };
    connect(m_sources, &QListWidget::itemSelectionChanged, this, choose);
    connect(m_sources, &QListWidget::itemPressed, this, choose);
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
    m_sides = new FeatureSides;
    column->addWidget(m_sides);
    connect(m_sides, &FeatureSides::featureDropped, this, &FeaturesPage::dropFeature);
    connect(m_sides, &FeatureSides::columnDropped, m_commands,
            qOverload<const QString&, FeatureSide>(&FeatureCommands::addFor));
    return side;
}

void FeaturesPage::makeTable()
{
    m_table = new FeatureTable(m_model);
    // Assistive technology selects a cell without making it the current one.
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        showFeature(m_table->current());
        if (!m_isRefreshing) {
            m_commands->setRawLast(false);
        }
    });
    connect(m_table, &QTableView::pressed, this, [this] { m_commands->setRawLast(false); });
    connect(m_table, &QWidget::customContextMenuRequested, this, &FeaturesPage::openMenu);
    connect(m_table, &FeatureTable::useRequested, this, &FeaturesPage::openUseMenu);
    connect(m_table, &FeatureTable::columnDropped, m_commands,
            qOverload<const QString&>(&FeatureCommands::addFor));
    connect(m_table, &FeatureTable::placeRequested, m_commands, &FeatureCommands::moveBefore);
    connect(m_table, &FeatureTable::stepRequested, m_commands, &FeatureCommands::move);
    connect(m_table, &FeatureTable::removeRequested, m_commands, &FeatureCommands::remove);
    connect(m_table, &FeatureTable::renameRequested, m_editor, &FeatureEditor::editName);
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
    m_commands->setRawLast(false);
    QString name = what.section(':', 1);
    if (what.startsWith(QLatin1String("field:"))) {
        name = columnAtPath(session().document().root(), name);
    }
    if (const int row = m_model->rowOf(name); row >= 0) {
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
    m_sides->setRoom(height() >= scaled(420));
}

void FeaturesPage::refresh()
{
    // What it selects anew was chosen before.
    const QScopedValueRollback refreshing(m_isRefreshing, true);
    const ExperimentDocument& document = session().document();
    ExperimentFacts facts = ExperimentFacts::of(document.root());
    const QHash<QString, qint64> widths = foundWidths(m_preview->result());
    fillWidths(facts, widths);
    const FeatureFacts* shown = m_table->current();
    const QString before = m_wanted.isEmpty() && shown ? shown->name : m_wanted;
    const int row = m_table->currentIndex().row();
    // An experiment with an error has no preview; its table is still the same.
    if (document.file() != std::exchange(m_dataOf, document.file()) ||
        !m_preview->dataFacts().isEmpty()) {
        m_commands->setData(m_preview->dataFacts());
    }
    m_commands->setHashed(hashedFactsFromJson(m_preview->result()));
    m_commands->setWidths(widths);
    m_commands->setProblems(foundProblems(m_preview->result()));
    m_sources->setData(m_commands->data());
    m_commands->setRawColumn(m_sources->current());
    m_model->setFeatures(facts.features);
    m_sides->setFacts(facts, sidesOf(document.root()));
    const bool isEmpty = facts.features.isEmpty();
    m_stack->setCurrentIndex(isEmpty && !m_isByHand && m_suggestions->isHidden() ? 0 : 1);
    refreshEmpty();
    const QString columns = counted(facts.features.size(), tr("one column"), tr("%1 columns"));
    const QString crosses = counted(facts.crossCount(), tr("one cross"), tr("%1 crosses"));
    m_header->setSentence(facts.crossCount() > 0 ? tr("%1, %2").arg(columns, crosses) : columns);
    m_encoded->setPreview(m_preview->result());
    m_encodedCard->setVisible(!m_preview->result().value("rows").toArray().isEmpty());
    const int wanted = m_model->rowOf(before);
    const int last = static_cast<int>(facts.features.size()) - 1;
    if (!isEmpty) {
        // If it was removed, the one in its place.
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
        m_empty->setPrimaryAction(action("action.suggest_features"), tr("Suggest Features"));
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
    ActionRegistry& actions = *context().actions;
    const bool isOpen = session().document().isOpen();
    const QString closed = isOpen ? QString() : tr("Open a project first.");
    const auto hinder = [&](const char* id, const QString& sentence) {
        actions.setHindrance(id, isOpen ? sentence : closed);
    };
    hinder("action.add_feature_column", {});
    hinder("action.feature_templates", {});
    hinder("action.add_cross", m_commands->crossHindrance());
    hinder("action.suggest_features", m_suggestions->hindrance());
}

void FeaturesPage::refreshProblems()
{
    const QList<ProblemRow> problems =
        problemsOf(session().document().problems().all(), "features");
    showProblems(problems, *m_strip, *m_problems, *this, action("action.open_text_editor"),
                 session().document());
    const bool isEmpty = m_model->rowCount() == 0;
    if (isEmpty) {
        setMark({.kind = RailMark::Kind::Empty, .tip = tr("No features yet.")});
    } else if (!problems.isEmpty()) {
        setMark(markOf(problems));
    } else {
        setMark({.kind = RailMark::Kind::Ready, .tip = tr("The feature columns are ready.")});
    }
}

void FeaturesPage::showFeature(const FeatureFacts* feature)
{
    m_commands->setFeatureColumn(feature ? feature->name : QString());
    m_templates->setSelected(feature ? feature->name : QString());
    m_editor->setFeature(feature);
    m_encoded->setChosen(feature ? feature->name : QString(),
                         feature ? wrappedBy(feature->name) : QStringList());
}

/// The feature columns that this one is made of directly.
QStringList FeaturesPage::wrappedBy(const QString& name) const
{
    const FieldNode* column = columnNamed(session().document().root(), name);
    QStringList names;
    for (const FieldNode& field : column ? kindNode(*column).children : QList<FieldNode>()) {
        if (field.names == FieldNames::FeatureColumn) {
            names += field.isRepeated ? valuesOf(field) : QStringList{field.text};
        }
    }
    return names;
}

void FeaturesPage::dropFeature(const QString& name, FeatureSide side, bool also,
                               const QPoint& where)
{
    auto* menu = new QMenu(this);
    menu->setObjectName("menu.drop");
    menu->setAttribute(Qt::WA_DeleteOnClose);
    m_commands->drop(name, side, also, *menu);
    if (menu->isEmpty()) {
        menu->deleteLater();
    } else {
        menu->popup(where);
    }
}

void FeaturesPage::openMenu(const QPoint& position)
{
    const QModelIndex index = m_table->indexAt(position);
    const FeatureFacts* feature = index.isValid() ? m_model->at(index.row()) : m_table->current();
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
    if (!feature) {
        return;
    }
    auto* menu = new QMenu(this);
    menu->setObjectName("menu.use");
    menu->setAttribute(Qt::WA_DeleteOnClose);
    m_commands->fillUseMenu(*menu, *feature);
    menu->popup(m_table->viewport()->mapToGlobal(m_table->visualRect(index).bottomLeft()));
}

} // namespace cannery::ui
