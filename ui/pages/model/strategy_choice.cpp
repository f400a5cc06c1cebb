// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/model/strategy_choice.h"

#include "ui/document/experiment_document.h"
#include "ui/document/field_schema.h"
#include "ui/document/member_switch.h"
#include "ui/editors/tile_gallery.h"
#include "ui/models/formats.h"
#include "ui/pages/field_values.h"
#include "ui/pages/page_parts.h"
#include "ui/services/project_session.h"
#include "ui/widgets/label.h"
#include "ui/widgets/theme.h"

#include <QThread>
#include <QVBoxLayout>

namespace cannery::ui {
namespace {

const QString kStrategy = QStringLiteral("strategy");

} // namespace

StrategyChoice::StrategyChoice(ProjectSession& session, QWidget* parent)
    : QWidget(parent), m_session(&session), m_tiles(new TileGallery(220)),
      m_words(new Label({}, TextRole::Label, Ink::Secondary))
{
    m_tiles->setObjectName("tiles.strategy");
    m_tiles->setAccessibleName(tr("Strategy"));
    m_words->setWordWrap(true);
    m_words->setObjectName("words.strategy");
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(scaled(8));
    column->addWidget(m_tiles);
    column->addWidget(m_words);
    connect(m_tiles, &TileGallery::chosen, this, [this](const QString& name) {
        ExperimentDocument& document = m_session->document();
        const FieldNode& present = chosen(child(document.root(), "strategy"));
        if (present.name != name || present.isDefault) {
            const std::optional<FieldSchema> schema = fieldSchema(kStrategy + u'.' + name);
            document.apply(tr("Change strategy to %1").arg(schema ? schema->label : name),
                           switchMember(document, kStrategy, name).edits);
        }
    });
    refresh();
}

void StrategyChoice::refresh()
{
    const FieldNode& root = m_session->document().root();
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
    m_tiles->setCurrent(chosen(child(root, "strategy")).name);
    const qint64 threads = valueOf(child(root, "run_config"), "threads").toLongLong();
    const qint64 rows =
        valueOf(child(child(root, "train_spec"), "input"), "batch_size").toLongLong();
    m_words->setText(tr("CPU, %1, batches of %2")
                         .arg(counted(threads > 0 ? threads : QThread::idealThreadCount(),
                                      tr("one thread"), tr("%1 threads")),
                              counted(rows, tr("one row"), tr("%1 rows"))));
}

} // namespace cannery::ui
