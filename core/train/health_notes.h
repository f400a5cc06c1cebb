// SPDX-License-Identifier: Apache-2.0
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

struct DecisionMetric;

/// Watches a training for what a person would want to be told, and says it as a sentence with its
/// numbers and a stable id, through TrainingObserver::noted(). A note with an id that was said
/// before takes the place of the earlier one (it comes anew when its numbers have grown a good
/// deal); one at LogLevel::Info takes the earlier one back: it is no longer so.
///
/// - "health.nan_loss" (error), "health.infinite_loss": the loss of a step is not a number;
/// - "health.rising_eval_loss": the evaluation loss has risen in several evaluations in a row;
/// - "health.no_improvement": the decision metric was best several evaluations ago;
/// - "health.dead_loss": gradients are zero, or evaluations give the same loss again and again;
/// - "health.input_bound": steps wait for their rows for too large a share of the time;
/// - "health.disk_nearly_full": less is free than the next two checkpoints need;
/// - "health.worse_than_guess": evaluations are no better than a guess that knows no feature (the
///   commonest class, the mean);
/// - "health.far_past_best": the best evaluation is long ago, and the last one clearly worse;
/// - "health.exploded_inputs": the loss is beyond what any guess would have, from the start on.
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
        int guessEvaluations = 2;   ///< no better than the guess in so many, one after the other
        double farPastBest = 0.5;   ///< of all steps so far, since the best evaluation
        double explodedTimes = 100; ///< an evaluation's loss, in losses of the guess
        /// Bytes that may still be written to the folder's disk; empty: the system is asked.
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
    /// Something that is said once while it lasts.
    struct Episode
    {
        bool isOpen = false;
        /// True at its beginning.
        bool begin() { return !std::exchange(isOpen, true); }
        void end() { isOpen = false; }
        /// True when there was one to end.
        bool close() { return std::exchange(isOpen, false); }
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
    int m_guesses = 0;               ///< evaluations in a row that are no better than a guess
    std::int64_t m_saidPastBest = 0; ///< steps past the best when that was said last
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
