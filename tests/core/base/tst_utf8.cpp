// SPDX-License-Identifier: Apache-2.0
#include "core/base/utf8.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace cannery;

namespace {

const std::string kReplaced = "\xEF\xBF\xBD";

} // namespace

class TstUtf8 : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void validTextsStayAsTheyAre();
    void everyByteThatIsNotValidIsReplaced();
};

void TstUtf8::validTextsStayAsTheyAre()
{
    for (const std::string& text : {std::string(), std::string("plain"), std::string("größer €𝄞"),
                                    std::string("a\0b", 3), std::string("\xF4\x8F\xBF\xBF")}) {
        QVERIFY(isUtf8(text));
        QCOMPARE(findInvalidUtf8(text), std::string_view::npos);
        QCOMPARE(toUtf8(text), text);
    }
}

void TstUtf8::everyByteThatIsNotValidIsReplaced()
{
    QCOMPARE(toUtf8("caf\xE9"), "caf" + kReplaced);
    QCOMPARE(toUtf8("\xFF then more than eight letters"),
             kReplaced + " then more than eight letters");
    QCOMPARE(toUtf8("\xC0\xAF"), kReplaced + kReplaced);                 // overlong
    QCOMPARE(toUtf8("\xED\xA0\x80"), kReplaced + kReplaced + kReplaced); // a surrogate
    QCOMPARE(toUtf8("\xF4\x90\x80\x80").size(), 4 * kReplaced.size());   // beyond U+10FFFF
    QCOMPARE(toUtf8("cut \xE2\x82"), "cut " + kReplaced + kReplaced);
    QCOMPARE(findInvalidUtf8("0123456789\xFE"), std::size_t{10});
    QVERIFY(!isUtf8("\x80"));
    QVERIFY(isUtf8(toUtf8("\x80\xC3\xE4\xBD\xF0\x9F")));
}

CANNERY_TEST(TstUtf8)
#include "tst_utf8.moc"
