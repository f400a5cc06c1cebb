// SPDX-License-Identifier: Apache-2.0
#include "core/plan/memory_limit.h"
#include "core/spec/text/parsed_experiment.h"
#include "tests/core/train/training_fixture.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <fstream>

using namespace cannery;
using namespace cannery::train;
using cannery::tests::TrainingFixture;

namespace {

constexpr const char* kRecurrent = R"(
data { train { csv { files: "steps.csv" } } label { column: "label" }
  feature { name: "force" split { column: "force" separator: "|" dtype: float32 } } }
feature_column { name: "force" sequence_numeric_column { key: "force" } }
estimator { rnn_classifier { units: 100 cell_type: lstm sequence_feature_columns: "force" } }
train_spec { max_steps: 2 input { batch_size: 4 } }
)";

/// Rows of 2 steps, and some that are longer.
Result<TrainReport> trainOn(const TrainingFixture& fixture, int longRows, int steps)
{
    std::ofstream table(fixture.path("steps.csv"));
    table << "force,label\n";
    for (int row = 0; row < 20; ++row) {
        table << "0.5";
        for (int step = 1; step < (row < longRows ? steps : 2); ++step) {
            table << "|" << step % 7;
        }
        table << "," << row % 2 << "\n";
    }
    table.close();
    TrainRequest request = fixture.request("");
    const spec::ParsedExperiment parsed = spec::parseExperiment(std::string(kRecurrent));
    if (spec::hasErrors(parsed.problems)) {
        qFatal("%s", parsed.problems.front().error.message().c_str());
    }
    request.experiment = parsed.experiment;
    return trainAndEvaluate(request);
}

} // namespace

/// What sequences take of the memory, which the rows alone tell.
class TstSequenceSteps : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init() { qputenv(plan::kMemoryVariable, "60000000"); }
    void cleanup() { qunsetenv(plan::kMemoryVariable); }
    void sequencesThatFitAreTrained();
    void aBatchOfLongSequencesIsRefusedBeforeTheFirstStep();
    void aBatchCountsItsLongestRowsOnly();
};

void TstSequenceSteps::sequencesThatFitAreTrained()
{
    const TrainingFixture fixture;
    VERIFY_OK(trainOn(fixture, 4, 100));
}

void TstSequenceSteps::aBatchOfLongSequencesIsRefusedBeforeTheFirstStep()
{
    const TrainingFixture fixture;
    const auto refused = trainOn(fixture, 4, 5000);
    QVERIFY(!refused);
    QCOMPARE(refused.error().id, "plan.too_large");
    QVERIFY(TrainingFixture::steps(fixture.modelDir()).empty());
}

/// Not as many steps in every row as in the longest, as TensorFlow pads them.
void TstSequenceSteps::aBatchCountsItsLongestRowsOnly()
{
    const TrainingFixture fixture;
    VERIFY_OK(trainOn(fixture, 1, 5000));
}

CANNERY_TEST(TstSequenceSteps)
#include "tst_sequence_steps.moc"
