// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/charts/curves/chart_card.h"
#include "ui/models/curves/series.h"
#include "ui/models/runs/run_snapshot.h"

#include <QList>
#include <QSet>
#include <QWidget>

#include <array>

class QGridLayout;

namespace cannery::ui {

class UpdateThrottle;
class ChartLink;
class SeriesStore;

/// The charts of one run on the Train page: two large ones (loss and decision metric) and up to
/// four small ones. Training is solid, evaluation dashed. Connects the store to the cards.
class TrainCharts : public QWidget
{
    Q_OBJECT

public:
    explicit TrainCharts(SeriesStore& store, QWidget* parent = nullptr);

    /// Shows a run, or updates it (checkpoints, best, decision metric).
    void setRun(const RunRow& run);
    void clear();

    /// Smoothing and x axis apply to every card, logarithmic y to the two large ones; zooms are
    /// kept.
    void setOptions(const ChartOptions& options);
    const ChartOptions& options() const { return m_options; }
    /// All cards follow new data again.
    void follow();
    bool follows() const;

    ChartCard& loss() const { return *m_cards[0]; }
    ChartCard& decision() const { return *m_cards[1]; }
    QList<ChartCard*> cards() const { return {m_cards.begin(), m_cards.end()}; }

Q_SIGNALS:
    void optionsChanged(); ///< by the user, on a card
    void followChanged();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    /// The content of one card: tags of the run's training and evaluation folders.
    struct Plan
    {
        QString title;
        QList<SeriesKey> keys;
        QStringList labels;
        QString headline; ///< the label of the curve whose value is shown large
        QList<int> colours;
    };

    void arrange();
    void takeNews();
    void refresh();
    void showPlan(ChartCard& card, const Plan& plan);
    void updateMarks();
    void updateNotes();
    QList<Plan> plans() const;
    QString evaluationFolder() const;
    QString decisionTag() const;
    QStringList evaluationTags() const;

    SeriesStore* m_store;
    ChartLink* m_link;
    QGridLayout* m_grid;
    UpdateThrottle* m_news;
    QSet<SeriesKey> m_changed;
    std::array<ChartCard*, 6> m_cards{};
    RunRow m_run;
    ChartOptions m_options;
    QString m_bestNote; ///< of the second card
    int m_columns = 0;
    QList<ChartCard*> m_arranged; ///< the visible ones, as they are laid out
};

} // namespace cannery::ui
