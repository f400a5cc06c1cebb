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
    bool large = false; ///< cards half as many and taller: the pinned ones

    bool operator==(const ChartGroup&) const = default;
};

/// Cards of many tags by group, in rows as wide as the window allows. Only cards in view (and a
/// row around it, for the Tab key) exist, so 20,000 tags cost what a screenful costs. Groups fold;
/// a filter takes a regular expression over the tags. GUI thread.
class ChartGrid : public QAbstractScrollArea
{
    Q_OBJECT

public:
    /// Sets title, curves, options, link … of a card that is about to be shown.
    using Fill = std::function<void(ChartCard& card, const QString& group, const QString& tag)>;

    explicit ChartGrid(QWidget* parent = nullptr);
    ~ChartGrid() override;

    void setFill(Fill fill);
    /// In this order; the pinned one first. Cards of tags that stay are kept.
    void setGroups(const QList<ChartGroup>& groups);
    const QList<ChartGroup>& groups() const;

    /// "loss|auc", any case; what is not a regular expression is taken as plain text. Empty: all.
    void setFilter(const QString& filter);
    QString filter() const;
    qsizetype tagCount() const;   ///< of all groups
    qsizetype shownCount() const; ///< that the filter lets through

    void setFolded(const QString& group, bool folded);
    QStringList foldedGroups() const;
    /// Cards a row at most (large ones: half as many); 0: as many as fit.
    void setColumns(int columns);

    /// The cards that exist now, in the order of reading.
    QList<ChartCard*> cards() const;
    /// Null when it is not in view.
    ChartCard* card(const QString& tag) const;
    /// Unfolds, scrolls and gives it the focus.
    void reveal(const QString& tag);
    /// Fills the existing cards anew: other runs are shown.
    void refill();

Q_SIGNALS:
    void cardCreated(cannery::ui::ChartCard* card);
    /// It is deleted soon; its options are what a page may want to keep.
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
