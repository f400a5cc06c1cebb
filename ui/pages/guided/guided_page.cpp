// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/guided/guided_page.h"

#include "ui/document/table_files.h"
#include "ui/editing/guided_columns_model.h"
#include "ui/editors/tile_gallery.h"
#include "ui/pages/guided/distribution_delegate.h"
#include "ui/pages/guided/guided_section.h"
#include "ui/pages/page_parts.h"
#include "ui/pages/table_choice_dialog.h"
#include "ui/services/projects/project_session.h"
#include "ui/services/projects/sample_library.h"
#include "ui/widgets/button.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/label.h"
#include "ui/widgets/link_label.h"
#include "ui/widgets/page_header.h"
#include "ui/widgets/strip.h"
#include "ui/widgets/table_view.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QHeaderView>
#include <QLineEdit>
#include <QPointer>
#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>

namespace cannery::ui {
namespace {

constexpr int kListHeight = 300;

} // namespace

GuidedPage::GuidedPage(const PageContext& context, QWidget* parent)
    : Page("guided", context, parent), m_run(session()), m_strip(new Strip),
      m_labels(new GuidedColumnsModel(GuidedColumnsModel::Purpose::Label, this)),
      m_columns(new GuidedColumnsModel(GuidedColumnsModel::Purpose::Learn, this))
{
    auto* column = makePageColumn(this);
    auto* header = new PageHeader(tr("Guided Run"));
    header->setSentence(tr("From a table to a trained model, one question at a time."));
    header->addAction(action("action.show_command"), Button::Kind::Quiet);
    column->addWidget(header);
    m_strip->setObjectName("strip.guided");
    m_strip->hide();
    connect(m_strip, &Strip::linkActivated, this, [this](const QString& link) {
        if (link == QLatin1String("table")) {
            chooseRows(m_run.undecided());
        } else {
            session().tables().ask(m_run.tables().trouble().file);
        }
    });
    connect(&m_run, &GuidedRun::tableWanted, this, [this] { chooseRows(m_run.undecided()); });
    column->addWidget(m_strip);
    auto* body = new QWidget;
    auto* rows = new QVBoxLayout(body);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(scaled(10));
    m_area = makeScrollArea(body);
    column->addWidget(m_area, 1);
    addSection("table", tr("Your table"), makeTable(), tr("Continue"));
    addSection("question", tr("What do you want to predict?"), makeQuestion(), tr("Continue"));
    addSection("columns", tr("What it learns from"), makeColumns(), tr("Continue"));
    addSection("model", tr("The model"), makeModel(), tr("Continue"));
    addSection("train", tr("Train the model"), makeTrain(), {});
    for (GuidedSection* section : std::as_const(m_sections)) {
        rows->addWidget(section);
    }
    rows->addStretch(1);
    connect(&m_run, &GuidedRun::changed, this, &GuidedPage::refresh);
    connect(&m_run, &GuidedRun::begun, this, [this] {
        open(Table);
        m_table->clear(); // also while it has the focus
        Q_EMIT navigate("train");
    });
    connect(&session().samples(), &SampleLibrary::changed, this, &GuidedPage::refreshSamples);
    refreshSamples();
    open(Table);
    refresh();
}

void GuidedPage::addSection(const QString& id, const QString& title, QWidget* content,
                            const QString& next)
{
    const int number = static_cast<int>(m_sections.size());
    auto* section = new GuidedSection(number + 1, id, title, content);
    if (!next.isEmpty()) {
        section->setContinue(next);
    }
    connect(section, &GuidedSection::continued, this, [this, number] { open(number + 1); });
    connect(section, &GuidedSection::toggled, this, [this, number](bool isOpen) {
        if (isOpen) {
            open(number);
        }
    });
    m_sections.append(section);
}

/// One section at a time, so that the next button is in view.
void GuidedPage::open(int section)
{
    const bool isMove = m_open != section;
    m_open = section;
    for (int i = 0; i < m_sections.size(); ++i) {
        m_sections[i]->setOpen(i == section);
    }
    if (isMove && isVisible()) {
        m_sections[section]->focusTitle();
        // The sections have their new places only after a layout.
        m_area->widget()->layout()->activate();
        m_area->verticalScrollBar()->setValue(m_sections[section]->y());
    }
}

QWidget* GuidedPage::makeTable()
{
    auto* content = new QWidget;
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(scaled(8));
    auto* words = new Label(tr("A CSV or TSV file with one row per example and a column with what "
                               "you want to predict. Drop it here, choose it, or take a sample."),
                            TextRole::Body, Ink::Secondary);
    words->setWordWrap(true);
    column->addWidget(words);
    m_table = new QLineEdit;
    m_table->setObjectName("field.guided_table");
    m_table->setAccessibleName(tr("Table"));
    m_table->setPlaceholderText(tr("A CSV or TSV file"));
    // Not at every letter: a path that is half typed does not exist.
    connect(m_table, &QLineEdit::editingFinished, this,
            [this] { m_run.setTable(m_table->text()); });
    connect(m_table, &QLineEdit::textChanged, this, [this](const QString& text) {
        if (!m_table->hasFocus()) { // set by assistive technology
            m_run.setTable(text);
        }
    });
    auto* choose = new Button(Button::Kind::Plain, tr("Choose…"));
    choose->setObjectName("button.guided_choose");
    choose->setAccessibleName(tr("Choose a table"));
    connect(choose, &QPushButton::clicked, this, &GuidedPage::chooseFile);
    auto* line = new QHBoxLayout;
    line->addWidget(m_table, 1);
    line->addWidget(choose);
    column->addLayout(line);
    m_samplesRow = new QWidget;
    m_samplesRow->setAccessibleName(tr("Samples"));
    m_samples = new FlowLayout(m_samplesRow, 8);
    column->addWidget(m_samplesRow);
    m_tableWords = new LinkLabel({}, TextRole::Body, Ink::Text);
    m_tableWords->setObjectName("words.guided_table");
    m_tableWords->setWordWrap(true);
    connect(m_tableWords, &QLabel::linkActivated, this, [this] { chooseRows(m_run.table()); });
    column->addWidget(m_tableWords);
    return content;
}

void GuidedPage::refreshSamples()
{
    clearLayout(m_samples);
    for (const Sample& sample : session().samples().samples()) {
        if (sample.table.isEmpty()) {
            continue;
        }
        auto* button = new Button(Button::Kind::Plain, QFileInfo(sample.table).fileName());
        button->setObjectName("guided_sample." + sample.id);
        button->setAccessibleName(tr("Sample %1").arg(sample.title));
        button->setToolTip(sample.sentence);
        connect(button, &QPushButton::clicked, this,
                [this, table = sample.table] { m_run.setTable(table); });
        m_samples->addWidget(button);
    }
}

void GuidedPage::chooseFile()
{
    auto* dialog = new QFileDialog(this, tr("Choose Table"));
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setObjectName("dialog.guided_file");
    dialog->setNameFilter(tableFileFilters());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QFileDialog::fileSelected, this,
            [this](const QString& file) { m_run.setTable(file); });
    dialog->open();
}

