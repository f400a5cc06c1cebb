// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"
#include "core/train/loop/training_observer.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cannery::train {

struct DecisionMetric;

/// Watches a training for problems worth reporting and reports them through
/// TrainingObserver::noted(), as a sentence with its numbers and a stable id. A note replaces an
/// earlier one with the same id (and is repeated when its numbers have grown considerably); a note
/// at LogLevel::Info withdraws the earlier one: the problem is over.
///
/// - "health.nan_loss" (error), "health.infinite_loss": the loss of a step is not finite;
/// - "health.rising_eval_loss": the evaluation loss has risen in several evaluations in a row;
/// - "health.no_improvement": the decision metric was best several evaluations ago;
/// - "health.dead_loss": gradients are zero, or evaluations give the same loss again and again;
/// - "health.input_bound": steps wait for their rows for too large a share of the time;
/// - "health.disk_nearly_full": less space is free than the next two checkpoints need;
/// - "health.worse_than_guess": evaluations are no better than a guess that ignores the features
///   (the most frequent class, the mean);
/// - "health.far_past_best": the best evaluation is long ago, and the last one clearly worse;
/// - "health.exploded_inputs": from the start, the loss is beyond that of any guess.
///
/// An episode ends when the condition no longer holds. One thread; costs nanoseconds per step.
class HealthNotes : public TrainingObserver
{
public:
    struct Options
    {
        TrainingObserver* sink = nullptr; ///< receives the notes; not null, outlives this
        std::string folder;               ///< the folder whose disk is watched
        const Clock* clock = &systemClock();
        int risingEvaluations = 3;
        int stalledEvaluations = 5;
        int deadSummaries = 3;
        double inputBoundShare = 0.3;
        double inputBoundSeconds = 10;
        int guessEvaluations = 2;   ///< consecutive evaluations that are no better than the guess
        double farPastBest = 0.5;   ///< fraction of all steps so far, since the best evaluation
        double explodedTimes = 100; ///< an evaluation's loss, in multiples of the guess's loss
        /// Bytes still available on the folder's disk; the system is queried if empty.
        std::function<std::optional<std::uint64_t>(const std::string&)> freeBytes;
    };

    explicit HealthNotes(Options options);

    /// The best evaluation of earlier trainings, by the same metric; to be called first.
    void remember(std::int64_t step, double value) { m_best = Point{step, value}; }

    void stepDone(std::int64_t globalStep, double loss) override;
    void progressed(const Progress& progress) override;
    void checkpointsChanged(const std::vector<storage::RunCheckpoint>& checkpoints) override;
    void evaluated(const EvaluationResult& result) override;
    void scalarLogged(std::string_view folder, std::string_view tag, std::int64_t step,
                      double value) override;

private:
    /// A condition reported once while it lasts.
    struct Episode
    {
        bool isOpen = false;
        /// True at its beginning.
        bool begin() { return !std::exchange(isOpen, true); }
        void end() { isOpen = false; }
        /// True if there was one to end.
        bool close() { return std::exchange(isOpen, false); }
    };
    struct Point
    {
        std::int64_t step = 0;
        double value = 0;
    };

    void report(LogLevel level, std::string_view id, const std::string& sentence) const;
    void watchRise(const Point& loss);
    void watchImprovement(const EvaluationResult& result);
    void watchStandstill(const Point& loss);
    void watchGuess(const EvaluationResult& result);
    void watchExplosion(const EvaluationResult& result);
    void watchDistance(const DecisionMetric& metric, std::int64_t step);
    void takeBack(Episode& episode, std::string_view id, const std::string& sentence) const;

    Options m_options;
    Episode m_nan;
    Episode m_infinite;
    Episode m_rising;
    Episode m_stalled;
    Episode m_dead;
    Episode m_inputBound;
    Episode m_diskFull;
    Episode m_worseThanGuess;
    Episode m_farPastBest;
    Episode m_exploded;
    int m_guesses = 0;                   ///< consecutive evaluations no better than the guess
    std::int64_t m_reportedPastBest = 0; ///< steps past the best at the last report
    std::int64_t m_savedStep = -1;
    std::optional<Point> m_lastLoss; ///< of the evaluations
    std::optional<Point> m_riseFrom;
    int m_rises = 0;
    int m_sameLosses = 0;
    int m_zeroGradients = 0;
    std::optional<Point> m_best;
    double m_lossAtBest = 0;
    int m_sinceBest = 0;
    std::optional<double> m_waitingSince;
};

/// The metric by which checkpoints are compared, and whether higher is better: auc, accuracy,
/// average_loss or loss, whichever comes first.
struct DecisionMetric
{
    std::string_view name;
    bool higherIsBetter = false;
    double value = 0;
};
std::optional<DecisionMetric> decisionMetric(const EvaluationResult& result);

} // namespace cannery::train
