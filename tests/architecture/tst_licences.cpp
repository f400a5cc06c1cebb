// SPDX-License-Identifier: Apache-2.0
#include "tests/support/test_main.h"

#include <QDirIterator>
#include <QFile>
#include <QTest>

/// LICENSE says which folders are under which licence; each source file repeats it.
class TstLicences : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everySourceNamesItsLicence();
    void theFullTextsAreHere();
};

namespace {

/// Qt Charts is GPL-3.0 without a commercial licence of Qt, and so is what links it.
bool isOfTheWindow(const QString& path)
{
    for (const char* room :
         {"ui/", "app/workbench/", "tests/ui/", "tests/workbench/", "tests/accessibility/",
          "resources/translations/", "tests/interop/show_summaries.cpp"}) {
        if (path.startsWith(QLatin1String(room))) {
            return true;
        }
    }
    return false;
}

QByteArray startOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.read(400) : QByteArray();
}

} // namespace

void TstLicences::everySourceNamesItsLicence()
{
    const QString root = QStringLiteral(CANNERY_SOURCE_DIR) + "/";
    QStringList wrong;
    int seen = 0;
    for (const char* room :
         {"app", "core", "kernels", "packaging", "resources", "storage", "tests", "ui"}) {
        QDirIterator files(root + room,
                           {"*.h", "*.cpp", "*.proto", "*.py", "*.sh", "*.cmake", "CMakeLists.txt"},
                           QDir::Files, QDirIterator::Subdirectories);
        while (files.hasNext()) {
            const QString path = files.next();
            const QString licence =
                isOfTheWindow(path.mid(root.size())) ? "GPL-3.0-only" : "Apache-2.0";
            const QList<QByteArray> lines = startOf(path).split('\n');
            const QByteArray& line =
                lines.size() > 1 && lines[0].startsWith("#!") ? lines[1] : lines[0];
            if (!line.endsWith(" SPDX-License-Identifier: " + licence.toLatin1())) {
                wrong.append(path.mid(root.size()) + " should be " + licence);
            }
            ++seen;
        }
    }
    QVERIFY(seen > 1000);
    QCOMPARE(wrong, QStringList());
}

void TstLicences::theFullTextsAreHere()
{
    const QString root = QStringLiteral(CANNERY_SOURCE_DIR) + "/";
    QVERIFY(startOf(root + "packaging/licenses/Apache-2.0.txt").contains("Apache License"));
    QVERIFY(startOf(root + "packaging/licenses/GPL-3.0-only.txt")
                .contains("GNU GENERAL PUBLIC LICENSE"));
    const QByteArray overview = startOf(root + "LICENSE");
    QVERIFY(overview.contains("Apache-2.0"));
    QVERIFY(overview.contains("GPL-3.0-only"));
}

CANNERY_TEST(TstLicences)
#include "tst_licences.moc"