void GuidedPage::chooseRows(const QString& database)
{
    TableChoiceDialog::ask(
        session(), database, m_run.chosenRows(), window(),
        [this, database, page = QPointer<GuidedPage>(this)](const RowsChoice& rows) {
            if (page) {
                m_run.setTable(database, rows);
            }
        });
}

TableView* GuidedPage::makeColumnView(GuidedColumnsModel& model, const QString& name,
                                      const QString& accessibleName)
{
    auto* view = new TableView(TableView::Rows::Features);
    view->setObjectName(name);
    view->setAccessibleName(accessibleName);
    view->setModel(&model);
    view->setItemDelegate(new DistributionDelegate(view));
    view->setSelectionMode(QAbstractItemView::SingleSelection);
    // Tab leaves the table for the next button; the arrow keys go through the cells.
    view->setTabKeyNavigation(false);
    view->horizontalHeader()->setStretchLastSection(true);
    view->setMinimumHeight(scaled(kListHeight));
    return view;
}

QWidget* GuidedPage::makeQuestion()
{
    auto* content = new QWidget;
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(scaled(8));
    m_labelView = makeColumnView(*m_labels, "table.guided_labels", tr("Column to predict"));
    column->addWidget(m_labelView, 1);
    m_labelWords = new Label;
    m_labelWords->setObjectName("words.guided_label");
    m_labelWords->setWordWrap(true);
    column->addWidget(m_labelWords);
    m_clusters = new Button(Button::Kind::Quiet, tr("No Label: Find Groups of Similar Rows"));
    m_clusters->setObjectName("button.guided_clusters");
    connect(m_clusters, &QPushButton::clicked, &m_run, &GuidedRun::setClusters);
    column->addWidget(m_clusters, 0, Qt::AlignLeft);
    connect(
        m_labelView->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
        [this](const QModelIndex& current) { m_run.setLabel(m_labels->nameAt(current.row())); });
    return content;
}

QWidget* GuidedPage::makeColumns()
{
    auto* content = new QWidget;
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(scaled(8));
    m_columnWords = new Label({}, TextRole::Body, Ink::Secondary);
    m_columnWords->setObjectName("words.guided_columns");
    m_columnWords->setWordWrap(true);
    column->addWidget(m_columnWords);
    column->addWidget(
        makeColumnView(*m_columns, "table.guided_columns", tr("Columns to learn from")), 1);
    connect(m_columns, &GuidedColumnsModel::wantedChanged, &m_run, &GuidedRun::setWanted);
    return content;
}

QWidget* GuidedPage::makeModel()
{
    auto* content = new QWidget;
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(scaled(8));
    m_kinds = new TileGallery(210);
    m_kinds->setObjectName("tiles.guided_model");
    m_kinds->setAccessibleName(tr("Model"));
    connect(m_kinds, &TileGallery::chosen, &m_run, &GuidedRun::setFamily);
    column->addWidget(m_kinds);
    m_modelWords = new Label;
    m_modelWords->setObjectName("words.guided_model");
    m_modelWords->setWordWrap(true);
    column->addWidget(m_modelWords);
    return content;
}

QWidget* GuidedPage::makeTrain()
{
    auto* content = new QWidget;
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(scaled(12));
    m_trainWords = new Label;
    m_trainWords->setObjectName("words.guided_train");
    m_trainWords->setWordWrap(true);
    column->addWidget(m_trainWords);
    m_train = new Button(Button::Kind::Primary, QStringLiteral("player-play"), tr("Train"));
    m_train->setObjectName("button.guided_train");
    m_train->setAccessibleName(tr("Create the project and train"));
    connect(m_train, &QPushButton::clicked, &m_run, &GuidedRun::train);
    column->addWidget(m_train, 0, Qt::AlignLeft);
    return content;
}

void GuidedPage::reveal(const QString& what)
{
    if (what.startsWith(QLatin1String("table:"))) {
        open(Table);
        m_run.setTable(what.mid(6));
    }
}

CommandLine GuidedPage::command() const
{
    return m_run.command();
}

} // namespace cannery::ui
