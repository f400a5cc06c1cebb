// SPDX-License-Identifier: GPL-3.0-only
#include "ui/editors/vocabulary_editor.h"

#include "ui/editors/vocabulary_delegate.h"
#include "ui/models/formats.h"
#include "ui/widgets/button.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/label.h"
#include "ui/widgets/style/theme.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>

namespace cannery::ui {

namespace {

constexpr int kLeastRows = 3;
constexpr int kMostRowsShown = 8;

} // namespace

VocabularyEditor::VocabularyEditor(QWidget* parent)
    : QWidget(parent), m_list(new QListWidget), m_field(new QLineEdit),
      m_add(new Button(Button::Kind::Plain, tr("Add"))),
      m_remove(new Button(Button::Kind::Quiet, tr("Remove"))),
      m_sort(new Button(Button::Kind::Quiet, tr("Sort by Count"))),
      m_all(new Button(Button::Kind::Quiet, tr("All Words of the Data"))),
      m_sentence(new Label({}, TextRole::Label, Ink::Secondary))
{
    setObjectName("editor.vocabulary");
    setAccessibleName(tr("Vocabulary"));
    m_list->setObjectName("list.words");
    m_list->setAccessibleName(tr("Words"));
    m_list->setDragDropMode(QAbstractItemView::InternalMove);
    m_list->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed);
    m_list->setUniformItemSizes(true);
    m_list->setItemDelegate(new VocabularyDelegate(m_list));
    m_list->installEventFilter(this);
    m_field->setObjectName("field.word");
    m_field->setAccessibleName(tr("New word"));
    m_field->setPlaceholderText(tr("New word"));
    m_add->setObjectName("button.add_word");
    m_remove->setObjectName("button.remove_word");
    m_sort->setObjectName("button.sort_words");
    m_all->setObjectName("button.all_words");
    m_sentence->setObjectName("words.vocabulary");
    m_sentence->setWordWrap(true);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(scaled(8));
    column->addWidget(m_list);
    auto* row = new QHBoxLayout;
    row->setSpacing(scaled(8));
    row->addWidget(m_field, 1);
    row->addWidget(m_add);
    column->addLayout(row);
    auto* buttons = new QWidget;
    auto* flow = new FlowLayout(buttons, 4);
    for (QWidget* button : {m_remove, m_sort, m_all}) {
        flow->addWidget(button);
    }
    column->addWidget(buttons);
    column->addWidget(m_sentence);
    connect(m_list->model(), &QAbstractItemModel::rowsMoved, this, &VocabularyEditor::readList);
    connect(m_list, &QListWidget::itemChanged, this, &VocabularyEditor::readList);
    connect(m_list, &QListWidget::currentRowChanged, this, &VocabularyEditor::showWords);
    connect(m_field, &QLineEdit::returnPressed, this, &VocabularyEditor::add);
    connect(m_field, &QLineEdit::textChanged, this, &VocabularyEditor::showWords);
    connect(m_add, &QPushButton::clicked, this, &VocabularyEditor::add);
    connect(m_remove, &QPushButton::clicked, this, &VocabularyEditor::removeCurrent);
    connect(m_sort, &QPushButton::clicked, this, [this] { take(byCount(), false); });
    connect(m_all, &QPushButton::clicked, this, [this] {
        QStringList words = m_words;
        for (const QString& word : m_counts.keys()) {
            if (!words.contains(word)) {
                words.append(word);
            }
        }
        // The words that were there keep their places, and so their ids.
        std::stable_sort(words.begin() + m_words.size(), words.end(),
                         [this](const QString& a, const QString& b) {
                             return std::pair(-m_counts.value(a), a) <
                                    std::pair(-m_counts.value(b), b);
                         });
        take(words, false);
    });
    rebuild();
}

void VocabularyEditor::setWords(const QStringList& words)
{
    if (words != m_words) {
        m_words = words;
        rebuild();
    }
}

void VocabularyEditor::setCounts(const QHash<QString, double>& counts, bool isComplete)
{
    if (counts != m_counts || isComplete != m_isComplete) {
        m_counts = counts;
        m_isComplete = isComplete;
        rebuild();
    }
}

QStringList VocabularyEditor::byCount() const
{
    QStringList words = m_words;
    std::stable_sort(words.begin(), words.end(), [this](const QString& a, const QString& b) {
        return m_counts.value(a) > m_counts.value(b);
    });
    return words;
}

void VocabularyEditor::take(const QStringList& words, bool typing)
{
    if (words == m_words) {
        return;
    }
    m_words = words;
    rebuild();
    Q_EMIT wordsChanged(m_words, typing);
}

