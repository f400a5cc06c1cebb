// SPDX-License-Identifier: Apache-2.0
#include "core/base/folder_name.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <string>

using namespace cannery;
using namespace std::string_literals;

class TstFolderName : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void takesWhatPeopleWrite();
    void refusesWhatIsMoreThanAName_data();
    void refusesWhatIsMoreThanAName();
};

void TstFolderName::takesWhatPeopleWrite()
{
    for (const std::string& name : {"best"s, "best exporter"s, "Größe"s, "a.b"s, "..."s, "-x"s}) {
        QVERIFY2(isFolderName(name), name.c_str());
    }
    QVERIFY(isFolderName(std::string(240, 'a')));
}

void TstFolderName::refusesWhatIsMoreThanAName_data()
{
    QTest::addColumn<QByteArray>("name");
    QTest::newRow("empty") << QByteArray();
    QTest::newRow("this folder") << QByteArray(".");
    QTest::newRow("the folder above") << QByteArray("..");
    QTest::newRow("slash") << QByteArray("a/b");
    QTest::newRow("absolute") << QByteArray("/tmp");
    QTest::newRow("zero byte") << QByteArray("a\0b", 3);
    QTest::newRow("newline") << QByteArray("a\nb");
    QTest::newRow("escape") << QByteArray("a\x1b[2J");
    QTest::newRow("delete") << QByteArray("a\x7f");
    QTest::newRow("not UTF-8") << QByteArray("a\xff");
    QTest::newRow("too long") << QByteArray(241, 'a');
}

void TstFolderName::refusesWhatIsMoreThanAName()
{
    QFETCH(const QByteArray, name);
    QVERIFY(!isFolderName({name.constData(), static_cast<std::size_t>(name.size())}));
}

CANNERY_TEST(TstFolderName)
#include "tst_folder_name.moc"
