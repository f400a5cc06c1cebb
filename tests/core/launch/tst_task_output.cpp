// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/console/console.h"
#include "core/launch/task_output.h"
#include "storage/io/files.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>
#include <QTest>

using namespace cannery;
using namespace cannery::launch;

/// What a launcher does with the output of its tasks.
class TstTaskOutput : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void linesGoToTheLogHoweverTheyArrive();
    void progressStaysOutOfTheLog();
    void aLineThatWasCutOffIsKept();
    void onlyTheLastProcessHasAResult();
    void longResultsAreCut();
    void lastLinesOfALog();

private:
    std::string log() const { return storage::readWholeFile(m_file).value_or("no log"); }
    TaskOutput output()
    {
        return {m_console, std::move(*storage::realFileSystem().create(m_file))};
    }

    QTemporaryDir m_folder;
    std::string m_file;
    app::Console m_console;
};

void TstTaskOutput::init()
{
    m_file = m_folder.filePath("chief-0.log").toStdString();
}

void TstTaskOutput::linesGoToTheLogHoweverTheyArrive()
{
    TaskOutput output = this->output();
    for (const char c : std::string("one\ntwo\n\nthree\n")) {
        output.takeDiagnostics(std::string_view(&c, 1));
    }
    QCOMPARE(log(), std::string("one\ntwo\n\nthree\n"));
    output.takeDiagnostics("four\nfive\nsi");
    QCOMPARE(log(), std::string("one\ntwo\n\nthree\nfour\nfive\n"));
}

void TstTaskOutput::progressStaysOutOfTheLog()
{
    const std::string text = "first\n\r\033[Kstep 1\r\033[Kstep 2\r\033[Ksecond\n"
                             "\r\033[Kstep 3\r\033[Kthird\n\r\033[Kstep 4";
    for (const std::size_t atOnce : {text.size(), std::size_t{1}, std::size_t{3}}) {
        TaskOutput output = this->output();
        for (std::size_t i = 0; i < text.size(); i += atOnce) {
            output.takeDiagnostics(std::string_view(text).substr(i, atOnce));
        }
        output.ended();
        QCOMPARE(log(), std::string("first\nsecond\nthird\n"));
    }
}

void TstTaskOutput::aLineThatWasCutOffIsKept()
{
    TaskOutput output = this->output();
    output.takeDiagnostics("whole\nhal");
    output.ended();
    output.takeDiagnostics("next\n");
    QCOMPARE(log(), std::string("whole\nhal\nnext\n"));
}

void TstTaskOutput::onlyTheLastProcessHasAResult()
{
    TaskOutput output = this->output();
    output.began();
    output.takeResult("of the first");
    output.began();
    output.takeResult("of the ");
    output.takeResult("second");
    QCOMPARE(output.result(), std::string("of the second"));
    QCOMPARE(log(), std::string("of the firstof the second"));
}

void TstTaskOutput::longResultsAreCut()
{
    TaskOutput output = this->output();
    const std::string chunk(300'000, 'x');
    for (int i = 0; i < 5; ++i) {
        output.takeResult(chunk);
    }
    QCOMPARE(output.result().size(), std::size_t{1} << 20U);
}

void TstTaskOutput::lastLinesOfALog()
{
    using Lines = std::vector<std::string>;
    QCOMPARE(lastLines(m_folder.filePath("absent").toStdString(), 3), Lines());
    const auto linesOf = [&](const std::string& text) {
        (void)(*storage::realFileSystem().create(m_file))->append(text);
        return lastLines(m_file, 3);
    };
    QCOMPARE(linesOf(""), Lines());
    QCOMPARE(linesOf("\n\n"), Lines());
    QCOMPARE(linesOf("a"), Lines({"a"}));
    QCOMPARE(linesOf("a\nb\n"), Lines({"a", "b"}));
    QCOMPARE(linesOf("a\nb\n\nd\n"), Lines({"b", "", "d"}));
    QCOMPARE(linesOf(std::string(100'000, '\n') + "b\nc"), Lines({"", "b", "c"}));
    QCOMPARE(linesOf(std::string(100'000, 'x')), Lines({std::string(16384, 'x')}));
}

CANNERY_TEST(TstTaskOutput)
#include "tst_task_output.moc"
