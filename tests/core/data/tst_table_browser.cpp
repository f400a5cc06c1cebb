// SPDX-License-Identifier: Apache-2.0
#include "core/data/dataset.h"
#include "core/data/table_browser.h"
#include "kernels/device/thread_pool.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <google/protobuf/text_format.h>
#include <zlib.h>

#include <algorithm>

using namespace cannery;
using namespace cannery::data;

/// Pages of a table: in file order, filtered and sorted, over several files, encodings and bad
/// rows.
class TstTableBrowser : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void pagesAreTheRowsOfTheFiles_data();
    void pagesAreTheRowsOfTheFiles();
    void firstRowsDoNotWaitForTheRest();
    void filtersAndSorts_data();
    void filtersAndSorts();
    void refusedRowsAreLeftOutEverywhere();
    void refusedRowsAreListed();
    void statisticsAreThoseOfTheDataset_data();
    void statisticsAreThoseOfTheDataset();
    void workStopsWhenAsked();
    void theLastResultsAreKept();
    void aChangedFileIsNoticed();
    void trickyTablesAreBrowsedAsTheyAreRead_data();
    void trickyTablesAreBrowsedAsTheyAreRead();

private:
    void write(const QString& name, const QByteArray& bytes) const;
    void writePacked(const QString& name, const QByteArray& bytes) const;
    spec::Data data(const QStringList& files, const char* more = "") const;
    std::unique_ptr<TableBrowser> open(const spec::Data& data) const;
    std::unique_ptr<TableBrowser> read(const spec::Data& data, int threads = 2) const;
    /// "1 3 2": the numbers of all rows of a query.
    static QString numbers(TableBrowser& browser, const RowQuery& query);

    QTemporaryDir m_folder;
};

namespace {

/// Rows of which some have quoted line ends; `first` continues the numbers of another file.
QByteArray rows(int first, int count)
{
    QByteArray text("n,s\n");
    for (int row = first; row < first + count; ++row) {
        text += QByteArray::number(row) + ",\"text " + QByteArray::number(row % 7) +
                (row % 5 == 0 ? ", two\nlines\"\n" : "\"\n");
    }
    return text;
}

} // namespace

void TstTableBrowser::write(const QString& name, const QByteArray& bytes) const
{
    QFile file(m_folder.filePath(name));
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(file.write(bytes), qint64(bytes.size()));
}

void TstTableBrowser::writePacked(const QString& name, const QByteArray& bytes) const
{
    gzFile file = gzopen(qPrintable(m_folder.filePath(name)), "wb");
    QVERIFY(file != nullptr);
    QCOMPARE(gzwrite(file, bytes.data(), unsigned(bytes.size())), int(bytes.size()));
    QCOMPARE(gzclose(file), Z_OK);
}

spec::Data TstTableBrowser::data(const QStringList& files, const char* more) const
{
    spec::Data data;
    if (!google::protobuf::TextFormat::ParseFromString(more, &data)) {
        qFatal("the test's data is wrong");
    }
    for (const QString& file : files) {
        const QString path = file.startsWith('/') ? file : m_folder.filePath(file);
        data.mutable_train()->mutable_csv()->add_files(path.toStdString());
    }
    return data;
}

std::unique_ptr<TableBrowser> TstTableBrowser::open(const spec::Data& data) const
{
    auto source =
        openDataSource(data.train(), {.columns = {data.column().begin(), data.column().end()},
                                      .badRows = spec::BadRows::SKIP});
    if (!source) {
        qFatal("%s", source.error().message().c_str());
    }
    return std::move(*TableBrowser::create(data, std::move(*source)));
}

std::unique_ptr<TableBrowser> TstTableBrowser::read(const spec::Data& data, int threads) const
{
    kernels::ThreadPool pool(threads);
    std::unique_ptr<TableBrowser> browser = open(data);
    const Result<void> done = browser->read({.work = {.threads = kernels::lend(pool)}});
    if (!done) {
        qFatal("%s", done.error().message().c_str());
    }
    return browser;
}

QString TstTableBrowser::numbers(TableBrowser& browser, const RowQuery& query)
{
    const Result<void> done = browser.prepare(query, {});
    if (!done) {
        return QString::fromStdString(done.error().message());
    }
    const auto page = browser.page(query, 0, 1000);
    QStringList found;
    for (const std::uint64_t number : page->numbers) {
        found.append(QString::number(number + 1));
    }
    return found.join(' ');
}

