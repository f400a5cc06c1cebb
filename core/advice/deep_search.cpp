// SPDX-License-Identifier: Apache-2.0
#include "core/advice/deep_search.h"

#include "core/advice/trial_loss.h"
#include "core/data/pipeline/pipeline.h"
#include "core/estimators/estimator_catalog.h"
#include "core/plan/model.h"
#include "core/spec/spec_resolver.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace cannery::advice {
namespace {

/// The number of models that are tried on every fold.
constexpr std::size_t kFinalists = 2;
constexpr std::uint64_t kSeed = 1;
/// Linear parts are compared once their gradient is this fraction of that at zero weights.
constexpr double kNearEnough = 1e-3;

class DeepSearch
{
public:
    explicit DeepSearch(const DeepSearchRequest& request) : m_request(request) {}

    Result<std::vector<DeepTried>> run()
    {
        std::vector<DeepTried> trials;
        for (const ModelChoice& choice : m_request.choices) {
            trials.push_back({choice, {}});
        }
        const std::size_t finalists = std::min(kFinalists, trials.size());
        // All choices on one fold first, and the best of them on the others.
        m_request.count.begin(static_cast<int>(trials.size() - finalists), trials.size());
        CANNERY_TRY(tryOut(trials, 0, 1));
        trials.resize(finalists);
        m_request.count.begin(static_cast<int>(finalists),
                              finalists * (m_request.folds.size() - 1));
        CANNERY_TRY(tryOut(trials, 1, m_request.folds.size()));
        return trials;
    }

private:
    /// Scores the trials on these folds and sorts them, best first.
    Result<void> tryOut(std::vector<DeepTried>& trials, std::size_t firstFold,
                        std::size_t endFold) const
    {
        const std::size_t folds = endFold - firstFold;
        // Each job has a place of its own, so that threads need no lock.
        std::vector<Result<double>> losses(trials.size() * folds);
        m_request.pool.parallelFor(
            static_cast<std::int64_t>(losses.size()), [&](std::int64_t i, int worker) {
                const auto job = static_cast<std::size_t>(i);
                losses[job] = trainFold(trials[job / folds].choice, firstFold + job % folds);
                m_request.count.finishJob(worker);
            });
        m_request.count.end();
        for (std::size_t job = 0; job < losses.size(); ++job) {
            CANNERY_TRY_ASSIGN(const double loss, std::move(losses[job]));
            trials[job / folds].scores.push_back(loss);
        }
        // Stable: of equal ones the first choice stays.
        std::stable_sort(trials.begin(), trials.end(), [](const DeepTried& a, const DeepTried& b) {
            return mean(a.scores) < mean(b.scores);
        });
        return {};
    }

    Result<double> trainFold(ModelChoice choice, std::size_t fold) const
    {
        // As many passes over the rows used here.
        // Fewer rows are seen in fewer steps.
        choice.steps = std::max<std::int64_t>(100, choice.steps * std::ssize(m_request.used) /
                                                       m_request.allRows);
        // Keep what was resolved from the data, but with this model.
        spec::Experiment experiment = m_request.experiment;
        *experiment.mutable_estimator() = withModel(m_request.starting, choice).estimator();
        experiment = spec::resolve(experiment);
        CANNERY_TRY_ASSIGN(graph::LoweredModel lowered,
                           estimators::lower(experiment, m_request.layout));
        CANNERY_TRY_ASSIGN(
            const std::unique_ptr<plan::Model> model,
            plan::Model::create(std::move(lowered),
                                // One thread for each fold, as folds are trained side by side.
                                {.maxBatchSize = std::max(choice.batchSize, kScoredAtOnce),
                                 .threads = 1,
                                 .seed = kSeed,
                                 .folder = m_request.folder}));
        CANNERY_TRY(trainOn(fold, choice, *model));
        CANNERY_TRY_ASSIGN(const TrialScore score,
                           trialScore(*model, m_request.rows,
                                      rowsAt(m_request.used, m_request.folds[fold].heldOut),
                                      m_request.starting.label.scale));
        return score.loss;
    }

    Result<void> trainOn(std::size_t which, const ModelChoice& choice, plan::Model& model) const
    {
        const Fold& fold = m_request.folds[which];
        if (choice.hasLinearPart()) {
            CANNERY_TRY(solveLinearPart(which, choice, model));
        }
        data::Pipeline pipeline({.rows = std::ssize(fold.learned),
                                 .batchSize = choice.batchSize,
                                 .shuffle = true,
                                 .seed = kSeed});
        std::vector<std::int64_t> positions;
        features::EncodedRows batch;
        for (std::int64_t step = 0; step < choice.steps && pipeline.next(positions); ++step) {
            // Positions in the fold become rows of the table.
            for (std::int64_t& position : positions) {
                position = m_request.used[static_cast<std::size_t>(
                    fold.learned[static_cast<std::size_t>(position)])];
            }
            CANNERY_TRY(m_request.rows.gather(positions, batch));
            model.train(batch, step);
        }
        return {};
    }

    Result<void> solveLinearPart(std::size_t which, const ModelChoice& choice,
                                 plan::Model& model) const
    {
        train::LinearProblem problem = m_request.linear->simpler();
        CANNERY_TRY_ASSIGN(problem.offsets, train::logitsOf(model, m_request.rows, m_request.used));
        // The solution of the linear part alone is near.
        const train::LinearWeights start = which < m_request.solutions.size()
                                               ? m_request.solutions[which]
                                               : train::LinearWeights();
        train::putLinearWeights(
            *m_request.part,
            m_request.linear->weightsOf(train::solveLinear(problem, m_request.folds[which].learned,
                                                           choice.l2, start, kNearEnough)),
            model);
        return {};
    }

    const DeepSearchRequest& m_request;
};

} // namespace

std::string noteOf(const DeepTried& tried)
{
    const ModelChoice& choice = tried.choice;
    return fmt::format("deep, {} and {} units, dropout {}, {} steps at {}: loss {:.4g}",
                       choice.hiddenUnits[0], choice.hiddenUnits[1], choice.dropout, choice.steps,
                       choice.learningRate, mean(tried.scores));
}

Result<std::vector<DeepTried>> searchDeepModels(const DeepSearchRequest& request)
{
    return DeepSearch(request).run();
}

} // namespace cannery::advice
