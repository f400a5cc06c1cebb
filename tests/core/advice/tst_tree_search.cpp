// SPDX-License-Identifier: Apache-2.0
#include "core/advice/tree_search.h"
#include "tests/core/advice/trial_table.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace cannery;
using namespace cannery::advice;

/// The boosted trees of the search for a first model.
class TstTreeSearch : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aRingIsLearnedAndTheBestComesFirst();
    void numbersOfTreesAreThoseThatWereScored();
    void threadsChangeNothing();
    void everyKindIsCounted();
    void noteNamesSizeAndVariety();

private:
    struct Found
    {
        std::vector<TreesTried> tried;
        int counted = 0; ///< models that were reported
        int all = 0;
    };

    /// On a table whose label says whether a row is inside a ring.
    static Result<Found> search(int threads, int rows = 120)
    {
        const tests::TrialTable table(rows, [](double a, double b, int) {
            return std::string(std::hypot(a, b) < 0.75 ? "in" : "out");
        });
        CANNERY_TRY_ASSIGN(const StartingExperiment starting, table.starting());
        ModelChoice choice{.family = ModelFamily::Trees};
        CANNERY_TRY_ASSIGN(const tests::EncodedTrial encoded,
                           tests::encodedFor(starting, choice, table.folder()));
        std::vector<std::int64_t> used(static_cast<std::size_t>(encoded.rows.rowCount()));
        std::iota(used.begin(), used.end(), 0);
        const std::vector<Fold> folds = makeFolds(encoded.rows.rowCount(), 2, 2);
        kernels::ThreadPool pool(threads);
        Found found;
        TrialCount count([&](int tried, int all) {
            found.counted = tried;
            found.all = all;
        });
        count.expect(treesToTry());
        CANNERY_TRY_ASSIGN(found.tried, searchTrees({.starting = starting,
                                                     .experiment = encoded.experiment,
                                                     .layout = encoded.layout,
                                                     .rows = encoded.rows,
                                                     .used = used,
                                                     .folds = folds,
                                                     .choice = choice,
                                                     .folder = table.folder(),
                                                     .pool = pool,
                                                     .count = count}));
        return found;
    }
};

/// The first one may have another loss than the lowest, by chance, if its AUC is better.
void TstTreeSearch::aRingIsLearnedAndTheBestComesFirst()
{
    const auto found = search(1);
    VERIFY_OK(found);
    const std::vector<TreesTried>& tried = found->tried;
    QCOMPARE(static_cast<int>(tried.size()), treesToTry());
    for (const TreesTried& trees : tried) {
        QCOMPARE(trees.scores.size(), std::size_t{2});
        QVERIFY(mean(trees.lowest) <= mean(trees.scores));
        QVERIFY(trees.measure > 0.5 && trees.measure <= 1);
        QVERIFY(trees.choice.family == ModelFamily::Trees);
    }
    // A guess without columns has 0.69.
    QVERIFY2(mean(tried.front().scores) < 0.5, noteOf(tried.front()).c_str());
    const auto byLoss = [](const TreesTried& a, const TreesTried& b) {
        return mean(a.scores) < mean(b.scores);
    };
    QVERIFY(std::is_sorted(std::next(tried.begin()), tried.end(), byLoss));
}

/// Scored after every twenty, at most three hundred of the same kind, or twice as many that vary.
void TstTreeSearch::numbersOfTreesAreThoseThatWereScored()
{
    const auto found = search(1);
    VERIFY_OK(found);
    for (const TreesTried& trees : found->tried) {
        const bool vary = trees.choice.trees.rowFraction < 1;
        QCOMPARE(trees.choice.steps % 20, 0);
        QVERIFY(trees.choice.steps >= 20 && trees.choice.steps <= (vary ? 600 : 300));
        QCOMPARE(trees.choice.trees.columnFraction < 1, vary);
    }
}

void TstTreeSearch::threadsChangeNothing()
{
    const auto one = search(1, 100);
    const auto three = search(3, 100);
    VERIFY_OK(one);
    VERIFY_OK(three);
    QCOMPARE(one->tried.size(), three->tried.size());
    for (std::size_t i = 0; i < one->tried.size(); ++i) {
        QCOMPARE(one->tried[i].scores, three->tried[i].scores);
        QCOMPARE(noteOf(one->tried[i]), noteOf(three->tried[i]));
    }
}

void TstTreeSearch::everyKindIsCounted()
{
    const auto found = search(2, 100);
    VERIFY_OK(found);
    QCOMPARE(found->counted, treesToTry());
    QCOMPARE(found->all, treesToTry());
}

void TstTreeSearch::noteNamesSizeAndVariety()
{
    TreesTried tried{.choice = {.family = ModelFamily::Trees}, .scores = {0.5, 0.25}};
    tried.choice.steps = 40;
    QCOMPARE(noteOf(tried), std::string("trees of all columns, 31 leaves, 40 trees: loss 0.375"));
    tried.choice.trees = {.leaves = 8, .rate = 0.05, .rowFraction = 0.7, .columnFraction = 0.6};
    QCOMPARE(noteOf(tried),
             std::string("trees of all columns, 8 leaves, 40 trees of 70 % of the rows and 60 % of "
                         "the columns each, at 0.05: loss 0.375"));
}

CANNERY_TEST(TstTreeSearch)
#include "tst_tree_search.moc"
