// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/test_main.h"
#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QApplication>
#include <QTest>

#include <array>
#include <cmath>

using namespace cannery::ui;

/// Contrast and accessibility of the theme, computed from the tokens.
class TstThemeTokens : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void contrastsAreThoseOfTheTable_data();
    void contrastsAreThoseOfTheTable();
    void D34_textHasFourAndAHalfToOneInBothThemes_data();
    void D34_textHasFourAndAHalfToOneInBothThemes();
    void D34_curvesHaveThreeToOneInBothThemes();
    void sixteenCurvesDifferAlsoForColourBlindEyes();
    void D34_liveSwitchTellsEverybody();
    void textScaleReachesTwoHundredPercent();
    void digitsHaveEqualWidths();
};

namespace {

ThemeTokens tokensOf(bool dark)
{
    applyTheme(*qobject_cast<QApplication*>(qApp), {.dark = dark});
    return tokens();
}

using Pick = QColor (*)(const ThemeTokens&);
#define TOKEN(name) [](const ThemeTokens& t) { return t.name; }

struct Row
{
    const char* name;
    Pick ink;
    Pick ground;
    double light;
    double dark;
};

const std::array<Row, 22> kRows{{
    {"text on surface", TOKEN(text), TOKEN(surface), 16.2, 13.0},
    {"text on canvas", TOKEN(text), TOKEN(canvas), 15.1, 14.4},
    {"text on chrome", TOKEN(text), TOKEN(chrome), 14.0, 15.2},
    {"text2 on surface", TOKEN(text2), TOKEN(surface), 6.4, 7.3},
    {"text2 on canvas", TOKEN(text2), TOKEN(canvas), 6.0, 8.1},
    {"text2 on chrome", TOKEN(text2), TOKEN(chrome), 5.5, 8.5},
    {"text3 on surface", TOKEN(text3), TOKEN(surface), 4.9, 5.1},
    {"text3 on canvas", TOKEN(text3), TOKEN(canvas), 4.6, 5.6},
    {"accent on surface", TOKEN(accent), TOKEN(surface), 5.8, 6.8},
    {"accent on canvas", TOKEN(accent), TOKEN(canvas), 5.4, 7.5},
    {"accent on tint", TOKEN(accent), TOKEN(tint), 4.9, 5.4},
    {"onAccent on accent", TOKEN(onAccent), TOKEN(accent), 5.8, 7.3},
    {"ok on okBg", TOKEN(ok), TOKEN(okBg), 5.2, 7.0},
    {"warn on warnBg", TOKEN(warn), TOKEN(warnBg), 5.4, 7.6},
    {"err on errBg", TOKEN(err), TOKEN(errBg), 5.6, 6.9},
    {"text on warnBg", TOKEN(text), TOKEN(warnBg), 14.5, 11.8},
    {"text on errBg", TOKEN(text), TOKEN(errBg), 13.9, 11.7},
    {"text2 on idleBg", TOKEN(text2), TOKEN(idleBg), 5.3, 6.0},
    {"control on surface", TOKEN(control), TOKEN(surface), 3.2, 3.9},
    {"warnIcon on warnBg", TOKEN(warnIcon), TOKEN(warnBg), 3.6, 6.7},
    {"text on tint", TOKEN(text), TOKEN(tint), 13.8, 10.2},
    {"text2 on tint", TOKEN(text2), TOKEN(tint), 5.5, 5.7},
}};

/// Machado 2009, full severity, on linear light.
using Matrix = std::array<double, 9>;
constexpr Matrix kEyes[] = {
    {1, 0, 0, 0, 1, 0, 0, 0, 1},
    {0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881},
    {0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998},
    {1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.303900}};

std::array<double, 3> labOf(const QColor& colour, const Matrix& eye)
{
    const auto linear = [](double c) {
        return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    };
    const double rgb[] = {linear(colour.redF()), linear(colour.greenF()), linear(colour.blueF())};
    double seen[3];
    for (size_t i = 0; i < 3; ++i) {
        seen[i] = std::clamp(
            eye[3 * i] * rgb[0] + eye[3 * i + 1] * rgb[1] + eye[3 * i + 2] * rgb[2], 0.0, 1.0);
    }
    const double xyz[] = {
        (0.4124564 * seen[0] + 0.3575761 * seen[1] + 0.1804375 * seen[2]) / 0.95047,
        0.2126729 * seen[0] + 0.7151522 * seen[1] + 0.0721750 * seen[2],
        (0.0193339 * seen[0] + 0.1191920 * seen[1] + 0.9503041 * seen[2]) / 1.08883};
    const auto f = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116; };
    return {116 * f(xyz[1]) - 16, 500 * (f(xyz[0]) - f(xyz[1])), 200 * (f(xyz[1]) - f(xyz[2]))};
}

