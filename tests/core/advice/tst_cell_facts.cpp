// SPDX-License-Identifier: Apache-2.0
#include "core/advice/model_choice.h"
#include "core/advice/starting_experiment.h"
#include "core/advice/table_survey.h"
#include "core/data/sources/data_source_catalog.h"
#include "core/spec/text/parsed_experiment.h"
#include "core/spec/text/text_format.h"
#include "core/survey/table_statistics.h"
#include "core/survey/value_remarks.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <functional>

using namespace cannery;
using namespace cannery::advice;
using namespace cannery::survey;

/// What new experiments make of dates, lists, words, flags and sentinels.
class TstCellFacts : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aDateBecomesItsParts();
    void rowsInTheOrderOfTimeAreSplitByTime();
    void unorderedRowsAndMissingClassesAreNot();
    void whatCannotBeReadAsADateIsMissing();
    void aDateInDoubtIsLeftOutWithItsCure();
    void timesOfDayAreParts();
    void valuesInACellAreFeatures();
    void commasThatJoinNothingAreNot();
    void wordsOfTextsAreFeatures();
    void treesReadNoLists();
    void aNumberFarFromAllOthersIsMissing();
    void numbersThatMayMeanSomethingAreOnlyRemarked();
    void spellingsOfAClassAreSaid();
    void remarksNameWhatToDo();

private:
    using Cell = std::function<QByteArray(int)>;

    struct Made
    {
        std::unique_ptr<data::DataSource> source;
        data::TableStatistics statistics;
        StartingExperiment starting;
    };

    void write(const QByteArray& header, int rows, const Cell& cells) const;
    Result<Made> make(const std::string& order = "", const std::string& estimator = "") const;
    static std::string text(const Made& made)
    {
        return spec::printExperiment(made.starting.experiment);
    }
    static bool says(const std::vector<ColumnRemark>& remarks, const std::string& column,
                     const std::string& part);

    QTemporaryDir m_folder;
};

namespace {

QByteArray number(double value)
{
    return QByteArray::number(value);
}

QByteArray dayOf(int row)
{
    return QDate(2020, 1, 1).addDays(row).toString("yyyy-MM-dd").toLatin1();
}

} // namespace

void TstCellFacts::write(const QByteArray& header, int rows, const Cell& cells) const
{
    QFile file(m_folder.filePath("t.csv"));
    if (!file.open(QIODevice::WriteOnly)) {
        qFatal("cannot write the test file");
    }
    file.write(header + "\n");
    for (int row = 0; row < rows; ++row) {
        file.write(cells(row) + "\n");
    }
}

Result<TstCellFacts::Made> TstCellFacts::make(const std::string& order,
                                              const std::string& estimator) const
{
    Made made;
    spec::DataSource message;
    message.mutable_csv()->add_files(m_folder.filePath("t.csv").toStdString());
    CANNERY_TRY_ASSIGN(made.source, data::openDataSource(message, {}));
    CANNERY_TRY_ASSIGN(survey::TableFindings seen, statisticsWithLabel(*made.source, "y"));
    made.statistics = std::move(seen.statistics);
    CANNERY_TRY_ASSIGN(CellFacts cells, surveyCells(*made.source, made.statistics, "y", order));
    CANNERY_TRY_ASSIGN(data::ColumnStatistics labelTexts, textsOf(*made.source, "y"));
    CANNERY_TRY_ASSIGN(made.starting, makeStartingExperiment({.schema = made.source->schema(),
                                                              .statistics = made.statistics,
                                                              .label = "y",
                                                              .labelTexts = std::move(labelTexts),
                                                              .estimator = estimator,
                                                              .dates = std::move(cells.dates),
                                                              .pieces = std::move(cells.pieces)}));
    return made;
}

bool TstCellFacts::says(const std::vector<ColumnRemark>& remarks, const std::string& column,
                        const std::string& part)
{
    return std::any_of(remarks.begin(), remarks.end(), [&](const ColumnRemark& remark) {
        return remark.column == column && remark.remark.find(part) != std::string::npos;
    });
}

