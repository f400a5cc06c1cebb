// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/input/experiment_input.h"
#include "core/base/result.h"
#include "core/data/dataset.h"
#include "core/survey/label_groups.h"
#include "core/survey/spread_rows.h"
#include "core/survey/table_components.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <string>
#include <vector>

using namespace cannery;
using namespace cannery::app;
using namespace cannery::survey;

namespace {

const std::string kExperiment = "name: \"e\" data { train { csv { files: \"t.csv\" } } label { "
                                "column: \"label\" } } train_spec { max_steps: 1 } "
                                "estimator { linear_classifier { feature_columns: [\"a\"] } } ";
const std::string kPlainColumn = "feature_column { name: \"a\" numeric_column { key: \"a\" } }";

void write(const QString& file, const std::string& text)
{
    QFile out(file);
    if (!out.open(QIODevice::WriteOnly) || out.write(text.c_str()) < 0) {
        qFatal("cannot write %s", qPrintable(file));
    }
}

Result<TableComponents> componentsIn(const std::string& table,
                                     const std::string& columns = kPlainColumn)
{
    const QTemporaryDir folder;
    write(folder.filePath("t.csv"), table);
    write(folder.filePath("e.cannery"), kExperiment + columns);
    const ExperimentReport report =
        checkExperimentFile(folder.filePath("e.cannery").toStdString(), {});
    CANNERY_TRY_ASSIGN(const data::Dataset dataset,
                       data::Dataset::open(report.experiment.data(), report.folder.string(),
                                           data::DataPart::Train));
    return componentsOf(report.experiment, report.folder, dataset, {});
}

/// Rows of a label, a number per column and one that is always 7. `a` and `b` rise together, `c`
/// has nothing in common with them.
std::string rising(int rows)
{
    std::string table = "label,a,b,c,always\n";
    for (int row = 0; row < rows; ++row) {
        const double up = row + (row % 2 == 0 ? 0.25 : -0.25);
        table += std::to_string(row % 2) + "," + std::to_string(row) + ".5," +
                 std::to_string(1000 * up) + "," + std::to_string((row * 7) % 5) + ".25,7.5\n";
    }
    return table;
}

} // namespace

class TstTableComponents : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void columnsThatRiseTogetherShareAComponent();
    void unitsDoNotMatter();
    void aMissingCellIsTheMeanOrWhatTheExperimentSays();
    void fewerRowsThanColumnsAreCompared();
    void whatIsNotNumericSaysWhy();
    void peopleReadHowManyAreLeftOut();
    void aTableWithoutDifferencesIsRefused_data();
    void aTableWithoutDifferencesIsRefused();
    void labelsAreGroupedByTheirClasses();
    void manyLabelsFallIntoQuarters();
    void manyTextsEndWithTheOthers();
    void rowsAreSpreadOverTheTable_data();
    void rowsAreSpreadOverTheTable();
};

void TstTableComponents::columnsThatRiseTogetherShareAComponent()
{
    const Result<TableComponents> found = componentsIn(rising(200));
    VERIFY_OK(found);
    QCOMPARE(found->rows, std::uint64_t(200));
    QCOMPARE(found->columns.size(), std::size_t(3));
    QCOMPARE(found->constant, std::vector<std::string>{"always"});
    QCOMPARE(found->label, std::string("label"));
    QCOMPARE(found->components.variances.size(), std::size_t(3));
    // Three columns of variance 1, two of which are nearly one.
    QVERIFY(std::fabs(found->components.totalVariance - 3) < 1e-9);
    QVERIFY(std::fabs(shareOf(found->components, 0) - 2.0 / 3) < 1e-2);
    QVERIFY(std::fabs(found->columns[0].loadings[0] - 1) < 1e-2);
    QVERIFY(std::fabs(found->columns[1].loadings[0] - 1) < 1e-2);
    QVERIFY(std::fabs(found->columns[2].loadings[0]) < 0.1);
    QVERIFY(std::fabs(found->columns[2].loadings[1]) > 0.99);
    // The squares of a column's correlations are its whole variance.
    for (const TableComponents::Column& column : found->columns) {
        double squares = 0;
        for (const double loading : column.loadings) {
            squares += loading * loading;
        }
        QVERIFY(std::fabs(squares - 1) < 1e-9);
    }
}

