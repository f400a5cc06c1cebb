// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/features/input_editor.h"

#include "ui/editing/feature_list_model.h"
#include "ui/editors/name_chips.h"
#include "ui/models/tables/dragged_columns.h"
#include "ui/pages/features/feature_commands.h"
#include "ui/pages/features/input_offers.h"
#include "ui/widgets/label.h"
#include "ui/widgets/style/theme.h"

#include <QMimeData>
#include <QVBoxLayout>

namespace cannery::ui {

namespace {

QString nameIn(const QMimeData& drag)
{
    return drag.hasFormat(FeatureListModel::mimeType())
               ? QString::fromUtf8(drag.data(FeatureListModel::mimeType()))
               : draggedColumns(drag).value(0);
}

} // namespace

InputEditor::InputEditor(Kind kind, FeatureCommands& commands, QWidget* parent)
    : QWidget(parent), m_kind(kind), m_commands(commands), m_chips(new NameChips),
      m_hint(new Label({}, TextRole::Label, Ink::Secondary))
{
    const bool isCross = kind == Kind::Cross;
    setObjectName(isCross ? "editor.cross" : "editor.group");
    m_chips->setAccessibleName(isCross ? tr("Inputs of the cross")
                                       : tr("Columns that share the table"));
    m_hint->setObjectName("words.inputs");
    m_hint->setWordWrap(true);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(scaled(4));
    column->addWidget(m_chips);
    column->addWidget(m_hint);
    m_chips->setDropReader(&nameIn);
    connect(m_chips, &NameChips::dragHindered, this, &InputEditor::showHint);
    connect(m_chips, &NameChips::addRequested, this,
            [this](const QString& input) { m_commands.addInput(m_column, input); });
    connect(m_chips, &NameChips::removeRequested, this,
            [this](int index) { m_commands.removeInput(m_column, index); });
    showHint({});
}

void InputEditor::showHint(const QString& hindrance)
{
    m_hint->setInk(hindrance.isEmpty() ? Ink::Secondary : Ink::Error);
    m_hint->setText(!hindrance.isEmpty()    ? hindrance
                    : m_kind == Kind::Cross ? tr("Drag a column here, or press Add.")
                                            : tr("Drag a feature column with as many ids here, or "
                                                 "press Add."));
}

void InputEditor::setColumn(const QString& name)
{
    m_column = name;
    const OfferSource source = m_commands.source();
    const FieldNode* column = columnNamed(*source.root, name);
    const FieldNode* list = column ? inputList(*column) : nullptr;
    m_chips->setNames(list ? inputNames(*list) : QStringList());
    m_chips->setOffers(m_kind == Kind::Cross ? crossInputOffers(source, name)
                                             : memberOffers(source, name));
}

} // namespace cannery::ui