void TstCellFacts::aDateBecomesItsParts()
{
    write("when,y", 400, [](int row) {
        return dayOf(row * 7 % 400) + " " + QByteArray::number(row % 20) + ":30," + number(row % 7);
    });
    const auto made = make();
    VERIFY_OK(made);
    QCOMPARE(made->starting.columns.plain,
             (std::vector<std::string>{"when_days", "when_month", "when_weekday", "when_hour"}));
    const std::string experiment = text(*made);
    QVERIFY2(experiment.find("origin: \"2020-01-01\"") != std::string::npos, experiment.c_str());
    QVERIFY(experiment.find("date_notation: iso") != std::string::npos);
    QVERIFY(made->starting.experiment.data().split().has_fraction());
    QVERIFY(says(made->starting.taken, "when", "days since the first, month, weekday, hour"));
    // Parts that the model does not read are not made.
    StartingExperiment starting = made->starting;
    std::erase(starting.columns.plain, "when_hour");
    std::erase(starting.columns.deep, "when_hour_indicator");
    starting.experiment.mutable_data()->mutable_train()->mutable_csv()->add_files("t.csv");
    QCOMPARE(withModel(starting, {.family = ModelFamily::Linear}).data().feature_size(), 3);
}

void TstCellFacts::rowsInTheOrderOfTimeAreSplitByTime()
{
    for (const bool isReversed : {false, true}) {
        write("when,y", 200, [&](int row) {
            return dayOf(isReversed ? 199 - row : row) + "," + number(row * 0.5);
        });
        const auto made = make();
        VERIFY_OK(made);
        const spec::Split& split = made->starting.experiment.data().split();
        QVERIFY(split.has_by_time());
        QCOMPARE(split.by_time().column(), std::string("when"));
        QCOMPARE(split.by_time().eval_from(), std::string("2020-06-09")); // of 199 days, 160
        QVERIFY(says(made->starting.taken, "when", "the rows are in its order"));
    }
}

void TstCellFacts::unorderedRowsAndMissingClassesAreNot()
{
    write("when,y", 200, [](int row) { return dayOf(row * 7 % 200) + "," + number(row * 0.5); });
    const auto unordered = make();
    VERIFY_OK(unordered);
    QVERIFY(unordered->starting.experiment.data().split().has_fraction());
    // The second class only begins at the end: a model could not learn it.
    write("when,y", 200, [](int row) { return dayOf(row) + (row < 180 ? ",no" : ",yes"); });
    const auto late = make();
    VERIFY_OK(late);
    QVERIFY(late->starting.experiment.data().split().has_fraction());
    write("when,y", 200, [](int row) { return dayOf(row) + (row % 2 == 0 ? ",no" : ",yes"); });
    const auto both = make();
    VERIFY_OK(both);
    QVERIFY(both->starting.experiment.data().split().has_by_time());
}

void TstCellFacts::whatCannotBeReadAsADateIsMissing()
{
    write("when,y", 400, [](int row) {
        return (row % 100 == 7 ? QByteArray("unknown") : dayOf(row * 7 % 400)) + "," +
               number(row % 9 * 0.3);
    });
    const auto made = make();
    VERIFY_OK(made);
    const spec::Column& column = made->starting.experiment.data().column(0);
    QCOMPARE(column.name(), std::string("when"));
    QCOMPARE(column.missing_token_size(), 1);
    QCOMPARE(column.missing_token(0), std::string("unknown"));
    QCOMPARE(column.default_value().substr(0, 5), std::string("2020-"));
}

void TstCellFacts::aDateInDoubtIsLeftOutWithItsCure()
{
    write("when,x,y", 200, [](int row) {
        return QByteArray("0") + QByteArray::number(row % 9 + 1) + "/0" +
               QByteArray::number(row % 7 + 1) + "/2020," + number(row % 11) + "," +
               number(row * 0.5);
    });
    const auto made = make();
    VERIFY_OK(made);
    QVERIFY(says(made->starting.leftOut, "when", "Give --dates day_first or --dates month_first"));
    const auto told = make("month_first");
    VERIFY_OK(told);
    QVERIFY(told->starting.leftOut.empty());
    QVERIFY(text(*told).find("date_notation: month_first") != std::string::npos);
}

