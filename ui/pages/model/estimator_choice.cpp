// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/model/estimator_choice.h"

#include "ui/document/estimator_switch.h"
#include "ui/document/experiment_document.h"
#include "ui/document/field_schema.h"
#include "ui/editing/document_query.h"
#include "ui/editing/estimator_advice.h"
#include "ui/editing/field_values.h"
#include "ui/editors/tile_gallery.h"
#include "ui/pages/page.h"
#include "ui/services/projects/project_session.h"
#include "ui/widgets/button.h"
#include "ui/widgets/segmented.h"
#include "ui/widgets/style/theme.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace cannery::ui {
namespace {

const QString kEstimator = QStringLiteral("estimator");

EstimatorAdvice::Make makeOf(const QString& estimator, const MessageSchema& schema)
{
    // By the arguments of the schema, so that a new estimator needs no entry here.
    using Sketch = TileGallery::Sketch;
    const Sketch sketch = EstimatorChoice::sketchOf(estimator);
    return {.givesClasses = schema.field(QStringLiteral("n_classes")) != nullptr,
            .givesNumbers = schema.field(QStringLiteral("label_dimension")) != nullptr,
            .isWide = sketch == Sketch::Line || sketch == Sketch::Both,
            .isDeep =
                sketch == Sketch::Network || sketch == Sketch::Both || sketch == Sketch::Steps,
            .isAverage = sketch == Sketch::Average};
}

} // namespace

TileGallery::Sketch EstimatorChoice::sketchOf(const QString& estimator)
{
    using Sketch = TileGallery::Sketch;
    const std::optional<MessageSchema> schema = messageSchema(kEstimator + u'.' + estimator);
    if (!schema) {
        return Sketch::Average;
    }
    for (const auto& [argument, sketch] : {std::pair{"n_trees", Sketch::Trees},
                                           {"num_clusters", Sketch::Groups},
                                           {"cell_type", Sketch::Steps}}) {
        if (schema->field(QLatin1String(argument)) != nullptr) {
            return sketch;
        }
    }
    // A dense column feeds a network, any other one a linear model.
    bool hasDense = false;
    bool hasOthers = false;
    for (const FieldSchema& field : schema->fields) {
        if (field.names == FieldNames::FeatureColumn) {
            (field.wantsDense ? hasDense : hasOthers) = true;
        }
    }
    return hasDense && hasOthers ? Sketch::Both
           : hasDense            ? Sketch::Network
           : hasOthers           ? Sketch::Line
                                 : Sketch::Average;
}

