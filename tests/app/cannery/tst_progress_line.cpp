// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/reports/progress_printer.h"
#include "core/base/utf8.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cstdlib>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

using namespace cannery;
using namespace cannery::app;

namespace {

/// A terminal of this width in place of stderr while it exists.
class NarrowTerminal
{
public:
    explicit NarrowTerminal(unsigned short columns)
        : m_master(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)), m_stderr(dup(STDERR_FILENO))
    {
        grantpt(m_master);
        unlockpt(m_master);
        const int slave = open(ptsname(m_master), O_RDWR | O_NOCTTY | O_CLOEXEC);
        const winsize size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
        ioctl(slave, TIOCSWINSZ, &size);
        dup2(slave, STDERR_FILENO);
        close(slave);
    }
    ~NarrowTerminal()
    {
        dup2(m_stderr, STDERR_FILENO);
        close(m_stderr);
        close(m_master);
    }
    NarrowTerminal(const NarrowTerminal&) = delete;
    NarrowTerminal& operator=(const NarrowTerminal&) = delete;

    /// What was written to it.
    std::string shown() const
    {
        std::string text(4096, '\0');
        const ssize_t count = read(m_master, text.data(), text.size());
        text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
        return text;
    }

private:
    int m_master;
    int m_stderr;
};

} // namespace

class TstProgressLine : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void itFitsIntoTheTerminal_data();
    void itFitsIntoTheTerminal();
};

void TstProgressLine::itFitsIntoTheTerminal_data()
{
    QTest::addColumn<int>("columns");
    for (const int columns : {20, 40, 60, 80, 81, 200}) {
        QTest::addRow("%d columns", columns) << columns;
    }
}

void TstProgressLine::itFitsIntoTheTerminal()
{
    QFETCH(int, columns);
    std::string shown;
    {
        const NarrowTerminal terminal(static_cast<unsigned short>(columns));
        Console console;
        ProgressPrinter printer(console);
        train::Progress progress;
        progress.globalStep = 123456;
        progress.maxSteps = 1000000;
        progress.loss = 12345.6789;
        progress.stepsPerSecond = 12345;
        progress.secondsLeft = 3700;
        printer.progressed(progress);
        shown = terminal.shown();
    }
    QVERIFY(shown.starts_with(Console::kClearLine));
    const std::string line = shown.substr(Console::kClearLine.size());
    QVERIFY(line.find("step 123456") != std::string::npos);
    QVERIFY2(characterCount(line) < static_cast<std::size_t>(columns), line.c_str());
    QVERIFY2(columns < 80 || line.ends_with("1 h 1 m left"), line.c_str());
    QVERIFY(columns < 80 || line.starts_with("█"));
    QVERIFY(columns > 60 || line.ends_with("…") || characterCount(line) < 60);
}

CANNERY_TEST(TstProgressLine)
#include "tst_progress_line.moc"