void TstTableComponents::unitsDoNotMatter()
{
    const Result<TableComponents> found =
        componentsIn("label,a,b\n0,1.5,1e-30\n1,2.5,2e-30\n0,3.5,3e-30\n1,9.5,9e-30\n");
    VERIFY_OK(found);
    QCOMPARE(found->components.variances.size(), std::size_t(1));
    QVERIFY(std::fabs(found->components.variances[0] - 2) < 1e-9);
    QVERIFY(std::fabs(found->columns[1].loadings[0] - 1) < 1e-9);
}

void TstTableComponents::aMissingCellIsTheMeanOrWhatTheExperimentSays()
{
    // Of 1, 2, 6: mean 3, deviation sqrt(14/3).
    const std::string table = "label,a\n0,1.0\n1,2.0\n0,\n1,6.0\n0,nan\n";
    const Result<TableComponents> mean = componentsIn(table);
    VERIFY_OK(mean);
    QCOMPARE(mean->columns[0].mean, 3.0);
    QCOMPARE(mean->columns[0].missing, std::uint64_t(2));
    QVERIFY(std::fabs(mean->columns[0].deviation - std::sqrt(14.0 / 3)) < 1e-12);
    QVERIFY(std::fabs(mean->points[2]) < 1e-12);
    QVERIFY(std::fabs(mean->points[4]) < 1e-12);
    const Result<TableComponents> known = componentsIn(
        table, "feature_column { name: \"a\" numeric_column { key: \"a\" default_value: 30 "
               "normalizer { z_score {} } } }");
    VERIFY_OK(known);
    QCOMPARE(known->columns[0].mean, 3.0);
    const double apart = known->points[2] - known->points[0];
    QVERIFY2(std::fabs(apart - 29 / std::sqrt(14.0 / 3)) < 1e-9,
             qPrintable(QString::number(apart)));
}

void TstTableComponents::fewerRowsThanColumnsAreCompared()
{
    const Result<TableComponents> found =
        componentsIn("label,a,b,c,d\n0,1.5,2.5,9.5,0.5\n1,2.5,2.5,1.5,0.75\n0,0.5,7.5,1.5,4.5\n");
    VERIFY_OK(found);
    QCOMPARE(found->columns.size(), std::size_t(4));
    QCOMPARE(found->components.variances.size(), std::size_t(2));
    QVERIFY(std::fabs(shareOf(found->components, 0) + shareOf(found->components, 1) - 1) < 1e-9);
    QCOMPARE(found->points.size(), std::size_t(6));
}

void TstTableComponents::whatIsNotNumericSaysWhy()
{
    std::string table = "label,a,place,row,words\n";
    for (int row = 0; row < 40; ++row) {
        table += std::to_string(row % 2) + "," + std::to_string(row * 7 % 11) + ".5," +
                 (row % 2 == 0 ? "here" : "there") + "," + std::to_string(row) + ",same\n";
    }
    const Result<TableComponents> found = componentsIn(table);
    VERIFY_OK(found);
    QCOMPARE(found->columns.size(), std::size_t(1));
    QCOMPARE(found->others.size(), std::size_t(3));
    QCOMPARE(found->others[0].name, std::string("place"));
    QVERIFY(found->others[0].why.starts_with("category: "));
    QVERIFY(found->others[1].why.starts_with("identifier: "));
    QCOMPARE(found->others[2].why, std::string("texts"));
}

void TstTableComponents::peopleReadHowManyAreLeftOut()
{
    const Result<TableComponents> found = componentsIn(rising(200));
    VERIFY_OK(found);
    QCOMPARE(componentsLines(*found).front(),
             std::string("3 numeric columns of 200 rows (left out: 1 with one value only):"));
    TableComponents wide = *found;
    wide.beyond = {"a", "b"};
    QCOMPARE(componentsLines(wide).front(),
             std::string("3 numeric columns of 200 rows (left out: 1 with one value only, 2 after "
                         "the first 400):"));
}

void TstTableComponents::aTableWithoutDifferencesIsRefused_data()
{
    QTest::addColumn<QByteArray>("table");
    QTest::newRow("texts") << QByteArray("label,a\n0,red\n1,blue\n0,red\n1,blue\n");
    QTest::newRow("always the same") << QByteArray("label,a\n0,1.5\n1,1.5\n");
    QTest::newRow("one row") << QByteArray("label,a,b\n0,1.5,2.5\n");
    QTest::newRow("no finite number") << QByteArray("label,a\n0,nan\n1,inf\n0,-inf\n");
}

