// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/features_page.h"

#include "ui/document/experiment_document.h"
#include "ui/models/formats.h"
#include "ui/pages/document_query.h"
#include "ui/pages/encoded_preview.h"
#include "ui/pages/feature_delegate.h"
#include "ui/pages/feature_list_model.h"
#include "ui/pages/page_parts.h"
#include "ui/services/project_session.h"
#include "ui/widgets/button.h"
#include "ui/widgets/card.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/key_value_list.h"
#include "ui/widgets/label.h"
#include "ui/widgets/page_header.h"
#include "ui/widgets/strip.h"
#include "ui/widgets/table_view.h"
#include "ui/widgets/theme.h"

#include <QAction>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QScrollArea>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace cannery::ui {

FeaturesPage::FeaturesPage(const PageContext& context, QWidget* parent)
    : Page("features", context, parent), m_preview(&DocumentQuery::preview(session())),
      m_model(new FeatureListModel(this)), m_stack(new QStackedWidget(this)),
      m_empty(new EmptyState(this))
{
    m_inspector = makeInspector();
    m_inspector->hide();
    m_empty->setObjectName("empty.features");
    m_empty->setPicture(EmptyState::Sketch::Boxes, "columns");
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
    refresh();
}

QWidget* FeaturesPage::makeContent()
{
    auto* content = new QWidget(this);
    auto* column = makePageColumn(content);
    m_header = new PageHeader(tr("Features"));
    m_header->setObjectName("header.features");
    m_header->addAction(action("action.show_command"), Button::Kind::Quiet);
    m_header->addAction(action("action.open_text_editor"));
    column->addWidget(m_header);
    m_strip = new Strip;
    m_strip->setObjectName("strip.features");
    m_strip->hide();
    column->addWidget(m_strip);
    m_table = new TableView(TableView::Rows::Features);
    m_table->setObjectName("table.features");
    m_table->setAccessibleName(tr("Feature columns"));
    m_table->setModel(m_model);
    m_table->setItemDelegate(new FeatureDelegate(m_table));
    m_table->verticalHeader()->setVisible(false);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
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
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& current) { showFeature(m_model->at(current.row())); });
    column->addWidget(m_table, 1);
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

QWidget* FeaturesPage::makeInspector()
{
    auto* inspector = new QWidget(this);
    inspector->setObjectName("inspector.features");
    inspector->setAccessibleName(tr("Details of the selected feature column"));
    m_name = new Label({}, TextRole::Section);
    m_name->setWordWrap(true);
    m_help = new Label({}, TextRole::Label, Ink::Secondary);
    m_help->setWordWrap(true);
    m_facts = new KeyValueList;
    auto* column = new QVBoxLayout(inspector);
    column->setContentsMargins(scaled(16), scaled(16), scaled(16), scaled(16));
    column->setSpacing(scaled(10));
    column->addWidget(m_name);
    column->addWidget(m_help);
    column->addWidget(m_facts);
    column->addStretch(1);
    showFeature(nullptr);
    return inspector;
}

QWidget* FeaturesPage::inspector()
{
    return m_inspector;
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

void FeaturesPage::refresh()
{
    const ExperimentDocument& document = session().document();
    const ExperimentFacts facts = ExperimentFacts::of(document.root());
    const int row = m_table->currentIndex().row();
    m_model->setFeatures(facts.features);
    m_stack->setCurrentIndex(facts.features.isEmpty() ? 0 : 1);
    if (document.isOpen()) {
        m_empty->setTitle(tr("No features yet"));
        m_empty->setSentence(tr("Feature columns define what the model sees of the raw columns."));
        m_empty->setPrimaryAction(action("action.open_text_editor"));
        m_empty->setPlainAction(nullptr);
    } else {
        m_empty->setTitle(tr("Nothing is open"));
        m_empty->setSentence(tr("The feature columns of a project appear here once it is open."));
        m_empty->setPrimaryAction(action("action.open_project"));
        m_empty->setPlainAction(action("action.page_home"), tr("Use a Sample"));
    }
    const QString columns =
        counted(facts.features.size(), tr("one feature column"), tr("%1 feature columns"));
    m_header->setSentence(tr("%1 · wide %2 · deep %3")
                              .arg(columns, formatCount(facts.width(FeatureSide::Wide)),
                                   formatCount(facts.width(FeatureSide::Deep))));
    m_encoded->setPreview(m_preview->result());
    m_encoded->parentWidget()->setVisible(!m_preview->result().value("rows").toArray().isEmpty());
    if (!facts.features.isEmpty()) {
        m_table->selectRow(std::clamp(row, 0, static_cast<int>(facts.features.size()) - 1));
    }
    refreshProblems();
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

void FeaturesPage::showFeature(const FeatureFacts* feature)
{
    if (!feature) {
        m_name->setText(tr("No feature column selected"));
        m_help->setText({});
        m_facts->setRows({});
        return;
    }
    m_name->setText(feature->name);
    m_help->setText(feature->help);
    QList<KeyValueList::Row> rows{
        {tr("Kind"), feature->kind, {}},
        {tr("Made from"), feature->sources.join(QLatin1String(", ")), {}}};
    QStringList way;
    for (const FeatureStep& step : feature->steps) {
        way.append(step.detail.isEmpty() ? step.word : step.word + ' ' + step.detail);
    }
    rows.append({tr("Then"), way.join(QStringLiteral(" → ")), {}});
    if (feature->width >= 0) {
        rows.append({tr("Width"), formatCount(feature->width), {}});
    }
    if (feature->parameters >= 0) {
        rows.append({tr("Parameters"), formatCount(feature->parameters), {}});
    }
    rows.append({tr("Used by"), FeatureListModel::sideWord(feature->side), {}});
    m_facts->setRows(rows);
}

} // namespace cannery::ui
