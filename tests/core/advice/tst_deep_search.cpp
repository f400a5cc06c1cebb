// SPDX-License-Identifier: Apache-2.0
#include "core/advice/deep_search.h"
#include "tests/core/advice/trial_table.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace cannery;
using namespace cannery::advice;

/// The deep models of the search for a first model.
class TstDeepSearch : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void theBestTwoAreTriedOnEveryFold();
    void aSingleChoiceIsTriedOnEveryFold();
    void threadsChangeNothing();
    void everyChoiceAndFinalistIsCounted();
    void noteNamesUnitsAndSteps();

private:
    struct Found
    {
        std::vector<DeepTried> tried;
        std::vector<int> counted; ///< models that were reported, one report after the other
    };

    static constexpr std::size_t kFolds = 3;

    /// On a table whose label is a parabola, with learning rates that differ.
    static Result<Found> search(const std::vector<double>& rates, int threads = 1)
    {
        const tests::TrialTable table(
            120, [](double a, double b, int) { return fmt::format("{:.6f}", a * a + b); });
        CANNERY_TRY_ASSIGN(const StartingExperiment starting, table.starting());
        std::vector<ModelChoice> choices;
        for (const double rate : rates) {
            choices.push_back({.family = ModelFamily::Deep,
                               .hiddenUnits = {8, 4},
                               .learningRate = rate,
                               .steps = 100});
        }
        CANNERY_TRY_ASSIGN(const tests::EncodedTrial encoded,
                           tests::encodedFor(starting, choices.front(), table.folder()));
        std::vector<std::int64_t> used(static_cast<std::size_t>(encoded.rows.rowCount()));
        std::iota(used.begin(), used.end(), 0);
        const std::vector<Fold> folds = makeFolds(encoded.rows.rowCount(), kFolds, kFolds);
        kernels::ThreadPool pool(threads);
        Found found;
        TrialCount count([&](int tried, int) { found.counted.push_back(tried); });
        CANNERY_TRY_ASSIGN(found.tried, searchDeepModels({.starting = starting,
                                                          .experiment = encoded.experiment,
                                                          .layout = encoded.layout,
                                                          .rows = encoded.rows,
                                                          .used = used,
                                                          .folds = folds,
                                                          .linear = nullptr,
                                                          .part = nullptr,
                                                          .solutions = {},
                                                          .choices = choices,
                                                          .allRows = encoded.rows.rowCount(),
                                                          .folder = table.folder(),
                                                          .pool = pool,
                                                          .count = count}));
        return found;
    }
};

/// A rate at which nothing is learned is seen on the first fold.
void TstDeepSearch::theBestTwoAreTriedOnEveryFold()
{
    const auto found = search({1e-7, 0.01, 0.03});
    VERIFY_OK(found);
    QCOMPARE(found->tried.size(), std::size_t{2});
    for (const DeepTried& deep : found->tried) {
        QCOMPARE(deep.scores.size(), kFolds);
        QVERIFY(deep.choice.learningRate > 1e-3);
    }
    QVERIFY(mean(found->tried[0].scores) <= mean(found->tried[1].scores));
}

void TstDeepSearch::aSingleChoiceIsTriedOnEveryFold()
{
    const auto found = search({0.01});
    VERIFY_OK(found);
    QCOMPARE(found->tried.size(), std::size_t{1});
    QCOMPARE(found->tried[0].scores.size(), kFolds);
    for (const double score : found->tried[0].scores) {
        QVERIFY(std::isfinite(score) && score > 0);
    }
}

void TstDeepSearch::threadsChangeNothing()
{
    const auto one = search({0.003, 0.01});
    const auto three = search({0.003, 0.01}, 3);
    VERIFY_OK(one);
    VERIFY_OK(three);
    for (std::size_t i = 0; i < 2; ++i) {
        QCOMPARE(one->tried[i].choice.learningRate, three->tried[i].choice.learningRate);
        QCOMPARE(one->tried[i].scores, three->tried[i].scores);
    }
}

void TstDeepSearch::everyChoiceAndFinalistIsCounted()
{
    const auto found = search({0.001, 0.003, 0.01, 0.03});
    VERIFY_OK(found);
    QVERIFY(!found->counted.empty());
    QVERIFY(std::is_sorted(found->counted.begin(), found->counted.end()));
    QCOMPARE(found->counted.back(), 4);
}

void TstDeepSearch::noteNamesUnitsAndSteps()
{
    const DeepTried tried{.choice = {.family = ModelFamily::Deep,
                                     .hiddenUnits = {64, 32},
                                     .dropout = 0.1,
                                     .learningRate = 0.003,
                                     .steps = 300},
                          .scores = {0.5, 0.4}};
    QCOMPARE(noteOf(tried),
             std::string("deep, 64 and 32 units, dropout 0.1, 300 steps at 0.003: loss 0.45"));
}

CANNERY_TEST(TstDeepSearch)
#include "tst_deep_search.moc"
