// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/features/initial_table_choice.h"

#include "ui/document/experiment_document.h"
#include "ui/document/experiment_file.h"
#include "ui/models/runs/run_snapshot.h"
#include "ui/pages/checkpoint_choice.h"
#include "ui/services/job_runner.h"
#include "ui/services/projects/project_session.h"
#include "ui/services/runs/run_catalog.h"
#include "ui/widgets/button.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/label.h"
#include "ui/widgets/style/theme.h"

#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QJsonObject>
#include <QListWidget>
#include <QPointer>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace cannery::ui {

namespace {

constexpr int kFewestLetters = 6;
constexpr int kMostRows = 6;
constexpr int kLeastRows = 2;
constexpr char kCheckpointField[] = "ckpt_to_load_from";
constexpr char kTensorField[] = "tensor_name_in_ckpt";

const QString kIndexSuffix = QStringLiteral(".index");

} // namespace

InitialTableChoice::InitialTableChoice(ProjectSession& session, QWidget* parent)
    : QWidget(parent), m_session(session), m_fold(new Button(Button::Kind::Link, QString())),
      m_content(new QWidget), m_checkpoint(new CheckpointChoice),
      m_other(new Button(Button::Kind::Quiet, tr("Other Checkpoint…"))),
      m_title(new Label({}, TextRole::LabelStrong)), m_tables(new QListWidget),
      m_use(new Button(Button::Kind::Plain, tr("Start from This Table"))),
      m_none(new Button(Button::Kind::Quiet, tr("Start at Random"))),
      m_words(new Label({}, TextRole::Label, Ink::Secondary))
{
    setObjectName("choice.initial_table");
    setAccessibleName(tr("Initial values"));
    m_fold->setObjectName("button.initial_table");
    m_other->setObjectName("button.other_checkpoint");
    m_title->setObjectName("words.listed_checkpoint");
    m_title->setWordWrap(true);
    m_tables->setObjectName("list.initial_tables");
    m_tables->setAccessibleName(tr("Variables of the checkpoint"));
    m_tables->setTextElideMode(Qt::ElideMiddle);
    m_tables->setUniformItemSizes(true);
    m_tables->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_use->setObjectName("button.use_table");
    m_none->setObjectName("button.use_no_table");
    m_words->setObjectName("words.initial_table");
    m_words->setWordWrap(true);
    // The names of runs and metrics must not widen the inspector.
    for (QComboBox* box : m_checkpoint->findChildren<QComboBox*>()) {
        box->setMinimumContentsLength(kFewestLetters);
    }
    arrange();
    connect(m_fold, &QPushButton::clicked, this, [this] { setOpen(m_content->isHidden()); });
    connect(m_other, &QPushButton::clicked, this, &InitialTableChoice::chooseFile);
    connect(m_use, &QPushButton::clicked, this, &InitialTableChoice::use);
    connect(m_none, &QPushButton::clicked, this, &InitialTableChoice::useNone);
    connect(m_tables, &QListWidget::itemActivated, this, &InitialTableChoice::use);
    connect(m_tables, &QListWidget::currentRowChanged, this, &InitialTableChoice::refreshWords);
    connect(m_checkpoint, &CheckpointChoice::changed, this, &InitialTableChoice::chooseOfRun);
    connect(&session.runs(), &RunCatalog::snapshotChanged, this, &InitialTableChoice::refreshRuns);
}

void InitialTableChoice::arrange()
{
    auto* buttons = new QWidget;
    auto* flow = new FlowLayout(buttons, 4);
    flow->addWidget(m_use);
    flow->addWidget(m_none);
    auto* content = new QVBoxLayout(m_content);
    content->setContentsMargins(0, 0, 0, 0);
    content->setSpacing(scaled(6));
    content->addWidget(m_checkpoint);
    content->addWidget(m_other, 0, Qt::AlignLeft);
    content->addWidget(m_title);
    content->addWidget(m_tables);
    content->addWidget(buttons);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(scaled(6));
    column->addWidget(m_fold, 0, Qt::AlignLeft);
    column->addWidget(m_content);
    column->addWidget(m_words);
    m_content->hide();
}

QString InitialTableChoice::written(const char* field) const
{
    return m_session.document().value(m_path + '.' + QLatin1String(field));
}

QString InitialTableChoice::absolute(const QString& checkpoint) const
{
    const QDir folder = QFileInfo(m_session.document().file()).dir();
    return QDir::cleanPath(folder.absoluteFilePath(checkpoint));
}

