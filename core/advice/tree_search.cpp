// SPDX-License-Identifier: Apache-2.0
#include "core/advice/tree_search.h"

#include "core/advice/trial_loss.h"
#include "core/estimators/estimator_catalog.h"
#include "core/plan/learners/learner.h"
#include "core/plan/model.h"
#include "core/spec/spec_resolver.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace cannery::advice {
namespace {

/// Trees are scored whenever this many have been added.
constexpr std::int64_t kTreesAtOnce = 20;
constexpr std::int64_t kMostTrees = 300;
constexpr std::int64_t kFewestTrees = 40;
/// Cells looked at in all folds; 300 trees of 18,000 rows with thirty columns are 1.6e8 of these.
constexpr double kMostWork = 4e8;

constexpr std::array<std::int64_t, 2> kLeaves{8, 31};
constexpr std::array<std::int64_t, 3> kLeavesOfVaried{4, 8, 16};
/// A loss that is near the lowest is less than so many times it.
constexpr double kNearLowest = 1.05;
/// Trees that vary change less each, so that more of them are tried.
constexpr std::int64_t kTimesAsManyVaried = 2;

/// After every kTreesAtOnce trees.
using Curve = std::vector<TrialScore>;

/// The best AUC or accuracy among the numbers of trees whose loss differs from the lowest by no
/// more than chance: further trees still improve these when their probabilities are overconfident.
std::vector<TreesTried>::iterator bestAmong(std::vector<TreesTried>& tried)
{
    const auto lowest =
        std::ranges::min_element(tried, {}, [](const auto& each) { return mean(each.scores); });
    auto best = lowest;
    for (auto each = tried.begin(); each != tried.end(); ++each) {
        const bool isNear = mean(each->scores) <= kNearLowest * mean(lowest->scores) &&
                            !isClearlyBetter(lowest->scores, each->scores, 1);
        if (isNear && each->measure > best->measure) {
            best = each;
        }
    }
    return best;
}

class TreeSearch
{
public:
    explicit TreeSearch(const TreeSearchRequest& request) : m_request(request) {}

    Result<std::vector<TreesTried>> run() const
    {
        const std::vector<ModelChoice> choices = choicesOf();
        const std::size_t folds = m_request.folds.size();
        std::vector<Result<Curve>> curves(choices.size() * folds);
        m_request.count.begin(static_cast<int>(choices.size()), curves.size());
        // Every choice on every fold is a job of its own: each trains with one thread, so results
        // do not depend on how many there are.
        m_request.pool.parallelFor(
            static_cast<std::int64_t>(curves.size()), [&](std::int64_t i, int worker) {
                const auto job = static_cast<std::size_t>(i);
                curves[job] = growOn(choices[job / folds], m_request.folds[job % folds]);
                m_request.count.finishJob(worker);
            });
        m_request.count.end();
        std::vector<TreesTried> tried;
        for (std::size_t i = 0; i < choices.size(); ++i) {
            std::vector<Curve> ofFolds;
            for (std::size_t fold = 0; fold < folds; ++fold) {
                CANNERY_TRY_ASSIGN(Curve curve, std::move(curves[i * folds + fold]));
                ofFolds.push_back(std::move(curve));
            }
            tried.push_back(bestOf(choices[i], ofFolds));
        }
        std::ranges::stable_sort(tried, {},
                                 [](const TreesTried& trees) { return mean(trees.scores); });
        const auto best = bestAmong(tried);
        std::rotate(tried.begin(), best, std::next(best));
        return tried;
    }

private:
    std::vector<ModelChoice> choicesOf() const
    {
        std::vector<ModelChoice> choices;
        const auto add = [&](std::int64_t leaves) -> TreeChoice& {
            choices.push_back(m_request.choice);
            choices.back().trees.leaves = leaves;
            choices.back().steps = mostTrees();
            return choices.back().trees;
        };
        for (const std::int64_t leaves : kLeaves) {
            add(leaves);
        }
        for (const std::int64_t leaves : kLeavesOfVaried) {
            varied(add(leaves));
            choices.back().steps *= kTimesAsManyVaried;
        }
        return choices;
    }

    /// Each tree sees other rows and columns, and changes little: their sum is smoother.
    static void varied(TreeChoice& trees)
    {
        trees.rate = 0.05;
        trees.rowsPerLeaf = 5;
        trees.rowFraction = 0.7;
        trees.columnFraction = 0.6;
    }

