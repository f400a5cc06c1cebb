// SPDX-License-Identifier: Apache-2.0
#include "core/spec/text/spec_override.h"
#include "core/sweep/fold_statistics.h"
#include "core/sweep/search_catalog.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <google/protobuf/text_format.h>

#include <cmath>
#include <functional>
#include <limits>
#include <set>

using namespace cannery;
using namespace cannery::sweep;

namespace {

const std::string kParameters =
    "parameter { field: 'run_config.log_step_count_steps' range { min: 0 max: 1000 integer: true } "
    "} parameter { field: 'train_spec.input.batch_size' choice { value: '8' value: '16' } } ";

spec::Experiment experimentOf(const std::string& sweep, std::int64_t maxSteps = 0)
{
    spec::Experiment experiment;
    if (!google::protobuf::TextFormat::ParseFromString("sweep { " + sweep + " }", &experiment)) {
        qFatal("the test's sweep is wrong");
    }
    if (maxSteps > 0) {
        experiment.mutable_train_spec()->set_max_steps(maxSteps);
    }
    return experiment;
}

/// The jobs of a search that is told each job's score at once, in an order of its own.
std::vector<Job> jobsOf(const spec::Experiment& experiment,
                        const std::function<double(const Job&)>& score, std::size_t skip = 1)
{
    Result<std::unique_ptr<Search>> search = makeSearch(experiment);
    if (!search) {
        return {};
    }
    Scores scores;
    while (true) {
        (*search)->advance(scores);
        std::vector<const Job*> open;
        for (const Job& job : (*search)->jobs()) {
            if (!scores.contains(job.key)) {
                open.push_back(&job);
            }
        }
        if (open.empty()) {
            return (*search)->jobs();
        }
        const Job& next = *open[(open.size() - 1) * skip % open.size()];
        scores[next.key] = score(next);
    }
}

std::vector<std::pair<JobKey, std::vector<std::string>>> saidBy(const std::vector<Job>& jobs)
{
    std::vector<std::pair<JobKey, std::vector<std::string>>> said;
    for (const Job& job : jobs) {
        said.emplace_back(job.key, job.overrides);
    }
    return said;
}

/// Best at 700 and with the second choice.
double valley(const Job& job)
{
    return std::abs(job.point[0] - 700) + (job.point[1] == 1 ? 0 : 200);
}

} // namespace

class TstSearches : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void catalogHasEveryMethodOfTheSchema();
    void withoutAMethodThereIsNoSweep();
    void aLongerRandomSearchBeginsWithTheShorterOne();
    void aGridAboveTheLimitIsRefused();
    void everyFoldIsHeldBackOnceForEachCombination();
    void spreadIsOfEveryMetricThatAllFoldsHave();
    void halvingContinuesOneInThree();
    void halvingContinuesNoneThatDiverged();
    void decisionsDoNotDependOnTheOrderOfResults_data();
    void decisionsDoNotDependOnTheOrderOfResults();
    void parzenFindsBetterValuesThanChance();
    void asManyJobsAreOpenAsMayRunAtOnce();
    void anIdentityIsOfWhatTheRunsDependOn();
};

void TstSearches::catalogHasEveryMethodOfTheSchema()
{
    std::set<std::string> members;
    const auto& method = *spec::Sweep::descriptor()->FindOneofByName("method");
    for (int i = 0; i < method.field_count(); ++i) {
        members.insert(method.field(i)->name() + std::to_string(method.field(i)->number()));
    }
    std::set<std::string> rows;
    for (const SearchRow& row : searchCatalog()) {
        rows.insert(std::string(row.name) + std::to_string(row.key));
    }
    QCOMPARE(rows, members);
}

void TstSearches::withoutAMethodThereIsNoSweep()
{
    VERIFY_ERROR(makeSearch(experimentOf(kParameters)), "sweep.none");
    VERIFY_ERROR(makeSearch(spec::Experiment()), "sweep.none");
}

void TstSearches::aLongerRandomSearchBeginsWithTheShorterOne()
{
    const auto few =
        saidBy(jobsOf(experimentOf(kParameters + "random { trials: 5 seed: 3 }"), valley));
    auto many = saidBy(jobsOf(experimentOf(kParameters + "random { trials: 9 seed: 3 }"), valley));
    QCOMPARE(few.size(), std::size_t{5});
    QCOMPARE(many.size(), std::size_t{9});
    many.resize(5);
    QCOMPARE(many, few);
}