void TstCellFacts::timesOfDayAreParts()
{
    write("at,y", 200,
          [](int row) { return QByteArray::number(row * 7 % 24) + ":15," + number(row % 24); });
    const auto made = make();
    VERIFY_OK(made);
    QCOMPARE(made->starting.columns.plain, (std::vector<std::string>{"at_days", "at_hour"}));
}

void TstCellFacts::valuesInACellAreFeatures()
{
    const QByteArrayList tags{"sea", "sun", "war", "song", "dog", "car"};
    write("tags,y", 150, [&](int row) {
        return tags[row % 6] + ";" + tags[(row / 6 + row) % 6] + "," + number(row * 0.5);
    });
    const auto made = make();
    VERIFY_OK(made);
    QCOMPARE(made->starting.columns.plain, (std::vector<std::string>{"tags"}));
    const spec::Feature& feature = made->starting.experiment.data().feature(0);
    QCOMPARE(feature.split().separator(), std::string(";"));
    QVERIFY(says(made->starting.taken, "tags", "split at \";\": 6 of them recur"));
}

void TstCellFacts::commasThatJoinNothingAreNot()
{
    // Each town has its own name, and few are in the same state.
    write("town,y", 150, [&](int row) {
        return "\"town" + QByteArray::number(row / 2) + ", state" +
               QByteArray::number(row / 2 % 50) + "\"," + number(row * 0.5);
    });
    const auto made = make();
    VERIFY_OK(made);
    QCOMPARE(made->starting.experiment.data().feature_size(), 0);
}

void TstCellFacts::wordsOfTextsAreFeatures()
{
    write("text,y", 120, [](int row) {
        return "we meet the team about " + QByteArray(row % 3 == 0 ? "prize" : "minutes") +
               (row % 4 == 0 ? " monday" : " friday") + " no" + QByteArray::number(row) +
               (row % 3 == 0 ? ",spam" : ",ham");
    });
    const auto made = make();
    VERIFY_OK(made);
    QCOMPARE(made->starting.columns.plain, (std::vector<std::string>{"text"}));
    const auto& words = made->starting.experiment.feature_column(0)
                            .categorical_column_with_vocabulary_list()
                            .vocabulary_list();
    QVERIFY(std::find(words.begin(), words.end(), "prize") != words.end());
    QVERIFY(std::find(words.begin(), words.end(), "no5") == words.end());
}

void TstCellFacts::treesReadNoLists()
{
    const QByteArrayList tags{"sea", "sun", "war", "song", "dog", "car"};
    write("tags,x,y", 200, [&](int row) {
        return tags[row % 6] + "|" + tags[(row / 6 + row) % 6] + "," + number(row % 17) + "," +
               number(row * 0.5);
    });
    const auto made = make();
    VERIFY_OK(made);
    QCOMPARE(made->starting.columns.plain, (std::vector<std::string>{"tags", "x"}));
    QVERIFY(fitsTrees(made->starting));
    const spec::Experiment trees = withModel(made->starting, {.family = ModelFamily::Trees});
    QCOMPARE(trees.estimator().boosted_trees_regressor().feature_columns_size(), 1);
    QCOMPARE(trees.data().feature_size(), 0);
    VERIFY_OK(make("", "boosted_trees"));
}

void TstCellFacts::aNumberFarFromAllOthersIsMissing()
{
    write("co,y", 150, [](int row) {
        return (row % 13 == 6 ? QByteArray("-200.0") : number(row % 11 + 1)) + "," +
               number(row * 0.5);
    });
    const auto made = make();
    VERIFY_OK(made);
    const auto found = surveySentinels(*made->source, made->statistics, "y");
    VERIFY_OK(found);
    QCOMPARE(found->size(), std::size_t(1));
    QVERIFY(found->front().sentinel.isCertain);
    QCOMPARE(found->front().spellings, (std::vector<std::string>{"-200.0"}));
    std::vector<spec::Column> columns;
    QVERIFY(addMissingTokens(*found, columns));
    QCOMPARE(columns.front().missing_token(0), std::string("-200.0"));
}