QString InitialTableChoice::nameOf(const QString& checkpoint) const
{
    return ExperimentFile::nameIn(m_session.document().file(), checkpoint);
}

void InitialTableChoice::setTable(const QString& kindPath, qint64 rows, qint64 dimension)
{
    const bool isOther = kindPath != m_path;
    const bool isOfOtherSize = rows != m_rows || dimension != m_dimension;
    m_path = kindPath;
    m_rows = rows;
    m_dimension = dimension;
    const QString set = written(kCheckpointField);
    const bool isNewlySet = set != std::exchange(m_set, set) && !set.isEmpty();
    if (isOther) {
        m_ofRun.clear();
        m_listed.clear();
    }
    if (isNewlySet && absolute(set) != m_listed) {
        list(absolute(set));
    } else if (isOther || isOfOtherSize) {
        refreshList();
    }
    if (isOther || isNewlySet) {
        setOpen(!set.isEmpty());
    }
    refreshWords();
}

void InitialTableChoice::setOpen(bool isOpen)
{
    m_content->setVisible(isOpen);
    m_fold->setText(isOpen ? tr("Hide Checkpoints") : tr("Start from a Checkpoint…"));
    if (isOpen) {
        refreshRuns();
    }
    refreshWords();
}

void InitialTableChoice::refreshRuns()
{
    if (m_content->isHidden()) {
        return;
    }
    const ProjectSnapshotPtr snapshot = m_session.runs().snapshot();
    {
        const QSignalBlocker blocker(m_checkpoint);
        m_checkpoint->setRuns(snapshot);
        for (const RunRow& run : snapshot->runs) {
            const QString stem = run.folder + QLatin1String("/model.ckpt-");
            // A checkpoint that the experiment names is chosen in the list if a run of the project
            // has it.
            if (m_ofRun.isEmpty() && m_listed.startsWith(stem)) {
                m_ofRun = m_listed;
                m_checkpoint->chooseRun(run.name);
                m_checkpoint->chooseStep(m_listed.mid(stem.size()).toLongLong());
            }
        }
    }
    m_checkpoint->setVisible(!m_checkpoint->isEmpty());
    chooseOfRun();
}

void InitialTableChoice::chooseOfRun()
{
    const RunRow* run = m_session.runs().snapshot()->find(m_checkpoint->run());
    if (!run || m_checkpoint->step() < 0) {
        return;
    }
    const QString prefix =
        QStringLiteral("%1/model.ckpt-%2").arg(run->folder).arg(m_checkpoint->step());
    // A checkpoint that is set already is shown until another one is chosen.
    const bool isFirst = m_ofRun.isEmpty() && !m_listed.isEmpty();
    if (prefix != m_ofRun) {
        m_ofRun = prefix;
        if (!isFirst) {
            list(prefix);
        }
    }
}

void InitialTableChoice::chooseFile()
{
    auto* dialog = new QFileDialog(this, tr("Choose a Checkpoint"),
                                   QFileInfo(m_session.document().file()).path(),
                                   tr("Checkpoints of TensorFlow (checkpoint *.index)"));
    dialog->setObjectName("dialog.other_checkpoint");
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& file) {
        // "checkpoint" names the newest one of its folder.
        list(file.endsWith(kIndexSuffix) ? file.chopped(kIndexSuffix.size())
                                         : QFileInfo(file).path());
    });
    dialog->open();
}

void InitialTableChoice::list(const QString& checkpoint)
{
    m_listed = checkpoint;
    m_variables.clear();
    m_problem.clear();
    m_isReading = true;
    // Answers may overtake each other: only that to the last question counts.
    const int asked = ++m_asked;
    m_session.jobs().run(
        QStringLiteral("inspect"),
        {.arguments = {QStringLiteral("inspect"), checkpoint},
         .folder = m_session.project().folder(),
         .machineArguments = {QStringLiteral("--json")}},
        [this, asked, alive = QPointer<QObject>(this)](const JobRunner::Outcome& outcome) {
            if (!alive || asked != m_asked) {
                return;
            }
            m_isReading = false;
            m_problem = outcome.ok ? QString() : outcome.sentence;
            m_variables = checkpointVariablesFromJson(outcome.json.object());
            refreshList();
        },
        true);
    refreshList();
}