void TstTableComponents::aTableWithoutDifferencesIsRefused()
{
    QFETCH(QByteArray, table);
    const Result<TableComponents> found = componentsIn(table.toStdString());
    QVERIFY(!found);
    QCOMPARE(found.error().id, std::string("data.no_numbers_to_compare"));
}

void TstTableComponents::labelsAreGroupedByTheirClasses()
{
    const LabelGroups groups = labelGroups({"no", "yes", "no", "", "maybe", "no"});
    QCOMPARE(groups.names, (std::vector<std::string>{"no", "maybe", "yes", ""}));
    QCOMPARE(groups.ofRow, (std::vector<std::size_t>{0, 2, 0, 3, 1, 0}));
    const LabelGroups none = labelGroups({"", ""});
    QCOMPARE(none.names, std::vector<std::string>{""});
}

void TstTableComponents::manyLabelsFallIntoQuarters()
{
    std::vector<std::string> labels;
    for (int i = 1; i <= 100; ++i) {
        labels.push_back(std::to_string(i * 0.5));
    }
    labels.emplace_back();
    const LabelGroups groups = labelGroups(labels);
    QCOMPARE(groups.names,
             (std::vector<std::string>{"≤ 12.5", "≤ 25", "≤ 37.5", "> 37.5", std::string()}));
    QCOMPARE(groups.ofRow[24], std::size_t(0));
    QCOMPARE(groups.ofRow[25], std::size_t(1));
    QCOMPARE(groups.ofRow[99], std::size_t(3));
    QCOMPARE(groups.ofRow[100], std::size_t(4));
    // Numbers are read as in a column of numbers.
    std::vector<std::string> signedLabels = labels;
    for (std::string& label : signedLabels) {
        label = label.empty() ? label : " +" + label + "\t";
    }
    QCOMPARE(labelGroups(signedLabels).names, groups.names);
    QCOMPARE(labelGroups(signedLabels).ofRow, groups.ofRow);
    // Most rows have the largest number: there are no quarters.
    labels.assign(60, "99");
    for (int i = 0; i < 9; ++i) {
        labels.push_back(std::to_string(i));
    }
    QCOMPARE(labelGroups(labels).names.size(), kMostLabelGroups);
    QCOMPARE(labelGroups(labels).names.front(), std::string("99"));
}

void TstTableComponents::manyTextsEndWithTheOthers()
{
    std::vector<std::string> labels{"often", "often"};
    for (char c = 'a'; c <= 'z'; ++c) {
        labels.emplace_back(1, c);
    }
    const LabelGroups groups = labelGroups(labels);
    QCOMPARE(groups.names.size(), kMostLabelGroups);
    QCOMPARE(groups.names.front(), std::string("often"));
    QCOMPARE(groups.names.back(), std::string("other"));
    QCOMPARE(groups.ofRow.back(), kMostLabelGroups - 1);
}

void TstTableComponents::rowsAreSpreadOverTheTable_data()
{
    QTest::addColumn<int>("rows");
    QTest::addColumn<int>("every");
    QTest::newRow("all") << 10 << 1;
    QTest::newRow("one too many") << 11 << 2;
    QTest::newRow("many") << 100 << 16;
}

void TstTableComponents::rowsAreSpreadOverTheTable()
{
    QFETCH(int, rows);
    QFETCH(int, every);
    SpreadRows spread(10);
    std::vector<int> kept;
    for (int row = 0; row < rows; ++row) {
        if (spread.takesNext()) {
            kept.push_back(row);
            if (spread.mustThinOut()) {
                std::size_t left = 0;
                for (std::size_t i = 0; i < kept.size(); i += 2) {
                    kept[left++] = kept[i];
                }
                kept.resize(left);
            }
        }
    }
    std::vector<int> wanted;
    for (int row = 0; row < rows; row += every) {
        wanted.push_back(row);
    }
    QCOMPARE(kept, wanted);
    QCOMPARE(spread.seen(), std::uint64_t(rows));
}

CANNERY_TEST(TstTableComponents)
#include "tst_table_components.moc"
