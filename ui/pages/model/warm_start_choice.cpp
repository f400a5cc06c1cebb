// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/model/warm_start_choice.h"

#include "ui/document/experiment_document.h"
#include "ui/editing/document_query.h"
#include "ui/models/formats.h"
#include "ui/models/plan_facts.h"
#include "ui/models/runs/run_snapshot.h"
#include "ui/models/runs/warm_start_model.h"
#include "ui/pages/checkpoint_choice.h"
#include "ui/pages/page_parts.h"
#include "ui/services/projects/project_session.h"
#include "ui/services/runs/run_catalog.h"
#include "ui/widgets/button.h"
#include "ui/widgets/label.h"
#include "ui/widgets/table_view.h"

#include <QComboBox>
#include <QDir>
#include <QFileInfo>
#include <QHeaderView>
#include <QVBoxLayout>

#include <algorithm>

namespace cannery::ui {
namespace {

/// More names would only be scrolled past; the tooltip has all of them.
constexpr qsizetype kMostVariablesNamed = 6;
constexpr int kFewestLetters = 6;
constexpr int kMostRunsShown = 8;
constexpr int kRowHeight = 26;

QString variableNames(const QStringList& names)
{
    const QString shown = names.mid(0, kMostVariablesNamed).join(WarmStartChoice::tr(", "));
    const qsizetype more = names.size() - kMostVariablesNamed;
    return more > 0 ? WarmStartChoice::tr("%1 and %2 more").arg(shown).arg(more) : shown;
}

} // namespace

WarmStartChoice::WarmStartChoice(ProjectSession& session, QWidget* parent)
    : QWidget(parent), m_session(&session), m_plan(&DocumentQuery::plan(session)),
      m_line(new QWidget), m_checkpoint(new CheckpointChoice),
      m_use(new Button(Button::Kind::Plain, tr("Start from This Run"))),
      m_words(new Label({}, TextRole::Label, Ink::Secondary)),
      m_patterns(new Label({}, TextRole::Label, Ink::Secondary)), m_model(new WarmStartModel(this)),
      m_variables(new TableView)
{
    setObjectName("choice.warm_start");
    m_use->setObjectName("button.warm_start");
    m_words->setObjectName("words.warm_start");
    m_words->setWordWrap(true);
    m_patterns->setObjectName("words.warm_start_patterns");
    m_patterns->setWordWrap(true);
    setUpVariables();
    // The names of runs and metrics must not widen the form.
    for (QComboBox* box : m_checkpoint->findChildren<QComboBox*>()) {
        box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        box->setMinimumContentsLength(kFewestLetters);
    }
    auto* line = new QVBoxLayout(m_line);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(scaled(6));
    line->addWidget(m_checkpoint);
    line->addWidget(m_use, 0, Qt::AlignLeft);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(scaled(18), scaled(6), 0, scaled(6));
    column->setSpacing(scaled(6));
    column->addWidget(m_line);
    column->addWidget(m_words);
    column->addWidget(m_patterns);
    column->addWidget(m_variables);
    connect(m_use, &QPushButton::clicked, this, &WarmStartChoice::use);
    connect(&session.runs(), &RunCatalog::snapshotChanged, this, &WarmStartChoice::refreshRuns);
    connect(&session.document(), &ExperimentDocument::changed, this, &WarmStartChoice::refreshRuns);
    connect(m_plan, &DocumentQuery::changed, this, &WarmStartChoice::refreshWords);
    refreshRuns();
    refreshWords();
}

void WarmStartChoice::setUpVariables()
{
    m_variables->setObjectName("table.warm_start");
    m_variables->setAccessibleName(tr("Variables of the warm start"));
    m_variables->setModel(m_model);
    m_variables->setTextElideMode(Qt::ElideLeft);
    m_variables->verticalHeader()->setVisible(false);
    QHeaderView* header = m_variables->horizontalHeader();
    header->setHighlightSections(false);
    header->setSectionResizeMode(QHeaderView::ResizeToContents);
    header->setSectionResizeMode(WarmStartModel::Variable, QHeaderView::Stretch);
    header->setResizeContentsPrecision(TableView::kRowsMeasured);
}

void WarmStartChoice::use()
{
    const RunRow* run = m_session->runs().snapshot()->find(m_checkpoint->run());
    const qint64 step = m_checkpoint->step();
    if (run == nullptr || step < 0) {
        return;
    }
    // Relative, so that the project can be moved.
    const QString file =
        QDir(m_session->project().folder())
            .relativeFilePath(QStringLiteral("%1/model.ckpt-%2").arg(run->folder).arg(step));
    m_session->document().apply(
        tr("Start from %1").arg(run->displayName()),
        {FieldEdit::set(QStringLiteral("warm_start.ckpt_to_initialize_from"), quoted(file))});
}

void WarmStartChoice::refreshRuns()
{
    m_checkpoint->setRuns(m_session->runs().snapshot());
    m_line->setVisible(!m_checkpoint->isEmpty());
    setHindrance(m_use, m_session->document().edits().hindrance());
}

void WarmStartChoice::refreshWords()
{
    // The engine matches variables as the training will: the words do not promise more than it
    // does.
    const WarmStartFacts& facts = m_plan->planFacts().warmStart;
    QStringList sentences;
    if (!facts.problem.isEmpty()) {
        sentences << facts.problem;
    } else if (!facts.isEmpty()) {
        sentences << tr("%1 from %2: %3.")
                         .arg(
                             counted(facts.restored.size(), tr("One variable"), tr("%1 variables")),
                             QFileInfo(facts.checkpoint).fileName(), variableNames(facts.restored));
        sentences << (facts.fresh.isEmpty()
                          ? tr("None keeps its initial values.")
                          : tr("%1: %2.").arg(counted(facts.fresh.size(),
                                                      tr("One keeps its initial values"),
                                                      tr("%1 keep their initial values")),
                                              variableNames(facts.fresh)));
    }
    m_words->setInk(facts.problem.isEmpty() ? Ink::Secondary : Ink::Error);
    m_words->setText(sentences.join(u' '));
    m_words->setToolTip((facts.restored + facts.fresh).join(u'\n'));
    m_words->setVisible(!sentences.isEmpty());
    m_patterns->setText(WarmStartModel::patternsText(facts));
    m_patterns->setVisible(!m_patterns->text().isEmpty());
    m_model->setFacts(facts);
    const int rows = std::min<int>(m_model->rowCount(), kMostRunsShown);
    m_variables->setVisible(rows > 0);
    m_variables->setFixedHeight(m_variables->horizontalHeader()->sizeHint().height() +
                                scaled(kRowHeight) * rows + 2 * m_variables->frameWidth());
}

} // namespace cannery::ui
