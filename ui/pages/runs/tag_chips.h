// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QStringList>
#include <QWidget>

class QLineEdit;

namespace cannery::ui {

class Button;
class FlowLayout;

/// The tags of a run as chips, removed by a click, and a field that adds one.
class TagChips : public QWidget
{
    Q_OBJECT

public:
    explicit TagChips(QWidget* parent = nullptr);

    void setTags(const QStringList& tags);
    const QStringList& tags() const { return m_tags; }
    /// Tags of other runs, offered while typing.
    void setKnownTags(const QStringList& tags);
    /// Why tags cannot be edited, a sentence shown as the tooltip; empty if they can.
    void setHindrance(const QString& hindrance);

Q_SIGNALS:
    void tagsEdited(const QStringList& tags);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void rebuild();
    void beginAdding();
    void endAdding(bool keep);

    FlowLayout* m_layout;
    QList<QWidget*> m_chips;
    Button* m_add;
    QLineEdit* m_field;
    QStringList m_tags;
    QStringList m_known;
    QString m_hindrance;
};

} // namespace cannery::ui