void TstCellFacts::numbersThatMayMeanSomethingAreOnlyRemarked()
{
    const auto sentinels = [&](const Cell& cells) {
        write("x,y", 300, cells);
        const auto made = make();
        return *surveySentinels(*made->source, made->statistics, "y");
    };
    // Most rows have it: "never" may be the point.
    const auto often = sentinels([](int row) {
        return (row % 10 > 2 ? QByteArray("999") : number(row % 20)) + "," + number(row * 0.5);
    });
    QCOMPARE(often.size(), std::size_t(1));
    QVERIFY(!often.front().sentinel.isCertain);
    std::vector<spec::Column> columns;
    QVERIFY(!addMissingTokens(often, columns));
    // One that does not recur, one not far away, and a skewed column.
    QVERIFY(sentinels([](int row) {
                return number(row == 5 ? -999 : row % 20) + "," + number(row * 0.5);
            }).empty());
    QVERIFY(sentinels([](int row) {
                return number(row % 9 == 0 ? -1 : row % 20) + "," + number(row * 0.5);
            }).empty());
    QVERIFY(sentinels([](int row) {
                return number(row % 20 * (row % 20) * (row % 20)) + "," + number(row * 0.5);
            }).empty());
}

void TstCellFacts::spellingsOfAClassAreSaid()
{
    write("x,y", 120, [](int row) {
        const QByteArrayList classes{"yes", "no", "Yes", "no", "yes ", "no"};
        return number(row % 17) + "," + classes[row % 6];
    });
    const auto made = make();
    VERIFY_OK(made);
    QVERIFY(says(made->starting.warnings, "y", "\"Yes\""));
    QVERIFY(says(made->starting.warnings, "y", "differ only in case or blanks"));
}

void TstCellFacts::remarksNameWhatToDo()
{
    write("co,tags,note,colour,y", 150, [](int row) {
        const QByteArrayList colours{"red", "Red", "blue"};
        return (row % 13 == 6 ? QByteArray("-200") : number(row % 11 + 1)) + ",a" +
               QByteArray::number(row % 7) + "|b" + QByteArray::number(row % 5) +
               ",we meet about " + (row % 3 == 0 ? "prize" : "cash") +
               (row % 2 == 0 ? " now" : " later") + " no" + QByteArray::number(row) + "," +
               colours[row % 3] + "," + number(row * 0.5);
    });
    const auto made = make();
    VERIFY_OK(made);
    const auto experiment = spec::parseExperiment(R"(
data { train { csv { files: "t.csv" } } label { column: "y" } }
feature_column { name: "co" numeric_column { key: "co" } }
feature_column { name: "tags" categorical_column_with_hash_bucket { key: "tags" hash_bucket_size: 99 } }
feature_column { name: "colour" categorical_column_with_vocabulary_file { key: "colour" vocabulary_file: "words.txt" } }
estimator { linear_regressor { feature_columns: ["co", "tags", "colour"] } }
)");
    QVERIFY(experiment.problems.empty());
    QFile words(m_folder.filePath("words.txt"));
    QVERIFY(words.open(QIODevice::WriteOnly));
    words.write("RED\nBLUE\n");
    words.close();
    const std::string folder = m_folder.path().toStdString();
    const std::vector<TableRemark> remarks = valueRemarks({.experiment = experiment.experiment,
                                                           .folder = folder,
                                                           .schema = made->source->schema(),
                                                           .statistics = made->statistics});
    QStringList ids;
    for (const TableRemark& remark : remarks) {
        ids << QString::fromStdString(remark.error.id);
    }
    ids.sort();
    QCOMPARE(ids, (QStringList{"remark.sentinel", "remark.several_values", "remark.spellings",
                               "remark.vocabulary_file", "remark.words"}));
    const auto sentinel = std::ranges::find_if(remarks, [](const TableRemark& remark) {
        return std::string_view(remark.error.id) == "remark.sentinel";
    });
    QCOMPARE(sentinel->actions.front().edits.front().path,
             std::string("data.column[co].missing_token"));
    QCOMPARE(sentinel->actions.front().edits.front().text, std::string("[\"-200\"]"));
}

CANNERY_TEST(TstCellFacts)
#include "tst_cell_facts.moc"
