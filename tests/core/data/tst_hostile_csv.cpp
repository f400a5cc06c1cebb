// SPDX-License-Identifier: Apache-2.0
#include "core/data/sources/data_source.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>
#include <QTest>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <fstream>

using namespace cannery;
using namespace cannery::data;

/// Malicious files: each is read or refused quickly and in little memory. Each is read in a
/// separate process, whose memory and time are measured.
class TstHostileCsv : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void isReadOrRefusedWithinTheLimits_data();
    void isReadOrRefusedWithinTheLimits();

private:
    QTemporaryDir m_folder;
};

namespace {

constexpr std::int64_t kMebibyte = 1 << 20;

/// A file: a beginning, then a repeated piece, then an end.
struct Recipe
{
    std::string begin;
    std::string piece;
    std::int64_t bytes = 0; ///< approximate total of the pieces
    std::string end;
    bool gzip = false;
};

void writeRecipe(const Recipe& recipe, const std::string& path)
{
    std::string block;
    while (!recipe.piece.empty() && block.size() < 1U << 16U) {
        block += recipe.piece;
    }
    // Compression level 1; "T" writes the bytes uncompressed.
    gzFile file = gzopen(path.c_str(), recipe.gzip ? "wb1" : "wbT");
    const auto put = [&](const std::string& text) {
        if (!text.empty()) {
            gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
        }
    };
    put(recipe.begin);
    const std::int64_t size = std::max<std::int64_t>(1, static_cast<std::int64_t>(block.size()));
    for (std::int64_t written = 0; written < recipe.bytes; written += size) {
        put(block);
    }
    put(recipe.end);
    gzclose(file);
}

/// "rows N", or the id and message of the error.
std::string readHostile(const std::string& path)
{
    spec::DataSource message;
    message.mutable_csv()->add_files(path);
    const auto source = openDataSource(message, {});
    if (!source) {
        return source.error().id + " " + source.error().sentence;
    }
    ChunkRequest request;
    for (const std::string& column : (*source)->schema().names()) {
        request.columns.push_back({.column = column});
    }
    const auto stream = (*source)->read(request);
    if (!stream) {
        return stream.error().id + " " + stream.error().sentence;
    }
    while (true) {
        const auto chunk = (*stream)->next();
        if (!chunk) {
            return chunk.error().id + " " + chunk.error().sentence;
        }
        if (!*chunk) {
            return fmt::format("rows {}", (*stream)->report().rows);
        }
    }
}

struct Outcome
{
    std::string said;
    double megabytes = 0; ///< peak memory
    double seconds = 0;   ///< of CPU time
    bool ended = false;   ///< normally, not by a signal
};

Outcome readElsewhere(const std::string& path)
{
    int ends[2] = {};
    if (pipe(ends) != 0) {
        return {};
    }
    const pid_t child = fork();
    if (child == 0) {
        const std::string said = readHostile(path);
        const bool isWritten =
            ::write(ends[1], said.data(), said.size()) == static_cast<ssize_t>(said.size());
        _exit(isWritten ? 0 : 1);
    }
    close(ends[1]);
    Outcome outcome;
    char bytes[4096];
    for (ssize_t got = 0; (got = read(ends[0], bytes, sizeof bytes)) > 0;) {
        outcome.said.append(bytes, static_cast<std::size_t>(got));
    }
    close(ends[0]);
    int status = 0;
    rusage used = {};
    wait4(child, &status, 0, &used);
    outcome.ended = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    outcome.megabytes = static_cast<double>(used.ru_maxrss) / 1024;
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
    };
    outcome.seconds = seconds(used.ru_utime) + seconds(used.ru_stime);
    return outcome;
}

std::string repeated(std::string_view piece, std::size_t times)
{
    std::string text;
    for (std::size_t i = 0; i < times; ++i) {
        text += piece;
    }
    return text;
}

} // namespace

Q_DECLARE_METATYPE(Recipe)

