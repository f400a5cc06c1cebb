// SPDX-License-Identifier: Apache-2.0
#include "core/advice/starting_experiment.h"
#include "core/advice/table_survey.h"
#include "core/survey/table_statistics.h"
#include "tests/core/data/text_file.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <functional>

using namespace cannery;
using namespace cannery::advice;

/// The experiment for a table with two numbers, a category, and a label of every kind.
class TstStartingExperiment : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void theLabelDecidesTheTask_data();
    void theLabelDecidesTheTask();
    void classesKeepTheNamesOfTheTable();
    void numbersHaveAScale();
    void labelsThatCannotBeLearnedAreRefused_data();
    void labelsThatCannotBeLearnedAreRefused();
    void rowsWithoutALabelAreLeftOut();
    void fewRowsAreNotSplit();
    void classesAreStratified();
    void eachColumnHasItsUses();
    void columnsAreLeftOutOnRequest();
    void clustersHaveNoLabel();

private:
    using Cell = std::function<QByteArray(int)>;
    struct Wish
    {
        std::string label = "y";
        std::string estimator = {};
        std::vector<std::string> leaveOut = {};
        int rows = 400;
    };

    /// Columns a, b, word and y.
    Result<StartingExperiment> make(const Cell& label, const Wish& wish) const
    {
        QByteArray text("a,b,word,y\n");
        for (int row = 0; row < wish.rows; ++row) {
            text += QByteArray::number(row * 37 % 101 / 7.0) + ',' +
                    QByteArray::number(row * 53 % 97) + ',' + "xyz"[row % 3] + ',' + label(row) +
                    '\n';
        }
        CANNERY_TRY_ASSIGN(
            const std::unique_ptr<data::DataSource> source,
            tests::openByContent(tests::textFile(m_folder, "t.csv", text.toStdString())));
        CANNERY_TRY_ASSIGN(survey::TableFindings seen,
                           survey::statisticsWithLabel(*source, wish.label));
        data::TableStatistics& statistics = seen.statistics;
        CANNERY_TRY_ASSIGN(CellFacts cells, surveyCells(*source, statistics, wish.label, ""));
        const bool isKnown = source->schema().find(wish.label) != nullptr;
        CANNERY_TRY_ASSIGN(data::ColumnStatistics labelTexts,
                           survey::textsOf(*source, isKnown ? wish.label : ""));
        return makeStartingExperiment({.schema = source->schema(),
                                       .statistics = std::move(statistics),
                                       .label = wish.label,
                                       .labelTexts = std::move(labelTexts),
                                       .estimator = wish.estimator,
                                       .leaveOut = wish.leaveOut,
                                       .dates = std::move(cells.dates),
                                       .pieces = std::move(cells.pieces)});
    }

    QTemporaryDir m_folder;
};

namespace {

QByteArray yesOrNo(int row)
{
    return row % 3 == 0 ? "yes" : "no";
}

QByteArray measured(int row)
{
    return QByteArray::number(100 + row * 29 % 83 / 4.0);
}

bool names(const std::vector<ColumnRemark>& remarks, const std::string& column)
{
    return std::ranges::find(remarks, column, &ColumnRemark::column) != remarks.end();
}

bool has(const std::vector<std::string>& columns, const std::string& name)
{
    return std::ranges::find(columns, name) != columns.end();
}

} // namespace

void TstStartingExperiment::theLabelDecidesTheTask_data()
{
    QTest::addColumn<int>("kind");
    QTest::addColumn<QByteArray>("estimator");
    QTest::addColumn<QByteArray>("task");
    QTest::newRow("two texts") << 0 << QByteArray() << QByteArray("binary classification");
    QTest::newRow("0 and 1") << 1 << QByteArray() << QByteArray("binary classification");
    QTest::newRow("0 to 4") << 2 << QByteArray() << QByteArray("classification into 5 classes");
    QTest::newRow("numbers") << 3 << QByteArray() << QByteArray("regression");
    QTest::newRow("0 to 4 as numbers")
        << 2 << QByteArray("dnn_regressor") << QByteArray("regression");
    QTest::newRow("0 to 4 for any")
        << 2 << QByteArray("linear") << QByteArray("classification into 5 classes");
}

