// SPDX-License-Identifier: Apache-2.0
#include "core/train/records/health_notes.h"
#include "tests/support/test_main.h"

#include <QtTest>

#include <cmath>
#include <limits>

using namespace cannery;
using namespace cannery::train;

namespace {

struct Notes : TrainingObserver
{
    void noted(LogLevel level, std::string_view id, std::string_view sentence) override
    {
        levels.append(static_cast<int>(level));
        ids.append(QString::fromUtf8(id.data(), static_cast<qsizetype>(id.size())));
        text = QString::fromUtf8(sentence.data(), static_cast<qsizetype>(sentence.size()));
        texts.append(text);
    }

    QList<int> levels;
    QStringList ids;
    QStringList texts;
    QString text; ///< of the last one
};

struct SlowClock : Clock
{
    double wallTime() const override { return now; }
    double steadyTime() const override { return now; }
    double now = 0;
};

EvaluationResult evaluation(std::int64_t step, double loss, double accuracy)
{
    return {.globalStep = step, .metrics = {{"accuracy", accuracy}, {"average_loss", loss}}};
}

constexpr int kInfo = static_cast<int>(LogLevel::Info);
constexpr int kWarning = static_cast<int>(LogLevel::Warning);

EvaluationResult regression(std::int64_t step, double error, double guess)
{
    return {.globalStep = step,
            .metrics = {{"average_loss", error * error},
                        {"cannery/rmse", error},
                        {"cannery/rmse_baseline", guess}}};
}

} // namespace

class TstHealthNotes : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aNanLossIsSaidOnceWithTheGoodCheckpoint();
    void anInfiniteLossIsSaidAgainAfterItWasFinite();
    void aRisingEvaluationLossIsSaidWithItsNumbers();
    void noImprovementIsSaidOnceUntilThereIsABetterOne();
    void theBestOfEarlierSessionsCounts();
    void aModelNoBetterThanTheMeanIsSaidAndTakenBack();
    void classesAreComparedWithTheCommonestAndOrderWithACoin();
    void predictionsThatExplodeAreSaid();
    void aRunFarPastItsBestIsSaidAnewWhenItHasDoubled();
    void aPerfectMetricIsNotPastItsBest();
    void evaluationsThatNeverChangeAreDead();
    void zeroGradientsAreDeadUnlessAllIsLearned();
    void waitingForRowsIsSaidAfterAWhile();
    void aFullDiskIsSaidBeforeTheNextCheckpoint();
};

void TstHealthNotes::aNanLossIsSaidOnceWithTheGoodCheckpoint()
{
    Notes notes;
    HealthNotes health(
        {.sink = &notes, .freeBytes = [](const std::string&) { return std::nullopt; }});
    health.checkpointsChanged({{.globalStep = 40, .bytes = 10}});
    health.stepDone(41, 0.5);
    health.stepDone(42, std::nan(""));
    health.stepDone(43, std::nan(""));
    QCOMPARE(notes.ids, QStringList{"health.nan_loss"});
    QCOMPARE(notes.levels, QList<int>{static_cast<int>(LogLevel::Error)});
    QVERIFY2(notes.text.contains("step 42") && notes.text.contains("step 40 is good"),
             qPrintable(notes.text));
}

void TstHealthNotes::anInfiniteLossIsSaidAgainAfterItWasFinite()
{
    Notes notes;
    HealthNotes health({.sink = &notes});
    const double infinity = std::numeric_limits<double>::infinity();
    for (const double loss : {infinity, infinity, 1.0, infinity}) {
        health.stepDone(1, loss);
    }
    QCOMPARE(notes.ids, (QStringList{"health.infinite_loss", "health.infinite_loss"}));
}

void TstHealthNotes::aRisingEvaluationLossIsSaidWithItsNumbers()
{
    Notes notes;
    HealthNotes health({.sink = &notes, .stalledEvaluations = 100});
    const double losses[] = {0.5, 0.4, 0.41, 0.42, 0.43, 0.44, 0.3, 0.31, 0.32};
    for (std::size_t i = 0; i < std::size(losses); ++i) {
        health.evaluated(evaluation(static_cast<std::int64_t>(100 * (i + 1)), losses[i], 0.9));
    }
    QCOMPARE(notes.ids, (QStringList{"health.rising_eval_loss", "health.rising_eval_loss"}));
    QVERIFY2(notes.texts[0].contains("from 0.4 at step 200 to 0.43 at step 500"),
             qPrintable(notes.texts[0]));
    QCOMPARE(notes.texts[1], QString("The evaluation loss has fallen again, to 0.3 at step 700."));
    health.evaluated(evaluation(1000, 0.33, 0.9));
    QCOMPARE(notes.levels, (QList<int>{kWarning, kInfo, kWarning}));
}

