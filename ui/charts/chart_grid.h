// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QAbstractScrollArea>
#include <QList>
#include <QSet>
#include <QStringList>

#include <functional>
#include <memory>

namespace cannery::ui {

class ChartCard;

/// Tags under one heading: "Pinned", "loss", "cannery".
struct ChartGroup
{
    QString id;
    QString title;
    QStringList tags;
    bool large = false; ///< half as many, taller cards: for pinned tags

    bool operator==(const ChartGroup&) const = default;
};

/// Cards of many tags by group, in rows as wide as the window allows. Only cards in view (and one
/// row around it, for the Tab key) exist, so 20,000 tags take no more than a screenful. Groups can
/// be folded; a filter takes a regular expression for tags. GUI thread.
class ChartGrid : public QAbstractScrollArea
{
    Q_OBJECT

public:
    /// Sets title, curves, options, link … of a card that is about to be shown.
    using Fill = std::function<void(ChartCard& card, const QString& group, const QString& tag)>;

    explicit ChartGrid(QWidget* parent = nullptr);
    ~ChartGrid() override;

    void setFill(Fill fill);
    /// In this order; the pinned group first. Cards of unchanged tags are kept.
    void setGroups(const QList<ChartGroup>& groups);
    const QList<ChartGroup>& groups() const;

    /// "loss|auc", case-insensitive; an invalid regular expression is plain text. Empty: all.
    void setFilter(const QString& filter);
    QString filter() const;
    qsizetype tagCount() const;   ///< of all groups
    qsizetype shownCount() const; ///< that match the filter

    void setFolded(const QString& group, bool folded);
    QStringList foldedGroups() const;
    /// The maximum number of cards per row (large ones: half as many); 0: as many as fit.
    void setColumns(int columns);

    /// The cards that exist now, in reading order.
    QList<ChartCard*> cards() const;
    /// Null if it is not in view.
    ChartCard* card(const QString& tag) const;
    /// Unfolds its group, scrolls to the card and gives it the focus.
    void reveal(const QString& tag);
    /// Updates the existing cards: the shown runs have changed.
    void refill();

Q_SIGNALS:
    void cardCreated(cannery::ui::ChartCard* card);
    /// The card will be deleted soon; a page may want to save its options.
    void cardReleased(cannery::ui::ChartCard* card);
    void foldedChanged();
    void filterChanged();

protected:
    void resizeEvent(QResizeEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace cannery::ui
