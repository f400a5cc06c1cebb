// SPDX-License-Identifier: GPL-3.0-only
#include "ui/frame/dialogs/help_dialog.h"

#include "ui/models/glossary.h"
#include "ui/pages/page_parts.h"
#include "ui/widgets/label.h"
#include "ui/widgets/search_field.h"
#include "ui/widgets/style/theme.h"

#include <QHBoxLayout>
#include <QListWidget>
#include <QScrollArea>
#include <QVBoxLayout>

namespace cannery::ui {
namespace {

Label* makeWords(const char* name, TextRole role, Ink ink = Ink::Text)
{
    auto* label = new Label({}, role, ink);
    label->setObjectName(QLatin1String(name));
    label->setWordWrap(true);
    return label;
}

} // namespace

HelpDialog::HelpDialog(const HelpTopic& topic, QWidget* parent)
    : Dialog(topic.title.isEmpty() ? tr("Cannery Help") : topic.title, parent),
      m_find(new SearchField(tr("Find a word"))), m_terms(new QListWidget),
      m_term(makeWords("label.term", TextRole::Section)),
      m_meaning(makeWords("label.meaning", TextRole::Body)),
      m_judging(makeWords("label.judging", TextRole::Body)),
      m_none(makeWords("label.no_term", TextRole::Body, Ink::Secondary))
{
    setObjectName("dialog.help");
    setAttribute(Qt::WA_DeleteOnClose);
    setContentWidth(600);
    setSentence(topic.text);
    m_find->setObjectName("field.find_term");
    m_find->setAccessibleName(tr("Find a word of the glossary"));
    m_terms->setObjectName("list.terms");
    m_terms->setAccessibleName(tr("Glossary"));
    m_terms->setFixedSize(scaled(200), scaled(260));
    m_terms->setWordWrap(true);
    m_terms->setResizeMode(QListView::Adjust);
    m_terms->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_none->setText(tr("No word like this is explained."));
    auto* row = new QHBoxLayout;
    row->setSpacing(scaled(16));
    row->addWidget(m_terms);
    row->addWidget(makeExplanation(), 1);
    body()->addWidget(m_find);
    body()->addLayout(row);
    addButton(Button::Kind::Plain, tr("Close"), QDialog::Accepted, true);
    fill();
    connect(m_terms, &QListWidget::currentRowChanged, this, &HelpDialog::explain);
    connect(m_find, &QLineEdit::textChanged, this, &HelpDialog::filter);
    const QList<QListWidgetItem*> asked = m_terms->findItems(topic.term, Qt::MatchExactly);
    m_terms->setCurrentItem(asked.isEmpty() ? m_terms->item(0) : asked.first());
    m_terms->scrollToItem(m_terms->currentItem(), QAbstractItemView::PositionAtCenter);
    explain();
    m_terms->setFocus();
}

QWidget* HelpDialog::makeExplanation()
{
    auto* words = new QWidget;
    auto* column = new QVBoxLayout(words);
    column->setContentsMargins(0, 0, scaled(8), 0);
    column->setSpacing(scaled(8));
    for (Label* label : {m_term, m_meaning, m_judging, m_none}) {
        label->setAlignment(Qt::AlignTop | Qt::AlignLeading);
        column->addWidget(label);
    }
    column->addStretch(1);
    auto* area = makeScrollArea(words);
    area->setFixedHeight(scaled(260));
    return area;
}

void HelpDialog::fill()
{
    for (const GlossaryEntry& entry : glossary()) {
        m_terms->addItem(entry.term);
    }
}

/// Words whose term or explanation has what was typed; a term that begins with it comes first.
void HelpDialog::filter(const QString& typed)
{
    const QString wanted = typed.simplified();
    int first = -1;
    bool begins = false;
    for (int row = 0; row < m_terms->count(); ++row) {
        const GlossaryEntry& entry = glossary().at(row);
        const bool isTerm = entry.term.contains(wanted, Qt::CaseInsensitive);
        const bool isShown = isTerm || entry.meaning.contains(wanted, Qt::CaseInsensitive);
        m_terms->item(row)->setHidden(!isShown);
        const bool isBetter = entry.term.startsWith(wanted, Qt::CaseInsensitive) && !begins;
        if (isShown && (first < 0 || isBetter)) {
            first = row;
            begins = isBetter;
        }
    }
    m_terms->setCurrentRow(first);
    explain();
}

void HelpDialog::explain()
{
    const int row = m_terms->currentRow();
    const GlossaryEntry entry = row < 0 ? GlossaryEntry() : glossary().at(row);
    m_term->setText(entry.term);
    m_meaning->setText(entry.meaning);
    m_judging->setText(entry.judging);
    m_term->setVisible(row >= 0);
    m_meaning->setVisible(row >= 0);
    m_judging->setVisible(!entry.judging.isEmpty());
    m_none->setVisible(row < 0);
    // The list keeps the focus: a screen reader reads the explanation with the word.
    m_terms->setAccessibleDescription(
        QStringList{entry.meaning, entry.judging}.join(u' ').trimmed());
}

} // namespace cannery::ui