void TstStartingExperiment::theLabelDecidesTheTask()
{
    QFETCH(int, kind);
    QFETCH(QByteArray, estimator);
    QFETCH(QByteArray, task);
    const Cell cells[] = {yesOrNo, [](int row) { return QByteArray::number(row % 2); },
                          [](int row) { return QByteArray::number(row % 5); }, measured};
    const auto made = make(cells[kind], {.estimator = estimator.toStdString()});
    VERIFY_OK(made);
    QCOMPARE(made->task, task.toStdString());
    QCOMPARE(made->experiment.data().label().column(), std::string("y"));
    QCOMPARE(made->family.has_value(), !estimator.isEmpty());
}

void TstStartingExperiment::classesKeepTheNamesOfTheTable()
{
    const auto texts = make(yesOrNo, {});
    VERIFY_OK(texts);
    QVERIFY(texts->label.task == LabelTask::Binary);
    QCOMPARE(texts->label.classes, std::int64_t{2});
    QCOMPARE(texts->label.vocabulary, (std::vector<std::string>{"no", "yes"}));
    QVERIFY(!texts->label.readAsText);
    const auto ids = make([](int row) { return QByteArray::number(row % 4); }, {});
    VERIFY_OK(ids);
    QVERIFY(ids->label.vocabulary.empty());
    const auto codes = make([](int row) { return QByteArray::number(10 + row % 4); }, {});
    VERIFY_OK(codes);
    QCOMPARE(codes->label.vocabulary, (std::vector<std::string>{"10", "11", "12", "13"}));
    QVERIFY(codes->label.readAsText);
    QCOMPARE(codes->experiment.data().column(0).name(), std::string("y"));
    QVERIFY(codes->experiment.data().column(0).dtype() == spec::DataType::string);
}

/// The deviation and the mean, to a hundredth of the deviation.
void TstStartingExperiment::numbersHaveAScale()
{
    const auto made = make([](int row) { return row % 2 == 0 ? "90.25" : "110.25"; },
                           {.estimator = "linear_regressor"});
    VERIFY_OK(made);
    QVERIFY2(std::abs(made->label.scale - 10) <= 0.11,
             qPrintable(QString::number(made->label.scale)));
    QVERIFY2(std::abs(made->label.offset - 100.25) <= 0.11,
             qPrintable(QString::number(made->label.offset)));
}

void TstStartingExperiment::labelsThatCannotBeLearnedAreRefused_data()
{
    QTest::addColumn<int>("kind");
    QTest::addColumn<QByteArray>("label");
    QTest::addColumn<QByteArray>("estimator");
    QTest::addColumn<QString>("id");
    const QByteArray y("y");
    const QByteArray any;
    QTest::newRow("one value") << 0 << y << any << "data.label_empty";
    QTest::newRow("no value") << 1 << y << any << "data.label_has_no_value";
    QTest::newRow("texts without end") << 2 << y << any << "data.label_too_many_classes";
    QTest::newRow("no such column") << 3 << QByteArray("yy") << any << "data.unknown_label";
    QTest::newRow("numbers of texts")
        << 3 << y << QByteArray("linear_regressor") << "data.estimator_label_mismatch";
    QTest::newRow("no such estimator")
        << 3 << y << QByteArray("lineer") << "command.usage.unknown_estimator";
}

void TstStartingExperiment::labelsThatCannotBeLearnedAreRefused()
{
    QFETCH(int, kind);
    QFETCH(QByteArray, label);
    QFETCH(QByteArray, estimator);
    QFETCH(QString, id);
    const Cell cells[] = {[](int) { return "same"; }, [](int) { return ""; },
                          [](int row) { return "text" + QByteArray::number(row); }, yesOrNo};
    VERIFY_ERROR(
        make(cells[kind], {.label = label.toStdString(), .estimator = estimator.toStdString()}),
        id);
}