void TstHostileCsv::isReadOrRefusedWithinTheLimits_data()
{
    QTest::addColumn<Recipe>("recipe");
    QTest::addColumn<QString>("expected"); ///< beginning of the outcome
    const std::int64_t tooLong = 70 * kMebibyte;
    const auto row = [](const char* name, const Recipe& recipe, const char* expected) {
        QTest::newRow(name) << recipe << QString(expected);
    };
    row("a line of 70 MiB", {"a,b\n1,", "x", tooLong}, "csv.record_too_long");
    row("a header of 70 MiB", {"a,", "x", tooLong}, "csv.record_too_long");
    row("a million columns", {"", "c,", 2 * kMebibyte, "c\n1\n"}, "csv.too_many_columns");
    row("a header of commas", {"", ",", tooLong}, "csv.record_too_long");
    row("a row of a million fields", {"a,b\n1,2\n", "1,", 2 * kMebibyte, "1\n"}, "csv.field_count");
    row("a row of 60 MiB of commas", {"a,b\n1,2\n", ",", 60 * kMebibyte, "\n"}, "csv.field_count");
    row("a quote that is never closed", {"a,b\n1,\"", "x,y\n", tooLong}, "csv.record_too_long");
    row("a short file with an open quote", {"a,b\n1,\"", "x,y\n", 1000}, "csv.open_quote");
    row("doubled quotes without end", {"a,b\n1,\"", "\"\"", tooLong}, "csv.record_too_long");
    row("quotes within quotes", {"a,b\n", "\"\"\"x\"\"\",\"\"\"\"\"\"\n", 4 * kMebibyte}, "rows ");
    row("text behind every quote", {"a,b\n1,2\n", "\"x\"y,\"z\"\n", 4 * kMebibyte},
        "csv.text_after_quote");
    row("nothing but NUL bytes", {"a,b\n", std::string(1, '\0'), tooLong}, "csv.record_too_long");
    row("a NUL in a text", {"a,b\n1,x\n2,", std::string(1, '\0'), 1, "\n"}, "csv.nul_byte");
    const std::string wideRow("1\0,\0"
                              "2\0\n\0",
                              8);
    const std::string wideHeader("\xFF\xFE"
                                 "a\0,\0"
                                 "b\0\n\0",
                                 10);
    // The byte at its end is a line below the table.
    row("UTF-16", {wideHeader, wideRow, kMebibyte, std::string("3", 1)}, "rows ");
    row("UTF-16 without end of line", {wideHeader, std::string("1\0", 2), 2 * tooLong},
        "csv.record_too_long");
    row("lone surrogates", {wideHeader, std::string("\0\xD8", 2), 8 * kMebibyte}, "csv.");
    row("a packed bomb of lone surrogates",
        {wideHeader, std::string("\0\xD8,\0\0\xDC\n\0", 8), 4 * kMebibyte, "", true}, "");
    row("a spreadsheet",
        {std::string("PK\x03\x04\x14\0\x06\0", 8), "[Content_Types].xml", 1, "xl/workbook.xml"},
        "csv.spreadsheet");
    row("an older spreadsheet", {"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", std::string(1, '\0'), 4096},
        "csv.spreadsheet");
    row("a zip archive", {std::string("PK\x03\x04\x14\0\x06\0", 8), "table.csv", 1},
        "csv.zip_archive");
    row("not UTF-8", {"a,b\n1,x\n2,\xC3(\n"}, "csv.invalid_utf8");
    row("lone CRs", {"a,b\r", "1,2\r", 4 * kMebibyte}, "rows ");
    row("nothing but line ends", {"a,b\n1,2\n", "\n", tooLong}, "rows 1");
    row("a number beyond everything", {"a,b\n1,2\n3,1e999999999\n"}, "rows 2");
    row("a number of a million digits", {"a,b\n1,2\n3,", "9", kMebibyte, "\n"}, "rows 2");
    row("a fraction of a million digits", {"a,b\n1,2\n3,0.", "7", kMebibyte, "\n"}, "rows 2");
    row("a field of more than 16 MiB", {"a,b\n1,", "x", 17 * kMebibyte, "\n"}, "csv.field_length");
    row("ragged rows", {"a,b\n1,2\n", "1\n1,2,3\n", 4 * kMebibyte}, "csv.field_count");
    row("names twice, 60000 times", {"", "c,", 120000 - (1 << 16), "c\n1\n"},
        "csv.duplicate_column");
    row("a gzip bomb", {"a,b\n", std::string(1, '\0'), 200 * kMebibyte, "", true}, "");
    row("a gzip bomb of good rows", {"a,b\n", "1,2\n", 200 * kMebibyte, "", true}, "");
    row("a gzip file that breaks off", {repeated("\x1F\x8B\x08", 1), "", 0, ""}, "");
}

void TstHostileCsv::isReadOrRefusedWithinTheLimits()
{
    QFETCH(const Recipe, recipe);
    QFETCH(const QString, expected);
    const std::string path = m_folder.filePath("hostile.csv").toStdString();
    writeRecipe(recipe, path);
    const Outcome outcome = readElsewhere(path);
    const QString said = QString::fromStdString(outcome.said);
    QVERIFY2(outcome.ended, qPrintable(said));
    QVERIFY2(said.startsWith(expected), qPrintable(said.left(300)));
    // A refusal without an expected id still counts as one.
    QVERIFY2(!expected.isEmpty() || !said.startsWith("rows "), qPrintable(said.left(300)));
    QVERIFY(outcome.said.size() < 4000);
#if !defined(__SANITIZE_ADDRESS__) && !defined(CANNERY_SANITIZES_THREADS)
    QVERIFY2(outcome.megabytes < 256, qPrintable(QString::number(outcome.megabytes)));
    // A second on the development machine; others may be slower.
    QVERIFY2(outcome.seconds < 10, qPrintable(QString::number(outcome.seconds)));
#endif
    if (qEnvironmentVariableIsSet("CANNERY_HOSTILE_FIGURES")) {
        qInfo("%.2f s, %.0f MiB: %.90s", outcome.seconds, outcome.megabytes, qPrintable(said));
    }
}

CANNERY_TEST(TstHostileCsv)
#include "tst_hostile_csv.moc"
