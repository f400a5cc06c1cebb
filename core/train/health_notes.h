#pragma once

#include "core/train/clock.h"
#include "core/train/training_observer.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cannery::train {

/// Watches a training for what a person would want to be told, and says it once in each episode, as
/// a sentence with its numbers and a stable id, through TrainingObserver::noted():
///
/// - "health.nan_loss" (error), "health.infinite_loss": the loss of a step is no number;
/// - "health.rising_eval_loss": the evaluation loss has risen in several evaluations in a row;
/// - "health.no_improvement": the decision metric was best several evaluations ago;
/// - "health.dead_loss": gradients are zero, or evaluations give the same loss again and again;
/// - "health.input_bound": steps wait for their rows for too large a share of the time;
/// - "health.disk_nearly_full": less is free than the next two checkpoints need.
///
/// An episode ends when what was said is no longer so. One thread; costs nanoseconds a step.
class HealthNotes : public TrainingObserver
{
public:
    struct Options
    {
        TrainingObserver* sink = nullptr; ///< told the notes; not null, outlives this
        std::string folder;               ///< whose disk is looked at
        const Clock* clock = &systemClock();
        int risingEvaluations = 3;
        int stalledEvaluations = 5;
        int deadSummaries = 3;
        double inputBoundShare = 0.3;
        double inputBoundSeconds = 10;
        /// Bytes that may still be written to the folder's disk; empty: the system is asked.
        std::function<std::optional<std::uint64_t>(const std::string&)> freeBytes;
    };

    explicit HealthNotes(Options options);

    void stepDone(std::int64_t globalStep, double loss) override;
    void progressed(const Progress& progress) override;
    void checkpointsChanged(const std::vector<storage::RunCheckpoint>& checkpoints) override;
    void evaluated(const EvaluationResult& result) override;
    void scalarLogged(std::string_view folder, std::string_view tag, std::int64_t step,
                      double value) override;

private:
    /// Something that is said once while it lasts.
    struct Episode
    {
        bool isOpen = false;
        /// True at its beginning.
        bool begin() { return !std::exchange(isOpen, true); }
        void end() { isOpen = false; }
    };
    struct Point
    {
        std::int64_t step = 0;
        double value = 0;
    };

    void say(LogLevel level, std::string_view id, const std::string& sentence) const;
    void watchRise(const Point& loss);
    void watchImprovement(const EvaluationResult& result);
    void watchStandstill(const Point& loss);

    Options m_options;
    Episode m_nan;
    Episode m_infinite;
    Episode m_rising;
    Episode m_stalled;
    Episode m_dead;
    Episode m_inputBound;
    Episode m_diskFull;
    std::int64_t m_savedStep = -1;
    std::optional<Point> m_lastLoss; ///< of the evaluations
    std::optional<Point> m_riseFrom;
    int m_rises = 0;
    int m_sameLosses = 0;
    int m_zeroGradients = 0;
    std::optional<Point> m_best;
    int m_sinceBest = 0;
    std::optional<double> m_waitingSince;
};

/// The metric by which people choose between checkpoints, with whether more of it is better: auc,
/// accuracy, average_loss or loss, whichever comes first.
struct DecisionMetric
{
    std::string_view name;
    bool higherIsBetter = false;
    double value = 0;
};
std::optional<DecisionMetric> decisionMetric(const EvaluationResult& result);

} // namespace cannery::train