void TstStartingExperiment::rowsWithoutALabelAreLeftOut()
{
    const auto made = make([](int row) { return row % 40 == 0 ? QByteArray() : yesOrNo(row); }, {});
    VERIFY_OK(made);
    QVERIFY(made->experiment.data().unlabelled_rows() == spec::BadRows::SKIP);
    QCOMPARE(made->rowNotes,
             (std::vector<std::string>{"10 of the 400 rows have no label in y and are left out"}));
    const auto whole = make(yesOrNo, {});
    VERIFY_OK(whole);
    QVERIFY(whole->rowNotes.empty() && !whole->experiment.data().has_unlabelled_rows());
}

void TstStartingExperiment::fewRowsAreNotSplit()
{
    const auto few = make(measured, {.rows = 12});
    VERIFY_OK(few);
    QVERIFY(!few->experiment.data().has_split());
    const auto many = make(measured, {.rows = 2000});
    VERIFY_OK(many);
    const double fraction = many->experiment.data().split().fraction().eval_fraction();
    QVERIFY(fraction > 0 && fraction < 0.5);
}

void TstStartingExperiment::classesAreStratified()
{
    const auto classes = make(yesOrNo, {.rows = 1000});
    const auto numbers = make(measured, {.rows = 1000});
    VERIFY_OK(classes);
    VERIFY_OK(numbers);
    QVERIFY(classes->experiment.data().split().fraction().stratify());
    QVERIFY(!numbers->experiment.data().split().fraction().stratify());
}

/// Every name is one of a feature column, and the label is none.
void TstStartingExperiment::eachColumnHasItsUses()
{
    const auto made = make(yesOrNo, {});
    VERIFY_OK(made);
    std::vector<std::string> columns;
    for (const spec::FeatureColumn& column : made->experiment.feature_column()) {
        columns.push_back(column.name());
    }
    for (const auto* use : {&made->columns.plain, &made->columns.buckets, &made->columns.deep}) {
        QVERIFY(!use->empty());
        for (const std::string& name : *use) {
            QVERIFY2(has(columns, name), name.c_str());
        }
    }
    QVERIFY(has(made->columns.plain, "word"));
    QVERIFY(!has(made->columns.deep, "word")); // as it is, no network takes it
    QVERIFY(!has(columns, "y"));
    const auto baseline = make(yesOrNo, {.estimator = "baseline"});
    VERIFY_OK(baseline);
    QCOMPARE(baseline->experiment.feature_column_size(), 0);
}

void TstStartingExperiment::columnsAreLeftOutOnRequest()
{
    const auto made = make(yesOrNo, {.leaveOut = {"word", "a"}});
    VERIFY_OK(made);
    QVERIFY(!has(made->columns.plain, "word"));
    QVERIFY(names(made->leftOut, "word") && names(made->leftOut, "a"));
    QVERIFY(!made->columns.plain.empty());
    VERIFY_ERROR(make(yesOrNo, {.leaveOut = {"wrod"}}), "command.usage.unknown_column");
    QVERIFY(!make(yesOrNo, {.leaveOut = {"y"}}));
    QVERIFY(!make(yesOrNo, {.leaveOut = {"a", "b", "word"}}));
}

void TstStartingExperiment::clustersHaveNoLabel()
{
    const auto made = make(measured, {.label = "", .estimator = "kmeans"});
    VERIFY_OK(made);
    QCOMPARE(made->task, std::string("clustering"));
    QVERIFY(!made->experiment.data().has_label());
    QVERIFY(!made->columns.deep.empty());
    VERIFY_ERROR(make(measured, {.estimator = "kmeans"}), "command.usage.label_of_clusters");
}

CANNERY_TEST(TstStartingExperiment)
#include "tst_starting_experiment.moc"
