// SPDX-License-Identifier: Apache-2.0
#include "core/trees/importance.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <numeric>

using namespace cannery;
using trees::Contributions;
using trees::Ensemble;
using trees::FeatureTable;
using trees::SplitKind;

class TstImportance : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void gainsAddUpByFeature();
    void contributionsAddUpToThePrediction();
};

namespace {

/// A bias of 1, then splits of both features.
Ensemble twoTrees()
{
    Ensemble ensemble;
    trees::Tree first;
    first.nodes = {{.kind = SplitKind::Bucket,
                    .feature = 1,
                    .left = 1,
                    .right = 2,
                    .gain = 3.0F,
                    .value = {1.0F}},
                   {.value = {2.0F}},
                   {.kind = SplitKind::Bucket,
                    .feature = 0,
                    .left = 3,
                    .right = 4,
                    .gain = 1.0F,
                    .value = {-1.0F}},
                   {.value = {-2.0F}},
                   {.value = {0.5F}}};
    trees::Tree second;
    second.nodes = {{.kind = SplitKind::Bucket, .feature = 0, .left = 1, .right = 2, .gain = 2.0F},
                    {.value = {0.25F}},
                    {.value = {4.0F}}};
    second.weight = 0.5F;
    ensemble.trees = {first, second};
    return ensemble;
}

} // namespace

void TstImportance::gainsAddUpByFeature()
{
    QCOMPARE(trees::gainsOf(twoTrees(), 3), (std::vector<double>{2.0, 3.0, 0.0}));
}

void TstImportance::contributionsAddUpToThePrediction()
{
    const FeatureTable table{
        .rows = 1,
        .firstColumns = {0, 1, 2},
        .columns = {{.buckets = {1}, .numbers = {}}, {.buckets = {1}, .numbers = {}}}};
    Contributions contributions;
    trees::contributionsOf(
        twoTrees(), table, 0, [](float logit) { return 2.0F * logit; }, contributions);
    QCOMPARE(contributions.bias, 2.0F);
    // Root 1 to -1 by feature 1; -1 to 0.5, and 0 to 0.5 * 4, by feature 0.
    QCOMPARE(contributions.features, (std::vector<float>{3.0F + 4.0F, -4.0F}));
}

CANNERY_TEST(TstImportance)

#include "tst_importance.moc"
