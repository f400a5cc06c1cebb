// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QHash>
#include <QStringList>
#include <QWidget>

class QLineEdit;
class QListWidget;

namespace cannery::ui {

class Button;
class Label;

/// The words of a vocabulary in their order, which is that of their ids, each with how often the
/// data has it. Words are dragged or moved with Alt and an arrow key, sorted by count, edited with
/// F2 or a double-click, removed with Delete and added in the field below. It shows what it is
/// given and reports what was changed. GUI thread.
class VocabularyEditor : public QWidget
{
    Q_OBJECT

public:
    explicit VocabularyEditor(QWidget* parent = nullptr);

    void setWords(const QStringList& words);
    const QStringList& words() const { return m_words; }
    /// How often the data has each word; `isComplete`: there are no others. Empty if not known.
    void setCounts(const QHash<QString, double>& counts, bool isComplete);

Q_SIGNALS:
    /// Different words, at least one. `typing`: one of several changes in a row that make one.
    void wordsChanged(const QStringList& words, bool typing);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void take(const QStringList& words, bool typing);
    void rebuild();
    void readList();
    void add();
    void removeCurrent();
    bool moveCurrent(int by);
    QStringList byCount() const;
    void showWords();

    QListWidget* m_list;
    QLineEdit* m_field;
    Button* m_add;
    Button* m_remove;
    Button* m_sort;
    Button* m_all;
    Label* m_sentence;
    QStringList m_words;
    QHash<QString, double> m_counts;
    bool m_isComplete = false;
};

} // namespace cannery::ui