    /// A multiple of kTreesAtOnce.
    std::int64_t mostTrees() const
    {
        double work = 0;
        for (const Fold& fold : m_request.folds) {
            work += static_cast<double>(fold.learned.size());
        }
        const std::int64_t units = std::max<std::int64_t>(1, m_request.starting.label.classes);
        work *= static_cast<double>(m_request.layout.slots.size()) * static_cast<double>(units);
        const double trees =
            std::clamp(kMostWork / std::max(work, 1.0), static_cast<double>(kFewestTrees),
                       static_cast<double>(kMostTrees));
        return static_cast<std::int64_t>(trees) / kTreesAtOnce * kTreesAtOnce;
    }

    /// The loss on the fold's held-out rows after every kTreesAtOnce trees.
    Result<Curve> growOn(const ModelChoice& choice, const Fold& fold) const
    {
        spec::Experiment experiment = m_request.experiment;
        *experiment.mutable_estimator() = withModel(m_request.starting, choice).estimator();
        experiment = spec::resolve(experiment);
        CANNERY_TRY_ASSIGN(graph::LoweredModel lowered,
                           estimators::lower(experiment, m_request.layout));
        CANNERY_TRY_ASSIGN(const std::unique_ptr<plan::Model> model,
                           plan::Model::create(std::move(lowered), {.maxBatchSize = kScoredAtOnce,
                                                                    .threads = 1,
                                                                    .seed = 1,
                                                                    .folder = m_request.folder}));
        features::EncodedDataset learned(m_request.layout, {});
        features::EncodedRows rows;
        CANNERY_TRY(m_request.rows.gather(rowsAt(m_request.used, fold.learned), rows));
        CANNERY_TRY(learned.append(rows));
        CANNERY_TRY(model->learner()->setTable(learned, model->threadPool()));
        const std::vector<std::int64_t> heldOut = rowsAt(m_request.used, fold.heldOut);
        Curve curve;
        // One run gives the losses of all its numbers of trees: a smaller model is the beginning of
        // a larger one.
        for (std::int64_t step = 0; step < choice.steps; ++step) {
            CANNERY_TRY(model->train(std::span<const features::EncodedRows>(), step));
            if ((step + 1) % kTreesAtOnce == 0) {
                CANNERY_TRY_ASSIGN(
                    const TrialScore score,
                    trialScore(*model, m_request.rows, heldOut, m_request.starting.label.scale));
                curve.push_back(score);
            }
        }
        return curve;
    }

    /// The number of trees that did best on average.
    static TreesTried bestOf(const ModelChoice& choice, const std::vector<Curve>& curves)
    {
        std::vector<TreesTried> counts;
        for (std::size_t i = 0; i < curves.front().size(); ++i) {
            TreesTried& tried =
                counts.emplace_back(TreesTried{.choice = choice, .scores = {}, .lowest = {}});
            tried.choice.steps = static_cast<std::int64_t>(i + 1) * kTreesAtOnce;
            for (const Curve& curve : curves) {
                tried.scores.push_back(curve[i].loss);
                tried.measure += curve[i].measure / static_cast<double>(curves.size());
            }
        }
        const auto lowest = std::ranges::min_element(
            counts, {}, [](const TreesTried& tried) { return mean(tried.scores); });
        TreesTried best = *bestAmong(counts);
        // The lowest loss is kept apart, for the comparison with other kinds of models.
        best.lowest = lowest->scores;
        return best;
    }

    const TreeSearchRequest& m_request;
};

} // namespace

int treesToTry()
{
    return static_cast<int>(kLeaves.size() + kLeavesOfVaried.size());
}

std::string noteOf(const TreesTried& tried)
{
    const TreeChoice& trees = tried.choice.trees;
    const std::string variety =
        trees.rowFraction < 1
            ? fmt::format(" of {:.0f} % of the rows and {:.0f} % of the columns each, at {}",
                          100 * trees.rowFraction, 100 * trees.columnFraction, trees.rate)
            : "";
    return fmt::format("trees of all columns, {} leaves, {} trees{}: loss {:.4g}", trees.leaves,
                       tried.choice.steps, variety, mean(tried.scores));
}

Result<std::vector<TreesTried>> searchTrees(const TreeSearchRequest& request)
{
    return TreeSearch(request).run();
}

} // namespace cannery::advice
