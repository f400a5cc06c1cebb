// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QList>
#include <QString>
#include <QWidget>

#include <functional>

class QMimeData;

namespace cannery::ui {

class Button;
class FlowLayout;

/// What can be added to a list of names, or why it cannot.
struct NameOffer
{
    QString name;
    QString hindrance; ///< a sentence; empty if it can

    bool operator==(const NameOffer&) const = default;
};

/// A list of names, each as a chip that a click removes, and a menu of what can be added, which can
/// also be dropped here. It shows what it is given and requests changes. GUI thread.
class NameChips : public QWidget
{
    Q_OBJECT

public:
    explicit NameChips(QWidget* parent = nullptr);

    void setNames(const QStringList& names);
    const QStringList& names() const { return m_names; }
    /// What the menu offers, in this order. Names that are there are left out.
    void setOffered(const QStringList& offered);
    void setOffers(const QList<NameOffer>& offers);
    /// Takes drops, too: `nameIn` reads the dragged name; empty if the drag is of something else.
    void setDropReader(std::function<QString(const QMimeData& drag)> nameIn);
    /// How many must remain; with no more than these, chips cannot be removed.
    void setLeast(int least);

Q_SIGNALS:
    void addRequested(const QString& name);
    void removeRequested(int index);
    /// What is dragged over it cannot be added, a sentence; empty if it is gone, or it can.
    void dragHindered(const QString& sentence);

protected:
    void paintEvent(QPaintEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragMoveEvent(QDragMoveEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    /// Why a name cannot be added; empty if it can.
    QString hindranceOf(const QString& name) const;
    void setOver(bool isOver);
    bool canLeave() const { return m_names.size() > m_least; }
    /// Makes chips for the names; unchanged ones at both ends are kept.
    void replaceChips(const QStringList& before);
    QWidget* makeChip(const QString& name);
    void rebuildMenu();

    FlowLayout* m_layout;
    QList<QWidget*> m_chips;
    Button* m_add;
    QStringList m_names;
    QList<NameOffer> m_offers;
    std::function<QString(const QMimeData&)> m_nameIn;
    bool m_isOver = false;
    int m_least = 2;
};

} // namespace cannery::ui