void TstSearches::aGridAboveTheLimitIsRefused()
{
    const std::string large = "parameter { field: 'a' range { min: 0 max: 1 points: 400 } } "
                              "parameter { field: 'b' range { min: 0 max: 1 points: 400 } } ";
    VERIFY_ERROR(makeSearch(experimentOf(large + "grid {}")), "sweep.too_many_runs");
    const std::string half = "parameter { field: 'a' range { min: 0 max: 1 points: 10000 } } ";
    VERIFY_OK(makeSearch(experimentOf(half + "grid {}")));
    VERIFY_ERROR(makeSearch(experimentOf(half + "k_fold { folds: 11 }")), "sweep.too_many_runs");
}

void TstSearches::everyFoldIsHeldBackOnceForEachCombination()
{
    const spec::Experiment experiment = experimentOf(
        "parameter { field: 'train_spec.input.batch_size' choice { value: '8' value: '16' } } "
        "k_fold { folds: 3 seed: 7 stratify: true }");
    std::map<std::int64_t, std::set<std::int64_t>> folds;
    for (const Job& job : jobsOf(experiment, [](const Job&) { return 0.0; })) {
        spec::Experiment run = experiment;
        run.mutable_data()->mutable_split()->mutable_by_column()->set_column("year");
        for (const std::string& override : job.overrides) {
            VERIFY_OK(spec::applyOverride(run, override));
        }
        const spec::FoldSplit& split = run.data().split().fold();
        QCOMPARE(split.folds(), std::int64_t{3});
        QCOMPARE(split.seed(), std::int64_t{7});
        QVERIFY(split.stratify());
        QCOMPARE(run.train_spec().input().batch_size(), job.group == 0 ? 8 : 16);
        QVERIFY(folds[job.group].insert(split.fold()).second);
    }
    const std::set<std::int64_t> all{0, 1, 2};
    QCOMPARE(folds, (std::map<std::int64_t, std::set<std::int64_t>>{{0, all}, {1, all}}));
}

void TstSearches::spreadIsOfEveryMetricThatAllFoldsHave()
{
    const std::vector<MetricSpread> spreads =
        spreadOf({{{"auc", 0.5}, {"loss", 1}}, {{"loss", 2}}, {{"auc", 0.7}, {"loss", 6}}});
    QCOMPARE(spreads.size(), std::size_t{1});
    QCOMPARE(spreads[0].metric, std::string("loss"));
    QCOMPARE(spreads[0].mean, 3.0);
    QCOMPARE(spreads[0].deviation, std::sqrt(7.0));
    QVERIFY(std::isnan(spreadOf({{{"loss", 2}}})[0].deviation));
    QVERIFY(spreadOf({}).empty());
}

void TstSearches::halvingContinuesOneInThree()
{
    const spec::Experiment experiment =
        experimentOf(kParameters + "asha { trials: 27 min_steps: 100 seed: 1 }", 900);
    std::map<std::int64_t, std::set<std::int64_t>> rungs;
    std::map<std::int64_t, double> scores;
    for (const Job& job : jobsOf(experiment, valley)) {
        QVERIFY(rungs[job.key.rung].insert(job.key.trial).second);
        QCOMPARE(*job.maxSteps, job.key.rung == 0 ? 100 : job.key.rung == 1 ? 300 : 900);
        scores[job.key.trial] = valley(job);
    }
    QCOMPARE(rungs[0].size(), std::size_t{27});
    QCOMPARE(rungs.size(), std::size_t{3});
    // Decided before all have ended, some go on that would not have: but no fewer than a third.
    QVERIFY(rungs[1].size() >= 9 && rungs[1].size() <= 14);
    QVERIFY(rungs[2].size() >= 3 && rungs[2].size() <= 6);
    std::vector<std::pair<double, std::int64_t>> order;
    for (const auto& [trial, score] : scores) {
        order.emplace_back(score, trial);
    }
    std::sort(order.begin(), order.end());
    for (std::size_t i = 0; i < 9; ++i) {
        QVERIFY(rungs[1].contains(order[i].second));
    }
    for (std::size_t i = 0; i < 3; ++i) {
        QVERIFY(rungs[2].contains(order[i].second));
    }
}

