// SPDX-License-Identifier: Apache-2.0
#include "core/base/catalog.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace cannery;

class TstCatalog : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void findsTheNearestName();
    void listsKnownNamesWhenNoneIsNear();
};

void TstCatalog::findsTheNearestName()
{
    const std::vector<std::string> known{"hidden_units", "feature_columns", "dropout"};
    QCOMPARE(nearestName("hiden_units", known), std::string("hidden_units"));
    QCOMPARE(nearestName("Dropout", known), std::string("dropout"));
    QCOMPARE(nearestName("trian", {"train", "runs"}), std::string("train"));
    QCOMPARE(nearestName("zebra", known), std::string());
    // A known name has no spelling problem.
    QCOMPARE(nearestName("label", {"label"}), std::string());
    QCOMPARE(nearestName("label", {"label", "labels"}), std::string("labels"));
}

void TstCatalog::listsKnownNamesWhenNoneIsNear()
{
    QCOMPARE(suggestion("zebra", {"one", "two"}), std::string(" Known: one, two."));
    QCOMPARE(suggestion("on", {"one", "two"}), std::string(" Did you mean 'one'?"));
    QCOMPARE(suggestion("x", {}), std::string());
}

CANNERY_TEST(TstCatalog)
#include "tst_catalog.moc"
