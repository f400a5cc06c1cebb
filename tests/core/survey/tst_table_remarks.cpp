// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/input/experiment_input.h"
#include "core/spec/spec_resolver.h"
#include "core/survey/table_remarks.h"
#include "core/survey/table_watch.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include <functional>

using namespace cannery;
using namespace cannery::app;
using namespace cannery::survey;

namespace {

constexpr int kRows = 1000;

/// A pseudo-random number below `below`.
int mixed(int row, int below)
{
    return static_cast<int>((static_cast<unsigned>(row) * 2654435761U + 12345U) >> 8U) % below;
}

struct Column
{
    QString name;
    std::function<QString(int row)> cell;
    QString kind = "numeric_column { key: \"%1\" }";
};

const QString kText = "categorical_column_with_hash_bucket { key: \"%1\" hash_bucket_size: 50 }";

QString label(int row)
{
    return QString::number(mixed(row, 7) < 3 ? 1 : 0);
}

QString number(int row)
{
    return QString::number(mixed(row * 31 + 7, 100'000) / 7.0);
}

} // namespace

class TstTableRemarks : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();

    void anOrdinaryTableHasNone();
    void aColumnIsRemarkedOn_data();
    void aColumnIsRemarkedOn();
    void columnsOfOneKindShareARemark();
    void aColumnThatIsNotReadIsNone();
    void openingTheTableShowsSomeOfThem();
    void aNumericLabelIsGivenAwayByItsCorrelation();
    void aRareClassAsksForStratification();
    void aCommonClassIsNoted();
    void rowsInBothPartsAreCounted();
    void fewDifferentRowsAreTheTablesNature();
    void datesOfferASplitByTime();
    void namesThatDifferInCaseAreOneForTensorFlow();

private:
    std::vector<TableRemark> remarks(const QList<Column>& columns, bool withRows = true);
    QStringList ids(const QList<Column>& columns);

    std::unique_ptr<QTemporaryDir> m_folder;
    std::function<QString(int)> m_label;
    QString m_split;
    QString m_estimator;
    QString m_notRead; ///< a column
};

void TstTableRemarks::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    m_label = label;
    m_split = "split { fraction { eval_fraction: 0.2 stratify: true } }";
    m_estimator = "linear_classifier";
    m_notRead.clear();
}

