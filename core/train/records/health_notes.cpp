// SPDX-License-Identifier: Apache-2.0
#include "core/train/records/health_notes.h"

#include "core/base/byte_text.h"

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <utility>

namespace cannery::train {
namespace {

/// The wait for rows is over once its share is below this: hysteresis against wobbling around the
/// limit.
constexpr double kRelief = 2.0 / 3.0;
constexpr double kSameLoss = 1e-9; ///< relative
/// A loss this small may stay constant: there is nothing left to learn.
constexpr double kLearnedLoss = 1e-6;
constexpr std::uint64_t kCheckpointsThatMustFit = 2;

struct MetricRow
{
    std::string_view name;
    bool higherIsBetter;
};
constexpr std::array kDecisionMetrics{
    MetricRow{"auc", true},
    MetricRow{"accuracy", true},
    MetricRow{"average_loss", false},
    MetricRow{"loss", false},
};

std::optional<std::uint64_t> freeBytesOf(const std::string& folder)
{
    std::error_code failure;
    const std::filesystem::space_info space = std::filesystem::space(folder, failure);
    return failure ? std::nullopt : std::optional<std::uint64_t>(space.available);
}

/// Whether a note would report the same of both.
bool areShownEqual(double left, double right)
{
    return fmt::format("{:.4g}", left) == fmt::format("{:.4g}", right);
}

double evaluationLoss(const EvaluationResult& result)
{
    // The mean over rows, as the sum depends on the size of a batch.
    const std::optional<double> average = result.find("average_loss");
    return average ? *average : result.find("loss").value_or(std::nan(""));
}

} // namespace

namespace {

/// A metric that a guess without features reaches on the same rows, next to the model's own.
struct GuessRow
{
    std::string_view metric;
    std::string_view guess;
    bool higherIsBetter;
    std::string_view words;
};
constexpr std::array kGuesses{
    GuessRow{"cannery/rmse", "cannery/rmse_baseline", false, "guesses the mean"},
    GuessRow{"accuracy", "cannery/accuracy_baseline", true,
             "always predicts the most frequent class"},
};
/// The AUC of a random order of the rows.
constexpr double kAucOfChance = 0.5;

struct Comparison
{
    std::string_view metric;
    double value;
    double guess;
    bool isBetter;
    std::string_view words;
};

/// How the evaluation compares with a guess; nothing if a head has none.
std::optional<Comparison> compareWithGuess(const EvaluationResult& result)
{
    for (const GuessRow& row : kGuesses) {
        const std::optional<double> value = result.find(row.metric);
        const std::optional<double> guess = result.find(row.guess);
        // Heads report different pairs; the first that an evaluation has is compared.
        if (value && guess) {
            return Comparison{row.metric, *value, *guess,
                              row.higherIsBetter ? *value > *guess : *value < *guess, row.words};
        }
    }
    if (const std::optional<double> auc = result.find("auc")) {
        return Comparison{"auc", *auc, kAucOfChance, *auc > kAucOfChance, "tosses a coin"};
    }
    return std::nullopt;
}

} // namespace

std::optional<DecisionMetric> decisionMetric(const EvaluationResult& result)
{
    // The first of the list that the head reports.
    for (const MetricRow& row : kDecisionMetrics) {
        if (const std::optional<double> value = result.find(row.name)) {
            return DecisionMetric{row.name, row.higherIsBetter, *value};
        }
    }
    return std::nullopt;
}

HealthNotes::HealthNotes(Options options) : m_options(std::move(options))
{
    if (!m_options.freeBytes) {
        m_options.freeBytes = freeBytesOf;
    }
}

void HealthNotes::report(LogLevel level, std::string_view id, const std::string& sentence) const
{
    m_options.sink->noted(level, id, sentence);
}

void HealthNotes::stepDone(std::int64_t globalStep, double loss)
{
    // A finite loss ends both episodes: a later one is reported again.
    if (std::isfinite(loss)) {
        m_infinite.end();
        m_nan.end();
        return;
    }
    const std::string good =
        m_savedStep >= 0 ? fmt::format(" The checkpoint of step {} is good.", m_savedStep) : "";
    if (std::isnan(loss) && m_nan.begin()) {
        report(LogLevel::Error, "health.nan_loss",
               fmt::format("The loss became NaN at step {}: training ends here, with the reason.{}",
                           globalStep, good));
    } else if (std::isinf(loss) && m_infinite.begin()) {
        report(LogLevel::Warning, "health.infinite_loss",
               fmt::format("The loss became infinite at step {}: the learning rate may be too "
                           "high.{}",
                           globalStep, good));
    }
}

void HealthNotes::progressed(const Progress& progress)
{
    const double now = m_options.clock->steadyTime();
    // Below the limit the wait is over, and well below it the note is taken back.
    if (progress.inputWait <= m_options.inputBoundShare) {
        m_waitingSince.reset();
        if (progress.inputWait < kRelief * m_options.inputBoundShare) {
            takeBack(m_inputBound, "health.input_bound",
                     fmt::format("Input keeps up again (step {}).", progress.globalStep));
        }
        return;
    }
    if (!m_waitingSince) {
        m_waitingSince = now;
    }
    // A short wait, such as while a file is opened, is not a bottleneck.
    if (now - *m_waitingSince >= m_options.inputBoundSeconds && m_inputBound.begin()) {
        report(
            LogLevel::Warning, "health.input_bound",
            fmt::format("Steps spend {:.0f} % of their time waiting for rows (step {}): more "
                        "memory for rows (run_config.cache_memory_mb) or a faster disk would help.",
                        100 * progress.inputWait, progress.globalStep));
    }
}

void HealthNotes::checkpointsChanged(const std::vector<storage::RunCheckpoint>& checkpoints)
{
    if (checkpoints.empty()) {
        return;
    }
    const storage::RunCheckpoint& last = checkpoints.back();
    m_savedStep = last.globalStep;
    const std::optional<std::uint64_t> left = m_options.freeBytes(m_options.folder);
    // The next checkpoint is written before the oldest is deleted.
    if (!left || *left >= kCheckpointsThatMustFit * last.bytes) {
        takeBack(m_diskFull, "health.disk_nearly_full",
                 "There is enough space on the run's disk again.");
        return;
    }
    if (m_diskFull.begin()) {
        report(LogLevel::Warning, "health.disk_nearly_full",
               fmt::format("{} are left on the run's disk; the next checkpoint needs {}.",
                           byteText(static_cast<double>(*left)),
                           byteText(static_cast<double>(last.bytes))));
    }
}

void HealthNotes::evaluated(const EvaluationResult& result)
{
    const Point loss{result.globalStep, evaluationLoss(result)};
    // NaN and infinity have notes of their own.
    if (std::isfinite(loss.value)) {
        watchRise(loss);
        watchStandstill(loss);
        m_lastLoss = loss;
    }
    watchImprovement(result);
    watchGuess(result);
    watchExplosion(result);
}

void HealthNotes::takeBack(Episode& episode, std::string_view id, const std::string& sentence) const
{
    if (episode.close()) {
        report(LogLevel::Info, id, sentence);
    }
}

void HealthNotes::watchGuess(const EvaluationResult& result)
{
    const std::optional<Comparison> seen = compareWithGuess(result);
    if (!seen || !std::isfinite(seen->value)) {
        // A head without a guess to compare with.
        return;
    }
    if (seen->isBetter) {
        m_guesses = 0;
        takeBack(m_worseThanGuess, "health.worse_than_guess",
                 fmt::format("{} is better than that of a model that {} again, {:.4g} against "
                             "{:.4g} at step {}.",
                             seen->metric, seen->words, seen->value, seen->guess,
                             result.globalStep));
        return;
    }
    // A single bad evaluation may be chance.
    if (++m_guesses >= m_options.guessEvaluations && m_worseThanGuess.begin()) {
        report(
            LogLevel::Warning, "health.worse_than_guess",
            fmt::format("The model is no better than one that {}: {} is {:.4g} against {:.4g} at "
                        "step {}. Lower the learning rate, train longer, or look at the columns.",
                        seen->words, seen->metric, seen->value, seen->guess, result.globalStep));
    }
}

void HealthNotes::watchExplosion(const EvaluationResult& result)
{
    const std::optional<double> error = result.find("cannery/rmse");
    const std::optional<double> guess = result.find("cannery/rmse_baseline");
    // Labels that are all the same have no deviation to compare with.
    if (!error || !guess || !(*guess > 0)) {
        return;
    }
    const double times = *error / *guess;
    if (!(times > m_options.explodedTimes)) {
        takeBack(
            m_exploded, "health.exploded_inputs",
            fmt::format("Predictions are near the labels again, at step {}.", result.globalStep));
        return;
    }
    if (m_exploded.begin()) {
        report(
            LogLevel::Warning, "health.exploded_inputs",
            fmt::format("Predictions are off by {:.3g} times the labels' deviation at step {}: an "
                        "input value may be extreme; 'cannery check' names it.",
                        times, result.globalStep));
    }
}

void HealthNotes::watchDistance(const DecisionMetric& metric, std::int64_t step)
{
    const std::int64_t past = step - m_best->step;
    const bool isFar =
        static_cast<double>(past) > m_options.farPastBest * static_cast<double>(step);
    const bool isAsGood = areShownEqual(metric.value, m_best->value);
    // Repeated when the distance has doubled, not at every evaluation.
    if (m_sinceBest < m_options.stalledEvaluations || !isFar || isAsGood ||
        past < 2 * m_reportedPastBest) {
        return;
    }
    m_farPastBest.begin();
    m_reportedPastBest = past;
    report(
        LogLevel::Warning, "health.far_past_best",
        fmt::format("The run is {} steps past its best: {} was {:.4g} at step {} and is {:.4g} at "
                    "step {}. It can be stopped; the best checkpoint is the one to keep.",
                    past, metric.name, m_best->value, m_best->step, metric.value, step));
}

void HealthNotes::watchRise(const Point& loss)
{
    if (!m_lastLoss || loss.value <= m_lastLoss->value) {
        m_rises = 0;
        takeBack(m_rising, "health.rising_eval_loss",
                 fmt::format("The evaluation loss has fallen again, to {:.4g} at step {}.",
                             loss.value, loss.step));
        return;
    }
    // Remembered for the sentence, which names where the rise began.
    if (m_rises == 0) {
        m_riseFrom = m_lastLoss;
    }
    if (++m_rises >= m_options.risingEvaluations && m_rising.begin()) {
        report(
            LogLevel::Warning, "health.rising_eval_loss",
            fmt::format("The evaluation loss has risen in {} evaluations in a row, from {:.4g} at "
                        "step {} to {:.4g} at step {}: the model may be overfitting.",
                        m_rises, m_riseFrom->value, m_riseFrom->step, loss.value, loss.step));
    }
}

void HealthNotes::watchStandstill(const Point& loss)
{
    const bool isSame =
        m_lastLoss && loss.step > m_lastLoss->step &&
        std::abs(loss.value - m_lastLoss->value) <= kSameLoss * std::abs(loss.value);
    // A loss of almost 0 stands still because everything is learned.
    if (!isSame || loss.value < kLearnedLoss) {
        m_sameLosses = 0;
        // The same note may be due to gradients, which have not changed.
        if (m_zeroGradients == 0) {
            takeBack(m_dead, "health.dead_loss",
                     fmt::format("The evaluation loss changes again, at step {}.", loss.step));
        }
        return;
    }
    // This many evaluations with the same loss are one change fewer.
    if (++m_sameLosses + 1 >= m_options.deadSummaries && m_dead.begin()) {
        report(
            LogLevel::Warning, "health.dead_loss",
            fmt::format("The evaluation loss stays at {:.4g}, in {} evaluations up to step {}: the "
                        "model is not learning; the learning rate may be 0, or every unit dead.",
                        loss.value, m_sameLosses + 1, loss.step));
    }
}

void HealthNotes::watchImprovement(const EvaluationResult& result)
{
    const std::optional<DecisionMetric> metric = decisionMetric(result);
    // A NaN metric says nothing about improvement.
    if (!metric || std::isnan(metric->value)) {
        return;
    }
    const bool isBetter = !m_best || (metric->higherIsBetter ? metric->value > m_best->value
                                                             : metric->value < m_best->value);
    const double loss = evaluationLoss(result);
    if (isBetter) {
        m_best = Point{result.globalStep, metric->value};
        m_lossAtBest = loss;
        m_sinceBest = 0;
        m_reportedPastBest = 0;
        const std::string sentence = fmt::format("{} is best at step {} now ({:.4g}).",
                                                 metric->name, result.globalStep, metric->value);
        takeBack(m_stalled, "health.no_improvement", sentence);
        takeBack(m_farPastBest, "health.far_past_best", sentence);
        return;
    }
    // A metric that stays at its best while the loss falls, as a perfect one does, is not worth a
    // note.
    const bool isAsGood = areShownEqual(metric->value, m_best->value) && loss < m_lossAtBest;
    if (++m_sinceBest >= m_options.stalledEvaluations && !isAsGood && m_stalled.begin()) {
        report(
            LogLevel::Warning, "health.no_improvement",
            fmt::format("{} was best at step {} ({:.4g}); {} evaluations since were no better, the "
                        "last at step {} ({:.4g}).",
                        metric->name, m_best->step, m_best->value, m_sinceBest, result.globalStep,
                        metric->value));
    }
    watchDistance(*metric, result.globalStep);
}

void HealthNotes::scalarLogged(std::string_view folder, std::string_view tag, std::int64_t step,
                               double value)
{
    // Only the gradient's own tag, and that of training.
    if (!folder.empty() || tag != "cannery/gradient_norm") {
        return;
    }
    const bool hasLearned = m_lastLoss && m_lastLoss->value < kLearnedLoss;
    if (value != 0 || hasLearned) {
        m_zeroGradients = 0;
        if (m_sameLosses == 0) {
            takeBack(m_dead, "health.dead_loss",
                     fmt::format("Gradients are not zero any more, at step {}.", step));
        }
        return;
    }
    if (++m_zeroGradients >= m_options.deadSummaries && m_dead.begin()) {
        report(LogLevel::Warning, "health.dead_loss",
               fmt::format("Every gradient is zero, in {} summaries up to step {}: the model is no "
                           "longer learning; units may be dead, or the loss saturated.",
                           m_zeroGradients, step));
    }
}

} // namespace cannery::train
