// SPDX-License-Identifier: Apache-2.0
#include "tests/support/test_main.h"

#include "tests/support/test_runner.h"

#include <QApplication>
#include <QLocale>
#include <QTemporaryDir>
#include <QTest>

#include <array>
#include <cstdio>

namespace cannery::tests {
namespace {

QtMessageHandler previousHandler = nullptr;

/// Lines that the offscreen platform plug-in says by itself.
bool isOfThePlatform(const QString& text)
{
    static const std::array<const char*, 3> kLines{
        "This plugin does not support grabbing the keyboard",
        "This plugin does not support propagateSizeHints()",
        "This plugin does not support raise()"};
    for (const char* line : kLines) {
        if (text.contains(QLatin1String(line))) {
            return true;
        }
    }
    return false;
}

/// Any warning of Qt is a mistake of ours.
void failOnWarning(QtMsgType type, const QMessageLogContext& context, const QString& text)
{
    if (isOfThePlatform(text)) {
        return;
    }
    if ((type == QtWarningMsg || type == QtCriticalMsg) && QTest::currentTestFunction()) {
        QTest::qFail(qPrintable("Qt warns: " + text), context.file ? context.file : "",
                     context.line);
    }
    if (previousHandler) {
        previousHandler(type, context, text);
    }
}

/// The same machine for every test: no file, setting or font size of the person who runs it.
void standOnFixedGround(const QTemporaryDir& home)
{
    qputenv("QTEST_DISABLE_STACK_DUMP", "1");
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) {
        qputenv("QT_QPA_PLATFORM", "offscreen");
    }
    for (const char* name : {"XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"}) {
        qputenv(name, (home.path() + '/' + QString::fromLatin1(name).toLower()).toUtf8());
    }
    qputenv("QT_SCALE_FACTOR", "1");
    // Of another language in a second run of some classes.
    QLocale::setDefault(QLocale(qEnvironmentVariable("CANNERY_TEST_LOCALE", "en_US")));
}

} // namespace

int runTests(int argc, char** argv, const std::vector<TestClass>& classes)
{
    const QTemporaryDir home;
    standOnFixedGround(home);
    QApplication application(argc, argv);
    application.setDesktopSettingsAware(false);
    previousHandler = qInstallMessageHandler(failOnWarning);
    const int failures = runClasses(argc, argv, classes);
    qInstallMessageHandler(nullptr);
    return failures;
}

} // namespace cannery::tests