void InitialTableChoice::refreshList()
{
    const QString before = m_tables->currentItem()
                               ? m_tables->currentItem()->data(Qt::UserRole).toString()
                               : QString();
    const QString wanted = before.isEmpty() ? written(kTensorField) : before;
    m_tables->clear();
    int current = 0;
    for (const InitialTable& table : initialTables(m_variables, m_rows, m_dimension)) {
        const QString& name = table.variable.name;
        auto* item = new QListWidgetItem(
            QStringLiteral("%1 · %2").arg(name, table.variable.shapeText()), m_tables);
        item->setData(Qt::UserRole, name);
        const bool fits = table.hindrance.isEmpty();
        item->setToolTip(fits ? name : name + u'\n' + table.hindrance);
        item->setData(Qt::AccessibleDescriptionRole, table.hindrance);
        // Listed all the same, with the reason in its tip: the variable is not missing, it does not
        // fit.
        if (!fits) {
            item->setFlags(Qt::NoItemFlags);
        } else if (name == wanted) {
            current = m_tables->count() - 1;
        }
    }
    const bool fitsAny = m_tables->count() > 0 && m_tables->item(0)->flags() != Qt::NoItemFlags;
    m_tables->setCurrentRow(fitsAny ? current : -1);
    const int rows = std::clamp(m_tables->count(), kLeastRows, kMostRows);
    m_tables->setFixedHeight(rows * std::max(m_tables->sizeHintForRow(0), scaled(24)) +
                             2 * m_tables->frameWidth());
    m_tables->setVisible(m_tables->count() > 0);
    refreshWords();
}

QString InitialTableChoice::selected() const
{
    const QListWidgetItem* item = m_tables->currentItem();
    return item && item->flags().testFlag(Qt::ItemIsEnabled) ? item->data(Qt::UserRole).toString()
                                                             : QString();
}

void InitialTableChoice::refreshWords()
{
    const QString checkpoint = written(kCheckpointField);
    const QString tensor = written(kTensorField);
    const bool isSet = !checkpoint.isEmpty();
    const QString hindrance = m_session.document().edits().hindrance();
    const bool isUsed = isSet && absolute(checkpoint) == m_listed && tensor == selected();
    m_title->setText(m_listed.isEmpty()    ? tr("Choose the checkpoint of a run, or another one.")
                     : m_isReading         ? tr("Reading %1…").arg(nameOf(m_listed))
                     : m_problem.isEmpty() ? nameOf(m_listed)
                                           : m_problem);
    m_title->setToolTip(m_listed);
    m_title->setInk(m_problem.isEmpty() ? Ink::Text : Ink::Error);
    m_use->setEnabled(!selected().isEmpty() && !isUsed && hindrance.isEmpty());
    m_use->setToolTip(hindrance);
    m_none->setVisible(isSet || !tensor.isEmpty());
    m_none->setEnabled(hindrance.isEmpty());
    QString words = tr("The table starts at random.");
    Ink ink = Ink::Secondary;
    if (isSet) {
        words = tr("The table starts from %1 in %2.").arg(tensor, checkpoint);
        const bool isKnown =
            absolute(checkpoint) == m_listed && !m_isReading && m_problem.isEmpty();
        // What is set is checked only against the listed checkpoint, the only one that was read.
        for (const InitialTable& table : initialTables(m_variables, m_rows, m_dimension)) {
            if (isKnown && table.variable.name == tensor && !table.hindrance.isEmpty()) {
                words += u' ' + table.hindrance;
                ink = Ink::Error;
            }
        }
        const bool isThere = std::any_of(
            m_variables.begin(), m_variables.end(),
            [&](const CheckpointVariable& variable) { return variable.name == tensor; });
        if (isKnown && !isThere) {
            words += u' ' + tr("There is no such variable in it.");
            ink = Ink::Error;
        }
    }
    m_words->setText(words);
    m_words->setInk(ink);
    m_words->setVisible(isSet || !m_content->isHidden());
}

void InitialTableChoice::use()
{
    const QString tensor = selected();
    if (tensor.isEmpty() || !m_use->isEnabled()) {
        return;
    }
    const QString prefix = m_path + '.';
    // Both at once: TensorFlow, too, takes both or none of them.
    m_session.document().apply(
        tr("Start from %1").arg(tensor),
        {FieldEdit::set(prefix + QLatin1String(kCheckpointField), quoted(nameOf(m_listed))),
         FieldEdit::set(prefix + QLatin1String(kTensorField), quoted(tensor))});
}

void InitialTableChoice::useNone()
{
    QList<FieldEdit> edits;
    for (const char* field : {kCheckpointField, kTensorField}) {
        if (!written(field).isEmpty()) {
            edits.append(FieldEdit::remove(m_path + '.' + QLatin1String(field)));
        }
    }
    m_session.document().apply(tr("Start at random"), edits);
}

} // namespace cannery::ui
