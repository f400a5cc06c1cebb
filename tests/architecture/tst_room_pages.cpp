// SPDX-License-Identifier: Apache-2.0
#include "tests/architecture/layering_table.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <QTest>

using cannery::tests::LayeringRow;
using cannery::tests::layeringTable;

/// What a stranger reads first: a page in each room, the walks through the tree, CONTRIBUTING.
class TstRoomPages : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyRoomHasAShortPage();
    void everyRoomIsInContributing();
    void namedFilesExist_data();
    void namedFilesExist();
};

namespace {

constexpr qsizetype kMostLines = 60;

QString root()
{
    return QStringLiteral(CANNERY_SOURCE_DIR "/");
}

QString textOf(const QString& path)
{
    QFile file(root() + path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

/// Files and folders of the tree that a text names in backquotes, or links to.
QStringList pathsIn(const QString& text)
{
    static const QRegularExpression kQuoted(
        R"(`([\w./-]+\.(?:h|cpp|cu|proto|md|py|sh|svg|cmake)|(?:app|core|kernels|storage|ui|tests|resources|packaging)/[\w./-]*/)`)");
    static const QRegularExpression kLinked(R"(\]\(([\w./-]+)(?:#[\w-]*)?\))");
    QStringList paths;
    for (const QRegularExpression& pattern : {kQuoted, kLinked}) {
        auto found = pattern.globalMatch(text);
        while (found.hasNext()) {
            paths << found.next().captured(1);
        }
    }
    return paths;
}

} // namespace

void TstRoomPages::everyRoomHasAShortPage()
{
    QStringList wrong;
    for (const LayeringRow& row : layeringTable()) {
        const QString room = QString::fromStdString(row.room);
        const QString page = textOf(room + "/README.md");
        if (!page.startsWith("# " + room + ": ") || page.count('\n') > kMostLines) {
            wrong << room;
        }
    }
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(", ")));
}

/// By its own name, or as one of `kernels/{device,math}`.
void TstRoomPages::everyRoomIsInContributing()
{
    const QString text = textOf("CONTRIBUTING.md");
    QStringList wrong;
    for (const LayeringRow& row : layeringTable()) {
        const QString room = QString::fromStdString(row.room);
        const QRegularExpression group("`" + room.section('/', 0, -2) + "/\\{([a-z,_]+,)?" +
                                       room.section('/', -1) + "(,[a-z,_]+)?\\}`");
        if (!text.contains("`" + room + "`") && !group.match(text).hasMatch()) {
            wrong << room;
        }
    }
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(", ")));
}

void TstRoomPages::namedFilesExist_data()
{
    QTest::addColumn<QString>("page");
    QStringList pages{"CONTRIBUTING.md", "WALKS.md", "tests/architecture/walks.md",
                      "kernels/README.md"};
    for (const LayeringRow& row : layeringTable()) {
        pages << QString::fromStdString(row.room) + "/README.md";
    }
    for (const QString& page : pages) {
        QTest::addRow("%s", qPrintable(page)) << page;
    }
}

/// Beside the page or in the tree. CONTRIBUTING also names files without their folder, and such as
/// would be written for a new member.
void TstRoomPages::namedFilesExist()
{
    QFETCH(QString, page);
    const QString text = textOf(page);
    QVERIFY(!text.isEmpty());
    const QString folder = QFileInfo(root() + page).path() + "/";
    QStringList missing;
    for (const QString& path : pathsIn(text)) {
        if (page == "CONTRIBUTING.md" && !path.contains('/')) {
            continue;
        }
        if (!QFileInfo::exists(folder + path) && !QFileInfo::exists(root() + path)) {
            missing << path;
        }
    }
    QVERIFY2(missing.isEmpty(), qPrintable(missing.join(", ")));
}

CANNERY_TEST(TstRoomPages)
#include "tst_room_pages.moc"
