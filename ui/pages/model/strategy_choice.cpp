// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/model/strategy_choice.h"

#include "ui/document/experiment_document.h"
#include "ui/document/field_schema.h"
#include "ui/document/member_switch.h"
#include "ui/editors/field_form.h"
#include "ui/editors/tile_gallery.h"
#include "ui/models/formats.h"
#include "ui/pages/field_values.h"
#include "ui/pages/form_names.h"
#include "ui/pages/page_parts.h"
#include "ui/services/project_session.h"
#include "ui/widgets/label.h"
#include "ui/widgets/theme.h"

#include <QThread>
#include <QVBoxLayout>

namespace cannery::ui {
namespace {

const QString kStrategy = QStringLiteral("strategy");
/// Fields of it that are not its kinds.
const QStringList kBesideKind{QStringLiteral("virtual_shards")};

} // namespace

StrategyChoice::StrategyChoice(ProjectSession& session, QWidget* parent)
    : QWidget(parent), m_session(&session), m_tiles(new TileGallery(220)),
      m_words(new Label({}, TextRole::Label, Ink::Secondary)),
      m_common(new FieldForm(formContext(session), kStrategy, {.isWithoutChoice = true}))
{
    m_tiles->setObjectName("tiles.strategy");
    m_tiles->setAccessibleName(tr("Strategy"));
    m_words->setWordWrap(true);
    m_words->setObjectName("words.strategy");
    followDocument(m_common, session.document());
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(scaled(8));
    column->addWidget(m_tiles);
    column->addWidget(m_words);
    column->addWidget(m_common);
    connect(m_tiles, &TileGallery::chosen, this, &StrategyChoice::choose);
    refresh();
}

void StrategyChoice::choose(const QString& name)
{
    ExperimentDocument& document = m_session->document();
    const FieldNode& present = chosen(child(document.root(), "strategy"), kBesideKind);
    if (present.name != name || present.isDefault) {
        const std::optional<FieldSchema> schema = fieldSchema(kStrategy + u'.' + name);
        document.apply(tr("Change strategy to %1").arg(schema ? schema->label : name),
                       switchMember(document, kStrategy, name).edits);
    }
}

void StrategyChoice::refreshTiles(const QString& current)
{
    const std::optional<MessageSchema> all = messageSchema(kStrategy);
    QList<TileGallery::Tile> tiles;
    for (const FieldSchema& member : all ? all->members() : QList<FieldSchema>()) {
        const std::optional<MessageSchema> schema = messageSchema(kStrategy + u'.' + member.name);
        tiles.append({.id = member.name,
                      .title = member.label,
                      .sentence = member.help,
                      .help = schema ? schema->name + u'\n' + schema->help : QString(),
                      .sketch = TileGallery::Sketch::Device});
    }
    m_tiles->setEnabled(m_session->document().hindrance().isEmpty());
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
    if (!schema || schema->fields.isEmpty()) {
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
    const qint64 threads = valueOf(child(root, "run_config"), "threads").toLongLong();
    const qint64 rows =
        valueOf(child(child(root, "train_spec"), "input"), "batch_size").toLongLong();
    qsizetype replicas = 1;
    for (const FieldNode& field : kind.children) {
        if (!field.isMessage && !field.children.isEmpty()) {
            replicas = field.children.size(); // its devices
        }
    }
    const qint64 shards = valueOf(child(root, "strategy"), "virtual_shards").toLongLong();
    const qint64 batches = shards > 0 ? shards : replicas;
    const QString where = tr("CPU, %1").arg(counted(
        threads > 0 ? threads : QThread::idealThreadCount(), tr("one thread"), tr("%1 threads")));
    if (batches <= 1) {
        return tr("%1, batches of %2").arg(where, counted(rows, tr("one row"), tr("%1 rows")));
    }
    return tr("%1, %2; a step trains on %3 batches of %4: %5 rows")
        .arg(where, counted(replicas, tr("one replica"), tr("%1 replicas")), formatCount(batches),
             counted(rows, tr("one row"), tr("%1 rows")), formatCount(batches * rows));
}

void StrategyChoice::refresh()
{
    const FieldNode& kind = chosen(child(m_session->document().root(), "strategy"), kBesideKind);
    refreshTiles(kind.name);
    rebuildForm(kind.name);
    m_words->setText(whatItDoes(kind));
}

} // namespace cannery::ui