double leastDistance(const ThemeTokens& t, const Matrix& eye, size_t count)
{
    double least = 1e9;
    for (size_t i = 0; i < count; ++i) {
        for (size_t j = i + 1; j < count; ++j) {
            const auto a = labOf(t.series[i], eye);
            const auto b = labOf(t.series[j], eye);
            least = std::min(least, std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]));
        }
    }
    return least;
}

} // namespace

void TstThemeTokens::contrastsAreThoseOfTheTable_data()
{
    QTest::addColumn<int>("row");
    for (size_t i = 0; i < kRows.size(); ++i) {
        QTest::newRow(kRows[i].name) << static_cast<int>(i);
    }
}

void TstThemeTokens::contrastsAreThoseOfTheTable()
{
    QFETCH(int, row);
    const Row& pair = kRows[static_cast<size_t>(row)];
    for (const bool dark : {false, true}) {
        const ThemeTokens t = tokensOf(dark);
        const double ratio = contrast(pair.ink(t), pair.ground(t));
        const double promised = dark ? pair.dark : pair.light;
        QVERIFY2(std::abs(ratio - promised) < 0.1, qPrintable(QString::number(ratio)));
    }
}

void TstThemeTokens::D34_textHasFourAndAHalfToOneInBothThemes_data()
{
    contrastsAreThoseOfTheTable_data();
}

void TstThemeTokens::D34_textHasFourAndAHalfToOneInBothThemes()
{
    QFETCH(int, row);
    const Row& pair = kRows[static_cast<size_t>(row)];
    const QString name = pair.name;
    const double least = name.startsWith("control") || name.startsWith("warnIcon") ? 3.0 : 4.5;
    for (const bool dark : {false, true}) {
        const ThemeTokens t = tokensOf(dark);
        QVERIFY(contrast(pair.ink(t), pair.ground(t)) >= least);
    }
}

void TstThemeTokens::D34_curvesHaveThreeToOneInBothThemes()
{
    for (const bool dark : {false, true}) {
        const ThemeTokens t = tokensOf(dark);
        for (const QColor& colour : t.series) {
            QVERIFY2(contrast(colour, t.surface) >= 3.0, qPrintable(colour.name()));
        }
    }
}

void TstThemeTokens::sixteenCurvesDifferAlsoForColourBlindEyes()
{
    // Minimum CIE76 differences: normal, deuteranopia, protanopia, tritanopia.
    constexpr double kEight[2][4] = {{29, 10, 12, 13}, {24, 14, 9, 14}};
    constexpr double kSixteen[4] = {24, 7, 9, 5};
    for (const bool dark : {false, true}) {
        const ThemeTokens t = tokensOf(dark);
        for (size_t eye = 0; eye < 4; ++eye) {
            QVERIFY(leastDistance(t, kEyes[eye], 8) >= kEight[dark ? 1 : 0][eye]);
            QVERIFY(leastDistance(t, kEyes[eye], 16) >= kSixteen[eye]);
        }
    }
}

void TstThemeTokens::D34_liveSwitchTellsEverybody()
{
    auto& application = *qobject_cast<QApplication*>(qApp);
    applyTheme(application, {.dark = false});
    int told = 0;
    QObject listener;
    connect(&themeWatch(), &ThemeWatch::changed, &listener, [&told] { ++told; });
    const QColor light = QApplication::palette().color(QPalette::Window);
    applyTheme(application, {.dark = true});
    QCOMPARE(told, 1);
    QVERIFY(tokens().isDark);
    QVERIFY(QApplication::palette().color(QPalette::Window) != light);
    QCOMPARE(QApplication::palette().color(QPalette::Window), tokens().canvas);
}

void TstThemeTokens::textScaleReachesTwoHundredPercent()
{
    auto& application = *qobject_cast<QApplication*>(qApp);
    applyTheme(application, {});
    const int usual = textFont(TextRole::Body).pixelSize();
    applyTheme(application, {.textScale = 2.0});
    QCOMPARE(textFont(TextRole::Body).pixelSize(), 2 * usual);
    QCOMPARE(scaled(12), 24);
    applyTheme(application, {});
    QCOMPARE(scaled(12), 12);
}

void TstThemeTokens::digitsHaveEqualWidths()
{
    for (const TextRole role : {TextRole::Body, TextRole::Strong, TextRole::Label,
                                TextRole::Headline, TextRole::Axis, TextRole::Code}) {
        const QFontMetricsF metrics(textFont(role));
        for (const QChar digit : QString("023456789")) {
            const double difference = metrics.horizontalAdvance(QString(8, digit)) -
                                      metrics.horizontalAdvance("11111111");
            QVERIFY2(std::abs(difference) < 0.25, qPrintable(QString("%1 in role %2: %3")
                                                                 .arg(digit)
                                                                 .arg(static_cast<int>(role))
                                                                 .arg(difference)));
        }
    }
}

CANNERY_TEST(TstThemeTokens)
#include "tst_theme_tokens.moc"