void TstHealthNotes::noImprovementIsSaidOnceUntilThereIsABetterOne()
{
    Notes notes;
    HealthNotes health({.sink = &notes, .stalledEvaluations = 2, .farPastBest = 1});
    double loss = 1;
    std::int64_t step = 0;
    for (const double accuracy : {0.8, 0.8, 0.7, 0.75, 0.9, 0.9, 0.85}) {
        health.evaluated(evaluation(step += 10, loss *= 0.9, accuracy));
    }
    QCOMPARE(notes.ids, (QStringList{"health.no_improvement", "health.no_improvement",
                                     "health.no_improvement"}));
    QCOMPARE(notes.levels, (QList<int>{kWarning, kInfo, kWarning}));
    QCOMPARE(notes.texts[1], QString("accuracy is best at step 50 now (0.9)."));
    QVERIFY2(notes.text.startsWith("accuracy was best at step 50 (0.9)"), qPrintable(notes.text));
}

void TstHealthNotes::theBestOfEarlierSessionsCounts()
{
    Notes notes;
    HealthNotes health({.sink = &notes, .risingEvaluations = 100, .stalledEvaluations = 2});
    health.remember(400, 0.95);
    health.evaluated(evaluation(500, 0.5, 0.8));
    health.evaluated(evaluation(600, 0.4, 0.9));
    QCOMPARE(notes.ids, QStringList{"health.no_improvement"});
    QVERIFY2(notes.text.startsWith("accuracy was best at step 400 (0.95); 2 evaluations since"),
             qPrintable(notes.text));
}

void TstHealthNotes::aModelNoBetterThanTheMeanIsSaidAndTakenBack()
{
    Notes notes;
    HealthNotes health({.sink = &notes});
    health.evaluated(regression(100, 12.0, 10.0));
    QCOMPARE(notes.ids, QStringList());
    health.evaluated(regression(200, 11.5, 10.0));
    QCOMPARE(notes.ids, QStringList{"health.worse_than_guess"});
    QCOMPARE(notes.text,
             QString("The model is no better than one that guesses the mean: cannery/rmse is 11.5 "
                     "against 10 at step 200. Lower the learning rate, train longer, or look at "
                     "the columns."));
    health.evaluated(regression(300, 11.0, 10.0));
    QCOMPARE(notes.ids.size(), 1);
    health.evaluated(regression(400, 9.0, 10.0));
    QCOMPARE(notes.levels, (QList<int>{kWarning, kInfo}));
    QCOMPARE(notes.text, QString("cannery/rmse is better than that of a model that guesses the "
                                 "mean again, 9 against 10 at step 400."));
}

void TstHealthNotes::classesAreComparedWithTheCommonestAndOrderWithACoin()
{
    Notes notes;
    HealthNotes health({.sink = &notes, .guessEvaluations = 1});
    health.evaluated(
        {.globalStep = 10, .metrics = {{"accuracy", 0.4}, {"cannery/accuracy_baseline", 0.4}}});
    QVERIFY2(notes.text.startsWith("The model is no better than one that always predicts the most "
                                   "frequent class: accuracy is 0.4 against 0.4 at step 10."),
             qPrintable(notes.text));
    HealthNotes coin({.sink = &notes, .guessEvaluations = 1});
    coin.evaluated({.globalStep = 20, .metrics = {{"accuracy", 0.98}, {"auc", 0.49}}});
    QVERIFY2(notes.text.startsWith("The model is no better than one that tosses a coin: auc is "
                                   "0.49 against 0.5 at step 20."),
             qPrintable(notes.text));
}

void TstHealthNotes::predictionsThatExplodeAreSaid()
{
    Notes notes;
    HealthNotes health({.sink = &notes, .guessEvaluations = 100});
    health.evaluated(regression(100, 990, 10.0));
    QCOMPARE(notes.ids, QStringList());
    health.evaluated(regression(200, 5e6, 10.0));
    QCOMPARE(notes.ids, QStringList{"health.exploded_inputs"});
    QCOMPARE(notes.text, QString("Predictions are off by 5e+05 times the labels' deviation at step "
                                 "200: an input value may be extreme; 'cannery check' names it."));
    health.evaluated(regression(300, 20, 10.0));
    QCOMPARE(notes.levels, (QList<int>{kWarning, kInfo}));
}

void TstHealthNotes::aRunFarPastItsBestIsSaidAnewWhenItHasDoubled()
{
    Notes notes;
    HealthNotes health({.sink = &notes, .risingEvaluations = 1000, .stalledEvaluations = 3});
    for (std::int64_t step = 100; step <= 1700; step += 100) {
        health.evaluated(
            evaluation(step, 1.0 / static_cast<double>(step), step == 200 ? 0.9 : 0.8));
    }
    // Three evaluations past step 200, then twice that, and again.
    QCOMPARE(notes.ids.count("health.far_past_best"), 3);
    QCOMPARE(notes.text,
             QString("The run is 1200 steps past its best: accuracy was 0.9 at step 200 "
                     "and is 0.8 at step 1400. It can be stopped; the best checkpoint "
                     "is the one to keep."));
    health.evaluated(evaluation(1800, 0.0001, 0.95));
    QCOMPARE(notes.ids.last(), QString("health.far_past_best"));
    QCOMPARE(notes.text, QString("accuracy is best at step 1800 now (0.95)."));
}