void TstSearches::halvingContinuesNoneThatDiverged()
{
    const spec::Experiment experiment =
        experimentOf(kParameters + "asha { trials: 9 min_steps: 10 }", 90);
    const std::vector<Job> jobs =
        jobsOf(experiment, [](const Job&) { return std::numeric_limits<double>::infinity(); });
    QCOMPARE(jobs.size(), std::size_t{9});
}

void TstSearches::decisionsDoNotDependOnTheOrderOfResults_data()
{
    QTest::addColumn<QByteArray>("method");
    QTest::newRow("random") << QByteArray("random { trials: 12 }");
    QTest::newRow("asha") << QByteArray("asha { trials: 40 min_steps: 10 reduction_factor: 2 }");
    QTest::newRow("tpe") << QByteArray("tpe { trials: 40 startup_trials: 6 }");
}

void TstSearches::decisionsDoNotDependOnTheOrderOfResults()
{
    QFETCH(QByteArray, method);
    const spec::Experiment experiment = experimentOf(kParameters + method.toStdString(), 160);
    const auto first = saidBy(jobsOf(experiment, valley, 0));
    QVERIFY(first.size() >= 12);
    for (const std::size_t skip : {1, 2, 3}) {
        QCOMPARE(saidBy(jobsOf(experiment, valley, skip)), first);
    }
}

void TstSearches::parzenFindsBetterValuesThanChance()
{
    std::string parameters =
        "parameter { field: 'd' choice { value: 'x' value: 'y' value: 'z' } } ";
    for (const char* name : {"a", "b", "c"}) {
        parameters += "parameter { field: '" + std::string(name) + "' range { min: 0 max: 1 } } ";
    }
    const auto score = [](const Job& job) {
        return std::pow(job.point[1] - 0.2, 2) + std::pow(job.point[2] - 0.7, 2) +
               std::pow(job.point[3] - 0.5, 2) + (job.point[0] == 1 ? 0 : 0.3);
    };
    const auto bestOf = [&](const std::string& method, int seed) {
        double best = std::numeric_limits<double>::infinity();
        for (const Job& job : jobsOf(experimentOf(parameters + method + " { trials: 60 seed: " +
                                                  std::to_string(seed) + " }"),
                                     score)) {
            best = std::min(best, score(job));
        }
        return best;
    };
    double sumOfParzen = 0;
    double sumOfChance = 0;
    for (int seed = 0; seed < 20; ++seed) {
        sumOfParzen += bestOf("tpe", seed);
        sumOfChance += bestOf("random", seed);
    }
    QVERIFY2(sumOfParzen < 0.5 * sumOfChance,
             qPrintable(QString("%1 %2").arg(sumOfParzen).arg(sumOfChance)));
}

void TstSearches::asManyJobsAreOpenAsMayRunAtOnce()
{
    for (const char* method :
         {"tpe { startup_trials: 1 trials: 30 }", "asha { trials: 30 min_steps: 10 }"}) {
        const auto search =
            makeSearch(experimentOf(kParameters + method + " parallel_runs: 3", 1000));
        VERIFY_OK(search);
        (*search)->advance({});
        QCOMPARE((*search)->jobs().size(), std::size_t{3});
        QCOMPARE((*search)->trials(), std::int64_t{30});
    }
}

void TstSearches::anIdentityIsOfWhatTheRunsDependOn()
{
    const auto identity = [](const std::string& method) {
        return sweepIdentity(experimentOf(kParameters + method));
    };
    QCOMPARE(identity("random { trials: 5 } metric: 'auc'"),
             identity("random { trials: 9 } parallel_runs: 2 higher_is_better: true"));
    QVERIFY(identity("random { seed: 1 }") != identity("random { seed: 2 }"));
    QVERIFY(identity("random {}") != identity("grid {}"));
    QCOMPARE(identity("tpe { trials: 5 }"), identity("tpe { trials: 9 }"));
    QVERIFY(identity("tpe {} metric: 'auc'") != identity("tpe {}"));
    QVERIFY(identity("tpe {} parallel_runs: 2") != identity("tpe {}"));
    spec::Experiment named = experimentOf(kParameters + "grid {}");
    named.set_name("another name");
    QCOMPARE(sweepIdentity(named), identity("grid {}"));
    named.mutable_train_spec()->set_max_steps(3);
    QVERIFY(sweepIdentity(named) != identity("grid {}"));
}

CANNERY_TEST(TstSearches)
#include "tst_searches.moc"
