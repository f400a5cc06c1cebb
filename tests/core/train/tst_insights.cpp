// SPDX-License-Identifier: Apache-2.0
#include "storage/tf/events/event_reader.h"
#include "tests/core/train/training_fixture.h"
#include "tests/support/event_values.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QtTest>

#include <cmath>
#include <map>

using namespace cannery;
using cannery::tests::TrainingFixture;

namespace {

constexpr const char* kWithInsights =
    "train_spec { max_steps: 20 input { batch_size: 16 } } eval_spec { throttle_secs: 0 } "
    "run_config { save_checkpoints_steps: 20 save_summary_steps: 5 insights: %s }";

std::string experiment(bool insights)
{
    std::string text(kWithInsights);
    return text.replace(text.find("%s"), 2, insights ? "true" : "false");
}

/// The final state of the model.
std::string weights(const TrainingFixture& fixture)
{
    return TrainingFixture::bytes(fixture.modelDir() + "/model.ckpt-20.data-00000-of-00001");
}

/// Values under "cannery/" by tag and step.
std::map<std::string, std::map<std::int64_t, double>> insights(const std::string& folder)
{
    std::map<std::string, std::map<std::int64_t, double>> found;
    tests::forEachEventValue(folder, [&](std::int64_t step, const storage::EventValue& value) {
        const auto* scalar = std::get_if<float>(&value.value);
        if (value.tag.starts_with("cannery/") && scalar != nullptr) {
            found[value.tag][step] = static_cast<double>(*scalar);
        }
    });
    return found;
}

} // namespace

class TstInsights : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void bitsAreTheSameWithAndWithoutThem();
    void evaluationsLeaveTheMetricsOfTrainingAlone();
    void tagsStandBesideTheSummaries();
    void theyCanBeTurnedOff();
};

void TstInsights::bitsAreTheSameWithAndWithoutThem()
{
    TrainingFixture with;
    TrainingFixture without;
    VERIFY_OK(with.train(experiment(true)));
    VERIFY_OK(without.train(experiment(false)));
    QVERIFY(!weights(with).empty());
    QVERIFY(weights(with) == weights(without));
}

void TstInsights::evaluationsLeaveTheMetricsOfTrainingAlone()
{
    TrainingFixture often;
    TrainingFixture never;
    std::string text = experiment(true);
    VERIFY_OK(never.train(text));
    VERIFY_OK(often.train(
        text.replace(text.find("save_checkpoints_steps: 20"), 26, "save_checkpoints_steps: 2")));
    const auto expected = insights(never.modelDir());
    const auto found = insights(often.modelDir());
    QVERIFY(expected.contains("cannery/train/average_loss"));
    QVERIFY(expected.at("cannery/train/average_loss").size() == 4);
    for (const auto& [tag, values] : expected) {
        if (tag.starts_with("cannery/train/")) {
            QVERIFY2(found.contains(tag) && found.at(tag) == values, tag.c_str());
        }
    }
}

void TstInsights::tagsStandBesideTheSummaries()
{
    TrainingFixture fixture;
    VERIFY_OK(fixture.train(experiment(true)));
    const auto found = insights(fixture.modelDir());
    const std::vector<std::int64_t> steps{1, 6, 11, 16};
    for (const char* tag : {"cannery/gradient_norm", "cannery/memory_mb", "cannery/train/accuracy",
                            "cannery/train/auc", "cannery/train/average_loss"}) {
        QVERIFY2(found.contains(tag), tag);
        std::vector<std::int64_t> written;
        for (const auto& [step, value] : found.at(tag)) {
            written.push_back(step);
            QVERIFY2(std::isfinite(value), tag);
        }
        QVERIFY2(written == steps, tag);
    }
    QVERIFY(found.at("cannery/gradient_norm").at(1) > 0);
    QVERIFY(found.at("cannery/memory_mb").at(1) > 1);
    const double accuracy = found.at("cannery/train/accuracy").at(16);
    QVERIFY(accuracy >= 0 && accuracy <= 1);
    QVERIFY(!found.contains("cannery/train/loss")); // already in `loss`
    QVERIFY(insights(fixture.modelDir() + "/eval").empty());
}

void TstInsights::theyCanBeTurnedOff()
{
    TrainingFixture fixture;
    VERIFY_OK(fixture.train(experiment(false)));
    QVERIFY(insights(fixture.modelDir()).empty());
}

CANNERY_TEST(TstInsights)
#include "tst_insights.moc"
