// SPDX-License-Identifier: Apache-2.0
#include "core/advice/model_family.h"
#include "core/advice/trial_count.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <utility>
#include <vector>

using namespace cannery;
using namespace cannery::advice;

/// What a search tells while it tries models, and what can be asked for.
class TstTrialCount : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void modelsAreCountedOnce();
    void jobsCountAsPartsOfTheirModels();
    void moreModelsThanExpectedAreAll();
    void everyChoiceOfAnEstimatorIsKnown();
    void unknownEstimatorsHaveASuggestion();

private:
    std::vector<std::pair<int, int>> m_told;
    TrialCount m_count{[this](int tried, int all) { m_told.emplace_back(tried, all); }};
};

void TstTrialCount::modelsAreCountedOnce()
{
    m_count.expect(4);
    m_count.add(1);
    m_count.add(0);
    m_count.expect(2);
    m_count.add(3);
    QCOMPARE(m_told, (std::vector<std::pair<int, int>>{{1, 4}, {4, 6}}));
    TrialCount silent({});
    silent.expect(1);
    silent.add(1);
}

void TstTrialCount::jobsCountAsPartsOfTheirModels()
{
    m_told.clear();
    TrialCount count([this](int tried, int all) { m_told.emplace_back(tried, all); });
    count.expect(10);
    count.begin(10, 5);
    count.finishJob(0);
    count.finishJob(1); // of another thread, which reports nothing
    count.finishJob(0);
    count.end();
    QCOMPARE(m_told, (std::vector<std::pair<int, int>>{{2, 10}, {6, 10}, {10, 10}}));
}

void TstTrialCount::moreModelsThanExpectedAreAll()
{
    m_told.clear();
    TrialCount count([this](int tried, int all) { m_told.emplace_back(tried, all); });
    count.expect(1);
    count.add(3);
    QCOMPARE(m_told, (std::vector<std::pair<int, int>>{{3, 3}}));
}

void TstTrialCount::everyChoiceOfAnEstimatorIsKnown()
{
    for (const std::string& name : estimatorChoices()) {
        const auto choice = chooseEstimator(name);
        VERIFY_OK(choice);
        QCOMPARE(choice->family.has_value(), name != "auto");
        QCOMPARE(choice->classifier.value_or(false), name.ends_with("_classifier"));
        QCOMPARE(choice->classifier.has_value(),
                 name.ends_with("_classifier") || name.ends_with("_regressor"));
        if (choice->family) {
            QVERIFY2(name.starts_with(familyName(*choice->family)), name.c_str());
        }
    }
    QVERIFY(!chooseEstimator("")->family);
    QVERIFY(*chooseEstimator("dnn_linear_combined")->family == ModelFamily::Combined);
    QVERIFY(needsNoLabel("kmeans") && !needsNoLabel("linear") && !needsNoLabel(""));
}

void TstTrialCount::unknownEstimatorsHaveASuggestion()
{
    const auto wrong = chooseEstimator("dnn_clasifier");
    VERIFY_ERROR(wrong, "command.usage.unknown_estimator");
    QVERIFY2(wrong.error().sentence.find("dnn_classifier") != std::string::npos,
             wrong.error().sentence.c_str());
    VERIFY_ERROR(chooseEstimator("kmeans_classifier_"), "command.usage.unknown_estimator");
}

CANNERY_TEST(TstTrialCount)
#include "tst_trial_count.moc"
