// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "ui/services/projects/settings.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace cannery::ui;
using cannery::tests::kPatience;

class TstSettings : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aChoiceIsToldAtOnceAndKept();
    void sameChoiceIsNotToldAgain();
    void valuesStayWithinTheirRange();
    void anotherWindowsChoiceIsTakenOver();
    void anythingElseIsKeptToo();

private:
    QTemporaryDir m_folder;
};

void TstSettings::aChoiceIsToldAtOnceAndKept()
{
    const QString file = m_folder.filePath(QStringLiteral("a.ini"));
    {
        Settings settings(file);
        QSignalSpy changed(&settings, &Settings::changed);
        QCOMPARE(settings.theme(), Settings::ThemeChoice::Desktop);
        settings.setTheme(Settings::ThemeChoice::Dark);
        settings.setTextScale(1.5);
        settings.setNotifies(false);
        QCOMPARE(changed.size(), 3);
        QCOMPARE(changed.first().first().toString(), QStringLiteral("theme"));
        QCOMPARE(settings.theme(), Settings::ThemeChoice::Dark);
    }
    const Settings settings(file);
    QCOMPARE(settings.theme(), Settings::ThemeChoice::Dark);
    QCOMPARE(settings.textScale(), 1.5);
    QVERIFY(!settings.notifies());
}

void TstSettings::sameChoiceIsNotToldAgain()
{
    Settings settings(m_folder.filePath(QStringLiteral("b.ini")));
    settings.setThreads(2);
    QSignalSpy changed(&settings, &Settings::changed);
    settings.setThreads(2);
    QVERIFY(changed.isEmpty());
}

void TstSettings::valuesStayWithinTheirRange()
{
    Settings settings(m_folder.filePath(QStringLiteral("c.ini")));
    settings.setTextScale(7);
    QCOMPARE(settings.textScale(), 2.0);
    settings.setTextScale(0.1);
    QCOMPARE(settings.textScale(), 1.0);
    settings.setRestarts(99);
    QCOMPARE(settings.restarts(), 3);
    settings.setChartMemoryLimit(1);
    QCOMPARE(settings.chartMemoryLimit(), 64'000'000LL);
    QVERIFY(settings.projectsFolder().endsWith(QLatin1String("/Cannery")));
}

void TstSettings::anotherWindowsChoiceIsTakenOver()
{
    const QString file = m_folder.filePath(QStringLiteral("d.ini"));
    Settings first(file);
    Settings second(file);
    QSignalSpy changed(&second, &Settings::changed);
    first.setTheme(Settings::ThemeChoice::Light);
    QTRY_COMPARE_WITH_TIMEOUT(second.theme(), Settings::ThemeChoice::Light, kPatience);
    QCOMPARE(changed.size(), 1);
    QCOMPARE(changed.first().first().toString(), QStringLiteral("theme"));
}

void TstSettings::anythingElseIsKeptToo()
{
    const QString file = m_folder.filePath(QStringLiteral("e.ini"));
    const QByteArray geometry("\0\1\2ab", 5);
    {
        Settings settings(file);
        settings.setValue(QStringLiteral("window/geometry"), geometry);
        settings.setValue(QStringLiteral("gone"), 1);
        settings.setValue(QStringLiteral("gone"), {});
    }
    const Settings settings(file);
    QCOMPARE(settings.value(QStringLiteral("window/geometry")).toByteArray(), geometry);
    QVERIFY(!settings.value(QStringLiteral("gone")).isValid());
}

CANNERY_TEST(TstSettings)
#include "tst_settings.moc"