EstimatorChoice::EstimatorChoice(const PageContext& context, QWidget* parent)
    : QWidget(parent), m_context(context), m_head(new QWidget),
      m_tasks(new Segmented({tr("Classes"), tr("Numbers"), tr("Own head"), tr("Without a label")})),
      m_tiles(new TileGallery(170))
{
    setObjectName("choice.estimator");
    m_tasks->setObjectName("field.task");
    m_tasks->setAccessibleName(tr("What the model predicts"));
    m_tiles->setObjectName("tiles.estimator");
    m_tiles->setAccessibleName(tr("Estimator"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(scaled(8));
    auto* fold = new Button(Button::Kind::Link, tr("Fold"));
    fold->setObjectName("button.fold_estimators");
    fold->setToolTip(tr("Show only the chosen estimator."));
    auto* line = new QHBoxLayout(m_head);
    line->setContentsMargins(0, 0, 0, 0);
    line->addWidget(m_tasks);
    line->addStretch(1);
    line->addWidget(fold);
    column->addWidget(m_head);
    column->addWidget(m_tiles);
    m_tiles->setFolding();
    connect(m_tiles, &TileGallery::openChanged, m_head, &QWidget::setVisible);
    connect(fold, &QPushButton::clicked, this, &EstimatorChoice::fold);
    connect(m_tasks, &Segmented::currentChanged, this, &EstimatorChoice::showTiles);
    connect(m_tiles, &TileGallery::chosen, this, &EstimatorChoice::choose);
    connect(&DocumentQuery::preview(*context.session), &DocumentQuery::changed, this,
            &EstimatorChoice::showTiles);
    refresh();
}

EstimatorChoice::Task EstimatorChoice::taskOf(const QString& estimator)
{
    const std::optional<MessageSchema> schema = messageSchema(kEstimator + u'.' + estimator);
    for (const auto& [argument, task] :
         {std::pair{"n_classes", Classes}, {"label_dimension", Numbers}, {"head", OwnHead}}) {
        if (schema && schema->field(QLatin1String(argument)) != nullptr) {
            return task;
        }
    }
    return NoLabel;
}

void EstimatorChoice::refresh()
{
    const FieldNode& present = chosen(child(m_context.session->document().root(), "estimator"));
    // A page that was opened on another task stays there until the estimator itself changes.
    if (present.name != m_estimator && !present.name.isEmpty()) {
        m_tasks->setCurrentIndex(taskOf(present.name));
    }
    m_estimator = present.name;
    m_tiles->setEnabled(m_context.session->document().edits().hindrance().isEmpty());
    showTiles();
}

/// Back to the tiles among which the present one is.
void EstimatorChoice::fold()
{
    m_tasks->setCurrentIndex(taskOf(m_estimator));
    m_tiles->setOpen(false);
}

bool EstimatorChoice::reveal(const QString& estimator)
{
    const std::optional<MessageSchema> all = messageSchema(kEstimator);
    if (!all || all->field(estimator) == nullptr) {
        return false;
    }
    m_tasks->setCurrentIndex(taskOf(estimator));
    showTiles();
    m_tiles->setOpen(true);
    auto* tile = m_tiles->findChild<QWidget*>(QStringLiteral("tile.") + estimator);
    if (tile == nullptr) {
        return false;
    }
    tile->setFocus(Qt::ShortcutFocusReason);
    return true;
}

void EstimatorChoice::showTiles()
{
    const ExperimentDocument& document = m_context.session->document();
    const std::optional<MessageSchema> all = messageSchema(kEstimator);
    const EstimatorAdvice advice(DocumentQuery::preview(*m_context.session).dataFacts(),
                                 document.root());
    QList<TileGallery::Tile> tiles;
    for (const FieldSchema& member : all ? all->members() : QList<FieldSchema>()) {
        const std::optional<MessageSchema> schema = messageSchema(kEstimator + u'.' + member.name);
        if (schema && taskOf(member.name) == m_tasks->currentIndex()) {
            const QString about = advice.about(makeOf(member.name, *schema));
            tiles.append({.id = member.name,
                          .title = member.label,
                          .sentence = about.isEmpty() ? member.help : about,
                          .hindrance = member.name == m_estimator
                                           ? QString()
                                           : estimatorHindrance(document, member.name),
                          .help = schema->name + u'\n' + member.help + u'\n' + schema->help,
                          .sketch = sketchOf(member.name)});
        }
    }
    m_tiles->setTiles(tiles);
    m_tiles->setCurrent(m_estimator);
}

void EstimatorChoice::choose(const QString& estimator)
{
    ExperimentDocument& document = m_context.session->document();
    if (estimator == m_estimator) {
        return;
    }
    const std::optional<FieldSchema> schema = fieldSchema(kEstimator + u'.' + estimator);
    // Edits of the switch are applied as one, so that one Undo brings the other estimator back.
    const MemberSwitch change = switchEstimator(document, estimator);
    QStringList lost = change.lost;
    lost.removeDuplicates();
    document.apply(tr("Change estimator to %1").arg(schema ? schema->label : estimator),
                   change.edits,
                   lost.isEmpty() ? QString() : tr("Not part of it: %1").arg(lost.join(tr(", "))));
}

} // namespace cannery::ui
