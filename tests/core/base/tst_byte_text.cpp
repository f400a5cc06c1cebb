// SPDX-License-Identifier: Apache-2.0
#include "core/base/byte_text.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace cannery;

class TstByteText : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void takesTheUnitThatFits_data();
    void takesTheUnitThatFits();
};

void TstByteText::takesTheUnitThatFits_data()
{
    QTest::addColumn<double>("bytes");
    QTest::addColumn<QString>("text");
    const auto row = [](double bytes, const char* text) { QTest::newRow(text) << bytes << text; };
    row(0, "0 bytes");
    row(1, "1 byte");
    row(999, "999 bytes");
    row(1000, "1.0 kB");
    row(999'949, "999.9 kB");
    row(999'950, "1.0 MB");
    row(1'234'567, "1.2 MB");
    row(400.5e6, "400.5 MB");
    row(1.5e9, "1.5 GB");
    row(2e12, "2.0 TB");
    row(9.2e18, "9.2 EB");
    row(1e24, "1000000.0 EB");
    QTest::newRow("below 0") << -5.0 << "0 bytes";
}

void TstByteText::takesTheUnitThatFits()
{
    QFETCH(double, bytes);
    QFETCH(QString, text);
    QCOMPARE(QString::fromStdString(byteText(bytes)), text);
}

CANNERY_TEST(TstByteText)
#include "tst_byte_text.moc"
