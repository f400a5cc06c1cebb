// SPDX-License-Identifier: Apache-2.0
#include "core/launch/announcement.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace cannery::launch;

/// What an engine in the background tells its supervisor.
class TstAnnouncement : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void announcementsAreReadAsWritten();
};

void TstAnnouncement::announcementsAreReadAsWritten()
{
    QCOMPARE(parseAnnouncement(announcementText({.opened = "/a \"b\"\n/c"})).opened,
             std::string("/a \"b\"\n/c"));
    const Announcement run = parseAnnouncement(announcementText({.run = "r", .folder = "/r"}));
    QCOMPARE(run.run, std::string("r"));
    QCOMPARE(run.folder, std::string("/r"));
    QVERIFY(run.error.empty() && run.opened.empty());
    const std::string error = R"({"error":{"id":"x.y","sentence":"No."}})";
    QCOMPARE(parseAnnouncement(announcementText({.error = error})).error, error);
    QVERIFY(parseAnnouncement("rubbish").run.empty());
}

CANNERY_TEST(TstAnnouncement)
#include "tst_announcement.moc"
