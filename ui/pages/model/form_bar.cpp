// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/model/form_bar.h"

#include "ui/editors/form_section.h"
#include "ui/models/formats.h"
#include "ui/pages/model/model_form.h"
#include "ui/pages/page_parts.h"
#include "ui/widgets/label.h"
#include "ui/widgets/search_field.h"
#include "ui/widgets/segmented.h"
#include "ui/widgets/style/theme.h"

#include <QComboBox>
#include <QCoreApplication>
#include <QEvent>
#include <QHBoxLayout>
#include <QScopedValueRollback>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalBlocker>

#include <algorithm>

namespace cannery::ui {
namespace {

constexpr int kFindWidth = 130; ///< the least, in design pixels

int topOf(const QWidget* section, const QScrollArea& area)
{
    return section->mapTo(area.widget(), QPoint()).y();
}

} // namespace

FormBar::FormBar(ModelForm& form, QScrollArea& area, QWidget* parent)
    : QWidget(parent), m_form(&form), m_area(&area), m_find(new SearchField(tr("Find a field"))),
      m_found(new Label({}, TextRole::Label, Ink::Secondary)), m_titles(new Segmented({})),
      m_list(new QComboBox)
{
    setObjectName("bar.form");
    m_find->setObjectName("field.find_field");
    m_find->setAccessibleName(tr("Find a field of the form"));
    m_find->setToolTip(tr("By its label, its name in the file, or a word of its help."));
    m_found->setObjectName("words.find_field");
    m_found->hide();
    for (QWidget* index : {static_cast<QWidget*>(m_titles), static_cast<QWidget*>(m_list)}) {
        index->setAccessibleName(tr("Sections of the form"));
        index->setToolTip(tr("Go to a section of the form."));
    }
    m_titles->setObjectName("index.sections");
    m_list->setObjectName("field.section");
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(scaled(10));
    line->addWidget(m_find, 1);
    line->addWidget(m_found);
    line->addWidget(m_titles);
    line->addWidget(m_list, 1);
    connect(m_find, &QLineEdit::textChanged, this, &FormBar::find);
    connect(m_find, &QLineEdit::returnPressed, m_form, &ModelForm::focusFound);
    connect(m_form, &ModelForm::sectionsChanged, this, &FormBar::fillIndex);
    connect(m_form, &ModelForm::queryDropped, m_find, &QLineEdit::clear);
    connect(m_titles, &Segmented::currentChanged, this, &FormBar::goTo);
    // Also the section that is chosen already: a click on it goes back to its beginning.
    connect(m_titles, &Segmented::pressed, this, &FormBar::goTo);
    connect(m_list, &QComboBox::activated, this, &FormBar::goTo);
    connect(m_area->verticalScrollBar(), &QScrollBar::valueChanged, this,
            &FormBar::followScrolling);
    connect(m_area->verticalScrollBar(), &QScrollBar::rangeChanged, this, [this] {
        if (!m_isThere) { // what unfolds moves what is below it
            followScrolling();
        }
    });
    fillIndex();
}

void FormBar::addPart(const QString& title, QWidget* part)
{
    m_parts.append({title, part});
    fillIndex();
}

QWidget* FormBar::findField() const
{
    return m_find;
}

void FormBar::find()
{
    const FieldQuery query(m_find->text());
    const int found = m_form->find(query);
    m_found->setVisible(!query.isEmpty());
    m_found->setText(found == 0 ? tr("No field matches")
                                : counted(found, tr("One field"), tr("%1 fields")));
    m_find->setAccessibleDescription(query.isEmpty() ? QString() : m_found->text());
    fitIndex();
    if (!query.isEmpty()) {
        // Matching fields move to the top of the form: scroll there.
        QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
        const int top = topOf(m_form, *m_area);
        QScrollBar* bar = m_area->verticalScrollBar();
        if (bar->value() > top) {
            bar->setValue(top);
        }
        m_area->ensureVisible(0, top + std::min(m_form->height(), m_area->viewport()->height() / 2),
                              0, 0);
    }
}

void FormBar::fillIndex()
{
    QStringList titles;
    for (const FormSection* section : m_form->shownSections()) {
        titles << section->title();
    }
    for (const auto& [title, part] : m_parts) {
        titles << title;
    }
    const QSignalBlocker quiet(m_titles);
    m_titles->setLabels(titles);
    m_list->clear();
    m_list->addItems(titles);
    m_list->setEnabled(!titles.isEmpty());
    fitIndex();
    followScrolling();
}

void FormBar::fitIndex()
{
    int needed = m_titles->sizeHint().width() + scaled(kFindWidth) + layout()->spacing();
    if (!m_found->isHidden()) {
        needed += m_found->sizeHint().width() + layout()->spacing();
    }
    const bool hasRoom = needed <= width() && m_titles->count() > 0;
    m_titles->setVisible(hasRoom);
    m_list->setVisible(!hasRoom);
}

QSize FormBar::minimumSizeHint() const
{
    return {scaled(2 * kFindWidth) + layout()->spacing(),
            std::max(m_find->sizeHint().height(), m_list->sizeHint().height())};
}

void FormBar::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fitIndex();
}

void FormBar::goTo(int entry)
{
    const QList<FormSection*> sections = m_form->shownSections();
    const QWidget* target = m_parts.value(entry - sections.size()).second;
    if (FormSection* section = sections.value(entry)) {
        section->setOpen(true);
        target = section;
    }
    if (target == nullptr) {
        return;
    }
    // What was unfolded just now has no place yet.
    QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
    // Scrolling chooses the section at the reading line, which may be another one.
    const QScopedValueRollback going(m_isGoing, true);
    m_area->verticalScrollBar()->setValue(topOf(target, *m_area));
    m_isThere = true;
    setCurrent(entry);
}

/// The reading line goes from the top of the view to its bottom while the bar does, so that every
/// section is reached.
void FormBar::followScrolling()
{
    const QScrollBar* bar = m_area->verticalScrollBar();
    if (m_isGoing) {
        return;
    }
    m_isThere = false;
    const double share = bar->maximum() > 0 ? double(bar->value()) / bar->maximum() : 0;
    const double line = bar->value() + share * m_area->viewport()->height();
    int current = 0;
    const QList<FormSection*> sections = m_form->shownSections();
    for (int i = 0; i < sections.size(); ++i) {
        current = topOf(sections.at(i), *m_area) <= line ? i : current;
    }
    // A part beside the form is at none of its places.
    const int end = m_form->mapTo(m_area->widget(), QPoint(0, m_form->height())).y();
    for (int i = 0; i < m_parts.size(); ++i) {
        const int top = topOf(m_parts.at(i).second, *m_area);
        current = top >= end && top <= line ? int(sections.size()) + i : current;
    }
    setCurrent(current);
}

void FormBar::setCurrent(int section)
{
    const QSignalBlocker quiet(m_titles);
    m_titles->setCurrentIndex(section);
    m_list->setCurrentIndex(section);
}

} // namespace cannery::ui
