// SPDX-License-Identifier: GPL-3.0-only
#include "ui/editors/cross_editor.h"

#include "ui/editors/cross_chips.h"
#include "ui/models/formats.h"
#include "ui/models/hash_collisions.h"
#include "ui/widgets/button.h"
#include "ui/widgets/label.h"
#include "ui/widgets/theme.h"

#include <QVBoxLayout>

#include <cmath>

namespace cannery::ui {

CrossEditor::CrossEditor(QWidget* parent)
    : QWidget(parent), m_chips(new CrossChips),
      m_sharing(new Label({}, TextRole::Label, Ink::Secondary)),
      m_more(new Button(Button::Kind::Link, QString()))
{
    setObjectName("editor.cross");
    setAccessibleName(tr("Cross"));
    m_sharing->setObjectName("words.sharing");
    m_sharing->setWordWrap(true);
    m_more->setObjectName("button.more_buckets");
    m_more->hide();
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(scaled(8));
    column->addWidget(m_chips);
    column->addWidget(m_sharing);
    column->addWidget(m_more, 0, Qt::AlignLeft);
    connect(m_chips, &CrossChips::addRequested, this, &CrossEditor::addRequested);
    connect(m_chips, &CrossChips::removeRequested, this, &CrossEditor::removeRequested);
    connect(m_more, &QPushButton::clicked, this, [this] { Q_EMIT bucketsRequested(m_suggested); });
}

void CrossEditor::setInputs(const QStringList& inputs)
{
    m_chips->setInputs(inputs);
}

void CrossEditor::setOffered(const QStringList& offered)
{
    m_chips->setOffered(offered);
}

void CrossEditor::setSize(double combinations, double buckets)
{
    m_suggested = suggestedBuckets(combinations);
    const double sharing = expectedSharing(combinations, buckets);
    const bool isKnown = combinations > 0 && buckets >= 1;
    m_sharing->setVisible(isKnown);
    m_more->setVisible(isKnown && m_suggested > buckets);
    m_more->setText(tr("Use %1 Buckets").arg(formatCount(m_suggested)));
    m_sharing->setText(
        tr("%1 combinations in %2 buckets: about %3 of them share a bucket. Combinations that "
           "share a bucket cannot be told apart.")
            .arg(formatCount(std::llround(combinations)), formatCount(std::llround(buckets)),
                 formatPercent(sharing, 0)));
}

} // namespace cannery::ui
