// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/test_main.h"
#include "ui/models/hash_collisions.h"

#include <QTest>

#include <cmath>

using namespace cannery::ui;

class TstHashCollisions : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void theFormulasAreThoseOfThrowingValuesAtBuckets();
    void smallCasesAreThoseThatAreCountedByHand();
    void suggestionsKeepSharingRare();
    void sizesOfEmbeddingsFollowTheRuleOfThumb();
};

void TstHashCollisions::theFormulasAreThoseOfThrowingValuesAtBuckets()
{
    QCOMPARE(expectedBucketsUsed(16, 100), 100 * (1 - std::pow(0.99, 16)));
    QCOMPARE(expectedSharing(212, 1000), 1 - std::pow(0.999, 211));
    // About n²/2b pairs collide if buckets are many.
    QVERIFY(std::abs(expectedSharing(1000, 1e12) - 999e-12) < 1e-15);
}

void TstHashCollisions::smallCasesAreThoseThatAreCountedByHand()
{
    // Of the four ways to throw two values at two buckets, two share one.
    QCOMPARE(expectedSharing(2, 2), 0.5);
    QCOMPARE(expectedBucketsUsed(2, 2), 1.5);
    QCOMPARE(expectedSharing(1, 10), 0.0);
    QCOMPARE(expectedSharing(0, 10), 0.0);
    QCOMPARE(expectedSharing(5, 1), 1.0);
    QCOMPARE(expectedBucketsUsed(5, 1), 1.0);
    QCOMPARE(expectedBucketsUsed(0, 7), 0.0);
    QCOMPARE(expectedSharing(5, 0), 0.0);
}

void TstHashCollisions::suggestionsKeepSharingRare()
{
    QCOMPARE(suggestedBuckets(1), 10);
    QCOMPARE(suggestedBuckets(2), 10);
    QCOMPARE(suggestedBuckets(6), 50);
    QCOMPARE(suggestedBuckets(16), 500);
    for (const double values : {3, 30, 300, 3000}) {
        QVERIFY(expectedSharing(values, suggestedBuckets(values)) <= 0.1);
    }
    QCOMPARE(suggestedBuckets(1e9), 1'000'000);
}

void TstHashCollisions::sizesOfEmbeddingsFollowTheRuleOfThumb()
{
    QCOMPARE(embeddingSize(0), 1);
    QCOMPARE(embeddingSize(1), 2);
    QCOMPARE(embeddingSize(7), 5);
    QCOMPARE(embeddingSize(1000), 77);
    QCOMPARE(embeddingSize(1e9), 600);
}

CANNERY_TEST(TstHashCollisions)
#include "tst_hash_collisions.moc"
