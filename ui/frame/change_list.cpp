// SPDX-License-Identifier: GPL-3.0-only
#include "ui/frame/change_list.h"

#include "ui/models/formats.h"
#include "ui/pages/page_parts.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/label.h"

#include <QGridLayout>

namespace cannery::ui {
namespace {

/// More rows would only be scrolled past.
constexpr qsizetype kMostChangesShown = 200;

} // namespace

ChangeList::ChangeList(QWidget* parent) : QWidget(parent), m_rows(new QGridLayout(this))
{
    setObjectName("list.changes");
    setAccessibleName(tr("Changes"));
    m_rows->setContentsMargins(0, 0, 0, 0);
    m_rows->setHorizontalSpacing(scaled(12));
    m_rows->setVerticalSpacing(scaled(6));
    m_rows->setColumnStretch(0, 3);
    m_rows->setColumnStretch(1, 3);
    m_rows->setColumnStretch(3, 3);
}

void ChangeList::setChanges(const QList<ExperimentChange>& changes)
{
    clearLayout(m_rows);
    int row = 0;
    QString place;
    for (qsizetype i = 0; i < std::min(changes.size(), kMostChangesShown); ++i) {
        if (changes[i].place != place || i == 0) {
            place = changes[i].place;
            if (i > 0) {
                m_rows->addItem(new QSpacerItem(0, scaled(4)), row++, 0);
            }
            m_rows->addWidget(new ElidedLabel(place, TextRole::LabelStrong, Ink::Secondary, this),
                              row++, 0, 1, 4);
        }
        addChange(changes[i], row++);
    }
    if (changes.size() > kMostChangesShown) {
        m_rows->addWidget(
            new Label(tr("And %1 more.").arg(formatCount(changes.size() - kMostChangesShown)),
                      TextRole::Body, Ink::Secondary, this),
            row, 0, 1, 4);
    }
}

void ChangeList::addChange(const ExperimentChange& change, int row)
{
    using Kind = ExperimentChange::Kind;
    const QString was = formatWritten(change.before);
    const QString is = formatWritten(change.after);
    auto* label = new Label(change.label, TextRole::Body, Ink::Text, this);
    label->setObjectName("change." + change.path);
    label->setWordWrap(true);
    label->setToolTip(change.path);
    label->setAccessibleName(change.kind == Kind::Added ? tr("%1, added: %2").arg(change.label, is)
                             : change.kind == Kind::Removed
                                 ? tr("%1, removed: %2").arg(change.label, was)
                                 : tr("%1: %2, now %3").arg(change.label, was, is));
    auto* before = new ElidedLabel(change.kind == Kind::Added ? tr("not there") : was,
                                   TextRole::Body, Ink::Secondary, this);
    auto* arrow = new Label(isRightToLeft() ? "←" : "→", TextRole::Body, Ink::Secondary, this);
    auto* after = new ElidedLabel(change.kind == Kind::Removed ? tr("removed") : is,
                                  change.kind == Kind::Removed ? TextRole::Body : TextRole::Strong,
                                  change.kind == Kind::Removed ? Ink::Secondary : Ink::Text, this);
    m_rows->addWidget(label, row, 0);
    m_rows->addWidget(before, row, 1);
    m_rows->addWidget(arrow, row, 2);
    m_rows->addWidget(after, row, 3);
}

QString changesSentence(qsizetype count)
{
    return count == 0 ? ChangeList::tr("They say the same.")
                      : counted(count, ChangeList::tr("One field differs."),
                                ChangeList::tr("%1 fields differ."));
}

} // namespace cannery::ui
