// SPDX-License-Identifier: Apache-2.0
#include "core/advice/model_search.h"
#include "core/data/rows/row_splitter.h"
#include "tests/core/advice/trial_table.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <fmt/core.h>

#include <QThread>
#include <QtTest>

#include <cmath>

using namespace cannery;
using namespace cannery::advice;

namespace {

class Table : public tests::TrialTable
{
public:
    using TrialTable::TrialTable;

    Result<ModelSearchResult> search(int threads = 1) const
    {
        CANNERY_TRY_ASSIGN(const StartingExperiment made, starting());
        return searchModel({.starting = made, .folder = folder(), .threads = threads});
    }
};

std::string straight(double a, double b, int row)
{
    return fmt::format("{:.6f}", 3 * a - 2 * b + 0.3 * tests::trialNoise(row, 3));
}

/// The rows that the experiment holds back for evaluation.
std::vector<bool> heldBack(const StartingExperiment& starting, int rows)
{
    std::vector<bool> held(static_cast<std::size_t>(rows));
    auto splitter = data::RowSplitter::create(starting.experiment.data().split(), "y");
    if (!splitter) {
        return held;
    }
    const auto split = splitter->split(held.size(), nullptr);
    if (split) {
        for (const std::uint32_t row : split->eval) {
            held[row] = true;
        }
    }
    return held;
}

} // namespace

class TstModelSearch : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aStraightLineStaysLinear();
    void aRingNeedsMoreThanALine();
    void noiseIsRegularizedAway();
    void theSameOnAnyNumberOfThreads();
    void rowsHeldBackAreNotLookedAt();
    void fewRowsHoldBackAFifthAndStillFewerNone();
    void whatIsNotHeldBackIsJudgedByFolds();
    void columnsThatSayNothingAreLeft();
    void whatBendsIsKept();
    void progressCountsEveryModel();
};

void TstModelSearch::aStraightLineStaysLinear()
{
    const Table table(300, straight);
    const auto found = table.search();
    VERIFY_OK(found);
    QCOMPARE(found->choice.family, ModelFamily::Linear);
    QVERIFY(!found->choice.buckets);
    QVERIFY2(found->choice.l2 <= 10, qPrintable(QString::number(found->choice.l2)));
}

void TstModelSearch::aRingNeedsMoreThanALine()
{
    const Table table(600, [](double a, double b, int) {
        return std::string(std::hypot(a, b) < 0.75 ? "in" : "out");
    });
    const auto found = table.search();
    VERIFY_OK(found);
    QVERIFY(found->choice.buckets || found->choice.family == ModelFamily::Combined);
}

void TstModelSearch::noiseIsRegularizedAway()
{
    const Table table(200, [](double, double, int row) {
        return fmt::format("{:.6f}", tests::trialNoise(row, 3));
    });
    const auto found = table.search();
    VERIFY_OK(found);
    QCOMPARE(found->choice.family, ModelFamily::Linear);
    QVERIFY2(found->choice.l2 >= 100, qPrintable(QString::number(found->choice.l2)));
}

void TstModelSearch::theSameOnAnyNumberOfThreads()
{
    const Table table(200, straight);
    const auto one = table.search(1);
    const auto three = table.search(3);
    VERIFY_OK(one);
    VERIFY_OK(three);
    QVERIFY(!one->notes.empty());
    QVERIFY(one->notes == three->notes);
}

void TstModelSearch::rowsHeldBackAreNotLookedAt()
{
    constexpr int kRows = 400;
    const Table table(kRows, straight);
    const auto starting = table.starting();
    VERIFY_OK(starting);
    const std::vector<bool> held = heldBack(*starting, kRows);
    QCOMPARE(std::count(held.begin(), held.end(), true), 80);
    const Table other(kRows, [&](double a, double b, int row) {
        return held[static_cast<std::size_t>(row)] ? std::string("-7") : straight(a, b, row);
    });
    const auto first = searchModel({.starting = *starting, .folder = table.folder(), .threads = 1});
    StartingExperiment moved = *starting;
    moved.experiment.mutable_data()->mutable_train()->mutable_csv()->set_files(0, other.folder() +
                                                                                      "/table.csv");
    const auto second = searchModel({.starting = moved, .folder = other.folder(), .threads = 1});
    VERIFY_OK(first);
    VERIFY_OK(second);
    QVERIFY(first->notes == second->notes);
}