/// Writes a table and an experiment that reads all of its columns, and judges them.
std::vector<TableRemark> TstTableRemarks::remarks(const QList<Column>& columns, bool withRows)
{
    QString table;
    QString text;
    QStringList handles;
    for (const Column& column : columns) {
        table += column.name + ",";
        if (column.name != m_notRead) {
            handles << '"' + column.name + '"';
            text += "feature_column { name: \"" + column.name + "\" " +
                    column.kind.arg(column.name) + " }\n";
        }
    }
    table += "label\n";
    for (int row = 0; row < kRows; ++row) {
        for (const Column& column : columns) {
            table += column.cell(row) + ",";
        }
        table += m_label(row) + "\n";
    }
    text = "data { train { csv { files: \"t.csv\" } } label { column: \"label\" } " + m_split +
           " }\n" + text + "estimator { " + m_estimator + " { feature_columns: [" +
           handles.join(", ") + "] } }\n";
    const auto write = [this](const char* name, const QString& content) {
        QFile file(m_folder->filePath(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(content.toUtf8());
    };
    write("t.csv", table);
    write("t.cannery", text);
    const ExperimentReport report =
        checkExperimentFile(m_folder->filePath("t.cannery").toStdString(), {});
    const spec::Experiment experiment = spec::resolve(report.experiment);
    const auto dataset = data::Dataset::open(report.experiment.data(), report.folder.string(),
                                             data::DataPart::Train);
    if (!dataset || !withRows) {
        return dataset ? tableRemarks(experiment, *dataset) : std::vector<TableRemark>();
    }
    const LentThreads threads;
    std::vector<std::string> compared = plainFeatures(experiment, *dataset);
    compared.push_back("label");
    TableWatch watch(experiment, *dataset, compared, threads);
    const auto statistics =
        dataset->statistics({}, threads,
                            [&](data::DataPart part, const storage::TableChunk& chunk) {
                                return watch.see(part, chunk);
                            },
                            {.topValues = TableWatch::kListedValues});
    if (!statistics) {
        qWarning("%s", statistics.error().sentence.c_str());
        return {};
    }
    const RowFindings findings = watch.findings(*statistics);
    return tableRemarks(experiment, *dataset, &findings);
}

QStringList TstTableRemarks::ids(const QList<Column>& columns)
{
    QStringList list;
    for (const TableRemark& remark : remarks(columns)) {
        QString actions;
        for (const RemarkAction& action : remark.actions) {
            actions += " " + QString::fromStdString(action.kind);
        }
        list << QString::fromStdString(remark.error.id).mid(7) + actions;
    }
    return list;
}

void TstTableRemarks::anOrdinaryTableHasNone()
{
    QCOMPARE(ids({{"size", number},
                  {"count", [](int row) { return QString::number(mixed(row, 30)); }},
                  {"colour",
                   [](int row) {
                       return QStringList{"red", "green", "blue"}[mixed(row, 3)];
                   },
                   kText}}),
             QStringList());
}

void TstTableRemarks::aColumnIsRemarkedOn_data()
{
    QTest::addColumn<QList<int>>("cells"); // by their remainder; see below
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("expected");
    QTest::addColumn<QString>("words");
    QTest::newRow("constant") << QList<int>{0} << kText << "constant leave_out"
                              << "Every row has the same value in 'c'";
    QTest::newRow("empty") << QList<int>{1} << kText << "empty leave_out"
                           << "No row has a value in 'c'";
    QTest::newRow("nearly empty") << QList<int>{2} << kText << "nearly_empty leave_out"
                                  << "in 'c' (80 of 800)";
    QTest::newRow("texts of their own") << QList<int>{3} << kText << "identifier leave_out key"
                                        << "nearly every row has its own value";
    QTest::newRow("numbers of their own") << QList<int>{4} << "numeric_column { key: \"%1\" }"
                                          << "identifier leave_out key"
                                          << "800 different whole numbers";
    QTest::newRow("codes") << QList<int>{5} << "numeric_column { key: \"%1\" }"
                           << "code category"
                           << "40 different whole numbers with gaps";
    QTest::newRow("leak") << QList<int>{6} << kText << "leak leave_out"
                          << "right in 100.0 % of the rows";
    QTest::newRow("dates") << QList<int>{7} << kText << "date_feature leave_out split_by_time"
                           << "read as categories (365 of them)";
}

void TstTableRemarks::aColumnIsRemarkedOn()
{
    QFETCH(const QList<int>, cells);
    QFETCH(const QString, kind);
    QFETCH(const QString, expected);
    QFETCH(const QString, words);
    const auto cell = [&](int row) -> QString {
        switch (cells.first()) {
        case 0:
            return "same";
        case 1:
            return {};
        case 2:
            return row % 10 == 0 ? QString("x%1").arg(mixed(row, 5)) : QString();
        case 3:
            return QString("customer-%1").arg(row * 7919 % 100'003);
        case 4:
            return QString::number(10 + row * 379 % kRows);
        case 5:
            return QString::number(20'000 + 137 * mixed(row, 40));
        case 6:
            return label(row) == "1" ? "yes" : "no";
        default:
            return QDate(2023, 1, 1).addDays(row % 365).toString(Qt::ISODate);
        }
    };
    const QList<Column> columns{{"size", number}, {"c", cell, kind}};
    QCOMPARE(ids(columns), QStringList{expected});
    const std::vector<TableRemark> found = remarks(columns);
    QVERIFY2(QString::fromStdString(found.front().error.sentence).contains(words),
             found.front().error.sentence.c_str());
    QCOMPARE(found.front().columns, std::vector<std::string>{"c"});
    QVERIFY(!found.front().isNote);
}

void TstTableRemarks::columnsOfOneKindShareARemark()
{
    const auto same = [](int) { return QString("same"); };
    QList<Column> columns{{"size", number}};
    for (int i = 0; i < 6; ++i) {
        columns << Column{QString("c%1").arg(i), same, kText};
    }
    const std::vector<TableRemark> found = remarks(columns);
    QCOMPARE(found.size(), std::size_t(1));
    QCOMPARE(found.front().columns.size(), std::size_t(6));
    QCOMPARE(found.front().error.sentence,
             std::string("Every row has the same value in 'c0', 'c1', 'c2' and 3 more: a model "
                         "learns nothing from them. Leave them out."));
}

void TstTableRemarks::aColumnThatIsNotReadIsNone()
{
    m_notRead = "c";
    QCOMPARE(ids({{"size", number}, {"c", [](int) { return QString("same"); }}}), QStringList());
}

void TstTableRemarks::openingTheTableShowsSomeOfThem()
{
    const std::vector<TableRemark> found =
        remarks({{"size", number}, {"c", [](int) { return QString("same"); }, kText}}, false);
    QCOMPARE(found.size(), std::size_t(1));
    QCOMPARE(found.front().error.id, std::string("remark.constant"));
}

void TstTableRemarks::aNumericLabelIsGivenAwayByItsCorrelation()
{
    m_estimator = "linear_regressor";
    m_split = "split { fraction { } }";
    m_label = [](int row) { return QString::number(number(row).toDouble() * 3 + 1); };
    QCOMPARE(ids({{"size", number}}), QStringList{"leak leave_out"});
}

void TstTableRemarks::aRareClassAsksForStratification()
{
    m_label = [](int row) { return QString::number(mixed(row, 12) == 0 ? 1 : 0); };
    QCOMPARE(ids({{"size", number}}), QStringList());
    m_split = "split { fraction { eval_fraction: 0.2 } }";
    QCOMPARE(ids({{"size", number}}), QStringList{"rare_class stratify"});
    const TableRemark remark = remarks({{"size", number}}).front();
    QCOMPARE(remark.actions.front().edits.front().path,
             std::string("data.split.fraction.stratify"));
}

void TstTableRemarks::aCommonClassIsNoted()
{
    m_label = [](int row) { return QString::number(mixed(row, 40) == 0 ? 1 : 0); };
    const std::vector<TableRemark> found = remarks({{"size", number}});
    QCOMPARE(found.size(), std::size_t(1));
    QCOMPARE(found.front().error.id, std::string("remark.common_class"));
    QVERIFY(found.front().isNote);
}

void TstTableRemarks::rowsInBothPartsAreCounted()
{
    const auto repeated = [](int row) { return number(row % 700); };
    m_label = [](int row) { return label(row % 700); };
    const std::vector<TableRemark> found = remarks({{"size", repeated}});
    QCOMPARE(found.size(), std::size_t(1));
    QCOMPARE(found.front().error.id, std::string("remark.twins"));
    QVERIFY2(found.front().error.sentence.find(" evaluation rows (") != std::string::npos,
             found.front().error.sentence.c_str());
    QCOMPARE(found.front().actions.front().kind, std::string("split"));
}

void TstTableRemarks::fewDifferentRowsAreTheTablesNature()
{
    QCOMPARE(ids({{"dice", [](int row) { return QString::number(1 + mixed(row, 6)); }}}),
             QStringList());
}

void TstTableRemarks::datesOfferASplitByTime()
{
    m_notRead = "day";
    const QList<Column> columns{
        {"size", number},
        {"day", [](int row) { return QDate(2020, 1, 1).addDays(row).toString(Qt::ISODate); }}};
    const std::vector<TableRemark> found = remarks(columns);
    QCOMPARE(found.size(), std::size_t(1));
    QCOMPARE(found.front().error.id, std::string("remark.date"));
    QVERIFY(found.front().isNote);
    QCOMPARE(found.front().actions.front().edits.front().text,
             std::string("{ by_time { column: \"day\" eval_from: \"2022-03-10\" } }"));
    m_split = "split { by_time { column: \"day\" eval_from: \"2022-03-10\" } }";
    QCOMPARE(ids(columns), QStringList());
}

void TstTableRemarks::namesThatDifferInCaseAreOneForTensorFlow()
{
    QCOMPARE(ids({{"size", number}, {"Size", [](int row) { return number(row + 5000); }}}),
             QStringList{"same_but_case leave_out"});
}

CANNERY_TEST(TstTableRemarks)
#include "tst_table_remarks.moc"
