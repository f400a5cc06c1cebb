// SPDX-License-Identifier: Apache-2.0
#include "core/advice/feature_names.h"
#include "core/spec/tensorflow_names.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <set>

using namespace cannery;
using namespace cannery::advice;

class TstFeatureNames : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void plainNamesStay();
    void othersAreToldApart_data();
    void othersAreToldApart();
    void featureColumnsHaveNamesOfTheirOwn();
};

void TstFeatureNames::plainNamesStay()
{
    const std::vector<std::string> columns{"age", "sepal length (cm)", "a/b", "Age", "x1", "9"};
    const FeatureNames names(columns);
    for (const std::string& column : columns) {
        QVERIFY2(!names.isRenamed(column), column.c_str());
    }
}

void TstFeatureNames::othersAreToldApart_data()
{
    QTest::addColumn<QStringList>("columns");
    QTest::addColumn<QStringList>("features");
    QTest::newRow("units") << QStringList{"size [mm]", "size (mm)", "size {mm}"}
                           << QStringList{"size [mm]", "size_mm", "size_mm_2"};
    QTest::newRow("scripts") << QStringList{"年龄", "城市", "доход"}
                             << QStringList{"column_1", "column_2", "column_3"};
    QTest::newRow("taken number") << QStringList{"年龄", "column_1"}
                                  << QStringList{"column_1_2", "column_1"};
    QTest::newRow("umlaut") << QStringList{"Größe", "Gr__e"} << QStringList{"Gr_e", "Gr__e"};
    QTest::newRow("line break") << QStringList{"a\nb", "a b"} << QStringList{"a_b_2", "a b"};
    QTest::newRow("derived") << QStringList{"x", "x_bucketized", "x_indicator"}
                             << QStringList{"x", "x_bucketized_2", "x_indicator_2"};
    QTest::newRow("long") << QStringList{QString(300, 'n')} << QStringList{QString(200, 'n')};
    QTest::newRow("digits in another script") << QStringList{"2 年"} << QStringList{"column_1"};
}

void TstFeatureNames::othersAreToldApart()
{
    QFETCH(QStringList, columns);
    QFETCH(QStringList, features);
    std::vector<std::string> given;
    for (const QString& column : columns) {
        given.push_back(column.toStdString());
    }
    const FeatureNames names(given);
    std::set<std::string> scopes;
    for (qsizetype i = 0; i < columns.size(); ++i) {
        const std::string& feature = names.featureOf(given[static_cast<std::size_t>(i)]);
        QCOMPARE(QString::fromStdString(feature), features[i]);
        QVERIFY(scopes.insert(spec::scopeSafe(feature)).second);
    }
}

void TstFeatureNames::featureColumnsHaveNamesOfTheirOwn()
{
    FeatureNames names({"x", "x_raw"});
    QCOMPARE(names.columnName("x_raw"), std::string("x_raw_2"));
    QCOMPARE(names.columnName("x_buckets"), std::string("x_buckets"));
    QCOMPARE(names.columnName("x_buckets"), std::string("x_buckets_2"));
}

CANNERY_TEST(TstFeatureNames)
#include "tst_feature_names.moc"