void TstHealthNotes::aPerfectMetricIsNotPastItsBest()
{
    Notes notes;
    HealthNotes health({.sink = &notes, .stalledEvaluations = 3});
    double loss = 0.5;
    for (std::int64_t step = 100; step <= 2000; step += 100) {
        // An area under a curve is rounded.
        health.evaluated(evaluation(step, loss *= 0.9, step == 100 ? 1.0 : 0.9999999));
    }
    QCOMPARE(notes.ids, QStringList());
    // If the loss rises meanwhile, it is said that the metric stands still, not that it was better.
    for (std::int64_t step = 2100; step <= 2600; step += 100) {
        health.evaluated(evaluation(step, 0.6, 1.0));
    }
    QVERIFY(notes.ids.contains("health.no_improvement"));
    QVERIFY(!notes.ids.contains("health.far_past_best"));
}

void TstHealthNotes::evaluationsThatNeverChangeAreDead()
{
    Notes notes;
    HealthNotes health({.sink = &notes, .stalledEvaluations = 100});
    for (std::int64_t step = 1; step < 6; ++step) {
        health.evaluated(evaluation(step, 0.6931, 0.5));
    }
    QCOMPARE(notes.ids, QStringList{"health.dead_loss"});
    QVERIFY2(notes.text.contains("0.6931") && notes.text.contains("step 3"),
             qPrintable(notes.text));
}

void TstHealthNotes::zeroGradientsAreDeadUnlessAllIsLearned()
{
    Notes notes;
    HealthNotes health({.sink = &notes});
    for (const double norm : {0.0, 0.0, 0.1, 0.0, 0.0}) {
        health.scalarLogged("", "cannery/gradient_norm", 1, norm);
    }
    QCOMPARE(notes.ids.size(), 0);
    health.scalarLogged("", "cannery/gradient_norm", 900, 0);
    QCOMPARE(notes.ids, QStringList{"health.dead_loss"});
    Notes learned;
    HealthNotes done({.sink = &learned});
    done.evaluated(evaluation(1, 0, 1));
    for (int i = 0; i < 5; ++i) {
        done.scalarLogged("", "cannery/gradient_norm", i, 0);
        done.scalarLogged("eval", "cannery/gradient_norm", i, 0);
    }
    QCOMPARE(learned.ids.size(), 0);
}

void TstHealthNotes::waitingForRowsIsSaidAfterAWhile()
{
    Notes notes;
    SlowClock clock;
    HealthNotes health({.sink = &notes, .clock = &clock});
    const auto wait = [&](double seconds, double share) {
        clock.now += seconds;
        health.progressed({.globalStep = 7, .inputWait = share});
    };
    wait(0, 0.5);
    wait(9, 0.5);
    QCOMPARE(notes.ids.size(), 0);
    wait(1, 0.4);
    wait(1, 0.4);
    QCOMPARE(notes.ids, QStringList{"health.input_bound"});
    QVERIFY2(notes.text.contains("40 %"), qPrintable(notes.text));
    wait(1, 0.25); // not yet over
    wait(20, 0.5);
    wait(20, 0.5);
    QCOMPARE(notes.ids.size(), 1);
    wait(1, 0.1);
    QCOMPARE(notes.text, QString("Input keeps up again (step 7)."));
    wait(1, 0.5);
    wait(11, 0.5);
    QCOMPARE(notes.levels, (QList<int>{kWarning, kInfo, kWarning}));
}

void TstHealthNotes::aFullDiskIsSaidBeforeTheNextCheckpoint()
{
    Notes notes;
    std::uint64_t left = 1000;
    HealthNotes health({.sink = &notes, .folder = "/run", .freeBytes = [&](const std::string&) {
                            return std::optional(left);
                        }});
    const std::vector<storage::RunCheckpoint> saved{{.globalStep = 5, .bytes = 400000000}};
    left = 900000000;
    health.checkpointsChanged(saved);
    QCOMPARE(notes.ids.size(), 0);
    left = 700000000;
    health.checkpointsChanged(saved);
    health.checkpointsChanged(saved);
    QCOMPARE(notes.ids, QStringList{"health.disk_nearly_full"});
    QVERIFY2(notes.text.contains("700.0 MB") && notes.text.contains("400.0 MB"),
             qPrintable(notes.text));
    left = 900000000;
    health.checkpointsChanged(saved);
    QCOMPARE(notes.levels, (QList<int>{kWarning, kInfo}));
    QCOMPARE(notes.text, QString("There is enough space on the run's disk again."));
}

CANNERY_TEST(TstHealthNotes)
#include "tst_health_notes.moc"
