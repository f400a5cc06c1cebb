// SPDX-License-Identifier: Apache-2.0
#include "core/export/program/python_text.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <limits>

using namespace cannery::exporting;

class TstPythonText : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void textsAreQuoted();
    void numbersAreReadAsTheSameDoubles();
    void namesBecomeIdentifiers();
    void shortCallsStayOnOneLine();
    void longCallsHaveAnArgumentPerLine();
    void longListsAreFilled();
};

void TstPythonText::textsAreQuoted()
{
    QCOMPARE(pythonText("it's \\ \n\t\x01"), std::string(R"('it\'s \\ \n\t\x01')"));
    QCOMPARE(pythonText("Zürich"), std::string("'Zürich'"));
}

void TstPythonText::numbersAreReadAsTheSameDoubles()
{
    QCOMPARE(pythonNumber(0.1), std::string("0.1"));
    QCOMPARE(pythonNumber(-3), std::string("-3.0"));
    QCOMPARE(pythonNumber(1e-7), std::string("1e-07"));
    QCOMPARE(std::stod(pythonNumber(1.0 / 3)), 1.0 / 3);
    QCOMPARE(pythonNumber(-std::numeric_limits<double>::infinity()), std::string("float('-inf')"));
    QCOMPARE(pythonNumber(std::numeric_limits<double>::quiet_NaN()), std::string("float('nan')"));
}

void TstPythonText::namesBecomeIdentifiers()
{
    QCOMPARE(pythonIdentifier("sex X age"), std::string("sex_X_age"));
    QCOMPARE(pythonIdentifier("2nd"), std::string("_2nd"));
    QCOMPARE(pythonIdentifier("class"), std::string("class_"));
    QCOMPARE(pythonIdentifier("tf"), std::string("tf_"));
    QCOMPARE(pythonIdentifier(""), std::string("_"));
}

void TstPythonText::shortCallsStayOnOneLine()
{
    QCOMPARE(PythonCall("f").add("1").add("x", "2").text(), std::string("f(1, x=2)"));
}

void TstPythonText::longCallsHaveAnArgumentPerLine()
{
    const std::string inner = PythonCall("g").add("y", std::string(90, 'z')).text();
    QCOMPARE(PythonCall("f").add("a", "1").add("b", inner).text(),
             "f(\n    a=1,\n    b=g(\n        y=" + std::string(90, 'z') + "))");
}

void TstPythonText::longListsAreFilled()
{
    const std::string word(40, 'w');
    QCOMPARE(pythonList({"a", "b"}), std::string("[a, b]"));
    QCOMPARE(pythonList({word, word, word}),
             "[\n    " + word + ", " + word + ",\n    " + word + ",\n]");
}

CANNERY_TEST(TstPythonText)
#include "tst_python_text.moc"
