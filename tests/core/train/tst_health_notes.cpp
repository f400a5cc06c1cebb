#include "core/train/health_notes.h"
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
    }

    QList<int> levels;
    QStringList ids;
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

} // namespace

class TstHealthNotes : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aNanLossIsSaidOnceWithTheGoodCheckpoint();
    void anInfiniteLossIsSaidAgainAfterItWasFinite();
    void aRisingEvaluationLossIsSaidWithItsNumbers();
    void noImprovementIsSaidOnceUntilThereIsABetterOne();
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
    QCOMPARE(notes.ids, QStringList{"health.rising_eval_loss"});
    QVERIFY2(notes.text.contains("from 0.4 at step 200 to 0.43 at step 500"),
             qPrintable(notes.text));
    health.evaluated(evaluation(1000, 0.33, 0.9));
    QCOMPARE(notes.ids.size(), 2);
}

void TstHealthNotes::noImprovementIsSaidOnceUntilThereIsABetterOne()
{
    Notes notes;
    HealthNotes health({.sink = &notes, .stalledEvaluations = 2});
    double loss = 1;
    std::int64_t step = 0;
    for (const double accuracy : {0.8, 0.8, 0.7, 0.75, 0.9, 0.9, 0.85}) {
        health.evaluated(evaluation(step += 10, loss *= 0.9, accuracy));
    }
    QCOMPARE(notes.ids, (QStringList{"health.no_improvement", "health.no_improvement"}));
    QVERIFY2(notes.text.startsWith("accuracy was best at step 50 (0.9)"), qPrintable(notes.text));
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
    wait(1, 0.5);
    wait(11, 0.5);
    QCOMPARE(notes.ids.size(), 2);
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
}

CANNERY_TEST(TstHealthNotes)
#include "tst_health_notes.moc"