void TstTableBrowser::pagesAreTheRowsOfTheFiles_data()
{
    QTest::addColumn<QStringList>("files");
    QTest::addColumn<QString>("source");
    const QByteArray first = rows(0, 40'000);
    const QByteArray second = rows(40'000, 30'000);
    write("a.csv", first);
    write("b.csv", second);
    writePacked("a.csv.gz", first);
    writePacked("b.csv.gz", second);
    const auto utf16 = [](const QByteArray& text) {
        const QString words = QString::fromUtf8(text);
        return QByteArray("\xFF\xFE") +
               QByteArray(reinterpret_cast<const char*>(words.utf16()), words.size() * 2);
    };
    write("a16.csv", utf16(first));
    write("b16.csv", utf16(second));
    write("abom.csv", "\xEF\xBB\xBF" + first);
    write("acr.csv", QByteArray(first).replace("\"\n", "\"\r\n").replace("n,s\n", "n,s\r\n"));
    QTest::newRow("plain") << QStringList{"a.csv", "b.csv"} << QString();
    QTest::newRow("gzip") << QStringList{"a.csv.gz", "b.csv.gz"} << QString();
    QTest::newRow("UTF-16") << QStringList{"a16.csv", "b16.csv"} << QString("encoding: utf16");
    QTest::newRow("mark") << QStringList{"abom.csv", "b.csv"} << QString();
    QTest::newRow("line ends") << QStringList{"acr.csv", "b.csv"} << QString();
    QTest::newRow("Latin-1") << QStringList{"a.csv", "b.csv"} << QString("encoding: latin1");
}

void TstTableBrowser::pagesAreTheRowsOfTheFiles()
{
    QFETCH(const QStringList, files);
    QFETCH(const QString, source);
    const auto browser = read(data(files, qPrintable(QString("train { csv { %1 } }").arg(source))));
    QCOMPARE(browser->extent().rows, std::uint64_t{70'000});
    QVERIFY(browser->extent().isWhole);
    for (const std::uint64_t first : {0U, 1U, 15U, 16U, 39'990U, 40'000U, 54'321U, 69'995U}) {
        const auto page = browser->page({}, first, 20);
        VERIFY_OK(page);
        QCOMPARE(page->total, std::uint64_t{70'000});
        QCOMPARE(page->texts.size(), std::size_t(std::min<std::uint64_t>(20, 70'000 - first)));
        for (std::size_t i = 0; i < page->texts.size(); ++i) {
            const std::uint64_t row = first + i;
            QCOMPARE(page->numbers[i], row);
            QCOMPARE(page->texts[i][0], std::to_string(row));
            QCOMPARE(page->texts[i][1],
                     "text " + std::to_string(row % 7) + (row % 5 == 0 ? ", two\nlines" : ""));
        }
    }
    QCOMPARE(browser->page({}, 70'000, 20)->texts.size(), std::size_t{0});
}

/// Judged by structure, not by time: a page is ready while most of the table is still unread.
void TstTableBrowser::firstRowsDoNotWaitForTheRest()
{
    write("long.csv", rows(0, 400'000));
    const auto browser = open(data({"long.csv"}));
    QVERIFY(!browser->isReady({}, 0, 200));
    int seen = 0;
    VERIFY_OK(browser->read({.seen = [&](const TableScan&) {
        ++seen;
        return !browser->isReady({}, 0, 200);
    }}));
    QCOMPARE(seen, 1);
    QVERIFY(browser->extent().rows < 200'000);
    const auto page = browser->page({}, 0, 200);
    VERIFY_OK(page);
    QCOMPARE(page->texts.size(), std::size_t{200});
    QVERIFY(page->isSoFar);
}

void TstTableBrowser::filtersAndSorts_data()
{
    QTest::addColumn<QString>("filter");
    QTest::addColumn<QString>("sort");
    QTest::addColumn<bool>("descending");
    QTest::addColumn<QString>("rows");
    const auto row = [](const char* filter, const char* sort, bool descending, const char* rows) {
        QTest::addRow("%s by %s %s", filter, sort, descending ? "down" : "up")
            << QString(filter) << QString(sort) << descending << QString(rows);
    };
    row("", "", false, "1 2 3 4 5 6 7 8");
    row("n > 2", "", false, "1 4 7");
    row("n is missing", "", false, "3 8");
    row("", "n", false, "2 6 5 1 7 4 3 8"); // equal ones in file order, missing last
    row("", "n", true, "4 1 7 5 2 6 3 8");
    row("", "s", false, "3 8 2 5 1 7 4 6"); // "" is missing; without regard to case
    row("", "s", true, "1 7 2 5 3 8 4 6");
    row("", "f", false, "5 6 3 1 8 7 2 4"); // NaN is missing
    row("", "f", true, "2 7 8 1 3 6 5 4");
    row("n > 0", "s", true, "1 7 5 4");
    row("n < -100", "s", false, "");
}

void TstTableBrowser::filtersAndSorts()
{
    write("small.csv", "n,s,f\n"
                       "3,pear,0.5\n"
                       "-1,Fig,1e30\n"
                       ",apple,-0.25\n"
                       "10,?,nan\n"
                       "1,fig,-1e30\n"
                       "-1,,-1\n"
                       "3,PEAR,7\n"
                       ",Apple,0.75\n");
    QFETCH(const QString, filter);
    QFETCH(const QString, sort);
    QFETCH(const bool, descending);
    const auto browser = read(data({"small.csv"}, "train { csv { na_value: '?' } }"));
    QTEST(numbers(*browser, {.filter = filter.toStdString(),
                             .sort = sort.toStdString(),
                             .isDescending = descending}),
          "rows");
}

/// A cell that is not a number makes its row bad, also for a filter that does not read that cell.
void TstTableBrowser::refusedRowsAreLeftOutEverywhere()
{
    QByteArray text("n,s\n");
    for (int row = 0; row < 50'000; ++row) {
        text += row % 10 == 3   ? QByteArray("oops,b\n")
                : row % 10 == 7 ? QByteArray("too,many,fields\n")
                                : QByteArray::number(row) + (row % 2 == 0 ? ",a\n" : ",b\n");
    }
    write("bad.csv", text);
    const auto browser =
        read(data({"bad.csv"}, "column { name: 'n' dtype: int32 } bad_rows: SKIP"));
    QCOMPARE(browser->extent().rows, std::uint64_t{40'000});
    QCOMPARE(browser->extent().refused, std::uint64_t{10'000});
    const RowQuery odd{.filter = "s = b", .sort = "s"};
    VERIFY_OK(browser->prepare(odd, {}));
    const auto page = browser->page(odd, 10'000, 3);
    VERIFY_OK(page);
    QCOMPARE(page->total, std::uint64_t{15'000});
    // Of ten rows 1, 5 and 9 remain, as rows 1, 4 and 7 of eight.
    QCOMPARE(page->texts[0][0], std::string("33335"));
    QCOMPARE(page->numbers[0], std::uint64_t{3333 * 8 + 4});
    QCOMPARE(page->texts[2][0], std::string("33341"));
}

void TstTableBrowser::refusedRowsAreListed()
{
    write("listed.csv", "n,s\n1,a\n2,\"two\nlines\",c\nx,b\n3,c\n");
    const auto browser = read(data({"listed.csv"}, "column { name: 'n' dtype: int32 }"));
    const std::vector<RefusedRow> refused = browser->refused(0, 10);
    QCOMPARE(refused.size(), std::size_t{2});
    QCOMPARE(refused[0].line, std::uint64_t{3});
    QVERIFY(refused[0].sentence.find("3 fields instead of 2") != std::string::npos);
    QCOMPARE(*browser->textOf(refused[0]), std::string("2,\"two\\nlines\",c"));
    QCOMPARE(refused[1].line, std::uint64_t{5});
    QCOMPARE(*browser->textOf(refused[1]), std::string("x,b"));
    QCOMPARE(browser->refused(1, 10).size(), std::size_t{1});
    QCOMPARE(browser->refused(5, 10).size(), std::size_t{0});
}

void TstTableBrowser::statisticsAreThoseOfTheDataset_data()
{
    QTest::addColumn<QString>("split");
    QTest::newRow("all rows") << QString();
    QTest::newRow("fraction") << QString("split { fraction { eval_fraction: 0.3 seed: 4 } }");
    QTest::newRow("column") << QString("split { by_column { column: 's' eval_values: 'text 3' } }");
}

void TstTableBrowser::statisticsAreThoseOfTheDataset()
{
    QFETCH(const QString, split);
    write("all.csv", rows(0, 30'000));
    const spec::Data described = data({"all.csv"}, qPrintable("label { column: 's' } " + split));
    const auto browser = open(described);
    std::optional<TableStatistics> found;
    for (int pass = 0; pass < 2; ++pass) { // the second one only counts
        found.reset();
        VERIFY_OK(browser->read({.withStatistics = true, .seen = [&](const TableScan& scan) {
                                     if (scan.isOver()) {
                                         found = scan.statistics();
                                     }
                                     return true;
                                 }}));
        QCOMPARE(browser->extent().rows, std::uint64_t{30'000});
    }
    const auto dataset = Dataset::open(described, "", DataPart::Train);
    VERIFY_OK(dataset);
    const auto expected = dataset->statistics({});
    VERIFY_OK(expected);
    QCOMPARE(found->rows, expected->rows);
    QCOMPARE(found->otherRows, expected->otherRows);
    QCOMPARE(found->columns.size(), expected->columns.size());
    for (std::size_t i = 0; i < found->columns.size(); ++i) {
        QCOMPARE(found->columns[i].mean, expected->columns[i].mean);
        QVERIFY(found->columns[i].top == expected->columns[i].top);
    }
}

void TstTableBrowser::workStopsWhenAsked()
{
    write("stopped.csv", rows(0, 200'000));
    const auto browser = open(data({"stopped.csv"}));
    std::stop_source stop;
    const Result<void> half =
        browser->read({.work = {.stop = stop.get_token()}, .seen = [&](const TableScan&) {
                           stop.request_stop();
                           return true;
                       }});
    VERIFY_ERROR(half, "data.browse_cancelled");
    QVERIFY(!browser->extent().isWhole);
    VERIFY_OK(browser->read({}));
    for (const BrowseStep step : {BrowseStep::Filtering, BrowseStep::Keying, BrowseStep::Sorting}) {
        std::stop_source other;
        const Result<void> done = browser->prepare(
            {.filter = "n > 5", .sort = "s"},
            {.stop = other.get_token(), .progress = [&](const BrowseProgress& progress) {
                 if (progress.step == step) {
                     other.request_stop();
                 }
             }});
        VERIFY_ERROR(done, "data.browse_cancelled");
    }
    VERIFY_OK(browser->prepare({.filter = "n > 5", .sort = "s"}, {}));
}

void TstTableBrowser::theLastResultsAreKept()
{
    write("kept.csv", rows(0, 100));
    const auto browser = read(data({"kept.csv"}));
    const auto query = [](int least) { return RowQuery{.filter = "n > " + std::to_string(least)}; };
    for (int least = 0; least < 5; ++least) {
        VERIFY_OK(browser->prepare(query(least), {}));
    }
    QVERIFY(!browser->isReady(query(0), 0, 1));
    QVERIFY(browser->isReady(query(1), 0, 1));
    QVERIFY(browser->isReady(query(4), 0, 1));
    VERIFY_ERROR(browser->page(query(0), 0, 1), "data.rows_not_ready");
    VERIFY_ERROR(browser->prepare({.sort = "m"}, {}), "data.no_such_column");
    VERIFY_ERROR(browser->prepare({.filter = "m = 1"}, {}), "data.filter_no_column");
}

void TstTableBrowser::aChangedFileIsNoticed()
{
    write("changed.csv", rows(0, 100));
    const auto browser = read(data({"changed.csv"}));
    VERIFY_OK(browser->page({}, 0, 5));
    write("changed.csv", rows(0, 90));
    VERIFY_ERROR(browser->page({}, 0, 5), "csv.changed");
}

void TstTableBrowser::trickyTablesAreBrowsedAsTheyAreRead_data()
{
    QTest::addColumn<QString>("file");
    const QDir folder(CANNERY_SOURCE_DIR "/tests/golden/tricky_csv");
    for (const QString& name : folder.entryList({"*.csv", "*.tsv"})) {
        QTest::newRow(qPrintable(name)) << folder.filePath(name);
    }
}

void TstTableBrowser::trickyTablesAreBrowsedAsTheyAreRead()
{
    QFETCH(const QString, file);
    const spec::Data described = data({file});
    auto source = openDataSource(described.train(), {.badRows = spec::BadRows::SKIP});
    if (!source) {
        return;
    }
    const auto expected = (*source)->preview(1000);
    const auto browser = std::move(*TableBrowser::create(described, std::move(*source)));
    if (!browser->read({})) {
        return; // the error is that of any other pass
    }
    const auto page = browser->page({}, 0, 1000);
    VERIFY_OK(page);
    VERIFY_OK(expected);
    QCOMPARE(page->total, browser->extent().rows);
    if (browser->extent().refused == 0) {
        QVERIFY(page->texts == *expected);
    }
}

CANNERY_TEST(TstTableBrowser)
#include "tst_table_browser.moc"
