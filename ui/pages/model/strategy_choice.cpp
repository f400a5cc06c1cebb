// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/model/strategy_choice.h"

#include "ui/document/experiment_document.h"
#include "ui/document/field_schema.h"
#include "ui/document/member_switch.h"
#include "ui/editing/document_query.h"
#include "ui/editing/field_values.h"
#include "ui/editors/field_form.h"
#include "ui/editors/tile_gallery.h"
#include "ui/models/formats.h"
#include "ui/pages/form_names.h"
#include "ui/pages/model/device_choice.h"
#include "ui/pages/page_parts.h"
#include "ui/services/job_runner.h"
#include "ui/services/projects/project_session.h"
#include "ui/widgets/button.h"
#include "ui/widgets/label.h"
#include "ui/widgets/style/theme.h"

#include <QHBoxLayout>
#include <QHash>
#include <QJsonObject>
#include <QPointer>
#include <QVBoxLayout>

#include <algorithm>

namespace cannery::ui {
namespace {

const QString kStrategy = QStringLiteral("strategy");

} // namespace

StrategyChoice::StrategyChoice(ProjectSession& session, QWidget* parent)
    : QWidget(parent), m_session(&session), m_tiles(new TileGallery(220)),
      m_words(new Label({}, TextRole::Label, Ink::Secondary)),
      m_devices(new DeviceChoice(session, this)),
      m_common(new FieldForm(formContext(session), kStrategy, {.isWithoutChoice = true}))
{
    m_tiles->setObjectName("tiles.strategy");
    m_tiles->setAccessibleName(tr("Strategy"));
    m_tiles->setFolding();
    m_words->setWordWrap(true);
    m_words->setObjectName("words.strategy");
    followDocument(m_common, session.document());
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(scaled(8));
    column->addWidget(m_tiles);
    column->addWidget(makeMeasuring());
    column->addWidget(m_words);
    column->addWidget(m_devices);
    column->addWidget(m_common);
    connect(m_tiles, &TileGallery::chosen, this, &StrategyChoice::choose);
    connect(m_devices, &DeviceChoice::found, this, &StrategyChoice::refresh);
    connect(&m_session->cluster(), &ExperimentCluster::changed, this, &StrategyChoice::refresh);
    refresh();
}

QWidget* StrategyChoice::makeMeasuring()
{
    m_measuring = new QWidget;
    auto* line = new QHBoxLayout(m_measuring);
    line->setContentsMargins(0, 0, 0, 0);
    m_measured = new Label({}, TextRole::Label, Ink::Secondary);
    m_measured->setObjectName("words.speeds");
    m_measured->setWordWrap(true);
    m_measure = new Button(Button::Kind::Link, tr("Measure"));
    m_measure->setObjectName("button.measure_strategies");
    m_measure->setAccessibleName(tr("Measure the speed of every strategy"));
    m_measure->setToolTip(
        tr("Train with every strategy for a moment on this machine, without keeping anything."));
    connect(m_measure, &QPushButton::clicked, this, &StrategyChoice::measure);
    line->addWidget(m_measured, 1);
    line->addWidget(m_measure, 0, Qt::AlignTop);
    return m_measuring;
}

void StrategyChoice::choose(const QString& name)
{
    ExperimentDocument& document = m_session->document();
    const FieldNode& present = chosenKind(child(document.root(), "strategy"));
    if (present.name != name || present.isDefault) {
        const std::optional<FieldSchema> schema = fieldSchema(kStrategy + u'.' + name);
        document.apply(tr("Change strategy to %1").arg(schema ? schema->label : name),
                       switchMember(document, kStrategy, name).edits);
    }
}

void StrategyChoice::setPlan(const PlanFacts& plan)
{
    m_plan = plan;
    refresh();
}

const WorkersFacts& StrategyChoice::workersFacts() const
{
    return isMeasured() && !m_probe.workers.isEmpty() ? m_probe.workers : m_plan.workers;
}

/// The probe is of the text that is shown.
bool StrategyChoice::isMeasured() const
{
    return m_probedRevision == m_session->document().revision() + 1 &&
           !m_probe.strategies.isEmpty();
}

void StrategyChoice::measure()
{
    const ExperimentDocument& document = m_session->document();
    if (m_job != 0 || !document.isOpen()) {
        return;
    }
    CommandLine command = DocumentQuery::plan(*m_session).command();
    command.arguments << QStringLiteral("--probe");
    m_job = m_session->jobs().run(
        tr("Measuring the strategies"), command,
        [this, alive = QPointer<QObject>(this),
         revision = document.revision() + 1](const JobRunner::Outcome& outcome) {
            if (!alive) {
                return;
            }
            m_job = 0;
            m_probeError = outcome.ok || outcome.cancelled ? QString() : outcome.sentence;
            m_probe = planFactsFromJson(outcome.json.object());
            m_probedRevision = outcome.ok ? revision : 0;
            refresh();
            Q_EMIT measured();
        });
    refreshMeasuring();
}

const StrategyFacts* StrategyChoice::factsOf(const QString& name) const
{
    const StrategyFacts* measured = isMeasured() ? m_probe.strategy(name) : nullptr;
    return measured != nullptr ? measured : m_plan.strategy(name);
}

/// The table of tasks decides for what trains in several processes.
qint64 StrategyChoice::replicasOf(const StrategyFacts& facts) const
{
    return spansProcesses(facts.name) && memberOf(m_session->document(), kStrategy) == facts.name
               ? m_session->cluster().tasks().workers()
               : facts.replicas;
}

Topology StrategyChoice::topologyOf(const QString& name) const
{
    static const QHash<QString, Topology::Kind> kinds{
        {"mirrored", Topology::Kind::Mirrored},
        {"central_storage", Topology::Kind::Central},
        {"multi_worker_mirrored", Topology::Kind::Machines},
        {"parameter_server", Topology::Kind::Servers},
    };
    const StrategyFacts* facts = factsOf(name);
    return {.kind = kinds.value(name, Topology::Kind::Device),
            .replicas = facts != nullptr ? static_cast<int>(replicasOf(*facts)) : 1,
            .servers = m_session->cluster().tasks().count(ClusterTask::Type::Ps)};
}

/// "2 replicas, 32 rows each: 64 rows a step. 1.2 MB of memory. About 1,240 steps/s."
QString StrategyChoice::detailsOf(const StrategyFacts& facts) const
{
    const qint64 replicas = replicasOf(facts);
    // Times were planned for the number of replicas in the plan; for another one they are not
    // known.
    const bool isAsPlanned = replicas == facts.replicas;
    QStringList sentences;
    if (replicas > 1 && facts.batchPerReplica > 0) {
        const qint64 all = isAsPlanned ? facts.batchPerStep : replicas * facts.batchPerReplica;
        sentences << tr("%1 replicas, %2 each: %3 rows a step.")
                         .arg(formatCount(replicas),
                              counted(facts.batchPerReplica, tr("one row"), tr("%1 rows")),
                              formatCount(all));
    } else if (replicas == 1 && facts.batchPerReplica > 0) {
        sentences << tr("One replica, %1 a step.")
                         .arg(counted(facts.batchPerReplica, tr("one row"), tr("%1 rows")));
    }
    if (facts.memoryBytes >= 0) {
        sentences << tr("%1 of memory.").arg(formatBytes(facts.memoryBytes));
    }
    if (facts.stepsPerSecond && isAsPlanned) {
        const QString speed = formatNumber(*facts.stepsPerSecond, 3);
        sentences
            << (isMeasured() ? tr("%1 steps/s, measured.") : tr("About %1 steps/s.")).arg(speed);
    }
    return sentences.join(u' ');
}

void StrategyChoice::refreshMeasuring()
{
    const bool isOpen =
        m_session->document().isOpen() && !m_session->document().problems().hasErrors();
    m_measuring->setVisible(isOpen && !m_plan.strategies.isEmpty());
    m_measure->setEnabled(m_job == 0);
    m_measured->setText(m_job != 0                ? tr("Measuring every strategy…")
                        : !m_probeError.isEmpty() ? m_probeError
                        : isMeasured()            ? tr("Speeds: measured just now on this machine.")
                                       : tr("Speeds: estimated from the size of the model."));
}

void StrategyChoice::refreshTiles(const QString& current)
{
    const std::optional<MessageSchema> all = messageSchema(kStrategy);
    QList<TileGallery::Tile> tiles;
    for (const FieldSchema& member : all ? all->members() : QList<FieldSchema>()) {
        const std::optional<MessageSchema> schema = messageSchema(kStrategy + u'.' + member.name);
        const StrategyFacts* facts = factsOf(member.name);
        // The chosen strategy can be seen and left, even if it cannot train here.
        const bool isBarred = facts != nullptr && !facts->available && member.name != current;
        QStringList help{schema ? schema->name + u'\n' + schema->help : QString()};
        if (facts != nullptr && !facts->needs.isEmpty()) {
            help << facts->needs;
        }
        tiles.append({.id = member.name,
                      .title = member.label,
                      .sentence = member.help,
                      .details = facts != nullptr ? detailsOf(*facts) : QString(),
                      .hindrance = isBarred ? facts->reason : QString(),
                      .help = help.join(u'\n'),
                      .topology = topologyOf(member.name)});
    }
    m_tiles->setEnabled(m_session->document().edits().hindrance().isEmpty());
    m_tiles->setTiles(tiles);
    m_tiles->setCurrent(current);
}

void StrategyChoice::rebuildForm(const QString& kind)
{
    if (kind == m_formOf) {
        return;
    }
    m_formOf = kind;
    if (m_form != nullptr) {
        m_form->hide();
        m_form->deleteLater();
        m_form = nullptr;
    }
    const std::optional<MessageSchema> schema = messageSchema(kStrategy + u'.' + kind);
    const QString device = kStrategy + u'.' + kind + QStringLiteral(".device");
    const bool hasDevice = schema && fieldSchema(device);
    m_devices->setField(hasDevice ? device : QString());
    // A single device is chosen by the list of devices, which needs no form.
    if (!schema || schema->fields.isEmpty() || hasDevice) {
        return;
    }
    m_form = new FieldForm(formContext(*m_session), kStrategy + u'.' + kind, {});
    followDocument(m_form, m_session->document());
    auto* column = qobject_cast<QVBoxLayout*>(layout());
    column->insertWidget(column->indexOf(m_common), m_form);
    m_form->show();
}

/// Each replica trains on a batch of its own: that multiplies the rows of a step.
QString StrategyChoice::whatItDoes(const FieldNode& kind) const
{
    const FieldNode& root = m_session->document().root();
    const qint64 rows =
        valueOf(child(child(root, "train_spec"), "input"), "batch_size").toLongLong();
    qsizetype replicas = std::max(1, m_session->cluster().tasks().workers());
    for (const FieldNode& field : kind.children) {
        if (!field.isMessage && !field.children.isEmpty()) {
            replicas = field.children.size(); // its devices
        }
    }
    const qint64 shards = valueOf(child(root, "strategy"), "virtual_shards").toLongLong();
    const qint64 batches = shards > 0 ? shards : replicas;
    const QString where = m_devices->chosenInWords();
    if (batches <= 1) {
        return tr("%1, batches of %2").arg(where, counted(rows, tr("one row"), tr("%1 rows")));
    }
    return tr("%1, %2; a step trains on %3 batches of %4: %5 rows")
        .arg(where, counted(replicas, tr("one replica"), tr("%1 replicas")), formatCount(batches),
             counted(rows, tr("one row"), tr("%1 rows")), formatCount(batches * rows));
}

void StrategyChoice::refresh()
{
    const FieldNode& kind = chosenKind(child(m_session->document().root(), "strategy"));
    refreshTiles(kind.name);
    rebuildForm(kind.name);
    m_devices->refresh();
    const StrategyFacts* facts = factsOf(kind.name);
    const bool isBarred = facts != nullptr && !facts->available;
    m_words->setInk(isBarred ? Ink::Warn : Ink::Secondary);
    m_words->setText(isBarred ? facts->reason : whatItDoes(kind));
    refreshMeasuring();
}

} // namespace cannery::ui