void VocabularyEditor::rebuild()
{
    // Each new item would otherwise count as an edit.
    const QSignalBlocker blocker(m_list);
    const int row = m_list->currentRow();
    m_list->clear();
    for (const QString& word : std::as_const(m_words)) {
        auto* item = new QListWidgetItem(word, m_list);
        item->setFlags(Qt::ItemIsSelectable | Qt::ItemIsEditable | Qt::ItemIsEnabled |
                       Qt::ItemIsDragEnabled);
        if (!m_counts.isEmpty()) {
            item->setData(VocabularyDelegate::CountRole, m_counts.value(word));
            const QString count = formatCount(qint64(m_counts.value(word)));
            item->setData(Qt::AccessibleTextRole, tr("%1, %2 rows").arg(word, count));
        }
    }
    m_list->setCurrentRow(std::min(row, int(m_words.size()) - 1));
    const int rows = std::clamp(int(m_words.size()), kLeastRows, kMostRowsShown);
    m_list->setFixedHeight(rows * std::max(m_list->sizeHintForRow(0), scaled(24)) +
                           2 * m_list->frameWidth());
    showWords();
}

/// After a drag, or an edit in place. Two equal words, or an empty one, are no vocabulary.
void VocabularyEditor::readList()
{
    QStringList words;
    for (int i = 0; i < m_list->count(); ++i) {
        words.append(m_list->item(i)->text());
    }
    const bool isValid = !words.contains(QString()) &&
                         QSet<QString>(words.begin(), words.end()).size() == words.size();
    if (!isValid) {
        rebuild();
    } else if (words != m_words) {
        m_words = words;
        // Not while the list is still moving its rows.
        QMetaObject::invokeMethod(this, &VocabularyEditor::rebuild, Qt::QueuedConnection);
        Q_EMIT wordsChanged(m_words, false);
    }
}

void VocabularyEditor::add()
{
    const QString word = m_field->text().trimmed();
    if (word.isEmpty() || m_words.contains(word)) {
        return;
    }
    m_field->clear();
    take(m_words + QStringList{word}, false);
    m_list->setCurrentRow(int(m_words.size()) - 1);
}

void VocabularyEditor::removeCurrent()
{
    QStringList words = m_words;
    const int row = m_list->currentRow();
    // A vocabulary without words is not valid.
    if (row >= 0 && words.size() > 1) {
        words.removeAt(row);
        take(words, false);
    }
}

bool VocabularyEditor::moveCurrent(int by)
{
    const int row = m_list->currentRow();
    if (row < 0 || row + by < 0 || row + by >= m_words.size()) {
        return false;
    }
    QStringList words = m_words;
    words.move(row, row + by);
    // As typing: a held key is one step of undo.
    take(words, true);
    m_list->setCurrentRow(row + by);
    return true;
}

bool VocabularyEditor::eventFilter(QObject* watched, QEvent* event)
{
    const bool isKey =
        event->type() == QEvent::KeyPress || event->type() == QEvent::ShortcutOverride;
    if (watched != m_list || !isKey) {
        return QWidget::eventFilter(watched, event);
    }
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool isMove = key->modifiers().testFlag(Qt::AltModifier) &&
                        (key->key() == Qt::Key_Up || key->key() == Qt::Key_Down);
    if (!isMove && key->key() != Qt::Key_Delete) {
        return QWidget::eventFilter(watched, event);
    }
    // Claimed before a shortcut of the window can take it.
    if (event->type() == QEvent::ShortcutOverride) {
        event->accept();
    } else if (isMove) {
        moveCurrent(key->key() == Qt::Key_Up ? -1 : 1);
    } else {
        removeCurrent();
    }
    return true;
}

void VocabularyEditor::showWords()
{
    const QString word = m_field->text().trimmed();
    m_add->setEnabled(!word.isEmpty() && !m_words.contains(word));
    m_remove->setEnabled(m_list->currentRow() >= 0 && m_words.size() > 1);
    m_sort->setVisible(!m_counts.isEmpty());
    m_sort->setEnabled(byCount() != m_words);
    double all = 0;
    double listed = 0;
    for (auto count = m_counts.begin(); count != m_counts.end(); ++count) {
        all += count.value();
        listed += m_words.contains(count.key()) ? count.value() : 0;
    }
    m_all->setVisible(listed < all);
    m_all->setText(m_isComplete ? tr("All Words of the Data") : tr("Frequent Words of the Data"));
    m_sentence->setVisible(all > 0);
    if (all > 0) {
        m_sentence->setText(listed < all ? tr("%1 of the values have a word that is not listed.")
                                               .arg(formatPercent((all - listed) / all))
                                         : tr("Every value has a word that is listed."));
    }
}

} // namespace cannery::ui