void TstModelSearch::fewRowsHoldBackAFifthAndStillFewerNone()
{
    const auto fraction = [](int rows, const tests::TrialLabel& label, int others = 0) {
        const auto starting = Table(rows, label, others).starting();
        if (!starting) {
            return -1.0;
        }
        const spec::Data& data = starting->experiment.data();
        return data.has_split() ? data.split().fraction().eval_fraction() : 0.0;
    };
    QCOMPARE(fraction(400, straight), 0.2);
    QCOMPARE(fraction(299, straight), 0.2);
    QCOMPARE(fraction(299, straight, 26), 0.2);
    QCOMPARE(fraction(299, straight, 27), 0.0);
    QCOMPARE(fraction(300, straight, 27), 0.2);
    QCOMPARE(fraction(100, straight), 0.2);
    QCOMPARE(fraction(99, straight), 0.0);
    QCOMPARE(fraction(1999, straight), 0.2);
    QCOMPARE(fraction(2000, straight), 0.1);
}

void TstModelSearch::whatIsNotHeldBackIsJudgedByFolds()
{
    const auto few = Table(90, straight).search();
    const auto many = Table(300, straight).search();
    VERIFY_OK(few);
    VERIFY_OK(many);
    QVERIFY2(few->notes.back().starts_with("On rows that it did not learn from (10 folds)"),
             few->notes.back().c_str());
    QVERIFY2(!many->notes.back().starts_with("On rows"), many->notes.back().c_str());
}

void TstModelSearch::columnsThatSayNothingAreLeft()
{
    const Table table(90, straight, 60);
    const auto found = table.search();
    VERIFY_OK(found);
    QCOMPARE(found->choice.family, ModelFamily::Linear);
    QCOMPARE(found->columns.plain, (std::vector<std::string>{"a", "b"}));
    const auto other = Table(90, straight).search();
    VERIFY_OK(other);
    QCOMPARE(other->columns.plain, (std::vector<std::string>{"a", "b"}));
}

void TstModelSearch::whatBendsIsKept()
{
    // A straight line finds nothing in a; only b is linear.
    const Table table(
        600, [](double a, double b, int) { return fmt::format("{:.6f}", 6 * a * a + b); }, 8);
    const auto found = table.search();
    VERIFY_OK(found);
    QVERIFY(std::count(found->columns.plain.begin(), found->columns.plain.end(), "a") == 1);
    QVERIFY(found->choice.buckets || found->choice.family == ModelFamily::Combined ||
            found->choice.family == ModelFamily::Trees);
}

/// On the searching thread, upwards, to the end.
void TstModelSearch::progressCountsEveryModel()
{
    const Table table(300, straight);
    for (const int threads : {1, 3}) {
        std::vector<std::pair<int, int>> reports;
        const auto starting = table.starting();
        VERIFY_OK(starting);
        const QThread* searching = QThread::currentThread();
        bool isElsewhere = false;
        VERIFY_OK(searchModel({.starting = *starting,
                               .folder = table.folder(),
                               .threads = threads,
                               .progress = [&](int tried, int all) {
                                   isElsewhere |= QThread::currentThread() != searching;
                                   reports.emplace_back(tried, all);
                               }}));
        QVERIFY(!isElsewhere);
        QVERIFY(reports.size() >= 3);
        for (std::size_t i = 1; i < reports.size(); ++i) {
            QVERIFY(reports[i].first > reports[i - 1].first);
        }
        // Two linear models, five deep ones and five kinds of trees.
        QCOMPARE(reports.back(), std::pair(12, 12));
    }
}

CANNERY_TEST(TstModelSearch)
#include "tst_model_search.moc"
